package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// hosting is one attempt to execute a hosted statement.
type hosting struct {
	*hosted
	within context.Context // of the tensor engine
	args   []Arg           // canonical
	snap   catalog.Snapshot
	read   int // tables in snap
	by     Backend
	handed bool
	taken  []sqlfront.Taken
	made   []string // relations on the session's connection
	// ahead: DuckDB is at work on the session's connection. Blocks are answered to their
	// first rows and held until that is free.
	ahead bool
	held  []rows.Cursor
	// whole is the rows of the statement, where DuckDB has no part in it.
	whole rows.Cursor
	// own: the statement has a transaction of its own; begun: which is open.
	own, begun bool
	trace      *trace
	reason     string
}

// errNoBlock says that DuckDB is to execute the statement as it is.
var errNoBlock = errors.New("no block was taken")

// run answers the blocks, then lets DuckDB run the rest.
func (a *hosting) run(ctx context.Context) (out outcome, err error) {
	if err := a.start(); err != nil {
		return out, err
	}
	return a.finish(ctx, func() error { return a.take(ctx, a.cut.Blocks) })
}

// start takes the snapshot of the attempt.
func (a *hosting) start() error {
	s := a.session
	a.own = s.tx.status != TxActive
	if a.own && returns(a.duck) {
		a.reason = "RETURNING"
		return errNoBlock
	}
	snap, reason := s.engine.catalog.Versions.SnapshotBefore(s.intent, a.tables, s.tx.pin)
	if reason != "" {
		a.reason = reason
		return errNoBlock
	}
	if snap.Schema() != a.schema {
		return errMoved
	}
	a.snap, a.read = snap, len(a.tables)
	if a.trace != nil {
		a.trace.programs = nil
	}
	return nil
}

// answerAhead answers the blocks to their first rows, while DuckDB is at work on the session's
// connection.
func (a *hosting) answerAhead(ctx context.Context) (err error) {
	if err := a.start(); err != nil {
		return err
	}
	a.ahead, a.within = true, ctx
	done := false
	defer func() { // also after a panic
		if !done {
			err = errors.Join(err, a.release())
		}
	}()
	err = a.take(ctx, a.cut.Blocks)
	if err == nil && a.whole == nil && len(a.taken) == 0 {
		err = errNoBlock
	}
	done = err == nil
	return err
}

// afterwards lets DuckDB run the rest over the blocks that are held. errNoBlock says that the
// statement has to be executed in another way.
func (a *hosting) afterwards(ctx context.Context) (outcome, error) {
	out, err := a.finish(ctx, func() error {
		for len(a.held) > 0 {
			cur := a.held[0]
			a.held = a.held[1:]
			if err := errors.Join(a.makeRelation(ctx, cur), cur.Close()); err != nil {
				return err
			}
			if err := a.determined(ctx, &a.taken[len(a.made)-1]); err != nil {
				return err
			}
		}
		return nil
	})
	var no *translate.Ineligible
	if errors.Is(err, errStale) || errors.As(err, &no) {
		err = errNoBlock
	}
	return out, err
}

// release closes what is held.
func (a *hosting) release() (err error) {
	for _, cur := range a.held {
		err = errors.Join(err, cur.Close())
	}
	if a.whole != nil {
		err = errors.Join(err, a.whole.Close())
	}
	a.held, a.whole = nil, nil
	return err
}

// finish makes the blocks' relations, and executes the statement over them.
func (a *hosting) finish(ctx context.Context, relations func() error) (out outcome, err error) {
	running := false
	defer func() { // also after a panic
		if !running {
			out, err = outcome{}, a.leave(ctx, err)
		}
	}()
	err = relations()
	switch {
	case err != nil:
	case a.whole != nil:
		out, err = a.alone()
	case len(a.taken) == 0:
		err = errNoBlock
	default:
		out, err = a.host(ctx)
	}
	running = err == nil
	return out, err
}

// alone delivers a statement in which DuckDB has no part.
func (a *hosting) alone() (out outcome, err error) {
	if a.own && !a.unchangedTables() {
		return out, errStale
	}
	a.session.lastBackend = a.answeredBy().String()
	a.session.noted.answered(a.answeredBy(), "")
	out = commandTag(a.duck.class, a.duck.sql)
	out.cursor = a.whole
	return out, nil
}

// leave undoes what an attempt that failed has made on the session's connection.
// Where it cannot, no other attempt follows.
func (a *hosting) leave(ctx context.Context, failed error) error {
	err := errors.Join(a.end(ctx, errNoBlock), a.drop(ctx), a.release())
	if err == nil || errors.Is(failed, errNoBlock) || errors.Is(failed, errStale) {
		return cmp.Or(err, failed)
	}
	return errors.Join(failed, err)
}

// returns reports whether a statement that writes also delivers rows.
func returns(d *duckStatement) bool {
	return d.class.Kind != sqlfront.ClassSelect && len(d.desc.Columns) > 0
}

// take answers those of the blocks that can be, and within others what can be.
func (a *hosting) take(ctx context.Context, blocks []*sqlfront.Block) error {
	for _, b := range blocks {
		if !a.cut.Reads(b, a.taken) {
			continue
		}
		got, err := a.block(ctx, b)
		if err == nil && len(a.tables) > a.read {
			err = errStale // the snapshot lacks a table
		}
		var no *translate.Ineligible
		if err == nil && got != nil {
			err = a.answer(ctx, b, got)
		}
		switch {
		case errors.As(err, &no):
			a.reason, got, err = no.Reason, nil, nil
		case err != nil && got != nil && got.apart != nil && ofOtherGroups(err):
			a.reason, got, err = "groups that may not be asked for: "+err.Error(), nil, nil
		}
		if err == nil {
			err = a.take(ctx, b.Within(got != nil))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answer makes the relation of a block.
func (a *hosting) answer(ctx context.Context, b *sqlfront.Block, got *hostedBlock) error {
	cur, err := a.rows(a.within, got)
	if err != nil {
		return err
	}
	if state, ok := cur.(*stateCursor); ok && got.answer != nil {
		if a.whole, err = got.answer.answer(a.within, state); a.whole != nil {
			return nil
		}
		if err != nil {
			return errors.Join(err, cur.Close())
		}
	}
	named := &renamed{Cursor: cur, columns: slices.Clone(cur.Columns())}
	for i := range named.columns {
		named.columns[i].Name = sqlfront.BlockColumn(i)
	}
	if a.ahead {
		held, err := readAhead(a.within, named)
		if err != nil {
			return err
		}
		a.held = append(a.held, held)
		a.taken = append(a.taken, got.taken(b, len(a.taken)))
		return nil
	}
	if err := errors.Join(a.makeRelation(ctx, named), cur.Close()); err != nil {
		return err
	}
	taken := got.taken(b, len(a.made)-1)
	if err := a.determined(ctx, &taken); err != nil {
		return err
	}
	a.taken = append(a.taken, taken)
	return nil
}

// makeRelation makes the relation of the next block.
func (a *hosting) makeRelation(ctx context.Context, cur rows.Cursor) error {
	name := blockRelation(len(a.made))
	err := a.session.conn.MakeRelation(ctx, name, cur)
	if err == nil {
		a.made = append(a.made, name)
	}
	return err
}

// determined is an error where the answer of the statement around a block depends on the
// order of its rows.
func (a *hosting) determined(ctx context.Context, t *sqlfront.Taken) error {
	for _, c := range t.Checks(t.Relation) {
		cur, err := a.session.conn.Query(ctx, c.SQL)
		if no := (*duckbackend.NotPrepared)(nil); errors.As(err, &no) { // what the user wrote stands elsewhere in it
			return &translate.Ineligible{Reason: c.Reason}
		}
		if err != nil {
			return err
		}
		b, err := cur.Next(ctx)
		if err = errors.Join(err, cur.Close()); err != nil {
			return err
		}
		if b != nil && b.N > 0 {
			return &translate.Ineligible{Reason: c.Reason}
		}
	}
	return nil
}

// rows answers a block.
func (a *hosting) rows(ctx context.Context, got *hostedBlock) (rows.Cursor, error) {
	if got.recursion != nil {
		return a.iterate(ctx, got.recursion)
	}
	q := a.newRun(got.sel)
	if len(got.sel.clocks) > 0 { // the rest has the time of the same transaction
		if a.ahead {
			return nil, &translate.Ineligible{Reason: "the time of the transaction in a block"}
		}
		if err := a.begin(a.within); err != nil {
			return nil, err
		}
		args, err := got.sel.timed(ctx, a.session, a.args)
		if err != nil {
			return nil, err
		}
		q = a.withArgs(args).newRun(got.sel)
	}
	cur, err := q.answer(ctx, "", got.sel.query)
	a.handed = a.handed || q.handed
	return cur, err
}

// withArgs is the attempt with other arguments.
func (a *hosting) withArgs(args []Arg) *hosting {
	own := *a
	own.args = args
	return &own
}

// newRun is an execution of a part of the statement, on the snapshot of the whole.
func (a *hosting) newRun(sel *tensorSelect) *queryRun {
	part := *sel
	part.tables, part.beside = a.tables, a.ahead
	q := part.newRun(a.session, a.snap, a.args, a.by)
	if q.trace = a.trace; a.trace != nil {
		a.trace.account = q.account
	}
	return q
}

// host runs the statement over the blocks' relations.
func (a *hosting) host(ctx context.Context) (out outcome, err error) {
	s := a.session
	sql, place := a.cut.Replace(a.taken)
	if err := a.begin(ctx); err != nil {
		return out, err
	}
	if err := a.check(ctx); err != nil {
		return out, a.orWhole(err)
	}
	bound := make([]duckbackend.Arg, len(a.args))
	for i, arg := range a.args {
		bound[i] = duckbackend.Arg{Type: a.duck.desc.Params[i], Null: arg.Null, Text: arg.Text}
	}
	s.intent.Begin()
	cur, err := s.conn.Query(ctx, sql, bound...)
	if err != nil {
		return out, a.orWhole(placed(err, place))
	}
	if a.begun {
		cur.OwnsTransaction()
	}
	out = commandTag(a.duck.class, a.duck.sql)
	host := &hostCursor{Cursor: cur, hosting: a, ctx: ctx, sql: sql, columns: slices.Clone(a.duck.desc.Columns), place: place}
	for i, c := range cur.Columns()[:min(len(host.columns), len(cur.Columns()))] {
		host.columns[i].Type = c.Type // round(d, $1) has as many digits as the value says
	}
	out.cursor = host
	if len(cur.Columns()) == 0 {
		changed := cur.Changed()
		if err := host.Close(); err != nil {
			return outcome{}, err
		}
		out.cursor = nil
		if out.countRows {
			out.affected, out.countRows = changed, false
		}
	}
	s.lastBackend = a.answeredBy().String()
	s.noted.answered(a.answeredBy(), a.hosted.reason)
	return out, nil
}

// orWhole makes an internal error of DuckDB's, or what it has not implemented, a reason to
// execute the user's own text, which it may plan in another way; with a block that is set
// apart, also an error that may be of groups that nothing asks for, which that of several
// rows for one value is not. In the user's transaction nothing can follow an error.
func (a *hosting) orWhole(err error) error {
	if errors.Is(err, errNoBlock) {
		return err
	}
	e := sqlerr.From(err)
	apart := slices.ContainsFunc(a.taken, func(t sqlfront.Taken) bool { return t.Apart != nil })
	unasked := apart && ofOtherGroups(err) && e.Code != sqlerr.InvalidParameter
	if a.own && (unasked || e.Code == sqlerr.InternalError || e.Code == sqlerr.FeatureNotSupported) {
		a.reason = "DuckDB fails over the rows of a block: " + e.Message
		return errNoBlock
	}
	return err
}

func (a *hosting) answeredBy() Backend {
	if a.handed {
		return Decomposed
	}
	return a.by
}

// begin opens the statement's own transaction, if the session has none, in which
// the tables are as the blocks have read them.
func (a *hosting) begin(ctx context.Context) error {
	if !a.own || a.begun {
		return nil
	}
	conn := a.session.conn
	if err := conn.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	a.begun = true
	err := conn.Exec(ctx, "SELECT 1 FROM duckdb_schemas() LIMIT 1") // the snapshot
	if err == nil && !a.unchangedTables() {
		err = errStale
	}
	return err
}

// unchangedTables reports whether the tables that blocks have read are as they
// were, until the statement itself writes.
func (a *hosting) unchangedTables() bool {
	return a.session.engine.catalog.Versions.Unchanged(a.snap)
}

// end ends the statement's own transaction, if it is open.
func (a *hosting) end(ctx context.Context, cause error) error {
	if !a.begun {
		return nil
	}
	a.begun = false
	ctx = context.WithoutCancel(ctx)
	if cause == nil {
		err := a.session.conn.Exec(ctx, "COMMIT")
		if err == nil {
			return nil
		}
		return errors.Join(err, a.session.leaveAborted(ctx))
	}
	return a.session.leaveAborted(ctx)
}

// drop removes the blocks' relations.
func (a *hosting) drop(ctx context.Context) error {
	var err error
	for _, name := range a.made {
		err = errors.Join(err, a.session.conn.DropRelation(ctx, name))
	}
	a.made = nil
	return err
}

// check compares the columns of the statement's SELECT over the relations with
// those that it had: all of them, where they are the names or types of what is
// written.
func (a *hosting) check(ctx context.Context) error {
	body := a.cut.Body(a.taken)
	if body == "" {
		return nil
	}
	d, err := a.session.conn.Describe(ctx, body, a.duck.desc.Params)
	if err != nil {
		if err = onlyFatal(ctx, err); err != nil {
			return err
		}
		a.reason = "the statement around a block does not stand alone"
		return errNoBlock
	}
	if len(d.Columns) == len(a.body) {
		same := true
		for i, c := range d.Columns {
			same = same && c.Type == a.body[i].Type && (c.Name == a.body[i].Name || a.duck.class.Kind == sqlfront.ClassSelect)
		}
		if same {
			return nil
		}
	}
	a.reason = "a block changes the columns around it"
	return errNoBlock
}

// placed moves an error of the statement that ran to its place in the user's.
func placed(err error, place func(int) int) error {
	e := sqlerr.From(err)
	if e.Offset < 0 {
		return err
	}
	moved := *e
	moved.Offset = place(e.Offset)
	if strings.Contains(moved.Message, blockPrefix) {
		moved.Offset = -1
	}
	return &moved
}

// hostCursor is the rows of a hosted statement; closing it ends the statement.
type hostCursor struct {
	*duckbackend.Cursor
	*hosting
	ctx     context.Context // of the statement, without whose values it cannot end
	sql     string          // that runs
	columns []rows.Column
	place   func(int) int
	failed  error
	closed  bool
}

// Columns are the statement's: the names as DuckDB has described them, and the types that the rows have.
func (c *hostCursor) Columns() []rows.Column { return c.columns }

// Next returns the next batch.
func (c *hostCursor) Next(ctx context.Context) (*rows.Batch, error) {
	b, err := c.Cursor.Next(ctx)
	if err != nil {
		err = placed(err, c.place)
		c.failed = err
	}
	return b, err
}

// Close ends the query and its transaction, and drops the blocks' relations.
func (c *hostCursor) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.Cursor.Close()
	if c.failed == nil {
		c.failed = err
	}
	return errors.Join(err, c.end(c.ctx, c.failed), c.drop(c.ctx))
}
