package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// hosted is a statement of DuckDB's in which blocks are answered on tensors:
// their rows become temporary tables of the session's connection, and DuckDB runs
// the statement with these in their place, on a snapshot in which the tables that
// the blocks have read are the same.
type hosted struct {
	session *Session
	route   *route
	duck    *duckStatement // the statement as it is
	backend Backend        // the setting at the time of planning
	cut     *sqlfront.Cutting
	body    []rows.Column // of the statement's SELECT
	// blocks are what has been analyzed; nil: refused.
	blocks map[*sqlfront.Block]*hostedBlock
	tables []load.Table // that the blocks read
	schema uint64       // version of the catalog from before anything was bound
	// reason is why there is no block at all to be taken, or why the statement as a
	// whole has not been.
	reason string
	// unsplit is why the outermost SELECT that might have been split is not.
	unsplit string
}

// hostedBlock is a block that can be answered on tensors.
type hostedBlock struct {
	sel       *tensorSelect
	recursion *recursion // in place of sel
	// answer is the whole statement where it reads the recursion alone; nil: DuckDB
	// has to be given the rows.
	answer  *recursionAnswer
	columns []rows.Column          // of what it replaces; of the block itself where it is set apart
	apart   *sqlfront.Decorrelated // where it reads the SELECT around; else nil
}

// taken is the block as the n-th of those whose rows are there.
func (got *hostedBlock) taken(b *sqlfront.Block, n int) sqlfront.Taken {
	return sqlfront.Taken{Block: b, Relation: blockTable(n), Columns: got.columns, Apart: got.apart}
}

// analyzedMax bounds the blocks of a statement that are analyzed: each costs a
// preparation by DuckDB.
const analyzedMax = 32

// host is prepareHosted over a statement of DuckDB's that is the caller's.
func (s *Session) host(ctx context.Context, p *Prepared, reason string, duck func() (*duckStatement, error)) (_ *hosted, why string, err error) {
	r, ok := s.engine.tensor.(*route)
	if !ok || s.foreignSettings() != "" {
		return nil, reason, nil
	}
	schema, _ := s.engine.catalog.Versions.Schema()
	var failed error
	cut := sqlfront.Cut(p.sql, p.class, func(name string) bool {
		f, err := s.catalogView().Function(ctx, name)
		failed = errors.Join(failed, err)
		return f.Aggregate && !f.Redefined
	})
	if cut == nil || failed != nil {
		return nil, reason, failed
	}
	stmt, err := duck()
	if err != nil {
		return nil, reason, err
	}
	h := &hosted{
		session: s, route: r, duck: stmt, backend: s.settings.backend, schema: schema,
		cut: cut, blocks: map[*sqlfront.Block]*hostedBlock{}, reason: reason,
	}
	found, err := h.findAny(ctx, cut.Blocks)
	if err == nil && found {
		found, err = h.describe(ctx)
	}
	if err != nil || !found {
		if h.unsplit != "" && !sqlfront.DependsOnRelease(reason) {
			reason = h.unsplit
		}
		return nil, reason, err
	}
	return h, reason, nil
}

// mayHost reports whether a statement that writes may have blocks to be answered.
func mayHost(c sqlfront.Class) bool {
	switch c.Kind {
	case sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassCreate, sqlfront.ClassCopy:
		return !c.WritesUnknown
	}
	return false
}

// describe asks DuckDB for the columns that the statement's SELECT must keep.
func (h *hosted) describe(ctx context.Context) (ok bool, err error) {
	switch body := h.cut.Body(nil); {
	case h.duck.desc.Kind == duckbackend.KindMulti:
		return false, nil
	case h.duck.class.Kind == sqlfront.ClassSelect:
		h.body = h.duck.desc.Columns
		return len(h.body) > 0, nil // DuckDB may know them only when it executes
	case body != "":
		d, err := h.session.Describe(ctx, body, h.duck.desc.Params)
		if err != nil {
			return false, onlyFatal(ctx, err)
		}
		h.body = d.Columns
	}
	return true, nil
}

// onlyFatal drops an error that only says that a text means nothing where it was
// tried.
func onlyFatal(ctx context.Context, err error) error {
	var e *sqlerr.Error
	if ctx.Err() == nil && errors.As(err, &e) {
		switch e.Code {
		case sqlerr.QueryCanceled, sqlerr.OutOfMemory, sqlerr.IOError, sqlerr.InternalError, sqlerr.DataCorrupted, sqlerr.AdminShutdown:
		default:
			return nil
		}
	}
	return err
}

// findAny analyzes blocks until it finds one that can be answered, the outer ones
// first.
func (h *hosted) findAny(ctx context.Context, blocks []*sqlfront.Block) (found bool, err error) {
	for _, b := range blocks {
		got, err := h.block(ctx, b)
		if err != nil {
			return false, err
		}
		in, err := h.findAny(ctx, b.Within(got != nil))
		if err != nil {
			return false, err
		}
		found = found || in || got != nil
	}
	return found, nil
}

// block analyzes a block, once; nil: it is refused.
func (h *hosted) block(ctx context.Context, b *sqlfront.Block) (*hostedBlock, error) {
	if got, known := h.blocks[b]; known || len(h.blocks) >= analyzedMax {
		return got, nil
	}
	h.blocks[b] = nil
	got := &hostedBlock{}
	var err error
	if b.Recursion != nil {
		got.recursion, err = h.recursive(ctx, b.Recursion)
		if got.recursion == nil || err != nil {
			return nil, err
		}
		got.columns = got.recursion.columns
		if got.answer, err = h.around(ctx, b, got.columns); err != nil {
			return nil, err
		}
		h.blocks[b] = got
		return got, nil
	}
	if b.Repeats() && !b.Counts() { // what stands in it costs less than to count its rows
		if in, err := h.findAny(ctx, b.Within(false)); in || err != nil {
			return nil, err
		}
	}
	if b.Correlation != nil {
		h.blocks[b], err = h.correlated(ctx, b.Correlation)
		return h.blocks[b], err
	}
	if got.sel, err = h.selected(ctx, b); got.sel == nil || err != nil {
		return nil, err
	}
	got.columns = got.sel.desc.Columns
	for i, c := range got.columns {
		if b.Repeats() && mergesValues(c.Type, b.Shows(i)) {
			return nil, nil
		}
	}
	if b.Whole != "" {
		d, err := h.session.Describe(ctx, b.Whole, h.duck.desc.Params)
		if err != nil || len(d.Columns) != b.Items() {
			return nil, onlyFatal(ctx, err)
		}
		got.columns = d.Columns
	}
	h.blocks[b] = got
	return got, nil
}

// selected analyzes the SELECT of a block; nil: it is refused. One that counts rows is split
// in one way, then the other.
func (h *hosted) selected(ctx context.Context, b *sqlfront.Block) (*tensorSelect, error) {
	switch {
	case !b.Splits():
		return h.analyzed(ctx, b.SQL)
	case !b.Repeats():
		reason, err := b.Split(ctx, h.session.catalogView(), h.session, h.duck.desc.Params, false)
		if err != nil || reason != "" {
			return nil, onlyFatal(ctx, err)
		}
		return h.analyzed(ctx, b.SQL)
	}
	if h.backend == Auto && !b.Counts() {
		return nil, nil // what is around the rows is DuckDB's work, which it does as well over its own joins
	}
	if sel, err := h.analyzed(ctx, b.Statement()); sel != nil || err != nil {
		return nil, err // what refuses it is in the rows, and may be there for the block too
	}
	for _, coarse := range []bool{true, false} {
		reason, err := b.Split(ctx, h.session.catalogView(), h.session, h.duck.desc.Params, coarse)
		if err != nil || reason != "" {
			if h.unsplit == "" && reason != sqlfront.NothingGathered {
				h.unsplit = reason
			}
			return nil, onlyFatal(ctx, err)
		}
		if sel, err := h.analyzed(ctx, b.SQL); sel != nil || err != nil {
			return sel, err
		}
	}
	return nil, nil
}

// mergesValues reports whether equal values of a type may be different ones, which one
// of a group stands for; -0 and 0 are, where they are shown.
func mergesValues(t rows.Type, shown bool) bool {
	return t.ID == rows.Interval || t.ID == rows.TimeTZ || shown && t.IsFloat()
}

// analyzed analyzes a text of the statement alone, with the statement's parameters;
// nil: it is refused.
func (h *hosted) analyzed(ctx context.Context, sql string) (*tensorSelect, error) {
	return h.analyzedHeld(ctx, sqlfront.Held{SQL: sql})
}

// analyzedHeld is analyzed for a text that may read tables in memory.
func (h *hosted) analyzedHeld(ctx context.Context, held sqlfront.Held) (*tensorSelect, error) {
	if held.SQL == "" {
		return nil, nil
	}
	sel, _, err := h.route.analyzeHeld(ctx, h.session, held, h.duck.desc.Params)
	if err != nil || sel == nil || len(sel.clocks) > 0 && len(sel.desc.Params) != len(h.duck.desc.Params) { // clocks come after all parameters
		return nil, onlyFatal(ctx, err)
	}
	for i, t := range sel.desc.Params {
		if t.ID != rows.Invalid && (i >= len(h.duck.desc.Params) || t != h.duck.desc.Params[i]) {
			return nil, nil
		}
	}
	for _, c := range sel.desc.Columns {
		if c.Type.ID == rows.SQLNull || c.Type.ID == rows.Invalid {
			return nil, nil
		}
	}
	own := *sel // sel belongs to all sessions
	own.desc.Params = h.duck.desc.Params
	for _, t := range own.tables {
		if !slices.Contains(h.tables, t) {
			h.tables = append(h.tables, t)
		}
	}
	return &own, nil
}

func (h *hosted) params() []rows.Type    { return h.duck.params() }
func (h *hosted) columns() []rows.Column { return h.duck.columns() }
func (h *hosted) close() error           { return h.duck.close() }

// execute answers with blocks on tensors, or leaves the whole statement to DuckDB:
// a forced backend only one that is no SELECT, which it does not speak of. Where
// neither side ends soon, each in turn has more time.
func (h *hosted) execute(ctx context.Context, args []Arg) (outcome, error) {
	d, err := h.autoQuery(args).decide(ctx)
	if err != nil {
		return outcome{}, err
	}
	duck := func(ctx context.Context) (outcome, error) { return h.duck.execute(ctx, args) }
	why := ""
	for {
		if d != nil && d.duck {
			if why == "" {
				why = d.why
			}
			out, by, err := d.tryDuck(ctx, duck, h.turn(d, args))
			if by == byDuckDB {
				h.session.noted.because(why)
			}
			if by != byNobody {
				return out, err
			}
		}
		refused := &errRefused{}
		out, ok, err := d.tryNative(ctx, func(within context.Context) (outcome, error) {
			out, reason, err := h.hosted(ctx, within, args, h.session.noted.tracing())
			if err == nil && reason != "" {
				err = &errRefused{reason}
			}
			return out, err
		})
		switch {
		case !ok:
			why = overrun(d.patience)
			d.yield()
		case errors.As(err, &refused):
			return h.whole(ctx, d, duck, refused.reason)
		default:
			return out, err
		}
	}
}

// turn is what the tensor engine does when DuckDB has had its time: it answers the blocks
// beside it, where they are bound on another connection.
func (h *hosted) turn(d *decision, args []Arg) func() turn {
	return func() turn {
		if d.inTurn || !h.session.bindsBeside() {
			return inTurn()
		}
		a := &hosting{hosted: h, by: by(h.session), reason: h.reason}
		return turn{
			beside: func(ctx context.Context) (out outcome, err error) {
				if a.args, err = h.canonical(ctx, args); err == nil {
					err = a.answerAhead(ctx)
				}
				if errors.Is(err, errNoBlock) {
					err = &errRefused{a.reason}
				}
				return outcome{}, err
			},
			afterwards: a.afterwards,
			release:    a.release,
		}
	}
}

// whole has DuckDB execute the statement as it is.
func (h *hosted) whole(ctx context.Context, d *decision, duck side, reason string) (outcome, error) {
	if sqlfront.HasProgram(h.duck.sql) {
		return outcome{}, refuseProgram(reason)
	}
	if h.backend != Auto && h.duck.class.Kind == sqlfront.ClassSelect {
		session := func(b *hostedBlock) bool { return b != nil && b.sel != nil && b.sel.readsSession() }
		return outcome{}, refuseLate(h.backend, reason, slices.ContainsFunc(slices.Collect(maps.Values(h.blocks)), session))
	}
	d.refuse(reason)
	out, err := d.duckAlone(ctx, duck)
	h.session.noted.because(reason)
	return out, err
}

// hosted executes on one snapshot; reason is why no block could be taken. The tensor
// engine has the time within; what is done on the session's connection may not be
// cancelled before ctx is, because that ends the user's transaction.
func (h *hosted) hosted(ctx, within context.Context, args []Arg, tr *trace) (out outcome, reason string, err error) {
	canonical, err := h.canonical(ctx, args)
	if err != nil {
		return outcome{}, "", err
	}
	for try := 1; ; try++ {
		a := &hosting{hosted: h, within: within, args: canonical, by: by(h.session), trace: tr, reason: h.reason}
		out, err := a.run(ctx)
		switch {
		case errors.Is(err, errStale) && try < snapshotTries:
		case errors.Is(err, errStale):
			return outcome{}, err.Error(), nil
		case errors.Is(err, errNoBlock):
			return outcome{}, a.reason, nil
		default:
			return out, "", err
		}
	}
}

func (h *hosted) canonical(ctx context.Context, args []Arg) ([]Arg, error) {
	t := &tensorSelect{route: h.route, desc: sqlfront.Description{Params: h.duck.desc.Params}}
	return t.canonical(ctx, h.session, args)
}

// blockPrefix begins the names of the relations of blocks.
const blockPrefix = duckbackend.RelationPrefix + "rows "

// blockRelation names the relation of the n-th block taken.
func blockRelation(n int) string { return fmt.Sprintf("%s%d", blockPrefix, n+1) }

// blockTable is that relation's name in full.
func blockTable(n int) string {
	return load.Table{Catalog: "temp", Schema: "main", Name: blockRelation(n)}.SQL()
}
