package lower_test

import (
	"os"
	"strings"
	"testing"
)

// statements reads a file of statements, one a line.
func statements(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range strings.Split(string(text), "\n") {
		if l != "" && !strings.HasPrefix(l, "--") {
			out = append(out, l)
		}
	}
	return out
}

// TestCases lowers the statements of testdata, over the tables that schema.sql
// fills or that the file makes.
func TestCases(t *testing.T) {
	for _, file := range []string{"cases", "outer", "golden"} {
		t.Run(file, func(t *testing.T) {
			o := newOracle(t)
			for _, s := range statements(t, "testdata/schema.sql") {
				o.exec(t, s)
			}
			for _, sql := range statements(t, "testdata/"+file+".sql") {
				if strings.HasPrefix(sql, "CREATE") {
					o.exec(t, sql)
					continue
				}
				out, err := o.check(sql)
				switch {
				case err != nil:
					t.Error(err)
				case out.unbound != "":
					t.Errorf("%s\nnot bound: %s", sql, out.unbound)
				case out.refused != "":
					t.Errorf("%s\nrefused: %s", sql, out.refused)
				}
			}
		})
	}
}
