package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// recursion is a recursive common table expression that is answered by iteration:
// every step is a program of its own over the loaded tables and the rows that the
// step before has found, planned for as many rows as these are.
type recursion struct {
	base, step *tensorSelect // columns of the rows; then, where counted, how often each occurs
	columns    []rows.Column
	distinct   bool
	counted    bool // of step; of base unless distinct
	// narrow are the columns of integers that are wider in step: a value that does
	// not fit is an error of DuckDB's.
	narrow []int
	// key are the columns of USING KEY, filter what was taken from the step that reads
	// all rows so far.
	key    []int
	filter *keyFilter
	// first keeps the rows to begin with that are the same always; nil: they may not
	// be.
	first *atomic.Pointer[rows.Batch]
}

// recursive analyzes a recursion; nil: it is refused.
func (h *hosted) recursive(ctx context.Context, r *sqlfront.Recursion) (*recursion, error) {
	d, err := h.session.Describe(ctx, r.Whole, h.duck.desc.Params)
	if err != nil {
		return nil, onlyFatal(ctx, err)
	}
	for _, c := range d.Columns {
		if !comparable(c.Type) || mergesValues(c.Type, !r.Distinct) {
			return nil, nil
		}
	}
	out := &recursion{columns: d.Columns, distinct: r.Distinct}
	if text := r.Constants(); text != "" {
		out.base, err = h.constants(ctx, text, d.Columns)
		if r.Literal() {
			out.first = new(atomic.Pointer[rows.Batch])
		}
	} else {
		out.base, err = h.counted(ctx, sqlfront.Held{SQL: r.Base(d.Columns)}, d.Columns)
	}
	if out.base == nil {
		return nil, err
	}
	if err = h.step(ctx, r, out); out.step == nil {
		return nil, err
	}
	for i, c := range d.Columns {
		if have := out.step.desc.Columns[i].Type; have != c.Type && !widens(have, c.Type) {
			out.narrow = append(out.narrow, i)
		}
	}
	if out.step.query.Memory()&sqlfront.WorkingTable == 0 || r.Key != nil && !out.keyed(r.Key) {
		return nil, nil
	}
	if early, err := h.endsEarly(ctx); r.Key == nil && early || err != nil {
		return nil, err
	}
	return out, nil
}

// constants is a base of constants, which DuckDB evaluates: it has no query.
func (h *hosted) constants(ctx context.Context, sql string, columns []rows.Column) (*tensorSelect, error) {
	d, err := h.session.Describe(ctx, sql, h.duck.desc.Params)
	if err != nil || len(d.Columns) != len(columns) {
		return nil, onlyFatal(ctx, err)
	}
	for i, c := range columns {
		if have := d.Columns[i].Type; have != c.Type && !widens(have, c.Type) {
			return nil, nil
		}
	}
	d.Params = h.duck.desc.Params
	return &tensorSelect{route: h.route, sql: sql, desc: d}, nil
}

// step analyzes a step: groups as they are, which the program then computes, other
// rows grouped by all their columns.
func (h *hosted) step(ctx context.Context, r *sqlfront.Recursion, out *recursion) (err error) {
	out.step, err = h.counted(ctx, r.StepAsIs(out.columns), out.columns)
	if err != nil {
		return err
	}
	if q := out.step; q != nil && q.query.Grouped && q.query.SetOp == sqlfront.NoSetOp {
		return nil
	}
	out.counted = !r.Distinct
	out.step, err = h.counted(ctx, r.Step(out.columns), out.columns)
	return err
}

// counted analyzes base or step, whose columns have to be those of the whole.
func (h *hosted) counted(ctx context.Context, held sqlfront.Held, columns []rows.Column) (*tensorSelect, error) {
	sel, err := h.analyzedHeld(ctx, held)
	if sel == nil || err != nil {
		return nil, err
	}
	if len(sel.desc.Columns) < len(columns) {
		return nil, nil
	}
	for i, c := range columns {
		if have := sel.desc.Columns[i].Type; have != c.Type && !(integral(have) && integral(c.Type)) {
			return nil, nil // DuckDB casts
		}
	}
	return sel, nil
}

// fits fails where a value of rows is none of its column's type, or NULL in a
// column that was taken to have none.
func (s *stateRun) fits(found *stateRows) error {
	v := stateView{stateRows: found, domains: s.state}
	for _, c := range s.working.asked {
		if null, ok := s.state[c].Values().Null(); ok && slices.Contains(found.coords[c], null) {
			return errNulls
		}
	}
	for _, c := range s.of.narrow {
		bits := integerBits[s.of.columns[c].Type.ID]
		values := v.column(c)
		for i, x := range values.values {
			if top := x >> (bits - 1); top != 0 && top != -1 && !values.null(i) {
				return errNoState
			}
		}
	}
	return nil
}

// widens reports whether values of a type are values of another as they are.
func widens(from, to rows.Type) bool {
	return integral(from) && integral(to) && from.ID < to.ID
}

// comparable reports whether equal values of a type are known by their vectors.
func comparable(t rows.Type) bool {
	switch t.Physical() {
	case rows.PhysInt64, rows.PhysInt128, rows.PhysFloat64:
		return true
	}
	return t.ID == rows.Varchar
}

// workingTable is the rows that the step at hand reads.
type workingTable struct {
	batches []*rows.Batch
	columns []rows.Column
	// all gives all rows so far.
	all func() []*rows.Batch
	// without are the relations whose columns are taken to have no NULL, asked the
	// columns of which that was used.
	without []load.Table
	asked   []int
}

// noNull reports whether an expression is taken to have no NULL.
func (w *workingTable) noNull(t load.Table, expr string) bool {
	if w == nil || !slices.Contains(w.without, t) {
		return false
	}
	e := parseState(expr, w.columns)
	if e == nil || !e.strictly() {
		return false
	}
	w.asked = e.reads(w.asked)
	return true
}

// queries are those of its parts that are no constants.
func (r *recursion) queries() []*sqlfront.Query {
	if r.base.query == nil {
		return []*sqlfront.Query{r.step.query}
	}
	return []*sqlfront.Query{r.base.query, r.step.query}
}

// iterate finds all rows of a recursion: natively as coordinates that stay in
// memory between the steps, where their program allows it.
func (a *hosting) iterate(ctx context.Context, r *recursion) (rows.Cursor, error) {
	if a.by == Native {
		cur, err := a.iterateState(ctx, r)
		if !errors.Is(err, errNoState) {
			return cur, err
		}
	}
	if a.session.settings.backend == Auto {
		return nil, &translate.Ineligible{Reason: rowsReason}
	}
	return a.iterateRows(ctx, r)
}

// keyReason and rowsReason are why recursions are DuckDB's; the latter only under
// auto: handing rows from step to step is no faster than DuckDB.
const (
	keyReason  = "USING KEY in a form that needs the order of rows"
	rowsReason = "recursion whose rows are not kept in memory"
)

// recursionRows is the number of rows of all tables up to which a recursion that is
// new begins on DuckDB under auto: preparing its parts takes longer than its steps there
// (BenchmarkRecursionSizes).
const recursionRows = 50_000

// recursionSteps is how many steps DuckDB is taken to make, each of which costs what
// its plan says: on the graph of BenchmarkRecursion it takes 9 or 10.
const recursionSteps = 8

// recurs reports whether a block is a recursion.
func (h *hosted) recurs() bool {
	for _, b := range h.blocks {
		if b != nil && b.recursion != nil {
			return true
		}
	}
	return false
}

// misfiltered reports a step in which DuckDB (1.5.6) may lose rows: it filters the
// scan below the grouping of a derived table by the range of the working table's
// keys, and nothing makes that scan wait for the range of its own step, so that it
// sometimes has that of the step before.
func (r *recursion) misfiltered() bool {
	found := false
	r.step.query.Walk(func(q *sqlfront.Query) {
		for _, s := range q.From {
			found = found || s.Query != nil && !s.Query.Plain()
		}
	})
	return found
}

// errNulls says that a column has a NULL that was taken to have none.
var errNulls = errors.New("a NULL in a recursion's rows")

// iterateState keeps the rows as coordinates. At first it takes the values that
// are aggregated to be never NULL, which the program then need not count.
func (a *hosting) iterateState(ctx context.Context, r *recursion) (rows.Cursor, error) {
	cur, err := a.iterateAssuming(ctx, r, true)
	if errors.Is(err, errNulls) {
		cur, err = a.iterateAssuming(ctx, r, false)
	}
	return cur, err
}

func (a *hosting) iterateAssuming(ctx context.Context, r *recursion, noNulls bool) (rows.Cursor, error) {
	s, err := a.newStateRun(ctx, r, noNulls)
	if err != nil {
		return nil, err
	}
	done := false
	defer func() { // also after a panic
		if !done {
			s.close()
		}
	}()
	if err := s.begin(ctx); err != nil {
		return nil, s.failed(err)
	}
	first, err := a.firstRows(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := s.iterate(ctx, first); err != nil {
		return nil, s.failed(err)
	}
	done = true
	if s.keyed != nil {
		s.found = []*stateRows{s.keyed.stateRows}
	}
	return &stateCursor{columns: r.columns, domains: s.state, parts: s.found, account: s.held, release: s.close}, nil
}

// firstRows finds the rows to begin with. Those that are constants are DuckDB's, which
// is asked once for those that are the same always.
func (a *hosting) firstRows(ctx context.Context, r *recursion) (rows.Cursor, error) {
	if r.first != nil {
		if known := r.first.Load(); known != nil {
			return &finished{columns: r.base.desc.Columns, batch: known}, nil
		}
	}
	q := a.newRun(r.base)
	if r.base.query != nil {
		return q.answer(ctx, "of the rows to begin with", r.base.query)
	}
	cur, err := q.textRows(ctx, &translate.Relation{SQL: r.base.sql, Columns: r.base.desc.Columns})
	if err != nil || r.first == nil {
		return cur, err
	}
	all := newBatch(r.base.desc.Columns)
	for {
		b, err := cur.Next(ctx)
		if err != nil {
			return nil, closeAfter(err, cur.Close)
		}
		if b == nil {
			r.first.Store(all)
			return &finished{columns: r.base.desc.Columns, batch: all}, cur.Close()
		}
		for i := range b.N {
			appendTo(all, b, i)
		}
	}
}

// failed gives an error of a recursion its SQLSTATE; auto leaves to DuckDB what
// native has no memory for.
func (s *stateRun) failed(err error) error {
	if s.auto && errors.Is(err, errBudget) {
		return &translate.Ineligible{Reason: overBudget(s.account.limit()).Message}
	}
	return s.nativeError(err)
}

// iterateRows hands the rows from step to step as values.
func (a *hosting) iterateRows(ctx context.Context, r *recursion) (rows.Cursor, error) {
	held := a.route.memory.part(a.session.settings.memoryLimitBytes)
	found := r.noRows(held)
	working := &workingTable{columns: r.columns, all: found.all}
	for n, sel := 0, r.base; ; n, sel = n+1, r.step {
		programs := a.trace.count()
		next, err := a.step(ctx, sel, working, found)
		if n == 1 {
			a.trace.begin(programs, r)
		}
		if err == nil {
			err = r.fit(next)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			held.close()
			return nil, lateError(err)
		}
		if next.N > 0 {
			found.keep(next)
			working.batches = []*rows.Batch{next}
		} else if n > 0 { // a step finds rows even where there are none to begin with
			break
		}
	}
	return &batchCursor{batches: found.all(), columns: r.columns, close: held.close}, nil
}

// rowsFound are all rows of a recursion so far, as values.
type rowsFound interface {
	// add appends the rows of b that the next step is to read to next.
	add(next, b *rows.Batch) error
	// keep takes the rows that a step has added.
	keep(next *rows.Batch)
	// all are the rows so far.
	all() []*rows.Batch
}

func (r *recursion) noRows(held *account) rowsFound {
	found := &foundRows{columns: r.columns, account: held, seen: map[string]struct{}{}, distinct: r.distinct}
	if r.key == nil {
		return found
	}
	return &keyedFound{foundRows: found, of: r, rows: newBatch(r.columns), last: map[string]int{}}
}

// fit refuses values that are none of their column's type, at which DuckDB raises an
// error.
func (r *recursion) fit(b *rows.Batch) error {
	for _, c := range r.narrow {
		bits := integerBits[r.columns[c].Type.ID]
		for i, x := range b.Cols[c].I64 {
			if top := x >> (bits - 1); top != 0 && top != -1 && !b.Cols[c].IsNull(i) {
				return &translate.Ineligible{Reason: "recursion whose rows are cast to a type without their values"}
			}
		}
	}
	return nil
}

// step runs base or step, and returns the rows that are new.
func (a *hosting) step(ctx context.Context, sel *tensorSelect, working *workingTable, found rowsFound) (*rows.Batch, error) {
	q := a.newRun(sel)
	q.working = working
	var cur rows.Cursor
	var err error
	if sel.query == nil {
		cur, err = q.textRows(ctx, &translate.Relation{SQL: sel.sql, Columns: sel.desc.Columns})
	} else {
		cur, err = q.answer(ctx, "step", sel.query)
	}
	if err != nil {
		return nil, err
	}
	a.handed = a.handed || q.handed
	next := newBatch(working.columns)
	for {
		b, err := cur.Next(ctx)
		if err == nil && b != nil {
			err = found.add(next, b)
		}
		if err != nil {
			return nil, errors.Join(err, cur.Close())
		}
		if b == nil {
			return next, cur.Close()
		}
	}
}

// foundRows are the rows of a recursion that stay as they are.
type foundRows struct {
	columns  []rows.Column
	batches  []*rows.Batch
	seen     map[string]struct{} // of UNION
	distinct bool
	account  *account
	key      []byte
}

// rowBytesMin is what a row costs beside its values: its key among those seen.
const rowBytesMin = 64

// add appends the rows of b, which may have their numbers in its last column, to
// next: those that are new, or all of them, as often as they occur.
func (f *foundRows) add(next, b *rows.Batch) error {
	counted := !f.distinct && len(b.Cols) > len(f.columns)
	for i := range b.N {
		times := int64(1)
		if f.distinct {
			f.key = appendRow(f.key[:0], b.Cols[:len(f.columns)], i)
			if _, known := f.seen[string(f.key)]; known {
				continue
			}
			f.seen[string(f.key)] = struct{}{}
		} else if counted {
			times = b.Cols[len(f.columns)].I64[i]
		}
		if err := f.charge(b, i, times); err != nil {
			return err
		}
		for range times {
			appendTo(next, b, i)
		}
	}
	return nil
}

// charge takes memory for a row that occurs so many times.
func (f *foundRows) charge(b *rows.Batch, i int, times int64) error {
	bytes := int64(rowBytesMin + 16*len(f.columns))
	for c := range f.columns {
		if text := b.Cols[c].Str; text != nil {
			bytes += int64(len(text[i]))
		}
	}
	if times > occursMost/bytes {
		return errBudget
	}
	return f.account.take(times * bytes)
}

func (f *foundRows) keep(next *rows.Batch) { f.batches = append(f.batches, next) }

func (f *foundRows) all() []*rows.Batch { return f.batches }

// appendRow appends a text that equal rows have in common.
func appendRow(key []byte, cols []rows.Vector, i int) []byte {
	for c := range cols {
		v := &cols[c]
		if v.IsNull(i) {
			key = append(key, 0)
			continue
		}
		key = append(key, 1)
		switch v.Type.Physical() {
		case rows.PhysInt64:
			key = binary.LittleEndian.AppendUint64(key, uint64(v.I64[i]))
		case rows.PhysInt128:
			key = append(append(key, v.I128[i].String()...), 0)
		case rows.PhysFloat64:
			x := v.F64[i]
			switch {
			case x == 0:
				x = 0 // -0 is 0
			case math.IsNaN(x):
				x = math.NaN()
			}
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
		case rows.PhysString:
			key = append(binary.LittleEndian.AppendUint64(key, uint64(len(v.Str[i]))), v.Str[i]...)
		default:
			panic(invariant.Failed("engine: a row with a column of type %s", v.Type))
		}
	}
	return key
}

func newBatch(columns []rows.Column) *rows.Batch {
	b := &rows.Batch{}
	for _, c := range columns {
		v := rows.Vector{Type: c.Type}
		switch c.Type.Physical() {
		case rows.PhysInt64:
			v.I64 = []int64{}
		case rows.PhysInt128:
			v.I128 = []semiring.Int128{}
		case rows.PhysFloat64:
			v.F64 = []float64{}
		case rows.PhysString:
			v.Str = []string{}
		case rows.PhysInterval:
			v.Ivl = []rows.IntervalValue{}
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

// appendTo appends row i of src.
func appendTo(dst, src *rows.Batch, i int) {
	for c := range dst.Cols {
		to, from := &dst.Cols[c], &src.Cols[c]
		switch to.Type.Physical() {
		case rows.PhysInt64:
			to.I64 = append(to.I64, from.I64[i])
		case rows.PhysInt128:
			to.I128 = append(to.I128, from.I128[i])
		case rows.PhysFloat64:
			to.F64 = append(to.F64, from.F64[i])
		case rows.PhysString:
			to.Str = append(to.Str, from.Str[i])
		case rows.PhysInterval:
			to.Ivl = append(to.Ivl, from.Ivl[i])
		}
		if from.IsNull(i) {
			setNull(to, dst.N)
		} else if to.Nulls != nil && len(to.Nulls)*64 <= dst.N {
			to.Nulls = append(to.Nulls, 0)
		}
	}
	dst.N++
}

// setNull makes row i of a growing vector NULL.
func setNull(v *rows.Vector, i int) {
	for len(v.Nulls)*64 <= i {
		v.Nulls = append(v.Nulls, 0)
	}
	v.Nulls[i/64] |= 1 << (i % 64)
}

// batchCursor delivers rows in memory.
type batchCursor struct {
	batches []*rows.Batch
	columns []rows.Column
	close   func()
}

// Columns returns the columns.
func (c *batchCursor) Columns() []rows.Column { return c.columns }

// Next returns the next batch.
func (c *batchCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if err := ctx.Err(); err != nil || len(c.batches) == 0 {
		return nil, err
	}
	b := c.batches[0]
	c.batches = c.batches[1:]
	return b, nil
}

// Close gives the memory back.
func (c *batchCursor) Close() error {
	if c.close != nil {
		c.close()
		c.close = nil
	}
	return nil
}

// workingRows is a relation that reads the working table: that table itself, or
// what DuckDB makes of it. ok is false for other relations.
func (q *queryRun) workingRows(ctx context.Context, rel *translate.Relation) (cur rows.Cursor, ok bool, err error) {
	if rel.Query != nil || rel.Memory == 0 {
		return nil, false, nil
	}
	if rel.Memory == sqlfront.SessionTables {
		cur, err = q.sessionRows(ctx, rel)
		return cur, true, err
	}
	if rel.Memory&sqlfront.SessionTables != 0 {
		return nil, true, &translate.Ineligible{Reason: "a temporary table with the rows of a step"}
	}
	invariant.Check(q.working != nil, "engine: a working table outside a recursion")
	switch {
	case rel.IsTable(sqlfront.RecurringTable):
		return &renamed{Cursor: &batchCursor{batches: q.working.all(), columns: q.working.columns}, columns: rel.Columns}, true, nil
	case rel.Memory&sqlfront.RecurringTable != 0:
		return nil, true, &translate.Ineligible{Reason: keyReason}
	}
	working := &batchCursor{batches: q.working.batches, columns: q.working.columns}
	if rel.IsTable(sqlfront.WorkingTable) {
		return &renamed{Cursor: working, columns: rel.Columns}, true, nil
	}
	conn, err := q.workers.take(ctx)
	if err != nil {
		return nil, true, err
	}
	cur, err = conn.QueryRelation(ctx, sqlfront.WorkingTable.Name(), working, rel.SQL, q.args(rel.SQL))
	if err != nil {
		q.workers.drop(conn)
		return nil, true, q.scanError(ctx, err)
	}
	return &pooledCursor{Cursor: cur, pool: q.workers, conn: conn, columns: rel.Columns}, true, nil
}
