package engine

import (
	"context"
	"testing"
)

// TestPlansAreOfTheirData: what is prepared before rows are written, by its session or another
// and whatever the backend, is executed on those rows: for the first time and again, within
// transactions and outside, by PREPARE or by the interface.
func TestPlansAreOfTheirData(t *testing.T) {
	statements := []struct{ sql, after, want, again string }{
		{sql: "SELECT count(*), max(k) FROM pa WHERE k > 5", want: "2|9", again: "3|20"},
		{sql: "SELECT k, count(*) FROM pa WHERE v IS NULL GROUP BY k", want: "9|1", again: "9|1"},
		{sql: "SELECT k, sum(v) FROM pa GROUP BY k ORDER BY k", want: "1|10;2|5;8|1;9|NULL", again: "1|10;2|5;8|1;9|NULL;20|1"},
		{sql: "SELECT a.k, count(*) FROM pa a JOIN pa b ON a.k = b.k WHERE a.k > 5 GROUP BY a.k ORDER BY a.k", want: "8|1;9|1", again: "8|1;9|1;20|1"},
		{sql: "SELECT count(*) FROM pa WHERE k IN (SELECT k FROM pa WHERE k > 5)", want: "2", again: "3"},
		{sql: "DELETE FROM pa WHERE k <= 5", after: "FROM pa ORDER BY k", want: "8|1;9|NULL", again: "8|1;9|NULL;20|1"},
		{sql: "UPDATE pa SET v = 100 WHERE k > 5", after: "FROM pa ORDER BY k", want: "1|10;2|5;8|100;9|100", again: "1|10;2|5;8|100;9|100;20|100"},
		{sql: "INSERT INTO pa SELECT k + 100, count(*) FROM pa WHERE k BETWEEN 6 AND 90 GROUP BY k", after: "SELECT k FROM pa ORDER BY k", want: "1;2;8;9;108;109", again: "1;2;8;9;20;108;108;109;109;120"},
		{
			sql:   "MERGE INTO pa USING (SELECT 8 AS k) s ON pa.k = s.k WHEN MATCHED THEN UPDATE SET v = 77 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 0)",
			after: "FROM pa ORDER BY k", want: "1|10;2|5;8|77;9|NULL", again: "1|10;2|5;8|77;9|NULL;20|1",
		},
	}
	for _, backend := range []string{"auto", "native", "decomposed", "duckdb"} {
		e := openEngine(t)
		p := planRig{testSession: openSession(t, e), other: openSession(t, e), backend: backend}
		for _, s := range statements {
			for _, way := range planWays {
				if way.transaction && s.after == "" && (backend == "native" || backend == "decomposed") {
					continue // they refuse tables that their transaction has written to
				}
				t.Run(backend+"/"+way.name+"/"+s.sql, func(t *testing.T) {
					p.run("CREATE OR REPLACE TABLE pa(k INTEGER, v INTEGER)")
					p.run("INSERT INTO pa VALUES (1,10),(2,5)")
					p.run("SET trireme.backend = " + backend)
					execute, done := preparedAs(t, p.testSession, s.sql, way.inSQL)
					defer done()
					if way.transaction {
						p.run("BEGIN")
						defer p.run("COMMIT")
					}
					for _, step := range []struct{ write, want string }{{"INSERT INTO pa VALUES (8,1),(9,NULL)", s.want}, {"INSERT INTO pa VALUES (20,1)", s.again}} {
						p.write(way, step.write)
						got := execute()
						if s.after != "" {
							got = p.look(s.after)
						}
						if got != step.want {
							t.Errorf("after %s: %q, want %q", step.write, got, step.want)
						}
					}
				})
			}
		}
	}
}

// planRig is the session that prepares, and one beside it.
type planRig struct {
	testSession
	other   testSession
	backend string
}

// write writes in a way, after which the prepared statement is to be executed.
func (p planRig) write(way planWay, sql string) {
	writer := p.testSession
	if way.other {
		writer = p.other
	}
	writer.run(sql)
	if way.savepoint {
		p.run("SAVEPOINT s")
		p.run("DELETE FROM pa")
		p.run("ROLLBACK TO s")
	}
}

// look reads by DuckDB, unprepared.
func (p planRig) look(sql string) string {
	p.run("SET trireme.backend = duckdb")
	defer p.run("SET trireme.backend = " + p.backend)
	return p.run(sql)
}

// planWay is a way in which a statement is prepared before others write.
type planWay struct {
	name        string
	transaction bool // around all but the preparing
	other       bool // another session writes
	inSQL       bool // PREPARE and EXECUTE
	savepoint   bool // the transaction goes back to a savepoint before each execution
}

var planWays = []planWay{
	{name: "own"},
	{name: "own, PREPARE", inSQL: true},
	{name: "other", other: true},
	{name: "other, PREPARE", other: true, inSQL: true},
	{name: "transaction", transaction: true},
	{name: "transaction, savepoint", transaction: true, savepoint: true},
}

// preparedAs prepares a statement and returns what executes and what closes it.
func preparedAs(t *testing.T, s testSession, sql string, inSQL bool) (execute func() string, done func()) {
	t.Helper()
	if inSQL {
		s.run("PREPARE q AS " + sql)
		return func() string { return s.run("EXECUTE q") }, func() { s.run("DEALLOCATE q") }
	}
	p, err := s.Prepare(context.Background(), sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	execute = func() string {
		res, err := p.Execute(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := readAll(res)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	return execute, func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPreparedColumnsStay: a statement that is planned on other data still has the columns that
// its client was told, or an error says that it has others.
func TestPreparedColumnsStay(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	for _, backend := range []string{"auto", "duckdb"} {
		s.run("CREATE OR REPLACE TABLE pa(k INTEGER, v INTEGER)")
		s.run("SET trireme.backend = " + backend)
		p, err := s.Prepare(context.Background(), "SELECT * FROM pa WHERE k > 5", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Columns() // the client is told
		other.run("ALTER TABLE pa ADD COLUMN w INTEGER")
		other.run("INSERT INTO pa VALUES (8, 1, 2)")
		if _, err := p.Execute(context.Background(), nil); err == nil || err.Error() != errOtherResult.Error() {
			t.Errorf("%s: error %v, want %v", backend, err, errOtherResult)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
