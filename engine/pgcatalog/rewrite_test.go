package pgcatalog

import (
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func testEnv() *Env {
	return &Env{
		User: "ann", Version: "PostgreSQL 15", PID: 7, Path: []string{"main", "other one"},
		Setting: func(name string) (string, bool) {
			value, ok := map[string]string{"work_mem": "4MB"}[name]
			return value, ok
		},
		Relation: func(name string) (string, bool) { return "SELECT 1 AS oid", name == "pg_roles" },
		Owns:     func(name string, function bool) bool { return name == "pg_mine" || function && name == "version" },
		Scalar: func(name string) bool {
			return slices.Contains([]string{"current_setting", "current_database", "current_schema", "upper"}, name)
		},
		HasColumn: func(table []string, column string) bool { return table[0] == "tags" && column == "tag" },
		TextParam: func(param string) (text, declared bool) { return param == "$1", param != "$3" },
	}
}

func TestRewrite(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	c.relations["pg_catalog.pg_mine"] = "wrong"
	for _, tc := range []struct{ name, sql, want string }{
		{"nothing of the catalog", "SELECT a ~ 'x', b LIKE 'a\\x' FROM t, u WHERE f(a)", ""},
		{"a string and a comment", "SELECT 'pg_class' /* FROM pg_class */ -- pg_type", ""},
		{"qualified table", "SELECT oid FROM pg_catalog.pg_class c", "SELECT oid FROM trireme_pg.pg._uncounted_class c"},
		{"quoted and with the database", `SELECT oid FROM "trireme"."pg_catalog"."pg_class"`, "SELECT oid FROM trireme_pg.pg._uncounted_class AS pg_class"},
		{"unqualified table", "SELECT pg_class.oid FROM pg_class, pg_type", "SELECT pg_class.oid FROM trireme_pg.pg._uncounted_class AS pg_class, trireme_pg.pg.pg_type"},
		{"column of a qualified table", "SELECT pg_catalog.pg_class.oid FROM pg_catalog.pg_class", `SELECT pg_class.oid AS "oid" FROM trireme_pg.pg._uncounted_class AS pg_class`},
		{"name of no table", "SELECT pg_class FROM t WHERE x = pg_type", ""},
		{"table of the user's", "SELECT * FROM pg_mine", ""},
		{"common table expression", "WITH a AS (SELECT 1), pg_class(x) AS (SELECT 2) SELECT * FROM pg_class", ""},
		{"session's relation", "SELECT rolname FROM pg_roles WHERE true", "SELECT rolname FROM (SELECT 1 AS oid) AS pg_roles WHERE true"},
		{"session's relation with an alias", "SELECT 1 FROM pg_catalog.pg_roles r", "SELECT 1 FROM (SELECT 1 AS oid) r"},
		{"function of ours", "SELECT pg_get_userbyid(10)", `SELECT trireme_pg.pg.pg_get_userbyid(10) AS "pg_get_userbyid"`},
		{"function with a name", "SELECT pg_get_userbyid(10) owner", "SELECT trireme_pg.pg.pg_get_userbyid(10) owner"},
		{"function of DuckDB's", "SELECT pg_catalog.lower('A') AS x", "SELECT lower('A') AS x"},
		{"function of the user's", "SELECT version()", ""},
		{"table with columns", "INSERT INTO quote_ident (a) SELECT 1", ""},
		{"session", "SELECT current_user, pg_backend_pid() + 1", `SELECT 'ann' AS "current_user", 7 + 1 AS "?column?"`},
		{"setting", "SELECT current_setting('work_mem')", `SELECT '4MB' AS "current_setting"`},
		{"setting that is divided", "SELECT current_setting('work_mem')::int/100 AS a, 1 - CAST(pg_catalog.current_setting('work_mem') AS pg_catalog.int4) / 10 / 2 AS b", "SELECT '4MB'::int//100 AS a, 1 - CAST('4MB' AS int4) // 10 // 2 AS b"},
		{
			"setting in a fraction", "SELECT 2 * current_setting('work_mem')::int / 3 AS a, current_setting('work_mem')::int / 3.0 + current_setting('work_mem')::int / 3::numeric + current_setting('work_mem')::real / 3 AS b",
			"SELECT 2 * '4MB'::int / 3 AS a, '4MB'::int / 3.0 + '4MB'::int / 3::numeric + '4MB'::real / 3 AS b",
		},
		{"setting that is missing", "SELECT current_setting('no.such', true) s", "SELECT NULL::VARCHAR s"},
		{"name of an object", "SELECT 't'::regclass", `SELECT trireme_pg.pg._regclass_name('t', {path}) AS "regclass"`},
		{"number of an object", "SELECT 't'::regclass::oid AS o", "SELECT trireme_pg.pg._regclass('t', {path})::UINTEGER AS o"},
		{"compared", "SELECT 1 AS x FROM pg_index WHERE indrelid = 'a.b'::pg_catalog.regclass", "SELECT 1 AS x FROM trireme_pg.pg.pg_index WHERE indrelid = trireme_pg.pg._regclass('a.b', {path})"},
		{"in a list", "SELECT x IN ('a'::regclass, $1::regclass) AS b", "SELECT x IN (trireme_pg.pg._regclass('a', {path}), trireme_pg.pg._regclass($1, {path})) AS b"},
		{"of a call", "SELECT f(a, (b))::regtype AS n", "SELECT trireme_pg.pg._regtype_name(f(a, (b)), {path}) AS n"},
		{"of a subscript", "SELECT t.a[1]::regtype n", "SELECT trireme_pg.pg._regtype_name(t.a[1], {path}) n"},
		{"as a call of CAST", "SELECT CAST(c.oid AS pg_catalog.regclass) AS n", "SELECT trireme_pg.pg._regclass_oid_name(c.oid , {path}) AS n"},
		{"types", `SELECT x::name, y::pg_catalog.text, z::"char" FROM t`, `SELECT x::VARCHAR AS "x", y::text AS "y", z::VARCHAR AS "z" FROM t`},
		{
			"number and name of a name", "SELECT CAST(CAST(n AS REGCLASS) AS OID) AS o, CAST(CAST(n AS REGCLASS) AS TEXT) AS t",
			"SELECT CAST(trireme_pg.pg._regclass(n , {path}) AS UINTEGER) AS o, CAST(trireme_pg.pg._regclass_name(n , {path}) AS TEXT) AS t",
		},
		{
			"alias that is a word of DuckDB's", "SELECT at.attname AS n FROM pg_attribute at JOIN t AS at ON at.x",
			`SELECT "at".attname AS n FROM trireme_pg.pg.pg_attribute "at" JOIN t AS "at" ON "at".x`,
		},
		{"time zone", "SELECT x AT TIME ZONE 'UTC' AS y FROM pg_class", "SELECT x AT TIME ZONE 'UTC' AS y FROM trireme_pg.pg._uncounted_class AS pg_class"},
		{
			"number of a relation of the catalog", "SELECT 1 AS x FROM pg_class c WHERE c.tableoid = (SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_constraint')",
			"SELECT 1 AS x FROM trireme_pg.pg._uncounted_class c WHERE 1259 = 2606",
		},
		{"number of the relation of a row, unqualified", "SELECT tableoid, oid FROM pg_type", `SELECT 1247 AS "tableoid", oid FROM trireme_pg.pg.pg_type`},
		{
			"each query has its own", "SELECT tableoid AS x FROM pg_proc WHERE oid IN (SELECT tableoid FROM pg_cast) UNION SELECT tableoid FROM pg_class c JOIN pg_type t ON true",
			`SELECT 1255 AS x FROM trireme_pg.pg.pg_proc WHERE oid IN (SELECT 2605 AS "tableoid" FROM trireme_pg.pg.pg_cast) UNION SELECT 1259 AS "tableoid" FROM trireme_pg.pg._uncounted_class c JOIN trireme_pg.pg.pg_type t ON true`,
		},
		{"number of the relation of a row", "SELECT c.tableoid AS x FROM pg_type c", "SELECT 1247 AS x FROM trireme_pg.pg.pg_type c"},
		{"number of a relation of the user's", "SELECT (SELECT oid FROM pg_class WHERE relname = 't') AS x", "SELECT (SELECT oid FROM trireme_pg.pg._uncounted_class AS pg_class WHERE relname = 't') AS x"},
		{
			"format", "SELECT FORMAT('%I.%s%%', a, CAST(b AS text)) AS x FROM pg_class",
			"SELECT concat('', trireme_pg.pg.quote_ident((a)::VARCHAR), '.', coalesce((CAST(b AS text))::VARCHAR, ''), '%') AS x FROM trireme_pg.pg._uncounted_class AS pg_class",
		},
		{
			"format of casts", "SELECT format('%s %s', a::regclass, b ~ 'c') AS x FROM pg_am",
			"SELECT concat('', coalesce((trireme_pg.pg._regclass_name(a, {path}))::VARCHAR, ''), ' ', coalesce((b ~ 'c')::VARCHAR, ''), '') AS x FROM trireme_pg.pg.pg_am",
		},
		{"format of DuckDB's", "SELECT format('{}', a) AS x, format('%1$s', a) AS y FROM pg_class", "SELECT format('{}', a) AS x, format('%1$s', a) AS y FROM trireme_pg.pg._uncounted_class AS pg_class"},
		{"format without the catalog", "SELECT format('%s', a) FROM t", `SELECT concat('', coalesce((a)::VARCHAR, ''), '') AS "format" FROM t`},
		{"format of DuckDB's without the catalog", "SELECT format('{} %s', a), format('a%%'), format('%5s', a) FROM t", ""},
		{"value as a table", "SELECT s[1] AS x FROM pg_class, string_to_array('a', ',') s", "SELECT s[1] AS x FROM trireme_pg.pg._uncounted_class AS pg_class, (SELECT string_to_array('a', ',') AS s) s"},
		{"vector", "SELECT i.indkey, i.indkey[0] AS k FROM pg_index i", `SELECT i.indkey, i.indkey[(0) + 1] AS k FROM trireme_pg.pg.pg_index i`},
		{"alias of a function", "SELECT a[s] FROM pg_am, pg_catalog.generate_series(1, 2) s", "SELECT a[s] FROM trireme_pg.pg.pg_am, generate_series(1, 2) s(s)"},
		{"number as a name", "SELECT c.oid::regclass AS a, '1259'::regclass::oid AS b", "SELECT trireme_pg.pg._regclass_oid_name(c.oid, {path}) AS a, trireme_pg.pg._regclass_oid('1259', {path})::UINTEGER AS b"},
		{"search path after an operand's end", "SELECT to_regclass(a ~ 'b') AS x FROM pg_am", "SELECT trireme_pg.pg._regclass_oid_name(trireme_pg.pg.to_regclass(a ~ 'b', {path}), {path}) AS x FROM trireme_pg.pg.pg_am"},
		{"search path alone", "SELECT current_schemas(true) AS x FROM pg_am", "SELECT trireme_pg.pg.current_schemas(true, {path}) AS x FROM trireme_pg.pg.pg_am"},
		{
			"column of a subquery", "SELECT (SELECT quote_ident(a) FROM pg_am), (SELECT quote_ident(a) b)",
			`SELECT (SELECT trireme_pg.pg.quote_ident(a) AS "quote_ident" FROM trireme_pg.pg.pg_am) AS "quote_ident", (SELECT trireme_pg.pg.quote_ident(a) b) AS "b"`,
		},
		{"rows are counted", "SELECT c.reltuples AS n FROM pg_class c", "SELECT c.reltuples AS n FROM trireme_pg.pg.pg_class c"},
		{"all columns", "SELECT c.* FROM pg_class c", "SELECT c.* FROM trireme_pg.pg.pg_class c"},
		{"rows as values", "SELECT to_json(c) AS j, count(*) AS n FROM pg_class AS c", "SELECT to_json(c) AS j, count(*) AS n FROM trireme_pg.pg.pg_class AS c"},
		{"neither is a star", "SELECT c.oid * 2 AS a, count(*) AS n FROM pg_class AS c", "SELECT c.oid * 2 AS a, count(*) AS n FROM trireme_pg.pg._uncounted_class AS c"},
		{"encoding", "SELECT encode(a, 'hex') AS x FROM pg_am", "SELECT lower(hex(a)) AS x FROM trireme_pg.pg.pg_am"},
		{"encoding in any format", "SELECT encode(a, b) AS x FROM pg_am", "SELECT trireme_pg.pg._encode(a, b) AS x FROM trireme_pg.pg.pg_am"},
		{"pattern of a time", "SELECT to_char(a, 'DD.MM.YYYY HH24:MI'::text) AS x, to_char(a, 'Q') AS y", "SELECT strftime(a, '%d.%m.%Y %H:%M') AS x, trireme_pg.pg.to_char(a, 'Q') AS y"},
		{"encoding of a hash", "SELECT encode(sha256(a), 'hex') AS x, encode(sha256(a) || b, 'hex') AS y FROM t", "SELECT lower(hex(unhex(sha256(a)))) AS x, lower(hex(sha256(a) || b)) AS y FROM t"},
		{"decoding", "SELECT decode(a, 'hex') AS x, decode(a, 'base64') AS y, decode(a, 'UTF-8') AS z, decode(a) AS w FROM t", "SELECT unhex(a) AS x, from_base64(a) AS y, decode(a, 'UTF-8') AS z, decode(a) AS w FROM t"},
		{"times", "SELECT statement_timestamp() AS x, clock_timestamp() - now() AS y", "SELECT CAST(trireme_statement_time() AS TIMESTAMPTZ) AS x, CAST(trireme_clock() AS TIMESTAMPTZ) - now() AS y"},
		{"encoding of DuckDB's", "SELECT encode(a) AS x FROM pg_am", "SELECT encode(a) AS x FROM trireme_pg.pg.pg_am"},
		{"part of a text", "SELECT substring(a FROM 'b+') AS x FROM pg_am", "SELECT trireme_pg.pg._substring(a , 'b+') AS x FROM trireme_pg.pg.pg_am"},
		{"group of a pattern", "SELECT substring(a, '(b+)') AS x FROM pg_am", "SELECT trireme_pg.pg._subgroup(a, '(b+)') AS x FROM trireme_pg.pg.pg_am"},
		{"pattern without a group", "SELECT substring(a FROM '(?i)b') AS x FROM pg_am", "SELECT trireme_pg.pg._substring(a , '(?i)b') AS x FROM trireme_pg.pg.pg_am"},
		{"part of a text by numbers", "SELECT substring(a FROM 2 FOR 3) AS x FROM pg_am", "SELECT substring(a FROM 2 FOR 3) AS x FROM trireme_pg.pg.pg_am"},
		{"part of a text without the catalog", "SELECT substring(a FROM 'b') AS x FROM t", "SELECT regexp_extract_all(a , 'b')[1] AS x FROM t"},
		{"part of a text of DuckDB's own spelling", "SELECT substring(a, 'b') AS x, substring(a, $1) AS y FROM t", ""},
		{"group of a pattern without the catalog", "SELECT substring(a || 'c' FROM 'b\\((b)') AS x FROM t", "SELECT regexp_extract_all(a || 'c' , 'b\\((b)', 1)[1] AS x FROM t"},
		{"part of a text by places", "SELECT substring(a, 1, $1) AS x, substring(a, 1, 'b') AS y FROM t", ""},
		{"a number as a text", "SELECT substring(a, ' 2') AS x FROM t", ""},
		{"part of a text by a number's parameter", "SELECT substring(a FROM $2) AS x FROM t", ""},
		{"part of a text by a parameter of no type", "SELECT substring(a, $3) AS x FROM t", ""},
		{
			"part of a text from a parameter of no type", "SELECT substring(a FROM $3) AS x FROM t",
			`SELECT regexp_extract_all(a , CASE WHEN contains(replace(replace($3, '\(', ''), '(?', ''), '(') THEN $3 ELSE '(' || $3 || ')' END, 1)[1] AS x FROM t`,
		},
		{
			"part of a text by a parameter", "SELECT substring(a FROM $1) AS x FROM t",
			`SELECT regexp_extract_all(a , CASE WHEN contains(replace(replace($1, '\(', ''), '(?', ''), '(') THEN $1 ELSE '(' || $1 || ')' END, 1)[1] AS x FROM t`,
		},
		{"privileges as values", "SELECT aclexplode(a) AS x FROM pg_am", "SELECT trireme_pg.pg._aclexplode(a) AS x FROM trireme_pg.pg.pg_am"},
		{"privileges as a table", "SELECT 1 AS x FROM aclexplode(NULL) b", "SELECT 1 AS x FROM trireme_pg.pg.aclexplode(NULL) b"},
		{"transaction of a row", "SELECT c.xmin AS x FROM pg_type c", "SELECT 0::BIGINT AS x FROM trireme_pg.pg.pg_type c"},
		{"transaction of a row of the user's", "SELECT c.xmin AS x FROM t c, pg_am", "SELECT c.xmin AS x FROM t c, trireme_pg.pg.pg_am"},
		{"temporary schema", "SELECT a FROM pg_temp.t", "SELECT a FROM temp.t"},
		{"temporary schema by its own name", "SELECT a FROM pg_temp_1.t", "SELECT a FROM temp.t"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := c.Rewrite(tc.sql, testEnv())
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(tc.want, "{path}", "['pg_temp_1', 'pg_catalog', 'main', 'other one']")
			if want == "" {
				want = tc.sql
			}
			if got.SQL != want {
				t.Errorf("got\n%s\nwant\n%s", got.SQL, want)
			}
			if got.Changed() != (tc.want != "") {
				t.Errorf("changed: %v", got.Changed())
			}
		})
	}
}

func TestOffset(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	const sql = "SELECT pg_catalog.lower(nope), 'x'::regclass AS r FROM pg_catalog.pg_class WHERE wrong"
	text, err := c.Rewrite(sql, testEnv())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"SELECT", "lower", "nope", "'x'", "AS r", "FROM", "WHERE", "wrong"} {
		if got, want := text.Offset(strings.Index(text.SQL, word)), strings.Index(sql, word); got != want {
			t.Errorf("%s: offset %d, want %d", word, got, want)
		}
	}
	if got, want := text.Offset(strings.Index(text.SQL, "pg_class")), strings.Index(sql, "pg_catalog.pg_class"); got != want {
		t.Errorf("inside a replacement: offset %d, want %d", got, want)
	}
}

func TestSetConfig(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.Rewrite("SELECT set_config('Work_Mem', '1MB', true), current_setting('work_mem') AS now", testEnv())
	if err != nil {
		t.Fatal(err)
	}
	if len(text.Settings) != 1 || text.Settings[0] != (Setting{Name: "work_mem", Value: "1MB", Local: true}) {
		t.Errorf("settings: %+v", text.Settings)
	}
	if want := `SELECT '1MB' AS "set_config", '1MB' AS now`; text.SQL != want {
		t.Errorf("got %s", text.SQL)
	}
	text, err = c.Rewrite("SELECT set_config('a', $1 || 'x', false)", testEnv())
	if err != nil || len(text.Settings) != 1 || text.Settings[0].Expression != "lower(CAST('a' AS VARCHAR)), CAST($1 || 'x' AS VARCHAR)" {
		t.Errorf("set_config of an expression: %+v, %v", text.Settings, err)
	}
	_, err = c.Rewrite("SELECT set_config('a', 'x', local) FROM t", testEnv())
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.FeatureNotSupported || e.Offset != 28 {
		t.Errorf("set_config of a column: %v", err)
	}
}

// TestLongTexts: the work grows with the text, however it is nested.
func TestLongTexts(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	const n = 30_000
	for name, sql := range map[string]string{
		"calls":    strings.Repeat("SELECT version(", n),
		"casts":    "SELECT a" + strings.Repeat("::regclass", n),
		"list":     "SELECT x IN (" + strings.Repeat("'a'::regclass,", n) + "1)",
		"items":    "SELECT " + strings.Repeat("pg_get_userbyid(10), ", n) + "1",
		"brackets": "SELECT " + strings.Repeat("(", n) + strings.Repeat("::regtype)", n),
		"with":     strings.Repeat("WITH a AS (SELECT current_user ", n),
	} {
		if _, err := c.Rewrite(sql, testEnv()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fuzzSeeds are ends of statements about the catalog, most of them broken.
var fuzzSeeds = []string{
	"SELECT ::regclass", "SELECT,::regclassFROMpg_catalogpg_classcWHEREa::regclass[", "a::regclass[", "(((", ")))::regtype", "SELECT CAST(x AS", "OPERATOR(pg_catalog.~)", "pg_catalog.", "a.b.c::",
	"SELECT indkey[", "generate_series( s", "WITH a(", "x LIKE", "~ ~", "SELECT DISTINCT ON (", "current_setting('a'", "collate pg_catalog.", "x[1]::regclass", ".::", "pg_am, unnest(x) as",
}

// FuzzRewrite looks for texts that make the rewriting panic.
func FuzzRewrite(f *testing.F) {
	c, err := New()
	if err != nil {
		f.Fatal(err)
	}
	for _, sql := range fuzzSeeds {
		f.Add(sql)
		f.Add("SELECT * FROM pg_class WHERE " + sql)
	}
	env := testEnv()
	f.Fuzz(func(t *testing.T, sql string) { checkRewrite(t, c, env, sql) })
}

// checkRewrite rewrites a text; every place of the result is one of the text.
func checkRewrite(t *testing.T, c *Catalog, env *Env, sql string) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("%q: panic: %v\n%s", sql, v, debug.Stack())
		}
	}()
	text, err := c.Rewrite(sql, env)
	if err != nil {
		return
	}
	for i := 0; i <= len(text.SQL); i += 7 {
		if at := text.Offset(i); at < 0 || at > len(sql) {
			t.Fatalf("offset %d of %q is %d of %q", i, text.SQL, at, sql)
		}
	}
}

// What is kept asks for the session, and names nothing of the catalog.
func TestRewriteStored(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv()
	env.Stored = true
	for _, tc := range []struct{ sql, want string }{ // want empty: unchanged
		{"SELECT current_user AS a, session_user AS b, current_role AS c, current_schema() AS d", "SELECT trireme_current_user() AS a, trireme_session_user() AS b, trireme_current_role() AS c, trireme_current_schema(current_schema()) AS d"},
		{"SELECT encode(a, 'hex') AS a, to_date(b, 'YYYY') AS b FROM t", "SELECT lower(hex(a)) AS a, CAST(strptime(b, '%Y') AS DATE) AS b FROM t"},
		{
			"SELECT a FROM pg_class WHERE b = 'x'::regclass AND quote_ident(c) = pg_catalog.format_type(1, 2) AND current_setting('work_mem') = pg_backend_pid()",
			"SELECT a FROM pg_class WHERE b = 'x'::regclass AND quote_ident(c) = pg_catalog.format_type(1, 2) AND current_setting('work_mem') = CAST(trireme_backend_pid() AS INTEGER)",
		},
	} {
		text, err := c.Rewrite(tc.sql, env)
		if tc.want == "" {
			tc.want = tc.sql
		}
		if err != nil || text.SQL != tc.want || text.Catalog {
			t.Errorf("%s\ngot  %s, %v\nwant %s", tc.sql, text.SQL, err, tc.want)
		}
	}
}
