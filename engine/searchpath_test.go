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
