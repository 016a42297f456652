package sqlfront

import (
	"strings"
	"testing"
)

func TestLookupOf(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT v FROM t WHERE id = $1":                                  "t: id",
		"select a as b, t.c, t.* from S.\"T\" as t where $2 = t.\"Id\";": "S.T: Id",
		"SELECT * FROM t WHERE a = $1 AND b = 'x' AND $2 = c":            "t: a b c",
		"SELECT * FROM t WHERE (a = $1) AND (b = 1) LIMIT 1":             "t: a b",
		"SELECT * FROM t WHERE a = $1 LIMIT 0":                           "",
		"SELECT * FROM t WHERE a = $1 LIMIT $2":                          "",
		"SELECT * FROM t WHERE a = $1 LIMIT 1 OFFSET 0":                  "",
		"SELECT * FROM t WHERE a = 1":                                    "",
		"SELECT * FROM t WHERE a = b":                                    "",
		"SELECT * FROM t WHERE a = $1 OR a = $2":                         "",
		"SELECT * FROM t WHERE a = $1 AND b > 1":                         "",
		"SELECT * FROM t WHERE a IN ($1)":                                "",
		"SELECT * FROM t WHERE a = $1::BIGINT":                           "",
		"SELECT * FROM t WHERE a + 0 = $1":                               "",
		"SELECT a + 1 FROM t WHERE a = $1":                               "",
		"SELECT max(a) FROM t WHERE a = $1":                              "",
		"SELECT DISTINCT a FROM t WHERE a = $1":                          "",
		"SELECT a FROM t WHERE a = $1 GROUP BY a":                        "",
		"SELECT a FROM t WHERE a = $1 ORDER BY a":                        "",
		"SELECT a FROM t, u WHERE a = $1":                                "",
		"SELECT a FROM t (a) WHERE a = $1":                               "",
		"SELECT a FROM (SELECT 1 AS a) t WHERE a = $1":                   "",
		"WITH t AS (SELECT 1 AS a) SELECT a FROM t WHERE a = $1":         "",
		"SELECT a FROM t WHERE a = $1 UNION ALL SELECT a FROM t":         "",
		"SELECT a FROM t WHERE a = $1 UNION ALL SELECT a FROM u LIMIT 1": "",
		"SELECT a, row_number() OVER () FROM t WHERE a = $1":             "",
		"SELECT a FROM t WHERE a = $1 FOR UPDATE":                        "",
		"SELECT a FROM t TABLESAMPLE 10% WHERE a = $1":                   "",
		"SELECT * EXCLUDE (a) FROM t WHERE a = $1":                       "",
		"DELETE FROM t WHERE a = $1":                                     "",
		"SELECT 'it''s":                                                  "",
	} {
		got := ""
		if l := LookupOf(sql); l != nil {
			got = strings.Join(l.Table, ".") + ": " + strings.Join(l.Columns, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
