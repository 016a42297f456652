package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/bench"
	"github.com/trireme-db/trireme/engine"
)

// suiteOver is a suite over a table made by SQL.
func suiteOver(sql string, cases ...bench.Case) *bench.Suite {
	for i := range cases {
		cases[i].Data = "t"
	}
	return &bench.Suite{Name: "test", Timeout: time.Minute, Cases: cases, Data: []bench.Dataset{{Name: "t", Load: func(ctx context.Context, db *bench.Database) error {
		return db.Exec(ctx, sql)
	}}}}
}

// Statements that go over the wire give the answers that others give, of all types.
func TestBenchWire(t *testing.T) {
	suite := suiteOver("CREATE TABLE t AS SELECT i % 3 AS k, nullif(i, 4) AS i, i / 7.0::DOUBLE AS x, 'n' || i AS s FROM range(9) r(i); SELECT 1",
		bench.Case{Name: "groups", SQL: "SELECT a.k, sum(a.i), sum(a.x), min(a.s), avg(b.i) FROM t a JOIN t b ON a.k = b.k GROUP BY a.k"},
		bench.Case{Name: "padded", SQL: "SELECT a.k, max(b.x), count(b.k) FROM t a LEFT JOIN t b ON a.i = b.i + 7 GROUP BY a.k"},
		bench.Case{Name: "one", Want: "27", SQL: "SELECT count(*) FROM t a JOIN t b ON a.k = b.k"},
		bench.Case{Name: "listing", SQL: "SELECT i FROM t ORDER BY i LIMIT 2"})
	report, err := bench.Run(t.Context(), suite, bench.Config{
		Backends: []engine.Backend{engine.Native, engine.Decomposed, engine.DuckDB}, Threads: 1, Runs: 2, Listen: listenLoopback,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	for _, c := range report.Cases {
		for _, m := range c.Measured {
			refused := c.Name == "listing" && m.Variant.Backend != engine.DuckDB
			if refused != (m.Refused != "") || refused != (len(m.Runs) == 0) {
				t.Errorf("%s: %+v", c.Name, m)
			}
		}
	}
	for i, want := range []string{"3 rows", "3 rows", "27", "2 rows"} {
		if got := report.Cases[i].Answer; got != want {
			t.Errorf("%s: %s, want %s", report.Cases[i].Name, got, want)
		}
	}
	out := new(strings.Builder)
	if err := report.Print(out); err != nil || !strings.Contains(out.String(), "over the Postgres wire protocol") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A timeout cancels the statement over the wire, and the connection goes on.
func TestBenchWireTimeout(t *testing.T) {
	suite := suiteOver("CREATE TABLE t AS SELECT 1 AS k FROM range(30000)",
		bench.Case{Name: "endless", Timeout: time.Second, SQL: "SELECT count(*) FROM t a, t b, t c, t d WHERE a.k = b.k AND b.k = c.k AND c.k = d.k"},
		bench.Case{Name: "short", SQL: "SELECT count(*) FROM t"})
	report, err := bench.Run(t.Context(), suite, bench.Config{Backends: []engine.Backend{engine.DuckDB}, Threads: 1, Runs: 1, Listen: listenLoopback})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	if first, second := report.Cases[0].Measured[0], report.Cases[1].Measured[0]; first.Timeouts != 1 || len(second.Runs) != 1 {
		t.Errorf("%+v\n%+v", first, second)
	}
}

func TestBenchVariants(t *testing.T) {
	out, err := trireme(t, "", "bench", "subgraph", "--graph", graphDir(t, "1"), "--runs", "1", "--threads", "1", "--estimator", "chain", "--optimizer", "greedy",
		"--wire", "--plan-anew")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"native 1 estimator=chain", "native 1 optimizer=greedy", "wire protocol", "Every execution makes its plan"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
