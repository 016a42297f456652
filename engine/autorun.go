package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/sqlfront/lower"
)

// autoQuery is a statement that auto decides: its text, what it reads and the
// bound queries in it.
type autoQuery struct {
	route   *route
	session *Session
	sql     string
	tables  []load.Table
	queries []*sqlfront.Query
	params  []rows.Type
	args    []Arg
	// recursive: DuckDB's plan is that of one step of several.
	recursive bool
	// repeats: DuckDB aggregates the rows that a block has counted.
	repeats bool
	// natively: nothing is chosen, because DuckDB's answer may be wrong.
	natively bool
	// writes: DuckDB cannot be cancelled, native does not begin after it.
	writes bool
	// asksFirst: the estimates are wanted, not an answer.
	asksFirst bool
	// inTurn: native cannot run beside DuckDB, because it needs the session's connection.
	inTurn bool
}

// decision is the choice for one execution, whose time is noted by it. A nil
// decision says that nothing was decided, and notes nothing.
type decision struct {
	choice
	rule     *autoRule
	entry    *autoEntry
	versions string
	why      string // this side begins
	// mayCancel: DuckDB may be cancelled. known: its time is. inTurn: native does not begin
	// beside it.
	mayCancel, known, inTurn bool
	// later is asked for the estimates when DuckDB has run for estimateAfter; nil: they
	// are there, or were not needed, or bind makes it then, which returns nil for a
	// statement that is DuckDB's.
	later *autoQuery
	bind  func(context.Context) (*autoQuery, error)
	sql   string // the text, with bind
}

// unknownReason is why DuckDB begins.
const unknownReason = "nothing is known of the statement yet"

// autoQuery describes a SELECT for the decision.
func (t *tensorSelect) autoQuery(s *Session, args []Arg) *autoQuery {
	return &autoQuery{
		route: t.route, session: s, sql: t.sql, tables: t.tables, queries: []*sqlfront.Query{t.query}, params: t.desc.Params, args: args,
		natively: t.query.LosesNulls() || sqlfront.HasProgram(t.sql) || t.query.HasProgram(),
		inTurn:   len(t.clocks) > 0, // the session's connection tells the time
	}
}

// autoQuery describes a hosted statement by the blocks that are known.
func (h *hosted) autoQuery(args []Arg) *autoQuery {
	a := &autoQuery{
		route: h.route, session: h.session, sql: h.duck.sql, tables: h.tables, params: h.duck.desc.Params, args: args,
		writes: h.duck.class.Kind != sqlfront.ClassSelect, natively: sqlfront.HasProgram(h.duck.sql),
	}
	for block, b := range h.blocks {
		a.repeats = a.repeats || b != nil && block.Repeats()
		switch {
		case b == nil:
		case b.recursion != nil:
			a.queries = append(a.queries, b.recursion.queries()...)
			a.recursive = true
			a.natively = a.natively || b.recursion.misfiltered()
		default:
			a.queries = append(a.queries, b.sel.query)
			a.natively = a.natively || b.sel.query.LosesNulls() || b.sel.query.HasProgram()
		}
	}
	return a
}

// decide chooses between native and DuckDB; nil where nothing is to be decided:
// under another backend, with tables that are being written, for what DuckDB does not
// explain or gets wrong.
func (a *autoQuery) decide(ctx context.Context) (*decision, error) {
	if a.session.settings.backend != Auto || a.natively {
		return nil, nil
	}
	snap, reason := a.session.engine.catalog.Versions.SnapshotBefore(a.session.intent, a.tables, a.session.tx.pin)
	if reason != "" {
		return nil, nil
	}
	d := &decision{rule: a.route.rule}
	if err := d.find(ctx, a, snap); err != nil {
		return nil, err
	}
	if d.begin(a) {
		return d, nil
	}
	if known, err := d.ask(ctx, a); err != nil || !known {
		return nil, err
	}
	d.rule.mu.Lock()
	defer d.rule.mu.Unlock()
	d.settle(a.mayCancel(), a.mayCancel() && a.session.bindsBeside())
	return d, nil
}

// mayCancel reports whether DuckDB may be cancelled and native begin: not after
// something has been written, and not in a transaction, which would be aborted.
func (a *autoQuery) mayCancel() bool { return !a.writes && a.session.mayCancel() }

func (s *Session) mayCancel() bool { return s.tx.status != TxActive }

// oneTable reports a statement that reads one table once.
func (a *autoQuery) oneTable() bool {
	sources := 0
	for _, q := range a.queries {
		q.Walk(func(q *sqlfront.Query) { sources += len(q.From) })
	}
	return sources == 1 && !a.writes && len(a.queries) == 1 && a.queries[0].From != nil && a.queries[0].From[0].Table != nil
}

// find finds the statement's entry.
func (d *decision) find(ctx context.Context, a *autoQuery, snap catalog.Snapshot) error {
	rowCount, err := a.rowCount(ctx, snap)
	if err != nil {
		return err
	}
	d.versions = versionsText(snap)
	key := []string{a.sql}
	for _, t := range a.tables {
		key = append(key, autoTable(t))
	}
	d.rule.mu.Lock()
	defer d.rule.mu.Unlock()
	d.entry = d.rule.entry(textKey(strings.Join(key, "\x00")), int(math.Log2(max(rowCount, 1))))
	d.entry.small, d.entry.fewRows = rowCount <= d.rule.small, a.recursive && rowCount < recursionRows
	d.entry.inTurn = d.entry.inTurn || a.inTurn
	d.rule.remember(a, d.entry)
	d.atVersions()
	if a.oneTable() && !d.entry.small {
		d.entry.refused = "no join and no nested aggregate"
	}
	return nil
}

// begin reports whether the statement begins on DuckDB before anything is
// estimated, because nothing is known of it.
func (d *decision) begin(a *autoQuery) bool {
	d.rule.mu.Lock()
	defer d.rule.mu.Unlock()
	if a.asksFirst || !a.mayCancel() || !d.entry.begins() {
		return false
	}
	d.duck, d.mayCancel, d.why, d.later = true, true, unknownReason, a
	return true
}

// ask makes sure that there are estimates, where DuckDB explains the statement.
func (d *decision) ask(ctx context.Context, a *autoQuery) (known bool, err error) {
	d.rule.mu.Lock()
	known = d.entry.small || d.entry.known || d.entry.refused != ""
	d.rule.mu.Unlock()
	if known {
		return true, nil
	}
	est, known, err := a.explain(ctx)
	if known {
		d.rule.mu.Lock()
		d.entry.estimate, d.entry.known = est, true
		d.rule.mu.Unlock()
	}
	return known, err
}

// atVersions moves the entry to the versions of the decision, and reports whether
// its size may still be taken for that of its tables. The rule's mutex is held.
func (d *decision) atVersions() bool {
	if d.entry.versions == d.versions {
		return true
	}
	if d.entry.versions != "" {
		d.entry.history.newVersions()
		d.entry.changes++
	}
	d.entry.versions = d.versions
	return d.entry.changes%sizeChanges != 0
}

// settle makes the choice; beside: native may begin beside DuckDB. The rule's mutex is held.
func (d *decision) settle(mayCancel, beside bool) {
	e := d.entry
	d.mayCancel, d.known, d.inTurn = mayCancel, !e.history.duckUnknown(), e.inTurn
	switch {
	case e.refused != "":
		d.duck, d.why = true, e.refused
		return
	case e.small:
		d.choice = e.history.chooseSmall(d.rule.first, e.fewRows)
	case e.begins():
		d.choice = choice{duck: true, patience: patience(nativeStart), native: nativeStart, other: e.history.duck}
	default:
		d.choice = choose(&e.history, e.estimate.scaled(paces(&d.rule.duckPace, &d.rule.nativePace)))
	}
	switch {
	case !mayCancel && d.duck && d.briefly:
		d.choice = e.history.bounded(choice{native: d.native, other: d.other, loading: d.loading})
	case !mayCancel && d.duck:
		d.patience = 0
	case beside && !e.inTurn && d.rule.first == 0:
		d.choice = e.history.raced(d.choice)
	}
	d.why = d.reason()
}

func versionsText(snap catalog.Snapshot) string {
	var b strings.Builder
	for i := range snap.Len() {
		fmt.Fprintf(&b, "%d ", snap.Version(i))
	}
	return b.String()
}

// rowCount is the rows of all tables together, by DuckDB's figures.
func (a *autoQuery) rowCount(ctx context.Context, snap catalog.Snapshot) (float64, error) {
	if n, ok := a.route.rule.total(a.tables, snap); ok {
		return n, nil
	}
	sizes := map[string]float64{}
	err := a.each(ctx, "SELECT database_name, schema_name, table_name, estimated_size FROM duckdb_tables()", nil, func(b *rows.Batch) {
		for i := range b.N {
			name := autoTable(load.Table{Catalog: b.Cols[0].Str[i], Schema: b.Cols[1].Str[i], Name: b.Cols[2].Str[i]})
			sizes[name] = float64(b.Cols[3].I64[i])
		}
	})
	if err != nil {
		return 0, err
	}
	return a.route.rule.learn(a.tables, snap, sizes), nil
}

// each runs a query of ours and calls f with every batch.
func (a *autoQuery) each(ctx context.Context, sql string, args []duckbackend.Arg, f func(*rows.Batch)) error {
	return a.route.workers.lend(ctx, func(c *duckbackend.Conn) error {
		cur, err := c.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		for {
			b, err := cur.Next(ctx)
			if err != nil || b == nil {
				return errors.Join(err, cur.Close())
			}
			f(b)
		}
	})
}

// explain estimates from DuckDB's plan. What DuckDB does not explain on a
// connection of its own (temporary tables, a value that a constant expression
// cannot take) is decided without.
func (a *autoQuery) explain(ctx context.Context) (est estimate, known bool, err error) {
	var args []duckbackend.Arg
	for i, x := range a.args {
		args = append(args, duckbackend.Arg{Type: a.params[i], Null: x.Null, Text: x.Text})
	}
	var text strings.Builder
	err = a.each(ctx, "EXPLAIN (FORMAT JSON) "+a.sql, args, func(b *rows.Batch) {
		for i := range b.N {
			text.WriteString(b.Cols[len(b.Cols)-1].Str[i])
		}
	})
	if err != nil {
		return est, false, onlyFatal(ctx, err)
	}
	plan, err := parsePlan(text.String())
	if err != nil {
		return est, false, err
	}
	est = estimatePlan(plan, slices.ContainsFunc(a.queries, lower.JoinsByParts), a.route.rule.rowsOf, a.columnType())
	if a.recursive {
		est.duck *= recursionSteps
	}
	if a.repeats {
		again := gatheredRows(plan) * repeatNs
		est.work, est.most = est.work+again, est.most+again
	}
	return est, true, nil
}

// columnType looks up the columns of the statement's tables.
func (a *autoQuery) columnType() func(table, column string) rows.Type {
	tables := map[string]*sqlfront.Table{}
	for _, q := range a.queries {
		q.Walk(func(q *sqlfront.Query) {
			for _, s := range q.From {
				if s.Table != nil {
					tables[autoTable(s.Table.Name)] = s.Table
				}
			}
		})
	}
	return func(table, column string) rows.Type {
		t := tables[table]
		if t == nil {
			return rows.Type{}
		}
		i := slices.IndexFunc(t.Columns, func(c rows.Column) bool { return load.SameName(c.Name, column) })
		if i < 0 {
			return rows.Type{}
		}
		return t.Columns[i].Type
	}
}

// errDecided says that auto leaves a statement to DuckDB that native could answer.
type errDecided struct {
	why string
	// patience is how long DuckDB has before native has the time then; 0: no end.
	patience, then time.Duration
}

func (e *errDecided) Error() string { return e.why }

// nativeTurn is why native answers under auto, and how long it has to its first row; 0: no
// end.
type nativeTurn struct {
	why      string
	patience time.Duration
}

// explained returns an *errDecided where DuckDB is expected to answer, and otherwise why
// native is. What has been decided before stays.
func (a *autoQuery) explained(ctx context.Context, before *nativeTurn) (nativeTurn, error) {
	if before != nil {
		return *before, nil
	}
	a.asksFirst = true
	d, err := a.decide(ctx)
	switch {
	case err != nil || a.session.settings.backend != Auto:
		return nativeTurn{}, err
	case d == nil:
		return nativeTurn{why: a.unchosen()}, nil
	case d.duck && !d.briefly:
		return nativeTurn{}, &errDecided{why: d.why, patience: d.patience, then: d.after(d.patience)}
	case d.duck:
		return nativeTurn{why: d.why, patience: d.after(d.patience)}, nil
	}
	return nativeTurn{why: d.why, patience: d.patience}, nil
}

// overrun is native's execution within its time: *errDecided says that it has not answered.
func (t nativeTurn) overrun(ctx context.Context, execute func(ctx context.Context) error) error {
	if t.patience == 0 {
		return execute(ctx)
	}
	within, cancel := context.WithTimeoutCause(ctx, t.patience, errImpatient)
	defer cancel()
	err := execute(within)
	if impatient(ctx, within, err) {
		return &errDecided{why: overrun(t.patience)}
	}
	return err
}

// unchosen is why native answers where nothing is decided.
func (a *autoQuery) unchosen() string {
	if a.natively {
		return "DuckDB's answer may be wrong, or it has none"
	}
	return "DuckDB gives no estimate"
}

// note changes what is known of the statement, if its tables are still the same.
func (d *decision) note(f func(*autoEntry)) {
	if d == nil || d.entry == nil {
		return
	}
	d.rule.mu.Lock()
	defer d.rule.mu.Unlock()
	if d.entry.versions == d.versions {
		f(d.entry)
	}
}

// noteDuck keeps DuckDB's time; more: it was cancelled then.
func (d *decision) noteDuck(took time.Duration, more bool) {
	if d != nil && d.entry == nil && d.bind != nil {
		d.rule.begin(d.sql, float64(took), more)
		return
	}
	d.note(func(e *autoEntry) {
		if e.history.duck == 0 && e.known {
			d.rule.duckPace.add(float64(took), e.estimate.duck)
		}
		e.history.noteDuck(float64(took), more)
	})
}

// ended and stopped are the notes of DuckDB's executions that came to their end, and of
// those that did not.
func (d *decision) ended(took time.Duration)   { d.noteDuck(took, false) }
func (d *decision) stopped(took time.Duration) { d.noteDuck(took, true) }

// answered is the note of one of native's that came to its end.
func (d *decision) answered(took time.Duration) {
	d.note(func(e *autoEntry) {
		if e.history.cold == 0 && e.known {
			d.rule.nativePace.add(float64(took), e.estimate.cold())
		}
		e.history.noteNative(float64(took))
	})
}

// noteStopped keeps how long native had gone on when it was stopped: it takes longer
// than that.
func (d *decision) noteStopped(took time.Duration) {
	d.note(func(e *autoEntry) { e.history.noteStopped(float64(took)) })
}

// cancelled notes an execution that failed because it was cancelled, or timed out.
func (d *decision) cancelled(took time.Duration, err error, note func(time.Duration)) {
	if isCanceled(err) {
		note(took)
	}
}

// lost keeps the time that native had in a race that DuckDB has won.
func (d *decision) lost(took time.Duration) {
	d.note(func(e *autoEntry) { e.history.noteRace(float64(took)) })
}

// refuse says that native cannot answer: it is not asked again, where the tables are large.
// Over small ones asking costs little, and a writer may have been the reason.
func (d *decision) refuse(reason string) {
	d.note(func(e *autoEntry) {
		if !e.small {
			e.refused = strings.Clone(sqlerr.Shortened(reason))
		}
	})
}
