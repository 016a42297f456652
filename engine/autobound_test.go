package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

// TestAutoSmall: who answers over small tables, by what is known of a statement.
func TestAutoSmall(t *testing.T) {
	for _, c := range []struct {
		name     string
		history  history
		duck     bool
		patience float64 // in ms
	}{
		{"nothing known", history{}, true, 25},
		{"DuckDB did not end", history{duck: 25 * ms, duckMore: true}, false, 50},
		{"DuckDB is quick", history{duck: 1 * ms, spent: 1 * ms}, true, 25},
		{"DuckDB is quick, and was asked often", history{duck: 1 * ms, spent: 12 * ms}, false, 3.4},
		{"DuckDB is very quick, and was asked often", history{duck: 0.9 * ms, spent: 12 * ms}, true, 25},
		{"DuckDB takes long", history{duck: 30 * ms}, false, 15},
		{"native measured", history{bought: true, cold: 5 * ms, warm: 2 * ms}, true, 5},
		{"native was stopped", history{cold: 4 * ms, coldMore: true}, true, 0},
		{"native was stopped, DuckDB took little longer", history{cold: 4 * ms, coldMore: true, duck: 9 * ms}, true, 0},
		{"native was stopped, DuckDB takes long", history{cold: 4 * ms, coldMore: true, duck: 100 * ms}, false, 43},
		{"it was stopped again", history{cold: 43 * ms, coldMore: true, duck: 100 * ms}, true, 0},
		{"but DuckDB has been asked often since", history{cold: 43 * ms, coldMore: true, duck: 100 * ms, spent: 700 * ms}, false, 43},
		{"DuckDB takes much longer now", history{cold: 50 * ms, coldMore: true, duck: 300 * ms}, false, 123},
		{"DuckDB timed out", history{cold: 50 * ms, coldMore: true, duck: 9000 * ms, duckMore: true}, false, 3603},
		{"both measured, native is faster", history{bought: true, cold: 90 * ms, warm: 20 * ms, duck: 30 * ms}, false, 35},
		{"both measured, DuckDB is faster", history{bought: true, cold: 90 * ms, warm: 40 * ms, duck: 30 * ms}, true, 240},
		{"both measured, tables have changed", history{cold: 40 * ms, warm: 20 * ms, duck: 30 * ms}, true, 240},
	} {
		got := c.history.chooseSmall(0, false)
		if got.duck != c.duck || got.patience != time.Duration(c.patience*ms) || got.reason() == "" {
			t.Errorf("%s: DuckDB %v for %s, want %v for %v ms (%s)", c.name, got.duck, got.patience, c.duck, c.patience, got.reason())
		}
	}
	for recursive, duck := range map[bool]bool{true: true, false: false} {
		if got := new(history).chooseSmall(time.Second, recursive); got.duck != duck || !duck && got.patience != time.Second {
			t.Errorf("with time for native first, recursive %v: %+v", recursive, got)
		}
	}
}

// TestAutoBoundsLargeTables: native is bounded by its estimate, or by DuckDB's time where
// that is known.
func TestAutoBoundsLargeTables(t *testing.T) {
	for _, c := range []struct {
		name     string
		history  history
		native   float64
		patience float64
	}{
		{"DuckDB's time is not known", history{}, 100 * ms, 300},
		{"it was cancelled", history{duck: 600 * ms, duckMore: true}, 100 * ms, 300},
		{"little is expected", history{}, 1 * ms, 50},
		{"native is estimated", history{duck: 300 * ms}, 100 * ms, 123},
		{"native is estimated and DuckDB quick", history{duck: 3 * ms}, 1 * ms, 4.2},
		{"native is estimated at half of DuckDB's time", history{duck: 300 * ms}, 150 * ms, 123},
		{"native has loaded, and is estimated", history{duck: 300 * ms, cold: 200 * ms, bought: true}, 150 * ms, 150},
		{"native is measured", history{duck: 300 * ms, cold: 100 * ms}, 100 * ms, 200},
		{"native is measured at little less than DuckDB", history{duck: 300 * ms, cold: 250 * ms}, 250 * ms, 373},
	} {
		got := c.history.bounded(choice{native: c.native, other: c.history.duck})
		if got.duck || got.patience != time.Duration(c.patience*ms) {
			t.Errorf("%s: %+v, want %v ms", c.name, got, c.patience)
		}
	}
}

// TestAutoNotesStopped: a measured time moves towards one at which native was stopped,
// so that a busy machine does not end it.
func TestAutoNotesStopped(t *testing.T) {
	var h history
	h.noteStopped(4 * ms)
	h.noteStopped(3 * ms)
	if h.cold != 4*ms || !h.coldMore {
		t.Errorf("stopped twice: %+v", h)
	}
	h.noteNative(20 * ms)
	if h.cold != 20*ms || h.coldMore || !h.bought {
		t.Errorf("then ended: %+v", h)
	}
	h.noteNative(10 * ms)
	h.noteStopped(20 * ms)
	if h.warm != 15*ms || h.warmMore {
		t.Errorf("stopped later: %+v", h)
	}
	if h.noteStopped(2 * ms); h.warm != 15*ms {
		t.Errorf("cancelled soon: %+v", h)
	}
}

// hurried is a session in which native has no time for what is new.
func hurried(t *testing.T) (*Engine, testSession) {
	t.Helper()
	e := openConfig(t, Config{FirstPatience: 1})
	s := openSession(t, e)
	s.run("CREATE TABLE fact AS SELECT i % 10 AS k, i AS x FROM range(1000) r(i)")
	s.run("CREATE TABLE dim AS SELECT i AS k, 'g' || i AS g FROM range(10) r(i)")
	return e, s
}

// TestAutoGivesUp: native is stopped over small tables, in a transaction too, DuckDB answers, and
// that is remembered.
func TestAutoGivesUp(t *testing.T) {
	for _, begin := range []string{"", "BEGIN"} {
		e, s := hurried(t)
		s.run("SET trireme.backend = 'native'")
		want := s.run(autoLookup)
		s.run("SET trireme.backend = 'auto'")
		s.run(begin)
		if plan := withoutFigures(s.run("EXPLAIN " + autoLookup)); !strings.Contains(plan, "backend: native;reason: nothing is known") {
			t.Errorf("EXPLAIN says %s", plan)
		}
		if got := s.run(autoLookup); got != want || s.LastBackend() != "duckdb" {
			t.Errorf("%s by %s, want %s", got, s.LastBackend(), want)
		}
		remember(t, e, autoLookup, func(h *history) {
			if !h.coldMore || h.cold == 0 || h.duck == 0 || h.duckMore {
				t.Errorf("history %+v", h)
			}
			h.cold, h.duck = 1, 1e12
		})
		if plan := withoutFigures(s.run("EXPLAIN " + autoLookup)); !strings.Contains(plan, "backend: native;reason: the tensor engine is tried for longer") {
			t.Errorf("EXPLAIN says %s", plan)
		}
		if got := s.run(autoLookup); got != want || s.LastBackend() != "native" {
			t.Errorf("%s by %s, want %s", got, s.LastBackend(), want)
		}
		remember(t, e, autoLookup, func(h *history) {
			if h.coldMore || !h.bought {
				t.Errorf("history %+v", h)
			}
			h.bought, h.cold, h.coldMore, h.duck = false, 1e12, true, 1
		})
		if plan := withoutFigures(s.run("EXPLAIN " + autoLookup)); !strings.Contains(plan, "backend: duckdb;reason: the tensor engine was stopped after ") {
			t.Errorf("EXPLAIN says %s", plan)
		}
		if got := s.run(autoLookup); got != want || s.LastBackend() != "duckdb" {
			t.Errorf("%s by %s, want %s", got, s.LastBackend(), want)
		}
	}
}

// TestAutoGivesUpBlocks: the same of blocks of DuckDB's statements, and of recursions.
func TestAutoGivesUpBlocks(t *testing.T) {
	for _, begin := range []string{"", "BEGIN"} {
		e, s := hurried(t)
		s.run(begin)
		for _, sql := range []string{
			"SELECT g, rank() OVER (ORDER BY n) FROM (SELECT dim.g, count(*) AS n FROM fact JOIN dim ON fact.k = dim.k GROUP BY dim.g) q ORDER BY 1",
			"WITH RECURSIVE r(k) AS (SELECT 1 UNION SELECT f.k + 1 FROM r JOIN fact f ON f.k = r.k WHERE f.k < 8) SELECT count(*) FROM r",
		} {
			s.run("SET trireme.backend = 'native'")
			want := s.run(sql)
			s.run("SET trireme.backend = 'auto'")
			for range 3 {
				if got := s.run(sql); got != want {
					t.Errorf("%s by %s, want %s", got, s.LastBackend(), want)
				}
			}
			remember(t, e, sql, func(h *history) {
				if h.duck == 0 {
					t.Errorf("%s: history %+v", sql, h)
				}
			})
		}
	}
}

// decider prepares a statement that auto decides.
func (s testSession) decider(sql string) func() *decision {
	s.t.Helper()
	ctx := context.Background()
	p, err := s.Prepare(ctx, sql, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return func() *decision {
		s.t.Helper()
		d, err := p.stmt.(*routed).decide(ctx, nil)
		if err != nil {
			s.t.Fatal(err)
		}
		return d
	}
}

// TestAutoRemembersCancelled: what is known of a statement is noted when a client
// cancels it, too, before the first row and after it.
func TestAutoRemembersCancelled(t *testing.T) {
	e, s := hurried(t)
	decided := s.decider(autoLookup)
	wantHistory := func(what string, ok func(h *history) bool) {
		t.Helper()
		remember(t, e, autoLookup, func(h *history) {
			if !ok(h) {
				t.Errorf("%s: history %+v", what, h)
			}
			*h = history{}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	begins := func(context.Context) (outcome, error) {
		return outcome{cursor: &begunCursor{Cursor: neverEnding{}, first: &rows.Batch{N: 1}, held: true}}, nil
	}
	d := decided()
	d.patience = 0
	for what, native := range map[string]side{"native": waiting, "native's rows": begins} {
		out, _, err := d.tryNative(ctx, native)
		if err == nil {
			for err == nil {
				_, err = out.cursor.Next(ctx)
			}
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
		wantHistory(what, func(h *history) bool { return h.coldMore && h.cold > 0 && h.duck == 0 })
	}
	for what, duck := range map[string]side{"DuckDB": waiting, "DuckDB's rows": begins} {
		out, err := d.duckAlone(ctx, duck)
		for err == nil {
			_, err = out.cursor.Next(ctx)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
		wantHistory(what, func(h *history) bool { return h.duckMore && h.duck > 0 && h.cold == 0 })
	}
}

// neverEnding is a cursor that goes on until it is cancelled.
type neverEnding struct{ rows.Cursor }

func (neverEnding) Next(ctx context.Context) (*rows.Batch, error) { return nil, ctx.Err() }

// waiting is a side that goes on until it is cancelled.
func waiting(ctx context.Context) (outcome, error) {
	<-ctx.Done()
	return outcome{}, context.Canceled
}

// TestAutoBeside: who has the first row answers, and the other side is cancelled.
func TestAutoBeside(t *testing.T) {
	e, s := hurried(t)
	ctx := context.Background()
	decided := s.decider(autoLookup)
	racing := func(native side) (*decision, func() turn) {
		d := decided()
		d.duck, d.patience, d.mayCancel = true, 1, true
		return d, func() turn { return turn{beside: native} }
	}
	answers := func(context.Context) (outcome, error) { return outcome{cursor: newTextCursor("x", []string{"1"})}, nil }
	fails := func(context.Context) (outcome, error) { return outcome{}, errors.New("fails") }
	panics := func(context.Context) (outcome, error) { panic("native") }
	refuses := func(context.Context) (outcome, error) { return outcome{}, &errRefused{"unknown"} }
	for _, c := range []struct {
		name         string
		duck, native side
		by           who
		err          string
	}{
		{"DuckDB first", answers, waiting, byDuckDB, ""},
		{"native first", waiting, answers, byTensors, ""},
		{"native fails", answers, fails, byDuckDB, ""},
		{"native panics", answers, panics, byDuckDB, ""},
		{"native refuses", answers, refuses, byDuckDB, ""},
		{"DuckDB fails", fails, waiting, byDuckDB, "fails"},
		{"native cannot run beside", waiting, nil, byNobody, ""},
	} {
		d, native := racing(c.native)
		if c.native == nil {
			native = inTurn
		}
		out, by, err := d.tryDuck(ctx, c.duck, native)
		if by != c.by || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: by %v, error %v", c.name, by, err)
		}
		if err == nil && by != byNobody {
			if n, err := drained(ctx, ctx, out.cursor); err != nil || n != 1 {
				t.Errorf("%s: %v %v", c.name, n, err)
			}
		}
	}
	remember(t, e, autoLookup, func(h *history) {
		if h.duck == 0 || h.cold == 0 {
			t.Errorf("history %+v", h)
		}
	})
	ended, cancel := context.WithCancel(ctx)
	cancel()
	d, native := racing(waiting)
	if _, by, err := d.tryDuck(ended, waiting, native); by != byDuckDB || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled by the client: by %v, %v", by, err)
	}
}

// TestAutoRaceEnds: native is stopped at its limit, while DuckDB goes on.
func TestAutoRaceEnds(t *testing.T) {
	_, s := hurried(t)
	d := s.decider(autoLookup)()
	d.duck, d.beside, d.limit, d.mayCancel = true, true, time.Millisecond, true
	stopped := make(chan struct{})
	native := func(ctx context.Context) (outcome, error) {
		defer close(stopped)
		return waiting(ctx)
	}
	duck := func(context.Context) (outcome, error) {
		<-stopped
		return outcome{cursor: newTextCursor("x", []string{"1"})}, nil
	}
	out, by, err := d.tryDuck(context.Background(), duck, func() turn { return turn{beside: native} })
	if by != byDuckDB || err != nil {
		t.Fatalf("by %v, %v", by, err)
	}
	if n, err := drained(context.Background(), context.Background(), out.cursor); err != nil || n != 1 {
		t.Error(n, err)
	}
}

// TestAutoBoundsAnalyze: EXPLAIN ANALYZE has the bounds of the statement, and says who gave up;
// what it took is not noted.
func TestAutoBoundsAnalyze(t *testing.T) {
	e, s := hurried(t)
	for _, sql := range []string{
		autoLookup,
		"SELECT g, rank() OVER (ORDER BY n) FROM (SELECT dim.g, count(*) AS n FROM fact JOIN dim ON fact.k = dim.k GROUP BY dim.g) q",
	} {
		for _, begin := range []string{"", "BEGIN", "COMMIT"} {
			s.run(begin)
			plan := s.run("EXPLAIN ANALYZE " + sql)
			if !strings.Contains(plan, "backend: duckdb;reason: the tensor engine has not answered within 0.000 ms") || !strings.Contains(plan, "Total Time") {
				t.Errorf("EXPLAIN ANALYZE says %s", plan)
			}
		}
		if doc := s.run("EXPLAIN (ANALYZE, FORMAT JSON) " + sql); !strings.Contains(doc, `"reason": "the tensor engine has not answered`) {
			t.Errorf("EXPLAIN ANALYZE says %s", doc)
		}
		remember(t, e, sql, func(h *history) {
			if *h != (history{}) {
				t.Errorf("history %+v", h)
			}
			h.cold, h.duck, h.duckMore = 1e12, 1, true // DuckDB is tried for long
		})
		if plan := s.run("EXPLAIN ANALYZE " + sql); !strings.HasPrefix(plan, "backend: native") {
			t.Errorf("EXPLAIN ANALYZE says %s", plan)
		}
	}
}

// TestAutoAnalyzesInTurn: where DuckDB does not end in its time, native is analyzed, and DuckDB
// again where that does not either.
func TestAutoAnalyzesInTurn(t *testing.T) {
	_, s := hurried(t)
	ctx := context.Background()
	x := &explain{session: s.Session, body: autoLookup, opt: ExplainOptions{Analyze: true}}
	for _, c := range []struct {
		then time.Duration
		want string
	}{
		{time.Hour, "backend: native\nreason: DuckDB has not answered within 0.000 ms\n"},
		{1, "backend: duckdb\nreason: the tensor engine has not answered within 0.000 ms\n"},
	} {
		text, err := x.inTurn(ctx, &errDecided{why: "of this", patience: 1, then: c.then})
		if err != nil || !strings.HasPrefix(text, c.want) {
			t.Errorf("%v, %s", err, text)
		}
	}
	if text, err := x.inTurn(ctx, &errDecided{why: "of this", patience: time.Hour}); err != nil || !strings.HasPrefix(text, "backend: duckdb\nreason: of this\n") {
		t.Errorf("%v, %s", err, text)
	}
}

// TestAutoNotesOwnTime: DuckDB's time does not include that in which native stops.
func TestAutoNotesOwnTime(t *testing.T) {
	e, s := hurried(t)
	d := s.decider(autoLookup)()
	d.duck, d.patience, d.mayCancel = true, 1, true
	begun, stopped := make(chan struct{}), time.Duration(0)
	slow := func(ctx context.Context) (outcome, error) {
		close(begun)
		<-ctx.Done()
		started := time.Now()
		for time.Since(started) < 20*time.Millisecond { // it does not stop at once
			time.Sleep(time.Millisecond)
		}
		stopped = time.Since(started)
		return outcome{}, context.Canceled
	}
	duck := func(context.Context) (outcome, error) {
		<-begun
		return outcome{cursor: newTextCursor("x", []string{"1"})}, nil
	}
	started := time.Now()
	out, by, err := d.tryDuck(context.Background(), duck, func() turn { return turn{beside: slow} })
	all := time.Since(started)
	if by != byDuckDB || err != nil {
		t.Fatal(by, err)
	}
	if _, err := drained(context.Background(), context.Background(), out.cursor); err != nil {
		t.Fatal(err)
	}
	remember(t, e, autoLookup, func(h *history) {
		if h.duck == 0 || h.duck > float64(all-stopped)+float64(time.Since(started)-all) {
			t.Errorf("DuckDB's time is %v of %s, of which native took %s to stop", h.duck, all, stopped)
		}
	})
}

// TestAutoTakesTurns: what needs the session's connection does not run beside DuckDB.
func TestAutoTakesTurns(t *testing.T) {
	e, s := hurried(t)
	for sql, want := range map[string]bool{
		autoLookup: false,
		"SELECT count(*) FROM fact JOIN dim ON fact.k = dim.k WHERE x < extract(year FROM now())":                                     true, // it tells the time
		"SELECT g, rank() OVER (ORDER BY n) FROM (SELECT dim.g, count(*) AS n FROM fact JOIN dim ON fact.k = dim.k GROUP BY dim.g) q": false,
	} {
		s.run("EXPLAIN " + sql)
		remember(t, e, sql, func(h *history) { h.cold, h.coldMore = 1e12, true }) // DuckDB answers
		d := s.recall(sql)
		if d == nil || !d.duck || d.inTurn != want {
			t.Errorf("%+v for %s", d, sql)
		}
	}
	s.run("CREATE TEMP TABLE own (x INTEGER)")
	if s.bindsBeside() {
		t.Error("a session with objects of its own binds beside DuckDB")
	}
}

// TestAutoBlocksBeside: blocks of a statement of DuckDB's are answered beside it, and the rest is
// executed over them when it is cancelled; where DuckDB has answered they are released.
func TestAutoBlocksBeside(t *testing.T) {
	_, s := hurried(t)
	ctx := context.Background()
	for _, sql := range []string{
		"SELECT g, rank() OVER (ORDER BY n) AS r FROM (SELECT dim.g, count(*) AS n FROM fact JOIN dim ON fact.k = dim.k GROUP BY dim.g) q ORDER BY g",
		"WITH RECURSIVE r(k) AS (SELECT 1 UNION SELECT f.k + 1 FROM r JOIN fact f ON f.k = r.k WHERE f.k < 8) SELECT count(*) FROM r",
	} {
		s.run("SET trireme.backend = 'native'")
		want := s.run(sql)
		s.run("SET trireme.backend = 'auto'")
		p, err := s.Prepare(ctx, sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := p.stmt.(*hosted)
		d, err := h.autoQuery(nil).decide(ctx)
		if err != nil {
			t.Fatal(err)
		}
		d.duck, d.patience, d.mayCancel = true, 1, true
		out, by, err := d.tryDuck(ctx, waiting, h.turn(d, nil))
		if by != byTensors || err != nil {
			t.Fatalf("by %v, %v: %s", by, err, sql)
		}
		n, err := drained(ctx, ctx, out.cursor)
		if err != nil || int(n) != strings.Count(want, ";")+1 || !strings.Contains(s.LastBackend(), "native") {
			t.Errorf("%d rows by %s, %v, want %s", n, s.LastBackend(), err, want)
		}
		a := &hosting{hosted: h, by: Native}
		if err := a.answerAhead(ctx); err != nil {
			t.Fatal(err)
		}
		if err := a.release(); err != nil {
			t.Error(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAutoRaces: a try of native begins beside DuckDB where that is quick, and again only when
// much has been spent; what is known to be faster does not.
func TestAutoRaces(t *testing.T) {
	tried := choice{native: 3 * ms, other: 10 * ms, patience: 6_900_000, loading: true}
	for _, c := range []struct {
		name    string
		history history
		choice  choice
		beside  bool
	}{
		{"DuckDB is quick", history{duck: 10 * ms}, tried, true},
		{"native was stopped", history{duck: 10 * ms, cold: 3 * ms, coldMore: true}, tried, true},
		{"DuckDB takes long", history{duck: 21 * ms}, tried, false},
		{"DuckDB's time is not known", history{duck: 10 * ms, duckMore: true}, tried, false},
		{"native has been measured", history{duck: 10 * ms, cold: 3 * ms}, tried, false},
		{"native has loaded", history{duck: 10 * ms, bought: true}, tried, false},
		{"DuckDB is chosen", history{duck: 10 * ms}, choice{duck: true}, false},
		{"loading pays later", history{duck: 10 * ms}, choice{native: 20 * ms, patience: 32 * 1e6}, false},
	} {
		got := c.history.raced(c.choice)
		if got.beside != c.beside || got.duck != (c.beside || c.choice.duck) {
			t.Errorf("%s: %+v", c.name, got)
		}
		if limit := time.Duration(racePart * c.history.duck); c.beside && got.limit != limit {
			t.Errorf("%s: native is stopped after %s, want %s", c.name, got.limit, limit)
		}
	}
	h := history{duck: 10 * ms}
	h.noteRace(3 * ms)
	if c, stopped := h.chooseStopped(); !stopped || !c.duck {
		t.Errorf("after a race: %+v", c)
	}
	h.spent = lostTimes * 3 * ms
	if c, _ := h.chooseStopped(); c.duck {
		t.Errorf("after much was spent: %+v", c)
	}
	if h.noteDuck(4*ms, true); h.duck != 10*ms || h.duckMore {
		t.Errorf("DuckDB, cancelled before the time that it takes: %+v", h)
	}
}
