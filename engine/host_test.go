package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// hostData is small tables to group and join.
const hostData = `CREATE TABLE c (id INTEGER, country VARCHAR, s INTEGER);
CREATE TABLE o (id INTEGER, c INTEGER, x DECIMAL(9,2), d DATE);
CREATE TABLE t (g VARCHAR, n BIGINT);
INSERT INTO c SELECT i, chr(97 + (i % 4)::INTEGER), i % 3 FROM range(40) r(i);
INSERT INTO c VALUES (40, NULL, NULL), (NULL, 'z', 1);
INSERT INTO o SELECT i, nullif(i * 7 % 43, 9), (i % 11) / 4, DATE '2020-01-01' + (i % 60)::INTEGER FROM range(300) r(i);`

func hostSession(t *testing.T) (e *Engine, s testSession) {
	t.Helper()
	e = openEngine(t)
	s = openSession(t, e)
	for _, sql := range strings.Split(hostData, ";\n") {
		s.run(sql)
	}
	return e, s
}

const grouped = "SELECT c.country AS g, count(*) AS n, sum(o.x) AS x FROM c JOIN o ON o.c = c.id GROUP BY c.country"

// hostedSelects are refused as a whole, but have a block.
var hostedSelects = []string{
	"SELECT *, rank() OVER (ORDER BY n DESC, g) FROM (" + grouped + ") q ORDER BY g",
	"SELECT q.g, n / sum(n) OVER () AS share FROM (" + grouped + ") AS q ORDER BY ALL",
	"WITH q AS (" + grouped + ") SELECT g, lag(x) OVER (ORDER BY g) FROM q ORDER BY g",
	"WITH q AS (" + grouped + "), w AS (SELECT g, row_number() OVER (ORDER BY x, g) AS r FROM q) SELECT * FROM w WHERE r < 3 ORDER BY r",
	"SELECT c.country, sum(o.x), rank() OVER (ORDER BY sum(o.x) DESC) FROM c JOIN o ON o.c = c.id GROUP BY c.country ORDER BY 3, 1",
	"SELECT c.country, c.s, sum(o.x) AS v FROM c JOIN o ON o.c = c.id GROUP BY c.country, c.s QUALIFY row_number() OVER (PARTITION BY c.country ORDER BY sum(o.x) DESC, c.s) = 1 ORDER BY country, v",
	"SELECT date_trunc('month', o.d) AS month, sum(o.x) AS v, sum(sum(o.x)) OVER (ORDER BY date_trunc('month', o.d)) FROM c JOIN o ON o.c = c.id GROUP BY month ORDER BY month",
	"SELECT country, count(*) AS n, count(*) * 100 / sum(count(*)) OVER w AS pct FROM c JOIN o ON o.c = c.id GROUP BY 1 WINDOW w AS (PARTITION BY country IS NULL) ORDER BY ALL",
	"SELECT DISTINCT max(count(*)) OVER () FROM c JOIN o ON o.c = c.id GROUP BY c.s",
	"SELECT count(*), count(*) OVER () FROM c JOIN o ON o.c = c.id",
	"SELECT string_agg(g, ',' ORDER BY g) FROM (" + grouped + ") q",
	"SELECT list(n ORDER BY n) FROM (" + grouped + ") q",
	grouped + " UNION ALL SELECT string_agg(country, '' ORDER BY id), 1, 2 FROM c ORDER BY 2, 1",
	"SELECT c.country, q.n FROM c, LATERAL (SELECT count(*) AS n, list(o.x) AS l FROM o WHERE o.c = c.id) q WHERE c.country IN (SELECT g FROM (" + grouped + " ORDER BY n DESC, g LIMIT 2)) ORDER BY ALL",
	"SELECT * FROM (SELECT c.country, o.c AS country, count(*), count(*) FROM c JOIN o ON o.c = c.id GROUP BY 1, 2) q QUALIFY row_number() OVER (ORDER BY 1 + 1) < 99 ORDER BY ALL",
	"SELECT (SELECT count(*) FROM c JOIN o ON o.c = c.id), list(country ORDER BY id) FROM c",
	"WITH q AS (" + grouped + "), p AS (SELECT c.s AS g, count(*) AS n FROM c JOIN o ON o.c = c.id GROUP BY c.s) SELECT (SELECT list(n ORDER BY n) FROM q), (SELECT list(n ORDER BY n) FROM p)",
}

// correlatedSelects list rows, with blocks that read them by equality.
var correlatedSelects = []string{
	"SELECT a.id, (SELECT sum(o.x) FROM o JOIN o p ON o.d = p.d WHERE o.c = a.id) AS v FROM c a ORDER BY a.id",
	"SELECT a.id, (SELECT count(*) FROM o JOIN o p ON o.d = p.d WHERE a.id = o.c), (SELECT count_if(o.x > 1) FROM o, o p WHERE o.c = a.id AND p.c = a.s) FROM c a ORDER BY ALL",
	"SELECT a.country, q.* FROM c a, LATERAL (SELECT count(DISTINCT o.d) AS n, max(p.x) + 1 AS m, coalesce(sum(p.id), -1) FROM o JOIN o p ON o.d = p.d WHERE o.c = a.id) q ORDER BY ALL",
	"SELECT a.id, q.m, q.n FROM c a LEFT JOIN LATERAL (SELECT date_trunc('month', o.d) AS m, count(*) AS n FROM o JOIN o p ON o.c = p.c WHERE o.c = a.id GROUP BY 1 HAVING count(*) > 3 ORDER BY n DESC, m LIMIT 1) q ON true ORDER BY ALL",
	"SELECT id FROM c a WHERE s < (SELECT avg(x) FROM o JOIN t ON n = o.c WHERE o.c = a.id) OR id = (SELECT count(*) FROM o WHERE o.c = s) ORDER BY id",
	"SELECT o.id FROM o WHERE o.x = (SELECT max(p.x) FROM o p JOIN c ON c.id = p.c WHERE p.c = o.c AND p.d = o.d) ORDER BY o.id",
	"SELECT id, (SELECT CASE WHEN count(*) = 0 THEN 'none' ELSE max(d)::VARCHAR END FROM o WHERE o.c = a.id), 2 IN (SELECT count(*) FROM o WHERE o.c = a.id) FROM c a ORDER BY ALL",
	"WITH w AS (SELECT * FROM o WHERE x > 0) SELECT a.id, (SELECT min(w.d) FROM w, o WHERE w.id = o.id AND w.c + 1 = a.id) FROM c a ORDER BY ALL",
	"SELECT country, (SELECT count(*) FROM c b JOIN o ON o.c = b.id WHERE b.country = a.country) FROM c a ORDER BY ALL",
}

// TestCorrelatedSelects: blocks are set apart from the rows that read them, whose own
// statement is DuckDB's, also where a transaction is open.
func TestCorrelatedSelects(t *testing.T) {
	_, s := hostSession(t)
	for _, sql := range correlatedSelects {
		s.equalsDuckDB(sql)
		s.run("SET trireme.backend = 'native'")
		s.run("BEGIN")
		s.run(sql)
		s.run("COMMIT")
		if by := s.LastBackend(); by != "native" {
			t.Errorf("%s: answered by %s", sql, by)
		}
	}
	s.run("SET trireme.backend = 'native'")
	for _, want := range []string{`FROM "temp"."main"."trireme rows 1" WHERE ("trireme block 0" = a.id)`, "LOADS"} {
		if text := s.run("EXPLAIN " + correlatedSelects[0]); !strings.Contains(text, want) {
			t.Errorf("EXPLAIN lacks %s:\n%s", want, text)
		}
	}
}

// TestCorrelatedInWhole: blocks are not set apart where equal values would be several
// groups, where names may mean other columns, or where more is read outside. The SELECT
// around is answered as a whole then, unless a collation says what is equal.
func TestCorrelatedInWhole(t *testing.T) {
	_, s := hostSession(t)
	s.run("CREATE TABLE v (k VARCHAR, f DOUBLE, i VARCHAR COLLATE NOCASE, x INTEGER, s INTEGER)")
	s.run("INSERT INTO v VALUES ('1', 1, 'A', 5, 1), ('01', 1.5, 'a', 7, 2), ('2', 2, 'b', 1, 0), (NULL, NULL, NULL, 3, 1)")
	for _, sql := range []string{
		"SELECT a.id, (SELECT sum(v.x) FROM v JOIN o ON o.id = v.x WHERE v.k = a.id) FROM c a ORDER BY a.id",
		"SELECT o.x, (SELECT count(*) FROM v JOIN o p ON p.id = v.x WHERE v.f = o.x) FROM o ORDER BY ALL",
		"SELECT a.id, (SELECT sum(o.x) FROM o JOIN v ON o.id = v.x WHERE o.c = a.id AND o.x > a.s) FROM c a ORDER BY ALL",
		"SELECT a.id, (SELECT a.s * sum(o.x) FROM o JOIN v ON o.id = v.x WHERE o.c = a.id) FROM c a ORDER BY ALL",
		"SELECT a.id, (SELECT sum(o.x + a.s) FROM o JOIN v ON o.id = v.x WHERE o.c = a.id) FROM c a ORDER BY ALL",
		"SELECT a.id, (SELECT sum(v.x) FROM v WHERE v.s = a.id + 1) FROM c a ORDER BY ALL",
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		s.run("SET trireme.backend = 'native'")
		s.want(sql, want)
		s.run("SET trireme.backend = 'auto'")
		s.want(sql, want)
	}
	s.run("SET trireme.backend = 'native'")
	s.wantError("SELECT v.x, (SELECT count(*) FROM c JOIN o ON o.c = c.id WHERE c.country = v.i) FROM v ORDER BY ALL", "0A000")
	s.run("SET trireme.backend = 'auto'")
	// An alias goes before the column outside: the block reads nothing there.
	s.equalsDuckDB("SELECT a.id, q.* FROM c a, LATERAL (SELECT v.x AS id, count(*) AS n FROM v WHERE v.x = id GROUP BY v.x) q ORDER BY ALL")
}

// TestCorrelatedErrors: an error of a group that nothing asks for leaves the statement
// to DuckDB, also in a transaction.
func TestCorrelatedErrors(t *testing.T) {
	_, s := hostSession(t)
	s.choosesNative()
	s.run("CREATE TABLE b (k INTEGER, x VARCHAR)")
	s.run("INSERT INTO b VALUES (1, '5'), (2, '7'), (99, 'none')")
	sql := "SELECT a.id, (SELECT sum(b.x::INTEGER) FROM b JOIN o ON o.c = b.k WHERE b.k = a.id) FROM c a WHERE a.id IN (1, 2) ORDER BY ALL"
	want := s.duckSorted(sql)
	s.wantError(sql, "0A000")
	s.run("SET trireme.backend = 'auto'")
	for _, begin := range []bool{false, true} {
		if begin {
			s.run("BEGIN")
		}
		s.want(sql, want)
		if by := s.LastBackend(); by != "duckdb" {
			t.Errorf("answered by %s", by)
		}
	}
	s.run("COMMIT")
	s.run("INSERT INTO o VALUES (999, 1, 1, NULL)")
	s.run("UPDATE b SET x = '2147483647' WHERE k = 1")
	sum := "SELECT (SELECT sum(b.x::INTEGER + 1) FROM b JOIN o ON o.c = b.k WHERE b.k = a.id) FROM c a WHERE a.id IN (1, 2)"
	s.wantError(sum, sqlerr.NumericOutOfRange)
}

// TestCorrelatedErrorsAround: what is calculated of the groups is DuckDB's, which does
// so for those that nothing asks for where it does not in the statement itself.
func TestCorrelatedErrorsAround(t *testing.T) {
	_, s := hostSession(t)
	s.run("CREATE TABLE wide (k INTEGER, j INTEGER, u UBIGINT)")
	s.run("INSERT INTO wide VALUES (1, 1, 4), (99, 1, 18446744073709551615)")
	for _, item := range []string{"max(b.u) * 2", "1 + CASE WHEN max(b.u) > 5 THEN max(b.u) ELSE 0 END", "struct_pack(v := max(b.u) * 2)"} {
		sql := "SELECT a.id, (SELECT " + item + " FROM wide b WHERE b.k = a.id AND b.j <> 0) FROM c a ORDER BY ALL"
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		s.run("SET trireme.backend = 'native'")
		if strings.HasPrefix(item, "struct") { // which is made for the rows outside alone
			s.want(sql, want)
		} else {
			s.wantError(sql, "0A000")
		}
		s.run("SET trireme.backend = 'auto'")
		s.choosesNative()
		s.want(sql, want)
		s.run("BEGIN")
		s.want(sql, want)
		s.run("COMMIT")
	}
}

func TestHostedSelects(t *testing.T) {
	_, s := hostSession(t)
	for _, sql := range hostedSelects {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		columns := s.columns(sql)
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(sql, want)
			by := s.LastBackend()
			if backend != "auto" && by != backend || backend == "auto" && by == "duckdb" {
				t.Errorf("%s: answered by %s, backend %s", sql, by, backend)
			}
			if got := s.columns(sql); got != columns {
				t.Errorf("%s: columns %s, want %s", sql, got, columns)
			}
		}
	}
}

// columns are the names and types of a statement's columns.
func (s testSession) columns(sql string) string {
	s.t.Helper()
	p, err := s.Prepare(s.t.Context(), sql, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer p.Close()
	var out []string
	for _, c := range p.Columns() {
		out = append(out, c.Name+" "+c.Type.String())
	}
	return strings.Join(out, ", ")
}

// hostedWrites are statements that write, what they have written, and what undoes it.
var hostedWrites = []struct{ sql, tag, check, undo string }{
	{"CREATE TABLE made AS " + grouped, "CREATE TABLE", "SELECT * FROM made ORDER BY ALL", "DROP TABLE made"},
	{"CREATE OR REPLACE TABLE made AS SELECT *, x / 2 AS half FROM (" + grouped + ") q", "CREATE TABLE", "SELECT *, typeof(n), typeof(x) FROM made ORDER BY ALL", "DROP TABLE made"},
	{"CREATE TEMP TABLE made AS WITH q AS (" + grouped + ") SELECT g, rank() OVER (ORDER BY x) AS r FROM q", "CREATE TABLE", "SELECT * FROM made ORDER BY ALL", "DROP TABLE made"},
	{"INSERT INTO t SELECT g, n FROM (" + grouped + ") q", "INSERT 0 6", "SELECT * FROM t ORDER BY ALL", "DELETE FROM t"},
	{"INSERT INTO t (n) SELECT count(*) FROM c JOIN o ON o.c = c.id GROUP BY c.country", "INSERT 0 6", "SELECT * FROM t ORDER BY ALL", "DELETE FROM t"},
	{"INSERT INTO t WITH q AS (" + grouped + ") SELECT g, n + 1 FROM q", "INSERT 0 6", "SELECT * FROM t ORDER BY ALL", "DELETE FROM t"},
	{"INSERT INTO t BY NAME " + "SELECT count(*) AS n, c.country AS g FROM c JOIN o ON o.c = c.id GROUP BY c.country", "INSERT 0 6", "SELECT * FROM t ORDER BY ALL", "DELETE FROM t"},
	{"UPDATE c SET s = s + 10 WHERE id IN (SELECT a.c FROM o a JOIN o b ON a.c = b.c GROUP BY a.c HAVING count(*) > 36)", "UPDATE 39", "SELECT id, s FROM c ORDER BY ALL", "UPDATE c SET s = s - 10 WHERE s >= 10"},
	{"DELETE FROM t WHERE n < (SELECT count(*) FROM c JOIN o ON o.c = c.id)", "DELETE 0", "SELECT * FROM t", "DELETE FROM t"},
}

func TestHostedWrites(t *testing.T) {
	_, s := hostSession(t)
	for _, w := range hostedWrites {
		s.run("SET trireme.backend = 'duckdb'")
		_, tag, err := s.try(w.sql)
		if err != nil {
			t.Fatal(err)
		}
		want := s.run(w.check)
		s.run(w.undo)
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			for _, tx := range []bool{false, true} {
				if tx {
					s.run("BEGIN")
				}
				s.wantTag(w.sql, tag)
				if by := s.LastBackend(); by == "duckdb" || backend != "auto" && by != backend {
					t.Errorf("%s: executed by %s, backend %s", w.sql, by, backend)
				}
				s.run("SET trireme.backend = 'duckdb'")
				s.want(w.check, want)
				if tx {
					s.run("ROLLBACK")
					continue
				}
				s.run(w.undo)
				s.run("SET trireme.backend = '" + backend + "'")
			}
		}
		s.run("SET trireme.backend = 'duckdb'")
		s.want("SELECT count(*) FROM duckdb_tables() WHERE temporary", "0")
	}
}

// TestHostedWritesOfWhatTheyRead: blocks read a table as it is before the statement
// writes it. What the transaction has written before is DuckDB's to read.
func TestHostedWritesOfWhatTheyRead(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, v INTEGER, n INTEGER)")
	s.run("INSERT INTO a (k, v) SELECT range % 7, range % 5 FROM range(40)")
	for _, c := range []struct{ sql, check, want string }{
		{"INSERT INTO a (k, v) SELECT x.k, count(*) FROM a x JOIN a y ON x.k = y.v GROUP BY x.k", "SELECT count(*), sum(v) FROM a", ""},
		{"UPDATE a SET v = 100 WHERE k IN (SELECT x.k FROM a x JOIN a y ON x.k = y.v GROUP BY x.k HAVING count(*) > 40)", "SELECT count(*) FROM a WHERE v = 100", ""},
		{"DELETE FROM a WHERE k IN (SELECT x.v FROM a x JOIN a y ON x.k = y.k WHERE x.v > 2 GROUP BY x.v HAVING count(*) > 1)", "SELECT count(*) FROM a", ""},
		// DuckDB alone finds no row.
		{"DELETE FROM a WHERE k IN (SELECT k FROM a WHERE n IS DISTINCT FROM 1 OR n > 0 GROUP BY k HAVING count(*) = 5)", "SELECT count(*) FROM a", "30"},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		s.run("BEGIN")
		before := s.run(c.check)
		s.run(c.sql)
		want := s.run(c.check)
		s.run("ROLLBACK")
		if c.want != "" {
			want = c.want
		}
		if want == before {
			t.Errorf("%s writes nothing", c.sql)
		}
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.run("BEGIN")
			s.run(c.sql)
			if by := s.LastBackend(); by == "duckdb" || backend != "auto" && by != backend {
				t.Errorf("%s: executed by %s, backend %s", c.sql, by, backend)
			}
			s.run(strings.ReplaceAll(c.sql, "= 100 ", "= v "))
			if by := s.LastBackend(); by != "duckdb" {
				t.Errorf("%s again: executed by %s, backend %s", c.sql, by, backend)
			}
			s.run("ROLLBACK")
			s.run("BEGIN")
			s.run(c.sql)
			s.run("SET trireme.backend = 'duckdb'")
			s.want(c.check, want)
			s.run("ROLLBACK")
		}
	}
}

// TestHostedWriterAndReader: what a statement has read to write it is not kept as what
// is there afterwards.
func TestHostedWriterAndReader(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE log (n INTEGER, z INTEGER)")
	s.run("CREATE TABLE one AS SELECT 1 AS z")
	for _, s := range []testSession{s, other} {
		s.run("SET trireme.backend = 'native'")
	}
	done := make(chan error, 1)
	go func() {
		for range 60 {
			if _, _, err := s.try("INSERT INTO log SELECT count(*), 1 FROM log JOIN one USING (z)"); err != nil {
				done <- err
				return
			}
			if by := s.LastBackend(); by != "native" {
				done <- fmt.Errorf("executed by %s", by)
				return
			}
		}
		done <- nil
	}()
	read := 0
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		out, _, err := other.try("SELECT count(*), coalesce(max(n), -1) + 1 FROM log JOIN one USING (z)")
		if _, no := refusal(err); no {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if p := strings.Split(out, "|"); p[0] != p[1] {
			t.Fatalf("%s rows, the last of which says %s", p[0], p[1])
		}
		read++
	}
	other.want("SELECT count(*), max(n) + 1 FROM log JOIN one USING (z)", "60|60")
	t.Logf("read %d times beside the writer", read)
}

// TestHostedParameters binds parameters inside and outside blocks, NULL too.
func TestHostedParameters(t *testing.T) {
	_, s := hostSession(t)
	for _, sql := range []string{
		"SELECT g, n, rank() OVER (ORDER BY n) + $1::INTEGER FROM (SELECT c.country AS g, count(*) AS n FROM c JOIN o ON o.c = c.id WHERE o.x < $2::INTEGER GROUP BY 1) q ORDER BY ALL",
		"SELECT g, n, rank() OVER (ORDER BY n) + $2::INTEGER FROM (SELECT c.country AS g, count(*) AS n FROM c JOIN o ON o.c = c.id WHERE o.x < $1::INTEGER GROUP BY 1) q ORDER BY ALL",
		"SELECT c.country, sum(o.x * $2::INTEGER), row_number() OVER (ORDER BY c.country) FROM c JOIN o ON o.c = c.id WHERE c.id > $1::INTEGER GROUP BY c.country ORDER BY ALL",
		"SELECT c.country, count(*) FROM c JOIN o ON o.c = c.id WHERE o.x < $2::INTEGER GROUP BY c.country ORDER BY 2, 1 LIMIT $1",
		"SELECT c.s + $1::INTEGER AS k, count(*), row_number() OVER (ORDER BY c.s + $1::INTEGER) FROM c JOIN o ON o.c = c.id WHERE c.id > $2::INTEGER GROUP BY c.s + $1::INTEGER ORDER BY ALL",
	} {
		for _, args := range [][]Arg{{{Text: "2"}, {Text: "3"}}, {{Null: true}, {Text: "1"}}, {{Text: "1"}, {Null: true}}} {
			s.run("SET trireme.backend = 'duckdb'")
			want := s.bound(sql, args)
			for _, backend := range []string{"native", "decomposed", "auto"} {
				s.run("SET trireme.backend = '" + backend + "'")
				if got := s.bound(sql, args); got != want {
					t.Errorf("%s %v on %s: %q, want %q", sql, args, backend, got, want)
				}
				if s.LastBackend() == "duckdb" {
					t.Errorf("%s: answered by DuckDB", sql)
				}
			}
		}
	}
}

func (s testSession) bound(sql string, args []Arg) string {
	s.t.Helper()
	p, err := s.Prepare(s.t.Context(), sql, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Execute(s.t.Context(), args)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := readAll(res)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// TestHostedErrors: an error of the statement around a block is DuckDB's, at its
// place in the user's text, and nothing is left behind.
func TestHostedErrors(t *testing.T) {
	_, s := hostSession(t)
	for _, sql := range []string{
		"SELECT q.g, rank() OVER (ORDER BY n), CAST(q.g AS INTEGER) FROM (" + grouped + ") q",
		"INSERT INTO t SELECT g, CAST(g AS INTEGER) FROM (" + grouped + ") q",
		"CREATE TABLE made AS SELECT g, CAST(g AS INTEGER) FROM (" + grouped + ") q",
	} {
		var want string
		for _, backend := range []string{"duckdb", "native", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			e := s.wantError(sql, "22P02")
			if got := e.Error(); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s: %s, want %s", backend, got, want)
			}
		}
		s.run("SET trireme.backend = 'duckdb'")
		s.want("SELECT count(*) FROM duckdb_tables() WHERE temporary OR table_name = 'made'", "0")
		s.want("SELECT count(*) FROM t", "0")
		s.wantStatus(TxIdle)
	}
}

// TestHostedPanic: a panic in the second block leaves nothing of the first one.
func TestHostedPanic(t *testing.T) {
	_, s := hostSession(t)
	sql := "SELECT (SELECT list(n) FROM (" + grouped + ") a), (SELECT list(n) FROM (SELECT count(*) AS n FROM c JOIN o ON o.c = c.id) b)"
	s.run("SET trireme.backend = 'native'")
	want := s.run(sql)
	for _, begin := range []bool{false, true} {
		if begin {
			s.run("BEGIN")
		}
		s.executeBroken(sql)
		if begin {
			s.run("ROLLBACK")
		}
		s.wantStatus(TxIdle)
		s.want(sql, want)
		s.run("SET trireme.backend = 'duckdb'")
		s.want("SELECT count(*) FROM duckdb_tables() WHERE temporary", "0")
		s.run("SET trireme.backend = 'native'")
	}
}

// executeBroken executes a statement whose second block panics.
func (s testSession) executeBroken(sql string) {
	s.t.Helper()
	p, err := s.Prepare(s.t.Context(), sql, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer p.Close()
	h := p.stmt.(*hosted)
	var taken []*sqlfront.Block
	var find func([]*sqlfront.Block)
	find = func(blocks []*sqlfront.Block) {
		for _, b := range blocks {
			if h.blocks[b] != nil {
				taken = append(taken, b)
			} else {
				find(b.Inner)
			}
		}
	}
	find(h.cut.Blocks)
	h.blocks[taken[1]] = &hostedBlock{sel: &tensorSelect{}} // without a route
	if _, err := p.Execute(s.t.Context(), nil); err == nil || sqlerr.From(err).Code != sqlerr.InternalError {
		s.t.Fatalf("error %v, want a panic's", err)
	}
}

// TestHostedRefused: what cannot have a block is refused, or DuckDB's.
func TestHostedRefused(t *testing.T) {
	_, s := hostSession(t)
	for _, sql := range []string{
		"SELECT id, rank() OVER (ORDER BY id) FROM c",
		"SELECT * FROM c WHERE s = (SELECT random())",
	} {
		s.run("SET trireme.backend = 'native'")
		s.wantError(sql, "0A000")
		s.run("SET trireme.backend = 'auto'")
		s.run(sql)
		if by := s.LastBackend(); by != "duckdb" {
			t.Errorf("%s: answered by %s", sql, by)
		}
	}
	// A transaction that has written what a block reads is DuckDB's.
	s.run("SET trireme.backend = 'auto'")
	s.run("BEGIN")
	s.run("INSERT INTO o VALUES (1000, 1, 5, NULL)")
	sql := hostedSelects[0]
	got := s.run(sql)
	if by := s.LastBackend(); by != "duckdb" {
		t.Errorf("after a write of its own: answered by %s", by)
	}
	s.run("COMMIT")
	s.want(sql, got)
	if by := s.LastBackend(); by != "native" {
		t.Errorf("after the commit: answered by %s", by)
	}
}

// TestHostedSnapshot: blocks and the statement around them see the same rows
// while another session writes.
func TestHostedSnapshot(t *testing.T) {
	e, s := hostSession(t)
	s.run("CREATE TABLE a (k INTEGER, v INTEGER)")
	s.run("CREATE TABLE b (k INTEGER)")
	s.run("INSERT INTO b SELECT range FROM range(5)")
	s.run("INSERT INTO a SELECT range, 1 FROM range(5)")
	other := openSession(t, e)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if _, _, err := other.try("INSERT INTO a SELECT range, 1 FROM range(5)"); err != nil {
				done <- err
				return
			}
		}
	}()
	// The block counts the joined rows, the rest the rows of the table.
	sql := "SELECT q.n, (SELECT len(list(k)) FROM a), rank() OVER (ORDER BY n) FROM (SELECT count(*) AS n FROM a JOIN b ON a.k = b.k) q"
	hosted := 0
	for range 60 {
		p := strings.Split(s.run(sql), "|")
		if p[0] != p[1] {
			t.Fatalf("the block has seen %s rows, the statement around it %s", p[0], p[1])
		}
		if s.LastBackend() == "native" {
			hosted++
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	s.force("native") // auto may have found DuckDB faster by now
	if p := strings.Split(s.run(sql), "|"); p[0] != p[1] || s.LastBackend() != "native" {
		t.Errorf("without a writer: %v answered by %s", p, s.LastBackend())
	}
	t.Logf("%d of 60 with a block", hosted)
}

func TestExplainHosted(t *testing.T) {
	_, s := hostSession(t)
	s.run("SET trireme.backend = 'native'")
	s.run("CREATE TABLE e AS SELECT c AS src, id % 9 AS dst FROM o")
	for i, sql := range append(hostedSelects, recursions[0]) {
		around := "trireme rows 1"
		if i == len(hostedSelects) { // of which DuckDB gets nothing
			around = groupedText
		}
		for _, explain := range []string{"EXPLAIN ", "EXPLAIN ANALYZE "} {
			text := s.run(explain + sql)
			for _, want := range []string{"backend: native (block of a DuckDB statement)", "reason: ", "TENSOR PROGRAM", "STATEMENT AROUND THE BLOCKS (DUCKDB)", around} {
				if !strings.Contains(text, want) {
					t.Errorf("%s%s: no %q in %s", explain, sql, want, text)
				}
			}
		}
		if text := s.run("EXPLAIN (FORMAT JSON) " + sql); !strings.Contains(text, `"host": `) {
			t.Errorf("EXPLAIN (FORMAT JSON) %s: %s", sql, text)
		}
	}
}

// An internal error that DuckDB's optimizer makes of the statement around a block is no
// answer: auto gives DuckDB the user's own text, a forced backend refuses.
func TestHostedTextThatDuckDBFails(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.choosesNative()
	s.run("CREATE TABLE a (k INTEGER, m FLOAT)")
	s.run("INSERT INTO a VALUES (2, 2.0)")
	s.run("CREATE TABLE b (k INTEGER)")
	s.run("INSERT INTO b VALUES (NULL), (3)")
	s.run("CREATE TABLE c (k INTEGER)")
	s.run("INSERT INTO c VALUES (3), (NULL)")
	sql := `WITH w AS (SELECT count(*) AS n, sum(k) AS u FROM b)
		SELECT a.k IS NULL, approx_quantile(a.k, 0.5) FROM a ANTI JOIN w ON a.m = w.u AND a.m > w.n
		WHERE a.k NOT IN (SELECT k FROM b WHERE b.k = a.k) AND NOT EXISTS (SELECT 1 FROM c JOIN c d ON c.k = d.k)
		GROUP BY a.k IS NULL`
	s.run("SET trireme.backend = 'native'")
	_, _, err := s.try(sql)
	if reason, no := refusal(err); !no || !strings.HasPrefix(reason, "DuckDB fails over the rows of a block: ") {
		t.Errorf("native: %v", err)
	}
	want := s.duckSorted(sql)
	s.run("SET trireme.backend = 'auto'")
	s.want(sql, want)
	s.want("SELECT count(*) FROM a", "1")
}

// TestOrWhole says after which errors of the text around a block DuckDB is asked for
// the user's own.
func TestOrWhole(t *testing.T) {
	for _, c := range []struct {
		code  string
		own   bool // the transaction is the statement's own
		again bool
	}{
		{sqlerr.InternalError, true, true},
		{sqlerr.FeatureNotSupported, true, true}, // "Unimplemented type for mark join!", seen by the size of a table
		{sqlerr.NumericOutOfRange, true, false},
		{sqlerr.QueryCanceled, true, false},
		{sqlerr.InternalError, false, false},
	} {
		a := &hosting{own: c.own}
		err := sqlerr.New(c.code, "why")
		got := a.orWhole(err)
		if again := errors.Is(got, errNoBlock); again != c.again || again != strings.HasSuffix(a.reason, ": why") || !again && !errors.Is(got, err) {
			t.Errorf("%s, own %v: %v, reason %q", c.code, c.own, got, a.reason)
		}
	}
}
