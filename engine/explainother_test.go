package engine

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// EXPLAIN of any statement takes Postgres' options and shows one column.
func TestExplainOfOthers(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER)")
	for _, sql := range []string{
		"EXPLAIN (VERBOSE, COSTS OFF) INSERT INTO t VALUES (1)", "EXPLAIN VERBOSE DELETE FROM t", "EXPLAIN ANALYZE VERBOSE UPDATE t SET x = 2",
		"EXPLAIN (ANALYZE, BUFFERS) INSERT INTO t SELECT 3", "EXPLAIN VERBOSE SELECT 1",
	} {
		p, err := s.Prepare(context.Background(), sql, nil)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if cols := p.Columns(); len(cols) != 1 || cols[0].Name != "QUERY PLAN" || cols[0].Type.ID != rows.Varchar {
			t.Errorf("%s: columns %v", sql, cols)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if text := s.run(sql); !strings.Contains(text, ";") {
			t.Errorf("%s: %q is no plan of several lines", sql, text)
		}
	}
	s.want("SELECT x FROM t", "3") // of EXPLAIN ANALYZE alone
	for _, sql := range []string{"EXPLAIN (VERBOSE, FORMAT JSON) DELETE FROM t", "EXPLAIN (FORMAT JSON) SELECT count(*) FROM t a JOIN t b USING (x)"} {
		var docs []any
		if err := json.Unmarshal([]byte(s.run(sql)), &docs); err != nil || len(docs) != 1 {
			t.Errorf("%s: %v, %d documents", sql, err, len(docs))
		}
	}
	if e := s.wantError("EXPLAIN (VERBOSE, COSTS OFF) INSERT INTO t SELECT nosuch", "42703"); e.Offset != 50 {
		t.Errorf("the error is at %d", e.Offset)
	}
	for _, sql := range []string{"EXPLAIN (VERBOSE, nosuch) SELECT 1", "EXPLAIN (VERBOSE, nosuch off, other) DELETE FROM t", "EXPLAIN (VERBOSE, \"nosuch\") EXECUTE p(NULL)"} {
		if e := s.wantError(sql, "42601"); e.Message != `unrecognized EXPLAIN option "nosuch"` || e.Offset != 18 {
			t.Errorf("%s: %v at %d", sql, e, e.Offset)
		}
	}
	s.run("PREPARE p AS SELECT x + $1 FROM t")
	s.run("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE p(NULL)")
	s.wantError("EXPLAIN EXECUTE nosuch(1)", "26000")
	s.shareNames(map[string]string{"wired": "SELECT 1"})
	s.run("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE wired")
}
