package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Numbers and times that a client was told stay, numbers of sequences go on, and the
// transaction has one time, though DuckDB begins another.
func TestSavepointKeepsWhatWasTold(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (id SERIAL PRIMARY KEY, made TIMESTAMPTZ DEFAULT now(), d DATE DEFAULT current_date, u UUID DEFAULT uuid(), n VARCHAR)")
	s.run("CREATE VIEW clock AS SELECT now() AS now, current_timestamp AS made")
	s.run("BEGIN")
	told := s.run("INSERT INTO t (n) VALUES ('a'), ('b') RETURNING *")
	now := s.run("SELECT now(), current_date, current_time, localtimestamp, transaction_timestamp(), (SELECT now FROM clock), (SELECT made FROM clock)")
	s.run("UPDATE t SET n = n || now() WHERE id = 1")
	first := s.run("SELECT * FROM t WHERE id = 1")
	s.run("SAVEPOINT a")
	s.want("INSERT INTO t (n) VALUES ('c') RETURNING id", "3")
	s.wantError("INSERT INTO t (id) VALUES (1)", "23505")
	s.run("ROLLBACK TO a")
	s.want("SELECT * FROM t ORDER BY id", first+";"+strings.Split(told, ";")[1])
	s.want("SELECT now(), current_date, current_time, localtimestamp, transaction_timestamp(), (SELECT now FROM clock), (SELECT made FROM clock)", now)
	s.want("INSERT INTO t (n) VALUES ('c') RETURNING id, made = now(), d = current_date", "4|1|1")
	s.run("SET TimeZone = 'Asia/Kathmandu'")
	s.want("SELECT strftime(now(), '%z') <> ''", "1")
	s.run("COMMIT")
	s.want("SELECT count(*) FROM duckdb_functions() WHERE NOT internal AND function_name IN ('now', 'current_date', 'today')", "0")
	s.want("SELECT count(*), count(DISTINCT made), max(made) < now() FROM t", "3|1|1")
	s.want("SELECT id FROM t ORDER BY id", "1;2;4")
}

// A sequence that the transaction has made goes on, too.
func TestSavepointSequenceOfTransaction(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("BEGIN")
	s.run("CREATE TABLE t (id SERIAL PRIMARY KEY, n INTEGER)")
	s.run("CREATE SEQUENCE down START -10 INCREMENT -2")
	s.run("CREATE SEQUENCE unused")
	s.want("SELECT nextval('down'), nextval('down')", "-10|-12")
	s.want("INSERT INTO t (n) VALUES (1), (2) RETURNING id", "1;2")
	s.run("SAVEPOINT a")
	s.want("INSERT INTO t (n) VALUES (3) RETURNING id", "3")
	s.run("ROLLBACK TO a")
	s.want("INSERT INTO t (n) VALUES (4) RETURNING id", "4")
	s.wantError("INSERT INTO t (id) VALUES (1)", "23505")
	s.run("ROLLBACK TO a")
	s.want("SELECT nextval('down'), nextval('unused')", "-14|1")
	s.run("RELEASE a")
	s.run("INSERT INTO t (n) VALUES (5)")
	s.run("COMMIT")
	s.want("SELECT n FROM t ORDER BY id", "1;2;5")
}

// Others write and commit meanwhile, into the same tables.
func TestSavepointBesideOthers(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE account (id INTEGER PRIMARY KEY, sum INTEGER)")
	s.run("CREATE TABLE log (id SERIAL, what VARCHAR)")
	s.run("INSERT INTO account VALUES (1, 10), (2, 20)")
	s.run("BEGIN")
	s.run("UPDATE account SET sum = sum - 1 WHERE id = 1")
	s.run("INSERT INTO public.log (what) VALUES ('one')")
	s.run("SAVEPOINT a")
	other.run("INSERT INTO log (what) VALUES ('other')")
	other.wantError("UPDATE account SET sum = 0 WHERE id = 1", "40001")
	s.run("INSERT INTO log (what) VALUES ('two')")
	s.wantError("INSERT INTO account VALUES (1, 0)", "23505")
	s.run("ROLLBACK TO a")
	other.wantError("UPDATE account SET sum = 0 WHERE id = 1", "40001") // still the transaction's
	s.run("UPDATE account SET sum = sum + 1 WHERE id = 2")
	s.run("COMMIT")
	s.want("SELECT * FROM account ORDER BY id", "1|9;2|21")
	s.want("SELECT id, what FROM log ORDER BY id", "1|one;2|other")
}

// A statement that would now change other rows is a failure to be repeated, and whoever
// has asked for one snapshot gets one.
func TestSavepointThatCannotReturn(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)")
	s.run("INSERT INTO t VALUES (1, 1)")
	for _, begin := range []string{"BEGIN", "BEGIN ISOLATION LEVEL READ COMMITTED", "BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN ISOLATION LEVEL SERIALIZABLE"} {
		strict := strings.Contains(begin, "REPEATABLE") || strings.Contains(begin, "SERIALIZABLE")
		s.run(begin)
		s.run("INSERT INTO t VALUES (100, 1)")
		s.run("SAVEPOINT a")
		s.run("INSERT INTO t VALUES (101, 1)")
		other.run("INSERT INTO t VALUES (2, 2) ON CONFLICT DO UPDATE SET v = v + 1")
		if strict {
			e := s.wantError("ROLLBACK TO a", "40001")
			if e.Message != "ROLLBACK TO cannot return to the snapshot of the transaction: another one has committed since" || e.Detail != "" || !strings.Contains(e.Hint, "READ COMMITTED") {
				t.Errorf("%v, detail %q, hint %q", e, e.Detail, e.Hint)
			}
			s.wantStatus(TxFailed)
			s.wantTag("COMMIT", "ROLLBACK")
		} else {
			s.run("ROLLBACK TO a")
			s.want("SELECT k FROM t ORDER BY k", "1;2;100")
			s.run("ROLLBACK")
		}
	}
	s.run("BEGIN ISOLATION LEVEL SERIALIZABLE") // nobody commits
	s.run("INSERT INTO t VALUES (100, 1)")
	s.run("SAVEPOINT a")
	s.run("INSERT INTO t VALUES (101, 1)")
	s.run("ROLLBACK TO a")
	s.want("SELECT k FROM t ORDER BY k", "1;2;100")
	s.run("ROLLBACK")

	s.run("BEGIN")
	s.wantTag("UPDATE t SET v = 7 WHERE k < 50", "UPDATE 2")
	s.run("SAVEPOINT a")
	other.run("INSERT INTO t VALUES (3, 3)")
	s.wantError("INSERT INTO t VALUES (1, 1)", "23505")
	if e := s.wantError("ROLLBACK TO a", "40001"); e.Message != `ROLLBACK TO cannot do again what the transaction did before the savepoint: another one has changed table "t" meanwhile` || e.Detail != "" || e.Hint != "Repeat the whole transaction." {
		t.Errorf("%v, detail %q, hint %q", e, e.Detail, e.Hint)
	}
	s.wantStatus(TxFailed)
	other.run("DELETE FROM t WHERE k = 3")
	s.wantError("ROLLBACK TO a", "40001") // the rows may be others, though they are as many
	s.wantTag("COMMIT", "ROLLBACK")
	s.want("SELECT * FROM t ORDER BY k", "1|1;2|5")

	unlocked := openUnlocked(t, e) // who does not say what it changes
	s.run("BEGIN")
	s.wantTag("UPDATE t SET v = 7 WHERE k < 50", "UPDATE 2")
	s.run("SAVEPOINT a")
	unlocked("INSERT INTO t VALUES (3, 3)")
	fail(s)
	if e := s.wantError("ROLLBACK TO a", "40001"); e.Detail != "UPDATE: 3 rows are changed, not 2 as before" || e.Message != "ROLLBACK TO cannot do again what the transaction did before the savepoint: another one has committed a change" || e.Hint != "Repeat the whole transaction." {
		t.Errorf("%v, detail %q, hint %q", e, e.Detail, e.Hint)
	}
	s.wantStatus(TxFailed)
	unlocked("DELETE FROM t WHERE k = 3")
	s.run("ROLLBACK TO a") // now it can
	s.want("SELECT * FROM t ORDER BY k", "1|7;2|7")
	s.run("COMMIT")
	s.want("SELECT * FROM t ORDER BY k", "1|7;2|7")
}

// What could not be done again is refused before it is done, or the savepoint is, and the
// transaction goes on.
func TestSavepointRefuses(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k SERIAL PRIMARY KEY, v DOUBLE, w VARCHAR DEFAULT uuid())")
	s.run("CREATE TABLE n (u UNION(a INTEGER, b VARCHAR))")
	s.run("INSERT INTO t (v) VALUES (1)")
	s.run("CREATE VIEW r AS SELECT random() AS x")
	s.run("CREATE VIEW rr AS SELECT x FROM r")
	s.run("CREATE MACRO dice() AS random()")
	for _, change := range []string{
		"UPDATE t SET v = random()", "UPDATE t SET v = (SELECT x FROM rr)", "UPDATE t SET v = (SELECT x FROM 'rr')", "UPDATE t SET v = (SELECT x FROM E'\\x72r')", "UPDATE t SET v = dice()", "DELETE FROM t WHERE v < random()",
		"UPDATE t SET w = DEFAULT", "INSERT INTO t (v) VALUES (1) ON CONFLICT DO UPDATE SET v = 1", "CREATE TABLE u AS SELECT uuid() AS x",
		"ALTER TABLE t ADD COLUMN z DOUBLE DEFAULT random()", "EXPLAIN ANALYZE INSERT INTO t (v) VALUES (2)",
	} {
		s.run("BEGIN")
		s.run("INSERT INTO t (v) VALUES (5)")
		s.run("SAVEPOINT a")
		if e := s.wantError(change, "0A000"); e.Hint == "" {
			t.Errorf("%s: no hint", change)
		}
		s.wantStatus(TxFailed)
		s.run("ROLLBACK TO a")
		s.run("RELEASE a")
		s.want("SELECT count(*) FROM t", "2")
		s.run(change)
		s.run("COMMIT") // without a savepoint it can be done
		s.run("BEGIN")
		if strings.HasPrefix(change, "CREATE TABLE") {
			s.run("DROP TABLE u")
		}
		s.run("UPDATE t SET v = random()")
		s.wantError("SAVEPOINT a", "0A000")
		s.wantStatus(TxActive)
		s.run("DELETE FROM t")
		s.run("INSERT INTO t (v) VALUES (1)")
		s.wantTag("COMMIT", "COMMIT")
	}
	s.play(`
		BEGIN => BEGIN
		SAVEPOINT a => SAVEPOINT
		SET VARIABLE v = 1 ! 0A000
		ROLLBACK TO a => ROLLBACK
		SET threads = 1 ! 0A000
		ROLLBACK TO a => ROLLBACK
		INSERT INTO n VALUES (1) => INSERT 0 1
		SAVEPOINT b => SAVEPOINT
		INSERT INTO n VALUES ('x') => INSERT 0 1
		SELECT 1 / 'x' ! 22P02
		ROLLBACK TO b => ROLLBACK
		SELECT u FROM n : 1
		INSERT INTO n SELECT random()::INTEGER ! 0A000
		ROLLBACK => ROLLBACK
	`)
}

// Rows of every type are added again as they were.
func TestSavepointTypes(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TYPE mood AS ENUM ('ok', 'it''s', '')")
	for i, column := range []struct{ typ, values string }{
		{"mood", "'ok', 'it''s', '', NULL"},
		{"BLOB", `'\x00\x27\xff'::BLOB, ''::BLOB, NULL`},
		{"BIT", "'0101'::BIT, '1'::BIT"},
		{"BOOLEAN", "true, false, NULL"},
		{"TINYINT", "-128, 127"},
		{"UBIGINT", "18446744073709551615, 0"},
		{"HUGEINT", "-170141183460469231731687303715884105728, 1"},
		{"UHUGEINT", "'340282366920938463463374607431768211455'::UHUGEINT, 1::UHUGEINT"},
		{"DECIMAL(38,10)", "'1234567890123456789012345678.0123456789'::DECIMAL(38,10), -0.5"},
		{"DECIMAL(4,1)", "-999.9, NULL"},
		{"FLOAT", "'nan'::FLOAT, '-inf'::FLOAT, '-0'::FLOAT, 0.1::FLOAT"},
		{"DOUBLE", "'nan'::DOUBLE, 'inf'::DOUBLE, '-0'::DOUBLE, '0.4666593944104363'::DOUBLE"},
		{"DATE", "'infinity'::DATE, '0044-03-15 (BC)'::DATE, '2000-02-29'::DATE"},
		{"TIME", "'23:59:59.999999'::TIME, '24:00:00'::TIME"},
		{"TIMETZ", "'23:59:59.999999+15:59:59'::TIMETZ, '00:00:00-12'::TIMETZ"},
		{"TIMESTAMP", "'-infinity'::TIMESTAMP, '1999-12-31 23:59:59.123456'::TIMESTAMP"},
		{"TIMESTAMP_NS", "'1999-12-31 23:59:59.123456789'::TIMESTAMP_NS"},
		{"TIMESTAMP_S", "'1999-12-31 23:59:59'::TIMESTAMP_S"},
		{"TIMESTAMPTZ", "'2024-03-31 01:02:03.000004+00'::TIMESTAMPTZ, 'infinity'::TIMESTAMPTZ"},
		{"INTERVAL", "'1 month -3 days 4.000001 seconds'::INTERVAL, NULL"},
		{"UUID", "uuid(), NULL"},
		{"VARCHAR", `'', 'NULL', ' é ''"{}[],\', chr(10) || chr(9), repeat('x', 100000)`},
		{"JSON", `'{"a": [1,  2, null]}', '"text"', 'null'`},
		{"VARCHAR[]", `['', 'NULL', NULL, 'a, b', '[x]', '"q"', 'it''s \ {'], [], NULL`},
		{"INTEGER[][]", "[[1, NULL], [], NULL]"},
		{"DOUBLE[2]", "[1, 'nan'::DOUBLE]::DOUBLE[2]"},
		{"STRUCT(a INTEGER, \"b c\" VARCHAR)", `{'a': 1, 'b c': 'x, ''y'': {z}'}, {'a': NULL, 'b c': NULL}, NULL`},
		{"MAP(VARCHAR, INTEGER)", "MAP {'k=1': 1, '': NULL}, MAP {}"},
		{"TIMESTAMPTZ[]", "['2024-03-31 01:02:03.000004+00'::TIMESTAMPTZ]"},
		{"STRUCT(l BLOB[], t TIME)", `{'l': ['\x00,'::BLOB], 't': '01:02:03'::TIME}`},
	} {
		table := fmt.Sprint("t", i)
		s.run("CREATE TABLE " + table + " (k INTEGER, twice INTEGER AS (k * 2), v " + column.typ + ")")
		s.run("BEGIN")
		if _, _, err := s.try("INSERT INTO " + table + " (k, v) SELECT 1, unnest([" + column.values + "]::" + column.typ + "[])"); err != nil {
			t.Errorf("%s: %v", column.typ, err)
			s.run("ROLLBACK")
			continue
		}
		sum := "SELECT count(*), count(v), sum(twice), list(hash(v)), list(v::VARCHAR) FROM " + table
		before := s.run(sum)
		s.run("SAVEPOINT a")
		s.run("INSERT INTO " + table + " (k) VALUES (5)")
		s.run("ROLLBACK TO a")
		s.want(sum, before)
		s.run("COMMIT")
		s.want(sum, before)
	}
}

func TestSavepointCopy(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER PRIMARY KEY, l VARCHAR[], made TIMESTAMPTZ DEFAULT now())")
	s.run("BEGIN")
	if err := copyRows(s, "COPY t (k, l) FROM STDIN", [][]string{{"1", "[a, 'b c']"}, {"2", "[]"}}); err != nil {
		t.Fatal(err)
	}
	before := s.run("SELECT * FROM t ORDER BY k")
	s.run("SAVEPOINT a")
	if err := copyRows(s, "COPY t (k, l) FROM STDIN", [][]string{{"3", "[x]"}}); err != nil {
		t.Fatal(err)
	}
	s.run("SAVEPOINT b")
	var e *sqlerr.Error
	if err := copyRows(s, "COPY t (k, l) FROM STDIN", [][]string{{"4", "[x]"}, {"1", "[x]"}}); !errors.As(err, &e) || e.Code != "23505" {
		t.Fatal(err)
	}
	s.wantStatus(TxFailed)
	s.run("ROLLBACK TO b")
	s.want("SELECT k FROM t ORDER BY k", "1;2;3")
	s.run("ROLLBACK TO a")
	s.want("SELECT * FROM t ORDER BY k", before)
	s.run("COMMIT")
	s.want("SELECT * FROM t ORDER BY k", before)
}

// A savepoint after an INSERT whose rows nobody has read to the end.
func TestSavepointAfterUnreadRows(t *testing.T) {
	ctx := context.Background()
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k SERIAL)")
	s.run("CREATE TABLE u (k INTEGER)")
	for _, read := range []bool{false, true} {
		s.run("TRUNCATE t")
		s.run("BEGIN")
		p, err := s.Prepare(ctx, "INSERT INTO t SELECT nextval('t_k_seq') FROM range(10000) RETURNING k", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Execute(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if read {
			if _, err := res.Next(ctx); err != nil {
				t.Fatal(err)
			}
			s.run("INSERT INTO u VALUES (1)")
		}
		if err := errors.Join(res.Close(), p.Close()); err != nil {
			t.Fatal(err)
		}
		s.run("SAVEPOINT a")
		sum := s.run("SELECT count(*), sum(k) FROM t")
		s.wantError("SELECT CAST('x' AS INTEGER)", "22P02")
		s.run("ROLLBACK TO a")
		s.want("SELECT count(*), sum(k) FROM t", sum)
		if !strings.HasPrefix(sum, "10000|") {
			t.Error(sum)
		}
		s.run("COMMIT")
	}
}

// Tensors are those of what is left.
func TestSavepointTensors(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.choosesNative()
	s.run("CREATE TABLE e (a INTEGER, b INTEGER)")
	s.run("INSERT INTO e VALUES (1, 2), (2, 3), (3, 1)")
	const triangles = "SELECT count(*) FROM e x JOIN e y ON x.b = y.a JOIN e z ON y.b = z.a AND z.b = x.a"
	for _, session := range []testSession{s, other} {
		session.run("SET trireme.backend = native")
		session.want(triangles, "3")
		session.run("SET trireme.backend = auto")
	}
	s.run("BEGIN")
	s.want(triangles, "3")
	s.run("CREATE TABLE made (a INTEGER, n BIGINT)")
	s.run("INSERT INTO made SELECT x.a, count(*) FROM e x JOIN e y ON x.b = y.a GROUP BY x.a")
	s.run("SAVEPOINT a")
	s.run("DELETE FROM e WHERE a = 1")
	s.want(triangles, "0")
	s.wantError("SELECT CAST('x' AS INTEGER)", "22P02")
	s.run("ROLLBACK TO a")
	s.want(triangles, "3")
	s.want("SELECT sum(n) FROM made", "3")
	s.run("INSERT INTO e VALUES (1, 1)")
	s.want(triangles, "4")
	other.want(triangles, "3")
	s.run("ROLLBACK TO a")
	s.run("DELETE FROM e WHERE a = 3")
	s.run("COMMIT")
	for _, session := range []testSession{s, other} {
		session.run("SET trireme.backend = native")
		session.want(triangles, "0")
		session.want("SELECT sum(m.n) FROM made m JOIN e ON m.a = e.a", "2")
	}
}

// A ROLLBACK TO that was cancelled has not returned, and can be said again.
func TestSavepointCancelled(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k BIGINT)")
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (0)")
	s.run("CREATE TABLE many AS SELECT range AS i FROM range(1000000)")
	s.run("UPDATE t SET k = k + (SELECT count(*) FROM many a JOIN many b ON a.i // 10 = b.i // 10 WHERE sin(a.i + b.i) < 2)")
	s.run("SAVEPOINT a")
	s.wantError("SELECT CAST('x' AS INTEGER)", "22P02")
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for {
			s.Cancel()
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	s.wantError("ROLLBACK TO a", "57014")
	stop <- struct{}{}
	<-stop
	s.wantStatus(TxFailed)
	s.wantError("SELECT 1", "25P02")
	s.run("ROLLBACK TO a")
	s.want("SELECT k FROM t", "10000000")
	s.run("COMMIT")
	s.want("SELECT k FROM t", "10000000")
}

// A cursor goes on from where it is, whatever becomes of the transaction.
func TestSavepointCursors(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER)")
	s.play(`
		BEGIN => BEGIN
		INSERT INTO t SELECT range FROM range(10000) => INSERT 0 10000
		DECLARE c CURSOR FOR SELECT k FROM t ORDER BY k => DECLARE CURSOR
		FETCH c : 0
		SAVEPOINT a => SAVEPOINT
		FETCH c : 1
		DELETE FROM t => DELETE 10000
		DECLARE d CURSOR FOR SELECT k FROM t => DECLARE CURSOR
		FETCH c : 2
		SELECT 1 / CAST('x' AS INTEGER) ! 22P02
		ROLLBACK TO a => ROLLBACK
		FETCH c : 3
		FETCH d ! 34000
		ROLLBACK TO a => ROLLBACK
		MOVE 9000 c => MOVE 9000
		FETCH c : 9004
		SELECT count(*) FROM t : 10000
		COMMIT => COMMIT
	`)
}

// A transaction that adds rows to several tables, with savepoints around each.
func TestSavepointManySmall(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR, d DOUBLE, i INTERVAL, h HUGEINT, id SERIAL)")
	s.run("CREATE TABLE u (k INTEGER)")
	s.run("BEGIN")
	s.run("SAVEPOINT outermost")
	for i := range 300 {
		s.run("SAVEPOINT s")
		v := "NULL, NULL, NULL, NULL"
		if i%3 > 0 {
			v = fmt.Sprintf("'v%d', %d.5, INTERVAL %d DAY, %d", i, i, i, i)
		}
		s.run(fmt.Sprintf("INSERT INTO t (k, v, d, i, h) VALUES (%d, %s)", i, v))
		if i%50 == 49 {
			s.run("INSERT INTO u VALUES (1), (2)")
			s.wantError("INSERT INTO t (k) VALUES (0)", "23505")
			s.run("ROLLBACK TO s")
		}
		s.run("RELEASE s")
	}
	if n := len(s.tx.redo.entries); n > 2 {
		t.Errorf("%d entries", n)
	}
	if n := len(s.tx.redo.rows.parts); n > 2 {
		t.Errorf("%d batches", n)
	}
	const want = "294|196|196|196|196|294"
	s.want("SELECT count(k), count(v), count(d), count(i), count(h), count(DISTINCT id) FROM t", want)
	s.want("SELECT count(*) FROM t WHERE v = 'v' || k AND d = k + 0.5 AND i = to_days(k) AND h = k", "196")
	s.run("COMMIT")
	s.want("SELECT count(k), count(v), count(d), count(i), count(h), count(DISTINCT id) FROM t", want)
	s.want("SELECT count(*) FROM u", "0")
}

// Rows of several tables are read together, and none are lost.
func TestSavepointRowsInTurn(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER)")
	s.run("CREATE TABLE u (k INTEGER)")
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (1)")
	s.run("INSERT INTO u VALUES (2)")
	s.run("INSERT INTO t VALUES (3)")
	s.run("SAVEPOINT a")
	s.run("DELETE FROM t")
	s.run("ROLLBACK TO a")
	s.want("SELECT * FROM (FROM t UNION ALL FROM u) ORDER BY k", "1;2;3")
	s.run("COMMIT")
}

// A statement that did nothing before rows were added does something after.
func TestSavepointSameTextTwice(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER)")
	s.run("BEGIN")
	s.wantTag("UPDATE t SET k = k + 1 WHERE k % 2 = 0", "UPDATE 0")
	s.run("INSERT INTO t VALUES (1), (2)")
	s.wantTag("UPDATE t SET k = k + 1 WHERE k % 2 = 0", "UPDATE 1")
	s.run("SAVEPOINT a")
	s.wantError("SELECT CAST('x' AS INTEGER)", "22P02")
	s.run("ROLLBACK TO a")
	s.want("SELECT k FROM t ORDER BY k", "1;3")
	s.run("COMMIT")
}

// Settings count for the statements that were made under them.
func TestSavepointSettingsOfStatements(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SCHEMA x")
	before := s.run("SHOW search_path")
	for _, schema := range []string{"main", "x"} {
		s.run("CREATE TABLE " + schema + ".t (made TIMESTAMPTZ, n INTEGER)")
		s.run("INSERT INTO " + schema + ".t VALUES ('2020-01-01 00:00:00+00', 0)")
	}
	s.run("BEGIN")
	s.run("SET LOCAL TimeZone = 'Asia/Kathmandu'")
	s.run("UPDATE t SET n = hour(made)")
	s.run("INSERT INTO t VALUES (NULL, 1)")
	s.run("SET LOCAL search_path = 'x'")
	s.run("SET LOCAL TimeZone = 'America/New_York'")
	s.run("UPDATE t SET n = hour(made)")
	s.run("INSERT INTO t VALUES (NULL, 2)")
	s.run("SAVEPOINT a")
	s.run("SET search_path = 'main'")
	s.run("DELETE FROM t")
	s.wantError("SELECT CAST('x' AS INTEGER)", "22P02")
	s.run("ROLLBACK TO a")
	s.want("SHOW search_path", "x")
	s.want("SHOW timezone", "America/New_York")
	s.want("SELECT n FROM main.t ORDER BY n", "1;5")
	s.want("SELECT n FROM x.t ORDER BY n", "2;19")
	s.run("COMMIT")
	s.want("SHOW search_path", before)
	s.want("SELECT n FROM t ORDER BY n", "1;5")
}
