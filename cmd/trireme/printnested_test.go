package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNestedJSON: lists, structs and maps are arrays and objects in JSON.
func TestNestedJSON(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{`[1, 2]`, `[1, 2]`},
		{`[]::INTEGER[]`, `[]`},
		{`NULL::INTEGER[]`, `null`},
		{`[1, 2]::INTEGER[2]`, `[1, 2]`},
		{`[[1, NULL], []]`, `[[1, null], []]`},
		{`[1.50::DECIMAL(4,2), NULL]`, `[1.50, null]`},
		{`[0.1::DOUBLE, 'nan'::DOUBLE, '-inf'::DOUBLE]`, `[0.1, "nan", "-inf"]`},
		{`[true, false]`, `[true, false]`},
		{`['a, b', '', ' ', 'NULL', NULL, 'it''s', 'a\b', '"', '{x}', chr(10), '[', 'é']`, `["a, b", "", " ", "NULL", null, "it's", "a\\b", "\"", "{x}", "\n", "[", "é"]`},
		{`[DATE '2020-01-01']`, `["2020-01-01"]`},
		{`[TIMESTAMP '2020-01-01 10:00:00']`, `["2020-01-01 10:00:00"]`},
		{`{'a': 1, 'b, c': 'x}', 'd"e': NULL, 'it''s': [1]}`, `{"a": 1, "b, c": "x}", "d\"e": null, "it's": [1]}`},
		{`{'a': {'b': {'c': [1]}}}`, `{"a": {"b": {"c": [1]}}}`},
		{`[{'a': 1}, NULL]`, `[{"a": 1}, null]`},
		{`row(1, 'x')`, `[1, "x"]`},
		{`MAP {'k=1': [1], 'NULL': [NULL]}`, `{"k=1": [1], "NULL": [null]}`},
		{`MAP {1: {'x': 'y'}}`, `{"1": {"x": "y"}}`},
		{`MAP {}`, `{}`},
		{`['{"a": 1}'::JSON]`, `[{"a": 1}]`},
	} {
		out, err := trireme(t, "", "query", "--format", "json", "SELECT "+c.sql+" AS v")
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if !json.Valid([]byte(out)) || !strings.Contains(out, `{"v": `+c.want+"}") {
			t.Errorf("%s: %s, want %s", c.sql, out, c.want)
		}
	}
}
