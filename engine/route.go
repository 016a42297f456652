package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// route answers SELECTs on tensors, natively or as decomposed SQL. It holds
// what all sessions share.
type route struct {
	engine  *Engine
	workers *pool
	tensors *cache.Tensors
	domains *cache.Domains
	facts   *cache.Facts
	plans   *cache.Plans
	bound   *cache.Statements[*tensorSelect]
	hosted  *cache.Statements[*hostedText]
	lookups *cache.Statements[*rowLookup] // nil ones are no lookups
	rule    *autoRule
	// memory is what all running statements may hold together.
	memory *account
}

func newRoute(e *Engine) *route {
	share := TensorMemory(e.cfg.MemoryLimitBytes) / fifths
	return &route{
		engine: e, workers: e.workers, tensors: cache.NewTensors(share * cacheFifths),
		domains: cache.NewDomains(), facts: cache.NewFacts(), plans: cache.NewPlans(), bound: cache.NewStatements[*tensorSelect](),
		hosted: cache.NewStatements[*hostedText](), lookups: cache.NewStatements[*rowLookup](), rule: newAutoRule(e.log, e.cfg.FirstPatience),
		memory: &account{limitBytes: share * queriesFifths},
	}
}

// Prepare binds a SELECT. Whether tables allow it now is seen when it executes.
func (r *route) Prepare(ctx context.Context, s *Session, sql string, paramTypes []rows.Type) (tensorStatement, string, error) {
	stmt, reason, err := r.analyze(ctx, s, sql, paramTypes)
	if stmt == nil || err != nil {
		return nil, reason, err
	}
	return stmt, "", nil
}

// Params are the types of the parameters.
func (t *tensorSelect) Params() []rows.Type { return t.desc.Params }

// Columns are the statement's columns as DuckDB describes them.
func (t *tensorSelect) Columns() []rows.Column { return t.desc.Columns }

// Close does nothing: a tensorSelect owns nothing.
func (t *tensorSelect) Close() error { return nil }

// snapshotTries bounds how often a statement starts again because a writer
// committed while it was loading.
const snapshotTries = 5

// bindTries bounds how often a statement that DuckDB may not answer is bound because the
// catalog changed meanwhile: that takes milliseconds, loading may take seconds.
const bindTries = 50

var errStale = errors.New("a table changed while it was being loaded")

// errMoved says that the catalog is not the one to which a statement was bound: it has
// to be bound again.
var errMoved = sqlerr.New(sqlerr.SerializationFailure, "the catalog changed while the statement was being answered").
	WithHint("Run it again.")

// Execute answers on one snapshot of all tables.
func (t *tensorSelect) Execute(ctx context.Context, s *Session, args []Arg) (rows.Cursor, Backend, string, error) {
	return t.execute(ctx, s, args, s.noted.tracing())
}

func (t *tensorSelect) execute(ctx context.Context, s *Session, args []Arg, tr *trace) (rows.Cursor, Backend, string, error) {
	by := by(s)
	args, err := t.canonical(ctx, s, args)
	if err == nil {
		args, err = t.timed(ctx, s, args)
	}
	if err != nil {
		return nil, by, "", err
	}
	for try := 1; ; try++ {
		snap, reason := s.engine.catalog.Versions.Snapshot(t.tables, s.tx.pin)
		if reason != "" {
			return nil, by, reason, nil
		}
		if snap.Schema() != t.schema {
			return nil, by, "", errMoved
		}
		q := t.newRun(s, snap, args, by)
		if tr != nil {
			tr.programs = nil // of an attempt that was stale
			q.trace = tr
			tr.account = q.account
		}
		cur, err := q.answer(ctx, "", t.query)
		var no *translate.Ineligible
		switch {
		case err == nil:
			if q.handed {
				by = Decomposed
			}
			return cur, by, "", nil
		case (errors.Is(err, errStale) || ctx.Err() == nil && !q.unchanged()) && try < snapshotTries:
			continue // an error of tables that are others by now is not the statement's
		case errors.Is(err, errStale):
			return nil, by, err.Error(), nil
		case errors.As(err, &no):
			return nil, by, no.Reason, nil
		}
		return nil, by, "", err
	}
}

// queryRun is one execution of a statement: its snapshot, its parameters.
type queryRun struct {
	*route
	// workers and facts are those of zone, the session's time zone where the
	// statement depends on it (empty: the engine's).
	workers *pool
	facts   *cache.Facts
	zone    string
	session *Session
	stmt    *tensorSelect
	snap    catalog.Snapshot
	params  []load.Param
	by      Backend
	auto    bool // DuckDB answers what is refused
	// noKernels runs everything on the general path.
	noKernels bool
	threads   int // of a kernel
	planning  planning
	trace     *trace        // nil: nobody asks
	account   *account      // of the statement, its derived tables included
	working   *workingTable // of the recursion that this is a step of
	temporary *temporaryRows
	handed    bool   // what native had no memory for is decomposed
	notes     *notes // of the statement; nil: nobody takes any
}

func (t *tensorSelect) newRun(s *Session, snap catalog.Snapshot, args []Arg, by Backend) *queryRun {
	q := &queryRun{
		route: t.route, session: s, stmt: t, snap: snap, by: by, auto: s.settings.backend == Auto,
		noKernels: !s.settings.registry, threads: s.settings.threads, planning: s.settings.planning,
		account: t.route.memory.part(s.settings.memoryLimitBytes), notes: s.noted,
		temporary: &temporaryRows{kept: map[string][]*rows.Batch{}},
	}
	q.planning.budgetBytes = q.account.limit()
	if t.beside {
		q.threads = max(1, q.threads/2)
	}
	if !t.timeless {
		q.zone = s.own.zone
	}
	q.workers, q.facts = t.route.workers.in(q.zone), t.route.facts.In(q.zone)
	for i, a := range args {
		q.params = append(q.params, load.Param{Type: t.paramType(i), Null: a.Null, Text: a.Text})
	}
	return q
}

// answer runs one SELECT, the statement's (relation empty) or a derived
// table's, to a cursor of its columns. Auto leaves to DuckDB what DuckDB does as
// well: a statement without join and without nested aggregate, where its answer is right.
func (q *queryRun) answer(ctx context.Context, relation string, query *sqlfront.Query) (rows.Cursor, error) {
	switch u, err := translate.SplitUnion(query); {
	case err != nil:
		return nil, err
	case u != nil:
		return q.answerUnion(ctx, relation, u)
	}
	tr, err := q.translate(ctx, query)
	if err != nil {
		return nil, err
	}
	if q.auto && relation == "" && !tr.Joined && !query.LosesNulls() && !q.stmt.lookup {
		return nil, &translate.Ineligible{Reason: "no join and no nested aggregate"}
	}
	answers, err := q.execute(ctx, relation, tr)
	if err != nil {
		return nil, err
	}
	return q.finish(ctx, tr, answers[0])
}

// execute runs a program to the relation of every answer, to be read one after the
// other.
func (q *queryRun) execute(ctx context.Context, relation string, tr *translate.Result) ([]rows.Cursor, error) {
	tr = q.bind(tr)
	p := q.trace.program(relation, tr)
	if q.by == Decomposed {
		return q.decomposed(ctx, tr, p)
	}
	return q.native(ctx, tr, p)
}

// finish projects the relation, or hands it to DuckDB for HAVING, ORDER BY,
// LIMIT and expressions over aggregates, where it is not small and simple.
func (q *queryRun) finish(ctx context.Context, tr *translate.Result, rel rows.Cursor) (rows.Cursor, error) {
	f := &tr.Finish
	if f.SQL == "" {
		return &projection{Cursor: rel, pick: f.Project, columns: f.Columns}, nil
	}
	if f.Top != nil {
		rel = newTopCursor(rel, *f.Top)
	}
	left := func(ctx context.Context, rel rows.Cursor) (rows.Cursor, error) { return q.finishOnDuck(ctx, f, rel) }
	if fin := newFinisher(f); fin != nil {
		out, rest, err := fin.finish(ctx, rel, left)
		if out != nil || err != nil {
			return out, err
		}
		rel = rest
	}
	return left(ctx, rel)
}

// finishOnDuck has DuckDB finish a relation, which is closed.
func (q *queryRun) finishOnDuck(ctx context.Context, f *translate.Finish, rel rows.Cursor) (rows.Cursor, error) {
	conn, err := q.workers.take(ctx)
	if err != nil {
		return nil, closeAfter(err, rel.Close)
	}
	cur, err := conn.QueryRelation(ctx, translate.RelationName, rel, f.SQL, q.args(f.SQL))
	if cerr := rel.Close(); err == nil && cerr != nil {
		err = errors.Join(cerr, cur.Close())
	}
	if err != nil {
		q.workers.drop(conn)
		return nil, err
	}
	return &pooledCursor{Cursor: cur, pool: q.workers, conn: conn, columns: f.Columns}, nil
}

// args are the statement's parameters, when sql uses any.
func (q *queryRun) args(sql string) []duckbackend.Arg {
	if len(q.params) == 0 || !load.UsesParams(sql) {
		return nil
	}
	out := make([]duckbackend.Arg, len(q.params))
	for i, p := range q.params {
		out[i] = duckbackend.Arg{Type: p.Type, Null: p.Null, Text: p.Text}
	}
	return out
}

// version is the version of a base table in the run's snapshot.
func (q *queryRun) version(t load.Table) uint64 {
	return q.snap.Version(slices.Index(q.stmt.tables, t))
}

func (q *queryRun) unchanged() bool { return q.engine.catalog.Versions.Unchanged(q.snap) }

// fact measures one expression on the run's snapshot.
func (q *queryRun) fact(ctx context.Context, t load.Table, expr string, typ rows.Type) (cache.Fact, error) {
	fact, err := q.facts.Column(ctx, q.workers.lend, t, q.version(t), expr, typ, q.unchanged)
	if err == nil && !q.unchanged() {
		err = errStale
	}
	return fact, err
}

// Range implements translate.Facts.
func (q *queryRun) Range(ctx context.Context, t load.Table, expr string, typ rows.Type) (lo, hi semiring.Int128, ok bool, err error) {
	if t.Catalog == translate.RelationCatalog || load.UsesParams(expr) {
		return lo, hi, false, nil
	}
	fact, err := q.fact(ctx, t, expr, typ)
	if err != nil || fact.Err != nil {
		return lo, hi, false, err
	}
	return fact.Min, fact.Max, true, nil
}

// Count implements translate.Facts.
func (q *queryRun) Count(ctx context.Context, t load.Table, expr string, typ rows.Type) (rowCount, nulls int64, ok bool, err error) {
	if q.working.noNull(t, expr) {
		return 0, 0, true, nil
	}
	if t.Catalog == translate.RelationCatalog || load.UsesParams(expr) {
		return 0, 0, false, nil
	}
	fact, err := q.fact(ctx, t, expr, typ)
	if err != nil || fact.Err != nil {
		return 0, 0, false, err
	}
	return fact.Rows, fact.Nulls, true, nil
}

// Unique implements translate.Facts.
func (q *queryRun) Unique(ctx context.Context, t load.Table, exprs []string) (bool, error) {
	if t.Catalog == translate.RelationCatalog || slices.ContainsFunc(exprs, load.UsesParams) {
		return false, nil
	}
	unique, err := q.facts.Unique(ctx, q.workers.lend, t, q.version(t), exprs, q.unchanged)
	if err == nil && !q.unchanged() {
		err = errStale
	}
	return unique, err
}

// Floats implements translate.Facts.
func (q *queryRun) Floats(ctx context.Context, t load.Table, expr string) (nonFinite bool, absMax float64, err error) {
	if t.Catalog == translate.RelationCatalog || load.UsesParams(expr) {
		return true, 0, nil
	}
	fact, err := q.fact(ctx, t, expr, rows.Type{ID: rows.Double})
	if err != nil {
		return false, 0, err
	}
	return fact.NonFinite || fact.Err != nil, fact.AbsMax, nil
}

// native runs a translated SELECT on fibertrees.
func (q *queryRun) native(ctx context.Context, tr *translate.Result, p *programTrace) ([]rows.Cursor, error) {
	n := &nativeRun{queryRun: q, tr: tr, trace: p, account: q.account.part(0)}
	n.pool = exec.NewPool(n.account)
	started := false
	defer func() { // also after a panic
		if !started {
			n.release()
		}
	}()
	entries, err := n.run(ctx)
	if q.auto && errors.Is(err, errBudget) {
		n.release()
		return q.handOver(ctx, tr, p)
	}
	if err != nil && tr.Written {
		return nil, writtenError(err)
	}
	if err != nil {
		return nil, q.nativeError(err)
	}
	started = true
	return relations(entries, tr, n.dict), nil
}

// handOver gives a program that native has no memory for to DuckDB statement by
// statement: it spills.
func (q *queryRun) handOver(ctx context.Context, tr *translate.Result, p *programTrace) ([]rows.Cursor, error) {
	q.handed = true
	p.handedOver()
	answers, err := q.decomposed(ctx, tr, p)
	var e *sqlerr.Error
	if errors.As(err, &e) && e.Code == sqlerr.OutOfMemory && e.Hint == "" {
		err = e.WithHint("%s", overBudget(0).Hint)
	}
	return answers, err
}

// unplanned turns what a planner does not support into a reason; other errors
// stay as they are.
func unplanned(err error) error {
	var e *sqlerr.Error
	if errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported {
		return &translate.Ineligible{Reason: e.Message}
	}
	return err
}

// nativeError gives the engine's own failures their SQLSTATE. What has no value here, or
// no 128 bits for it, is DuckDB's statement: it raises an error, or drops the row before,
// or calculates such a moment in DOUBLE.
func (q *queryRun) nativeError(err error) error {
	if errors.Is(err, exec.ErrDomain) || errors.Is(err, errOverflow) || errors.Is(err, fibers.ErrSumOverflow) {
		return &translate.Ineligible{Reason: err.Error()}
	}
	if errors.Is(err, errBudget) {
		return overBudget(q.account.limit())
	}
	return lateError(err)
}

// lateError gives the engine's own failures their SQLSTATE when there is no
// other way to answer, because rows have been delivered or a backend is forced.
func lateError(err error) error {
	switch {
	case errors.Is(err, errBudget):
		return overBudget(0)
	case errors.Is(err, errOverflow), errors.Is(err, fibers.ErrSumOverflow):
		return sqlerr.New(sqlerr.NumericOutOfRange, "an aggregate does not fit 128 bits").
			WithHint("Cast the argument to DOUBLE to get an approximate value.")
	}
	return err
}
