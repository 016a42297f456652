package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCSVFilesAsPostgres: FORMAT csv means for files what it means for clients: no header
// unless one is said to be there, a quoted text that is empty is no NULL, and nothing is
// guessed. Options of DuckDB's alone, and no FORMAT, leave the file to DuckDB.
func TestCSVFilesAsPostgres(t *testing.T) {
	s := openSession(t, openEngine(t))
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return "'" + path + "'"
	}
	s.run("CREATE TABLE t (a VARCHAR, b VARCHAR)")
	for _, c := range []struct{ text, options, want string }{
		{"x,y\n1,2\n", "(FORMAT csv)", "x|y;1|2"},
		{"x,y\n1,2\n", "CSV", "x|y;1|2"},
		{"x,y\n1,2\n", "WITH (FORMAT csv, HEADER)", "1|2"},
		{"x,y\n1,2\n", "(HEADER true, FORMAT 'CSV')", "1|2"},
		{"x,y\n1,2\n", "WITH CSV HEADER", "1|2"},
		{"5,\"\"\n,6\n", "(FORMAT csv)", "5|;NULL|6"},
		{"5;n\n'a;b';6\n", "(FORMAT csv, DELIMITER ';', NULL 'n', QUOTE '''', ESCAPE '''')", "5|NULL;a;b|6"},
		{"5;n\n'a;b';6\n", "WITH DELIMITER ';' NULL 'n' CSV QUOTE ''''", "5|NULL;a;b|6"},
		{"1;2\n", "(FORMAT csv, DELIMITER ';')", "1|2"},
		{"x;y\n1;2\n", "(FORMAT csv, AUTO_DETECT true, HEADER)", "1|2"},
		{"\"a\"\"b\",c\n", "(FORMAT csv)", "a\"b|c"},
	} {
		s.run("DELETE FROM t")
		s.run("COPY t FROM " + file("in.csv", c.text) + " " + c.options)
		s.want("SELECT * FROM t", c.want)
	}
	s.run("DELETE FROM t")
	s.run("INSERT INTO t VALUES ('', NULL), ('x,y', 'z')")
	for _, c := range []struct{ options, want string }{
		{"(FORMAT csv)", "\"\",\n\"x,y\",z\n"},
		{"(FORMAT csv, HEADER)", "a,b\n\"\",\n\"x,y\",z\n"},
		{"CSV FORCE QUOTE b", "\"\",\n\"x,y\",\"z\"\n"},
		{"(FORMAT csv, FORCE_QUOTE *)", "\"\",\n\"x,y\",\"z\"\n"},
		{"", "a,b\n\"\",\n\"x,y\",z\n"},
	} {
		for _, source := range []string{"t", "(SELECT * FROM t)"} {
			s.run("COPY " + source + " TO " + file("out.csv", "") + " " + c.options)
			if got, err := os.ReadFile(filepath.Join(dir, "out.csv")); err != nil || string(got) != c.want {
				t.Errorf("%s %s: %q, want %q (%v)", source, c.options, got, c.want, err)
			}
		}
	}
}
