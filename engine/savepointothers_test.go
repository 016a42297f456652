package engine

import (
	"fmt"
	"strings"
	"testing"
)

// playReturn plays a transaction that fails after a savepoint, beside others: ROLLBACK TO is
// want, "" or a SQLSTATE. What it has kept then is committed.
func playReturn(t testing.TB, s, other testSession, before, meanwhile []string, want string) {
	t.Helper()
	s.t, other.t = t, t
	s.playReturn(before, func() {
		for _, sql := range meanwhile {
			other.run(sql)
		}
	}, want)
}

func (s testSession) playReturn(before []string, meanwhile func(), want string) {
	s.t.Helper()
	s.run("BEGIN")
	for _, sql := range before {
		s.run(sql)
	}
	s.run("SAVEPOINT s")
	meanwhile()
	fail(s)
	if want == "" {
		s.run("ROLLBACK TO s")
		s.wantTag("COMMIT", "COMMIT")
		return
	}
	if e := s.wantError("ROLLBACK TO s", want); e.Hint == "" {
		s.t.Errorf("no hint: %v", e)
	}
	s.wantError("ROLLBACK TO s", want) // it does not become right by being said again
	s.wantTag("COMMIT", "ROLLBACK")
}

// fail lets DuckDB end its transaction by an error.
func fail(s testSession) {
	s.t.Helper()
	if _, _, err := s.try("SELECT error('x')"); err == nil {
		s.t.Fatal("no error")
	}
	s.wantStatus(TxFailed)
}

// openUnlocked runs statements of which the server does not know, in an order that its locks
// would not allow.
func openUnlocked(t *testing.T, e *Engine) func(sql string) {
	t.Helper()
	conn, err := e.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(sql string) {
		t.Helper()
		if err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

// A table to which the transaction has added rows is another one by then. Who drops or replaces one
// waits for the transaction; this is what came of it where one did not.
func TestSavepointOthersReplaceTable(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	unlocked := openUnlocked(t, e)
	for _, replace := range []string{
		"DROP TABLE t", "DROP TABLE t; CREATE VIEW t AS SELECT 1 AS k", "DROP TABLE t; CREATE TABLE t (k INTEGER, z INTEGER, d DATE)",
		"DROP TABLE t; CREATE TABLE t (z INTEGER, k INTEGER, d DATE)", "DROP TABLE t; CREATE TABLE t (k DOUBLE, z VARCHAR, d TIMESTAMP, n INTEGER)",
		"DROP TABLE t; CREATE TABLE t (k INTEGER, g INTEGER AS (k * 10), z INTEGER, d DATE)", "DROP TABLE t; CREATE TABLE t (k INTEGER, z INTEGER[], d DATE)",
	} {
		for _, drop := range []string{"VIEW IF EXISTS t", "TABLE IF EXISTS t"} {
			_, _, _ = other.try("DROP " + drop) // it may be of the other kind
		}
		other.run("CREATE TABLE t (k INTEGER, z INTEGER, d DATE, n INTEGER)")
		t.Run(replace, func(t *testing.T) {
			s.t = t
			s.playReturn([]string{"INSERT INTO t VALUES (1, 2, '2020-01-01', NULL)"}, func() {
				for _, sql := range strings.Split(replace, "; ") {
					unlocked(sql)
				}
			}, "40001")
		})
		if want := map[bool]string{false: "0", true: "1"}[strings.Contains(replace, "VIEW")]; replace != "DROP TABLE t" {
			s.want("SELECT count(*) FROM t", want)
		}
	}
	other.run("CREATE TABLE u (k INTEGER)")
	playReturn(t, s, other, []string{"INSERT INTO u VALUES (1)"}, []string{"CREATE TABLE elsewhere (k INTEGER)", "INSERT INTO u VALUES (2)", "ALTER TABLE elsewhere ADD COLUMN l INTEGER"}, "")
	s.want("SELECT k FROM u ORDER BY k", "1;2")
}

// Who alters, replaces or drops a table waits for the transaction that has added rows, also where an error has
// ended DuckDB's: its rows are added again to the same table.
func TestSavepointKeepsAlterWaiting(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	other.run("SET lock_timeout = '1ms'")
	s.run("CREATE TABLE t (k INTEGER, z INTEGER, d DATE, n INTEGER)")
	for i, alter := range []string{
		"ALTER TABLE t DROP COLUMN z", "ALTER TABLE t ALTER COLUMN z TYPE DOUBLE", "ALTER TABLE t ALTER COLUMN d TYPE TIMESTAMP",
		"ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 7", "ALTER TABLE t RENAME COLUMN z TO c", "ALTER TABLE t RENAME TO told", "ALTER TABLE t ADD CHECK (k > 10)",
		"ALTER TABLE t ALTER COLUMN n SET NOT NULL", "DROP TABLE t", "DROP TABLE IF EXISTS t CASCADE", "CREATE OR REPLACE TABLE t AS SELECT 1 AS k", "TRUNCATE t",
	} {
		s.run("BEGIN")
		s.run("INSERT INTO t VALUES (1, 2, '2020-01-01', NULL)")
		s.run("SAVEPOINT s")
		other.wantError(alter, "55P03")
		fail(s)
		other.wantError(alter, "55P03")
		s.run("ROLLBACK TO s")
		other.wantError(alter, "55P03")
		s.wantTag("COMMIT", "COMMIT")
		s.want("SELECT count(*), count(z) FROM t", fmt.Sprintf("%d|%[1]d", i+1))
	}
}

// A statement that would now find other rows than those that it has changed is not executed
// again, though it would change as many.
func TestSavepointOthersChangeWhatIsRead(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE jobs (id INTEGER, taken BOOLEAN)")
	s.run("CREATE TABLE other (id INTEGER)")
	s.run("CREATE TABLE free (id INTEGER)")
	s.run("CREATE VIEW next AS SELECT min(id) AS id FROM jobs WHERE NOT taken")
	s.run("CREATE VIEW nearer AS FROM next")
	const add = "INSERT INTO jobs VALUES (0, false)"
	for i, c := range []struct{ before, meanwhile, want string }{
		{"UPDATE jobs SET taken = true WHERE id = (SELECT min(id) FROM jobs WHERE NOT taken)", add, "40001"},
		{"UPDATE other SET id = (SELECT id FROM nearer)", add, "40001"},
		{"CREATE TABLE made AS FROM nearer", add, "40001"},
		{"CREATE VIEW latest AS FROM jobs; UPDATE other SET id = (SELECT min(id) FROM latest)", add, "40001"},
		{"CREATE VIEW latest AS FROM jobs; CREATE TEMP VIEW v AS FROM latest; UPDATE other SET id = (SELECT min(id) FROM v)", add, "40001"},
		{"CREATE VIEW latest AS FROM jobs; CREATE VIEW IF NOT EXISTS latest AS SELECT 1 AS id; UPDATE other SET id = (SELECT min(id) FROM latest)", add, "40001"},
		{"CREATE VIEW latest AS FROM jobs; ALTER VIEW latest RENAME TO last; UPDATE other SET id = (SELECT min(id) FROM last)", add, "40001"},
		{"CREATE VIEW latest AS FROM jobs; UPDATE other SET id = 5", add, ""}, // nothing is read of the view
		{"CREATE VIEW latest AS FROM jobs; DROP VIEW latest", add, ""},
		{"CREATE VIEW latest AS FROM free; UPDATE other SET id = (SELECT min(id) FROM latest); CREATE OR REPLACE VIEW latest AS FROM jobs; UPDATE other SET id = (SELECT min(id) FROM latest)", add, "40001"},
		{"DELETE FROM other WHERE id = (SELECT min(id) FROM 'jobs')", add, "40001"},
		{"INSERT INTO other SELECT min(id) FROM jobs", add, ""}, // its rows are kept
		{"UPDATE other SET id = id + 1", add, ""},
		{"CREATE TABLE made (id INTEGER)", add, ""},
		{"UPDATE other SET id = (SELECT id FROM nearer)", "CREATE OR REPLACE VIEW next AS SELECT 7 AS id", "40001"},
		{"UPDATE other SET id = 5", "BEGIN; UPDATE free SET id = 1; COMMIT", ""},
		{"UPDATE other SET id = 5", "BEGIN; INSERT INTO other VALUES (900); COMMIT", "40001"},
		{"UPDATE other SET id = abs(id)", "CREATE MACRO abs(x) AS 77", "40001"},
	} {
		t.Run(fmt.Sprint(i, " ", c.before), func(t *testing.T) {
			other.run("DROP TABLE IF EXISTS made")
			other.run("DROP VIEW IF EXISTS latest")
			for _, sql := range []string{"TRUNCATE jobs", "TRUNCATE other", "INSERT INTO jobs VALUES (1, false), (2, false)", "INSERT INTO other VALUES (1), (1)"} {
				other.run(sql)
			}
			playReturn(t, s, other, strings.Split(c.before, "; "), strings.Split(c.meanwhile, "; "), c.want)
		})
	}
}

// Of what a statement names only relations count, those that the names mean.
func TestSavepointNamesOfOthersTables(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	for _, sql := range []string{
		"CREATE SCHEMA app", "CREATE TABLE author (k INTEGER)", "CREATE TABLE book (k INTEGER, author INTEGER)", "CREATE TABLE app.book (k INTEGER, author INTEGER)",
		"CREATE TABLE app.author (k INTEGER)", "CREATE VIEW app.books AS FROM book", "INSERT INTO author VALUES (1)", "INSERT INTO book VALUES (1, 1)", "INSERT INTO app.book VALUES (1, 1)",
		"CREATE VIEW random AS SELECT random() AS r",
	} {
		other.run(sql)
	}
	s.run("SET search_path = app, main")
	other.run("SET search_path = main")
	s.run("CREATE TEMP TABLE shelf (k INTEGER)")
	other.run("CREATE TABLE shelf (k INTEGER)")
	const author, book, appBook, shelf = "UPDATE author SET k = k + 1", "UPDATE main.book SET k = k + 1", "UPDATE app.book SET k = k + 1", "INSERT INTO main.shelf VALUES (1)"
	for _, c := range []struct{ before, meanwhile, want string }{
		{"UPDATE main.book SET author = 2", author, ""},
		{"UPDATE main.book AS author SET author = author.k", author, ""},
		{"UPDATE main.book SET author = (SELECT max(k) FROM main.author)", author, "40001"},
		{"UPDATE main.book SET author = (SELECT max(k) FROM author)", author, ""}, // it is app's
		{"UPDATE book SET author = 3", book, ""},
		{"UPDATE book SET author = 3", appBook, "40001"},
		{"UPDATE book SET author = (SELECT max(k) FROM books)", book, "40001"}, // the view may mean either
		{"UPDATE book SET author = (SELECT max(k) FROM books)", appBook, "40001"},
		{"CREATE TABLE made AS FROM book; DROP TABLE made; UPDATE book SET author = 4", book, "40001"}, // which of them it meant is not known any more
		{"INSERT INTO shelf VALUES (1); UPDATE shelf SET k = 2", shelf, ""},
		{"CREATE TEMP TABLE author (k INTEGER); UPDATE author SET k = 2; DELETE FROM author", "UPDATE app.author SET k = 2", ""},
		{"SET LOCAL search_path = main; CREATE VIEW latest AS FROM book; SET LOCAL search_path = app; UPDATE book SET author = (SELECT max(k) FROM main.latest)", book, "40001"},
		{"UPDATE book SET author = 5", "CREATE TABLE app.other (k INTEGER); DROP TABLE app.other", ""},
		{"UPDATE book SET k = 1 FROM (SELECT 1 AS random) r WHERE r.random = k", appBook, "40001"}, // no function
	} {
		t.Run(c.before+" beside "+c.meanwhile, func(t *testing.T) {
			playReturn(t, s, other, strings.Split(c.before, "; "), strings.Split(c.meanwhile, "; "), c.want)
			s.run("DROP TABLE IF EXISTS temp.main.author")
		})
	}
}

// A table that others make nearer on the search path is another than that which was meant.
func TestSavepointOthersMakeNearerTable(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	for _, sql := range []string{"CREATE SCHEMA app", "CREATE TABLE t (k INTEGER)", "INSERT INTO t VALUES (1)"} {
		other.run(sql)
	}
	s.run("SET search_path = app, main")
	playReturn(t, s, other, []string{"UPDATE t SET k = 2"}, []string{"CREATE TABLE app.t (k INTEGER)", "INSERT INTO app.t VALUES (1)"}, "40001")
	playReturn(t, s, other, []string{"CREATE TABLE u AS SELECT max(k) AS k FROM t"}, []string{"DROP SCHEMA app CASCADE"}, "40001")
}

// What others change before a statement counts for it, and not what they changed before
// that was done again.
func TestSavepointOthersChangeInTurn(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t (k INTEGER)")
	s.run("CREATE TABLE u (k INTEGER)")
	s.run("INSERT INTO t VALUES (1)")
	s.run("BEGIN")
	s.run("INSERT INTO u VALUES (1)")
	s.run("SAVEPOINT a")
	other.run("INSERT INTO t VALUES (2)")
	fail(s)
	s.run("ROLLBACK TO a")
	s.wantTag("UPDATE t SET k = k + 10", "UPDATE 2")
	s.run("SAVEPOINT b")
	fail(s)
	s.run("ROLLBACK TO b") // nobody has changed t since the UPDATE
	s.want("SELECT k FROM t ORDER BY k", "11;12")
	other.run("INSERT INTO t VALUES (3)")
	fail(s)
	s.wantError("ROLLBACK TO b", "40001")
	s.run("ROLLBACK TO a") // before the UPDATE
	s.wantError("ROLLBACK TO b", "3B001")
	s.wantStatus(TxFailed)
	s.run("ROLLBACK TO a")
	s.want("SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM u)", "3|1")
	s.run("COMMIT")
}

// A transaction that has only been begun again by others' writers goes on beside them.
func TestSavepointBesideOpenTransactions(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t (k INTEGER, v INTEGER)")
	s.run("INSERT INTO t VALUES (1, 1), (2, 2)")
	other.run("BEGIN")
	other.run("UPDATE t SET v = 20 WHERE k = 2")
	playReturn(t, s, other, []string{"UPDATE t SET v = 10 WHERE k = 1"}, nil, "")
	other.run("COMMIT")
	s.want("SELECT * FROM t ORDER BY k", "1|10;2|20")
}

// One that has asked for one snapshot does not get another by asking twice.
func TestSavepointStrictStaysStrict(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE acc (id INTEGER, bal INTEGER)")
	s.run("INSERT INTO acc VALUES (1, 100)")
	s.run("CREATE TABLE logg (x VARCHAR)")
	s.run("BEGIN ISOLATION LEVEL SERIALIZABLE")
	s.want("SELECT bal FROM acc", "100")
	s.run("INSERT INTO logg VALUES ('saw 100')")
	s.run("SAVEPOINT outermost")
	s.run("SAVEPOINT inner")
	other.run("UPDATE acc SET bal = 0")
	fail(s)
	s.wantError("ROLLBACK TO inner", "40001")
	s.wantError("ROLLBACK TO outermost", "40001")
	s.wantError("ROLLBACK TO inner", "40001")
	s.wantTag("COMMIT", "ROLLBACK")
	s.want("SELECT bal, (SELECT count(*) FROM logg) FROM acc", "0|0")
}

// Rows belong to the table that a name meant when they were added.
func TestSavepointSearchPathOfRows(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, schema := range []string{"pa", "pb"} {
		s.run("CREATE SCHEMA " + schema)
		s.run("CREATE TABLE " + schema + ".t (x VARCHAR)")
	}
	s.play(`
		BEGIN => BEGIN
		SET LOCAL search_path = pb => SET
		INSERT INTO t VALUES ('B') => INSERT 0 1
		UPDATE t SET x = x || '!' => UPDATE 1
		SET LOCAL search_path = pa => SET
		INSERT INTO t VALUES ('A') => INSERT 0 1
		SET LOCAL search_path = pb => SET
		SAVEPOINT s => SAVEPOINT
		SELECT CAST('x' AS INTEGER) ! 22P02
		ROLLBACK TO s => ROLLBACK
		SELECT x FROM pa.t : A
		SELECT x FROM pb.t : B!
		SET LOCAL search_path = pa => SET
		INSERT INTO t VALUES ('C') => INSERT 0 1
		SET LOCAL search_path = pb => SET
		SAVEPOINT r => SAVEPOINT
		ROLLBACK TO s => ROLLBACK
		SELECT x FROM pa.t : A
		COMMIT => COMMIT
		SELECT count(*) FROM pa.t : 1
		SELECT x FROM pb.t : B!
	`)
	s.run("CREATE TABLE sh (x INTEGER)")
	s.run("BEGIN")
	s.run("INSERT INTO sh VALUES (1)")
	s.run("CREATE TEMP TABLE sh (x INTEGER)")
	s.run("INSERT INTO sh VALUES (2)")
	s.run("SAVEPOINT s")
	fail(s)
	s.run("ROLLBACK TO s")
	s.want("SELECT x FROM trireme.main.sh", "1")
	s.want("SELECT x FROM temp.main.sh", "2")
	s.run("COMMIT")
}

// No number is told twice, whichever statement has made the sequence, or made it anew.
func TestSavepointSequencesMadeAnew(t *testing.T) {
	for _, c := range []struct{ before, make, count, want string }{
		{"CREATE TABLE t (a INTEGER)", "ALTER TABLE t ADD COLUMN id SERIAL", "INSERT INTO t (a) VALUES (2), (3)", "3"},
		{"CREATE TABLE t (id SERIAL PRIMARY KEY, a INTEGER)", "TRUNCATE t RESTART IDENTITY", "INSERT INTO t (a) VALUES (2), (3)", "3"},
		{"CREATE TABLE u (a INTEGER)", "CREATE TABLE t (id SERIAL, a INTEGER)", "INSERT INTO t (a) VALUES (2), (3)", "3"},
	} {
		t.Run(c.make, func(t *testing.T) {
			s := openSession(t, openEngine(t))
			s.run(c.before)
			s.run("BEGIN")
			s.run(c.make)
			s.run(c.count)
			s.run("SAVEPOINT s")
			for range 2 {
				fail(s)
				s.run("ROLLBACK TO s")
			}
			s.want("INSERT INTO t (a) VALUES (4) RETURNING id", c.want)
			s.run("COMMIT")
		})
	}
	s := openSession(t, openEngine(t))
	s.run("CREATE SEQUENCE old")
	s.want("SELECT nextval('old')", "1")
	s.run("BEGIN")
	s.run("CREATE SEQUENCE q")
	s.run("SAVEPOINT outermost")
	s.want("SELECT nextval('q')", "1")
	s.want("SELECT nextval('q')", "2")
	s.run("SAVEPOINT s")
	s.want("SELECT nextval('q')", "3")
	fail(s)
	s.run("ROLLBACK TO s")
	s.want("SELECT nextval('q')", "4")
	s.run("CREATE OR REPLACE SEQUENCE q START 100")
	s.run("CREATE OR REPLACE SEQUENCE old START 100")
	s.want("SELECT nextval('q'), nextval('old')", "100|100")
	fail(s)
	s.run("ROLLBACK TO s")
	s.want("SELECT nextval('q'), nextval('old')", "5|2")
	s.run("ROLLBACK TO outermost")
	s.want("SELECT nextval('q'), nextval('old')", "6|3")
	s.run("COMMIT")
	s.want("SELECT nextval('q'), nextval('old')", "7|4")
}

// JSON and texts within lists, arrays and structs are added again as they were, or the
// savepoint is refused.
func TestSavepointNestedTexts(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TYPE mood AS ENUM ('a', 'b c', 'd''e')")
	for i, column := range []struct{ typ, value string }{
		{"JSON[]", `['"x"'::JSON, '5'::JSON]`},
		{"JSON[]", `['{"k": 1}'::JSON, NULL]`},
		{"JSON[]", `['"a,b"'::JSON]`},
		{"JSON[2]", `['"x"'::JSON, '1'::JSON]`},
		{"JSON[][]", `[['"x"'::JSON]]`},
		{"STRUCT(l JSON[])", `{'l': ['"x"'::JSON]}`},
		{"STRUCT(a JSON)", `{'a': 'null'::JSON}`},
		{"MAP(VARCHAR, JSON)", `MAP {'k': '"x"'::JSON}`},
		{"VARCHAR[2]", "['a, b', 'c']"},
		{"VARCHAR[3]", "['NULL', NULL, '']"},
		{"VARCHAR[1]", `['it''s "q" \ [x]']`},
		{"mood[2]", "['b c', 'd''e']"},
		{"VARCHAR[2][]", "[['a, b', 'c']]"},
		{"VARCHAR[][2]", "[['a, b'], ['NULL', NULL]]"},
		{"STRUCT(a VARCHAR[1])", "{'a': ['x, y']}"},
		{"VARCHAR[1][1]", "[['x, y']]"},
		{"BLOB[2]", `['\x00,'::BLOB, ''::BLOB]`},
		{"DATE[1]", "['0044-03-15 (BC)'::DATE]"},
	} {
		t.Run(column.typ+column.value, func(t *testing.T) {
			s, table := s, fmt.Sprint("t", i)
			s.t = t
			s.run("CREATE TABLE " + table + " (n INTEGER, x " + column.typ + ")")
			show := "SELECT n, x::VARCHAR, hash(x) FROM " + table + " ORDER BY n"
			s.run("BEGIN")
			s.run("INSERT INTO " + table + " SELECT 1, " + column.value + " UNION ALL SELECT 2, NULL")
			before := s.run(show)
			s.run("SAVEPOINT a")
			fail(s)
			s.run("ROLLBACK TO a")
			s.want(show, before)
			s.run("INSERT INTO " + table + " SELECT 3, " + column.value)
			s.run("SELECT 1")
			s.run("COMMIT")
			s.want("SELECT count(*), count(DISTINCT x) FROM "+table, "3|1")
		})
	}
}

// What does something else each time is not done again, whatever names it.
func TestSavepointRefusesWhatVaries(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER, v DOUBLE, sample INTEGER)")
	s.run("INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)")
	s.run("CREATE TABLE g (k INTEGER, x DOUBLE AS (random()), y INTEGER AS (k + 1))")
	s.run("CREATE TABLE h (id SERIAL, k INTEGER, y INTEGER AS (k + 1))")
	s.run("CREATE VIEW of_g AS FROM g")
	for _, change := range []string{
		"CREATE TABLE u AS FROM query('SELECT random() AS r')", "CREATE TABLE u AS FROM query_table('g')", "UPDATE t SET v = (SELECT r FROM query('SELECT random() AS r'))",
		"UPDATE t SET v = q FROM (FROM t USING SAMPLE 1 ROWS) s(q) WHERE k = q", "CREATE TABLE u AS FROM t TABLESAMPLE 50%", "CREATE TABLE u AS FROM t TABLESAMPLE bernoulli(10%)",
		"CREATE TYPE u AS ENUM (SELECT uuid()::VARCHAR)", "CREATE TABLE u AS FROM g", "CREATE TABLE u AS FROM of_g", "UPDATE t SET v = (SELECT max(x) FROM g)",
		"CREATE TABLE u AS FROM pg_stat_activity", "CREATE TABLE u AS SELECT count(*) AS n FROM trireme_queries", "CREATE TABLE u AS SELECT table_name FROM information_schema.tables",
		"CREATE TABLE u AS SELECT memory_usage_bytes FROM duckdb_memory()", "CREATE TABLE u AS SELECT table_name FROM duckdb_tables", "CREATE TABLE u AS SELECT file FROM glob('/tmp/*')",
	} {
		t.Run(change, func(t *testing.T) {
			s := s
			s.t = t
			s.run("BEGIN")
			s.run(change)
			s.wantError("SAVEPOINT s", "0A000")
			s.wantStatus(TxActive)
			s.run("ROLLBACK")
			s.run("BEGIN")
			s.run("SAVEPOINT s")
			s.wantError(change, "0A000")
			s.run("ROLLBACK TO s")
			s.run("COMMIT")
		})
	}
	for _, change := range []string{
		"UPDATE t SET sample = 3", "UPDATE h SET k = 5", "CREATE TYPE mood AS ENUM ('a')", "CREATE TABLE u AS SELECT i, unnest([1, 2]) AS j FROM range(3) r(i)",
		"DELETE FROM t WHERE k IN (SELECT generate_series FROM generate_series(1, 1))",
	} {
		s.run("BEGIN")
		s.run(change)
		s.run("SAVEPOINT s")
		fail(s)
		s.run("ROLLBACK TO s")
		s.run("COMMIT")
	}
}

// The functions that tell the time are the session's own on a server whose users may not
// make any of these names.
func TestSavepointWhereNamesAreKept(t *testing.T) {
	s := openSession(t, openConfig(t, Config{Version: "test", Confined: true}))
	s.run("CREATE TABLE t (k INTEGER, made TIMESTAMPTZ DEFAULT now())")
	s.run("BEGIN")
	now := s.run("SELECT now()")
	s.run("INSERT INTO t (k) VALUES (1)")
	s.run("SAVEPOINT a")
	fail(s)
	s.run("ROLLBACK TO a")
	s.want("SELECT now()", now)
	s.wantError("CREATE TEMP MACRO now() AS 1", "42501")
	s.run("ROLLBACK TO a")
	s.want("SELECT made FROM t", now)
	s.run("COMMIT")
}

// Tables and columns may have the names of the relations of information_schema.
func TestSavepointNamesOfTheCatalog(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE columns (id INTEGER, views INTEGER, tables INTEGER)")
	s.run("INSERT INTO columns VALUES (1, 2, 3)")
	s.run("SELECT count(*) FROM information_schema.tables") // the catalog's databases are there
	s.run("SELECT count(*) FROM pg_class")
	s.run("BEGIN")
	s.run("UPDATE columns SET views = views + tables")
	s.run("SAVEPOINT s")
	s.run("UPDATE columns SET tables = views + 1 WHERE id = 1")
	s.run("SAVEPOINT t")
	fail(s)
	s.run("ROLLBACK TO t")
	s.wantTag("COMMIT", "COMMIT")
	s.want("FROM columns", "1|5|6")
}

// An index without a name is made, or refused, by the name of its table; a sequence may be
// named with its database, which names of the schema public are given beside temporary objects.
func TestNamesOfWhatIsAltered(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE ix (k INTEGER)")
	s.run("CREATE TABLE oo (k INTEGER)")
	s.run("CREATE SEQUENCE sv")
	s.run("BEGIN")
	s.run("INSERT INTO oo VALUES (1)")
	other.run("INSERT INTO ix VALUES (2)")
	if e := s.wantError("CREATE INDEX ON ix (k)", "40001"); !strings.Contains(e.Message, `"ix"`) {
		t.Error(e.Message)
	}
	s.run("ROLLBACK")
	s.run("CREATE TEMP TABLE anything (k INTEGER)")
	s.want("SELECT setval('public.sv', 10)", "10")
	s.want("SELECT nextval('public.sv')", "11")
}
