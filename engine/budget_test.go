package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// budgetTables give manyGroups some hundred thousands of groups.
const budgetTables = `
CREATE TABLE p AS SELECT hash(i) % 900 AS x, hash(i + 100000) % 700 AS k FROM range(20000) r(i);
CREATE TABLE q AS SELECT hash(i + 200000) % 700 AS k, hash(i + 300000) % 800 AS y FROM range(20000) r(i)`

const (
	manyGroups = "SELECT p.x, q.y, count(*) AS n FROM p JOIN q ON p.k = q.k GROUP BY p.x, q.y"
	fewGroups  = "SELECT count(*), sum(p.x) FROM p JOIN q ON p.k = q.k"
)

// openBudget is a session of an engine whose steps may hold so many bytes; DuckDB
// has all it wants.
func openBudget(t *testing.T, bytes int64) testSession {
	t.Helper()
	e := openEngine(t)
	e.tensor.(*route).memory.limitBytes = bytes
	s := openSession(t, e)
	for _, sql := range strings.Split(budgetTables, ";") {
		s.run(sql)
	}
	return s
}

// Of the memory limit, DuckDB has half; the tensor cache and running statements have
// two fifths each of the rest.
func TestBudgetFollowsTheLimit(t *testing.T) {
	e, err := Open(context.Background(), Config{MemoryLimitBytes: 64 << 20, FirstPatience: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.tensor.(*route).memory.limitBytes, int64(32<<20/5*2); got != want {
		t.Errorf("statements may hold %d bytes, want %d", got, want)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A budget in which each statement fits serves any number of statements: what a
// step held is given back.
func TestBudgetIsPerStatement(t *testing.T) {
	s := openBudget(t, 2<<20)
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
	s.choosesNative()
	s.run(fewGroups)
	if by := s.LastBackend(); by != "decomposed" {
		t.Errorf("answered by %s", by)
	}
}
