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
		{"cannot be measured with --plot", []string{"einsum", "--plot", filepath.Join(dir, "x.svg")}},
		{`suite einsum has no case "start"`, []string{"einsum", "--only", "start"}},
		{`no case "start"`, []string{"subgraph", "--graph", dir, "--only", "start"}},
		{"oracle", []string{"subgraph", "--graph", dir, "--estimator", "oracle"}},
		{"lazy", []string{"subgraph", "--graph", dir, "--optimizer", "lazy"}},
		{"not among the backends", []string{"subgraph", "--graph", dir, "--backends", "duckdb", "--estimator", "chain"}},
		{"named twice", []string{"subgraph", "--graph", dir, "--backends", "native,native"}},
		{"with --plot", []string{"coverage", "--plot", filepath.Join(dir, "p.svg")}},
		{"plot.svg", []string{"subgraph", "--graph", dir, "--plot", filepath.Join(dir, "none", "plot.svg")}},
		{`unknown suite "speed"`, []string{"all", "--suites", "speed"}},
		{"for one suite", []string{"all", "--only", "triangles"}},
		{"by --out", []string{"results", "--json", filepath.Join(dir, "none.json")}},
		{"none.json", []string{"results", "--json", filepath.Join(dir, "none.json"), "--out", filepath.Join(dir, "page.md")}},
		{"not a document of benchmark results", []string{"results", "--json", filepath.Join(dir, "edge.csv"), "--out", filepath.Join(dir, "page.md")}},
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

// A run writes its document, picture and page; the last two can be written from the
// first as well, and are the same.
func TestBenchResults(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if _, err := trireme(t, "", "bench", "subgraph", "--graph", graphDir(t, "1"), "--runs", "1", "--json", at("r.json"), "--plot", at("p.svg"), "--results", at("R.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := trireme(t, "", "bench", "results", "--json", at("r.json"), "--plot", at("p2.svg"), "--out", at("R2.md")); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if page := read("R.md"); !strings.Contains(page, "(p.svg)") || strings.ReplaceAll(read("R2.md"), "p2.svg", "p.svg") != page {
		t.Errorf("pages differ, or have no picture:\n%s", page)
	}
	if picture := read("p.svg"); !strings.HasPrefix(picture, "<svg") || read("p2.svg") != picture {
		t.Error("pictures differ")
	}
	if _, err := trireme(t, "", "bench", "results", "--json", at("r.json"), "--with", at("r.json"), "--out", at("R3.md"), "--keep", at("r2.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := trireme(t, "", "bench", "results", "--json", at("r2.json"), "--out", at("R4.md")); err != nil || read("R3.md") != read("R4.md") {
		t.Errorf("error %v, or the page of the kept document differs", err)
	}
}

// A run of all suites writes one document with a report per suite.
func TestBenchAll(t *testing.T) {
	document := filepath.Join(t.TempDir(), "all.json")
	out, err := trireme(t, "", "bench", "all", "--suites", "graph500", "--runs", "1", "--timeout", "1s", "--backends", "native", "--data", t.TempDir(), "--json", document)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "graph500: Trireme") || !strings.Contains(out, "Missing: cases over the Epinions graph") {
		t.Error(out)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var results struct{ Suites []struct{ Suite string } }
	if err := json.Unmarshal(text, &results); err != nil || len(results.Suites) != 1 || results.Suites[0].Suite != "graph500" {
		t.Errorf("%v\n%s", err, text)
	}
}

// A wrong count ends the process with a status that scripts see.
func TestBenchExitStatus(t *testing.T) {
	out, err := process(t, "bench", "subgraph", "--graph", graphDir(t, "2"), "--runs", "1").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "WRONG: end on native 1: 1, expected 2") {
		t.Errorf("error %v\n%s", err, out)
	}
}
