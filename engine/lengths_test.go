package engine

import "testing"

// TestLengthsOfTexts: lengths are shown and not enforced, as README says, and a CHECK does
// enforce one.
func TestLengthsOfTexts(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE vc (s VARCHAR(3), c CHAR(3), k VARCHAR CHECK (length(k) <= 3))")
	s.run("INSERT INTO vc VALUES ('abcdef', 'a', 'abc')")
	s.run("INSERT INTO vc VALUES ($1, $2, $3)", "ghijkl", "b  ", "de")
	s.run("UPDATE vc SET s = s || 'x'")
	s.want("SELECT s, c || '.', length(c) FROM vc ORDER BY s", "abcdefx|a.|1;ghijklx|b  .|3")
	s.want("SELECT 'abcdef'::VARCHAR(3), CAST('abcdef' AS CHAR(3))", "abcdef|abcdef")
	s.want("SELECT character_maximum_length FROM information_schema.columns WHERE table_name = 'vc' ORDER BY ordinal_position", "3;3;NULL")
	s.wantError("INSERT INTO vc (k) VALUES ('abcd')", "23514")
	s.wantError("UPDATE vc SET k = k || 'x' WHERE k = 'abc'", "23514")
}
