package engine

import "testing"

// TestInsertOfFewerValues: an INSERT that names no columns may have fewer values than the table has columns, as in
// Postgres: the others take their defaults.
func TestInsertOfFewerValues(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run(`CREATE TABLE t (a INTEGER PRIMARY KEY, "B b" INTEGER DEFAULT 7, c VARCHAR DEFAULT 'x', d INTEGER GENERATED ALWAYS AS (a + 1))`)
	s.wantTag("INSERT INTO t VALUES (1)", "INSERT 0 1")
	s.wantTag("INSERT INTO main.t AS n VALUES (2, (SELECT max(a) FROM t)), (3, DEFAULT)", "INSERT 0 2")
	s.wantTag("INSERT INTO t SELECT 4", "INSERT 0 1")
	s.want("WITH w AS (SELECT 5 AS q) INSERT INTO t SELECT q, q + 1 FROM w RETURNING a, \"B b\", c", "5|6|x")
	s.wantTag("INSERT INTO t (SELECT 6);", "INSERT 0 1")
	s.wantTag("INSERT INTO t VALUES ($1, $2)", "INSERT 0 1", "7", "70")
	s.wantTag("INSERT INTO t SELECT $1::INTEGER", "INSERT 0 1", "8")
	s.wantTag("INSERT INTO t VALUES (8, 1) ON CONFLICT DO NOTHING", "INSERT 0 0")
	s.wantTag("INSERT INTO t VALUES (8, 80) ON CONFLICT (a) DO UPDATE SET \"B b\" = excluded.\"B b\"", "INSERT 0 1")
	s.want("SELECT string_agg(a || ':' || \"B b\" || c, ' ' ORDER BY a) FROM t", "1:7x 2:1x 3:7x 4:7x 5:6x 6:7x 7:70x 8:80x")
	s.run("BEGIN")
	s.run("SAVEPOINT a")
	s.run("INSERT INTO t VALUES (9)")
	s.run("ROLLBACK TO a")
	s.run("COMMIT")
	s.run("CREATE TEMPORARY TABLE u (a INTEGER, b INTEGER DEFAULT 3)")
	s.run("INSERT INTO u VALUES (1)")
	s.want("FROM u", "1|3")
	for sql, code := range map[string]string{
		"INSERT INTO t VALUES (9, 9, 'c', 9, 9)": "42601", "INSERT INTO t SELECT 9, 9, 'c', 9": "428C9", "INSERT INTO t (a, c) VALUES (9)": "42601",
		"INSERT INTO t VALUES (9), (9, 9)": "42601", "INSERT INTO t SELECT nosuch": "42703", "INSERT INTO none VALUES (1)": "42P01",
	} {
		s.wantError(sql, code)
	}
	s.want("SELECT count(*) FROM t", "8")
}
