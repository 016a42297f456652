package engine

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

func TestJSONB(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.want(`SELECT '{"a": [1, 2]}'::jsonb`, `{"a": [1, 2]}`)
	s.want(`SELECT CAST('{"a": [1, 2]}' AS JSONB) -> 'a' -> 1`, `2`)
	s.run("CREATE TABLE t (id INTEGER, doc jsonb NOT NULL)")
	s.run(`INSERT INTO t VALUES (1, '{"k": 5}'), (2, '{"k": 7}'::jsonb)`)
	s.want("SELECT sum((doc ->> 'k')::INTEGER) FROM t", "12")
	s.run("ALTER TABLE t ADD COLUMN more jsonb")
	s.want("SELECT count(*) FROM t a JOIN t b ON a.id = b.id WHERE a.doc = b.doc AND a.more IS NULL AND '[]'::jsonb IS NOT NULL", "2")
	s.run("PREPARE p AS SELECT '[1]'::jsonb")
	s.want("EXECUTE p", "[1]")
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (3, '1', '2')")
	s.want(`SELECT doc::jsonb FROM t WHERE id = 3`, "1")
	s.wantTag("COMMIT", "COMMIT")
	s.want("SELECT count(*) FROM t", "3")
	if e := s.wantError("SELECT '{}'::jsonb, nothing FROM t", "42703"); e.Offset != 20 {
		t.Errorf("offset %d", e.Offset)
	}
	s.wantError("SELECT '{'::jsonb", "22P02")
	s.run("CREATE TYPE jsonb AS ENUM ('x')")
	s.want("SELECT 'x'::jsonb", "x")
}

// Operators and functions of Postgres on JSON, with its precedence: closer than comparisons.
func TestJSONOperators(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (id INTEGER, doc JSONB, tags VARCHAR[])")
	s.run(`INSERT INTO t VALUES (1, '{"k": {"l": "x"}, "n": 5, "a": ["p", "q"]}', ['a', 'b']), (2, '{"n": 7, "z": null}', ['b']), (3, NULL, NULL)`)
	for _, c := range []struct{ sql, want string }{
		{`SELECT id FROM t WHERE doc->'n' = '5'`, "1"},
		{`SELECT id FROM t WHERE doc->>'n' IN ('5', '6') AND doc->>'n' IS NOT NULL`, "1"},
		{`SELECT id FROM t WHERE doc->'k'->>'l' LIKE 'x%'`, "1"},
		{`SELECT id FROM t WHERE doc->'a' ? 'p' OR doc ? 'z'`, "1;2"},
		{`SELECT 'l: ' || (doc->'k'->>'l') FROM t WHERE id = 1`, "l: x"},
		{`SELECT id FROM t WHERE doc #>> '{k,l}' = 'x'`, "1"},
		{`SELECT doc #> '{a,-1}' FROM t WHERE id = 1`, `"q"`},
		{`SELECT doc #>> ARRAY['a', '0'] FROM t WHERE id = 1`, "p"},
		{`SELECT id FROM t WHERE doc @> '{"k": {"l": "x"}}'`, "1"},
		{`SELECT id FROM t WHERE doc->'a' @> '["q"]'::jsonb`, "1"},
		{`SELECT id FROM t WHERE '{"n": 7}' <@ doc AND tags @> ARRAY['b']`, "2"},
		{`SELECT id FROM t WHERE doc ?| ARRAY['z', 'y'] OR doc ?& '{k,a}'`, "1;2"},
		{`SELECT doc - 'a' - 'k' FROM t WHERE id = 1`, `{"n":5}`},
		{`SELECT doc - ARRAY['a', 'k'], 7 - 2 FROM t WHERE id = 1`, `{"n":5}|5`},
		{`SELECT doc->'a' - 1 FROM t WHERE id = 1`, `["p"]`},
		{`SELECT doc #- '{k,l}' FROM t WHERE id = 1`, `{"k":{},"n":5,"a":["p","q"]}`},
		{`SELECT id FROM t WHERE doc ?| ARRAY['z', NULL]`, "2"},
		{`SELECT id, doc ?& ARRAY['n', NULL] FROM t WHERE id < 3 AND NOT doc ?| ARRAY[NULL]::VARCHAR[]`, "1|1;2|1"},
		{`SELECT doc #> '{NULL}', doc - ARRAY['a', NULL] - 'k' FROM t WHERE id = 1`, `NULL|{"n":5}`},
		{`SELECT 'k', '{"a": 1}'::jsonb = '{"a":1.0}'::jsonb, '1e400'::jsonb < '1e500'::jsonb`, "k|1|1"},
		{`SELECT doc || '{"n": 1}'::jsonb FROM t WHERE id = 2`, `{"n":1,"z":null}`},
		{`SELECT CAST('[1]' AS jsonb) || '2'`, `[1,2]`},
		{`SELECT '{"a":1}'::JSON || '!'`, `{"a":1}!`}, // DuckDB's
		{`SELECT jsonb_set(doc, '{k,l}', '1', false) FROM t WHERE id = 1`, `{"k":{"l":1},"n":5,"a":["p","q"]}`},
		{`SELECT jsonb_typeof(doc->'k'), jsonb_typeof(doc->'n'), jsonb_typeof(NULL) FROM t WHERE id = 1`, "object|number|NULL"},
		{`SELECT json_typeof('[1]'), jsonb_typeof('"x"'), (jsonb_strip_nulls('{"a": null}'))::text`, "array|string|{}"},
		{`SELECT jsonb_array_length(doc->'a'), jsonb_extract_path(doc, 'a', '1'), jsonb_extract_path_text(doc, 'k', 'l') FROM t WHERE id = 1`, `2|"q"|x`},
		{
			`SELECT jsonb_agg(id ORDER BY id DESC), json_agg(DISTINCT id % 1), jsonb_agg(id) FILTER (WHERE id > 2), jsonb_object_agg(id, tags) FILTER (WHERE id = 2) FROM t`,
			`[3,2,1]|[0]|[3]|{"2":["b"]}`,
		},
		{`SELECT id, e.* FROM t, jsonb_each(doc) e WHERE id = 2 ORDER BY key`, `2|n|7;2|z|null`},
		{`SELECT id, k, v FROM t, LATERAL jsonb_each_text(doc) AS e(k, v) WHERE id = 2 ORDER BY k`, `2|n|7;2|z|NULL`},
		{`SELECT key FROM jsonb_each('{"b": 1}')`, "b"},
		{`SELECT '{"a": 1, "/a": 3}'::json ->> '/a', '{"": 4}'::jsonb ->> '', '{"$x": 5}'::jsonb ->> '$x', '{"$": {"b": [6, 7]}}'::jsonb -> '$' ->> '$.b[1]'`, "3|4|5|7"}, // keys, but for paths
		{`SELECT list_transform([1, 2], x -> x + 1), list_filter(['a'], x -> 'a' = x)`, "[2, 3]|[a]"},
		{`SELECT jsonb_strip_nulls(doc), jsonb_build_object('a', 1) FROM t WHERE id = 2`, `{"n":7}|{"a":1}`},
	} {
		s.want(c.sql, c.want)
	}
	if got := s.run("SELECT id FROM t WHERE doc #>> $1 = $2 AND doc ? $3", "[k, l]", "x", "n"); got != "1" {
		t.Errorf("%s", got)
	}
	if got := s.run("SELECT id FROM t WHERE doc @> $1", `{"n": 7}`); got != "2" {
		t.Errorf("%s", got)
	}
	s.wantTag(`UPDATE t SET doc = doc || '{"m": 1}'::jsonb - 'z' WHERE id = 2`, "UPDATE 1")
	s.want("SELECT doc FROM t WHERE id = 2", `{"n":7,"m":1}`)
	for _, c := range []struct {
		sql, code string
		offset    int
	}{
		{"SELECT jsonb_path_query(doc, '$.a') FROM t", "0A000", 7},
		{"SELECT * FROM jsonb_to_recordset('[]') AS x(a INTEGER)", "0A000", 14},
		{"SELECT id @> 1 FROM t", "42883", 10},
		{"SELECT doc - 'k', id @> 1 FROM t", "42883", 21},
		{"SELECT 1 - date '2020-01-01' FROM t", "42883", 9},
		{"SELECT jsonb_exists(id, 'a') FROM t", "42883", -1},
		{"SELECT jsonb_typeof(tags[1]) FROM t", "42883", -1},
		{"SELECT tags[1] - tags[1] FROM t", "42883", 15},
		{"SELECT doc #> 'k' FROM t", "22P02", -1},
	} {
		if e := s.wantError(c.sql, c.code); e.Offset != c.offset {
			t.Errorf("%s: offset %d, want %d: %v", c.sql, e.Offset, c.offset, e)
		}
	}
}

// TestKeysAsParameters: a parameter behind an arrow is a key, whatever path it might be.
func TestKeysAsParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE docs (j JSONB)")
	s.run(`INSERT INTO docs VALUES ('{"a": 1, "$": 2, "/a": 3, "": 4, "$.a": 6, "*": {"$*": 7}, "**": 8, "l": ["x"]}')`)
	for key, want := range map[string]string{"a": "1", "$": "2", "/a": "3", "": "4", "$.a": "6", "**": "8", "$x": "NULL", "l[0]": "NULL", "$.*": "NULL"} {
		for _, sql := range []string{"SELECT j ->> $1 FROM docs", "SELECT j ->> $1::text FROM docs", "SELECT (j -> $1)::VARCHAR FROM docs"} {
			if got := s.run(sql, key); got != want {
				t.Errorf("%s with %q: %s", sql, key, got)
			}
		}
	}
	if got := s.run("SELECT j -> $1 ->> $2, j -> $3 ->> $4 FROM docs WHERE j -> $1 ->> $2 = $5", "*", "$*", "l", "/0", "7"); got != "7|NULL" {
		t.Error(got)
	}
	if got := s.run("SELECT j -> 'l' ->> $1::int FROM docs", "0"); got != "x" {
		t.Error(got)
	}
}

// Clients are told of jsonb where a column was declared so, and of what the tables leave
// open where the statement reads a table with such a column or names the type.
func TestJSONBIsDescribed(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	described := func(sql, want string) {
		t.Helper()
		p, err := s.Prepare(t.Context(), sql, nil)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer func() { _ = p.Close() }()
		var told, got []string
		for _, c := range p.Columns() {
			told = append(told, typeWord(c.Type))
		}
		res, err := p.Execute(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		for _, c := range res.Columns() {
			got = append(got, typeWord(c.Type))
		}
		if err := res.Close(); err != nil {
			t.Fatal(err)
		}
		if strings.Join(told, " ") != want || strings.Join(got, " ") != want {
			t.Errorf("%s: told %s, got %s, want %s", sql, told, got, want)
		}
	}
	s.run("CREATE TABLE plain (a INTEGER, j JSON)")
	s.run("INSERT INTO plain VALUES (1, '1')")
	described("SELECT j, to_json(a) FROM plain", "json json")
	described("SELECT '1'::jsonb, j FROM plain", "jsonb json")
	s.run("CREATE TABLE other (a INTEGER, b JSONB)")
	s.run("INSERT INTO other VALUES (1, '2')")
	described("SELECT j FROM plain", "json")
	described("SELECT o.a, o.b FROM other o", "other jsonb")
	described("SELECT * FROM other", "other jsonb")
	described("SELECT j, b, to_json(a) FROM plain JOIN other USING (a)", "jsonb jsonb jsonb")
	described("SELECT '{}'::JSON, to_json(1)", "json json")
	described("SELECT max(j) FROM plain", "json")
	s.run("CREATE VIEW seen AS SELECT o.b AS c FROM other o JOIN plain USING (a)")
	described("SELECT * FROM seen", "jsonb")
	described("INSERT INTO other VALUES (2, '3') RETURNING b", "jsonb")
	described("EXPLAIN (FORMAT JSON) SELECT b FROM other", "json")
	s.run("CREATE SCHEMA more")
	s.run("CREATE TABLE more.plain (j JSONB)")
	s.run("SET search_path = more")
	described("SELECT j FROM plain", "jsonb")
	s.run("SET search_path = main")
	described("SELECT j FROM plain", "json")
	s.run("RESET search_path")
	s.run("BEGIN")
	s.run("CREATE TABLE third (b JSONB)")
	described("SELECT b FROM third", "jsonb")
	s.run("ROLLBACK")
	s.run("CREATE TEMP TABLE own (c JSONB)")
	described("SELECT c FROM own", "jsonb")
}

func typeWord(t rows.Type) string {
	switch t.ID {
	case rows.JSON:
		return "json"
	case rows.JSONB:
		return "jsonb"
	}
	return "other"
}

// TestJSONBOfSubqueries: DuckDB tells nothing of a subquery that is an argument, which is
// an error.
func TestJSONBOfSubqueries(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		`SELECT (SELECT '{"a":1}'::jsonb) @> '{"a":1}'::jsonb`,
		`SELECT '{"a":1}'::jsonb @> (SELECT '{"a":2}'::jsonb)`,
		`SELECT jsonb_typeof((SELECT '1'::JSON))`,
		`EXPLAIN SELECT (SELECT '{"a":1}'::jsonb) ? 'a'`,
	} {
		s.wantError(sql, "0A000")
	}
	s.want(`SELECT 'found' FROM (SELECT '{"a":1}'::jsonb AS d) WHERE d @> '{"a":1}'::jsonb`, "found")
}
