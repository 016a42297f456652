package lint

import (
	"slices"
	"strings"
	"testing"
)

// The module file for DuckDB 2 differs from go.mod in DuckDB alone.
func TestModuleFiles(t *testing.T) {
	others := func(name string) []string {
		return slices.DeleteFunc(strings.Split(readFile(t, name), "\n"), func(line string) bool {
			return strings.Contains(line, "github.com/duckdb/")
		})
	}
	if one, two := others("go.mod"), others("go.duckdb2.mod"); !slices.Equal(one, two) {
		t.Errorf("go.duckdb2.mod has\n%s\nwhere go.mod has\n%s", strings.Join(two, "\n"), strings.Join(one, "\n"))
	}
}
