package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// budgetTables give manyGroups some hundred thousands of groups.
const budgetTables = `
CREATE TABLE p AS SELECT hash(i) % 900 AS x, hash(i + 100000) % 700 AS k FROM range(20000) r(i);
CREATE TABLE q AS SELECT hash(i + 200000) % 700 AS k, hash(i + 300000) % 800 AS y FROM range(20000) r(i)`

const (
	manyGroups = "SELECT p.x, q.y, count(*) FROM p JOIN q ON p.k = q.k GROUP BY p.x, q.y"
	fewGroups  = "SELECT count(*), sum(p.x) FROM p JOIN q ON p.k = q.k"
)

// openBudget is a session of an engine whose steps may hold so many bytes; DuckDB
// has all it wants.
func openBudget(t *testing.T, bytes int64) testSession {
	t.Helper()
	e := openEngine(t)
	e.tensor.(*route).budgetBytes = bytes
	s := openSession(t, e)
	for _, sql := range strings.Split(budgetTables, ";") {
		s.run(sql)
	}
	return s
}

// Of the memory limit, DuckDB has half; the tensor cache and a step share the rest.
func TestBudgetFollowsTheLimit(t *testing.T) {
	e, err := Open(context.Background(), Config{MemoryLimitBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.tensor.(*route).budgetBytes; got != 16<<20 {
		t.Errorf("a step may hold %d bytes", got)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A result that outgrows the budget is 53200 with a hint where native is forced,
// DuckDB's where the engine may choose, and harms nothing after it.
func TestResultOverTheBudget(t *testing.T) {
	wide := openBudget(t, 0)
	wide.run("SET trireme.backend = 'native'")
	groups := strings.Count(wide.run(manyGroups), ";")
	few := wide.run(fewGroups)

	s := openBudget(t, 1<<20)
	for range 2 {
		s.run("SET trireme.backend = 'native'")
		if e := s.wantError(manyGroups, sqlerr.OutOfMemory); !strings.Contains(e.Hint, "memory-limit") {
			t.Errorf("hint %q", e.Hint)
		}
		s.want(fewGroups, few)
		if by := s.LastBackend(); by != "native" {
			t.Errorf("answered by %s", by)
		}
		s.run("SET trireme.backend = 'auto'")
		if got := strings.Count(s.run(manyGroups), ";"); got != groups {
			t.Errorf("%d groups, want %d", got, groups)
		}
		if by := s.LastBackend(); by != "duckdb" {
			t.Errorf("answered by %s", by)
		}
	}
	s.run("BEGIN")
	s.run("SET trireme.backend = 'native'")
	s.wantError(manyGroups, sqlerr.OutOfMemory)
	s.wantStatus(TxFailed)
	s.run("ROLLBACK")
}

// A budget in which each statement fits serves any number of statements: what a
// step held is given back.
func TestBudgetIsPerStatement(t *testing.T) {
	s := openBudget(t, 1<<20)
	s.run("SET trireme.backend = 'native'")
	const sql = "SELECT p.x, count(*), sum(q.y) FROM p JOIN q ON p.k = q.k GROUP BY p.x"
	first := s.run(sql)
	for range 200 {
		if got := s.run(sql); got != first {
			t.Fatal("a later run gives other rows")
		}
	}
}

// A table whose rows alone exceed the budget is not loaded: the refusal comes
// before the scan.
func TestTableOverTheBudget(t *testing.T) {
	s := openBudget(t, 200_000) // p has 20,000 rows of two coordinates and more
	s.run("SET trireme.backend = 'native'")
	s.wantError(fewGroups, sqlerr.OutOfMemory)
	if held := s.engine.tensor.(*route).tensors.Bytes(); held != 0 {
		t.Errorf("the cache holds %d bytes", held)
	}
	s.run("SET trireme.backend = 'auto'")
	s.run(fewGroups)
	if by := s.LastBackend(); by != "duckdb" {
		t.Errorf("answered by %s", by)
	}
}
