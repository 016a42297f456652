package duckbackend

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Stmt is a prepared statement of a Conn.
type Stmt struct {
	conn *Conn
	sql  string
	// handle is unset when the text expands into several statements (PIVOT):
	// the later ones can be prepared only after the earlier ones have run.
	handle bindings.PreparedStatement
	desc   Description
	// unresolved: DuckDB could not type a parameter, so it knows no column either.
	unresolved bool
	// numbers are the parameters in the order of DuckDB's, where the text leaves some
	// out (denseParams).
	numbers []int
	// indexes are DuckDB's of the parameters, in the order of numbers; 0: it has none.
	indexes []bindings.IdxT
	// refused is DuckDB's error where the text has a parameter in a place that takes none: it
	// is prepared when the values are known.
	refused error
	// described are the columns of such a statement, as it was described last.
	described []rows.Column
	// admit refuses kinds of statement; nil: all may run.
	admit  func(StatementKind) error
	closed bool
	// atOnce: CommitAtOnce.
	atOnce bool
	// executed: the plan was once at least, and once says that it is good for no more.
	executed, once bool
	// place is where the plan stands among those of the connection, and bytes what it holds; nil: there
	// is none. unplanned: it was given up.
	place     *list.Element
	bytes     int64
	unplanned bool
	// left is what a plan held after an execution, if that is so little that it stays.
	left  int64
	stays bool
}

// Prepare prepares one statement without running it. A statement that DuckDB
// expands into several, such as PIVOT, has KindMulti and no columns until it is
// executed.
func (c *Conn) Prepare(ctx context.Context, sql string) (*Stmt, error) {
	return c.PrepareAs(ctx, sql, nil)
}

// PrepareAs is Prepare of a text that is to be of certain kinds: admit has the error
// for others. It is asked for every statement that DuckDB makes of the text before
// that one runs; of a text of KindMulti that is when it is executed.
func (c *Conn) PrepareAs(ctx context.Context, sql string, admit func(StatementKind) error) (*Stmt, error) {
	if err := checkText(sql); err != nil {
		return nil, err
	}
	s := &Stmt{conn: c, sql: sql, admit: admit}
	_, err := c.runReadingIdle(ctx, func() error {
		if err := s.prepare(sql); err != nil {
			return err
		}
		c.statements[s] = true
		return nil
	})
	switch {
	case takesNoParameter(err, sql):
		s.awaitValues(notPrepared(err, sql))
	case err != nil:
		s.destroy()
		return nil, notPrepared(err, sql)
	}
	return s, nil
}

// NotPrepared is the cause of the error of a statement that DuckDB did not even
// prepare: no row has raised it.
type NotPrepared struct{ SQL string }

// Error returns what is common to all of them.
func (e *NotPrepared) Error() string { return "DuckDB did not prepare a statement" }

func notPrepared(err error, sql string) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Err != nil {
		return err
	}
	c := *e
	c.Err = &NotPrepared{SQL: sql}
	return &c
}

// prepare takes a new plan in the place of the one it has, which it keeps where there is an
// error.
func (s *Stmt) prepare(sql string) error {
	sql, s.numbers = denseParams(sql)
	var extracted bindings.ExtractedStatements
	defer bindings.DestroyExtracted(&extracted)
	n, err := s.extract(sql, &extracted)
	if err != nil {
		return err
	}
	if n > 1 {
		s.desc = Description{Kind: KindMulti}
		return nil
	}
	var handle bindings.PreparedStatement
	var once bool
	bytes, err := measured(func() (err error) {
		once, err = planning(func() error { return s.conn.prepareOne(extracted, 0, &handle, s.admit) })
		return err
	})
	if err != nil {
		bindings.DestroyPrepare(&handle)
		return err
	}
	s.destroy()
	s.handle, s.once, s.executed, s.unplanned = handle, once, false, false
	s.hold(bytes)
	s.desc = s.describe()
	return nil
}

// extract cuts a text into DuckDB's statements, of which there is at least one.
func (s *Stmt) extract(sql string, extracted *bindings.ExtractedStatements) (bindings.IdxT, error) {
	n := bindings.ExtractStatements(s.conn.handle, sql, extracted)
	if n > 0 {
		return n, nil
	}
	if text := bindings.ExtractStatementsError(*extracted); text != "" {
		return 0, duckError(text)
	}
	return 0, sqlerr.New(sqlerr.SyntaxError, "empty statement")
}

// prepareOne prepares the i-th of some statements, if its kind is admitted.
func (c *Conn) prepareOne(extracted bindings.ExtractedStatements, i bindings.IdxT, handle *bindings.PreparedStatement, admit func(StatementKind) error) error {
	err := binding(func() error {
		if bindings.PrepareExtractedStatement(c.handle, extracted, i, handle) == bindings.StateError {
			return duckError(bindings.PrepareError(*handle))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if admit == nil {
		return nil
	}
	return admit(kinds[bindings.PreparedStatementType(*handle)])
}

func (s *Stmt) destroy() {
	s.release()
	if s.handle.Ptr != nil {
		bindings.DestroyPrepare(&s.handle)
	}
}

// Describe returns kind, columns and parameter types of the statement. Where
// DuckDB cannot resolve a parameter, it knows neither columns nor types:
// Conn.Describe does better.
func (s *Stmt) Describe() Description { return s.desc }

// Close frees the statement.
func (s *Stmt) Close() error {
	s.conn.use.Lock()
	defer s.conn.use.Unlock()
	if !s.closed {
		s.closed = true
		delete(s.conn.statements, s)
		s.destroy()
	}
	return nil
}

func (s *Stmt) describe() Description {
	d := Description{Kind: kinds[bindings.PreparedStatementType(s.handle)]}
	for i := range bindings.PreparedStatementColumnCount(s.handle) {
		t := newDuckType(bindings.PreparedStatementColumnLogicalType(s.handle, i))
		d.Columns = append(d.Columns, rows.Column{Name: bindings.PreparedStatementColumnName(s.handle, i), Type: t.sql})
		t.close()
	}
	s.unresolved = unresolved(d.Columns)
	if s.unresolved || deliversNothing(d, s.sql) {
		d.Columns = nil
	}
	found, want := 0, int(bindings.NParams(s.handle))
	s.indexes = s.findIndexes(want)
	for n := 1; found < want && n <= maxParam; n++ {
		t := rows.Type{}
		if index, ok := s.paramIndex(n); ok {
			found++
			if bindings.ParamType(s.handle, index) != bindings.TypeInvalid {
				dt := newDuckType(bindings.ParamLogicalType(s.handle, index))
				t = dt.sql
				dt.close()
			}
		}
		d.Params = append(d.Params, t)
	}
	return d
}

// paramIndex is DuckDB's index of parameter $n; false: the text does not use it.
func (s *Stmt) paramIndex(n int) (index bindings.IdxT, ok bool) {
	if s.numbers != nil {
		at, found := slices.BinarySearch(s.numbers, n)
		if !found {
			return 0, false
		}
		n = at + 1
	}
	if n > len(s.indexes) {
		return 0, false
	}
	return s.indexes[n-1], s.indexes[n-1] > 0
}

// findIndexes finds DuckDB's indexes of so many parameters by their names, which are
// numbers. The other way, from a name to its index, takes DuckDB ten times as long: a
// minute for the 65,535 that a statement may have.
func (s *Stmt) findIndexes(n int) []bindings.IdxT {
	indexes := make([]bindings.IdxT, n)
	for i := range indexes {
		index := bindings.IdxT(i + 1)
		if number, err := strconv.Atoi(bindings.ParameterName(s.handle, index)); err == nil && number >= 1 && number <= n {
			indexes[number-1] = index
		}
	}
	return indexes
}

// maxParam is the largest parameter number of the wire protocol.
const maxParam = 1<<16 - 1

// Unresolved reports whether DuckDB knows no columns, because it could not type a
// parameter: also one with a cast, where it stands in a list or among arguments of
// any type.
func (s *Stmt) Unresolved() bool { return s.unresolved }

// unresolved reports DuckDB's answer for a statement whose parameters it cannot type.
func unresolved(columns []rows.Column) bool {
	return len(columns) == 1 && columns[0].Name == "unknown" && columns[0].Type.ID == rows.Invalid
}

// mayReturn reports whether a text has the word RETURNING anywhere.
func mayReturn(sql string) bool {
	const word = "returning"
	for i := 0; i+len(word) <= len(sql); i++ {
		if (sql[i] == 'r' || sql[i] == 'R') && strings.EqualFold(sql[i:i+len(word)], word) &&
			(i == 0 || !isWordByte(sql[i-1])) && (i+len(word) == len(sql) || !isWordByte(sql[i+len(word)])) {
			return true
		}
	}
	return false
}

// deliversNothing reports whether the columns DuckDB describes are only its own
// bookkeeping: Count of changed rows, or Success.
func deliversNothing(d Description, sql string) bool {
	if len(d.Columns) != 1 {
		return false
	}
	col := d.Columns[0]
	bookkeeping := col == rows.Column{Name: "Count", Type: rows.Type{ID: rows.BigInt}} ||
		col == rows.Column{Name: "Success", Type: rows.Type{ID: rows.Boolean}}
	switch d.Kind {
	case KindSelect, KindExplain, KindPragma:
		return false
	case KindCall: // CHECKPOINT is one
		return bookkeeping && col.Name == "Success"
	case KindInsert, KindUpdate, KindDelete, KindMerge, KindOther:
		return bookkeeping && !mayReturn(sql)
	default:
		return bookkeeping
	}
}

// kinds are DuckDB's types of statements; what is missing is KindOther.
var kinds = map[bindings.StatementType]StatementKind{
	bindings.StatementTypeSelect: KindSelect, bindings.StatementTypeRelation: KindSelect,
	bindings.StatementTypeInsert: KindInsert, bindings.StatementTypeUpdate: KindUpdate, bindings.StatementTypeDelete: KindDelete,
	bindings.StatementTypeMergeInto: KindMerge, bindings.StatementTypeExplain: KindExplain,
	bindings.StatementTypeCreate: KindCreate, bindings.StatementTypeCreateFunc: KindCreate,
	bindings.StatementTypeDrop: KindDrop, bindings.StatementTypeAlter: KindAlter,
	bindings.StatementTypeCopy: KindCopy, bindings.StatementTypeCopyDatabase: KindCopyDatabase, bindings.StatementTypeExport: KindExport,
	bindings.StatementTypeTransaction: KindTransaction, bindings.StatementTypePragma: KindPragma,
	bindings.StatementTypeVariableSet: KindSet, bindings.StatementTypeSet: KindSet,
	bindings.StatementTypeAttach: KindAttach, bindings.StatementTypeDetach: KindDetach, bindings.StatementTypeCall: KindCall,
	bindings.StatementTypePrepare: KindPrepare, bindings.StatementTypeExecute: KindExecute,
	bindings.StatementTypeVacuum: KindVacuum, bindings.StatementTypeAnalyze: KindVacuum, bindings.StatementTypeLoad: KindLoad,
	bindings.StatementTypeMulti: KindMulti,
}

// Execute runs the statement. A SELECT is streamed; everything else is complete
// when Execute returns. Each argument is cast from its text to its type (when
// that is Invalid to the parameter's) by DuckDB's rules; text that does not fit
// is 22P02 or 22003.
func (s *Stmt) Execute(ctx context.Context, args []Arg) (*Cursor, error) {
	if s.refused != nil {
		return s.executeValued(ctx, args)
	}
	cur := &Cursor{conn: s.conn, kind: s.desc.Kind, of: s, began: time.Now()}
	if s.desc.Kind == KindSelect {
		cur.explain = func(c *Conn) error { return s.executeAgain(c, args) }
	}
	run := s.conn.runIdle
	if s.desc.Kind == KindSelect {
		run = s.conn.runReadingIdle
	}
	interrupted, err := run(ctx, func() error {
		if s.closed {
			return sqlerr.New(sqlerr.UndefinedPrepared, "the statement is closed")
		}
		if err := s.fresh(); err != nil {
			return err
		}
		if err := s.bind(args); err != nil {
			return err
		}
		s.executed = true
		if err := s.start(cur); err != nil {
			return err
		}
		return cur.open()
	})
	if err == nil && interrupted && cur.streaming {
		err = errInterrupted()
		if cause := canceled(ctx); cause != nil {
			err = cause
		}
	}
	if err != nil {
		cur.discard()
		if takesNoParameter(err, s.sql) {
			s.awaitValues(notPrepared(err, s.sql))
			return s.executeValued(ctx, args)
		}
		return nil, err
	}
	return cur, nil
}

// start executes into cur.res.
func (s *Stmt) start(cur *Cursor) error {
	if s.handle.Ptr == nil {
		return s.startAll(cur)
	}
	state := bindings.StateError
	if s.desc.Kind == KindSelect {
		var pending bindings.PendingResult
		defer bindings.DestroyPending(&pending)
		if bindings.PendingPreparedStreaming(s.handle, &pending) == bindings.StateError {
			return duckError(bindings.PendingError(pending))
		}
		s.conn.streaming(func() { state = bindings.ExecutePending(pending, &cur.res) })
	} else {
		state = s.executeWhole(cur)
	}
	cur.hasResult = true
	if state == bindings.StateError {
		return duckError(bindings.ResultError(&cur.res))
	}
	return nil
}

// startAll executes the statements that DuckDB makes of one, such as PIVOT; cur.res is
// the result of the last that is not of the frame that it may put around them.
func (s *Stmt) startAll(cur *Cursor) error {
	var extracted bindings.ExtractedStatements
	defer bindings.DestroyExtracted(&extracted)
	n, err := s.extract(s.sql, &extracted)
	if err != nil {
		return err
	}
	main, began := n-1, false // the statement that was written comes last, but for the end of a frame
	for i := range n {
		admit := s.admit
		if i != main {
			admit = s.admitAround
		}
		kind, err := s.startOne(cur, extracted, i, admit)
		if err != nil {
			if began {
				if again := s.conn.query("ROLLBACK"); again != nil && !IsNoTransaction(again) {
					err = errors.Join(err, again)
				}
			}
			return err
		}
		if i == 0 && frames(kind) {
			main, began = n-2, kind == KindTransaction
		}
	}
	return nil
}

// frames reports whether DuckDB begins and ends several statements for one by this
// kind: BEGIN and COMMIT, or inside a transaction SET of what an error does to it.
func frames(k StatementKind) bool { return k == KindTransaction || k == KindSet }

// admitAround admits what DuckDB puts around a statement: the frame, and a type for the
// columns of PIVOT.
func (s *Stmt) admitAround(k StatementKind) error {
	if k == KindCreate || frames(k) || s.admit == nil {
		return nil
	}
	return s.admit(k)
}

func (s *Stmt) startOne(cur *Cursor, extracted bindings.ExtractedStatements, i bindings.IdxT, admit func(StatementKind) error) (StatementKind, error) {
	var handle bindings.PreparedStatement
	defer bindings.DestroyPrepare(&handle)
	if err := s.conn.prepareOne(extracted, i, &handle, admit); err != nil {
		return KindOther, err
	}
	kind := kinds[bindings.PreparedStatementType(handle)]
	var res bindings.Result
	if bindings.ExecutePrepared(handle, &res) == bindings.StateError {
		defer bindings.DestroyResult(&res)
		return kind, duckError(bindings.ResultError(&res))
	}
	if frames(kind) && cur.hasResult {
		bindings.DestroyResult(&res)
		return kind, nil
	}
	if cur.hasResult {
		bindings.DestroyResult(&cur.res)
	}
	cur.res, cur.hasResult = res, true
	return kind, nil
}
