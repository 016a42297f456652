package sqlfront

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGraphQueries runs the subgraph counting queries of the shared data.
func TestGraphQueries(t *testing.T) {
	d := newDuck(t)
	for _, name := range []string{"hprd", "yeast"} {
		path := filepath.Join("..", "..", "shared", "data", name, "queries.tsv")
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			t.Skipf("%s is absent", path)
		}
		if err != nil {
			t.Fatal(err)
		}
		described := d.described
		n := 0
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			f := strings.Split(line, "\t")
			if i == 0 || len(f) != 3 {
				continue
			}
			n++
			sel, reason := parsed(f[2])
			if reason != "" {
				t.Errorf("%s: refused: %s", f[0], reason)
				continue
			}
			sameTree(t, d, f[2], sel)
			a, err := d.analyze(f[2])
			if err != nil || a.Query == nil {
				t.Errorf("%s: not accepted: %v %+v", f[0], err, a)
			}
		}
		if n == 0 {
			t.Errorf("%s has no queries", path)
		}
		// One look at DuckDB a query: all types are inferred. The tables cost one each.
		if got := d.described - described; got > n+2 {
			t.Errorf("%s: %d calls of Describe for %d queries", name, got, n)
		}
	}
}

func BenchmarkAnalyze(b *testing.B) {
	d := newDuck(b)
	text := "SELECT COUNT(*) FROM edge e0, edge e1, edge e2, vertex v0, vertex v1, vertex v2, vertex v3 WHERE v0.id = e0.src AND v0.label = 85 AND e0.dst = e1.src AND v1.id = e0.dst AND v1.label = 14 AND e1.dst = e2.src AND v2.id = e1.dst AND v2.label = 55 AND v3.id = e2.dst AND v3.label = 25"
	b.Run("stage=gate", func(b *testing.B) {
		for b.Loop() {
			runGate(text, nil)
		}
	})
	b.Run("stage=parse", func(b *testing.B) {
		for b.Loop() {
			parseSelect(text)
		}
	})
	b.Run("stage=all", func(b *testing.B) {
		for b.Loop() {
			if a, err := d.analyze(text); err != nil || a.Query == nil {
				b.Fatal(err, a)
			}
		}
	})
}
