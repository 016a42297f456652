package sqlfront

import "testing"

func TestFunctionEdits(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE FUNCTION s.plus(a, b) RETURNS anyelement\n    LANGUAGE sql COST 1 SUPPORT 0 PARALLEL SAFE\n    AS $$(a + b)$$;": "CREATE FUNCTION s.plus(a, b) AS (a + b);",
		"CREATE OR REPLACE FUNCTION tab(x) RETURNS SETOF record LANGUAGE sql AS $_$SELECT x AS y$_$":                            "CREATE OR REPLACE FUNCTION tab(x) AS TABLE SELECT x AS y",
		"CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT ''1''; '":                                                "CREATE FUNCTION one() AS (SELECT '1')",
		"CREATE FUNCTION f(a integer) RETURNS integer LANGUAGE sql AS 'SELECT a'":                                               "",
		"CREATE FUNCTION f(integer) RETURNS integer LANGUAGE sql AS 'SELECT $1'":                                                "",
		"CREATE FUNCTION f(a) RETURNS integer LANGUAGE plpgsql AS 'BEGIN END'":                                                  "",
		"CREATE FUNCTION f(a) RETURNS integer LANGUAGE sql AS 'SELECT 1; SELECT 2'":                                             "",
		"CREATE FUNCTION f(a) AS a + 1": "",
		"CREATE FUNCTION f(a":           "",
		"CREATE FUNCTION":               "",
		"SELECT 1":                      "",
	} {
		edits := FunctionEdits(sql)
		got := ""
		if len(edits) > 0 {
			got = edits.Apply(sql, 0, len(sql))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
