package engine

import (
	"strings"
	"testing"
)

// TestActionsOfForeignKeys: what DuckDB does is accepted by its name, and the rest says what to do instead.
func TestActionsOfForeignKeys(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE par (id INTEGER PRIMARY KEY)")
	s.run("CREATE TABLE chi (p INTEGER REFERENCES par (id) ON DELETE RESTRICT ON UPDATE NO ACTION)")
	s.run("INSERT INTO par VALUES (1)")
	s.run("INSERT INTO chi VALUES (1)")
	s.wantError("DELETE FROM par", "23503")
	for _, sql := range []string{
		"CREATE TABLE c (p INTEGER REFERENCES par (id) ON DELETE CASCADE)", "CREATE TABLE c (p INTEGER, FOREIGN KEY (p) REFERENCES par (id) ON DELETE SET NULL)",
		"CREATE TABLE c (p INTEGER REFERENCES par ON UPDATE SET DEFAULT)", "ALTER TABLE par ADD CONSTRAINT f FOREIGN KEY (id) REFERENCES par (id) ON UPDATE CASCADE",
	} {
		if e := s.wantError(sql, "0A000"); e.Message != "CASCADE, SET NULL or SET DEFAULT of a foreign key is not supported" || !strings.HasPrefix(e.Hint, "NO ACTION and RESTRICT are there.") {
			t.Errorf("%s: %q, hint %q", sql, e.Message, e.Hint)
		}
	}
}
