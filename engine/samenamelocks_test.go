package engine

import "testing"

// Tables of one name in several schemas, and temporary ones, are locked and counted by themselves.
func TestLocksOfSameNames(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	for _, sql := range []string{
		"CREATE SCHEMA app", "CREATE SCHEMA far", "CREATE TABLE t (k INTEGER)", "CREATE TABLE app.t (k INTEGER)", "CREATE TABLE u (k INTEGER)", "CREATE TABLE noise (k INTEGER)",
		"INSERT INTO t VALUES (1)", "INSERT INTO app.t VALUES (2)", "INSERT INTO u VALUES (3)", "CREATE TABLE far.noise (k INTEGER)",
	} {
		a.run(sql)
	}
	b.run("SET search_path = app, main")
	b.run("CREATE TEMP TABLE noise (k INTEGER)")
	const add = " ADD COLUMN IF NOT EXISTS x INTEGER"
	for _, c := range []struct {
		write   string // of b, by the path and beside its own tables
		waits   string // the table of which ALTER waits, if any
		besides []string
	}{
		{"INSERT INTO t VALUES (1)", "app.t", []string{"public.t", "noise"}},
		{"UPDATE t SET k = k", "app.t", []string{"main.t"}},
		{"INSERT INTO main.t VALUES (1)", "t", []string{"app.t"}},
		{"DELETE FROM public.t WHERE k = 7", "t", []string{"app.t"}},
		{"INSERT INTO u VALUES (1)", "u", []string{"t", "app.t"}},
		{"INSERT INTO noise VALUES (1)", "", []string{"noise", "far.noise"}},
		{"INSERT INTO temp.noise VALUES (1)", "", []string{"noise", "far.noise"}},
		{"INSERT INTO main.noise VALUES (1)", "noise", []string{"far.noise"}},
		{"MERGE INTO t USING u ON t.k = u.k WHEN MATCHED THEN UPDATE SET k = 1", "app.t", []string{"u", "t"}},
		{"CREATE TABLE far.made AS FROM t; DROP TABLE far.made", "", []string{"t", "app.t"}},
	} {
		a.run("SET lock_timeout = '1ms'")
		b.run("BEGIN")
		b.runAll(c.write)
		if c.waits != "" {
			a.wantError("ALTER TABLE "+c.waits+add, "55P03")
		}
		for _, table := range c.besides {
			a.run("ALTER TABLE " + table + add)
			a.run("ALTER TABLE " + table + " DROP COLUMN x")
		}
		b.run("ROLLBACK")

		a.run("BEGIN") // in a snapshot of before
		a.run("CREATE TABLE mine (k INTEGER)")
		b.runAll(c.write)
		for _, table := range c.besides {
			a.run("ALTER TABLE " + table + add)
		}
		if c.waits != "" {
			a.wantError("ALTER TABLE "+c.waits+add, "40001")
		}
		a.run("ROLLBACK")
	}
	const sum = "SELECT (SELECT sum(k) FROM t), (SELECT count(*) FROM noise)"
	before := a.run(sum)
	a.run("SET trireme.backend = 'native'")
	b.run("BEGIN")
	b.run("UPDATE t SET k = 5")
	b.run("INSERT INTO noise VALUES (1)")
	a.want(sum, before)
	b.run("COMMIT")
	a.want("SELECT sum(k) FROM app.t", b.run("SELECT sum(k) FROM t"))
}

// Rows that would go to a table that has another name by now do not, and are not missed there.
func TestWritersOfARenamedTable(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE TABLE t (k INTEGER)")
	a.run("CREATE TABLE noise (k INTEGER)")
	a.run("BEGIN")
	a.run("SELECT count(*) FROM noise")
	b.run("ALTER TABLE t RENAME TO u")
	a.wantError("INSERT INTO t VALUES (1)", "42P01")
	a.run("ROLLBACK")
	a.run("BEGIN")
	a.run("INSERT INTO noise VALUES (1)")
	b.run("ALTER TABLE u RENAME TO t")
	b.run("SET trireme.backend = 'native'")
	b.want("SELECT count(*) FROM t", "0")
	a.wantError("INSERT INTO u VALUES (1)", "40001")
	a.run("ROLLBACK")
	a.run("INSERT INTO t VALUES (1)")
	b.want("SELECT count(*) FROM t", "1")
}

// runAll runs statements with semicolons between them.
func (s testSession) runAll(sql string) {
	s.t.Helper()
	statements, err := s.Split(sql)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, statement := range statements {
		s.run(statement.Text)
	}
}

// A table that is made nearer on the search path, or goes there, while a statement waits is what
// the statement means then.
func TestLocksOfNamesThatChange(t *testing.T) {
	e := openEngine(t)
	a, b, c := openSession(t, e), openSession(t, e), openSession(t, e)
	c.run("SET lock_timeout = '1ms'")
	for _, sql := range []string{"CREATE SCHEMA app", "CREATE TABLE t (k INTEGER)", "CREATE TABLE app.t (k INTEGER)"} {
		a.run(sql)
	}
	b.run("SET search_path = app, main")
	b.run("SELECT 1")
	a.run("BEGIN")
	a.run("DROP TABLE app.t")
	done := b.inBackground("INSERT INTO t VALUES (1)")
	a.run("COMMIT")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	a.want("SELECT k FROM t", "1")
	a.run("BEGIN")
	a.run("ALTER TABLE t ADD COLUMN x INTEGER")
	done = b.inBackground("INSERT INTO t (k) VALUES (2)")
	a.run("CREATE TABLE app.t (k INTEGER)")
	a.run("COMMIT")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	a.want("SELECT k FROM app.t", "2")
	b.run("BEGIN")
	b.run("INSERT INTO t VALUES (3)")
	c.wantError("DROP TABLE app.t", "55P03")
	c.run("ALTER TABLE main.t DROP COLUMN x")
	b.run("COMMIT")
}
