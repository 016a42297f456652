package engine

import (
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// TestAnswersFollowWrites asks the same statements after every write: neither a
// tensor nor a statistic of the rows before it may serve them.
func TestAnswersFollowWrites(t *testing.T) {
	r := newRig(t)
	r.script(`CREATE TABLE p (k INTEGER, v BIGINT); CREATE TABLE q (k INTEGER, v BIGINT);
		INSERT INTO p VALUES (1, 2), (2, 3), (NULL, 4); INSERT INTO q VALUES (1, 10), (2, 20), (2, 30)`)
	statements := []string{
		"SELECT count(*), sum(p.v), max(q.v) FROM p JOIN q ON p.k = q.k",
		"SELECT sum(p.v * q.v) FROM p JOIN q ON p.k = q.k",
		"SELECT p.k, count(*) FROM p WHERE p.v > 2 GROUP BY p.k",
	}
	writes := []string{
		"INSERT INTO p VALUES (2, 7)",
		"UPDATE q SET v = 5 - v",
		"DELETE FROM p WHERE k = 1",
		"DROP TABLE q; CREATE TABLE q (k INTEGER, v BIGINT); INSERT INTO q VALUES (2, 8)",
		"BEGIN; INSERT INTO p VALUES (2, 100); ROLLBACK",
		"BEGIN; INSERT INTO p VALUES (2, 1000); COMMIT",
	}
	for _, write := range writes {
		r.script(write)
		for _, sql := range statements {
			r.corpusCase(difftest.Case{SQL: sql, Expect: difftest.Tensor})
		}
	}
	// The product fits no longer: an old range of q.v would not notice.
	r.script("INSERT INTO q VALUES (2, 9223372036854775807)")
	r.corpusCase(difftest.Case{SQL: statements[1], Expect: difftest.Error, Detail: "22"})
}

// TestAnswersFollowPredicates asks statements that differ in nothing but a
// constant or a parameter's value of a load, one after the other.
func TestAnswersFollowPredicates(t *testing.T) {
	r := newRig(t)
	r.script(`CREATE TABLE p (k INTEGER, v BIGINT); CREATE TABLE q (k INTEGER, v BIGINT);
		INSERT INTO p VALUES (1, 2), (2, 3), (2, 9), (NULL, 4); INSERT INTO q VALUES (1, 10), (2, 20), (2, 30)`)
	for _, predicate := range []string{"p.v > 2", "p.v > 5", "p.v < 3", "p.v > 2 OR p.v IS NULL"} {
		sql := "SELECT count(*), sum(q.v) FROM p JOIN q ON p.k = q.k WHERE " + predicate
		r.corpusCase(difftest.Case{SQL: sql, Expect: difftest.Tensor})
	}
	sql := "SELECT count(*), sum(q.v) FROM p JOIN q ON p.k = q.k WHERE p.v > $1 AND q.v < $2"
	for _, args := range [][]string{{"0", "100"}, {"2", "30"}, {"30", "2"}, {"NULL", "30"}} {
		r.corpusCase(difftest.Case{SQL: sql, Params: args, Expect: difftest.Tensor})
	}
}
