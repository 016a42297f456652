package engine

import (
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// TestInlinedSumsKeepTheirIndices: a sum that is read twice within one leaf is put in
// its reader's place twice, and a new name for what one of them reduces was the
// reader's own (x_3, x_31): it reduced the reader's index as well.
func TestInlinedSumsKeepTheirIndices(t *testing.T) {
	w := openWide(t)
	defer w.close()
	w.count = newWideCount()
	w.script(`CREATE TABLE t0 (k INTEGER, j BIGINT, m DOUBLE);
		INSERT INTO t0 VALUES (-1, 2, 0.25);
		CREATE TABLE t1 (k INTEGER, m INTEGER);
		INSERT INTO t1 VALUES (0, 2), (-1, 2), (3, -1), (3, NULL), (2, NULL)`)
	for _, sql := range []string{
		`WITH w AS (SELECT k, m FROM t1 ORDER BY k, m LIMIT 4)
			SELECT r2.k, r2.m, var_pop(r2.k), sum(r2.k + r3.j) IS NULL
			FROM w r1 RIGHT JOIN (SELECT k, m FROM t1 ORDER BY k, m LIMIT 4) r2 ON r1.k = r2.k AND r1.k IS NOT DISTINCT FROM r2.k
			LEFT JOIN t0 r3 ON r2.k = r3.j AND r3.m IS NULL
			WHERE r1.k NOT IN (SELECT r4.k FROM t0 r4 WHERE r4.j = r1.k)
			AND EXISTS (SELECT 1 FROM (SELECT r6.k AS c0, r7.k AS c1, r7.j AS c2 FROM t1 r6 LEFT JOIN t0 r7 ON r6.k = r7.k AND r7.m <> -1.5 WHERE r6.k <= r6.k) r5)
			GROUP BY r2.k, r2.m`,
		`SELECT r2.k, sum(r2.k + r3.j) FROM t1 r1 RIGHT JOIN t1 r2 ON r1.k = r2.k AND r1.m = r2.m LEFT JOIN t0 r3 ON r2.k = r3.j
			WHERE r1.k NOT IN (SELECT r4.k FROM t0 r4 WHERE r4.j = r1.k) GROUP BY r2.k`,
	} {
		w.count.seen = 0 // all backends are asked
		if err := w.query(difftest.Query{SQL: sql}, false); err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
	}
}
