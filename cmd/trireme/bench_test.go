package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// graphDir writes a graph of one labelled edge with one query of the given count.
func graphDir(t *testing.T, count string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"vertex.csv":  "id,label\n1,7\n2,8\n",
		"edge.csv":    "src,dst\n1,2\n2,1\n",
		"queries.tsv": "name\tcount\tsql\nend\t" + count + "\tSELECT count(*) FROM edge e, vertex v WHERE e.src = v.id AND v.label = 7\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBench(t *testing.T) {
	document := filepath.Join(t.TempDir(), "report.json")
	out, err := trireme(t, "", "bench", "subgraph", "--graph", graphDir(t, "1"), "--runs", "2", "--threads", "1", "--backends", "native,decomposed,duckdb", "--json", document)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"native 1", "decomposed 1", "duckdb 1", "median speed-up", "edge 2, vertex 2 rows"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Trireme string
		Cases   []struct{ Answer string }
	}
	if err := json.Unmarshal(text, &report); err != nil || !strings.HasPrefix(report.Trireme, release) || report.Cases[0].Answer != "1" {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestBenchErrors(t *testing.T) {
	dir := graphDir(t, "1")
	for _, c := range []struct {
		want string
		args []string
	}{
		{`unknown suite "speed"`, []string{"speed"}},
		{`unknown backend "postgres"`, []string{"subgraph", "--graph", dir, "--backends", "postgres"}},
		{`no case "start"`, []string{"subgraph", "--graph", dir, "--only", "start"}},
		{"oracle", []string{"subgraph", "--graph", dir, "--estimator", "oracle"}},
		{"lazy", []string{"subgraph", "--graph", dir, "--optimizer", "lazy"}},
		{"not among the backends", []string{"subgraph", "--graph", dir, "--backends", "duckdb", "--estimator", "chain"}},
		{"not among the backends", []string{"subgraph", "--graph", dir, "--backends", "native", "--common-subplan"}},
		{"named twice", []string{"subgraph", "--graph", dir, "--backends", "native,native"}},
		{"queries.tsv", []string{"subgraph", "--graph", filepath.Join(dir, "none")}},
		{"report.json", []string{"subgraph", "--graph", dir, "--json", filepath.Join(dir, "none", "report.json")}},
		{"there is no edge.csv", []string{"kernels", "--data", filepath.Join(dir, "none")}},
		{"between 1 and 22", []string{"kernels", "--scale", "99"}},
	} {
		if _, err := trireme(t, "", append([]string{"bench"}, c.args...)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("bench %s: error %v, want %q", strings.Join(c.args, " "), err, c.want)
		}
	}
}

// A wrong count ends the process with a status that scripts see.
func TestBenchExitStatus(t *testing.T) {
	out, err := process(t, "bench", "subgraph", "--graph", graphDir(t, "2"), "--runs", "1").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "WRONG: end on native 1: 1, expected 2") {
		t.Errorf("error %v\n%s", err, out)
	}
}
