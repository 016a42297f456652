package engine

import (
	"strings"
	"testing"
)

// In one transaction rows are changed, the table is altered or indexed, and changed again; it commits, and has
// the rows, keys and indexes that it is to have.
func TestAlterAfterChangesInATransaction(t *testing.T) {
	s := openSession(t, openEngine(t))
	changes := []string{
		"UPDATE t SET v = v + 1 WHERE id < 3", "DELETE FROM t WHERE id = 3", "INSERT INTO t (id, k, v) VALUES (50, 5, 5)",
		"INSERT INTO t (id, k, v) VALUES (1, 1, 1) ON CONFLICT (id) DO UPDATE SET v = 77",
	}
	alters := []string{
		"ALTER TABLE t ADD COLUMN z INT", "ALTER TABLE t ADD COLUMN z INT DEFAULT 5", "ALTER TABLE t DROP COLUMN y", "ALTER TABLE t ALTER COLUMN v TYPE BIGINT",
		"ALTER TABLE t ALTER COLUMN k SET NOT NULL", "CREATE INDEX i2 ON t (v)", "ALTER TABLE t ADD COLUMN z INT; CREATE INDEX i2 ON t (v)",
		"ALTER TABLE t ADD COLUMN z INT; UPDATE t SET z = id; ALTER TABLE t ALTER COLUMN z SET NOT NULL; CREATE UNIQUE INDEX i2 ON t (z)", "ALTER TABLE t RENAME COLUMN y TO yy",
	}
	later := []string{"UPDATE t SET v = 9 WHERE id < 4", "DELETE FROM t WHERE id = 2; INSERT INTO t (id, k, v) VALUES (2, 2, 2)", "DELETE FROM t WHERE id = 4", "SELECT 1"}
	for k, key := range []string{"", " PRIMARY KEY"} {
		for c, change := range changes {
			if key == "" && strings.Contains(change, "CONFLICT") {
				continue
			}
			for i, alter := range alters {
				// Each statement comes after each change, with one of the later ones.
				for _, l := range later[(i+c+2*k)%len(later):][:1] {
					if strings.Contains(alter, "z SET NOT NULL") {
						l = strings.Replace(strings.Replace(l, "k, v)", "k, v, z)", 1), "2, 2, 2)", "2, 2, 2, 100)", 1)
					}
					s.run("CREATE TABLE t (id INT" + key + ", k INT, v INT, y INT)")
					s.run("CREATE INDEX i1 ON t (k)")
					s.run("INSERT INTO t SELECT i, i, i, i FROM range(1, 7) r(i)")
					s.run("CREATE TABLE same AS FROM t")
					s.run("BEGIN")
					for _, sql := range []string{change, alter, l} {
						for _, one := range strings.Split(sql, "; ") {
							s.run(one)
						}
					}
					before := s.run("SELECT id, k, v FROM t ORDER BY id")
					s.run("COMMIT")
					s.want("SELECT id, k, v FROM t ORDER BY id", before)
					s.want("SELECT count(*) FROM t WHERE k = 4", map[bool]string{true: "0", false: "1"}[strings.HasSuffix(l, "id = 4")])
					s.run("DROP TABLE t")
					s.run("DROP TABLE same")
					if t.Failed() {
						t.Fatalf("%s; %s; %s", change, alter, l)
					}
				}
			}
		}
	}
}

// So it is with tables that others refer to, with savepoints, and with a table made in the transaction.
func TestAlterAfterChangesOfReferredTables(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE p (id INT PRIMARY KEY, v INT)")
	s.run("CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p (id))")
	s.run("INSERT INTO p VALUES (1, 1), (2, 2)")
	s.run("INSERT INTO c VALUES (1, 1)")
	for _, sql := range []string{
		"BEGIN", "UPDATE p SET v = v + 1", "ALTER TABLE p ADD COLUMN w INT", "UPDATE p SET w = v", "CREATE INDEX pw ON p (w)", "UPDATE c SET p = 2",
		"ALTER TABLE c ADD COLUMN x INT", "COMMIT",
	} {
		s.run(sql)
	}
	s.want("SELECT * FROM p ORDER BY 1", "1|2|2;2|3|3")
	s.want("SELECT * FROM c", "1|2|NULL")
	s.wantError("INSERT INTO c VALUES (2, 9, 9)", "23503")
	s.wantError("DELETE FROM p WHERE id = 2", "23503")
	for _, sql := range []string{
		"BEGIN", "UPDATE p SET v = 5", "SAVEPOINT s", "ALTER TABLE p ADD COLUMN y INT", "UPDATE p SET y = 1", "ROLLBACK TO s",
		"UPDATE p SET v = v + 1", "ALTER TABLE p ADD COLUMN y INT DEFAULT 3", "UPDATE p SET v = v + 1", "COMMIT",
	} {
		s.run(sql)
	}
	s.want("SELECT id, v, y FROM p ORDER BY 1", "1|7|3;2|7|3")
	for _, sql := range []string{
		"BEGIN", "CREATE TABLE o (a INT PRIMARY KEY)", "INSERT INTO o VALUES (1)", "UPDATE o SET a = 2", "ALTER TABLE o ADD COLUMN b INT", "UPDATE o SET b = 1",
		"CREATE INDEX ob ON o (b)", "ALTER TABLE o ALTER COLUMN b SET NOT NULL", "COMMIT",
	} {
		s.run(sql)
	}
	s.want("SELECT * FROM o", "2|1")
}
