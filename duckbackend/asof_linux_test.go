//go:build !duckdb_use_lib

package duckbackend

import (
	"strings"
	"testing"
)

// An ASOF join of few rows with a condition on one side alone is planned, whatever of DuckDB's
// optimizer works.
func TestASOFOfFewRows(t *testing.T) {
	db := openMemory(t)
	c := openConn(t, db)
	mustExec(t, c, "CREATE TABLE a (k INTEGER PRIMARY KEY, v INTEGER); INSERT INTO a VALUES (1, 1), (2, 2)")
	mustExec(t, c, "CREATE TABLE b AS SELECT (i % 50)::INTEGER AS k, i AS v FROM range(100) r(i)")
	for _, setup := range []string{
		"PRAGMA enable_optimizer", "SET disabled_optimizers = 'filter_pushdown'", "SET disabled_optimizers = 'join_order'",
		"SET disabled_optimizers = 'filter_pushdown,join_order,statistics_propagation'",
		"PRAGMA disable_optimizer", "SET asof_loop_join_threshold = 18446744073709551615",
	} {
		mustExec(t, c, setup)
		for _, tables := range [][2]string{{"a", "a"}, {"a", "b"}, {"b", "a"}, {"(FROM a LIMIT 1)", "a"}, {"(SELECT k, v + 1 AS v FROM a WHERE k > 0)", "(FROM b WHERE v > 1)"}} {
			for _, kind := range []string{"", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"} {
				for _, on := range []string{
					"x.k <= y.k AND x.k >= 0", "x.k BETWEEN 0 AND y.k", "x.k BETWEEN y.k AND 5", "x.k >= y.k AND y.v < 3", "x.k >= y.k AND x.v = y.v AND x.v > 1",
					"x.k >= y.k AND x.v + y.v > 1", "x.k >= y.k AND x.v IS NULL",
				} {
					err := runs(ctx, c, "SELECT count(*) FROM "+tables[0]+" x ASOF "+kind+" JOIN "+tables[1]+" y ON "+on)
					if err != nil && !strings.Contains(err.Error(), "Unsupported ASOF JOIN type ("+kind+") with arbitrary predicate") {
						t.Errorf("%s, %s JOIN of %v ON %s: %v", setup, kind, tables, on, err)
					}
				}
			}
		}
		for _, kind := range []string{"", "LEFT"} {
			if got := strings.TrimSpace(query(t, c, "SELECT count(*) FROM a x ASOF "+kind+" JOIN a y ON x.k <= y.k AND x.k >= 0")); got != "2" {
				t.Errorf("%s: %s ASOF JOIN has %s rows", setup, kind, got)
			}
		}
	}
}
