package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

const notationData = `CREATE TABLE a (i INTEGER, k INTEGER, v DOUBLE);
CREATE TABLE b (k INTEGER, j VARCHAR, v DOUBLE);
CREATE TABLE e (src INTEGER, dst INTEGER);
CREATE TABLE none (k INTEGER, j VARCHAR, v DOUBLE);
CREATE TABLE res (i INTEGER, j VARCHAR, v DOUBLE);
INSERT INTO a SELECT x % 7, x % 5, x % 3 - 1 FROM range(30) r(x);
INSERT INTO b SELECT x % 5, chr(97 + (x % 4)::INTEGER), x % 4 FROM range(20) r(x);
INSERT INTO e SELECT x % 11, (x * x + 3) % 13 FROM range(60) r(x);
INSERT INTO e SELECT dst, src FROM e`

func notationSession(t *testing.T) testSession {
	t.Helper()
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(notationData, ";\n") {
		s.run(sql)
	}
	return s
}

// TestEinsumAnswers: wherever a table may stand, on every backend, the call is what
// the SELECT that stands for it is for DuckDB.
func TestEinsumAnswers(t *testing.T) {
	s := notationSession(t)
	for _, c := range []struct{ call, sql string }{
		{"SELECT * FROM einsum('ik,kj->ij', 'a', 'b') ORDER BY ALL", "SELECT i, j, sum(a.v * b.v) AS value FROM a, b WHERE a.k = b.k GROUP BY i, j ORDER BY ALL"},
		{"SELECT c.j, count(*) FROM einsum('ik,kj->ij', a, b) AS c WHERE c.value > 0 GROUP BY c.j ORDER BY 1", "SELECT j, count(*) FROM (SELECT i, j, sum(a.v * b.v) AS value FROM a, b WHERE a.k = b.k GROUP BY i, j) WHERE value > 0 GROUP BY j ORDER BY 1"},
		{"SELECT * FROM einsum('ik,kj->', a, b)", "SELECT sum(a.v * b.v) AS value FROM a, b WHERE a.k = b.k"},
		{"SELECT * FROM einsum('ik,kj->', a, none)", "SELECT sum(a.v) AS value FROM a WHERE false HAVING count(*) > 0"},
		{"SELECT * FROM einsum('ik,kj->ij', a, b, 'max_plus') ORDER BY ALL", "SELECT i, j, max(a.v + b.v) AS value FROM a, b WHERE a.k = b.k GROUP BY i, j ORDER BY ALL"},
		{"SELECT * FROM einsum('ik,kj->ij', a, b, semiring := 'min_plus') ORDER BY ALL", "SELECT i, j, min(a.v + b.v) AS value FROM a, b WHERE a.k = b.k GROUP BY i, j ORDER BY ALL"},
		{"SELECT * FROM einsum('ik,kj->ij', a, b, semiring := 'or_and') ORDER BY ALL", "SELECT i, j, max((a.v <> 0 AND b.v <> 0)::INTEGER) AS value FROM a, b WHERE a.k = b.k GROUP BY i, j ORDER BY ALL"},
		{"SELECT * FROM einsum('ab,bc,ca->', e, e, e, 'count')", "SELECT count(*) AS value FROM e x, e y, e z WHERE x.dst = y.src AND y.dst = z.src AND z.dst = x.src"},
		{"SELECT * FROM einsum('from via, via to -> from to', 'e(src, dst)', 'e(src, dst)') ORDER BY ALL", `SELECT x.src AS "from", y.dst AS "to", sum(1) AS value FROM e x, e y WHERE x.dst = y.src GROUP BY ALL ORDER BY ALL`},
		{"WITH c AS (SELECT i AS x, k AS y, v FROM a WHERE v > 0), d AS (SELECT * FROM einsum('ik,kj->ij', c, b)) SELECT d.i, u.value FROM d JOIN einsum('ij->j', d) u ON u.j = d.j ORDER BY ALL", "WITH d AS (SELECT i, j, sum(a.v * b.v) AS value FROM a, b WHERE a.k = b.k AND a.v > 0 GROUP BY i, j), u AS (SELECT j, sum(value) AS value FROM d GROUP BY j) SELECT d.i, u.value FROM d JOIN u ON u.j = d.j ORDER BY ALL"},
		{"SELECT *, rank() OVER (ORDER BY value, i, j) FROM einsum('ik,kj->ij', a, b) ORDER BY ALL", "SELECT *, rank() OVER (ORDER BY value, i, j) FROM (SELECT i, j, sum(a.v * b.v) AS value FROM a, b WHERE a.k = b.k GROUP BY i, j) ORDER BY ALL"},
		{"SELECT k, (SELECT sum(value) FROM einsum('ik->i', a)) AS s FROM einsum('kj->k', b) ORDER BY k", "SELECT k, (SELECT sum(v) FROM a) AS s FROM b GROUP BY k ORDER BY k"},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want, columns := s.run(c.sql), s.columns(c.sql)
		for _, backend := range []string{"duckdb", "native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			if backend == "native" && strings.Contains(c.call, "FROM einsum('kj->k'") {
				continue // two blocks without a join
			}
			s.want(c.call, want)
			if backend != "auto" && s.LastBackend() != backend {
				t.Errorf("%s: answered by %s, want %s", c.call, s.LastBackend(), backend)
			}
		}
		if got := s.columns(c.call); got != columns {
			t.Errorf("%s: columns %s, want %s", c.call, got, columns)
		}
	}
}

// TestEinsumStatements: statements that write, keep or explain what a call gives.
func TestEinsumStatements(t *testing.T) {
	s := notationSession(t)
	s.run("SET trireme.backend = 'native'")
	want := s.run("SELECT * FROM einsum('ik,kj->ij', a, b) ORDER BY ALL")
	s.wantTag("INSERT INTO res SELECT * FROM einsum('ik,kj->ij', a, b)", "INSERT 0 28")
	s.run("SET trireme.backend = 'auto'")
	s.want("SELECT * FROM res ORDER BY ALL", want)
	s.run("CREATE VIEW seen AS SELECT * FROM einsum('ik,kj->ij', a, b)")
	s.want("SELECT * FROM seen ORDER BY ALL", want)
	s.run("CREATE TABLE made AS FROM einsum('ik,kj->ij', a, b)")
	s.want("SELECT * FROM made ORDER BY ALL", want)
	s.run("PREPARE q AS SELECT value FROM einsum('ik,kj->ij', a, b) WHERE i = $1 AND j = $2")
	s.want("EXECUTE q(3, 'a')", s.run("SELECT v FROM res WHERE i = 3 AND j = 'a'"))
	s.want("SELECT value FROM einsum('ik,kj->ij', (SELECT i, k, v FROM a WHERE i = 3), b) WHERE j = 'a'", s.run("SELECT v FROM res WHERE i = 3 AND j = 'a'"))
	plan := s.run("EXPLAIN SELECT * FROM einsum('ik,kj->ij', a, b)")
	for _, part := range []string{"backend: native", "reason: nothing is known", "R(i,j) = n: or(k)", "PHYSICAL PLAN"} {
		if !strings.Contains(plan, part) {
			t.Errorf("EXPLAIN has no %q:\n%s", part, plan)
		}
	}
}

// TestEinsumAgain: a prepared statement asks for the columns again when a table has changed.
func TestEinsumAgain(t *testing.T) {
	s := notationSession(t)
	p, err := s.Prepare(context.Background(), "SELECT * FROM einsum('ik->i', a)", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	s.run("ALTER TABLE a RENAME v TO w")
	res, err := p.Execute(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if lines, err := readRows(res); err != nil || len(lines) != 7 {
		t.Errorf("%v, %v", lines, err)
	}
	s.run("ALTER TABLE a ADD COLUMN more INTEGER")
	if _, err := p.Execute(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "operand 1 has 3 modes") {
		t.Errorf("%v", err)
	}
}

// TestEinsumErrors: errors of the expression and of what DuckDB makes of the whole
// statement are at their place in the user's text, marked by ^ here.
func TestEinsumErrors(t *testing.T) {
	s := notationSession(t)
	s.run("CREATE TABLE words (i INTEGER, v VARCHAR)")
	for _, c := range []struct{ sql, code string }{
		{"SELECT * FROM einsum('ik,kj->i^z', a, b)", sqlerr.SyntaxError},
		{"SELECT * FROM einsum('ik^-kj', a, b)", sqlerr.SyntaxError},
		{"SELECT * FROM einsum('ik,kj->ij', a, ^missing)", sqlerr.UndefinedTable},
		{"EXPLAIN SELECT * FROM einsum('ik,kj->ij', a, 'b(k, ^x; v)')", sqlerr.UndefinedColumn},
		{"SELECT i, ^nothing FROM einsum('ik,kj->ij', a, b)", sqlerr.UndefinedColumn},
		{"SELECT i FROM einsum('ik,kj->ij', a, b) WHERE ^nothing = 1", sqlerr.UndefinedColumn},
		{"COPY (SELECT * FROM einsum('ik,k^;->ij', a, b)) TO STDOUT", sqlerr.SyntaxError},
		{"SELECT * FROM ^einsum('i->i', words)", ""},
	} {
		sql, at := strings.Replace(c.sql, "^", "", 1), strings.Index(c.sql, "^")
		_, _, err := s.try(sql)
		e := sqlerr.From(err)
		if err == nil || e.Offset != at || c.code != "" && e.Code != c.code {
			t.Errorf("%s: %s at %d: %v; want %s at %d", sql, e.Code, e.Offset, err, c.code, at)
		}
	}
}
