package engine

import (
	"container/list"
	"strings"
	"sync"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
)

// autoRule is what auto knows of statements over large tables. It is shared by
// all sessions and safe for concurrent use.
type autoRule struct {
	mu      sync.Mutex
	entries map[string]*list.Element
	recent  *list.List // of *autoEntry, those asked for last in front
	// sizes are the rows of tables by autoTable, each of the version it was read at.
	sizes map[string]autoSize
	// duckPace and nativePace are those of all statements; native's of loading ones.
	duckPace, nativePace pace
}

// autoEntriesMax bounds the statements that are remembered.
const autoEntriesMax = 2000

func newAutoRule() *autoRule {
	return &autoRule{entries: map[string]*list.Element{}, recent: list.New(), sizes: map[string]autoSize{}}
}

type autoSize struct {
	version uint64
	rows    float64
}

// autoEntry is one statement; its fields belong to the rule's mutex.
type autoEntry struct {
	key string
	// class is the size of the tables that everything else holds for: a power of 2.
	class    int
	versions string // of the tables, when last executed
	history  history
	known    bool // estimate
	estimate estimate
	// refused is why native did not answer; empty: it has not refused.
	refused string
}

// entry returns the entry of a statement, which begins anew when the size of its
// tables is another.
func (r *autoRule) entry(key string, class int) *autoEntry {
	if at, ok := r.entries[key]; ok {
		r.recent.MoveToFront(at)
		e := at.Value.(*autoEntry)
		if e.class != class {
			*e = autoEntry{key: key, class: class}
		}
		return e
	}
	e := &autoEntry{key: key, class: class}
	r.entries[key] = r.recent.PushFront(e)
	for r.recent.Len() > autoEntriesMax {
		oldest := r.recent.Back()
		r.recent.Remove(oldest)
		delete(r.entries, oldest.Value.(*autoEntry).key)
	}
	return e
}

// autoTable names a table as DuckDB's EXPLAIN does, in lower case.
func autoTable(t load.Table) string {
	return strings.ToLower(t.Catalog + "." + t.Schema + "." + t.Name)
}

// rowsOf returns DuckDB's figure of a table's rows; views have none.
func (r *autoRule) rowsOf(name string) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sizes[name]
	return s.rows, ok
}

// total is the rows of all tables together; false: some have changed since they
// were asked for.
func (r *autoRule) total(tables []load.Table, snap catalog.Snapshot) (rowCount float64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, t := range tables {
		s, ok := r.sizes[autoTable(t)]
		if !ok || s.version != snap.Version(i) {
			return 0, false
		}
		rowCount += s.rows
	}
	return rowCount, true
}

// learn keeps the rows of tables, those of views as 0, and returns the total.
func (r *autoRule) learn(tables []load.Table, snap catalog.Snapshot, sizes map[string]float64) (rowCount float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.sizes) > autoEntriesMax {
		clear(r.sizes)
	}
	for i, t := range tables {
		name := autoTable(t)
		r.sizes[name] = autoSize{version: snap.Version(i), rows: sizes[name]}
		rowCount += sizes[name]
	}
	return rowCount
}
