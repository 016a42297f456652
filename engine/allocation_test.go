package engine

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// graphSizes are the vertices of the graphs over which the same statements run;
// every vertex has 16 neighbours, so that the work grows with them.
var graphSizes = []int{250, 2500, 25000}

// growingStatements give one row each, however large the graph is.
var growingStatements = []struct{ name, sql string }{
	{"triangles", "SELECT count(*) FROM e a JOIN e b ON a.dst = b.src JOIN e c ON b.dst = c.dst AND a.src = c.src"},
	{"ordered", "SELECT count(*) FROM e a JOIN e b ON a.dst = b.src JOIN e c ON b.dst = c.dst AND a.src = c.src WHERE a.src < a.dst AND b.src < b.dst"},
	{"nested", "SELECT sum(p.n * p.n) FROM (SELECT a.src AS u, b.dst AS v, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src, b.dst) p"},
	{"chain", "SELECT sum(a.w * b.w * c.w) FROM e a JOIN e b ON a.dst = b.src JOIN e c ON b.dst = c.src"},
}

// openGraph opens a native session on a graph of n vertices. Its tensors are
// built by a first execution, and plans are kept.
func openGraph(tb testing.TB, n int) testSession {
	tb.Helper()
	e, err := Open(context.Background(), Config{FirstPatience: time.Hour})
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := e.NewSession(context.Background(), SessionOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		for _, close := range []func() error{raw.Close, e.Close} {
			if err := close(); err != nil {
				tb.Error(err)
			}
		}
	})
	s := testSession{Session: raw}
	for _, sql := range []string{
		fmt.Sprintf("CREATE TABLE e AS SELECT i AS src, (i * 7 + k * k + 1) %% %d AS dst, (i + k) %% 5 + 1.0::DOUBLE AS w FROM range(%d) r(i), range(16) q(k)", n, n),
		"SET trireme.backend = 'native'",
	} {
		if _, _, err := s.try(sql); err != nil {
			tb.Fatal(err)
		}
	}
	for _, st := range growingStatements {
		for range 2 {
			if _, _, err := s.try(st.sql); err != nil {
				tb.Fatalf("%s: %v", st.name, err)
			}
		}
	}
	return s
}

// BenchmarkAllocation shows that what a statement allocates does not grow with
// the time it takes: allocs/op are flat over graphs of a hundredfold size.
func BenchmarkAllocation(b *testing.B) {
	for _, n := range graphSizes {
		s := openGraph(b, n)
		for _, st := range growingStatements {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("query=%s/threads=%d/n=%d", st.name, threads, n), func(b *testing.B) {
					if _, _, err := s.try(fmt.Sprint("SET trireme.threads = ", threads)); err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						if _, _, err := s.try(st.sql); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// differentPlan are the allocations that the plan for a larger graph may take more than
// that for a smaller one.
const differentPlan = 400

// TestAllocationDoesNotGrow is the benchmark's claim as a test, with one thread:
// a hundredfold graph takes no more allocations than what differs between plans.
func TestAllocationDoesNotGrow(t *testing.T) {
	allocations := map[string][]float64{}
	for _, n := range []int{graphSizes[0], graphSizes[len(graphSizes)-1]} {
		s := openGraph(t, n)
		if _, _, err := s.try("SET trireme.threads = 1"); err != nil {
			t.Fatal(err)
		}
		for _, st := range growingStatements {
			allocations[st.name] = append(allocations[st.name], testing.AllocsPerRun(3, func() {
				if _, _, err := s.try(st.sql); err != nil {
					t.Error(err)
				}
			}))
		}
	}
	for name, n := range allocations {
		if t.Logf("%s: %v allocations", name, n); n[1] > n[0]+differentPlan {
			t.Errorf("%s: %v allocations on the small graph, %v on the large one", name, n[0], n[1])
		}
	}
}
