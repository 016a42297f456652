package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// labelledGraph is a random graph in a folder and in memory.
func labelledGraph(t *testing.T, vertices, edges int) (string, *dataGraph) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	g := &dataGraph{neighbours: make([][]int, vertices)}
	lines := []string{"id,label"}
	for v := range vertices {
		g.labels = append(g.labels, int64(rng.IntN(3)))
		lines = append(lines, fmt.Sprintf("%d,%d", v+100, g.labels[v]))
	}
	for range edges {
		if a, b := rng.IntN(vertices), rng.IntN(vertices); a != b && !slices.Contains(g.neighbours[a], b) {
			g.neighbours[a], g.neighbours[b] = append(g.neighbours[a], b), append(g.neighbours[b], a)
		}
	}
	pairs := []string{"src,dst"}
	for a := range g.neighbours {
		slices.Sort(g.neighbours[a])
		for _, b := range g.neighbours[a] {
			pairs = append(pairs, fmt.Sprintf("%d,%d", a+100, b+100))
		}
	}
	dir := t.TempDir()
	if err := writeLines(filepath.Join(dir, "vertex.csv"), lines); err != nil {
		t.Fatal(err)
	}
	if err := writeLines(filepath.Join(dir, "edge.csv"), pairs); err != nil {
		t.Fatal(err)
	}
	return dir, g
}

// homomorphisms counts a pattern by enumeration, vertex by vertex.
func (g *dataGraph) homomorphisms(p *pattern, placed []int) int {
	at := len(placed)
	if at == len(p.labels) {
		return 1
	}
	n := 0
	for v, label := range g.labels {
		if p.labels[at] >= 0 && p.labels[at] != label {
			continue
		}
		if slices.ContainsFunc(p.edges, func(e [2]int) bool { return e[1] == at && !g.adjacent(placed[e[0]], v) }) {
			continue
		}
		n += g.homomorphisms(p, append(placed, v))
	}
	return n
}

// TestPatterns: drawn patterns are connected, of their kind, and their SQL counts
// what enumeration does.
func TestPatterns(t *testing.T) {
	dir, g := labelledGraph(t, 30, 130)
	s, err := SubgraphQueries(dir, writeQueries(t, "name\tcount\tsql\nx\t1\tSELECT 1"))
	if err != nil {
		t.Fatal(err)
	}
	db := opened(t, s, filepath.Base(dir))
	read, err := readGraph(context.Background(), db)
	if err != nil || !slices.Equal(read.labels, g.labels) || !slices.EqualFunc(read.neighbours, g.neighbours, slices.Equal[[]int]) {
		t.Fatalf("the graph is not the one written, error %v", err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	drawn := map[string]int{}
	for range 400 {
		kind := []string{kindSparse, kindDense, kindPart}[rng.IntN(3)]
		vertices := 4 + rng.IntN(2)
		p := g.draw(rng, kind, vertices)
		if p == nil || drawn[kind] >= 6 {
			continue
		}
		drawn[kind]++
		checkPattern(t, p, kind, vertices)
		got, err := db.scalar(context.Background(), p.sql())
		if want := g.homomorphisms(p, nil); err != nil || got != fmt.Sprint(want) || want == 0 {
			t.Errorf("%s: %s, want %d, error %v", p.sql(), got, want, err)
		}
	}
	if len(drawn) != 3 {
		t.Errorf("kinds %v", drawn)
	}
}

func checkPattern(t *testing.T, p *pattern, kind string, vertices int) {
	t.Helper()
	labelled := 0
	for _, l := range p.labels {
		if l >= 0 {
			labelled++
		}
	}
	want := map[string]int{kindSparse: vertices, kindDense: vertices, kindPart: vertices - vertices/2}[kind]
	if dense := 2*len(p.edges) >= denseDegree*vertices; len(p.labels) != vertices || labelled != want || dense != (kind == kindDense) {
		t.Errorf("%s pattern of %d vertices: %+v", kind, vertices, p)
	}
	for v := 1; v < vertices; v++ {
		if !slices.ContainsFunc(p.edges, func(e [2]int) bool { return e[1] == v }) {
			t.Errorf("vertex %d is not joined to one before it: %+v", v, p)
		}
	}
}

func writeQueries(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "queries.tsv")
	write(t, path, text+"\n")
	return path
}

// TestGenerate: the file has a line per query, the same seed gives the same file, and
// the suite that reads it finds its counts right.
func TestGenerate(t *testing.T) {
	dir, _ := labelledGraph(t, 60, 300)
	o := GenerateOptions{Graph: dir, Seed: 5, Count: 2, Vertices: []int{4, 5}, Timeout: time.Minute, Threads: 2, Version: "test"}
	var files [2]strings.Builder
	for i := range files {
		if err := Generate(context.Background(), o, &files[i]); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.TrimSpace(files[0].String())
	if text != strings.TrimSpace(files[1].String()) {
		t.Error("the same seed gives other queries")
	}
	if lines := strings.Split(text, "\n"); len(lines) != 1+2*2*3 || lines[0] != queriesHeader {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
	o.Seed, o.Kinds = 6, []string{kindPart}
	var other strings.Builder
	if err := Generate(context.Background(), o, &other); err != nil || strings.Contains(text, strings.Split(other.String(), "\n")[1]) {
		t.Errorf("another seed gives the same queries, error %v", err)
	}
	s, err := SubgraphQueries(dir, writeQueries(t, text))
	if err != nil {
		t.Fatal(err)
	}
	cfg := nativeAndDuckDB()
	cfg.Runs = 1
	if r := run(t, s, cfg); r.Err() != nil || len(r.Cases) != 12 {
		t.Errorf("%d cases, error %v", len(r.Cases), r.Err())
	}
}

func TestBadGenerateOptions(t *testing.T) {
	good := GenerateOptions{Count: 1, Vertices: []int{4}, Timeout: time.Second, Graph: t.TempDir()}
	for _, c := range []struct {
		change func(*GenerateOptions)
		want   string
	}{
		{func(o *GenerateOptions) { o.Count = 0 }, "between 1 and 1000, not 0"},
		{func(o *GenerateOptions) { o.Vertices = []int{4, 13} }, "between 4 and 12 vertices"},
		{func(o *GenerateOptions) { o.Vertices = nil }, "no number of vertices"},
		{func(o *GenerateOptions) { o.Timeout = 0 }, "timeout"},
		{func(o *GenerateOptions) { o.Kinds = []string{"round"} }, `no kind of query graph "round"`},
		{func(*GenerateOptions) {}, "there is no edge.csv"},
		{func(o *GenerateOptions) {
			o.Graph = t.TempDir()
			write(t, filepath.Join(o.Graph, "vertex.csv"), "id,label\n1,1\n")
			write(t, filepath.Join(o.Graph, "edge.csv"), "src,dst\n1,2\n")
		}, "a vertex that is not in the table vertex"},
	} {
		o := good
		c.change(&o)
		if err := Generate(context.Background(), o, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestDebianGraph: the graph of packages is what it is said to be, and the committed
// counts are right where they are quickly found.
func TestDebianGraph(t *testing.T) {
	s, err := Subgraph(nil)
	if err != nil {
		t.Fatal(err)
	}
	db := opened(t, s, debianGraph)
	for sql, want := range map[string]string{
		"SELECT count(*) FROM vertex":                                                         "63436",
		"SELECT count(DISTINCT label) FROM vertex":                                            "58",
		"SELECT count(*) - 2 * count(*) FILTER (WHERE src < dst) FROM edge":                   "0",
		"SELECT count(*) FROM (SELECT src, dst FROM edge EXCEPT SELECT dst, src FROM edge) e": "0",
		"SELECT count(*) FROM edge WHERE src NOT IN (SELECT id FROM vertex) OR src = dst":     "0",
		"SELECT count(*) > 400000 FROM edge":                                                  "1",
	} {
		if got, err := db.scalar(context.Background(), sql); err != nil || got != want {
			t.Errorf("%s: %s, want %s, error %v", sql, got, want, err)
		}
	}
	for _, c := range s.Cases {
		if !strings.Contains(c.Name, "_4_") && !strings.Contains(c.Name, "_5_") {
			continue
		}
		out, err := db.measure(context.Background(), Variant{Backend: engine.Native, Threads: 2}, c.SQL, time.Minute)
		if err != nil || out.answer == nil {
			t.Errorf("%s: %+v, error %v", c.Name, out, err)
		} else if got, _ := out.answer.scalar(); got != c.Want {
			t.Errorf("%s: %s, want %s", c.Name, got, c.Want)
		}
	}
}

func TestSubgraphSmall(t *testing.T) {
	small, err := SubgraphSmall()
	if err != nil {
		t.Fatal(err)
	}
	all, err := Subgraph(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(small.Cases) < 10 || len(small.Cases) > len(all.Cases)/2 || small.Timeout >= all.Timeout {
		t.Errorf("%d cases of %d", len(small.Cases), len(all.Cases))
	}
	if _, err := SubgraphQueries("", filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
