package engine

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// autoTables makes tables that are large enough for auto to decide: keys that are
// looked up, and values that multiply rows.
func autoTables(s testSession) {
	s.run("CREATE TABLE fact AS SELECT (i * 7919) % 1000 AS k, (i * 104729) % 500 AS m, i % 7 AS x FROM range(120000) r(i)")
	s.run("CREATE TABLE dim AS SELECT i AS k, 'g' || (i % 5) AS g FROM range(1000) r(i)")
}

const (
	autoLookup   = "SELECT dim.g, sum(fact.x) FROM fact JOIN dim ON fact.k = dim.k GROUP BY dim.g ORDER BY 1"
	autoMultiply = "SELECT count(*) FROM fact a JOIN fact b ON a.m = b.m JOIN fact c ON b.k = c.k"
	autoRoute    = "SELECT count(*) FROM fact"
)

// remember gives a statement a history as executions would.
func remember(t *testing.T, e *Engine, sql string, f func(*history)) {
	t.Helper()
	r := e.tensor.(*route).rule
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, at := range r.entries {
		if strings.HasPrefix(key, sql+"\x00") {
			f(&at.Value.(*autoEntry).history)
			return
		}
	}
	t.Fatalf("%s is not remembered", sql)
}

func rememberAll(e *Engine, f func(*history)) {
	r := e.tensor.(*route).rule
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.entries {
		f(&at.Value.(*autoEntry).history)
	}
}

// TestAutoGoesWhereItIsFaster: auto answers large tables by what it knows, and
// says so; other backends are not asked.
func TestAutoGoesWhereItIsFaster(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	autoTables(s)
	s.run("SET trireme.backend = 'native'")
	want := s.run(autoLookup)
	s.run("SET trireme.backend = 'auto'")
	answer := func(sql, by string) string {
		t.Helper()
		got := s.run(sql)
		if s.LastBackend() != by {
			t.Errorf("%s answered by %s, want %s", sql, s.LastBackend(), by)
		}
		return got
	}
	answer(autoMultiply, "native")
	answer("SELECT x, count(*) FROM fact GROUP BY x", "duckdb")
	s.run("EXPLAIN " + autoLookup)
	const ages = 1e12 // so that nothing is cancelled here
	remember(t, e, autoLookup, func(h *history) { h.duck, h.cold = 1, ages })
	if got := answer(autoLookup, "duckdb"); got != want {
		t.Errorf("DuckDB answers %s, native %s", got, want)
	}
	if text := s.run("EXPLAIN " + autoLookup); !strings.Contains(text, "reason: DuckDB is estimated to be faster (native ") || !strings.Contains(text, "with loading, DuckDB ") {
		t.Errorf("EXPLAIN says %s", text)
	}
	remember(t, e, autoLookup, func(h *history) {
		if h.duck <= 1 || h.spent == 0 {
			t.Errorf("DuckDB's time was not noted: %+v", h)
		}
		h.duck = ages
	})
	if got := answer(autoLookup, "native"); got != want {
		t.Errorf("native answers %s, before %s", got, want)
	}
	remember(t, e, autoLookup, func(h *history) {
		if h.cold == ages || !h.bought {
			t.Errorf("native's time was not noted: %+v", h)
		}
	})
	s.run("INSERT INTO dim VALUES (5000, 'g0')")
	remember(t, e, autoLookup, func(h *history) { h.duck, h.cold = 1, ages })
	answer(autoLookup, "duckdb")
}

// TestAutoSmallTables: below the size nothing is estimated, and native begins.
func TestAutoSmallTables(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE fact AS SELECT i % 10 AS k, i AS x FROM range(1000) r(i)")
	s.run("CREATE TABLE dim AS SELECT i AS k, 'g' || i AS g FROM range(10) r(i)")
	s.run(autoLookup)
	if by := s.LastBackend(); by != "native" {
		t.Errorf("answered by %s", by)
	}
	remember(t, e, autoLookup, func(h *history) {
		if h.cold == 0 || !h.bought || h.coldMore {
			t.Errorf("native's time was not noted: %+v", h)
		}
	})
}

// TestAutoKeepsNulls: where DuckDB loses NULLs (its zone maps know nothing of IS
// DISTINCT FROM under OR), auto does not ask it, however small or large the table.
func TestAutoKeepsNulls(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE few AS SELECT NULL::INTEGER AS k, i AS x FROM range(3) r(i)")
	s.run("CREATE TABLE many AS SELECT CASE WHEN i = 300000 THEN 7 END AS k, i % 10 AS x FROM range(300001) r(i)")
	const condition = " WHERE k > 1 OR k IS DISTINCT FROM 0"
	for sql, want := range map[string]string{
		"SELECT count(*) FROM few" + condition:                                                                "3",
		"SELECT count(*) FROM many" + condition:                                                               "300001",
		"SELECT max(n) FROM (SELECT x, count(*) AS n FROM many" + condition + " GROUP BY x)":                  "30001",
		"SELECT sum(n) OVER () FROM (SELECT k, count(*) AS n FROM few" + condition + " GROUP BY k) q":         "3",
		"SELECT count(*) FROM many m JOIN few f ON m.x = f.x" + strings.ReplaceAll(condition, " k ", " m.k "): "90001",
	} {
		for range 3 { // by what it knows of the statement, too
			if got := s.run(sql); got != want || s.LastBackend() == "duckdb" {
				t.Errorf("%s: %s answered by %s, want %s", sql, got, s.LastBackend(), want)
			}
		}
	}
}

// A table function is rows, as a table is: without a join nothing is gained by
// loading what may have no end.
func TestAutoLeavesTableFunctions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET trireme.backend = 'auto'")
	for sql, by := range map[string]string{
		"SELECT count(*) FROM range(100) r(i) WHERE i % 3 = 1":                           "duckdb",
		"SELECT count(DISTINCT i), sum(i * i) FROM range(100) r(i)":                      "duckdb",
		"SELECT max(n) FROM (SELECT i % 9, count(*) AS n FROM range(9) r(i) GROUP BY 1)": "native",
	} {
		if s.run(sql); s.LastBackend() != by {
			t.Errorf("%s answered by %s, want %s", sql, s.LastBackend(), by)
		}
	}
}

// TestAutoLosesPatience: DuckDB is cancelled before its first row, native
// answers, and the session goes on.
func TestAutoLosesPatience(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	autoTables(s)
	ctx := context.Background()
	p, err := s.Prepare(ctx, autoMultiply, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := p.stmt.(*routed)
	d, err := r.decide(ctx, nil)
	if err != nil || d == nil {
		t.Fatal(d, err)
	}
	d.patience = 1 // over before DuckDB begins
	out, by, err := d.tryDuck(ctx, func(ctx context.Context) (outcome, error) {
		<-ctx.Done()
		return r.executeDuck(ctx, nil)
	}, inTurn)
	if by != byNobody || err != nil || out.cursor != nil {
		t.Fatalf("%v %v %v", out, by, err)
	}
	remember(t, e, autoMultiply, func(h *history) {
		if !h.duckMore || h.duck == 0 {
			t.Errorf("%+v", h)
		}
	})
	s.run(autoMultiply)
	if by := s.LastBackend(); by != "native" {
		t.Errorf("answered by %s", by)
	}
	d.patience = time.Hour // long enough
	out, by, err = d.tryDuck(ctx, func(ctx context.Context) (outcome, error) {
		return s.duckOutcome(ctx, autoRoute)
	}, inTurn)
	if by != byDuckDB || err != nil {
		t.Fatal(by, err)
	}
	b, err := out.cursor.Next(ctx)
	if err != nil || b == nil || b.Cols[0].I64[0] != 120000 {
		t.Errorf("%v %v", b, err)
	}
	if b, err = out.cursor.Next(ctx); b != nil || err != nil {
		t.Errorf("after the last row: %v %v", b, err)
	}
	if err := out.cursor.Close(); err != nil {
		t.Error(err)
	}
	d.duck, d.patience = false, 1
	out, ok, err := d.tryNative(ctx, func(ctx context.Context) (outcome, error) {
		<-ctx.Done()
		return (&onTensors{routed: r}).execute(ctx)
	})
	if ok || err != nil || out.cursor != nil {
		t.Errorf("native went on: %v %v", out, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// duckOutcome executes a text on the session's connection.
func (s testSession) duckOutcome(ctx context.Context, sql string) (outcome, error) {
	cur, err := s.conn.Query(ctx, sql)
	if err != nil {
		return outcome{}, err
	}
	return outcome{cursor: cur}, nil
}

// TestAutoForgets: the statements that were executed last are kept, and anew when
// their tables have grown.
func TestAutoForgets(t *testing.T) {
	r := newAutoRule(slog.Default(), 0)
	first := r.entry("first", 17)
	first.history.duck = 1
	if r.entry("first", 17).history.duck != 1 {
		t.Error("it was forgotten at once")
	}
	if r.entry("first", 18).history.duck != 0 {
		t.Error("it was kept for larger tables")
	}
	for i := range autoEntriesMax {
		r.entry(strings.Repeat("x", i+1), 17)
	}
	if _, ok := r.entries["first"]; ok || len(r.entries) != autoEntriesMax {
		t.Errorf("%d statements are remembered", len(r.entries))
	}
}

// TestAutoRemembersTexts: a text that DuckDB answers sooner goes there before it is
// bound, and to native where DuckDB does not end in time.
func TestAutoRemembersTexts(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	autoTables(s)
	ctx := context.Background()
	prepare := func(sql string) statement {
		t.Helper()
		p, err := s.Prepare(ctx, sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		return p.stmt
	}
	if _, ok := prepare(autoLookup).(*routed); !ok {
		t.Error("a text that was never executed is remembered")
	}
	s.run("SET trireme.backend = 'native'")
	want := s.run(autoMultiply)
	s.run("SET trireme.backend = 'auto'")
	s.run("EXPLAIN " + autoMultiply)
	remember(t, e, autoMultiply, func(h *history) { h.duck, h.cold = 1, 2 }) // DuckDB has patienceMin
	stmt, ok := prepare(autoMultiply).(*remembered)
	if !ok {
		t.Fatal("a text that DuckDB answers sooner is not remembered")
	}
	if got := s.run(autoMultiply); got != want || s.LastBackend() != "native" || stmt.whole != nil {
		t.Errorf("%s by %s, want %s", got, s.LastBackend(), want)
	}
	remember(t, e, autoMultiply, func(h *history) {
		if !h.duckMore || h.duck < float64(patienceMin) || !h.bought {
			t.Errorf("history %+v", h)
		}
	})
	if _, ok := prepare(autoMultiply).(*routed); !ok {
		t.Error("a text that native answers sooner is remembered as DuckDB's")
	}
	const typed = "SELECT count(*) FROM fact a JOIN fact b ON a.m = b.m WHERE a.x < $1"
	parameter := []rows.Type{{ID: rows.Integer}}
	for range 2 {
		p, err := s.Prepare(ctx, typed, parameter)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Execute(ctx, []Arg{{Text: "1"}})
		if err == nil {
			err = errors.Join(res.Close(), p.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rememberAll(e, func(h *history) { *h = history{duck: 1, cold: 2} }) // whoever was faster here
	p, err := s.Prepare(ctx, typed, parameter)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.stmt.(*remembered); !ok || p.Params()[0].ID != rows.Integer {
		t.Errorf("a text with a typed parameter is not remembered: %T of %v", p.stmt, p.Params())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for range 2 { // the first time it is not bound
		s.run("SELECT x, count(*) FROM fact GROUP BY x")
	}
	if _, ok := prepare("SELECT x, count(*) FROM fact GROUP BY x").(*remembered); !ok {
		t.Error("a text that is never native's is not remembered")
	}
	s.run("DROP TABLE fact")
	s.wantError("SELECT x, count(*) FROM fact GROUP BY x", sqlerr.UndefinedTable)
}

// TestAutoBindsBesideDuckDB: a new text over large tables begins on DuckDB before
// it is bound, and is bound beside it; what DuckDB ends soon never is.
func TestAutoBindsBesideDuckDB(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	autoTables(s)
	if s.run(autoLookup); s.LastBackend() != "duckdb" {
		t.Errorf("answered by %s", s.LastBackend())
	}
	ctx := context.Background()
	rule := e.tensor.(*route).rule
	rule.begin(autoLookup+" LIMIT 9", 119*ms, false)
	if !rule.isNew(autoLookup + " LIMIT 9") {
		t.Error("a text that ended soon is bound first")
	}
	if rule.begin(autoLookup+" LIMIT 9", ms, false); rule.isNew(autoLookup + " LIMIT 9") {
		t.Error("a text that has cost as much as loading is not bound first")
	}
	const windowed = "SELECT n, rank() OVER (ORDER BY n) FROM (SELECT a.x, count(*) AS n FROM fact a JOIN fact b ON a.m = b.m JOIN fact c ON b.k = c.k GROUP BY a.x) q ORDER BY n"
	for sql, bound := range map[string]string{
		autoMultiply: "routed",
		windowed:     "hosted",
		"SELECT list(x) FROM (SELECT * FROM fact LIMIT 3) q":                                                      "duckdb",
		"SELECT count(*) FROM dim JOIN dim d2 USING (k)":                                                          "at once", // small
		"WITH RECURSIVE r(k) AS (SELECT 1 UNION SELECT m FROM r JOIN fact f ON f.k = r.k) SELECT count(*) FROM r": "at once",
	} {
		p, err := s.Prepare(ctx, sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := p.stmt.(*remembered)
		if bound == "at once" {
			if ok {
				t.Errorf("not bound: %s", sql)
			}
			continue
		}
		if !ok || r.whole != nil {
			t.Fatalf("%T for %s", p.stmt, sql)
		}
		d := r.begin(nil)
		known, err := d.bound(ctx)
		if err != nil || known != (bound != "duckdb") {
			t.Errorf("%v, %v for %s", known, err, sql)
		}
		got := "duckdb"
		switch r.whole.(type) {
		case *routed:
			got = "routed"
		case *hosted:
			got = "hosted"
		}
		if got != bound {
			t.Errorf("%s is %s, want %s", sql, got, bound)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAutoMovesUnbound: DuckDB is cancelled in the first execution of a text, which
// was bound meanwhile, and native answers.
func TestAutoMovesUnbound(t *testing.T) {
	s := openSession(t, openEngine(t))
	autoTables(s)
	s.run(autoLookup)
	s.run("INSERT INTO fact SELECT 1, 1, 1 FROM range(3000)") // 10^10 rows of the join below
	for _, sql := range []string{
		autoMultiply,
		"SELECT n, rank() OVER (ORDER BY n) FROM (SELECT a.x, count(*) AS n FROM fact a JOIN fact b ON a.m = b.m JOIN fact c ON b.k = c.k GROUP BY a.x) q ORDER BY n",
	} {
		got := s.run(sql)
		if by := s.LastBackend(); !strings.Contains(by, "native") {
			t.Errorf("answered by %s: %s", by, sql)
		}
		s.run("SET trireme.backend = 'native'")
		if want := s.run(sql); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		s.run("SET trireme.backend = 'auto'")
	}
}

// TestAutoBeginsOnDuckDB: over small tables, too, a new text begins on DuckDB without being bound,
// is bound the next time, and has native load once it has been executed often.
func TestAutoBeginsOnDuckDB(t *testing.T) {
	ctx := context.Background()
	e, err := Open(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	s := openSession(t, e)
	s.run("CREATE TABLE fact AS SELECT i % 10 AS k, i AS x FROM range(1000) r(i)")
	s.run("CREATE TABLE dim AS SELECT i AS k, 'g' || i AS g FROM range(10) r(i)")
	s.run("SET trireme.backend = 'duckdb'")
	want := s.run(autoLookup)
	s.run("SET trireme.backend = 'auto'")
	prepared := func() statement {
		t.Helper()
		p, err := s.Prepare(ctx, autoLookup, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		return p.stmt
	}
	if r, ok := prepared().(*remembered); !ok || r.whole != nil {
		t.Errorf("a new text is bound: %T", r)
	}
	e.tensor.(*route).rule.begin(autoLookup, ms, false) // it has ended soon
	if r, ok := prepared().(*routed); !ok {
		t.Errorf("a text that was executed is not bound: %T", r)
	}
	if plan := withoutFigures(s.run("EXPLAIN " + autoLookup)); !strings.Contains(plan, "backend: duckdb;reason: DuckDB is estimated to be faster (native 3.000 ms with loading, DuckDB 1.000 ms)") {
		t.Errorf("EXPLAIN says %s", plan)
	}
	remember(t, e, autoLookup, func(h *history) {
		if *h != (history{duck: ms, spent: ms}) {
			t.Errorf("the execution before it was bound is not known: %+v", h)
		}
		h.duck, h.spent = 1e9, 100e9 // it has taken long, and native may
	})
	if plan := withoutFigures(s.run("EXPLAIN " + autoLookup)); !strings.Contains(plan, "backend: native;reason: the tensor engine is expected to be faster") {
		t.Errorf("EXPLAIN says %s", plan)
	}
	if got := s.run(autoLookup); got != want || s.LastBackend() != "native" {
		t.Errorf("%s by %s, want %s", got, s.LastBackend(), want)
	}
}
