package engine

import "testing"

// A literal beside a value of an enumeration has its type, as a parameter has, and is
// compared by the order of the labels.
func TestLiteralsBesideEnums(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
	s.run("CREATE TABLE en (id INTEGER, m mood, n VARCHAR)")
	s.run("INSERT INTO en VALUES (1, 'happy', 'a'), (2, 'sad', 'b'), (3, 'ok', 'c'), (4, NULL, 'd')")
	s.run("CREATE VIEW ev AS SELECT id AS i, m AS x FROM en")
	for _, backend := range []string{"auto", "duckdb"} {
		s.run("SET trireme.backend = " + backend)
		for _, c := range []struct{ sql, want string }{
			{"SELECT id FROM en WHERE m > 'sad' ORDER BY id", "1;3"},
			{"SELECT id FROM en WHERE 'sad' < m ORDER BY id", "1;3"},
			{"SELECT id FROM en WHERE m >= 'ok' ORDER BY id", "1;3"},
			{"SELECT id FROM en WHERE m BETWEEN 'sad' AND 'ok' ORDER BY id", "2;3"},
			{"SELECT id FROM en WHERE m NOT BETWEEN 'ok' AND 'happy' ORDER BY id", "2"},
			{"SELECT id FROM en WHERE m IN ('sad', 'happy') ORDER BY id", "1;2"},
			{"SELECT id FROM en WHERE m = 'sad' AND n = 'b'", "2"},
			{"SELECT id FROM en WHERE m IS DISTINCT FROM 'sad' ORDER BY id", "1;3;4"},
			{"SELECT count(*), sum(id) FROM en WHERE m > 'sad'", "2|4"},
			{"SELECT m, count(*) FROM en WHERE m < 'happy' GROUP BY m ORDER BY m", "sad|1;ok|1"},
			{"SELECT a.id FROM en a JOIN en b ON a.id = b.id AND b.m < 'ok' WHERE a.m < 'ok'", "2"},
			{"SELECT min(coalesce(m, 'ok')), max(coalesce(m, 'ok')) FROM en", "sad|happy"},
			{"SELECT id, greatest(m, 'ok'), least(m, 'ok') FROM en WHERE id < 4 ORDER BY id", "1|happy|ok;2|ok|sad;3|ok|ok"},
			{"SELECT max(CASE WHEN id = 2 THEN 'happy' ELSE m END), min(CASE WHEN m < 'ok' THEN id END) FROM en", "happy|2"},
			{"SELECT id FROM en ORDER BY CASE WHEN m IS NULL THEN 'sad' ELSE m END, id", "2;4;3;1"},
			{"SELECT nullif(m, 'ok') FROM en WHERE id < 4 ORDER BY id", "happy;sad;NULL"},
			{"SELECT i FROM ev WHERE x > 'sad' ORDER BY i", "1;3"},
			{"SELECT i FROM (SELECT * FROM en) q(i, y, z) WHERE y > 'sad' ORDER BY i", "1;3"},
			{"SELECT m > 'sad' AS later FROM en WHERE id = 1", "1"},
			{"SELECT max(m) FROM en HAVING max(m) > 'ok'", "happy"},
			{"SELECT id FROM en WHERE m LIKE '%a%' ORDER BY id", "1;2"},
			{"SELECT m || 'der' FROM en WHERE id = 2", "sadder"},
			{"SELECT replace(m::text, 'sad', 'x') FROM en WHERE m::text > 'ok'", "x"},
			{"SELECT id FROM en WHERE n || 'x' = 'ax' AND m > 'ok'", "1"},
		} {
			s.want(c.sql, c.want)
		}
		if e := s.wantError("SELECT id FROM en WHERE m = 'gone'", "22P02"); e.Offset != 28 || e.Message != `invalid input value for enum mood: "gone"` {
			t.Errorf("%d: %v", e.Offset, e)
		}
		s.wantError("SELECT coalesce(m, 'gone') FROM en", "22P02")
	}
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = " + backend)
		for _, c := range []struct{ sql, want string }{
			{"SELECT count(*), sum(id) FROM en WHERE m > 'sad'", "2|4"},
			{"SELECT count(*), sum(id) FROM en WHERE m = 'ok' OR m IN ('happy')", "2|4"},
			{"SELECT n, count(*) FROM en WHERE m BETWEEN 'ok' AND 'happy' GROUP BY n ORDER BY n", "a|1;c|1"},
			{"SELECT count(*) FROM en a JOIN en b ON a.id = b.id AND b.m < 'ok'", "1"},
			{"SELECT min(coalesce(m, 'ok')), max(coalesce(m, 'ok')) FROM en", "sad|happy"},
			{"SELECT sum(CASE WHEN m < 'ok' THEN id END) FROM en", "2"},
			{"SELECT count(*) FROM ev WHERE x > 'sad'", "2"},
			{"SELECT count(*) FROM en WHERE m LIKE '%a%'", "2"},
		} {
			s.want(c.sql, c.want)
		}
	}
}

// So it is in statements that write and in definitions, and in the transaction that made the type.
func TestLiteralsBesideEnumsWritten(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.play(`
		BEGIN => BEGIN
		CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy') => CREATE TYPE
		CREATE TABLE en (id INTEGER, m mood DEFAULT 'ok', CHECK (m > 'sad' OR id < 10)) => CREATE TABLE
		INSERT INTO en VALUES (1, 'happy'), (2, 'sad'), (3, DEFAULT) => INSERT 0 3
		SELECT id FROM en WHERE m > 'sad' ORDER BY id : 1;3
		COMMIT => COMMIT
		INSERT INTO en VALUES (11, 'sad') ! 23514
		INSERT INTO en VALUES (11, 'ok') => INSERT 0 1
		INSERT INTO en SELECT id + 20, 'happy' FROM en WHERE m > 'ok' => INSERT 0 1
		UPDATE en SET m = CASE WHEN m > 'ok' THEN 'ok' ELSE m END WHERE id = 21 => UPDATE 1
		SELECT m FROM en WHERE id = 21 : ok
		UPDATE en SET m = 'gone' ! 22P02
		DELETE FROM en WHERE m > 'ok' => DELETE 1
		SELECT id FROM en ORDER BY id : 2;3;11;21
		CREATE VIEW later AS SELECT id FROM en WHERE m > 'sad' => CREATE VIEW
		SELECT count(*) FROM later : 3
		CREATE TABLE made AS SELECT coalesce(m, 'sad') AS m FROM en => CREATE TABLE
		SELECT typeof(m) FROM made LIMIT 1 : ENUM('sad', 'ok', 'happy')
		PREPARE p AS SELECT id FROM en WHERE m < 'ok' AND id > $1 => PREPARE
		EXECUTE p(0) : 2
		CREATE SCHEMA other => CREATE SCHEMA
		CREATE TYPE other.mood AS ENUM ('z', 'a') => CREATE TYPE
		CREATE TABLE other.en (m other.mood) => CREATE TABLE
		INSERT INTO other.en VALUES ('z'), ('a') => INSERT 0 2
		SELECT m FROM other.en WHERE m > 'z' : a
		SET search_path = other => SET
		SELECT id FROM public.en WHERE m < 'ok' : 2
		SELECT m FROM en WHERE m > 'z' : a
		CREATE TEMP TABLE t AS SELECT m FROM en => CREATE TABLE
		SELECT m FROM t WHERE m > 'z' : a
		SELECT 'of no enumeration' AS x WHERE 'a' < 'b' : of no enumeration
	`)
}
