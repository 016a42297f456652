package engine

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

const (
	accounts = 8 // rows of each of the tables a and b
	deposit  = 1000
	total    = 2 * accounts * deposit
)

// sumForms read both tables in one statement; the first two columns are sums
// that add up to total.
var sumForms = []string{
	"SELECT sum(a.v), sum(b.v) FROM a, b WHERE a.k = b.k",
	"SELECT sum(x.s), sum(y.s) FROM (SELECT sum(v) AS s FROM a) x, (SELECT sum(v) AS s FROM b) y",
	"SELECT sum(x.s), sum(y.s) FROM (SELECT k, sum(v) AS s FROM a GROUP BY k) x JOIN (SELECT k, sum(v) AS s FROM b GROUP BY k) y ON x.k = y.k",
}

// bank is the two tables between which writers move amounts.
type bank struct {
	engine   *Engine
	aborted  atomic.Int64 // by a conflict between writers
	answered [4]atomic.Int64
	refused  [4]atomic.Int64
}

func openBank(t *testing.T) *bank {
	t.Helper()
	b := &bank{engine: openEngine(t)}
	s := openSession(t, b.engine)
	for _, table := range []string{"a", "b"} {
		s.run(fmt.Sprintf("CREATE TABLE %s AS SELECT CAST(i AS INTEGER) AS k, %d AS v FROM range(%d) r(i)", table, deposit, accounts))
	}
	return b
}

// transfer moves an amount from a row of a to a row of b, or the other way, and
// commits or rolls back. It gives way to a conflicting writer.
func (b *bank) transfer(s testSession, n int) {
	from, to := "a", "b"
	if n%3 == 0 {
		from, to = to, from
	}
	end := "COMMIT"
	if n%4 == 3 {
		end = "ROLLBACK"
	}
	for _, sql := range []string{
		"BEGIN",
		fmt.Sprintf("UPDATE %s SET v = v - %d WHERE k = %d", from, n%17+1, n%accounts),
		fmt.Sprintf("UPDATE %s SET v = v + %d WHERE k = %d", to, n%17+1, n*5%accounts),
		end,
	} {
		_, _, err := s.try(sql)
		if err == nil {
			continue
		}
		if code := sqlerr.From(err).Code; code != "40001" {
			s.t.Errorf("%s: %v", sql, err)
		}
		b.aborted.Add(1)
		if s.TxStatus() != TxIdle {
			if _, _, err := s.try("ROLLBACK"); err != nil {
				s.t.Error(err)
			}
		}
		return
	}
}

// read asks for the sums; a forced backend may refuse while a writer is in
// flight. atRest: it may not.
func (b *bank) read(s testSession, backend Backend, form int, atRest bool) {
	if backend == Decomposed && form == 1 {
		form = 0 // its derived tables are statements of their own
	}
	text, _, err := s.try(sumForms[form])
	if err != nil {
		if atRest || sqlerr.From(err).Code != sqlerr.FeatureNotSupported {
			s.t.Errorf("%s: %s: %v", backend, sumForms[form], err)
		}
		b.refused[backend].Add(1)
		return
	}
	b.answered[backend].Add(1)
	if sum := addUp(text); sum != total {
		s.t.Errorf("%s: %s: %s, together %d, want %d", backend, sumForms[form], text, sum, total)
	}
	if by := s.LastBackend(); backend != Auto && by != backend.String() {
		s.t.Errorf("%s: answered by %s", backend, by)
	}
}

func addUp(text string) int {
	sum := 0
	for _, cell := range strings.Split(text, "|") {
		n, err := strconv.Atoi(cell)
		if err != nil {
			return -1
		}
		sum += n
	}
	return sum
}

// repeatable reads several times in one transaction: nothing changes inside.
func (b *bank) repeatable(s testSession) {
	s.run("BEGIN")
	var first string
	for form := range sumForms {
		text, _, err := s.try(sumForms[form])
		if err != nil {
			s.t.Errorf("in a transaction: %v", err)
			break
		}
		if sum := addUp(text); sum != total {
			s.t.Errorf("in a transaction: %s, together %d", text, sum)
		}
		if first == "" {
			first = text
		}
		if text != first {
			s.t.Errorf("in a transaction: %s, then %s", first, text)
		}
	}
	s.run("COMMIT")
}

// TestTransfersKeepTheSum: two writers, which may conflict, move amounts between
// the rows of two tables; readers on every backend and in transactions of their
// own see the total and nothing else. Work comes in rounds; between rounds no
// writer is in flight, and every backend has to answer.
func TestTransfersKeepTheSum(t *testing.T) {
	const rounds, writers, transfers, reads = 12, 2, 6, 12
	b := openBank(t)
	session := func(backend Backend) testSession {
		s := openSession(t, b.engine)
		s.run("SET trireme.backend = '" + backend.String() + "'")
		return s
	}
	var writing []testSession
	for range writers {
		writing = append(writing, session(Auto))
	}
	backends := []Backend{Auto, Native, Decomposed, DuckDB}
	var reading []testSession
	for _, backend := range backends {
		reading = append(reading, session(backend))
	}
	inTransaction := session(Auto)
	for round := range rounds {
		var all sync.WaitGroup
		for w, s := range writing {
			all.Go(func() {
				for i := range transfers {
					b.transfer(s, (round*writers+w)*transfers+i)
				}
			})
		}
		for i, s := range reading {
			all.Go(func() {
				for n := range reads {
					b.read(s, backends[i], n%len(sumForms), false)
				}
			})
		}
		all.Go(func() { b.repeatable(inTransaction) })
		all.Wait()
		for i, s := range reading {
			b.read(s, backends[i], round%len(sumForms), true)
		}
		if t.Failed() {
			return
		}
	}
	for _, backend := range backends {
		t.Logf("%s: %d answers, %d refusals", backend, b.answered[backend].Load(), b.refused[backend].Load())
		if b.answered[backend].Load() < rounds {
			t.Errorf("%s answered %d times", backend, b.answered[backend].Load())
		}
	}
	t.Logf("%d transfers gave way to another", b.aborted.Load())
}

// pairs counts the pairs of rows with equal x.
const pairs = "SELECT count(*) FROM t a, t b WHERE a.x = b.x"

// nativePairs is a session on native over a table t of two rows.
func nativePairs(t *testing.T) (e *Engine, s testSession) {
	t.Helper()
	e = openEngine(t)
	s = openSession(t, e)
	s.run("CREATE TABLE t (x INTEGER)")
	s.run("INSERT INTO t VALUES (1), (2)")
	s.run("SET trireme.backend = 'native'")
	s.want(pairs, "2")
	return e, s
}

func (s testSession) wantCached(sql string, cached bool) {
	s.t.Helper()
	for _, p := range s.analyze(sql).Programs {
		for _, l := range p.Loads {
			if l.Cached != cached {
				s.t.Errorf("%s: load %s cached %v, want %v", sql, l.Tensor, l.Cached, cached)
			}
		}
	}
}

// A rollback changes no table, so the tensors of before answer again, without a load.
func TestRollbackKeepsTheTensors(t *testing.T) {
	e, s := nativePairs(t)
	s.wantCached(pairs, true)
	other := openSession(t, e)
	other.run("BEGIN")
	other.run("INSERT INTO t VALUES (1)")
	s.wantError(pairs, "0A000")
	other.run("ROLLBACK")
	s.wantCached(pairs, true)
	s.want(pairs, "2")
	other.run("INSERT INTO t VALUES (1)")
	s.wantCached(pairs, false)
	s.want(pairs, "5")
}

// Whatever adds a row in another session, the next statement counts it.
func TestWritesOfOtherSessionsAreSeenAtOnce(t *testing.T) {
	e, s := nativePairs(t)
	other := openSession(t, e)
	file := filepath.Join(t.TempDir(), "t.csv")
	other.run("COPY (SELECT 7 AS x FROM range(3)) TO " + quoteText(file))
	for _, c := range []struct {
		sql  string
		want string
	}{
		{"INSERT INTO t VALUES (1)", "5"},
		{"COPY t FROM " + quoteText(file), "14"},
		{"WITH n AS (SELECT 9 AS x) INSERT INTO t SELECT x FROM n RETURNING x", "15"},
		{"UPDATE t SET x = 1 WHERE x = 2", "19"},
		{"DELETE FROM t WHERE x = 7", "10"},
		{"INSERT INTO t VALUES (NULL)", "10"},
		{"MERGE INTO t USING (SELECT 9 AS x) n ON t.x = n.x WHEN MATCHED THEN DELETE", "9"},
		{"CREATE OR REPLACE TABLE t AS SELECT 4 AS x FROM range(4)", "16"},
		{"ALTER TABLE t ADD COLUMN y INTEGER", "16"},
		{"BEGIN; TRUNCATE t; COMMIT", "0"},
	} {
		if err := other.block(strings.Split(c.sql, "; ")...); err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		if got := s.run(pairs); got != c.want {
			t.Errorf("after %s: %s, want %s", c.sql, got, c.want)
		}
	}
}

// A temporary table hides the table of the same name, of which a tensor is
// cached, from its session and from no other.
func TestTemporaryTableShadowsACachedOne(t *testing.T) {
	e, s := nativePairs(t)
	other := openSession(t, e)
	other.run("CREATE TEMP TABLE t AS SELECT 5 AS x FROM range(3)")
	other.want(pairs, "9")
	s.want(pairs, "2")
	s.wantCached(pairs, true)
	other.run("INSERT INTO t VALUES (5)")
	other.want(pairs, "16")
	other.want("SELECT count(*) FROM temp.main.t a, temp.main.t b WHERE a.x = b.x", "16")
	other.want("SELECT count(*) FROM main.t a, main.t b WHERE a.x = b.x", "2") // main is the default schema's name
	other.want("SELECT count(*) FROM trireme.main.t a, trireme.main.t b WHERE a.x = b.x", "2")
	other.run("DROP TABLE t")
	other.want(pairs, "2")
	s.want(pairs, "2")
}

// A view is seen through: what changes below it changes its rows.
func TestViewOverAChangingTable(t *testing.T) {
	e, s := nativePairs(t)
	other := openSession(t, e)
	other.run("CREATE VIEW w AS SELECT x FROM t WHERE x < 9")
	const joined = "SELECT count(*) FROM w JOIN t ON w.x = t.x"
	for _, backend := range []string{"auto", "native", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		for i, step := range []struct{ sql, want string }{
			{"SELECT 1", "2"},
			{"INSERT INTO t VALUES (2)", "5"},
			{"CREATE OR REPLACE VIEW w AS SELECT x FROM t WHERE x < 2", "1"},
			{"DELETE FROM t", "0"},
			{"INSERT INTO t VALUES (1), (2)", "1"},
			{"CREATE OR REPLACE VIEW w AS SELECT x FROM t WHERE x < 9", "2"},
		} {
			other.run(step.sql)
			got, _, err := s.try(joined)
			if err != nil || got != step.want {
				t.Errorf("%s, step %d: %s, want %s, error %v", backend, i, got, step.want, err)
			}
		}
	}
}

// Several sessions ask at once for a tensor that is not there: all are answered.
func TestConcurrentBuildsOfOneTensor(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE t AS SELECT i % 1000 AS x FROM range(100000) r(i)")
	const sessions, rounds = 8, 4
	var all []testSession
	for range sessions {
		r := openSession(t, e)
		r.run("SET trireme.backend = 'native'")
		all = append(all, r)
	}
	for round := range rounds {
		var wg sync.WaitGroup
		for _, r := range all {
			wg.Go(func() {
				got, _, err := r.try(pairs)
				if want := (100 + round) * (100 + round) * 1000; err != nil || got != strconv.Itoa(want) {
					t.Errorf("round %d: %s, want %d, error %v", round, got, want, err)
				}
			})
		}
		wg.Wait()
		s.run("INSERT INTO t SELECT i FROM range(1000) r(i)")
	}
}
