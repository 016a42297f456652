package catalog

import (
	"context"
	"errors"
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

// TestAwaitEnding: who lost against others waits for those that are ending, and for no others.
func TestAwaitEnding(t *testing.T) {
	ctx := context.Background()
	tables := []load.Table{tableA}
	want := func(v *Versions, pin Pin, want bool) {
		t.Helper()
		if ended, err := v.AwaitEnding(ctx, tables, pin); err != nil || ended != want {
			t.Errorf("%v, %v, not %v", ended, err, want)
		}
	}
	for _, targets := range []Targets{only(tableA), {Unknown: true}} {
		v := NewVersions()
		pin := v.Pin()
		want(v, pin, false)
		open, other := v.BeginWrite(), v.BeginWrite()
		open.Add(targets)
		other.Add(only(tableB))
		other.Ending()
		want(v, pin, false) // nobody of table A is ending
		open.Ending()
		gone, cancel := context.WithCancelCause(ctx)
		cancel(errors.New("gone"))
		if _, err := v.AwaitEnding(gone, tables, pin); err == nil || err.Error() != "gone" {
			t.Error(err)
		}
		waits := make(chan bool)
		go func() {
			ended, err := v.AwaitEnding(ctx, tables, pin)
			waits <- ended && err == nil
		}()
		other.Commit() // not who is waited for
		open.Rollback()
		if !<-waits {
			// It may have asked after the end, which a rollback leaves no trace of.
			want(v, pin, false)
		}
		last := v.BeginWrite()
		last.Add(targets)
		last.Ending()
		go func() {
			ended, err := v.AwaitEnding(ctx, tables, pin)
			waits <- ended && err == nil
		}()
		last.Commit()
		if !<-waits {
			t.Error("a commit is not seen")
		}
		want(v, pin, true)
		want(v, v.Pin(), false)
	}
}
