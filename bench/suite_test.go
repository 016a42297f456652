package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// smallGraph writes a random undirected graph in both directions as edge.csv,
// and returns its folder and the number of its triangles i < j < k.
func smallGraph(t *testing.T, vertices, edges int) (dir string, triangles int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	adjacent := make([][]bool, vertices)
	for i := range adjacent {
		adjacent[i] = make([]bool, vertices)
	}
	for range edges {
		a, b := rng.IntN(vertices), rng.IntN(vertices)
		adjacent[a][b], adjacent[b][a] = a != b, a != b
	}
	var csv strings.Builder
	csv.WriteString("src,dst\n")
	for a := range vertices {
		for b := range vertices {
			if !adjacent[a][b] {
				continue
			}
			fmt.Fprintf(&csv, "%d,%d\n", a, b)
			for c := b + 1; a < b && c < vertices; c++ {
				if adjacent[a][c] && adjacent[b][c] {
					triangles++
				}
			}
		}
	}
	dir = t.TempDir()
	write(t, filepath.Join(dir, "edge.csv"), csv.String())
	return dir, triangles
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func smallConfig() Config {
	return Config{Backends: []engine.Backend{engine.Native, engine.Decomposed, engine.DuckDB}, Threads: 2, Runs: 2, Timeout: time.Minute, Version: "test"}
}

func run(t *testing.T, s *Suite, cfg Config) *Report {
	t.Helper()
	r, err := Run(context.Background(), s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestKernels runs the whole suite on small graphs: every backend answers every
// case, all answers agree, and those that are known otherwise are right.
func TestKernels(t *testing.T) {
	dir, triangles := smallGraph(t, 60, 400)
	s, err := Kernels(KernelOptions{DataDir: dir, Scale: 7})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, s, smallConfig())
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for i := range r.Cases {
		c := &r.Cases[i]
		answers[c.Name] = c.Answer
		if c.Build != nil {
			continue
		}
		for _, v := range r.Variants {
			m := c.of(v)
			if m == nil || len(m.Runs) != 2 || m.Timeouts > 0 || m.Refused != "" || m.Baseline != "" {
				t.Errorf("%s on %s: %+v", c.Name, v, m)
				continue
			}
			if (m.Planning > 0) != (v.Backend != engine.Decomposed) || (m.Kernel > 0) != (v.Backend == engine.Native) {
				t.Errorf("%s on %s: planning %s, kernel %s", c.Name, v, m.Planning, m.Kernel)
			}
		}
	}
	for name, want := range map[string]string{
		"triangles": fmt.Sprint(6 * triangles), "triangles_ordered": fmt.Sprint(triangles),
		"cold_epinions": fmt.Sprint(edgesOf(r, "epinions"), " entries"), "triangles_per_vertex": "60 rows",
	} {
		if answers[name] != want {
			t.Errorf("%s: %s, want %s", name, answers[name], want)
		}
	}
	if flat, nested := answers["chain_of_four_flat"], answers["chain_of_four"]; flat == "" || nested == "" {
		t.Errorf("chains: %s, %s", flat, nested)
	}
	checkBuilds(t, r)
	checkPrinted(t, r)
}

func edgesOf(r *Report, data string) int64 {
	i := slices.IndexFunc(r.Data, func(d DataReport) bool { return d.Name == data })
	return r.Data[i].Tables["edge"]
}

func checkBuilds(t *testing.T, r *Report) {
	t.Helper()
	for _, c := range r.Cases {
		if c.Name != "cold_epinions" {
			continue
		}
		if len(c.Build) != 4 {
			t.Fatalf("%d builds, want 2 of each of 2 variants", len(c.Build))
		}
		for _, b := range c.Build {
			if b.Entries != edgesOf(r, "epinions") || b.Load <= 0 || b.First < b.Load {
				t.Errorf("build %+v", b)
			}
		}
	}
}

// checkPrinted: the table has a line per case, the document every run.
func checkPrinted(t *testing.T, r *Report) {
	t.Helper()
	var table, document bytes.Buffer
	if err := r.Print(&table); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&document); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cases {
		if !strings.Contains(table.String(), "\n"+c.Name+" ") {
			t.Errorf("no line of %s in\n%s", c.Name, table.String())
		}
	}
	var back struct {
		Machine Machine
		Cases   []struct {
			Name     string
			Measured []struct {
				Variant string
				Runs    []int64 `json:"runs_ns"`
			}
		}
	}
	if err := json.Unmarshal(document.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Cases) != len(r.Cases) || back.Machine.Cores == 0 {
		t.Fatalf("document: %+v", back)
	}
	for i, c := range back.Cases {
		if len(c.Measured) != len(r.Cases[i].Measured) {
			t.Errorf("%s: %d measured", c.Name, len(c.Measured))
		}
		for k, m := range c.Measured {
			if m.Variant != r.Variants[k].String() || len(m.Runs) != 2 || m.Runs[0] <= 0 {
				t.Errorf("%s: %+v", c.Name, m)
			}
		}
	}
}

// subgraphDir writes a labelled graph of two triangles that share an edge, with
// one query: triangles of labels 0, 1, 1, of which there are two maps each way.
func subgraphDir(t *testing.T, count string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "vertex.csv"), "id,label\n0,0\n1,1\n2,1\n3,0\n")
	write(t, filepath.Join(dir, "edge.csv"), "src,dst\n0,1\n1,0\n1,2\n2,1\n0,2\n2,0\n1,3\n3,1\n2,3\n3,2\n")
	write(t, filepath.Join(dir, "queries.tsv"), "name\tcount\tsql\ntriangle\t"+count+"\t"+
		"SELECT count(*) FROM edge a, edge b, edge c, vertex x, vertex y WHERE a.dst = b.src AND b.dst = c.dst AND a.src = c.src "+
		"AND x.id = a.src AND x.label = 0 AND y.id = a.dst AND y.label = 1\n")
	return dir
}

func TestSubgraph(t *testing.T) {
	dir := subgraphDir(t, "4")
	s, err := Subgraph([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, s, smallConfig())
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if len(r.Cases) != 1 || r.Cases[0].Answer != "4" || len(r.Cases[0].Measured) != 4 {
		t.Errorf("%+v", r.Cases)
	}
}

// A count that is not the expected one is an error on every variant.
func TestWrongExpectation(t *testing.T) {
	s, err := Subgraph([]string{subgraphDir(t, "5")})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, s, smallConfig())
	err = r.Err()
	if err == nil || !strings.Contains(err.Error(), "triangle on native 1: 4, expected 5") {
		t.Errorf("error %v", err)
	}
	for _, v := range r.Variants {
		if !slices.ContainsFunc(r.Wrong, func(w string) bool { return strings.HasPrefix(w, "triangle on "+v.String()) }) {
			t.Errorf("nothing wrong on %s: %v", v, r.Wrong)
		}
	}
}

func TestBadInput(t *testing.T) {
	folder := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			write(t, filepath.Join(dir, name), text)
		}
		return dir
	}
	const query = "name\tcount\tsql\nq\t1\tSELECT count(*) FROM edge\n"
	kernels := func(dir string, scale int) func() (*Suite, error) {
		return func() (*Suite, error) { return Kernels(KernelOptions{DataDir: dir, Scale: scale}) }
	}
	subgraph := func(dirs ...string) func() (*Suite, error) {
		return func() (*Suite, error) { return Subgraph(dirs) }
	}
	same := folder(map[string]string{"queries.tsv": query})
	for _, c := range []struct {
		name  string
		suite func() (*Suite, error)
		want  string
	}{
		{"no folder", kernels(filepath.Join(t.TempDir(), "none"), 5), "there is no edge.csv"},
		{"words for numbers", kernels(folder(map[string]string{"edge.csv": "src,dst\n1,two\n"}), 5), "edge.csv cannot be read"},
		{"a column is missing", kernels(folder(map[string]string{"edge.csv": "src\n1\n"}), 5), "edge.csv cannot be read"},
		{"scale", kernels("", 40), "between 1 and 22"},
		{"no queries", subgraph(t.TempDir()), "queries.tsv"},
		{"the same graph twice", subgraph(same, same), "two graphs are named"},
		{"an empty file", subgraph(folder(map[string]string{"queries.tsv": ""})), "line 1: there is no query"},
		{"no header", subgraph(folder(map[string]string{"queries.tsv": "q\t1\tSELECT 1\n"})), "line 1: the header"},
		{"two fields", subgraph(folder(map[string]string{"queries.tsv": query + "r\t2\n"})), "line 3: 2 fields"},
		{"no count", subgraph(folder(map[string]string{"queries.tsv": query + "r\tmany\tSELECT 1\n"})), `line 3: "many" is not a count`},
		{"a name twice", subgraph(folder(map[string]string{"queries.tsv": query + "q\t1\tSELECT 1\n"})), `line 3: query "q"`},
		{"no vertices", subgraph(folder(map[string]string{"queries.tsv": query, "edge.csv": "src,dst\n"})), "there is no vertex.csv"},
		{"no labels", subgraph(folder(map[string]string{"queries.tsv": query, "edge.csv": "src,dst\n", "vertex.csv": "id\n1\n"})), "vertex.csv cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.suite()
			if err == nil {
				_, err = Run(context.Background(), s, smallConfig())
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestBadConfig(t *testing.T) {
	s, err := Kernels(KernelOptions{Scale: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Backends = nil }, "no backend"},
		{func(c *Config) { c.Backends = []engine.Backend{engine.Auto} }, "auto cannot be measured"},
		{func(c *Config) { c.Threads = 0 }, "0 threads"},
		{func(c *Config) { c.Runs = 0 }, "0 runs"},
		{func(c *Config) { c.Timeout = -1 }, "timeout"},
		{func(c *Config) { c.Only = []string{"triangles", "squares"} }, `no case "squares"`},
	} {
		cfg := smallConfig()
		c.change(&cfg)
		if _, err := Run(context.Background(), s, cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
