//go:build !duckdb_use_lib

package engine

import "testing"

// TestUpsertsOfOneKeyTwice: a second row of a key is an error wherever the statement is executed, and
// the transaction goes on from a savepoint.
func TestUpsertsOfOneKeyTwice(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t(id INT PRIMARY KEY, v TEXT, n INT)")
	upsert := "INSERT INTO t VALUES ($1, 'a', 1), ($2, 'b', DEFAULT) ON CONFLICT (id) DO UPDATE SET v = excluded.v"
	s.wantTag(upsert, "INSERT 0 2", "1", "2")
	s.wantError("INSERT INTO t VALUES (9,'a',1),(9,'b',2) ON CONFLICT (id) DO UPDATE SET v = excluded.v", "21000")
	s.wantTag("INSERT INTO t VALUES (9,'a',1),(9,'b',2) ON CONFLICT (id) DO NOTHING", "INSERT 0 1")
	s.want("SELECT v FROM t WHERE id = 9", "a")
	s.run("BEGIN")
	s.wantTag(upsert, "INSERT 0 2", "1", "3")
	s.run("SAVEPOINT a")
	s.wantError("INSERT INTO t VALUES (4, 'a', 1), (4, 'b', DEFAULT) ON CONFLICT (id) DO UPDATE SET v = excluded.v RETURNING id", "21000")
	s.run("ROLLBACK TO a")
	s.run("COMMIT")
	s.want("SELECT string_agg(id || v, ' ' ORDER BY id) FROM t", "1a 2b 3b 9a")
	s.run("CREATE TEMPORARY TABLE u(a INT UNIQUE, b INT)")
	s.wantTag("INSERT INTO u VALUES (NULL, 1), (NULL, 2), (1, 3), (1, 4) ON CONFLICT DO NOTHING", "INSERT 0 3")
	s.want("SELECT sum(b)::INT FROM u", "6")
}
