package pgcatalog

import (
	"strings"
	"testing"
)

func TestExpressionText(t *testing.T) {
	known := func(schema string) string { return strings.Replace(schema, "main", "public", 1) }
	quote := func(name string) string { return name }
	for _, tc := range []struct{ sql, want string }{ // want empty: unchanged
		{`CAST('2024-01-01' AS "DATE")`, `'2024-01-01'::date`},
		{`CAST('{}' AS "JSON")`, `'{}'::jsonb`},
		{`CAST('[]' AS VARCHAR[])`, `'{}'::text[]`},
		{`CAST('[''1'', ''2'']' AS INTEGER[])`, `'{"1","2"}'::integer[]`},
		{`CAST('[a, "b c", NULL, ''q"x'']' AS VARCHAR[])`, `'{"a","b c",NULL,"q\"x"}'::text[]`},
		{`CAST('{a,b}' AS VARCHAR[])`, `'{a,b}'::text[]`},
		{`CAST('\x00\xFFa' AS "BLOB")`, `'\x00ff61'::bytea`},
		{`CAST('a' AS main."mood")`, `'a'::public.mood`},
		{`CAST('a' AS "mood")`, `'a'`},
		{`CAST(m AS "mood")`, `(m)::public.mood`},
		{`CAST('a' AS dp.mood)`, `'a'::dp.mood`},
		{`CAST('a' AS trireme.dp."mood")`, `'a'::dp.mood`},
		{`CAST('a' AS sought.mood[])`, `'a'::mood[]`},
		{`CAST('t' AS BOOLEAN)`, `true`},
		{`CAST('0' AS "DOUBLE")`, `'0'::double precision`},
		{`CAST(0 AS DECIMAL(38, 10))`, `(0)::numeric`},
		{`CAST((a + 1) AS DECIMAL(9,2))`, `(a + 1)::numeric(9,2)`},
		{`CAST(CAST('it''s' AS VARCHAR) AS VARCHAR)`, `('it''s'::text)::text`},
		{`CAST(x AS TIMESTAMP WITH TIME ZONE)`, `(x)::timestamp with time zone`},
		{`CAST(x AS STRUCT(a INTEGER))`, ``},
		{`main.list_value(1, 2)`, `ARRAY[1, 2]`},
		{`main."substring"(t, 1, 2)`, `"substring"(t, 1, 2)`},
		{`CHECK(regexp_full_match(z, (('(?s).*(?:' || '^a') || ').*')))`, `CHECK((z ~ '^a'))`},
		{`(NOT regexp_full_match(z, (('(?is).*(?:' || CAST(p AS VARCHAR)) || ').*')))`, `(NOT (z ~* (p)::text))`},
		{`regexp_full_match(z, 'a')`, ``},
		{`like_escape(s, 'a\_%', '\')`, `(s LIKE 'a\_%' ESCAPE '\')`},
		{` SELECT jsonb_text_at(j, '{a}') AS ja, count_star() AS n, (5 = ANY(SELECT unnest(l))) FROM t;`, ` SELECT (j #>> '{a}') AS ja, count(*) AS n, (5 = ANY (l)) FROM t;`},
		{`(who = trireme_current_user()) AND trireme_version() AND main.trireme_current_schema(current_schema())`, `(who = CURRENT_USER) AND version() AND CURRENT_SCHEMA`},
		{`nextval('s'::regclass)`, ``},
		{`((x BETWEEN 1 AND 5) AND (y IN ('p', 'q')))`, ``},
		{`CAST(`, ``},
		{``, ``},
	} {
		want := tc.want
		if want == "" {
			want = tc.sql
		}
		got, err := ExpressionText(tc.sql, []string{"sought"}, known, quote)
		if err != nil || got != want {
			t.Errorf("%s\n got %s, %v\nwant %s", tc.sql, got, err, want)
		}
	}
}

// TestExpressionTextOfAnyDepth: what is nested deeper, or is longer, than an expression of a catalog's
// stays as it is.
func TestExpressionTextOfAnyDepth(t *testing.T) {
	same := func(name string) string { return name }
	nested := func(call string, n int) string { return strings.Repeat(call, n) + "1" + strings.Repeat(")", n) }
	for _, tc := range []struct {
		sql     string
		written bool
	}{
		{nested("list_value(", nestingMax), true},
		{nested("list_value(", nestingMax+1), false},
		{nested("list_value(", 1_000_000), false},
		{nested("CAST(", 100_000), false},
		{nested("any(select unnest(", 50_000) + strings.Repeat(")", 50_000), false},
		{strings.Repeat("list_value(1) + ", 10_000) + "1", true},
		{strings.Repeat("list_value(1) + ", textMax/16) + "1", false},
	} {
		got, err := ExpressionText(tc.sql, nil, same, same)
		if err != nil || (got != tc.sql) != tc.written {
			t.Errorf("%.40s (%d bytes): written %v, %v", tc.sql, len(tc.sql), got != tc.sql, err)
		}
	}
}
