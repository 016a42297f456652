package sqlfront

import (
	"fmt"
	"strings"
	"testing"
)

func TestOutputsOf(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT * FROM t": "t: *",
		"select a, b AS x, c y, t.d, \"E f\" FROM s.t WHERE a > 1":                   "s.t: a b c d E f",
		"SELECT DISTINCT q.a, q.*, 1, a + b, f(a), 'x' AS a FROM t AS q ORDER BY 1":  "t: a * - - - -",
		"SELECT a FROM \"T\" x LIMIT 5;":                                             "T: a",
		"SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1":                   "t: a -",
		"SELECT other.a, a FROM t":                                                   "t: - a",
		"SELECT (SELECT b FROM u), a FROM t":                                         "t: - a",
		"SELECT a::VARCHAR, a COLLATE x, CASE a WHEN 1 THEN 2 END, a IS NULL FROM t": "t: - - - -",
		"SELECT a FROM t, u":                                                         "",
		"SELECT a FROM t JOIN u USING (a)":                                           "",
		"SELECT a FROM t q LEFT JOIN u ON true":                                      "",
		"SELECT a FROM t UNION SELECT a FROM u":                                      "",
		"SELECT a FROM t WHERE b IN (1) UNION SELECT 1":                              "",
		"WITH t AS (SELECT 1 AS a) SELECT a FROM t":                                  "",
		"SELECT * EXCLUDE (a) FROM t":                                                "",
		"SELECT COLUMNS('a') FROM t":                                                 "",
		"SELECT unnest(a) FROM t":                                                    "",
		"SELECT DISTINCT ON (a) a FROM t":                                            "",
		"SELECT a FROM f(1)":                                                         "",
		"SELECT a FROM (SELECT 1 AS a) q":                                            "",
		"SELECT a FROM t (x, y)":                                                     "",
		"SELECT 1":                                                                   "",
		"INSERT INTO t SELECT a FROM u":                                              "",
		"SELECT a FROM 'file.csv'":                                                   "",
		"SELECT a, FROM t":                                                           "t: a",
	} {
		got := ""
		if out := OutputsOf(sql); out != nil {
			got = strings.Join(out.Table, ".") + ":"
			for _, item := range out.Items {
				switch {
				case item.Star:
					got += " *"
				case item.Column == "":
					got += " -"
				default:
					got += " " + item.Column
				}
			}
		}
		if got != want {
			t.Errorf("%s: %s", sql, fmt.Sprintf("%q, want %q", got, want))
		}
	}
}
