package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// paths2 are the pairs of vertices that two edges connect, with their number.
const paths2 = "(SELECT a.src AS x, b.dst AS y, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src, b.dst)"

// fourEdges is planned as paths of two edges joined with themselves, or as one
// kernel that stores nothing.
const fourEdges = `SELECT count(*) FROM e a, e b, e c, e d
	WHERE a.dst = b.src AND b.dst = c.src AND c.dst = d.src AND d.dst = a.src`

// reliefs are statements that need more memory than they have, and what becomes
// of them.
var reliefs = map[string]struct {
	sql    string
	limit  string
	native string // the rung under native: "slices", "plan", "53200"
	auto   string // who answers under auto
}{
	"the answer slice by slice": {manyGroups, "1200KiB", "slices", "native"},
	"a key of strings": {
		"SELECT 'x' || p.x AS s, q.y, count(*), min(q.y) FROM p JOIN q ON p.k = q.k GROUP BY s, q.y", "7MiB", "slices", "native",
	},
	"finished by DuckDB": {
		"SELECT p.x, q.y, count(*) + 1 FROM p JOIN q ON p.k = q.k GROUP BY p.x, q.y HAVING count(*) > 3 ORDER BY 1, 2", "1200KiB", "slices", "native",
	},
	"four edges": {fourEdges, "1200KiB", "plan", "decomposed"}, // 500 times the work, as estimated,
	"pairs of pairs": {
		"SELECT sum(c.n * d.n) FROM " + paths2 + " c JOIN " + paths2 + " d ON c.x = d.y AND c.y = d.x", "4MiB", "53200", "decomposed",
	},
	"a table too large": {fewGroups, "100KiB", "53200", "decomposed"},
}

func openRelief(t *testing.T) testSession {
	t.Helper()
	s := openBudget(t, 0)
	s.run(strings.ReplaceAll(hubEdges, "1500", "900"))
	s.run("SET trireme.backend = 'native'")
	return s
}

// rungs are the reliefs that a statement took.
func rungs(plans []*planTrace) (slices, again int) {
	for _, p := range plans {
		if p.because != nil && p.because.outgrew > 0 {
			again++
		}
		for _, step := range p.ran {
			slices = max(slices, step.slices)
		}
	}
	return slices, again
}

func TestStepsThatOutgrowTheirMemory(t *testing.T) {
	for name, c := range reliefs {
		t.Run(name, func(t *testing.T) {
			s := openRelief(t)
			want := strings.Split(s.duck(c.sql), ";")
			slices.Sort(want)
			s.run("SET trireme.memory_limit = '" + c.limit + "'")
			if c.native == "53200" {
				if e := s.wantError(c.sql, sqlerr.OutOfMemory); !strings.Contains(e.Hint, "trireme.memory_limit") || !strings.Contains(e.Message, " than the "+c.limit+" ") {
					t.Errorf("%q, hint %q", e.Message, e.Hint)
				}
			} else {
				if got := s.sorted(c.sql); got != strings.Join(want, ";") {
					t.Errorf("native: %.200s, want %.200s", got, want)
				}
				_, plans := s.planned(c.sql)
				if slices, again := rungs(plans); c.native == "slices" && (slices < 2 || again > 0) || c.native == "plan" && again == 0 {
					t.Errorf("%d slices, planned again %d times", slices, again)
				}
			}
			s.run("SET trireme.backend = 'auto'")
			s.choosesNative()
			if got := s.sorted(c.sql); got != strings.Join(want, ";") {
				t.Errorf("auto: %.200s, want %.200s", got, want)
			}
			if by := s.LastBackend(); by != c.auto {
				t.Errorf("answered by %s, want %s", by, c.auto)
			}
			wantIdle(t, s.engine)
		})
	}
}

// The answer is delivered in slices and memory stays within the limit, however
// slowly it is read; giving up in the middle gives the memory back.
func TestSlowReadersHoldBoundedMemory(t *testing.T) {
	s := openRelief(t)
	s.run("SET trireme.memory_limit = '1200KiB'")
	ctx := context.Background()
	r := s.engine.tensor.(*route)
	for _, batches := range []int{0, 1, 30, 1 << 20} {
		p, err := s.Prepare(ctx, manyGroups, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Execute(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.memory.held.Load() == 0 {
			t.Error("a result that is read holds nothing")
		}
		n := 0
		for range batches {
			b, err := res.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			n += b.N
		}
		if err := errors.Join(res.Close(), p.Close()); err != nil {
			t.Fatal(err)
		}
		wantIdle(t, s.engine)
		if batches == 1<<20 && n < 300_000 {
			t.Errorf("%d rows", n)
		}
	}
	if peak := r.memory.peak.Load(); peak > 1200<<10 {
		t.Errorf("%d bytes held", peak)
	}
}

// Cancelled between slices or within one, a statement ends with 57014 and holds
// nothing.
func TestSlicesAreCancelled(t *testing.T) {
	s := openRelief(t)
	s.run("SET trireme.memory_limit = '1200KiB'")
	for _, batches := range []int{0, 1, 40, 100} {
		ctx, cancel := context.WithCancel(context.Background())
		p, err := s.Prepare(ctx, manyGroups, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Execute(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range batches {
			if _, err := res.Next(ctx); err != nil {
				t.Fatal(err)
			}
		}
		s.Cancel()
		var e *sqlerr.Error
		for err == nil {
			batch, failed := res.Next(ctx)
			if err = failed; batch == nil && err == nil {
				t.Fatal("ran to its end")
			}
		}
		if !errors.As(err, &e) || e.Code != sqlerr.QueryCanceled {
			t.Errorf("error %v", err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		wantIdle(t, s.engine)
	}
}

// What a statement held is reported, in text and as a document.
func TestExplainReportsMemory(t *testing.T) {
	s := openRelief(t)
	s.run("SET trireme.memory_limit = '1200KiB'")
	text := s.run("EXPLAIN ANALYZE " + manyGroups)
	for _, want := range []string{" slices of ", "memory: at most ", " of 1228800 bytes"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	doc := s.run("EXPLAIN (ANALYZE, FORMAT JSON) " + manyGroups)
	for _, want := range []string{`"memory_limit_bytes": 1228800`, `"peak_bytes": `, `"slices": `} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %q in\n%s", want, doc)
		}
	}
	s.run("SET trireme.memory_limit = '100KiB'")
	s.run("SET trireme.backend = 'auto'")
	s.choosesNative()
	if text := s.run("EXPLAIN ANALYZE " + fewGroups); !strings.Contains(text, handedText) || !strings.HasPrefix(text, "backend: decomposed") {
		t.Errorf("who answered?\n%s", text)
	}
	wantIdle(t, s.engine)
}

// Statements share what there is, and an error of one does not hold it.
func TestStatementsShareMemory(t *testing.T) {
	s := openRelief(t)
	want := s.run(fewGroups)
	r := s.engine.tensor.(*route)
	r.memory.limitBytes = 1 << 20
	r.memory.Hold(1<<20 - 100) // other statements
	s.wantError(manyGroups, sqlerr.OutOfMemory)
	r.memory.Hold(-(1<<20 - 100))
	s.want(fewGroups, want)
	s.run("SET trireme.memory_limit = '1GiB'") // is not more than there is
	if _, plans := s.planned(manyGroups); len(plans) > 0 {
		if slices, _ := rungs(plans); slices < 2 {
			t.Error("a statement may hold more than there is")
		}
	}
	wantIdle(t, s.engine)
}

// Tensors in use are not dropped for those of another statement, and the cache
// is within its budget when all is done.
func TestTensorsInUseAreKept(t *testing.T) {
	s := openRelief(t)
	r := s.engine.tensor.(*route)
	r.tensors = cache.NewTensors(150_000) // p or q, not both
	want := s.duck(fewGroups)
	for range 3 {
		s.want(fewGroups, want)
		wantIdle(t, s.engine)
		if n := r.tensors.Bytes(); n > 150_000 {
			t.Errorf("%d bytes are kept", n)
		}
	}
}

func TestMemoryLimitSetting(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.want("SHOW trireme.memory_limit", "0")
	s.run("SET trireme.memory_limit = '100 MiB'")
	s.want("SHOW trireme.memory_limit", "100MiB")
	s.run("SET trireme.memory_limit = '100GB'")
	s.want("SHOW trireme.memory_limit", "100GB")
	s.wantError("SET trireme.memory_limit = 'much'", sqlerr.InvalidParameter)
	s.run("RESET trireme.memory_limit")
	s.want("SHOW trireme.memory_limit", "0")
}

// littleMemory are limits at which tables of some dozens of rows do not fit, fit
// by means, or fit.
var littleMemory = []string{"1KiB", "2KiB", "4KiB", "6KiB", "8KiB", "12KiB", "16KiB", "24KiB"}

// TestRandomQueriesWithLittleMemory: whatever memory there is, a statement is
// answered right or ends with 53200, and under auto it is answered.
func TestRandomQueriesWithLittleMemory(t *testing.T) {
	r := newRig(t)
	count := map[string]int{}
	for n := uint64(0); count["statements"] < 300; n++ {
		rng := rand.New(rand.NewPCG(23, n))
		schema, queries := difftest.Generate(rng)
		r.dropTables()
		r.script(strings.Join(schema, ";\n"))
		for _, q := range queries {
			want, err := r.want(q.SQL, nil)
			if !q.Eligible || err != nil {
				continue
			}
			count["statements"]++
			r.set(settings4[0])
			r.own("SET trireme.memory_limit = '" + littleMemory[rng.IntN(len(littleMemory))] + "'")
			r.cutShort(q, want, count)
			r.set(setting{backend: Auto, registry: "on"})
			got, err := r.run(q.SQL, nil)
			if err == nil {
				err = difftest.Compare(want, got, difftest.CompareOptions{Ordered: q.Ordered, ToleranceAbs: q.ToleranceAbs})
			}
			if err != nil {
				t.Fatalf("auto: %v\n%s;\n%s", err, strings.Join(schema, ";\n"), q.SQL)
			}
			count["auto by "+r.session.LastBackend()]++
			wantIdle(t, r.engine)
			r.own("RESET trireme.memory_limit")
		}
	}
	t.Logf("%v", sortedCounts(count))
	for _, rung := range []string{"sliced", "native answered", "53200", "auto by native", "auto by decomposed"} {
		if count[rung] < 10 {
			t.Errorf("%s: only %d times", rung, count[rung])
		}
	}
}

// own runs one statement in the session only.
func (r *rig) own(sql string) {
	r.t.Helper()
	if _, err := r.run(sql, nil); err != nil {
		r.t.Fatal(err)
	}
}

// cutShort runs a statement natively and counts what became of it.
func (r *rig) cutShort(q difftest.Query, want difftest.Table, count map[string]int) {
	r.t.Helper()
	ctx := context.Background()
	stmt, _, err := r.engine.tensor.Prepare(ctx, r.session, q.SQL, nil)
	if err != nil || stmt == nil {
		r.t.Fatalf("%s: %v", q.SQL, err)
	}
	var tr trace
	cur, _, reason, err := stmt.(*tensorSelect).execute(ctx, r.session, nil, &tr)
	var got difftest.Table
	if err == nil && reason == "" {
		got, err = difftest.Collect(ctx, cur)
		err = errors.Join(err, cur.Close())
	}
	for _, p := range tr.programs {
		if slices, again := rungs(p.plans); slices > 0 {
			count["sliced"]++
		} else if again > 0 {
			count["planned again"]++
		}
	}
	switch {
	case reason != "":
		count["refused"]++
		return
	case err != nil && sqlerr.From(err).Code == sqlerr.OutOfMemory:
		count["53200"]++
		return
	case err == nil:
		count["native answered"]++
		err = difftest.Compare(want, got, difftest.CompareOptions{Ordered: q.Ordered, ToleranceAbs: q.ToleranceAbs})
	}
	if err != nil {
		r.t.Fatalf("native: %v\n%s", err, q.SQL)
	}
}

// BenchmarkRows is the time of delivering a result's rows.
func BenchmarkRows(b *testing.B) {
	e, err := Open(context.Background(), Config{Version: "test", FirstPatience: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	s, err := e.NewSession(context.Background(), SessionOptions{User: "u"})
	if err != nil {
		b.Fatal(err)
	}
	run := func(sql string) {
		p, err := s.Prepare(context.Background(), sql, nil)
		if err != nil {
			b.Fatal(err)
		}
		res, err := p.Execute(context.Background(), nil)
		for err == nil {
			batch, next := res.Next(context.Background())
			if err = next; batch == nil {
				break
			}
		}
		if err := errors.Join(err, res.Close(), p.Close()); err != nil {
			b.Fatal(err)
		}
	}
	for _, sql := range strings.Split(budgetTables, ";") {
		run(sql)
	}
	run("SET trireme.backend = 'native'")
	for _, limit := range []string{"0", "1200KiB"} {
		b.Run(fmt.Sprintf("limit=%s", limit), func(b *testing.B) {
			run("SET trireme.memory_limit = '" + limit + "'")
			for b.Loop() {
				run(manyGroups)
			}
		})
	}
	if err := errors.Join(s.Close(), e.Close()); err != nil {
		b.Fatal(err)
	}
}
