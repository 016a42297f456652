package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sharedFile is a file of the data sets beside the project; the test is skipped
// where they are absent.
func sharedFile(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join("..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("no shared data: %v", err)
	}
	return path
}

// loadCSV makes a table of a CSV file.
func (s testSession) loadCSV(table, path string) {
	s.t.Helper()
	s.run("CREATE TABLE " + table + " AS SELECT * FROM read_csv(" + quoteText(path) + ")")
}

// patternQuery is a line of queries.tsv.
type patternQuery struct{ name, count, sql string }

func readPatterns(t *testing.T, path string) []patternQuery {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []patternQuery
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			t.Fatalf("%s: %q has %d fields", path, line, len(f))
		}
		out = append(out, patternQuery{f[0], f[1], f[2]})
	}
	return out
}

// TestPatternCounts runs the 144 labelled pattern counts of two protein graphs on
// native and on decomposed, with -short on native only.
func TestPatternCounts(t *testing.T) {
	for _, graph := range []string{"hprd", "yeast"} {
		t.Run(graph, func(t *testing.T) {
			patterns := readPatterns(t, sharedFile(t, graph+"/queries.tsv"))
			if len(patterns) != 72 {
				t.Fatalf("%d patterns, want 72", len(patterns))
			}
			s := openSession(t, openEngine(t))
			s.loadCSV("vertex", sharedFile(t, graph+"/vertex.csv"))
			s.loadCSV("edge", sharedFile(t, graph+"/edge.csv"))
			for _, backend := range []string{"native", "decomposed"} {
				if backend == "decomposed" && testing.Short() {
					continue
				}
				s.run("SET trireme.backend = '" + backend + "'")
				s.countPatterns(patterns, backend)
			}
		})
	}
}

func (s testSession) countPatterns(patterns []patternQuery, backend string) {
	s.t.Helper()
	var slowest time.Duration
	started := time.Now()
	for _, p := range patterns {
		begin := time.Now()
		got, _, err := s.try(p.sql)
		slowest = max(slowest, time.Since(begin))
		if err != nil || got != p.count {
			s.t.Errorf("%s: %s counts %s, want %s, error %v", p.name, backend, got, p.count, err)
		}
		if by := s.LastBackend(); by != backend {
			s.t.Errorf("%s: answered by %s, want %s", p.name, by, backend)
		}
	}
	s.t.Logf("%s: %s, the slowest statement %s", backend, time.Since(started), slowest)
}

// The triangles of Epinions, and with the order of the vertices fixed: a.src <
// a.dst = b.src < b.dst = c.dst, each once instead of six times.
const (
	triangles        = "SELECT count(*) FROM edge a, edge b, edge c WHERE a.dst = b.src AND b.dst = c.dst AND a.src = c.src"
	orderedTriangles = triangles + " AND a.src < a.dst AND b.src < b.dst"
)

func TestEpinionsTriangles(t *testing.T) {
	path := sharedFile(t, "epinions/edge.csv.gz")
	s := openSession(t, openEngine(t))
	s.loadCSV("edge", path)
	s.run("SET trireme.backend = 'native'")
	for _, c := range []struct{ sql, want string }{{triangles, "9746886"}, {orderedTriangles, "1624481"}} {
		s.want(c.sql, c.want)
		if by := s.LastBackend(); by != "native" {
			t.Errorf("answered by %s", by)
		}
	}
}

// epinions opens an engine with the Epinions graph.
func epinions(b *testing.B) (*Engine, testSession) {
	b.Helper()
	path := sharedFile(b, "epinions/edge.csv.gz")
	return benchEngine(b, "CREATE TABLE edge AS SELECT * FROM read_csv("+quoteText(path)+")")
}

// benchEngine opens an engine and a session for which statements have run.
func benchEngine(b *testing.B, statements ...string) (*Engine, testSession) {
	b.Helper()
	ctx := context.Background()
	e, err := Open(ctx, Config{})
	if err != nil {
		b.Fatal(err)
	}
	raw, err := e.NewSession(ctx, SessionOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		for _, close := range []func() error{raw.Close, e.Close} {
			if err := close(); err != nil {
				b.Error(err)
			}
		}
	})
	s := testSession{Session: raw}
	for _, sql := range statements {
		if _, _, err := s.try(sql); err != nil {
			b.Fatal(err)
		}
	}
	return e, s
}

// BenchmarkEpinionsTriangles counts triangles with the tensor in the cache.
func BenchmarkEpinionsTriangles(b *testing.B) {
	_, s := epinions(b)
	for _, backend := range []string{"native", "duckdb"} {
		b.Run("backend="+backend, func(b *testing.B) {
			if _, _, err := s.try("SET trireme.backend = '" + backend + "'"); err != nil {
				b.Fatal(err)
			}
			if backend == "native" { // builds the tensor
				if _, _, err := s.try(triangles); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				got, _, err := s.try(triangles)
				if err != nil || got != "9746886" || s.LastBackend() != backend {
					b.Fatalf("%s from %s, error %v", got, s.LastBackend(), err)
				}
			}
		})
	}
}

// BenchmarkEpinionsBuild is a statement that has to build its tensor: the scan,
// the dictionary, sorting and the layout; its own loop walks the entries once.
func BenchmarkEpinionsBuild(b *testing.B) {
	e, s := epinions(b)
	if _, _, err := s.try("SET trireme.backend = 'native'"); err != nil {
		b.Fatal(err)
	}
	const entries = 811478
	b.Run("graph=epinions", func(b *testing.B) {
		for b.Loop() {
			e.tensor = newRoute(e) // caches are empty again
			got, _, err := s.try("SELECT count(*) FROM edge a, edge b WHERE a.src = b.src AND a.dst = b.dst")
			if err != nil || got != "811478" || s.LastBackend() != "native" {
				b.Fatalf("%s from %s, error %v", got, s.LastBackend(), err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entries, "ns/entry")
	})
}
