package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// lookup is a prepared SELECT under auto of the row that has the key $1. DuckDB keeps no
// plan of a statement with parameters, and to plan it again takes longer than to execute
// it; in a tensor the row is at its place. What is to be loaded before pays when DuckDB
// has spent as much time on lookups in the table as it is. All lookups together take at
// most twice DuckDB's time then, whenever the table is written; where it is written before
// that has paid, again and again, less and less is loaded.
type lookup struct {
	*duckStatement
	row *rowLookup
}

// rowLookup is what sessions share of a lookup; it is safe for concurrent use.
type rowLookup struct {
	tensor *tensorSelect

	mu sync.Mutex
	// version is that of the table which spent and loaded are of.
	version uint64
	spent   time.Duration // DuckDB's
	loaded  bool          // native has answered
	// loading is what native's answer takes that loads: estimated, then as the last one
	// did; 0: not known.
	loading time.Duration
	// duck and native are the least times without loading; 0: not known.
	duck, native time.Duration
	// saved is how much less native has taken than DuckDB since it has loaded, doubts how
	// many loads in a row have not paid before the table was written.
	saved  time.Duration
	doubts int
	// refused: native is not asked again.
	refused bool
}

const (
	// lookupSpent is what DuckDB spends before loading is estimated, which asks for the
	// rows of the table.
	lookupSpent = 5 * time.Millisecond
	// lookupCell is what a value of a row takes to be loaded, and lookupStart the load
	// itself.
	lookupCell  = 150 * time.Nanosecond
	lookupStart = 2 * time.Millisecond
	// lookupLoading is the longest load, by estimate, that a lookup waits for.
	lookupLoading = 100 * time.Millisecond
	// lookupDoubts bounds the doubts: each halves what DuckDB's time counts for.
	lookupDoubts = 10
)

// mayLookUp makes a lookup of a statement of DuckDB's, if it is one.
func (s *Session) mayLookUp(ctx context.Context, p *Prepared, duck *duckStatement) (statement, error) {
	r, ok := s.engine.tensor.(*route)
	if !ok || s.settings.backend != Auto || len(duck.desc.Params) == 0 || s.foreignSettings() != "" {
		return duck, nil
	}
	key, version := r.boundKey(s, p.sql, p.hints)
	if key == "" {
		return duck, nil
	}
	row, known := r.lookups.Get(key, version)
	if !known {
		look := sqlfront.LookupOf(p.sql)
		if look == nil {
			return duck, nil
		}
		var err error
		if row, err = r.lookUp(ctx, s, p, look, duck); err != nil {
			return nil, closeAfter(err, duck.close)
		}
		if again, now := r.boundKey(s, p.sql, p.hints); again == key && now == version {
			r.lookups.Keep(key, version, row)
		}
	}
	if row == nil {
		return duck, nil
	}
	return &lookup{duckStatement: duck, row: row}, nil
}

// lookUp binds a lookup; nil: the columns hold no key of the table, or tensors do not
// give what DuckDB describes.
func (r *route) lookUp(ctx context.Context, s *Session, p *Prepared, look *sqlfront.Lookup, duck *duckStatement) (*rowLookup, error) {
	schema, _ := r.engine.catalog.Versions.Schema()
	table, found, err := s.catalogView().Table(ctx, look.Table)
	if err != nil || !found || table.View {
		return nil, err
	}
	if unique, err := r.hasKey(ctx, table.Name, look.Columns); err != nil || !unique {
		return nil, err
	}
	a, err := sqlfront.AnalyzeLookup(ctx, p.sql, s.catalogView(), s, p.hints)
	if err != nil {
		return nil, onlyFatal(ctx, err)
	}
	if a.Query == nil || len(a.Clocks) > 0 || !slices.Equal(a.Desc.Params, duck.desc.Params) || !slices.Equal(a.Desc.Columns, duck.desc.Columns) {
		return nil, nil
	}
	tensor, err := r.bindAnalysis(ctx, s, p.sql, a, schema)
	if err != nil || len(tensor.tables) != 1 {
		return nil, err
	}
	tensor.lookup = true
	return &rowLookup{tensor: tensor}, nil
}

// hasKey reports whether some of the columns are declared to be unique in a table.
func (r *route) hasKey(ctx context.Context, t load.Table, columns []string) (has bool, err error) {
	var keys []duckbackend.DeclaredKey
	err = r.workers.lend(ctx, func(c *duckbackend.Conn) (err error) {
		keys, err = c.DeclaredKeys(ctx, t)
		return err
	})
	among := func(name string) bool {
		return slices.ContainsFunc(columns, func(c string) bool { return load.SameName(c, name) })
	}
	for _, k := range keys {
		has = has || !slices.ContainsFunc(k.Columns, func(name string) bool { return !among(name) })
	}
	return has, err
}

// execute asks native where its tensor is there, or pays.
func (l *lookup) execute(ctx context.Context, args []Arg) (outcome, error) {
	s := l.session
	snap, reason := s.engine.catalog.Versions.Snapshot(l.row.tensor.tables, s.tx.pin)
	if s.settings.backend != Auto || reason != "" {
		return l.duckStatement.execute(ctx, args)
	}
	natively, err := l.pays(ctx, args, snap)
	if err != nil {
		return outcome{}, err
	}
	started := time.Now()
	if natively {
		cursor, by, _, err := l.row.tensor.Execute(ctx, s, args)
		if err != nil {
			s.noted.answered(by, "")
			return outcome{}, err
		}
		if cursor != nil {
			s.lastBackend = by.String()
			s.noted.answered(by, "")
			out := outcome{cursor: cursor, tag: "SELECT", affected: -1, countRows: true}
			return timedBy(out, started, func(took time.Duration) { l.row.noteNative(snap.Version(0), took) }, nil), nil
		}
		l.row.refuse()
		started = time.Now()
	}
	out, err := l.duckStatement.execute(ctx, args)
	if err != nil {
		return outcome{}, err
	}
	return timedBy(out, started, func(took time.Duration) { l.row.noteDuck(snap.Version(0), took) }, nil), nil
}

// pays reports whether native is to answer: it is loaded and not slower, or loading is
// paid for.
func (l *lookup) pays(ctx context.Context, args []Arg, snap catalog.Snapshot) (bool, error) {
	natively, unknown := l.row.choose(snap.Version(0))
	if !unknown {
		return natively, nil
	}
	tensor := l.row.tensor
	rowCount, err := tensor.autoQuery(l.session, args).rowCount(ctx, snap)
	if err != nil {
		return false, err
	}
	columns := len(tensor.query.Select) + len(tensor.query.Where)
	return l.row.estimated(lookupStart + time.Duration(rowCount*float64(columns))*lookupCell), nil
}

// choose decides by what is known at a version of the table; unknown: loading would have
// to be estimated.
func (r *rowLookup) choose(version uint64) (natively, unknown bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version != version {
		r.judge()
		r.version, r.spent, r.loaded = version, 0, false
	}
	switch {
	case r.refused:
		return false, false
	case r.loaded:
		return r.native <= r.duck, false
	case r.loading == 0:
		return false, r.spent >= lookupSpent
	}
	return r.spent>>r.doubts >= r.loading, false
}

// judge doubts the next load where the last one has not paid.
func (r *rowLookup) judge() {
	switch {
	case !r.loaded:
	case r.saved >= r.loading:
		r.doubts = 0
	default:
		r.doubts = min(r.doubts+1, lookupDoubts)
	}
}

// estimated keeps an estimate of loading, and reports whether that is paid for.
func (r *rowLookup) estimated(loading time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loading = loading
	r.refused = r.refused || loading > lookupLoading
	return !r.refused && r.spent >= loading
}

func (r *rowLookup) refuse() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = true
}

func (r *rowLookup) noteDuck(version uint64, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.duck = least(r.duck, took)
	if r.version == version {
		r.spent += took
	}
}

func (r *rowLookup) noteNative(version uint64, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.version != version:
	case !r.loaded:
		r.loaded, r.loading, r.saved = true, took, 0
	case took > r.duck && took > r.loading/2: // what was loaded had to make room
		r.judge()
		r.loaded, r.spent, r.loading = false, 0, took
	default:
		r.native = least(r.native, took)
		r.saved += max(0, r.duck-took)
	}
}

// least is the lesser of two times, of which the first may not be known.
func least(known, took time.Duration) time.Duration {
	if known == 0 {
		return took
	}
	return min(known, took)
}
