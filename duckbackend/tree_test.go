package duckbackend

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Trees of both releases are read alike.
func TestTreeOfRelease1(t *testing.T) {
	for name, tt := range map[string]struct{ second, first string }{
		"call": {
			`{"class": "FUNCTION", "function_name": "f", "arguments": [{"name": "", "expression": {"column_names": ["a"]}}, {"name": "n", "expression": {"column_names": ["b"], "alias": ""}}], "qualified_name": {"path": ["f"]}}`,
			`{"class": "FUNCTION", "function_name": "f", "children": [{"column_names": ["a"]}, {"column_names": ["b"], "alias": "n"}]}`,
		},
		"common table expression": {
			`{"key": "t", "value": {"aliases": [], "query_node": {"type": "SELECT_NODE"}}}`,
			`{"key": "t", "value": {"aliases": [], "query": {"node": {"type": "SELECT_NODE"}}}}`,
		},
		"text": {
			`{"class": "CONSTANT", "alias": "", "literal": {"kind": "STRING", "text": "it's"}}`,
			`{"class": "CONSTANT", "alias": "", "value": {"type": {"id": "VARCHAR", "type_info": null}, "is_null": false, "value": "it's"}}`,
		},
		"integer": {
			`[{"literal": {"kind": "INTEGER", "text": "-5"}}, {"literal": {"kind": "INTEGER", "text": "12345678901"}}]`,
			`[{"value": {"type": {"id": "INTEGER", "type_info": null}, "is_null": false, "value": -5}}, {"value": {"type": {"id": "BIGINT", "type_info": null}, "is_null": false, "value": 12345678901}}]`,
		},
		"NULL": {
			`{"literal": {"kind": "NULL_LITERAL", "text": ""}}`,
			`{"value": {"type": {"id": "NULL", "type_info": null}, "is_null": true}}`,
		},
		"boolean": {
			`{"class": "CONSTANT", "alias": "x", "query_location": 7, "literal": {"kind": "BOOLEAN", "text": "true"}}`,
			`{"class": "CAST", "type": "OPERATOR_CAST", "alias": "x", "query_location": 7, "cast_type": {"id": "BOOLEAN", "type_info": null}, "try_cast": false,
			  "child": {"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "", "query_location": 7, "value": {"type": {"id": "VARCHAR", "type_info": null}, "is_null": false, "value": "t"}}}`,
		},
		"number": {
			`{"literal": {"kind": "NUMERIC", "text": "1.5"}}`,
			`{"literal": {"kind": "NUMERIC", "text": "1.5"}}`,
		},
	} {
		got, err := treeOfRelease1(tt.second)
		if err != nil {
			t.Fatal(err)
		}
		var have, want any
		if json.Unmarshal([]byte(got), &have) != nil || json.Unmarshal([]byte(tt.first), &want) != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%s: %s, want %s", name, got, tt.first)
		}
	}
}

// The statement that a tree was made of means the same when it is made of the tree.
func TestSerializeSQL(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE a AS SELECT i AS k, i % 3 AS x FROM range(9) r(i)")
	for _, sql := range []string{
		"SELECT k, sum(x) FILTER (WHERE x > 1 AND true) FROM a GROUP BY k HAVING count(*) > 0.5 ORDER BY k DESC LIMIT 3",
		"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5), u AS (SELECT NULL AS z) SELECT n, z, {'v': n}.v FROM t, u ORDER BY n",
		"SELECT DISTINCT ON (x) x, k, row_number() OVER (PARTITION BY x ORDER BY k), lag(k, 1, 12345678901) OVER (ORDER BY k) FROM a ORDER BY x, k",
		"SELECT t.y FROM a JOIN (VALUES (1, 'it''s'), (2, NULL)) t(x, y) ON a.k = t.x ORDER BY 1",
	} {
		tree, err := c.SerializeSQL(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.DeserializeSQL(ctx, tree)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if got, want := query(t, c, text), query(t, c, sql); got != want {
			t.Errorf("%s answers %q, want %q", text, got, want)
		}
	}
}
