package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPrepareExecute(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER, s VARCHAR)")
	s.play(`
		PREPARE ins (int, text) AS INSERT INTO t VALUES ($1, $2) => PREPARE
		EXECUTE ins(1, 'a,(b') => INSERT 0 1
		EXECUTE ins(1 + 1, NULL) => INSERT 0 1
		SELECT x, s FROM t ORDER BY x : 1|a,(b;2|NULL
		PREPARE j AS SELECT count(*) FROM t a JOIN t b ON a.x = b.x WHERE a.x >= $1 => PREPARE
		EXECUTE j(2) : 1
		SHOW trireme.last_backend : native
		EXECUTE j ! 22023
		EXECUTE j(1, 2) ! 22023
		EXECUTE j('x') ! 22P02
		PREPARE j AS SELECT 1 ! 42P05
		PREPARE k (nonsense) AS SELECT 1 ! 42704
		PREPARE k AS CREATE TABLE u (x INTEGER) ! 42601
		DEALLOCATE j => DEALLOCATE
		DEALLOCATE j ! 26000
		EXECUTE j(1) ! 26000
		DEALLOCATE ALL => DEALLOCATE ALL
		EXECUTE ins(1, 'a') ! 26000
	`)
	// Arguments are DuckDB's, whichever backend is forced.
	s.play(`
		PREPARE j (int, text) AS SELECT count(*) FROM t a JOIN t b ON a.x = b.x WHERE a.x >= $1 AND coalesce(b.s, '') <> $2 => PREPARE
		SET trireme.backend = 'native' => SET
		EXECUTE j(2, 'y') : 1
		EXECUTE j(NULL, 'y') : 0
		SET trireme.backend = 'decomposed' => SET
		EXECUTE j(1 + 1, 'a' || 'b') : 1
		SHOW trireme.last_backend : decomposed
		EXECUTE j('x', 'y') ! 22P02
		RESET trireme.backend => RESET
		DEALLOCATE j => DEALLOCATE
	`)
	// Strings are values as Postgres writes them.
	s.play(`
		PREPARE l AS SELECT $1::text[], $2::int[] => PREPARE
		EXECUTE l('{a,"b,c",NULL}', '{1,2}') : [a, 'b,c', NULL]|[1, 2]
		EXECUTE l('{}', array[3]) : []|[3]
		EXECUTE l('{a', '{1}') ! 22P02
		PREPARE a AS SELECT x FROM t WHERE x = ANY($1) ORDER BY x => PREPARE
		EXECUTE a('{1,7}') : 1
		PREPARE b(boolean, bytea, date) AS SELECT $1, octet_length($2), $3::VARCHAR => PREPARE
		EXECUTE b('on', '\x0041', '0044-03-15 BC') : 1|2|0044-03-15 (BC)
		SELECT name, parameter_types FROM pg_prepared_statements WHERE name IN ('a', 'b', 'l') ORDER BY name : a|['integer[]'];b|[boolean, bytea, date];l|['text[]', 'integer[]']
		DEALLOCATE l => DEALLOCATE
		DEALLOCATE a => DEALLOCATE
		DEALLOCATE b => DEALLOCATE
	`)
	// Parameters with names are DuckDB's.
	s.play(`
		PREPARE n AS SELECT $least + count(*) FROM t WHERE x >= $least => PREPARE
		EXECUTE n(least := 2) : 3
		PREPARE n AS SELECT 1 ! 42P05
		DEALLOCATE n => DEALLOCATE
		EXECUTE n(least := 2) ! 26000
		PREPARE n AS INSERT INTO t SELECT $v, NULL WHERE $v > 5 => PREPARE
		BEGIN READ ONLY => BEGIN
		EXECUTE n(v := 7) ! 25006
		ROLLBACK => ROLLBACK
		EXECUTE n(v := 3) => INSERT 0 0
		DEALLOCATE ALL => DEALLOCATE ALL
	`)
	// One that writes is watched like the statement itself.
	s.play(`
		PREPARE ins AS INSERT INTO t VALUES (7, 'z') => PREPARE
		SELECT count(*) FROM t a JOIN t b ON a.x = b.x : 2
		EXECUTE ins => INSERT 0 1
		SELECT count(*) FROM t a JOIN t b ON a.x = b.x : 3
		BEGIN READ ONLY => BEGIN
		EXECUTE ins ! 25006
		ROLLBACK => ROLLBACK
	`)
}

// shared plays the statements that a client has named by messages.
type shared map[string]ProtocolStatement

func (n shared) Names() []string  { return slices.Collect(maps.Keys(n)) }
func (n shared) Drop(name string) { delete(n, name) }
func (n shared) DropAll()         { clear(n) }

func (n shared) Statement(name string) (ProtocolStatement, bool) {
	st, ok := n[name]
	return st, ok
}

// shareNames gives statements names as messages do.
func (s testSession) shareNames(texts map[string]string) shared {
	s.t.Helper()
	names := shared{}
	for name, sql := range texts {
		query, err := s.Prepare(context.Background(), sql, nil)
		if err != nil {
			s.t.Fatal(err)
		}
		query.Columns()
		names[name] = ProtocolStatement{Query: query, Text: sql, Made: time.Now()}
		s.t.Cleanup(func() {
			if err := query.Close(); err != nil {
				s.t.Error(err)
			}
		})
	}
	s.ShareNames(names)
	return names
}

func TestDeallocateWhatMessagesNamed(t *testing.T) {
	s := openSession(t, openEngine(t))
	names := s.shareNames(map[string]string{"a": "SELECT 1", "b": "SELECT 1", "c": "SELECT 1"})
	s.play(`
		DEALLOCATE PREPARE a => DEALLOCATE
		DEALLOCATE a ! 26000
		PREPARE b AS SELECT 1 ! 42P05
	`)
	if len(names) != 2 {
		t.Errorf("left are %v", names)
	}
	s.wantTag("DISCARD ALL", "DISCARD ALL")
	if len(names) != 0 {
		t.Errorf("left are %v", names)
	}
}

func TestStatementsThatAreMissing(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER)")
	for _, sql := range []string{
		"PREPARE TRANSACTION 'x'", "COMMIT PREPARED 'x'", "LISTEN a", "NOTIFY a, 'x'", "LOCK TABLE t", "CREATE DOMAIN d AS INTEGER", "DO $$ BEGIN END $$",
		"CREATE EXTENSION hstore", "CREATE EXTENSION IF NOT EXISTS postgis", "CREATE TRIGGER x BEFORE INSERT ON t EXECUTE FUNCTION f()", "CREATE RULE r AS ON INSERT TO t DO NOTHING",
		"CREATE MATERIALIZED VIEW m AS SELECT 1", "REFRESH MATERIALIZED VIEW m", "CREATE PROCEDURE p() AS $$ $$",
	} {
		if e := s.wantError(sql, "0A000"); e.Hint == "" || e.Offset != 0 {
			t.Errorf("%s: hint %q, offset %d", sql, e.Hint, e.Offset)
		}
	}
	s.play(`
		UNLISTEN * => UNLISTEN
		CREATE EXTENSION IF NOT EXISTS "uuid-ossp" => CREATE EXTENSION
		CREATE EXTENSION IF NOT EXISTS plpgsql WITH SCHEMA pg_catalog => CREATE EXTENSION
		CREATE TABLE ids (id UUID DEFAULT uuid_generate_v4(), n INTEGER) => CREATE TABLE
		INSERT INTO ids (n) VALUES (1) => INSERT 0 1
		SELECT id IS NOT NULL, uuid_generate_v4() IS NOT NULL FROM ids : 1|1
		SELECT column_default FROM information_schema.columns WHERE column_name = 'id' : gen_random_uuid()
		LOCK TABLE t IN ACCESS SHARE MODE ! 25P01
		BEGIN => BEGIN
		LOCK TABLE nope IN ACCESS SHARE MODE ! 42P01
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		LOCK t IN ACCESS SHARE MODE => LOCK TABLE
		LISTEN a ! 0A000
		SELECT 1 ! 25P02
		COMMIT => ROLLBACK
		CREATE TEMP TABLE u (x INTEGER) => CREATE TABLE
		DISCARD PLANS => DISCARD PLANS
		DISCARD SEQUENCES => DISCARD SEQUENCES
		SELECT count(*) FROM u : 0
		DISCARD TEMP => DISCARD TEMP
		SELECT count(*) FROM u ! 42P01
		SELECT count(*) FROM t : 0
		DISCARD ! 42601
		VACUUM => VACUUM
		ANALYZE => ANALYZE
	`)
}

func TestTransactionModes(t *testing.T) {
	for _, confined := range []bool{false, true} { // a server's sessions are
		t.Run(fmt.Sprintf("confined_%t", confined), func(t *testing.T) {
			transactionModes(t, openSession(t, openConfig(t, Config{Confined: confined})))
		})
	}
}

func transactionModes(t *testing.T, s testSession) {
	s.run("CREATE TABLE t (x INTEGER)")
	s.play(`
		BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE => BEGIN
		SHOW transaction_read_only : on
		SHOW transaction_deferrable : on
		SELECT count(*) FROM t : 0
		INSERT INTO t VALUES (1) ! 25006
		COMMIT AND CHAIN => ROLLBACK
		SHOW transaction_read_only : on
		CREATE TABLE u (x INTEGER) ! 25006
		ROLLBACK => ROLLBACK
		BEGIN READ ONLY => BEGIN
		WITH a AS (INSERT INTO t VALUES (1) RETURNING x) SELECT * FROM a ! 0A000
		ROLLBACK => ROLLBACK
		BEGIN READ ONLY => BEGIN
		CREATE TEMP TABLE mine (x INTEGER) => CREATE TABLE
		EXPLAIN ANALYZE INSERT INTO t VALUES (1) ! 25006
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		SET TRANSACTION READ ONLY => SET
		TRUNCATE t ! 25006
		ROLLBACK => ROLLBACK
		BEGIN READ ONLY => BEGIN
		SET TRANSACTION READ WRITE => SET
		INSERT INTO t VALUES (1) => INSERT 0 1
		SET TRANSACTION READ ONLY => SET
		INSERT INTO t VALUES (1) ! 25006
		ROLLBACK AND CHAIN => ROLLBACK
		INSERT INTO t VALUES (1) ! 25006
		ROLLBACK => ROLLBACK
		BEGIN READ ONLY => BEGIN
		SELECT 1 : 1
		SET TRANSACTION READ WRITE ! 25001
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		SELECT 1 : 1
		SET TRANSACTION ISOLATION LEVEL READ COMMITTED ! 25001
		ROLLBACK => ROLLBACK
		SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY => SET
		SHOW default_transaction_read_only : on
		INSERT INTO t VALUES (1) ! 25006
		BEGIN READ WRITE => BEGIN
		INSERT INTO t VALUES (1) => INSERT 0 1
		COMMIT AND NO CHAIN => COMMIT
		SET default_transaction_read_only = off => SET
		INSERT INTO t VALUES (1) => INSERT 0 1
		COMMIT AND CHAIN ! 25P01
		ROLLBACK AND CHAIN ! 25P01
		BEGIN ISOLATION LEVEL CHAOS ! 42601
		END WORK => COMMIT
		SET transaction_isolation = 'serializable' ! 55P02
	`)
	s.Notices()
	s.wantTag("SET TRANSACTION READ ONLY", "SET")
	if n := s.Notices(); !slices.Equal(n, []Notice{{"WARNING", "25P01", "SET TRANSACTION can only be used in transaction blocks"}}) {
		t.Errorf("notices %v", n)
	}
	s.run("SET client_min_messages = error")
	s.run("COMMIT")
	if n := s.Notices(); len(n) != 0 {
		t.Errorf("notices %v", n)
	}
}

func TestShowAll(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET my.own = 'x'")
	lines := s.run("SHOW ALL")
	for _, want := range []string{";DateStyle|ISO, MDY|;", ";my.own|x|;", ";transaction_read_only|off|;", ";server_version|15.18 (Trireme test)|;"} {
		if !strings.Contains(lines, want) {
			t.Errorf("SHOW ALL lacks %s", want)
		}
	}
}

// What a message has named is executed by EXECUTE like what PREPARE has named.
func TestExecuteWhatMessagesNamed(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER, y VARCHAR)")
	names := s.shareNames(map[string]string{
		"add": "INSERT INTO t VALUES ($1, $2)", "count": "SELECT count(*) FROM t a JOIN t b USING (x) WHERE a.x < $1", "off": "BEGIN", "made": "CREATE TABLE u (x INTEGER)", "none": "",
	})
	s.play(`
		EXECUTE add(1, 'one') => INSERT 0 1
		EXECUTE add(2, NULL) => INSERT 0 1
		EXECUTE add(1) ! 22023
		EXECUTE count(2) : 1
		EXECUTE off ! 0A000
		EXECUTE made ! 0A000
		EXECUTE none ! 0A000
		PREPARE mine AS SELECT x FROM t WHERE y = $1
		SELECT name, from_sql, parameter_types FROM pg_prepared_statements WHERE name IN ('add', 'mine') ORDER BY name : add|0|[integer, text];mine|1|[text]
		BEGIN => BEGIN
		EXECUTE add(3, 'three') => INSERT 0 1
		SAVEPOINT a => SAVEPOINT
		EXECUTE add(4, 'four') => INSERT 0 1
		ROLLBACK TO a => ROLLBACK
		COMMIT => COMMIT
		EXECUTE count(9) : 3
		BEGIN READ ONLY => BEGIN
		EXECUTE add(5, 'five') ! 25006
		ROLLBACK => ROLLBACK
		ALTER TABLE t ADD COLUMN z INTEGER => ALTER TABLE
		EXECUTE count(9) : 3
		EXECUTE add(5, 'five') => INSERT 0 1
		DEALLOCATE count => DEALLOCATE
		EXECUTE count(9) ! 26000
		DEALLOCATE ALL => DEALLOCATE ALL
		EXECUTE mine('one') ! 26000
	`)
	if len(names) != 0 {
		t.Errorf("left are %v", names)
	}
}
