package engine

import (
	"fmt"
	"testing"
)

// BenchmarkSavepoints is a transaction of single inserts: without savepoints, with one
// around each, as ON_ERROR_ROLLBACK of psql and nested blocks of frameworks have it, and
// with an error in every hundredth. Time is per insert.
func BenchmarkSavepoints(b *testing.B) {
	for _, table := range []string{"(k INTEGER PRIMARY KEY, v VARCHAR)", "(k INTEGER PRIMARY KEY, v VARCHAR, id SERIAL)"} {
		for _, form := range []string{"without", "around each", "with errors"} {
			b.Run(form+" "+table, func(b *testing.B) {
				s := openSession(b, openEngine(b))
				s.run("CREATE TABLE t " + table)
				s.run("BEGIN")
				b.ResetTimer()
				for i := range b.N {
					if form != "without" {
						s.run("SAVEPOINT s")
					}
					s.run(fmt.Sprintf("INSERT INTO t (k, v) VALUES (%d, 'text')", i))
					if form == "with errors" && i%100 == 99 {
						s.wantError("INSERT INTO t (k) VALUES (0)", "23505")
						s.run("ROLLBACK TO s")
					}
					if form != "without" {
						s.run("RELEASE s")
					}
				}
				s.run("COMMIT")
			})
		}
	}
}
