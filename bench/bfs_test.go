package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// opened is a data set in a database of its own.
func opened(t *testing.T, s *Suite, data string) *Database {
	t.Helper()
	ctx := context.Background()
	db, err := openDatabase(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	i := slices.IndexFunc(s.Data, func(d Dataset) bool { return d.Name == data })
	if err := s.Data[i].Load(ctx, db); err != nil {
		t.Fatal(err)
	}
	return db
}

// numbers are the rows of a query over integers.
func (d *Database) numbers(t *testing.T, sql string) [][]int64 {
	t.Helper()
	a, _, err := d.query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]int64, a.rows)
	for r := range out {
		for c := range a.vectors {
			x, err := strconv.ParseInt(a.cell(c, r), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			out[r] = append(out[r], x)
		}
	}
	return out
}

// text is the rows of an answer, sorted.
func (a *answer) text() string {
	var lines []string
	for r := range a.rows {
		var cells []string
		for c := range a.vectors {
			cells = append(cells, a.cell(c, r))
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// checkCases compares the answers of the cases over a data set, on every backend
// that takes them, with those expected by name. Native must take all of them.
func checkCases(t *testing.T, s *Suite, data string, want map[string]string) {
	t.Helper()
	db := opened(t, s, data)
	checked := 0
	for _, c := range s.Cases {
		if c.Data != data {
			continue
		}
		expected, ok := want[c.Name]
		if !ok {
			t.Errorf("nothing is expected of %s", c.Name)
		}
		checked++
		for _, b := range []engine.Backend{engine.Native, engine.Decomposed, engine.DuckDB} {
			out, err := db.measure(context.Background(), Variant{Backend: b, Threads: 2}, c.SQL, time.Minute)
			switch {
			case err != nil || out.timeout:
				t.Errorf("%s on %s: timeout %v, error %v", c.Name, b, out.timeout, err)
			case out.refused != "" && b == engine.Decomposed:
			case out.refused != "":
				t.Errorf("%s on %s: %s", c.Name, b, out.refused)
			case out.answer.text() != expected:
				t.Errorf("%s on %s: %s, want %s", c.Name, b, out.answer.text(), expected)
			}
		}
	}
	if checked != len(want) {
		t.Errorf("%d cases over %s, %d are expected", checked, data, len(want))
	}
}

// distances are those from vertex 0, where every edge costs what cost says.
func distances(edges [][]int64, cost func(edge []int64) int64) map[int64]int64 {
	dist := map[int64]int64{0: 0}
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			from, ok := dist[e[0]]
			if !ok {
				continue
			}
			if old, ok := dist[e[1]]; !ok || from+cost(e) < old {
				dist[e[1]], changed = from+cost(e), true
			}
		}
	}
	return dist
}

// perLevel counts the vertices of each level, a line each.
func perLevel(levels map[int64]int64) string {
	count := map[int64]int{}
	for _, level := range levels {
		count[level]++
	}
	var lines []string
	for level, n := range count {
		lines = append(lines, fmt.Sprintf("%d %d", level, n))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// withinThree counts the vertices at the end of walks of 0 to 3 edges.
func withinThree(edges [][]int64) string {
	var lines []string
	at := map[int64]bool{0: true}
	for level := range 4 {
		lines = append(lines, fmt.Sprintf("%d %d", level, len(at)))
		next := map[int64]bool{}
		for _, e := range edges {
			if at[e[0]] {
				next[e[1]] = true
			}
		}
		at = next
	}
	return strings.Join(lines, "\n")
}

func smallTraversal() TraversalOptions { return TraversalOptions{Scale: 7, Side: 9} }

func TestBFS(t *testing.T) {
	s, err := BFS(smallTraversal())
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"rmat", "road"} {
		edges := opened(t, s, data).numbers(t, "SELECT src, dst FROM edge")
		levels := distances(edges, func([]int64) int64 { return 1 })
		if len(levels) < 20 {
			t.Fatalf("%s: %d vertices are reached", data, len(levels))
		}
		sum := int64(0)
		for v := range levels {
			sum += v
		}
		want := map[string]string{data + "_reachable": fmt.Sprint(len(levels), " ", sum), data + "_levels": perLevel(levels)}
		if data == "rmat" {
			want["rmat_client"], want["rmat_within_three"] = perLevel(levels), withinThree(edges)
		}
		checkCases(t, s, data, want)
	}
}

func TestPaths(t *testing.T) {
	s, err := Paths(smallTraversal())
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"rmat", "road"} {
		edges := opened(t, s, data).numbers(t, "SELECT src, dst, w FROM wedge")
		sum, largest := int64(0), int64(0)
		dist := distances(edges, func(e []int64) int64 { return e[2] })
		for _, d := range dist {
			sum, largest = sum+d, max(largest, d)
		}
		text := fmt.Sprint(len(dist), " ", sum, " ", largest)
		want := map[string]string{data + "_paths": text}
		if data == "rmat" {
			want["rmat_client"] = text
		}
		checkCases(t, s, data, want)
	}
}

// The formats of the rows between the steps are in the report, for native alone;
// what the client iterates has none.
func TestIterations(t *testing.T) {
	s, err := BFS(smallTraversal())
	if err != nil {
		t.Fatal(err)
	}
	cfg := smallConfig()
	cfg.Only = []string{"rmat_reachable", "rmat_client"}
	r := run(t, s, cfg)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	for i := range r.Cases {
		for _, m := range r.Cases[i].Measured {
			want := r.Cases[i].Name == "rmat_reachable" && m.Variant.Backend == engine.Native
			if (len(m.Iterations) > 2) != want {
				t.Errorf("%s on %s: %d iterations", r.Cases[i].Name, m.Variant, len(m.Iterations))
			}
			if want && (m.Iterations[0].Rows != 1 || len(m.Iterations[0].Formats) != 1) {
				t.Errorf("iteration %+v", m.Iterations[0])
			}
		}
	}
}

// Epinions is part of the suites where its folder is named.
func TestTraversalData(t *testing.T) {
	o := smallTraversal()
	o.DataDir, _ = smallGraph(t, 40, 200)
	for _, suite := range []func(TraversalOptions) (*Suite, error){BFS, Paths} {
		with, err := suite(o)
		if err != nil {
			t.Fatal(err)
		}
		without, err := suite(smallTraversal())
		if err != nil {
			t.Fatal(err)
		}
		if len(with.Data) != 3 || len(without.Data) != 2 || len(with.Cases) <= len(without.Cases) {
			t.Errorf("%d and %d data sets, %d and %d cases", len(with.Data), len(without.Data), len(with.Cases), len(without.Cases))
		}
		if n := len(opened(t, with, "epinions").numbers(t, "SELECT src, dst, w FROM wedge WHERE w NOT BETWEEN 1 AND 10")); n > 0 {
			t.Errorf("%d weights are wrong", n)
		}
	}
}

func TestClientLoop(t *testing.T) {
	l := parseClientLoop("CREATE TABLE t (i INTEGER);\nINSERT INTO t VALUES (1);\n-- repeat\nINSERT INTO t\n  SELECT 1;\nSELECT count(*) FROM t;\n-- end\nSELECT 2")
	if l == nil || len(l.first) != 2 || len(l.each) != 2 || l.each[0] != "INSERT INTO t\n  SELECT 1" || l.last != "SELECT 2" {
		t.Errorf("%+v", l)
	}
	if l := parseClientLoop("SELECT 1 -- repeat"); l != nil {
		t.Errorf("%+v", l)
	}
	s := oneKey(
		Case{Name: "by another", SQL: "CREATE OR REPLACE TABLE u (i INTEGER);\n-- repeat\nINSERT INTO u SELECT 1 FROM u;\nSELECT count(*) FROM u;\n-- end\nSELECT count(*) FROM t"},
		Case{Name: "no cell", SQL: "CREATE OR REPLACE TABLE u (i INTEGER);\n-- repeat\nSELECT count(*) FROM t a JOIN t b ON a.i = b.i;\nSELECT i FROM u;\n-- end\nSELECT count(*) FROM t"},
	)
	err := run(t, s, nativeAndDuckDB()).Err()
	for _, want := range []string{"by another on native 1: failed: a step was answered by duckdb, not by native", "no cell on duckdb 1: failed: 0 rows, not one cell"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
