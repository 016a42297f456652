package engine

import (
	"container/list"
	"crypto/sha256"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
)

// autoRule is what auto knows of statements. It is shared by
// all sessions and safe for concurrent use.
type autoRule struct {
	log     *slog.Logger
	small   float64       // smallRows, but for tests of what happens after native was chosen
	first   time.Duration // Config.FirstPatience
	mu      sync.Mutex
	entries map[string]*list.Element
	recent  *list.List // of *autoEntry, those asked for last in front
	bytes   int        // about what they take
	// byText is the entry that a text had last, by textKey: of sessions that mean other tables
	// by it, any.
	byText map[string]*autoEntry
	// sizes are the rows of tables by autoTable, each of the version it was read at.
	sizes map[string]autoSize
	named map[string]float64 // rows by the bare name of a table, in lower case
	// begun are texts, by textKey, that DuckDB began when nothing was known of them, and that have
	// always ended before they were bound.
	begun map[string]*history
	// duckPace and nativePace are those of all statements; native's of loading ones.
	duckPace, nativePace pace
}

const (
	// autoEntriesMax and autoBytesMax bound the statements that are remembered.
	autoEntriesMax = 2000
	autoBytesMax   = 16 << 20
	// An entry takes about this, and so much for each of its tables beside their names.
	autoEntryBytes, autoTableBytes = 512, 64
	// longTextBytes is from how many bytes on a text is known by its hash.
	longTextBytes = 1 << 10
	// sizeChanges is after how many changes of its tables the size of a statement's
	// tables is asked for again.
	sizeChanges = 8
)

func newAutoRule(log *slog.Logger, first time.Duration) *autoRule {
	return &autoRule{
		log: log, small: smallRows, first: first, entries: map[string]*list.Element{}, recent: list.New(), byText: map[string]*autoEntry{}, sizes: map[string]autoSize{}, named: map[string]float64{}, begun: map[string]*history{},
	}
}

// textKey is what a text is known by: itself, or its hash. What is kept of it is a copy: it may
// be a part of a longer text.
func textKey(text string) string {
	if len(text) < longTextBytes {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "\x00" + string(sum[:]) // no statement has that byte
}

type autoSize struct {
	version uint64
	rows    float64
}

// autoEntry is one statement; its fields belong to the rule's mutex.
type autoEntry struct {
	key   string
	sql   string // by textKey
	bytes int    // about what it takes
	// tables are those of the statement, changes how often they have changed since it
	// was first executed.
	tables  []load.Table
	changes int
	// class is the size of the tables that everything else holds for: a power of 2.
	class    int
	versions string // of the tables, when last executed
	history  history
	known    bool // estimate
	estimate estimate
	// refused is why native did not answer; empty: it has not refused.
	refused string
	// small: nothing is estimated. fewRows: it is a recursion that DuckDB begins.
	small, fewRows bool
	// inTurn: native does not begin beside DuckDB.
	inTurn bool
}

// begins reports whether a statement begins on DuckDB without estimates: they are
// not there, and it has not been executed, or has always ended before they were
// asked for and has not cost as much as loading may.
func (e *autoEntry) begins() bool {
	h := &e.history
	return !e.small && !e.known && e.refused == "" && !h.bought && h.cold == 0 && !h.duckMore && h.spent < patienceTimes*nativeStart
}

// entry returns the entry of a statement, which begins anew when the size of its
// tables is another.
func (r *autoRule) entry(key string, class int) *autoEntry {
	if at, ok := r.entries[key]; ok {
		r.recent.MoveToFront(at)
		e := at.Value.(*autoEntry)
		if e.class != class {
			*e = autoEntry{key: key, sql: e.sql, bytes: e.bytes, tables: e.tables, class: class}
		}
		return e
	}
	e := &autoEntry{key: key, class: class, bytes: autoEntryBytes + len(key)}
	r.entries[key] = r.recent.PushFront(e)
	r.bytes += e.bytes
	r.makeRoom()
	return e
}

// makeRoom forgets entries that have not been asked for lately.
func (r *autoRule) makeRoom() {
	for r.recent.Len() > autoEntriesMax || r.bytes > autoBytesMax && r.recent.Len() > 0 {
		gone := r.recent.Remove(r.recent.Back()).(*autoEntry)
		r.bytes -= gone.bytes
		delete(r.entries, gone.key)
		if r.byText[gone.sql] == gone {
			delete(r.byText, gone.sql)
		}
	}
}

// remember makes an entry known by the text of its statement. The rule's mutex is
// held.
func (r *autoRule) remember(a *autoQuery, e *autoEntry) {
	text := e.sql
	if text == "" {
		text = strings.Clone(textKey(a.sql))
		e.sql, e.tables = text, ownTables(a.tables)
		more := len(text)
		for _, t := range e.tables {
			more += autoTableBytes + len(t.Catalog) + len(t.Schema) + len(t.Name)
		}
		e.bytes += more
		r.bytes += more
	}
	r.byText[text] = e
	if h := r.begun[text]; h != nil {
		if e.history == (history{}) {
			e.history = *h
		}
		delete(r.begun, text)
	}
	r.makeRoom()
}

// ownTables are tables whose names are no parts of a statement's text.
func ownTables(tables []load.Table) []load.Table {
	own := make([]load.Table, len(tables))
	for i, t := range tables {
		own[i] = load.Table{Catalog: strings.Clone(t.Catalog), Schema: strings.Clone(t.Schema), Name: strings.Clone(t.Name)}
	}
	return own
}

// isNew reports whether a text has never been bound, and has not cost as much as binding
// it may: over small tables it has never been executed, over large ones it has not cost as
// much as loading may.
func (r *autoRule) isNew(sql string) bool {
	large, key := r.reads(sql) > r.small, textKey(sql)
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.begun[key]
	return r.byText[key] == nil && (large || r.first == 0) && (h == nil || large && h.spent < patienceTimes*nativeStart)
}

// begin notes DuckDB's time for a text that has not been bound; more: it was cancelled then.
func (r *autoRule) begin(sql string, ns float64, more bool) {
	key := textKey(sql)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.begun) >= autoEntriesMax {
		clear(r.begun)
	}
	h := r.begun[key]
	if h == nil {
		h = &history{}
		r.begun[strings.Clone(key)] = h
	}
	h.noteDuck(ns, more)
}

// reads is how many rows the tables that a text names have together, as far as they
// are known: every word that is a table's name is taken for that table.
func (r *autoRule) reads(sql string) (rowCount float64) {
	words := strings.FieldsFunc(load.Fold(sql), func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		rowCount += r.named[w]
	}
	return rowCount
}

// autoTable names a table as DuckDB's EXPLAIN does, in lower case.
func autoTable(t load.Table) string {
	return load.Fold(t.Catalog + "." + t.Schema + "." + t.Name)
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
		clear(r.named)
	}
	for i, t := range tables {
		name := autoTable(t)
		r.sizes[name] = autoSize{version: snap.Version(i), rows: sizes[name]}
		r.named[strings.Clone(load.Fold(t.Name))] = sizes[name]
		rowCount += sizes[name]
	}
	return rowCount
}
