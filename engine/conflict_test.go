package engine

import "testing"

// TestOnConflictOnConstraint: a constraint is named as the catalog names it, and means its columns.
func TestOnConflictOnConstraint(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SCHEMA s")
	s.run(`CREATE TABLE s.t (a INTEGER PRIMARY KEY, b INTEGER, "C c" VARCHAR, CONSTRAINT bc UNIQUE (b, "C c"))`)
	s.run("ALTER TABLE s.t ADD COLUMN d INTEGER")
	s.run("ALTER TABLE s.t ADD CONSTRAINT later UNIQUE (d)")
	s.run("CREATE UNIQUE INDEX i ON s.t (a, b)")
	s.run("INSERT INTO s.t VALUES (1, 1, 'x', 1)")
	s.wantTag("INSERT INTO s.t VALUES (1, 2, 'y', 2) ON CONFLICT ON CONSTRAINT t_pkey DO NOTHING", "INSERT 0 0")
	s.want("INSERT INTO s.t AS n VALUES (2, 1, 'x', 2) ON CONFLICT ON CONSTRAINT bc DO UPDATE SET a = n.a + excluded.a RETURNING a, b", "3|1")
	s.want("WITH v AS (SELECT 9 AS a) INSERT INTO s.t SELECT a, a, 'z', 1 FROM v ON CONFLICT ON CONSTRAINT Later DO UPDATE SET b = 7 WHERE t.b = 1 RETURNING b", "7")
	s.run(`PREPARE q AS INSERT INTO s.t (a, d) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT "later" DO UPDATE SET a = excluded.a`)
	s.run("EXECUTE q (5, 1)")
	s.run("SET search_path = s")
	s.run("BEGIN")
	s.run("SAVEPOINT p")
	s.wantTag("INSERT INTO t VALUES (5, 2, 'y', 2) ON CONFLICT ON CONSTRAINT t_pkey DO UPDATE SET d = 4", "INSERT 0 1")
	s.run("COMMIT")
	s.want("TABLE t", "5|7|x|4")
	for sql, code := range map[string]string{
		"INSERT INTO t VALUES (1) ON CONFLICT ON CONSTRAINT nope DO NOTHING":    "42704",
		"INSERT INTO t VALUES (1) ON CONFLICT ON CONSTRAINT i DO NOTHING":       "42704", // an index is none
		"INSERT INTO none VALUES (1) ON CONFLICT ON CONSTRAINT nope DO NOTHING": "42P01",
		"INSERT INTO t VALUES (1) ON CONFLICT ((a + 1)) DO NOTHING":             "0A000",
	} {
		s.wantError(sql, code)
	}
}

// TestOnConflictDoNothingWithoutKeys: nothing is in conflict then.
func TestOnConflictDoNothingWithoutKeys(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER)")
	s.wantTag("INSERT INTO t VALUES (1), (1) ON CONFLICT DO NOTHING", "INSERT 0 2")
	s.want("INSERT INTO t SELECT a + 1 FROM t ON CONFLICT DO NOTHING RETURNING a", "2;2")
	s.run("CREATE TEMP TABLE own (a INTEGER)")
	s.wantTag("INSERT INTO own VALUES (1) ON CONFLICT DO NOTHING", "INSERT 0 1")
	s.wantError("INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1", "42601")
	s.wantError("INSERT INTO t VALUES (1) ON CONFLICT (a) DO NOTHING", "42601")
	s.run("CREATE TABLE k (a INTEGER)")
	s.run("CREATE UNIQUE INDEX ON k (a)")
	s.wantTag("INSERT INTO k VALUES (1), (1) ON CONFLICT DO NOTHING", "INSERT 0 1")
}
