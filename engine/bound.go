package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// tensorSelect is a SELECT of the tensor fragment, as it was bound. Sessions share
// it; all but the last translation is immutable.
type tensorSelect struct {
	route  *route
	sql    string
	query  *sqlfront.Query
	desc   sqlfront.Description
	tables []load.Table
	// schema is the version of the catalog from before it was bound.
	schema uint64
	// clocks are the values of its query's parameters after those of desc.
	clocks []sqlfront.Clock
	// timeless: its answer is the same in all time zones.
	timeless bool
	// lookup: it is asked for where DuckDB's planning takes longer, though it neither
	// joins nor nests.
	lookup bool
	// beside: DuckDB is at work on the same statement, which leaves half of the threads.
	beside bool

	// translated is the last translation of a query of it; nil: none is kept.
	translated *atomic.Pointer[translation]
}

// translation is what a query was translated to with the facts of tables' versions.
type translation struct {
	query    *sqlfront.Query
	tables   []load.Table
	versions []uint64
	zone     string
	result   *translate.Result
}

// holds reports whether the translation is that of a query on a run's snapshot.
func (t *translation) holds(q *queryRun, query *sqlfront.Query) bool {
	if t == nil || t.query != query || t.zone != q.zone || !slices.Equal(t.tables, q.stmt.tables) {
		return false
	}
	for i, version := range t.versions {
		if q.snap.Version(i) != version {
			return false
		}
	}
	return true
}

// analyze binds a SELECT, or finds it bound where sessions that see the catalog as
// it is committed have bound the same text before. The reason is why DuckDB takes
// the statement.
func (r *route) analyze(ctx context.Context, s *Session, sql string, paramTypes []rows.Type) (*tensorSelect, string, error) {
	return r.analyzeHeld(ctx, s, sqlfront.Held{SQL: sql}, paramTypes)
}

// analyzeHeld is analyze for a statement that may read tables in memory.
func (r *route) analyzeHeld(ctx context.Context, s *Session, h sqlfront.Held, paramTypes []rows.Type) (*tensorSelect, string, error) {
	if reason := s.foreignSettings(); reason != "" {
		return nil, reason, nil
	}
	key, version := r.boundKey(s, h.Key(), paramTypes)
	if key != "" {
		if stmt, ok := r.bound.Get(key, version); ok {
			return stmt.unlessOrdered(s)
		}
	}
	stmt, reason, err := r.analyzeAnew(ctx, s, h, paramTypes)
	if stmt == nil || err != nil {
		return nil, reason, err
	}
	if again, now := r.boundKey(s, h.Key(), paramTypes); key != "" && again == key && now == version && !stmt.readsSession() {
		r.bound.Keep(key, version, stmt)
	}
	return stmt.unlessOrdered(s)
}

// boundKey is what a text is bound under, and the version of the catalog; empty: it
// is bound for this session alone, or the catalog is about to change, or settings may
// have changed that the session has not read, or nothing is to be kept. Settings that
// change what a text means are no part of the key: under these no text is bound
// (foreignSettings, unlessOrdered).
func (r *route) boundKey(s *Session, sql string, paramTypes []rows.Type) (key string, version uint64) {
	version, stable := r.engine.catalog.Versions.Schema()
	if !stable || s.isPrivate() || s.settings.planning.uncached || s.own.epoch != r.engine.settingsEpoch.Load() {
		return "", 0
	}
	return fmt.Sprintf("%v\x00%s", paramTypes, sql), version
}

// readsSession reports whether it reads what the session's connection alone does.
func (t *tensorSelect) readsSession() bool { return t.query.Memory()&sqlfront.SessionTables != 0 }

// unlessOrdered declines a statement whose order a setting of the session changes.
func (t *tensorSelect) unlessOrdered(s *Session) (*tensorSelect, string, error) {
	if reason := s.foreignOrder(t.query); reason != "" {
		return nil, reason, nil
	}
	return t, "", nil
}

// analyzeAnew binds a SELECT.
func (r *route) analyzeAnew(ctx context.Context, s *Session, h sqlfront.Held, paramTypes []rows.Type) (*tensorSelect, string, error) {
	schema, _ := r.engine.catalog.Versions.Schema()
	a, err := sqlfront.AnalyzeHeld(ctx, h, s.catalogView(), s, paramTypes)
	if err != nil {
		return nil, "", err
	}
	if a.Query == nil {
		return nil, a.Reason, nil
	}
	if s.settings.backend == Auto && a.Query.Memory()&sqlfront.SessionTables != 0 {
		return nil, "a temporary table or a file", nil // DuckDB may be at work on the session's connection
	}
	stmt, err := r.bindAnalysis(ctx, s, h.SQL, a, schema)
	return stmt, "", err
}

// bindAnalysis is a SELECT of the fragment as it was analyzed; schema is the version of
// the catalog from before that.
func (r *route) bindAnalysis(ctx context.Context, s *Session, sql string, a *sqlfront.Analysis, schema uint64) (stmt *tensorSelect, err error) {
	stmt = &tensorSelect{route: r, sql: sql, query: a.Query, desc: a.Desc, clocks: a.Clocks, schema: schema, translated: new(atomic.Pointer[translation])}
	if stmt.timeless, err = timeless(ctx, a.Query, s.catalogView()); err != nil {
		return nil, err
	}
	// A view has a version as well: its definition.
	stmt.tables = a.Query.BaseTables(slices.Clone(a.Views))
	return stmt, nil
}

// translate translates a query of the statement, or finds it translated: the last
// translation holds while the tables have the versions that its facts are of.
func (q *queryRun) translate(ctx context.Context, query *sqlfront.Query) (*translate.Result, error) {
	if q.stmt.translated == nil || q.working != nil || q.planning.uncached || q.snap.Len() != len(q.stmt.tables) {
		return translate.Translate(ctx, query, q)
	}
	if last := q.stmt.translated.Load(); last.holds(q, query) {
		return last.result, nil
	}
	tr, err := translate.Translate(ctx, query, q)
	if err != nil {
		return nil, err
	}
	t := &translation{query: query, tables: q.stmt.tables, zone: q.zone, result: tr}
	for i := range t.tables {
		t.versions = append(t.versions, q.snap.Version(i))
	}
	q.stmt.translated.Store(t)
	return tr, nil
}

// bind returns a translation whose loads have the statement's parameter values.
func (q *queryRun) bind(tr *translate.Result) *translate.Result {
	if len(q.params) == 0 {
		return tr
	}
	bound := *tr
	bound.Loads = make([]*load.Spec, len(tr.Loads))
	for i, l := range tr.Loads {
		spec := *l
		spec.Params = q.params
		bound.Loads[i] = &spec
	}
	return &bound
}
