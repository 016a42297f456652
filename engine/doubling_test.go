package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// doubling are statements of a few hundred bytes of which each of n parts makes what is
// written out twice as large.
func doubling(n int) map[string]string {
	products := func(factor func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = factor(i)
		}
		return strings.Join(all, "*")
	}
	nested := func(op string) string {
		sql := "SELECT t0.a k, t0.w + t1.w x FROM g t0 JOIN g t1 ON t0.a = t1.a"
		for i := range n {
			sql = fmt.Sprintf("SELECT k, x %s x x FROM (%s) q%d", op, sql, i)
		}
		return "SELECT k, sum(x) FROM (" + sql + ") z GROUP BY k ORDER BY k"
	}
	groups := "SELECT t0.a k, sum(t0.w) x FROM g t0 JOIN g t1 ON t0.a = t1.a GROUP BY t0.a"
	for i := range n {
		groups = fmt.Sprintf("SELECT u.k, sum(u.x + u.x) x FROM (%s) u JOIN g t%d ON t%d.a = u.k GROUP BY u.k", groups, i, i)
	}
	program, last := "tensor E(0,0) { n pattern, v f64 }", "E"
	for i := range n {
		program += fmt.Sprintf(" Q%d(i,j) = n: or(k) and(%s.n(i,k), %s.n(k,j)) | v: sum(k) %s.v(i,k) * %s.v(k,j)", i, last, last, last, last)
		last = fmt.Sprintf("Q%d", i)
	}
	return map[string]string{
		"products of doubles":  "SELECT sum(" + products(func(i int) string { return fmt.Sprintf("(t%d.w + t%d.w)", i%3, (i+1)%3) }) + ") FROM g t0 JOIN g t1 ON t0.a = t1.a JOIN g t2 ON t0.a = t2.a",
		"products of integers": "SELECT sum(" + products(func(i int) string { return fmt.Sprintf("(t0.v + t1.v + %d)::HUGEINT", i) }) + ") FROM g t0 JOIN g t1 ON t0.a = t1.a",
		"nested sums":          nested("+"),
		"nested products":      nested("*"),
		"nested groups":        groups,
		"squared tensors":      "SELECT * FROM tensor('" + program + "', E := 'g(a, b; w)') ORDER BY ALL",
	}
}

// What a statement becomes when it is written out is bounded: it ends, answered or refused, on the
// backends of ours, which would take 2^30 steps otherwise.
func TestDoublingStatementsEnd(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE g AS SELECT DISTINCT i % 5 AS a, i % 7 AS b, i % 3 AS v, 0.25::DOUBLE AS w FROM range(35) r(i)")
	for name, sql := range doubling(30) {
		for _, backend := range []string{"native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			_, _, err := s.try(sql)
			var e *sqlerr.Error
			if err != nil && (!errors.As(err, &e) || e.Code != sqlerr.FeatureNotSupported && e.Code != sqlerr.NumericOutOfRange) {
				t.Errorf("%s on %s: %v", name, backend, err)
			}
		}
	}
	s.choosesNative()
	for name, sql := range doubling(6) {
		answers := map[string]string{}
		for _, backend := range []string{"duckdb", "native", "decomposed"} { // DuckDB runs no tensor programs
			s.run("SET trireme.backend = '" + backend + "'")
			if got, _, err := s.try(sql); err == nil {
				answers[got] += " " + backend
			}
		}
		if len(answers) != 1 {
			t.Errorf("%s: %q", name, answers)
		}
	}
}
