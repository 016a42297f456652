package engine

import "testing"

// TestKeptStatements runs texts that are kept between and after what changes their
// meaning, and looks at what is kept.
func TestKeptStatements(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	for range 3 {
		if got := s.run("SELECT 1 AS one, 'x'"); got != "1|x" {
			t.Fatalf("got %q", got)
		}
	}
	if len(s.kept) != 1 {
		t.Fatalf("%d statements are kept, want 1", len(s.kept))
	}
	kept := s.kept["SELECT 1 AS one, 'x'"].stmt
	s.run("SELECT 1 AS one, 'x'")
	if again := s.kept["SELECT 1 AS one, 'x'"]; again == nil || again.stmt != kept {
		t.Error("the kept statement was not the one that ran")
	}
	if s.LastBackend() != "duckdb" {
		t.Errorf("%s answered", s.LastBackend())
	}
	for _, sql := range []string{"SELECT current_date IS NULL", "SELECT 1 + 1", "SELECT count(*) FROM range(3)"} {
		s.run(sql)
		if s.kept[sql] != nil {
			t.Errorf("%s is kept", sql)
		}
	}
	s.run("CREATE TABLE t (x INTEGER)") // the catalog has another version
	s.run("SELECT 1 AS one, 'x'")
	if again := s.kept["SELECT 1 AS one, 'x'"]; again == nil || again.stmt == kept {
		t.Error("a statement from before a change of the catalog ran again")
	}
	s.run("SET trireme.backend = 'native'")
	if _, _, err := s.try("SELECT 1 AS one, 'x'"); err == nil {
		t.Error("native answered by DuckDB's statement")
	}
	s.run("RESET trireme.backend")
	for _, sql := range []string{"BEGIN", "SELECT 1 AS one, 'x'", "SELECT 1 AS one, 'x'", "COMMIT", "SELECT 1 AS one, 'x'"} {
		s.run(sql)
	}
	for i := range 2 * keptStatementsMax {
		s.run("SELECT " + string(rune('0'+i%10)) + string(rune('0'+i/10)))
	}
	if len(s.kept) > keptStatementsMax {
		t.Errorf("%d statements are kept", len(s.kept))
	}
}
