package engine

import "testing"

// TestWhatTransactionsMayDoToOneRow: which of two transactions fails that write one row, or rows
// that refer to one another. README says so.
func TestWhatTransactionsMayDoToOneRow(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	for _, c := range []struct{ first, second, code, rows string }{
		{"UPDATE r SET a = 2", "UPDATE r SET a = 3", "40001", "1|2|1"},
		{"DELETE FROM r", "DELETE FROM r", "40001", ""},
		{"UPDATE r SET a = 2", "UPDATE r SET b = 2", "", "1|2|2"},
		{"UPDATE r SET a = 2", "DELETE FROM r", "", ""},
		{"DELETE FROM r", "UPDATE r SET a = 2", "", ""},
	} {
		s.run("CREATE OR REPLACE TABLE r (k INTEGER, a INTEGER, b INTEGER)")
		s.run("INSERT INTO r VALUES (1, 1, 1)")
		s.run("BEGIN")
		s.run(c.first)
		if c.code == "" {
			other.run(c.second)
		} else {
			other.wantError(c.second, c.code)
		}
		s.run("COMMIT")
		s.want("FROM r", c.rows)
	}
	s.run("CREATE TABLE par (id INTEGER PRIMARY KEY)")
	s.run("CREATE TABLE chi (p INTEGER REFERENCES par (id))")
	s.run("INSERT INTO par VALUES (1)")
	s.run("BEGIN")
	s.run("INSERT INTO chi VALUES (1)")
	other.run("DELETE FROM par")
	s.run("COMMIT")
	s.want("SELECT (SELECT count(*) FROM par), (SELECT count(*) FROM chi)", "0|1")
}
