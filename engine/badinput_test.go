package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// badBackends are the settings under which bad input is tried.
var badBackends = []string{"auto", "native", "decomposed", "duckdb"}

// openBad is a session with two small tables and a second one beside it, which
// must not be harmed.
func openBad(t *testing.T) (s, beside testSession) {
	t.Helper()
	e := openEngine(t)
	s, beside = openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t (x INTEGER, s VARCHAR)")
	s.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
	s.run("CREATE TABLE u (x INTEGER, d DATE)")
	s.run("INSERT INTO u VALUES (1, '2024-01-01'), (1, '2024-01-02')")
	return s, beside
}

const joined = "SELECT count(*) FROM t JOIN u ON t.x = u.x"

// wantBad runs a statement that is wrong, or too much, under every backend: it
// gives one of the codes, where "ok" stands for an answer, which a forced backend
// may refuse with 0A000. Afterwards both sessions answer.
func wantBad(t *testing.T, s, beside testSession, sql string, codes []string, args ...string) {
	t.Helper()
	shown := fmt.Sprintf("%.80q", sql)
	for _, backend := range badBackends {
		s.run("SET trireme.backend = '" + backend + "'")
		_, _, err := s.try(sql, args...)
		code := "ok"
		if err != nil {
			e := sqlerr.From(err)
			code = e.Code
			if e.Message == "" {
				t.Errorf("%s on %s: no message", shown, backend)
			}
			if e.Offset > len(sql) {
				t.Errorf("%s on %s: offset %d of %d bytes", shown, backend, e.Offset, len(sql))
			}
		}
		forced := backend == "native" || backend == "decomposed"
		if refused := code == sqlerr.FeatureNotSupported; refused && !forced ||
			!slices.Contains(codes, code) && !(refused && slices.Contains(codes, "ok")) {
			t.Errorf("%s on %s: %s, want one of %v; error %.300v", shown, backend, code, codes, err)
		}
		s.wantStatus(TxIdle)
		s.want(joined, "2")
		beside.want(joined, "2")
	}
}

func TestMalformedStatements(t *testing.T) {
	s, beside := openBad(t)
	for _, c := range []struct{ sql, codes string }{
		{"SELEC 1", "42601"},
		{"SELECT FROM WHERE", "42601"},
		{"SELECT count(*) FROM t JOIN", "42601"},
		{"SELECT count(*) FROM t JOIN u ON", "42601"},
		{"SELECT count(* FROM t, u", "42601"},
		{"SELECT 1)", "42601"},
		{"SELECT (1", "42601"},
		{"SELECT 'open", "42601"},
		{`SELECT "open`, "42601"},
		{"SELECT $$open", "42601"},
		{"SELECT 1 /* open", "42601"},
		{"SELECT 1; SELECT 2", "42601"},
		{"SELECT count(*) FROM t, u GROUP BY GROUP BY", "42601"},
		{"SELECT \x00", "42601 22021"},
		{"SELECT 'a\x00b'", "42601 22021"},
		{"SELECT count(*) FROM t\x00, u", "42601 22021"},
		{"SELECT '\xff\xfe'", "22021 22023"},
		{"SELECT count(*) FROM t, u WHERE t.s = '\xc3('", "22021 22023"},
		{"\ufeffSELECT 1", "42601 ok"},
		{"SELECT $0", "08P01 0A000"},
		{"SELECT 1::nothing", "42704"},
		{"SELECT * FROM missing", "42P01"},
		{"SELECT count(*) FROM t JOIN missing m ON t.x = m.x", "42P01"},
		{"SELECT count(*) FROM nowhere.t JOIN u ON t.x = u.x", "42P01 3F000"},
		{"SELECT nothing FROM t", "42703"},
		{"SELECT count(*) FROM t JOIN u ON t.x = u.nothing", "42703"},
		{"SELECT count(*) FROM t JOIN u USING (nothing)", "42703 42704"},
		{"SELECT sum(t.nothing) FROM t, u WHERE t.x = u.x", "42703"},
		{"SELECT sum(v.x) FROM t, u WHERE t.x = u.x", "42P01"},
		{"SELECT sum(x) FROM t, u", "42702"},
		{"SELECT count(*) FROM t, t", "42712 42P09 ok"},
		{"SELECT t.x, count(*) FROM t, u", "42803"},
		{"SELECT count(*) FROM t, u WHERE count(*) > 1", "42803"},
		{"SELECT sum(count(*)) FROM t, u", "42803 42601"},
		{"SELECT nothing(t.x) FROM t, u", "42883"},
		{"SELECT sum(t.s) FROM t, u WHERE t.x = u.x", "42883 42804"},
		{"SELECT count(*) FROM t, u WHERE t.x = 'abc'", "22P02 0A000"},
		{"SELECT count(*) FROM t, u WHERE u.d = 'not a day' AND t.x = u.x", "22P02 22007 22008 0A000"},
		{"SELECT t.x, count(*) FROM t, u GROUP BY 7", "42P10 42703 42601"},
		{"SELECT count(*) FROM t, u ORDER BY 7", "42P10 42703 42601"},
		{"SELECT count(*) FROM t, u LIMIT -1", "2201W 22023 42601 ok"},
		{"SELECT count(*) FROM t, u WHERE t.x = u.x AND t.x / 0 = 1", "22012 ok"},
	} {
		wantBad(t, s, beside, c.sql, strings.Fields(c.codes))
	}
}

func TestWrongParameters(t *testing.T) {
	s, beside := openBad(t)
	const sql = joined + " WHERE t.x = $1"
	for _, c := range []struct {
		sql, codes string
		args       []string
	}{
		{sql, "08P01", nil},
		{sql, "08P01", []string{"1", "2"}},
		{sql, "22P02", []string{"no number"}},
		{sql, "22P02", []string{""}},
		{sql, "22003 22P02", []string{"99999999999999999999"}},
		{sql, "22P02", []string{"1.5"}},
		{sql, "22P02", []string{"1e0"}},
		{joined + " WHERE t.x = $2", "08P01 42P18 42P02", []string{"1"}},
		{joined + " WHERE u.d = $1", "22P02 22007 22008", []string{"no day"}},
		{joined + " WHERE t.s = $1", "ok 22021", []string{"a\x00b"}},
		{joined + " WHERE t.s = $1", "22P02", []string{"\xff"}},
		{joined + " WHERE t.x = $99999", "08P01 0A000", []string{"1"}},
		{"SELECT $1", "ok 42P18", []string{"1"}},
	} {
		wantBad(t, s, beside, c.sql, strings.Fields(c.codes), c.args...)
	}
	// A client that names a type is held to it.
	for _, backend := range badBackends {
		s.run("SET trireme.backend = '" + backend + "'")
		p, err := s.Prepare(t.Context(), sql, []rows.Type{{ID: rows.Date}})
		if err == nil {
			_, err = p.Execute(t.Context(), []Arg{{Text: "2024-01-01"}})
			if cerr := p.Close(); cerr != nil {
				t.Error(cerr)
			}
		}
		code := "" // a forced backend declines what DuckDB's scan raises
		if err != nil {
			code = sqlerr.From(err).Code
		}
		if !strings.HasPrefix(code, "22") && code != "42804" && (code != sqlerr.FeatureNotSupported || backend == "auto" || backend == "duckdb") {
			t.Errorf("%s: a DATE for an INTEGER gives %v", backend, err)
		}
		s.want(joined, "2")
	}
}

// nested repeats a form around a core.
func nested(n int, open, core, end string) string {
	return strings.Repeat(open, n) + core + strings.Repeat(end, n)
}

// Statements that are far too long or too deep end with an error of their own,
// or are answered; the process and its sessions stay.
func TestEnormousStatements(t *testing.T) {
	s, beside := openBad(t)
	const mega = 1 << 20
	s.run("SET statement_timeout = '3s'")
	var list strings.Builder
	for i := range 60000 {
		fmt.Fprintf(&list, ", %d", i)
	}
	for _, c := range []struct{ name, sql, codes string }{
		{"parentheses", joined + " WHERE " + nested(10000, "(", "t.x = 1", ")"), "54001 54000 42601 ok"},
		{"open parentheses", "SELECT " + strings.Repeat("(", 10000), "54001 54000 42601"},
		{"subqueries", "SELECT count(*) FROM " + nested(2000, "(SELECT * FROM ", "t", ") q"), "54001 54000 42601 ok"},
		// DuckDB's own time to bind these doubles with each level.
		{"aggregates of aggregates", "SELECT sum(n) FROM " + nested(12, "(SELECT sum(n) AS n FROM ", "(SELECT count(*) AS n FROM t, u)", " q)"), "54001 54000 42601 ok"},
		{"sum", joined + " WHERE t.x = 1" + strings.Repeat(" + 1", 20000), "54001 54000 42601 ok"},
		{"not", joined + " WHERE " + strings.Repeat("NOT ", 10001) + "(t.x = 1)", "54001 54000 42601 ok"},
		{"minus", joined + " WHERE t.x = " + strings.Repeat("- ", 10001) + "1", "54001 54000 42601 ok"},
		{"case", joined + " WHERE t.x = " + nested(2000, "CASE WHEN t.x = 1 THEN ", "1", " END"), "54001 54000 42601 ok"},
		{"and", joined + " WHERE t.x = 1" + strings.Repeat(" AND t.x = 1", 5000), "54001 54000 42601 ok"},
		{"in list", joined + " WHERE t.x IN (1" + list.String() + ")", "54001 54000 ok"},
		{"literal", joined + " WHERE t.s = '" + strings.Repeat("x", mega) + "'", "ok"},
		{"comment", joined + " /* " + strings.Repeat("x", mega) + " */", "ok"},
		{"spaces", strings.Repeat(" \n", mega/2) + joined, "ok"},
		{"identifier", "SELECT count(*) AS " + strings.Repeat("x", mega) + " FROM t, u", "ok 42622 54000"},
		{"column", "SELECT " + strings.Repeat("x", mega) + " FROM t, u", "42703"},
		{"garbage", strings.Repeat("x ", mega/2), "42601 54001 54000"},
		{"keywords", strings.Repeat("SELECT ", mega/8), "42601 54001 54000"},
		{"stars", "SELECT " + strings.Repeat("*", mega/4), "42601 54001 54000"},
		{"brackets", "SELECT " + nested(5000, "[", "1", "]"), "42601 54001 54000 ok"},
		{"block comments", nested(20000, "/*", "", "*/") + joined, "42601 54001 54000 ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			codes := append(strings.Fields(c.codes), sqlerr.QueryCanceled)
			wantBad(t, testSession{s.Session, t}, testSession{beside.Session, t}, c.sql, codes)
		})
	}
}

// A parameter's text need not be in the form that a tensor's keys have.
func TestParametersInOtherForms(t *testing.T) {
	s, _ := openBad(t)
	for _, c := range []struct{ sql, arg, want string }{
		{joined + " WHERE t.x = $1", "1", "2"},
		{joined + " WHERE t.x = $1", "+1", "2"},
		{joined + " WHERE t.x = $1", " 1 ", "2"},
		{joined + " WHERE t.x = $1", "001", "2"},
		{joined + " WHERE t.x = $1", "-1", "0"},
		{joined + " WHERE u.d = $1", "2024-1-2", "1"},
		{joined + " WHERE t.s = $1", "a", "2"},
		{joined + " WHERE t.s = $1", " a", "0"},
	} {
		for _, backend := range badBackends {
			s.run("SET trireme.backend = '" + backend + "'")
			if got, _, err := s.try(c.sql, c.arg); err != nil || got != c.want {
				t.Errorf("%s with %q on %s: %s, want %s, error %v", c.sql, c.arg, backend, got, c.want, err)
			}
		}
	}
}
