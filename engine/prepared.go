package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/paramtypes"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Arg is a parameter value in DuckDB's text form.
type Arg struct {
	Null bool
	Text string
}

// statement is what Prepare has decided for a text: *utility, *duckStatement,
// *routed or *explain.
type statement interface {
	params() []rows.Type
	columns() []rows.Column
	execute(ctx context.Context, args []Arg) (outcome, error)
	close() error
}

// outcome is a statement under way. cursor is nil when there are no rows. tag
// and affected are its command tag; affected below zero: the rows delivered are
// counted if countRows, else there is no count.
type outcome struct {
	cursor    rows.Cursor
	tag       string
	affected  int64
	countRows bool
}

// Prepared is one statement, ready to be executed any number of times.
type Prepared struct {
	session *Session
	sql     string
	class   sqlfront.Class
	given   paramtypes.Given
	hints   []rows.Type // parameter types to bind with; Invalid or missing: DuckDB's
	// anyDigits are the parameters whose place takes a number of any digits.
	anyDigits []bool
	cols      []rows.Column // as the client was told
	stmt      statement     // nil: empty
	bound     time.Duration // of preparing, until an execution counts it
	stamp     stamp
	// permitted are the rights under which the statement was permitted.
	permitted roles.Rights
	// moved is what sql has that the client's text has not, in order, of each rewriting.
	moved   [][]insertion
	streams bool // the caller moves the rows of COPY
	// told: the caller has seen the columns, which must stay.
	told bool
	// aside: it is a part of a client's statement and DuckDB's, whatever the backend.
	aside bool
	// ungrouped is the statement as it was; nil: its groups are its own.
	ungrouped *ungrouped
	// updates: it is an UPDATE to the client.
	updates bool
	// declared is the text with the types that it declares, where DuckDB's have been written
	// for them.
	declared string
	// namesJSONB: JSON has been written for JSONB.
	namesJSONB bool
	// jsonbParams are the parameters that clients are told to be jsonb; nil: none.
	jsonbParams []bool
	// holders are how many are to close it before the last one does.
	holders int
}

// Prepare parses and binds one statement; types in paramTypes that are Invalid
// are inferred, and so are those of texts that stand alone under a cast, whose type reads them.
// It does not run anything. Errors carry the offset in sql.
func (s *Session) Prepare(ctx context.Context, sql string, paramTypes []rows.Type) (p *Prepared, err error) {
	if slices.ContainsFunc(paramTypes, isText) {
		paramTypes = slices.Clone(paramTypes)
		read := sqlfront.ReadTexts(sql)
		for i, t := range paramTypes {
			if read[i+1] && isText(t) {
				paramTypes[i] = rows.Type{}
			}
		}
	}
	return s.prepareGiven(ctx, sql, paramtypes.Given{Declared: paramTypes})
}

func isText(t rows.Type) bool { return t.ID == rows.Varchar }

func (s *Session) prepareGiven(ctx context.Context, sql string, given paramtypes.Given) (p *Prepared, err error) {
	started := time.Now()
	defer func() { // after guard
		if err != nil {
			s.noteRefused(ctx, sql, time.Since(started), err)
		}
	}()
	defer s.guard(&err)
	r := s.startRun(ctx)
	defer r.end()
	r.watch()
	p, err = s.prepareAs(r.ctx, sql, &Prepared{session: s, given: given})
	if err != nil {
		return nil, s.fail(r.explain(err))
	}
	p.bound = time.Since(started)
	return p, nil
}

func (s *Session) prepare(ctx context.Context, sql string, paramTypes []rows.Type) (*Prepared, error) {
	return s.prepareAs(ctx, sql, &Prepared{session: s, given: paramtypes.Given{Declared: paramTypes}})
}

// prepareAs prepares a text as p, which has what is known of it before.
func (s *Session) prepareAs(ctx context.Context, sql string, p *Prepared) (*Prepared, error) {
	statements, err := s.Split(sql)
	if err != nil {
		return nil, err
	}
	switch len(statements) {
	case 0:
		p.class.Kind = sqlfront.ClassEmpty
		return p, s.admit(p.class)
	case 1:
	default:
		return nil, sqlerr.At(sqlerr.SyntaxError, statements[1].Offset, "cannot insert multiple commands into a prepared statement")
	}
	if err := s.admitExtent(statements[0]); err != nil {
		return nil, err
	}
	statements[0].Text = ownPart(statements[0].Text, sql)
	p.sql, p.class = statements[0].Text, sqlfront.Classify(statements[0].Text)
	if p.class.Wrong != nil {
		p.writeFunction()
	}
	p.declareNumbers()
	p.given = p.given.First(paramsAtMost(p.sql, max(len(p.given.Declared), len(p.given.Suggested))))
	p.setHints(p.given.Declared)
	if err := errors.Join(s.admit(p.class), admitName(p.class)); err != nil {
		return nil, err
	}
	err = s.refreshOwn(ctx)
	if err == nil {
		err = p.sayScope(ctx)
	}
	if err == nil {
		err = p.permit(ctx)
	}
	if err == nil {
		err = s.protect(ctx, p.class)
	}
	if err == nil {
		err = p.spellPostgres(ctx)
	}
	if err == nil {
		err = p.spellPublic(ctx)
	}
	if err == nil {
		err = p.spellDatabase(ctx)
	}
	if err == nil {
		err = p.spellLiterals(ctx)
	}
	if err == nil {
		err = p.spellGenerated(ctx)
	}
	if err == nil {
		err = p.bindTyped(ctx)
	}
	if err == nil {
		err = p.keepReferred(ctx)
	}
	if err == nil {
		err = p.deleteOnce(ctx)
	}
	if err != nil {
		err = shift(asWritten(statements[0].Text, p.place(p.hintType(p.explainKind(ctx, err)))), statements[0].Offset)
		if p.stmt != nil {
			err = closeAfter(err, p.stmt.close)
		}
		return nil, err
	}
	n := len(p.stmt.params())
	p.given = p.given.First(n)
	if len(p.hints) > n {
		p.hints, p.anyDigits = slices.Clone(p.hints[:n]), slices.Clone(p.anyDigits[:n])
	}
	return p, nil
}

// paramsAtMost is the n types that a client has given, or the number of parameters that the
// text may have where that is less: more are of nothing.
func paramsAtMost(sql string, n int) int {
	signs := strings.Count(sql, "$") + strings.Count(sql, "?")
	if n <= signs {
		return n
	}
	return min(n, max(signs, sqlfront.ParamCount(sql)))
}

// ownPart is a part of a text, which does not hold the rest in memory where that is more.
func ownPart(part, whole string) string {
	if len(part) < len(whole)/2 {
		return strings.Clone(part)
	}
	return part
}

// shift moves an error's position by the offset of the statement in its text.
func shift(err error, offset int) error {
	e := sqlerr.From(err)
	if e.Offset < 0 || offset == 0 {
		return err
	}
	moved := *e
	moved.Offset += offset
	return &moved
}

// bind decides who will answer, and describes the statement.
func (p *Prepared) bind(ctx context.Context) error {
	s := p.session
	before := s.stamp() // what changes meanwhile has been seen or not
	stmt, err := s.chooseText(ctx, p)
	if err != nil {
		return err
	}
	was, bound := p.stmt, p.stamp
	p.stmt, p.stamp = stmt, before
	if p.told {
		return nil
	}
	columns, err := p.describedColumns(ctx)
	if err == nil {
		err = p.withJSONBParams(ctx)
	}
	if err != nil { // the next execution binds it again
		p.stmt, p.stamp = was, bound
		return closeAfter(err, stmt.close)
	}
	p.cols = columns
	return nil
}

// choose makes the statement for a text by its class.
func (s *Session) choose(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	if c.Wrong != nil {
		return nil, c.Wrong
	}
	switch c.Kind {
	case sqlfront.ClassBegin, sqlfront.ClassCommit, sqlfront.ClassRollback:
		return s.prepareTransaction(c, p.sql), nil
	case sqlfront.ClassRole:
		return s.prepareRole(c.Role)
	case sqlfront.ClassSavepoint, sqlfront.ClassRelease, sqlfront.ClassRollbackTo:
		return s.prepareSavepoint(c), nil
	case sqlfront.ClassTwoPhase, sqlfront.ClassListen, sqlfront.ClassNotify:
		return nil, errMissing(c)
	case sqlfront.ClassConstraints: // all are checked at once
		return &utility{keeps: true, run: func(context.Context) (string, error) { return "SET CONSTRAINTS", nil }}, nil
	case sqlfront.ClassUnlisten:
		return &utility{keeps: true, run: func(context.Context) (string, error) { return "UNLISTEN", nil }}, nil
	case sqlfront.ClassReindex:
		return &utility{keeps: true, run: func(context.Context) (string, error) { return "REINDEX", nil }}, nil
	case sqlfront.ClassLock:
		return s.prepareLock(c)
	case sqlfront.ClassOwner:
		return prepareOwner(c)
	case sqlfront.ClassExtension:
		return &utility{keeps: true, run: func(context.Context) (string, error) {
			s.tell("42710", fmt.Sprintf("extension %q already exists, skipping", c.Name))
			return "CREATE EXTENSION", nil
		}}, nil
	case sqlfront.ClassPrepare:
		return s.preparePrepare(ctx, p)
	case sqlfront.ClassExecute:
		return s.prepareExecute(ctx, p)
	case sqlfront.ClassDeclare:
		return s.prepareDeclare(ctx, p)
	case sqlfront.ClassFetch:
		return s.prepareFetch(c), nil
	case sqlfront.ClassClose:
		return s.prepareClose(c), nil
	case sqlfront.ClassCopy:
		if stmt, err := s.prepareCopy(ctx, p); stmt != nil || err != nil {
			return stmt, err
		}
	case sqlfront.ClassSet, sqlfront.ClassShow, sqlfront.ClassReset, sqlfront.ClassDiscard, sqlfront.ClassDeallocate:
		if stmt := s.prepareSetting(c); stmt != nil {
			return stmt, nil
		}
		if c.Kind == sqlfront.ClassShow && s.isDuckSetting(c.Name) {
			return s.prepareDuckShow(ctx, p)
		}
		if c.Kind == sqlfront.ClassShow {
			return s.prepareShowTable(ctx, p)
		}
	case sqlfront.ClassCreate, sqlfront.ClassAlter, sqlfront.ClassDrop, sqlfront.ClassComment, sqlfront.ClassDelete:
		if stmt, err := s.prepareDefinition(ctx, p); stmt != nil || err != nil {
			return stmt, err
		}
	case sqlfront.ClassPragma:
		if isFixed(c.Name) {
			return nil, errFixed(c.Name)
		}
	case sqlfront.ClassExplain:
		if stmt, err := s.prepareExplain(ctx, p); stmt != nil || err != nil {
			return stmt, err
		}
	case sqlfront.ClassSelect:
		if !c.WritesUnknown && s.settings.backend != DuckDB && !p.aside {
			if d, err := s.takeKept(ctx, p.sql); d != nil || err != nil {
				return d, err
			}
			if r, err := s.prepareRemembered(ctx, p); r != nil || err != nil {
				return r, err
			}
			return s.prepareRouted(ctx, p)
		}
	}
	if mayHost(c) && s.settings.backend != DuckDB {
		if h, _, err := s.prepareHosted(ctx, p, "not a SELECT"); h != nil || err != nil {
			return h, err
		}
	}
	return s.prepareDuck(ctx, p)
}

// prepareDefinition prepares what defines, changes, comments on or drops objects and
// means more to Postgres than to DuckDB, TRUNCATE of several tables included; nil: it is
// as DuckDB has it.
func (s *Session) prepareDefinition(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	switch c.Kind {
	case sqlfront.ClassCreate:
		if err := s.mustHaveSchema(c); err != nil {
			return nil, err
		}
		if stmt, err := s.preparePublic(c); stmt != nil || err != nil {
			return stmt, err
		}
		if stmt, err := s.prepareCreateTable(ctx, p); stmt != nil || err != nil {
			return stmt, err
		}
		if stmt, err := s.prepareCreateIndex(p); stmt != nil || err != nil {
			return stmt, err
		}
		if stmt := s.prepareCreateSequence(p); stmt != nil {
			return stmt, nil
		}
	case sqlfront.ClassAlter:
		// A transaction does not see what is made while it is under way.
		if err := s.engine.readyViews(ctx); err != nil {
			return nil, err
		}
		if stmt := s.prepareAlterSequence(p); stmt != nil {
			return stmt, nil
		}
		if stmt, err := s.prepareAlterTable(ctx, p); stmt != nil || err != nil {
			return stmt, err
		}
		if stmt, err := s.prepareAlterIndex(ctx, p); stmt != nil || err != nil {
			return stmt, err
		}
	case sqlfront.ClassDrop:
		if stmt, err := s.preparePublic(c); stmt != nil || err != nil {
			return stmt, err
		}
		if stmt := s.prepareDropList(p); stmt != nil {
			return stmt, nil
		}
		if stmt := s.prepareDropSequence(p); stmt != nil {
			return stmt, nil
		}
		if stmt, err := s.prepareDropTable(ctx, p); stmt != nil || err != nil {
			return stmt, err
		}
	case sqlfront.ClassComment:
		if stmt, err := s.prepareComment(ctx, p); stmt != nil || err != nil {
			return stmt, err
		}
	case sqlfront.ClassDelete:
		if stmt := s.prepareDropList(p); stmt != nil {
			return stmt, nil
		}
	}
	return nil, nil
}

// Empty reports whether the text held no statement.
func (p *Prepared) Empty() bool { return p.stmt == nil }

// Columns are the result's columns; none when the statement returns no rows.
func (p *Prepared) Columns() []rows.Column {
	if p.stmt == nil {
		return nil
	}
	p.told = true
	return p.cols
}

// Binary reports whether the rows are those of a BINARY cursor, which a simple
// query delivers in the binary format.
func (p *Prepared) Binary() bool {
	f, ok := p.stmt.(*fetch)
	return ok && f.binary
}

// Close frees the statement, when all who hold it have closed it. A Result that it has started goes on.
func (p *Prepared) Close() error {
	switch {
	case p.holders > 0:
		p.holders--
		return nil
	case p.stmt == nil:
		return nil
	}
	return p.stmt.close()
}

// Execute runs the statement. The Result must be closed. A statement without
// rows has run when Execute returns; rows may still fail in Next.
func (p *Prepared) Execute(ctx context.Context, args []Arg) (res *Result, err error) {
	s := p.session
	if p.stmt == nil {
		return &Result{session: s, done: true, out: outcome{affected: -1}}, nil
	}
	n := s.beginNotes(p.sql, p.class)
	n.add(activity.Bind, p.bound)
	p.bound = 0
	started := time.Now()
	begun := &Result{session: s, run: s.startRun(ctx), notes: n}
	defer func() { // after guard
		if err != nil {
			begun.giveUp(err)
		}
	}()
	defer s.guard(&err)
	r := begun.run
	if abandonedKinds[p.class.Kind] {
		r.watch()
	}
	out, err := p.start(r.ctx, args, begun)
	n.statement.Work(time.Since(started))
	if err != nil {
		err = r.explain(s.explainViolation(r.ctx, p.explainReferred(r.ctx, p.place(p.explainKind(r.ctx, err)))))
		if s.refusesSavepoint(p.class, err) {
			err = sqlerr.Harmless(err)
		}
		return nil, s.fail(err)
	}
	r.watch()
	begun.begin(out)
	return begun, nil
}

// abandonedKinds are the statements that are abandoned when they do not stop: they change
// nothing that outlives the transaction.
var abandonedKinds = map[sqlfront.ClassKind]bool{
	sqlfront.ClassSelect: true, sqlfront.ClassExplain: true, sqlfront.ClassShow: true, sqlfront.ClassFetch: true, sqlfront.ClassDeclare: true,
}

// start brings the session into the state the statement needs, and runs it.
func (p *Prepared) start(ctx context.Context, args []Arg, res *Result) (outcome, error) {
	s := p.session
	if err := errors.Join(s.admit(p.class), s.admitWrite(ctx, p.class, p.sql)); err != nil {
		return outcome{}, err
	}
	if err := p.permitAgain(ctx); err != nil {
		return outcome{}, err
	}
	if err := s.detachResult(ctx); err != nil {
		return outcome{}, err
	}
	if !p.keepsStreams() {
		if err := s.detachStream(ctx); err != nil {
			return outcome{}, err
		}
	}
	if !p.isSessions() {
		if err := p.enterAlone(ctx, res); err != nil {
			return outcome{}, err
		}
		if err := s.enter(ctx); err != nil {
			return outcome{}, err
		}
		if err := s.refreshOwn(ctx); err != nil { // once: what is locked is what is written
			return outcome{}, err
		}
	}
	for try := 1; ; try++ {
		pin := s.engine.catalog.Versions.Pin()
		targets, err := s.lockTables(ctx, p)
		if err != nil {
			return outcome{}, err
		}
		out, err := p.startOn(ctx, targets, args, res)
		if again, err := p.again(ctx, res, targets, pin, try, err); !again {
			return out, err
		}
	}
}

// startOn runs the statement, which writes the targets: their tables are locked.
func (p *Prepared) startOn(ctx context.Context, targets catalog.Targets, args []Arg, res *Result) (outcome, error) {
	s := p.session
	if err := p.rebindFor(ctx, args); err != nil {
		return outcome{}, err
	}
	if err := s.protect(ctx, p.class); err != nil {
		return outcome{}, err
	}
	if err := s.admitRedo(ctx, p, args); err != nil {
		return outcome{}, err
	}
	p.announce(targets, res)
	res.after = s.afterEffects(s.acting(p.class))
	s.noted.args, s.noted.types = args, p.stmt.params()
	skips, err := s.skips(ctx, p.class)
	if err != nil {
		return outcome{}, err
	}
	out, err := p.executeBound(ctx, args)
	s.tx.used = s.tx.used || s.tx.status == TxActive && !p.isSessions()
	s.tx.noteAll(s.acting(p.class), p.sql, targets)
	p.told = true // by the result
	if err != nil {
		return out, err
	}
	out.cursor = p.described(out.cursor)
	if skips {
		s.tellSkipped(p.class)
	}
	if s.tx.redo != nil {
		res.redo = s.tx.redo.current
	}
	if s.tx.status == TxActive || out.cursor != nil {
		res.upserts = p.upserts()
		s.tx.upserts = s.tx.upserts || res.upserts && s.tx.status == TxActive
	}
	return out, nil
}

// announce says what the statement is going to write.
func (p *Prepared) announce(targets catalog.Targets, res *Result) {
	s := p.session
	s.intent = nil
	if targets.None() {
		return
	}
	write := s.tx.write
	if s.tx.status != TxActive {
		res.write = s.engine.catalog.Versions.BeginWrite()
		write = res.write
	}
	s.intent = write.Add(targets)
	if kind := s.acting(p.class).Kind; kind == sqlfront.ClassAttach || kind == sqlfront.ClassDetach {
		write.Lasts()
	}
	if res.write != nil {
		res.write.Ending()
	}
}

// executeBound executes the statement, and binds it again where the catalog changed
// before its tables were read; nothing has been written then. Where that happens again
// and again, DuckDB answers, if it may.
func (p *Prepared) executeBound(ctx context.Context, args []Arg) (outcome, error) {
	for try := 1; ; try++ {
		out, err := p.stmt.execute(ctx, args)
		if !errors.Is(err, errMoved) || try == bindTries {
			return out, err
		}
		if r, ok := p.stmt.(*routed); ok && try >= snapshotTries && r.backend == Auto && !sqlfront.HasProgram(p.sql) {
			return r.executeDuck(ctx, args)
		}
		if err := p.rebindFor(ctx, args); err != nil {
			return outcome{}, err
		}
	}
}

// rebindFor is rebind, after which the statement must take the arguments.
func (p *Prepared) rebindFor(ctx context.Context, args []Arg) error {
	if err := p.rebind(ctx); err != nil {
		return err
	}
	if want := len(p.stmt.params()); len(args) != want {
		return sqlerr.New(sqlerr.ProtocolViolation, "bind message supplies %d parameters, but the prepared statement requires %d", len(args), want)
	}
	return p.fit(ctx, args)
}

// isSessions reports whether the session answers the statement itself: it binds
// nothing.
func (p *Prepared) isSessions() bool {
	switch p.stmt.(type) {
	case *utility, *fetch, *showAll:
		return true
	}
	return false
}

// keepsStreams reports whether the statement leaves the stream of a cursor as it is.
func (p *Prepared) keepsStreams() bool {
	switch stmt := p.stmt.(type) {
	case *utility:
		return stmt.keeps
	case *fetch:
		// Another cursor's stream stays, too: only one has the connection, and a FETCH
		// of the others reads what they have kept.
		return true
	}
	return false
}

// rebind binds again when the catalog or the session has changed since; columns of
// which the client has been told must stay.
func (p *Prepared) rebind(ctx context.Context) error {
	s := p.session
	if c, ok := p.stmt.(*catalogStatement); p.stamp == s.stamp() && !(ok && c.text.Session) {
		return nil
	}
	if p.isSessions() {
		return nil
	}
	if err := p.permit(ctx); err != nil { // definitions that it names may be others by now
		return err
	}
	if err := p.spellDatabase(ctx); err != nil { // the session may have temporary objects by now
		return err
	}
	p.setHints(p.given.Declared)
	return p.bindAgain(ctx)
}

// bindAgain binds with other types or to other tables.
func (p *Prepared) bindAgain(ctx context.Context) error {
	old := p.stmt
	p.ungroup()
	if err := p.bindTyped(ctx); err != nil {
		return err
	}
	if err := old.close(); err != nil {
		return err
	}
	if p.told && !sameAsTold(p.cols, p.stmt.columns()) {
		return errOtherResult
	}
	return nil
}

// errOtherResult is the error for a statement that has other columns by now than its client was told.
var errOtherResult = sqlerr.OtherResult()

// duckStatement is a statement that DuckDB answers with the user's own text.
type duckStatement struct {
	session *Session
	stmt    *duckbackend.Stmt // nil: described, and prepared when it is needed
	desc    duckbackend.Description
	class   sqlfront.Class
	sql     string
	updates bool   // it is an UPDATE to the client
	reason  string // why the tensor engine does not answer; empty: it is known at the execution
	// keep: it is kept when it is closed, for as long as stamp holds.
	keep  bool
	stamp stamp
}

// prepareDuck prepares on the session's own connection; DuckDB needs the types
// of parameters that it cannot infer.
func (s *Session) prepareDuck(ctx context.Context, p *Prepared) (statement, error) {
	if p.class.Kind == sqlfront.ClassSelect && makesTables(p.sql) {
		p.class.WritesUnknown, p.class.Schema = true, true
	}
	if err := s.detachOpen(ctx); err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	stmt, err := s.prepareClassed(ctx, p.class, p.sql)
	if err != nil {
		return nil, err
	}
	d := stmt.Describe()
	if d.Kind == duckbackend.KindMulti && p.class.Kind == sqlfront.ClassSelect {
		if d.Columns, err = s.columnsOfSeveral(ctx, p); err != nil {
			return nil, closeAfter(err, stmt.Close)
		}
	}
	if len(d.Params) > 0 || stmt.Unresolved() {
		d, err = stmt.Resolve(ctx, p.hints)
		if err != nil {
			return nil, closeAfter(err, stmt.Close)
		}
	}
	return &duckStatement{session: s, stmt: stmt, desc: d, class: p.class, sql: p.sql, updates: p.updates}, nil
}

func (d *duckStatement) params() []rows.Type    { return d.desc.Params }
func (d *duckStatement) columns() []rows.Column { return d.desc.Columns }

func (d *duckStatement) close() error {
	if d.stmt == nil || d.session.keep(d) {
		return nil
	}
	return d.stmt.Close()
}

func (d *duckStatement) execute(ctx context.Context, args []Arg) (outcome, error) {
	if err := d.refuseProgram(); err != nil {
		return outcome{}, err
	}
	if d.stmt == nil {
		if err := d.session.detachOpen(ctx); err != nil {
			return outcome{}, err
		}
		stmt, err := d.session.prepareClassed(ctx, d.class, d.sql)
		if err != nil {
			return outcome{}, err
		}
		d.stmt = stmt
	}
	bound := make([]duckbackend.Arg, len(args))
	for i, a := range args {
		bound[i] = duckbackend.Arg{Type: d.desc.Params[i], Null: a.Null, Text: a.Text}
	}
	if len(d.desc.Columns) > 0 && upserts(d.class, d.sql) {
		d.stmt.CommitAtOnce()
	}
	d.session.noted.answered(DuckDB, d.reason)
	d.session.intent.Begin()
	cursor, err := d.stmt.Execute(ctx, bound)
	if err != nil {
		return outcome{}, err
	}
	class := d.class
	if class.Kind != sqlfront.ClassShow {
		d.session.lastBackend = DuckDB.String()
	}
	out := commandTag(class, d.sql)
	if d.updates {
		out.tag = "UPDATE"
	}
	out.cursor = cursor
	if len(cursor.Columns()) == 0 && out.countRows {
		out.affected, out.countRows = cursor.Changed(), false
	}
	return out, nil
}

// commandTag is the command tag as Postgres gives it; countRows says that a
// count belongs to it.
func commandTag(c sqlfront.Class, sql string) outcome {
	out := outcome{affected: -1}
	switch c.Kind {
	case sqlfront.ClassSelect:
		out.tag, out.countRows = "SELECT", true
	case sqlfront.ClassInsert:
		out.tag, out.countRows = "INSERT 0", true
	case sqlfront.ClassUpdate:
		out.tag, out.countRows = "UPDATE", true
	case sqlfront.ClassMerge:
		out.tag, out.countRows = "MERGE", true
	case sqlfront.ClassCopy:
		out.tag, out.countRows = "COPY", true
	case sqlfront.ClassDelete:
		out.tag, out.countRows = "DELETE", true
		if firstWord(sql) == "TRUNCATE" {
			out.tag, out.countRows = "TRUNCATE TABLE", false
		}
	case sqlfront.ClassCreate, sqlfront.ClassDrop, sqlfront.ClassAlter:
		out.tag = firstWord(sql) + " " + strings.ToUpper(c.Object)
	default:
		out.tag = firstWord(sql)
	}
	return out
}

func firstWord(sql string) string {
	end := strings.IndexFunc(sql, func(r rune) bool { return r < 'A' || r > 'Z' && r < 'a' || r > 'z' })
	if end < 0 {
		end = len(sql)
	}
	return strings.ToUpper(sql[:end])
}
