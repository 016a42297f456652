package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// planned runs a SELECT natively and returns its rows and the plans it ran by.
func (s testSession) planned(sql string, args ...string) (text string, plans []*planTrace) {
	s.t.Helper()
	ctx := context.Background()
	types := make([]rows.Type, len(args))
	for i := range types {
		types[i] = rows.Type{ID: rows.BigInt}
	}
	stmt, reason, err := s.engine.tensor.Prepare(ctx, s.Session, sql, types)
	if err != nil || reason != "" {
		s.t.Fatalf("%s: %v %s", sql, err, reason)
	}
	values := make([]Arg, len(args))
	for i, a := range args {
		values[i] = Arg{Text: a}
	}
	var tr trace
	cur, _, reason, err := stmt.(*tensorSelect).execute(ctx, s.Session, values, &tr)
	if err != nil || reason != "" {
		s.t.Fatalf("%s: %v %s", sql, err, reason)
	}
	var lines []string
	for {
		b, err := cur.Next(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		if b == nil {
			break
		}
		for i := range b.N {
			lines = append(lines, cell(&b.Cols[0], i))
		}
	}
	if err := cur.Close(); err != nil {
		s.t.Error(err)
	}
	return strings.Join(lines, ";"), tr.programs[0].plans
}

// duck is DuckDB's answer.
func (s testSession) duck(sql string, args ...string) string {
	s.t.Helper()
	s.run("SET trireme.backend = 'duckdb'")
	defer s.run("SET trireme.backend = 'native'")
	return s.run(sql, args...)
}

func openPlanned(t *testing.T) testSession {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT CAST(i % 100 AS BIGINT) AS a, CAST(i * 7 % 90 AS BIGINT) AS b FROM range(1000) r(i)")
	s.run("CREATE TABLE l AS SELECT CAST(i AS BIGINT) AS v, CAST(i % 10 AS BIGINT) AS k FROM range(100) r(i)")
	s.run("INSERT INTO l SELECT i, 99 FROM range(100) r(i)")
	s.run("SET trireme.backend = 'native'")
	return s
}

func labelledPath(from, to string) string {
	return fmt.Sprintf("SELECT count(*) FROM l x, e p, e q, l y WHERE x.v = p.a AND p.b = q.a AND q.b = y.v AND x.k = %s AND y.k = %s", from, to)
}

func TestPlansAreReusedWithOtherConstants(t *testing.T) {
	s := openPlanned(t)
	for i, c := range []struct {
		from, to string
		cached   bool
	}{
		{"3", "4", false},
		{"3", "4", true},
		{"5", "8", true},
		{"7", "7", false}, // one constant in two places is another program
		{"99", "4", false},
		{"99", "2", true},
		{"12345", "4", false}, // no such label
	} {
		for _, prepared := range []bool{false, true} {
			sql, args := labelledPath(c.from, c.to), []string(nil)
			cached := c.cached
			if prepared {
				sql, args = labelledPath("$1", "$2"), []string{c.from, c.to}
				cached = true // by the plan for the constants in the text
			}
			got, plans := s.planned(sql, args...)
			if want := s.duck(sql, args...); got != want {
				t.Errorf("%s %v: %s, DuckDB %s", sql, args, got, want)
			}
			if len(plans) == 0 || plans[0].cached != cached {
				t.Errorf("case %d: %s %v: from the plan cache: %v", i, sql, args, plans[0].cached)
			}
		}
	}
}

func TestPlansFollowStatisticsNotVersions(t *testing.T) {
	s := openPlanned(t)
	sql := labelledPath("3", "4")
	check := func(what string, cached bool) {
		t.Helper()
		got, plans := s.planned(sql)
		if want := s.duck(sql); got != want {
			t.Errorf("%s: %s, DuckDB %s", what, got, want)
		}
		if plans[0].cached != cached {
			t.Errorf("%s: from the plan cache: %v", what, plans[0].cached)
		}
	}
	check("first", false)
	s.run("INSERT INTO e SELECT i, i FROM range(50) r(i)")
	check("a version with a few rows more", true)
	s.run("SET trireme.optimizer = 'greedy'")
	check("another optimizer", false)
	s.run("SET trireme.estimator = 'uniform'")
	check("another estimator", false)
	s.run("RESET trireme.optimizer")
	s.run("RESET trireme.estimator")
	check("the settings of the first", true)
	s.run("SET trireme.plan_cache = off")
	check("planned on every execution", false)
	check("planned on every execution again", false)
	s.run("RESET trireme.plan_cache")
	check("the plan kept from before", true)
	s.run("INSERT INTO e SELECT i % 100, i % 977 FROM range(10000) r(i)")
	check("ten times the rows", false)
	s.run("DELETE FROM e WHERE a >= 0")
	check("no rows", false)
}
