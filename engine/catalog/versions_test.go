package catalog

import (
	"math/rand"
	"sync"
	"testing"

	"github.com/trireme-db/trireme/internal/load"
)

var (
	tableA = load.Table{Catalog: "trireme", Schema: "main", Name: "A"}
	tableB = load.Table{Catalog: "trireme", Schema: "main", Name: "b"}
)

func only(tables ...load.Table) Targets { return Targets{Tables: tables} }

func snapshot(t *testing.T, v *Versions, pin Pin, tables ...load.Table) Snapshot {
	t.Helper()
	s, reason := v.Snapshot(tables, pin)
	if reason != "" {
		t.Fatalf("snapshot refused: %s", reason)
	}
	return s
}

func refused(t *testing.T, v *Versions, pin Pin, want string, tables ...load.Table) {
	t.Helper()
	if _, reason := v.Snapshot(tables, pin); reason != want {
		t.Fatalf("reason %q, want %q", reason, want)
	}
}

func TestCommitMovesTheVersionOfItsTablesOnly(t *testing.T) {
	v := NewVersions()
	before := snapshot(t, v, 0, tableA, tableB)
	w := v.BeginWrite()
	w.Add(only(tableA))
	w.Add(only(load.Table{Catalog: "TRIREME", Schema: "Main", Name: "a"})) // the same table
	refused(t, v, 0, "table A has a writer in flight", tableB, tableA)
	if v.Unchanged(before) {
		t.Error("unchanged although a writer is in flight")
	}
	w.Commit()
	w.Rollback() // does nothing after Commit
	after := snapshot(t, v, 0, tableA, tableB)
	if after.Version(0) == before.Version(0) || after.Version(1) != before.Version(1) {
		t.Errorf("versions %v, then %v", before.versions, after.versions)
	}
	if v.Unchanged(before) || !v.Unchanged(after) {
		t.Error("Unchanged disagrees with the versions")
	}
}

func TestRollbackLeavesTheVersion(t *testing.T) {
	v := NewVersions()
	before := snapshot(t, v, 0, tableA)
	w := v.BeginWrite()
	w.Add(only(tableA))
	w.Rollback()
	if !v.Unchanged(before) {
		t.Error("a rollback changed the version")
	}
}

func TestTwoWritersOfOneTable(t *testing.T) {
	v := NewVersions()
	w1, w2 := v.BeginWrite(), v.BeginWrite()
	w1.Add(only(tableA))
	w2.Add(only(tableA))
	w1.Rollback()
	refused(t, v, 0, "table A has a writer in flight", tableA)
	w2.Commit()
	snapshot(t, v, 0, tableA)
}

func TestUnknownTargetsChangeEverything(t *testing.T) {
	v := NewVersions()
	before := snapshot(t, v, 0, tableA, tableB)
	w := v.BeginWrite()
	w.Add(Targets{Unknown: true})
	refused(t, v, 0, "a statement that may write any table is in flight", tableB)
	w.Commit()
	after := snapshot(t, v, 0, tableA, tableB)
	for i := range after.Len() {
		if after.Version(i) == before.Version(i) {
			t.Errorf("table %d has kept its version", i)
		}
	}
	// Also for a table that was never named before.
	c := snapshot(t, v, 0, load.Table{Name: "c"})
	if c.Version(0) != after.Version(0) {
		t.Error("a new table does not know of the unknown write")
	}
}

// A statement's own intent does not keep it from reading, until DuckDB sees the write;
// that of others and what its transaction wrote before do.
func TestIntent(t *testing.T) {
	v := NewVersions()
	w := v.BeginWrite()
	i := w.Add(only(tableA))
	refused(t, v, 0, "table A has a writer in flight", tableA)
	before := func(i *Intent) (s Snapshot, ok bool) {
		s, reason := v.SnapshotBefore(i, []load.Table{tableA, tableB}, 0)
		return s, reason == ""
	}
	s, ok := before(i)
	if !ok || !v.Unchanged(s) {
		t.Fatal("a statement does not read what it is going to write")
	}
	other := v.BeginWrite()
	theirs := other.Add(only(tableA))
	for _, i := range []*Intent{i, theirs} {
		if _, ok := before(i); ok || v.Unchanged(s) {
			t.Error("a snapshot although another writer is in flight")
		}
	}
	other.Rollback()
	if !v.Unchanged(s) {
		t.Error("changed by a writer that has rolled back")
	}
	if _, ok := before(w.Add(only(tableA))); ok {
		t.Error("a snapshot of what the transaction wrote before")
	}
	i.Begin()
	if _, ok := before(i); ok || v.Unchanged(s) {
		t.Error("a snapshot after DuckDB has seen the write")
	}
	w.Commit()
	if now, ok := before(i); !ok || v.Unchanged(s) || now.Version(0) == s.Version(0) {
		t.Error("no new version after the commit")
	}
}

func TestPinRefusesWhatCommittedLater(t *testing.T) {
	v := NewVersions()
	early := v.BeginWrite()
	early.Add(only(tableA)) // in flight when the transaction pins
	pin := v.Pin()
	snapshot(t, v, pin, tableB)
	early.Commit()
	refused(t, v, pin, "table A has changed since the transaction began", tableA)
	snapshot(t, v, pin, tableB)
	snapshot(t, v, v.Pin(), tableA)

	unknown := v.BeginWrite()
	unknown.Add(Targets{Unknown: true})
	unknown.Commit()
	refused(t, v, pin, "table b has changed since the transaction began", tableB)
}

func TestSchemaVersionIsUnstableWhileDDLIsInFlight(t *testing.T) {
	v := NewVersions()
	version, stable := v.Schema()
	if !stable {
		t.Fatal("unstable at rest")
	}
	w := v.BeginWrite()
	w.Add(Targets{Schema: true})
	if now, stable := v.Schema(); stable || now != version {
		t.Errorf("in flight: version %d, stable %v", now, stable)
	}
	w.Commit()
	if now, stable := v.Schema(); !stable || now <= version {
		t.Errorf("committed: version %d, stable %v", now, stable)
	}
}

// DDL of tables leaves the version of functions; statements of unknown effect do not.
func TestFunctionsHaveAVersionOfTheirOwn(t *testing.T) {
	v := NewVersions()
	for _, c := range []struct {
		targets Targets
		moves   bool
	}{
		{Targets{Schema: true, Tables: []load.Table{tableA}}, false},
		{Targets{Schema: true, Functions: true}, true},
		{Targets{Unknown: true}, true},
	} {
		before, _ := v.Functions()
		w := v.BeginWrite()
		w.Add(c.targets)
		if now, stable := v.Functions(); now != before || stable == c.moves {
			t.Errorf("%+v in flight: version moved %v, stable %v", c.targets, now != before, stable)
		}
		w.Commit()
		if now, stable := v.Functions(); (now > before) != c.moves || !stable {
			t.Errorf("%+v committed: version moved %v, stable %v", c.targets, now > before, stable)
		}
	}
}

// A model of a store: value moves between a and b in transactions that become
// visible at an arbitrary moment between Add and Commit. A reader that follows
// the protocol (Snapshot, read, Unchanged) sees the constant sum, and equal
// versions always mean equal values.
func TestReadersNeverSeeHalfATransaction(t *testing.T) {
	v := NewVersions()
	var store struct {
		sync.Mutex
		a, b int
	}
	store.a = 100
	var writers sync.WaitGroup
	for seed := range 4 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			rng := rand.New(rand.NewSource(int64(seed)))
			for range 2000 {
				w := v.BeginWrite()
				w.Add(only(tableA))
				w.Add(only(tableB))
				if rng.Intn(4) == 0 {
					w.Rollback()
					continue
				}
				store.Lock()
				d := rng.Intn(10)
				store.a, store.b = store.a-d, store.b+d
				store.Unlock()
				w.Commit()
			}
		}()
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()

	seen := map[[2]uint64][2]int{}
	read := func() {
		s, reason := v.Snapshot([]load.Table{tableA, tableB}, 0)
		if reason != "" {
			return
		}
		// Two scans at different moments, as two loads of one statement are.
		store.Lock()
		a := store.a
		store.Unlock()
		store.Lock()
		b := store.b
		store.Unlock()
		if !v.Unchanged(s) {
			return
		}
		if a+b != 100 {
			t.Errorf("sum %d", a+b)
		}
		versions := [2]uint64{s.Version(0), s.Version(1)}
		if was, ok := seen[versions]; ok && was != [2]int{a, b} {
			t.Errorf("versions %v: values %v and %v", versions, was, [2]int{a, b})
		}
		seen[versions] = [2]int{a, b}
	}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		read()
	}
	if len(seen) == 0 {
		t.Error("no read succeeded")
	}
}

// Nothing has been committed since a pin while the clock stands and nobody else writes.
func TestUnmoved(t *testing.T) {
	v := NewVersions()
	own, other := v.BeginWrite(), v.BeginWrite()
	pin := v.Pin()
	want := func(unmoved bool) {
		t.Helper()
		if v.Unmoved(pin, own) != unmoved {
			t.Errorf("unmoved is not %t", unmoved)
		}
	}
	want(true)
	own.Add(Targets{Tables: []load.Table{{Name: "a"}}})
	own.Add(Targets{Schema: true})
	want(true)
	other.Add(Targets{Tables: []load.Table{{Name: "b"}}})
	want(false)
	other.Rollback()
	want(true)
	other = v.BeginWrite()
	other.Add(Targets{Unknown: true})
	want(false)
	other.Commit()
	want(false)
	pin = v.Pin()
	want(true)
}
