package sqlfront

import "testing"

func TestSelectsLiterals(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT 1":                         true,
		"select 1.5, 'it''s', NULL, true":  true,
		"SELECT 1 AS one, 'x' AS \"two\"":  true,
		"/* ping */ SELECT 1 -- is it up?": true,
		"SELECT":                           false,
		"SELECT 1,":                        false,
		"SELECT 1 AS":                      false,
		"SELECT now()":                     false,
		"SELECT current_date":              false,
		"SELECT DATE 'today'":              false,
		"SELECT 'now'::timestamp":          false,
		"SELECT 1 FROM t":                  false,
		"SELECT $1":                        false,
		"SELECT -1":                        false,
		"SELECT 1 + 1":                     false,
		"SELECT 1; SELECT 2":               false,
		"SELECT E'\\n'":                    false,
		"FROM t":                           false,
		"":                                 false,
	} {
		if got := SelectsLiterals(sql); got != want {
			t.Errorf("SelectsLiterals(%q) = %v, want %v", sql, got, want)
		}
	}
}
