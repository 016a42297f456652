package duckbackend

import (
	"strings"
	"testing"
)

// Arrays of values whose texts are to be quoted, by themselves and inside of others.
var quotedArrays = []string{
	"['a, b', 'c']::VARCHAR[2]", "['a', 'NULL', NULL]::VARCHAR[3]", "['a', '']::VARCHAR[2]", `['''', '\', '"', ' x ']::VARCHAR[4]`,
	"array_value('x'::BLOB, ', '::BLOB)", "['a, b', 'NULL']::ENUM('a, b', 'NULL')[2]", "[['a, b'], ['NULL']]::VARCHAR[1][2]",
	"[['a, b']::VARCHAR[1], NULL]", "{'f': ['NULL', 'a, b']::VARCHAR[2], 'g': 1}",
	"MAP {['a, b']::VARCHAR[1]: ['NULL']::VARCHAR[1]}", "[{'f': [MAP {1: ['a, b']::VARCHAR[1]}]::MAP(INTEGER, VARCHAR[1])[1]}]",
	"array_value(TIMESTAMPTZ '2020-01-01 00:00:00+00')", "array_value(DATE '2020-01-01', NULL)", "array_value(1.5::DECIMAL(9,2))", "array_value(gen_random_uuid())",
	"array_value('{\"a\": [1, 2]}'::JSON, NULL)", "array_value(5::BIGNUM, NULL)", "array_value('101'::BIT)", "array_value({'a': NULL, 'b': ', '})",
}

// A value that is, or has, an array is the value that comes back from its text.
func TestArraysComeBackFromTheirTexts(t *testing.T) {
	c := openConn(t, openMemory(t))
	for _, expr := range quotedArrays {
		mustExec(t, c, "CREATE OR REPLACE TABLE v AS SELECT 1 AS i, "+expr+" AS x UNION ALL SELECT 2, NULL")
		cur, err := c.Query(ctx, "SELECT x FROM v ORDER BY i")
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		b, err := cur.Next(ctx)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		text, typ, null := b.Cols[0].Str[0], cur.Columns()[0].Type, b.Cols[0].IsNull(1)
		if err := cur.Close(); err != nil {
			t.Error(err)
		}
		if b.N != 2 || !null {
			t.Errorf("%s: %d rows, the second is not NULL", expr, b.N)
		}
		cur, err = c.Query(ctx, "SELECT x IS NOT DISTINCT FROM $1 FROM v WHERE i = 1", Arg{Type: typ, Text: text})
		if got := drain(t, cur, err); got != "1\n" {
			t.Errorf("%s: its text %s comes back as another: %s", expr, text, got)
		}
	}
}

// What does not come back from its text, or has many rows, has its arrays in quotes too.
func TestTextsOfArrays(t *testing.T) {
	c := openConn(t, openMemory(t))
	for expr, want := range map[string]string{
		"union_value(a := ['a, b', 'NULL']::VARCHAR[2])::UNION(i INTEGER, a VARCHAR[2])": "['a, b', 'NULL']\n",
		"row(1, ['a, b', 'NULL']::VARCHAR[2])":                                           "(1, ['a, b', 'NULL'])\n",
	} {
		if got := query(t, c, "SELECT "+expr); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
	got := query(t, c, "SELECT [CASE WHEN i % 3 <> 0 THEN i::VARCHAR || ',' END]::VARCHAR[1], i FROM range(5000) r(i)")
	want := query(t, c, "SELECT [CASE WHEN i % 3 <> 0 THEN i::VARCHAR || ',' END]::VARCHAR, i FROM range(5000) r(i)")
	if got != want || strings.Count(got, "\n") != 5000 {
		t.Error(firstDifference(got, want))
	}
}
