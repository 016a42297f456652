//go:build !duckdb_use_lib

package duckbackend

import (
	"context"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// What works within one row stops when it is interrupted: what comes after it in the row is not
// begun. With more in the row each of these takes many seconds, and those with regular expressions hours.
func TestInterruptEndsWorkWithinARow(t *testing.T) {
	db := openMemory(t)
	conn := openConn(t, db)
	went := false
	err := db.register(Functions{Scalars: []ScalarFunction{
		{Name: "interrupt_here", Call: func(uint64, int64) (bool, error) { conn.Interrupt(); return true, nil }},
		{Name: "go_on", Call: func(uint64, int64) (bool, error) { went = true; return true, nil }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, conn, "CREATE TABLE one AS SELECT repeat('a', 100000) AS s, range(100000) AS l, repeat('a,', 1000000) AS c, 1 AS k")
	for _, value := range []string{
		"len(regexp_extract_all(s, 'a*b|a'))", "length(regexp_replace(s, 'a*b|a', 'x', 'g'))", "len(regexp_split_to_array(s, 'a*b|a'))",
		"len(list_distinct(l))", "list_has_all(l, l)", "list_has_any(l, list_transform(l, lambda x: -x - 1))", "len(list_intersect(l, l))",
		"cardinality(map_from_entries(list_zip(l, l)))", "map(l, l) IS NULL", "list_aggregate(l, 'mode')", "list_aggregate(l, 'histogram') IS NULL", "list_unique(l)",
		"len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2000-01-02' + to_days(k), INTERVAL 1 second))", "len(generate_series(TIMESTAMP '2000-01-02' + to_days(k), TIMESTAMP '2000-01-01', INTERVAL '-1 second'))",
		"len(range(TIMESTAMPTZ '2000-01-01', TIMESTAMPTZ '2000-01-02' + to_days(k), INTERVAL 1 second))", "len(generate_series(DATE '2000-01-01', (DATE '2000-01-02' + to_days(k))::DATE, INTERVAL 1 second))",
		"len(equi_width_bins(0, k * 10000000, 100000, true))", "len(equi_width_bins(0::DOUBLE, k::DOUBLE, 100000, true))",
		"len(equi_width_bins(TIMESTAMP '2000-01-01', TIMESTAMP '2000-01-02' + to_days(k), 100000, false))",
		"l::VARIANT IS NULL", "v::VARCHAR", "v::BIGINT[] IS NULL",
		"len(string_split(c, ','))", "len(array_to_string(range(1000000 * k), ','))", "len(l::VARCHAR)", "len(('[' || c || ']')::VARCHAR[])", "length(to_json(l)::VARCHAR)",
	} {
		went = false
		err := runs(ctx, conn, "SELECT interrupt_here(k), "+value+", go_on(k) FROM (SELECT *, l::VARIANT AS v FROM one)")
		if !isCancel(err) || went {
			t.Errorf("%s: %v, want %s; it went on: %v", value, err, sqlerr.QueryCanceled, went)
		}
	}
	if got := query(t, conn, "SELECT len(list_distinct([1, 1, 2])), regexp_replace('aab', 'a', 'x', 'g')"); got != "2|xxb\n" {
		t.Errorf("after interrupts: %s", got)
	}
}

// What would not stop for long is not begun.
func TestLongWorkWithinARowIsRefused(t *testing.T) {
	conn := openConn(t, openMemory(t))
	for _, value := range []string{
		"repeat('9', 60000)::BIGNUM", "'-1' || repeat('0', 60000) = d::BIGNUM::VARCHAR", "regexp_extract(s, '^(a*)(a?){400}$', 1)", "regexp_extract_all(s, '(a*)(a?){400}', 2)", "regexp_matches(d, s)", "'x' SIMILAR TO s", "string_split_regex('a', s)", "regexp_replace('a', s, 'b')",
		"format('{:.100001f}', 1.5)", "format('{:.100001e}', 1.5::DOUBLE)", "format('{:.2147483647g}', 1.5::FLOAT)", "format('{:.{}f}', 1.5, 2000000)", "printf('%.100001f', 1.5)", "printf('%.*f', 2000000, 1.5)", "printf('%.100001a', 1.5)",
		"format('{:.100001f}', 1.5::DECIMAL(30, 2))", "format('{:.100001f}', 1::UBIGINT::DOUBLE)",
	} {
		err := runs(ctx, conn, "SELECT "+value+" FROM (SELECT repeat('a', 3000000) AS s, repeat('9', 70000) AS d)")
		if err == nil || sqlerr.From(err).Code != sqlerr.ProgramLimit {
			t.Errorf("%s: %v", value, err)
		}
	}
	// Of a number that is calculated, as a part of another value.
	err := runs(ctx, conn, "WITH RECURSIVE r(n, i) AS (SELECT repeat('9', 50000)::BIGNUM, 0 UNION ALL SELECT n + n, i + 1 FROM r WHERE i < 400) SELECT [n] FROM r WHERE i = 400")
	wantCode(t, err, sqlerr.ProgramLimit)
	for sql, want := range map[string]string{
		"SELECT length(format('{:.100000f}', 1.5)), length(printf('%.99999e', 0.1)), printf('%.2f', 1.256)":                      "100002|100005|1.26\n",
		"SELECT repeat('9', 50000)::BIGNUM::VARCHAR = repeat('9', 50000), left(('-' || repeat('1', 40000))::BIGNUM::VARCHAR, 4)": "1|-111\n",
		"SELECT length(regexp_extract(repeat('a', 3000000), '^(a*)(a?){3}$', 1))":                                                "3000000\n",
	} {
		if got := query(t, conn, sql); got != want {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// A long text is found in another one in time for the bytes of both: here DuckDB would compare
// a million bytes at each of two million places.
func TestLongTextsAreFound(t *testing.T) {
	conn := openConn(t, openMemory(t))
	mustExec(t, conn, "CREATE TABLE one AS SELECT repeat('b', 2000000) AS s, repeat('b', 1000000) || 'ac' AS w")
	for sql, want := range map[string]string{
		"SELECT instr(s, w), position(w IN s || w), strpos(s || w || s, w) FROM one":                                                                               "0|2000001|2000001\n",
		"SELECT instr('hello', 'l'), instr('hello', ''), instr('', 'a'), replace('aXbX', 'X', 'yy'), instr('a', NULL)":                                             "3|1|0|ayybyy|NULL\n",
		"SELECT instr(repeat('é', 100) || 'z', repeat('é', 50) || 'z')":                                                                                            "51\n",
		"SELECT replace(s, w, 'x') = s, replace(s || w || s || w, w, 'xy') = s || 'xy' || s || 'xy', replace(w || w, w, '') = '', replace(w, w, 'short') FROM one": "1|1|1|short\n",
		"SELECT string_agg(coalesce(replace(t, w, b), '-'), ',' ORDER BY i) FROM (VALUES (1, repeat('é', 40) || 'z', repeat('é', 40), 'y'), (2, 'aba', 'a', 'cc'), (3, NULL, repeat('a', 70), 'x'), (4, 'a', NULL, 'x'), (5, 'a', '', 'x'), (6, repeat('a', 70), repeat('a', 70), NULL), (7, 'abcdefghijklmnop', 'p', 'qrs'), (8, repeat('a', 141), repeat('a', 70), 'b')) v(i, t, w, b)": "yz,ccbcc,-,-,a,-,abcdefghijklmnoqrs,bba\n",
		"SELECT count(*) FROM (SELECT DISTINCT replace(repeat('a', 80) || i % 3, repeat('a', 75), 'long enough to lie elsewhere') FROM range(10000) r(i)), (SELECT replace('x' || repeat('a', 70), repeat('a', 70), 'b') AS c) WHERE c = 'xb'":                                                                                                                                            "3\n",
		"SELECT contains(s, w), s || w LIKE '%' || w || '%', len(string_split(s || w || s, w)), contains(s || w || s, w) FROM one":                                                                                                                                                                                                                                                        "0|1|2|1\n",
		"SELECT count(*), count(*) FILTER (contains(t, 'ab')), count(*) FILTER (t LIKE '%b,a%'), count(*) FILTER (contains(t, 'c')) FROM (VALUES ('ab'), ('a'), (''), ('xab,a'), ('aab'), ('aac'), (NULL)) v(t)":                                                                                                                                                                          "7|3|1|1\n",
	} {
		if got := query(t, conn, sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// A limit is no NULL to TRY().
func TestTryPassesLimitsOn(t *testing.T) {
	conn := openConn(t, openMemory(t))
	for value, code := range map[string]string{
		"repeat('9', 60000)::BIGNUM": sqlerr.ProgramLimit, "regexp_extract(s, '^(a*)(a?){400}$', 1)": sqlerr.ProgramLimit, "regexp_matches(s, s)": sqlerr.ProgramLimit,
		"levenshtein(s || s, s || s)": sqlerr.ProgramLimit,
	} {
		wantCode(t, runs(ctx, conn, "SELECT TRY("+value+") FROM (SELECT repeat('a', 3000000) AS s)"), code)
	}
	if got := query(t, conn, "SELECT TRY('x'::INTEGER), TRY(ln(-1)), TRY(s::BIGNUM) FROM (VALUES ('y')) v(s)"); got != "NULL|NULL|NULL\n" {
		t.Errorf("errors of values: %q", got)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := runs(short, conn, "SELECT TRY(levenshtein(s, 'b' || s)) FROM (SELECT repeat('a', 3000000 + i::INTEGER) AS s FROM range(3) r(i))"); !isCancel(err) {
		t.Errorf("interrupted: %v", err)
	}
}

// A function of ours is not called for more rows once its statement is interrupted.
func TestInterruptEndsTextFunctions(t *testing.T) {
	db := openMemory(t)
	conn := openConn(t, db)
	calls := 0
	err := db.register(Functions{Texts: []TextFunction{{Name: "text_of", Args: 1, Call: func(uint64, []string) (string, bool, error) {
		calls++
		conn.Interrupt()
		return "", true, nil
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := runs(ctx, conn, "SELECT text_of(i::VARCHAR) FROM range(1000) r(i)"); !isCancel(err) || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}
