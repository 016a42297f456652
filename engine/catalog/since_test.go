package catalog

import (
	"testing"

	"github.com/trireme-db/trireme/internal/load"
)

// What is used is changed by commits since the pin, and by those that DuckDB may have made:
// not by writers that are still open, and not by other tables'.
func TestChangedSince(t *testing.T) {
	rowsOf := func(t load.Table) Uses { return Uses{Rows: map[load.Table]bool{t.Folded(): true}} }
	definitionOf := func(t load.Table) Uses { return Uses{Definitions: map[load.Table]bool{t.Folded(): true}} }
	elsewhere := load.Table{Catalog: tableA.Catalog, Schema: "s", Name: tableA.Name}
	for _, c := range []struct {
		what                               string
		targets                            Targets
		rows, definition, functions, other bool
	}{
		{"rows", only(tableA), true, false, false, false},
		{"a definition", Targets{Tables: []load.Table{tableA}, Schema: true}, true, true, false, false},
		{"anything", Targets{Unknown: true}, true, false, false, true},
		{"any definition", Targets{Unknown: true, Schema: true}, true, true, false, true},
		{"functions", Targets{Schema: true, Functions: true}, false, false, true, false},
	} {
		v := NewVersions()
		pin := v.Pin()
		check := func(when string, expected bool) {
			t.Helper()
			for _, u := range []struct {
				uses Uses
				want bool
			}{
				{rowsOf(tableA), c.rows}, {definitionOf(tableA), c.definition}, {Uses{Functions: true}, c.functions}, {rowsOf(tableB), c.other}, {rowsOf(elsewhere), c.other}, {Uses{}, false},
			} {
				if _, changed := v.ChangedSince(pin, u.uses); changed != (u.want && expected) {
					t.Errorf("%s, %s: %v of %+v", c.what, when, changed, u.uses)
				}
			}
		}
		w := v.BeginWrite()
		w.Add(c.targets)
		check("open", false)
		w.Ending()
		check("ending", true)
		w.Rollback()
		check("rolled back", false)
		w = v.BeginWrite()
		w.Add(c.targets)
		w.Ending()
		w.Commit()
		check("committed", true)
		pin = v.Pin()
		check("pinned since", false)
	}
}
