package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestSavepointWithNothingToUndo(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER)")
	s.play(`
		SAVEPOINT a ! 25P01
		RELEASE a ! 25P01
		ROLLBACK TO a ! 25P01
		BEGIN => BEGIN
		INSERT INTO t VALUES (1) => INSERT 0 1
		SAVEPOINT a => SAVEPOINT
		SELECT count(*) FROM t : 1
		SHOW statement_timeout : 0
		EXPLAIN INSERT INTO t VALUES (2) => EXPLAIN
		SAVEPOINT b => SAVEPOINT
		ROLLBACK TO SAVEPOINT a => ROLLBACK
		ROLLBACK TO a => ROLLBACK
		RELEASE SAVEPOINT a => RELEASE
		COMMIT => COMMIT
		SELECT count(*) FROM t : 1
		BEGIN => BEGIN
		SAVEPOINT a => SAVEPOINT
		INSERT INTO t VALUES (2) => INSERT 0 1
		SAVEPOINT "A" => SAVEPOINT
		SAVEPOINT a => SAVEPOINT
		SELECT count(*) FROM t : 2
		ROLLBACK TO a => ROLLBACK
		ROLLBACK TO "A" => ROLLBACK
		RELEASE a => RELEASE
		COMMIT => COMMIT
		SELECT count(*) FROM t : 2
	`)
}

func TestSavepointUnknown(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.play(`
		BEGIN => BEGIN
		SAVEPOINT a => SAVEPOINT
		SAVEPOINT b => SAVEPOINT
		RELEASE a => RELEASE
		RELEASE b ! 3B001
		ROLLBACK TO a ! 3B001
		SAVEPOINT a ! 25P02
		RELEASE a ! 25P02
		COMMIT => ROLLBACK
		BEGIN => BEGIN
		ROLLBACK TO a ! 3B001
		ROLLBACK => ROLLBACK
	`)
}

// Every kind of change is undone, also after an error, and what was done before it stays.
func TestSavepointUndoes(t *testing.T) {
	e := openEngine(t)
	failures := []string{"", "SELECT CAST('x' AS INTEGER)", "SELECT nothing", "INSERT INTO other VALUES (NULL)"}
	for i, change := range []string{
		"INSERT INTO t VALUES (2, 'b')", "INSERT INTO t VALUES (2, 'b') RETURNING x", "INSERT INTO t SELECT i, 'i' FROM range(2, 3000) r(i)",
		"UPDATE t SET y = 'z'", "UPDATE t SET x = x + 10", "DELETE FROM t", "TRUNCATE t", "INSERT INTO t VALUES (1, 'q') ON CONFLICT DO UPDATE SET y = 'q'",
		"INSERT OR REPLACE INTO t VALUES (1, 'q'), (2, 'q')", "MERGE INTO t USING (SELECT 1 AS x) s ON t.x = s.x WHEN MATCHED THEN DELETE",
		"CREATE TABLE u (x INTEGER)", "CREATE TEMP TABLE u (x INTEGER)", "CREATE TABLE u AS SELECT * FROM t", "DROP TABLE t",
		"ALTER TABLE t ADD COLUMN v INTEGER", "ALTER TABLE t RENAME TO u", "EXECUTE p", "CREATE MACRO m() AS 1", "DISCARD TEMP", "DROP TABLE held",
		"CREATE VIEW u AS SELECT 1", "CREATE SEQUENCE u", "COMMENT ON TABLE t IS 'x'", "CREATE SCHEMA u", "CREATE TABLE u (id SERIAL)", "UPDATE temp.held SET x = 5",
	} {
		failure := failures[i%len(failures)]
		t.Run(change+", "+failure, func(t *testing.T) {
			s := openSession(t, e)
			s.run("CREATE OR REPLACE TABLE t (x INTEGER PRIMARY KEY, y VARCHAR)")
			s.run("CREATE OR REPLACE TABLE other (x INTEGER NOT NULL)")
			s.run("INSERT INTO t VALUES (0, 'zero')")
			s.run("CREATE TEMP TABLE held (x INTEGER)")
			s.run("PREPARE p AS INSERT INTO t VALUES (7, 'p')")
			s.run("BEGIN")
			s.run("INSERT INTO held VALUES (3)")
			s.run("INSERT INTO t VALUES (1, 'one')")
			s.run("UPDATE t SET y = y || '!' WHERE x = 0")
			s.run("SAVEPOINT a")
			s.run(change)
			if failure != "" {
				if _, _, err := s.try(failure); err == nil {
					t.Errorf("%s does not fail", failure)
				}
				s.wantStatus(TxFailed)
				s.wantError("SELECT 1", "25P02")
			}
			for range 2 {
				s.run("ROLLBACK TO a")
				s.wantStatus(TxActive)
				s.want("SELECT * FROM t ORDER BY x", "0|zero!;1|one")
				s.want("SELECT x FROM held", "3")
				s.want("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'u'", "0")
			}
			s.run("INSERT INTO t VALUES (2, 'two')")
			s.wantTag("COMMIT", "COMMIT")
			s.want("SELECT * FROM t ORDER BY x", "0|zero!;1|one;2|two")
			s.want("SELECT x FROM held", "3")
		})
	}
}

func TestSavepointSettingsAndCursors(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.play(`
		SET statement_timeout = 7000 => SET
		BEGIN => BEGIN
		SET LOCAL statement_timeout = 8000 => SET
		DECLARE c CURSOR FOR SELECT i FROM range(100000) r(i) ORDER BY i => DECLARE CURSOR
		FETCH c : 0
		SAVEPOINT a => SAVEPOINT
		FETCH c : 1
		DECLARE d CURSOR FOR SELECT 1 => DECLARE CURSOR
		SET statement_timeout = 9000 => SET
		SET application_name = 'within' => SET
		SET TRANSACTION READ ONLY => SET
		ROLLBACK TO a => ROLLBACK
		SHOW statement_timeout : 8s
		SHOW application_name :
		SHOW transaction_read_only : off
		FETCH d ! 34000
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		SET LOCAL statement_timeout = 8000 => SET
		SAVEPOINT a => SAVEPOINT
		SET statement_timeout = 9000 => SET
		ROLLBACK TO a => ROLLBACK
		DECLARE c CURSOR FOR SELECT i FROM range(100000) r(i) ORDER BY i => DECLARE CURSOR
		FETCH c : 0
		SAVEPOINT b => SAVEPOINT
		ROLLBACK TO b => ROLLBACK
		FETCH c : 1
		COMMIT => COMMIT
		SHOW statement_timeout : 7s
	`)
}

// TestSavepointInBlock: statements of one text are a transaction, but not the user's.
func TestSavepointInBlock(t *testing.T) {
	s := openSession(t, openEngine(t))
	if err := s.BeginImplicit(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.run("SELECT 1")
	s.wantError("SAVEPOINT a", "25P01")
	if err := s.EndImplicit(context.Background(), false); err != nil {
		t.Fatal(err)
	}
}

// What savepoints and names keep in memory is bounded.
func TestSavepointsAreBounded(t *testing.T) {
	s := openSession(t, openEngine(t))
	long := strings.Repeat("n", nameBytesMax+1)
	s.run("BEGIN")
	s.wantError(`SAVEPOINT "`+long+`"`, "54000")
	s.run("ROLLBACK")
	s.wantError(`PREPARE "`+long+`" AS SELECT 1`, "54000")
	s.wantError(`DECLARE "`+long+`" CURSOR WITH HOLD FOR SELECT 1`, "54000")
	for i := range 2000 {
		s.run(fmt.Sprintf("SET my.setting%d = 'x'", i))
	}
	s.run("BEGIN")
	for range 1000 { // as many copies of all settings would be too much
		s.run("SAVEPOINT a")
	}
	for i := 0; ; i++ {
		if i > 200 {
			t.Fatal("no bound of copies of settings")
		}
		s.run(fmt.Sprintf("SET my.setting0 = '%d'", i))
		if _, _, err := s.try("SAVEPOINT a"); err != nil {
			if code := sqlerr.From(err).Code; code != sqlerr.ProgramLimit {
				t.Errorf("%s: %v", code, err)
			}
			break
		}
	}
	s.run("ROLLBACK TO a")
	s.run("COMMIT")
	for range 300 { // what is released makes room
		s.run("BEGIN")
		s.run("SAVEPOINT a")
		s.run("SET my.setting0 = 'y'")
		s.run("SAVEPOINT b")
		s.run("RELEASE a")
		s.run("COMMIT")
	}
}

// The texts that prepared statements and cursors keep are counted whole.
func TestTextsOfASessionAreBounded(t *testing.T) {
	s := openSession(t, openEngine(t))
	blanks := strings.Repeat(" ", namedTextBytes/2)
	s.run("PREPARE a (INTEGER" + blanks + ") AS SELECT $1")
	s.wantError("PREPARE b (INTEGER"+blanks+") AS SELECT $1", "54000")
	s.run("DEALLOCATE a")
	s.run("PREPARE b (INTEGER" + blanks + ") AS SELECT $1")
	s.run("DECLARE a CURSOR WITH HOLD FOR" + blanks + "SELECT 1")
	s.wantError("DECLARE b CURSOR WITH HOLD FOR"+blanks+"SELECT 1", "54000")
	s.run("CLOSE a")
	s.run("DECLARE b CURSOR WITH HOLD FOR" + blanks + "SELECT 1")
}
