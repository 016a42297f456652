package engine

import (
	"path/filepath"
	"testing"
)

// TestRowsThatCannotBeRead: a statement that writes and returns a row that has no text is an
// error and writes nothing; whatever it is, tensors are those of the rows that are there.
func TestRowsThatCannotBeRead(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE u (k INTEGER, w INTEGER)")
	s.run("INSERT INTO u VALUES (1,1),(2,1),(2,2)")
	s.run("CREATE TABLE te (k INTEGER)")
	s.run("INSERT INTO te VALUES (1),(2)")
	s.run("CREATE SEQUENCE drawn")
	other.run("SET trireme.backend = native")
	const sum = "SELECT te.k, sum(w) FROM te JOIN u ON te.k = u.k GROUP BY te.k ORDER BY te.k"
	other.want(sum, "1|1;2|3")
	const noText = "make_timestamp_ns((w::BIGINT - 9223372036854775807) - 8)"
	s.run("PREPARE ins AS INSERT INTO u VALUES (1,7) RETURNING [" + noText + "]")
	for _, sql := range []string{
		"INSERT INTO u VALUES (1,7) RETURNING [" + noText + "]",
		"INSERT INTO u SELECT 1, 7 FROM range(5000) RETURNING {'a': " + noText + "}, k",
		"UPDATE u SET w = 7 WHERE k = 1 RETURNING [" + noText + "]",
		"DELETE FROM u WHERE k = 1 RETURNING map{1: make_timestamp_ns((w::BIGINT - 9223372036854775807) - 2)}",
		"MERGE INTO u USING (SELECT 1 AS k) s ON u.k = s.k WHEN MATCHED THEN UPDATE SET w = 7 RETURNING [" + noText + "]",
		"EXECUTE ins",
	} {
		if _, _, err := s.try(sql); err == nil {
			t.Errorf("%s: no error", sql)
		}
		s.wantStatus(TxIdle)
		s.want("SELECT count(*), sum(w) FROM u", "3|4")
		other.want(sum, "1|1;2|3")
	}
	for _, c := range []struct{ sql, want, tag, sums string }{
		{"INSERT INTO u VALUES (1,nextval('drawn')) RETURNING [w, 2]", "[1, 2]", "INSERT 0", "1|2;2|3"},
		{"UPDATE u SET w = w + 1 WHERE k = 2 RETURNING {'w': w}", "{'w': 2};{'w': 3}", "UPDATE", "1|2;2|5"},
		{"DELETE FROM u WHERE w = 3 RETURNING [k]", "[2]", "DELETE", "1|2;2|2"},
		{"MERGE INTO u USING (SELECT 3 AS k) s ON u.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, 0) RETURNING [u.k]", "[3]", "MERGE", "1|2;2|2"},
	} {
		s.want(c.sql, c.want)
		s.wantStatus(TxIdle)
		other.want(sum, c.sums)
	}
	s.run("SET default_transaction_read_only = on")
	s.wantError("INSERT INTO u VALUES (1,7) RETURNING [w]", "25006")
}

// TestReplacedDatabaseInTransaction: a rollback does not attach what was replaced; tensors of a database
// that is not there any more answer nothing.
func TestReplacedDatabaseInTransaction(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE u (k INTEGER, w INTEGER)")
	s.run("INSERT INTO u VALUES (1,1),(2,3)")
	file := func(name string) string { return "'" + filepath.Join(t.TempDir(), name) + "'" }
	other.run("SET trireme.backend = native")
	const sum = "SELECT x.k, sum(v * w) FROM m.t x JOIN u ON x.k = u.k GROUP BY x.k ORDER BY x.k"
	s.run("ATTACH " + file("old.db") + " AS m")
	s.run("CREATE TABLE m.t AS SELECT 1 AS k, 10 AS v")
	other.want(sum, "1|10")
	s.run("BEGIN")
	s.run("ATTACH OR REPLACE " + file("new.db") + " AS m")
	s.run("ROLLBACK")
	if _, _, err := s.try("FROM m.t"); err == nil {
		t.Fatal("ATTACH OR REPLACE has been rolled back")
	}
	if got, _, err := other.try(sum); err == nil {
		t.Errorf("%q from a database that is not there", got)
	}
}
