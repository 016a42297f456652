package catalog

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
)

// Versions is the scheme of table versions and writers in flight. It is safe
// for concurrent use; every operation is O(tables named) under one mutex.
type Versions struct {
	mu sync.Mutex
	// clock is the number of the last commit.
	clock  uint64
	tables map[load.Table]*tableState
	// everything stands for writes whose targets are unknown.
	everything tableState
	// schema stands for the catalog itself: DDL. functions stands for the part of
	// it that is functions and macros.
	schema, functions tableState
	// inFlight counts the transactions in flight that wrote anything.
	inFlight int
	// ended is closed when the next of them ends; nil: nobody waits for that.
	ended chan struct{}
}

type tableState struct {
	version uint64 // clock of the last commit that wrote it
	writers int    // transactions in flight that wrote it
	// definition is the clock of the last commit of DDL that named it. ending are those
	// writers that DuckDB may have committed already, altering those of them with DDL.
	definition       uint64
	ending, altering int
}

// NewVersions returns a scheme in which every table has version 1.
func NewVersions() *Versions {
	first := tableState{version: 1}
	return &Versions{clock: 1, tables: map[load.Table]*tableState{}, everything: first, schema: first, functions: first}
}

// Targets is what a statement writes.
type Targets struct {
	// Tables are resolved names. Naming a table that is not written is harmless (C4).
	Tables []load.Table
	// Unknown: the targets cannot be told; every table counts as written.
	Unknown bool
	// Schema: the statement is DDL.
	Schema bool
	// Functions: it is DDL that may change functions or macros.
	Functions bool
}

// None reports whether nothing is written.
func (t Targets) None() bool {
	return len(t.Tables) == 0 && !t.Unknown && !t.Schema && !t.Functions
}

func (v *Versions) state(k load.Table) *tableState {
	s, ok := v.tables[k]
	if !ok {
		s = &tableState{}
		v.tables[load.Table{Catalog: strings.Clone(k.Catalog), Schema: strings.Clone(k.Schema), Name: strings.Clone(k.Name)}] = s
	}
	return s
}

// Write is the set of tables one transaction has written so far. It belongs to
// one session.
type Write struct {
	v         *Versions
	tables    map[load.Table]bool // true: DDL names it
	unknown   bool
	schema    bool
	functions bool
	lasts     bool
	ending    bool
	closed    bool
}

// Intent is what one statement has announced and DuckDB has not seen yet: until
// Begin, the tables that no earlier statement of the transaction wrote are as they were.
type Intent struct {
	w       *Write
	targets []load.Table
	tables  map[load.Table]struct{} // of targets, those that are new to the transaction
	begun   bool
}

// Write is the transaction's write.
func (i *Intent) Write() *Write { return i.w }

// Targets are the tables that the statement writes.
func (i *Intent) Targets() []load.Table { return i.targets }

// Begin says that DuckDB is about to see the write. Snapshots before it are no longer
// what the tables are.
func (i *Intent) Begin() {
	if i == nil {
		return
	}
	i.w.v.mu.Lock()
	defer i.w.v.mu.Unlock()
	i.begun = true
}

// WroteBefore reports whether an earlier statement of the transaction is known to have written a table.
func (i *Intent) WroteBefore(t load.Table) bool {
	if i == nil {
		return false
	}
	i.w.v.mu.Lock()
	defer i.w.v.mu.Unlock()
	k := t.Folded()
	_, written := i.w.tables[k]
	_, first := i.tables[k]
	return written && !first
}

// writers is how many of a table's writers in flight have written nothing yet.
func (i *Intent) writers(k load.Table) int {
	if i == nil || i.begun || i.w.closed {
		return 0
	}
	if _, ok := i.tables[k]; ok {
		return 1
	}
	return 0
}

// BeginWrite starts the record of a transaction; nothing is in flight yet.
func (v *Versions) BeginWrite() *Write {
	return &Write{v: v, tables: map[load.Table]bool{}}
}

// Add marks targets as having a writer in flight. It must be called before
// DuckDB sees the write (C1). A target counts once per transaction. The Intent has the
// tables that are new to the transaction. What is added to a write that is ending (C6) is
// ending as well.
func (w *Write) Add(t Targets) *Intent {
	w.v.mu.Lock()
	defer w.v.mu.Unlock()
	invariant.Check(!w.closed, "catalog: Add after the end of a write")
	if !w.Wrote() && !t.None() {
		w.v.inFlight++
	}
	if w.ending {
		w.each(func(s *tableState, alters bool) { s.end(-1, alters) })
		defer w.each(func(s *tableState, alters bool) { s.end(1, alters) })
	}
	i := &Intent{w: w, targets: t.Tables, tables: map[load.Table]struct{}{}}
	for _, name := range t.Tables {
		k := name.Folded()
		if _, ok := w.tables[k]; !ok {
			w.tables[k] = false
			i.tables[k] = struct{}{}
			w.v.state(k).writers++
		}
		w.tables[k] = w.tables[k] || t.Schema
	}
	if t.Unknown && !w.unknown {
		w.unknown = true
		w.v.everything.writers++
	}
	if t.Schema && !w.schema {
		w.schema = true
		w.v.schema.writers++
	}
	if t.Functions && !w.functions {
		w.functions = true
		w.v.functions.writers++
	}
	return i
}

// Wrote reports whether the transaction has written anything.
func (w *Write) Wrote() bool { return len(w.tables) > 0 || w.unknown || w.schema || w.functions }

// WroteSchema reports whether the transaction has changed the catalog or may have.
func (w *Write) WroteSchema() bool { return w.schema || w.unknown }

// WroteFunctions reports whether the transaction has changed functions or may have.
func (w *Write) WroteFunctions() bool { return w.functions || w.unknown }

// Commit moves the versions of all targets and takes the writers out, in one
// critical section. Call it after DuckDB has committed, or when it is not known
// whether it has (C4). Later calls of Commit or Rollback do nothing.
func (w *Write) Commit() { w.end(true) }

// Rollback takes the writers out and leaves the versions, unless the write Lasts. Call it only
// when DuckDB has certainly rolled back.
func (w *Write) Rollback() { w.end(w.lasts) }

// Lasts says that some of what has been written is not undone by a rollback: DuckDB attaches and
// detaches databases at once.
func (w *Write) Lasts() { w.lasts = true }

func (w *Write) end(changed bool) {
	v := w.v
	v.mu.Lock()
	defer v.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	if !w.Wrote() {
		return
	}
	v.inFlight--
	if v.ended != nil {
		close(v.ended)
		v.ended = nil
	}
	if changed {
		v.clock++
	}
	w.each(func(s *tableState, alters bool) {
		s.writers--
		if w.ending {
			s.end(-1, alters)
		}
		if changed {
			s.version = v.clock
			if alters {
				s.definition = v.clock
			}
		}
	})
}

// Pin is the clock at the moment an explicit transaction took its snapshot;
// zero: no explicit transaction.
type Pin uint64

// Pin returns the present clock. The caller takes DuckDB's snapshot after it.
func (v *Versions) Pin() Pin {
	v.mu.Lock()
	defer v.mu.Unlock()
	return Pin(v.clock)
}

// Unmoved reports whether nothing has been committed since a pin, and nothing can have
// been that is not known here yet; own is the asking transaction's.
func (v *Versions) Unmoved(pin Pin, own *Write) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	others := v.inFlight
	if own.Wrote() && !own.closed {
		others--
	}
	return v.clock == uint64(pin) && others == 0
}

// Moved reports whether one of the tables has changed since a pin.
func (v *Versions) Moved(tables []load.Table, pin Pin) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.ContainsFunc(tables, func(t load.Table) bool {
		version, _ := v.read(t.Folded(), nil)
		return version > uint64(pin)
	})
}

// Altered reports whether DDL that names one of the tables has been committed since a pin.
func (v *Versions) Altered(tables []load.Table, pin Pin) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.ContainsFunc(tables, func(t load.Table) bool {
		s := v.tables[t.Folded()]
		return s != nil && s.definition > uint64(pin)
	})
}

// Snapshot names the version of each of a statement's tables at one moment, and that
// of the catalog.
type Snapshot struct {
	tables   []load.Table
	versions []uint64
	schema   uint64
	before   *Intent
}

// Schema is the version of the catalog, as Versions.Schema has it. Where it is that of
// before a statement was bound, the tables are as the statement knows them: one with a
// writer in flight would not be in a Snapshot.
func (s Snapshot) Schema() uint64 { return s.schema }

// Version is the version of the i-th table given to Versions.Snapshot.
func (s Snapshot) Version(i int) uint64 { return s.versions[i] }

// Len is the number of tables.
func (s Snapshot) Len() int { return len(s.tables) }

// Snapshot reads the versions of tables in one critical section. A reason is
// returned instead when one of them has a writer in flight or has changed since
// pin; the statement then runs on DuckDB.
func (v *Versions) Snapshot(tables []load.Table, pin Pin) (s Snapshot, reason string) {
	return v.SnapshotBefore(nil, tables, pin)
}

// SnapshotBefore is Snapshot for what a statement reads before it writes: that it is
// going to write one of the tables counts for nothing.
func (v *Versions) SnapshotBefore(i *Intent, tables []load.Table, pin Pin) (s Snapshot, reason string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.everything.writers > 0 {
		return Snapshot{}, "a statement that may write any table is in flight"
	}
	s = Snapshot{tables: make([]load.Table, len(tables)), versions: make([]uint64, len(tables)), schema: v.schemaVersion(), before: i}
	for n, t := range tables {
		k := t.Folded()
		version, writers := v.read(k, i)
		if writers > 0 {
			return Snapshot{}, fmt.Sprintf("table %s has a writer in flight", t.Name)
		}
		if pin != 0 && version > uint64(pin) {
			return Snapshot{}, fmt.Sprintf("table %s has changed since the transaction began", t.Name)
		}
		s.tables[n], s.versions[n] = k, version
	}
	return s, ""
}

// read returns version and writers of a table, but for one that only intends to write;
// unknown writes count for all.
func (v *Versions) read(k load.Table, i *Intent) (version uint64, writers int) {
	version, writers = v.everything.version, v.everything.writers
	if s, ok := v.tables[k]; ok {
		version = max(version, s.version)
		writers += s.writers - i.writers(k)
	}
	return version, writers
}

// Unchanged reports whether every table of s still has its version and no
// writer in flight. A tensor built by a scan that began after the Snapshot is
// published only if this holds after the scan has ended.
func (v *Versions) Unchanged(s Snapshot) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, k := range s.tables {
		version, writers := v.read(k, s.before)
		if version != s.versions[i] || writers > 0 {
			return false
		}
	}
	return true
}

// Schema is the version of the catalog itself. stable is false while DDL is in
// flight: what is read from DuckDB then must not be kept.
func (v *Versions) Schema() (version uint64, stable bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.schemaVersion(), v.schema.writers == 0 && v.everything.writers == 0
}

func (v *Versions) schemaVersion() uint64 { return max(v.schema.version, v.everything.version) }

// Functions is the version of what functions and macros there are; stable as
// Schema has it.
func (v *Versions) Functions() (version uint64, stable bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return max(v.functions.version, v.everything.version), v.functions.writers == 0 && v.everything.writers == 0
}
