package pgwire

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// fakeHandler is a Handler whose statements are a small command language:
//
//	rows N             N rows (i bigint, s varchar)
//	echo TYPE ...      one row of the parameters, each a column of the type
//	values NAME        a result of the test's own
//	run TAG            a statement without rows and without a count
//	count N TAG        a statement without rows that affected N
//	begin | commit | rollback
//	error CODE OFFSET TEXT | errorafter N    at once, or after N rows
//	wait | waitafter N  block until cancelled
//	stuck               block until the test ends it, whoever cancels
//	panic | notice TEXT | set NAME VALUE | trace
//
// A session records what is done to it; trace returns the record and clears it.
type fakeHandler struct {
	results  map[string]fakeResult
	sessions atomic.Int64 // open ones
	cursors  atomic.Int64 // open Results
	stmts    atomic.Int64 // open Statements
	waiting  chan struct{}
	unstick  chan struct{}
	lastOpen atomic.Pointer[StartupParams]
	// brief: no result is long, and a wait ends at once as if it had been cancelled.
	brief bool
}

// briefRows is the longest result of a brief handler.
const briefRows = 2*fakeBatchRows + 1

// length is the number of rows of a result that is to have n.
func (h *fakeHandler) length(n int) int {
	if h.brief {
		return min(n, briefRows)
	}
	return n
}

type fakeResult struct {
	cols    []rows.Column
	batches []*rows.Batch
}

func newFake() *fakeHandler {
	return &fakeHandler{results: map[string]fakeResult{}, waiting: make(chan struct{}, 1000), unstick: make(chan struct{})}
}

func (h *fakeHandler) Open(_ context.Context, p StartupParams) (Session, error) {
	if p.Database == "missing" {
		return nil, sqlerr.New(sqlerr.InvalidCatalogName, "database %q does not exist", p.Database)
	}
	h.lastOpen.Store(&p)
	h.sessions.Add(1)
	return &fakeSession{h: h, status: TxIdle, params: map[string]string{"TimeZone": "UTC"}, stop: make(chan struct{})}, nil
}

type fakeSession struct {
	h        *fakeHandler
	status   TxStatus
	implicit bool
	open     *fakeCursor
	params   map[string]string
	notices  []Notice
	log      []string

	mu   sync.Mutex
	stop chan struct{} // closed by Cancel
}

func (s *fakeSession) Split(sql string) ([]Span, error) {
	var out []Span
	start := 0
	for _, t := range strings.Split(sql, ";") {
		if text := strings.TrimSpace(t); text != "" {
			at := start + strings.Index(t, text)
			out = append(out, Span{at, at + len(text)})
		}
		start += len(t) + 1
	}
	if strings.Contains(sql, "unterminated") {
		return nil, sqlerr.At(sqlerr.SyntaxError, strings.Index(sql, "'"), "unterminated quoted string")
	}
	return out, nil
}

func (s *fakeSession) BeginImplicit(context.Context) error {
	s.mustBeFree("BeginImplicit")
	if s.status == TxIdle && !s.implicit {
		s.implicit = true
		s.log = append(s.log, "begin-implicit")
	}
	return nil
}

func (s *fakeSession) EndImplicit(_ context.Context, ok bool) error {
	s.mustBeFree("EndImplicit")
	if s.implicit {
		s.implicit = false
		s.log = append(s.log, fmt.Sprintf("end-implicit(%v)", ok))
	}
	return nil
}

func (s *fakeSession) mustBeFree(what string) {
	if s.open != nil {
		panic("fake: " + what + " while a Result is open")
	}
}

func (s *fakeSession) TxStatus() TxStatus {
	if s.implicit {
		return TxActive
	}
	return s.status
}

func (s *fakeSession) FailTransaction() { s.status = TxFailed }

func (s *fakeSession) Parameters() map[string]string {
	p := s.params
	s.params = nil
	return p
}

func (s *fakeSession) Notices() []Notice {
	n := s.notices
	s.notices = nil
	return n
}

func (s *fakeSession) Cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
}

func (s *fakeSession) Close() error {
	s.mustBeFree("Close")
	s.h.sessions.Add(-1)
	return nil
}

var echoTypes = map[string]rows.Type{
	"bool": {ID: rows.Boolean}, "int2": {ID: rows.SmallInt}, "int4": {ID: rows.Integer}, "int8": {ID: rows.BigInt},
	"float8": {ID: rows.Double}, "text": {ID: rows.Varchar}, "bytea": {ID: rows.Blob}, "date": {ID: rows.Date},
	"timestamp": {ID: rows.Timestamp}, "timestamptz": {ID: rows.TimestampTZ}, "uuid": {ID: rows.UUID},
	"numeric": {ID: rows.HugeInt}, "interval": {ID: rows.Interval}, "?": {},
}

func (s *fakeSession) Prepare(_ context.Context, sql string, paramTypes []rows.Type) (Statement, error) {
	s.mustBeFree("Prepare")
	f := strings.Fields(sql)
	st := &fakeStatement{s: s, words: f}
	if len(f) == 0 {
		st.empty = true
		s.h.stmts.Add(1)
		return st, nil
	}
	f[0] = strings.ToLower(f[0])
	text := rows.Type{ID: rows.Varchar}
	switch f[0] {
	case "rows", "waitafter", "errorafter":
		st.cols = []rows.Column{{Name: "i", Type: rows.Type{ID: rows.BigInt}}, {Name: "s", Type: text}}
	case "trace":
		st.cols = []rows.Column{{Name: "trace", Type: text}}
	case "echo":
		for i, w := range f[1:] {
			t := echoTypes[w]
			if i < len(paramTypes) && paramTypes[i].ID != rows.Invalid {
				t = paramTypes[i]
			}
			st.params = append(st.params, t)
			st.cols = append(st.cols, rows.Column{Name: w, Type: text})
		}
	case "values":
		st.cols = s.h.results[f[1]].cols
	case "syntax":
		return nil, sqlerr.At(sqlerr.SyntaxError, len(sql)-len(f[len(f)-1]), "syntax error at %q", f[len(f)-1]).WithHint("try harder")
	}
	s.h.stmts.Add(1)
	return st, nil
}

type fakeStatement struct {
	s      *fakeSession
	words  []string
	params []rows.Type
	cols   []rows.Column
	empty  bool
	closed bool
}

func (st *fakeStatement) Params() []rows.Type    { return st.params }
func (st *fakeStatement) Columns() []rows.Column { return st.cols }
func (st *fakeStatement) Empty() bool            { return st.empty }

func (st *fakeStatement) Close() error {
	if st.closed {
		panic("fake: statement closed twice")
	}
	st.closed = true
	st.s.h.stmts.Add(-1)
	return nil
}

// Execute starts the command. A failed transaction takes only its end.
func (st *fakeStatement) Execute(ctx context.Context, args []Value) (Result, error) {
	s, f := st.s, st.words
	s.mustBeFree("Execute")
	if st.closed {
		panic("fake: closed statement executed")
	}
	s.mu.Lock()
	s.stop = make(chan struct{})
	s.mu.Unlock()
	if f[0] != "trace" {
		s.log = append(s.log, strings.Join(f, " "))
	}
	if s.status == TxFailed && f[0] != "rollback" && f[0] != "commit" {
		return nil, sqlerr.New(sqlerr.FailedTransaction, "current transaction is aborted")
	}
	r := &fakeCursor{s: s, cols: st.cols, affected: -1, tag: strings.ToUpper(f[0])}
	if err := st.begin(ctx, r, args); err != nil {
		return nil, s.failed(err)
	}
	s.open = r
	s.h.cursors.Add(1)
	return r, nil
}

func (s *fakeSession) failed(err error) error {
	if s.status == TxActive {
		s.status = TxFailed
	}
	return err
}

func (st *fakeStatement) begin(ctx context.Context, r *fakeCursor, args []Value) error {
	s, f := st.s, st.words
	number := func() int {
		n, err := strconv.Atoi(f[1])
		if err != nil {
			panic(err)
		}
		return n
	}
	switch f[0] {
	case "rows":
		n := s.h.length(number())
		r.generate, r.tag, r.affected = n, "SELECT", int64(n)
	case "waitafter":
		r.generate, r.wait = s.h.length(number()), true
	case "errorafter":
		r.generate, r.err = s.h.length(number()), sqlerr.New(sqlerr.DivisionByZero, "division by zero")
	case "wait":
		return s.wait(ctx)
	case "stuck":
		s.h.waiting <- struct{}{}
		<-s.h.unstick
	case "trace":
		r.batches, r.tag, r.affected = []*rows.Batch{textBatch(s.log)}, "SELECT", int64(len(s.log))
		s.log = nil
	case "echo":
		b := &rows.Batch{N: 1, Cols: make([]rows.Vector, len(args))}
		for i, a := range args {
			b.Cols[i] = rows.Vector{Type: st.cols[i].Type, Str: []string{a.Text}}
			if a.Null {
				b.Cols[i].SetNull(0, 1)
			}
		}
		r.batches, r.tag, r.affected = []*rows.Batch{b}, "SELECT", 1
	case "values":
		res := s.h.results[f[1]]
		r.cols, r.batches, r.tag, r.affected = res.cols, res.batches, "SELECT", 0
		for _, b := range res.batches {
			r.affected += int64(b.N)
		}
	case "count":
		r.tag, r.affected = strings.Join(f[2:], " "), int64(number())
	case "run":
		r.tag = strings.Join(f[1:], " ")
	case "begin":
		s.status, s.implicit = TxActive, false
	case "commit", "rollback":
		if s.status == TxFailed {
			r.tag = "ROLLBACK"
		}
		s.status, s.implicit = TxIdle, false
	case "error":
		offset, err := strconv.Atoi(f[2])
		if err != nil {
			return err
		}
		return sqlerr.At(f[1], offset, "%s", strings.Join(f[3:], " "))
	case "panic":
		panic("fake: asked to panic")
	case "notice":
		s.notices = append(s.notices, Notice{Severity: "NOTICE", Code: "00000", Message: strings.Join(f[1:], " ")})
	case "set":
		s.params = map[string]string{f[1]: f[2]}
	default:
		return sqlerr.At(sqlerr.SyntaxError, 0, "syntax error at or near %q", f[0])
	}
	return nil
}

func textBatch(text []string) *rows.Batch {
	return &rows.Batch{N: len(text), Cols: []rows.Vector{{Type: rows.Type{ID: rows.Varchar}, Str: text}}}
}

// wait blocks until the statement is cancelled, and answers as a session does.
func (s *fakeSession) wait(ctx context.Context) error {
	s.mu.Lock()
	stop := s.stop
	s.mu.Unlock()
	if s.h.brief {
		return sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
	}
	s.h.waiting <- struct{}{}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-stop:
		return sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
	}
}

type fakeCursor struct {
	s        *fakeSession
	cols     []rows.Column
	batches  []*rows.Batch
	generate int // rows still to be made
	made     int
	wait     bool
	err      error
	tag      string
	affected int64
	batch    rows.Batch
	closed   bool
}

func (r *fakeCursor) Columns() []rows.Column { return r.cols }
func (r *fakeCursor) Tag() (string, int64)   { return r.tag, r.affected }
func (r *fakeCursor) Abandon(error) error    { return r.Close() }

func (r *fakeCursor) Close() error {
	if !r.closed {
		r.closed = true
		r.s.open = nil
		r.s.h.cursors.Add(-1)
	}
	return nil
}

// fakeBatchRows is the batch size of generated rows.
const fakeBatchRows = 2048

func (r *fakeCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if r.closed {
		return nil, errors.New("fake: Next after Close")
	}
	if err := ctx.Err(); err != nil {
		return nil, r.s.failed(err)
	}
	if r.made < r.generate {
		return r.fill(min(fakeBatchRows, r.generate-r.made)), nil
	}
	switch {
	case r.wait:
		return nil, r.s.failed(r.s.wait(ctx))
	case r.err != nil:
		return nil, r.s.failed(r.err)
	case len(r.batches) == 0 || r.batches[0].N == 0:
		return nil, nil
	}
	b := r.batches[0]
	r.batches = r.batches[1:]
	return b, nil
}

// fill overwrites the batch given out before, as real cursors do.
func (r *fakeCursor) fill(n int) *rows.Batch {
	if r.batch.Cols == nil {
		r.batch.Cols = []rows.Vector{
			{Type: r.cols[0].Type, I64: make([]int64, fakeBatchRows)},
			{Type: r.cols[1].Type, Str: make([]string, fakeBatchRows)},
		}
	}
	r.batch.N = n
	for i := range n {
		r.batch.Cols[0].I64[i] = int64(r.made)
		r.batch.Cols[1].Str[i] = "row"
		r.made++
	}
	return &r.batch
}
