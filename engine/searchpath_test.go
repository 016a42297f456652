package engine

import "testing"

// The search path may name schemas that are not there, as in Postgres: they count once
// they are made.
func TestSearchPathOfAbsentSchemas(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.play(`
		CREATE TABLE t (x INTEGER) => CREATE TABLE
		INSERT INTO t VALUES (1) => INSERT 0 1
		SET search_path = nosuch => SET
		SHOW search_path : nosuch
		SELECT current_schema() : NULL
		SELECT 1 : 1
		SELECT * FROM public.t : 1
		CREATE TABLE u (x INTEGER) ! 3F000
		SET search_path = nosuch, public => SET
		SHOW search_path : nosuch, public
		SELECT * FROM t : 1
		CREATE TABLE u (x INTEGER) => CREATE TABLE
		SELECT * FROM public.u :
		CREATE SCHEMA nosuch => CREATE SCHEMA
		CREATE TABLE t (x VARCHAR) => CREATE TABLE
		INSERT INTO t VALUES ('of nosuch') => INSERT 0 1
		SELECT * FROM t : of nosuch
		SHOW search_path : nosuch, public
		BEGIN => BEGIN
		SET LOCAL search_path = later => SET
		CREATE SCHEMA later => CREATE SCHEMA
		CREATE TABLE v (x INTEGER) => CREATE TABLE
		SELECT count(*) FROM later.v : 0
		COMMIT => COMMIT
		SHOW search_path : nosuch, public
		RESET search_path => RESET
		SELECT * FROM t : 1
		SET search_path = made => SET
	`)
	other.run("CREATE SCHEMA made")
	other.run("CREATE TABLE made.w AS SELECT 7 AS x")
	s.want("SELECT x FROM w", "7")
	s.play(`
		SET search_path = absent => SET
		USE main => USE
		SHOW search_path : public
		SELECT * FROM t : 1
	`)
}

// RESET ALL and DISCARD ALL return to the search path of the connection's start, whose schemas
// need not be there yet.
func TestDiscardAllWithAbsentSchemas(t *testing.T) {
	e := openEngine(t)
	for _, end := range []string{"RESET ALL", "DISCARD ALL"} {
		s := openWith(t, e, SessionOptions{Options: map[string]string{"search_path": "dataset", "TimeZone": "Asia/Tokyo"}})
		s.play(`
			SHOW search_path : dataset
			CREATE TABLE made (x INTEGER) ! 3F000
			SET search_path = public => SET
			SET TimeZone = 'UTC' => SET
		`)
		s.run(end)
		s.play(`
			SHOW search_path : dataset
			SHOW TimeZone : Asia/Tokyo
			CREATE TABLE made (x INTEGER) ! 3F000
			CREATE SCHEMA dataset => CREATE SCHEMA
			CREATE TABLE made (x INTEGER) => CREATE TABLE
			SELECT count(*) FROM dataset.made : 0
			DROP SCHEMA dataset CASCADE => DROP SCHEMA
		`)
		s.run(end)
		s.want("SHOW search_path", "dataset")
	}
}

// Where DISCARD ALL cannot return to what the session began with, the session stays as it is.
func TestDiscardAllFails(t *testing.T) {
	e := openEngine(t)
	openSession(t, e).run("ATTACH ':memory:' AS other")
	s := openWith(t, e, SessionOptions{Options: map[string]string{"search_path": "other.main", "application_name": "a"}})
	s.play(`
		SET search_path = public => SET
		SET application_name = b => SET
		SET TimeZone = 'Asia/Tokyo' => SET
		CREATE TEMP TABLE kept (x INTEGER) => CREATE TABLE
		DETACH other => DETACH
		DISCARD ALL ! 22023
		SHOW search_path : public
		SHOW application_name : b
		SHOW TimeZone : Asia/Tokyo
		SELECT count(*) FROM kept : 0
	`)
}
