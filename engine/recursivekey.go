package engine

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// keyFilter is a condition of a step that only hangs on the group at hand and on
// the row that was there with its key: it is applied to groups, and the step runs
// without it. A condition on the argument of a step's only MIN or MAX that keeps
// the arguments below or above a value of that row is one of these: the extreme of
// those that are kept is the extreme of all, if it is kept itself.
type keyFilter struct {
	// absent: a group with a new key is kept. A NULL in the key is new to a join,
	// and to NOT IN (strictly) not.
	absent, strictly bool
	// isNull keeps a group whose row has NULL in that column; -1: none.
	isNull int
	// op compares column mine of the group with column its of the row; empty: the
	// group is dropped.
	op        string
	mine, its int
	// otherwise is compared with where no row has the key, or NULL in that column: COALESCE.
	otherwise *int64
}

// keysBefore is what is known of the keys of all rows before a step.
type keysBefore struct {
	any  bool // there are rows
	null bool // one has NULL in its key
}

// byKey applies the filter as far as the key of a group decides it: whether a row has
// it, and whether NULL is in it. NOT IN of no rows is TRUE of NULL, too.
func (f *keyFilter) byKey(known, null bool, before keysBefore) (keep, decided bool) {
	switch {
	case f.strictly:
		return !known && (!before.any || !null && !before.null), true
	case (!known || null) && (f.otherwise == nil || !f.absent):
		return f.absent, true
	}
	return false, false
}

// holds compares a value of a group with one of the row of its key, or what is in its place.
func (f *keyFilter) holds(mine, its int64) bool {
	v, _ := apply(f.op, mine, its)
	return v != 0
}

// keyed completes a recursion with USING KEY: a row takes the place of the one with
// the same key, so the rows of a step must have a key each: groups by the key.
func (r *recursion) keyed(names []string) bool {
	for _, name := range names {
		i := slices.IndexFunc(r.columns, func(c rows.Column) bool { return load.SameName(c.Name, name) })
		if i < 0 || slices.Contains(r.key, i) {
			return false
		}
		r.key = append(r.key, i)
	}
	q := r.step.query
	if !q.Grouped || q.SetOp != sqlfront.NoSetOp || q.Sets != nil || q.Limit != nil || q.Offset != nil {
		return false
	}
	for n := range q.GroupBy {
		if !slices.ContainsFunc(r.key, func(c int) bool {
			g, ok := q.Select[c].Expr.(*sqlfront.GroupRef)
			return ok && g.N == n
		}) {
			return false
		}
	}
	if m := (keyMatch{recursion: r, query: q}); m.joined() || m.subquery() {
		step := *r.step
		step.query = m.out
		r.step, r.filter = &step, m.filter
	}
	return true
}

// keyMatch looks for a keyFilter in a step.
type keyMatch struct {
	*recursion
	query  *sqlfront.Query
	out    *sqlfront.Query // without it
	filter *keyFilter
}

// group is the grouping expression that is column c, as text.
func (m *keyMatch) group(c int) string {
	g, ok := m.query.Select[c].Expr.(*sqlfront.GroupRef)
	if !ok {
		return ""
	}
	return exprText(m.query.GroupBy[g.N])
}

// exprText is the same for equal expressions of one block; empty: not known.
func exprText(e sqlfront.Expr) string {
	known := true
	sqlfront.WalkExpr(e, func(x sqlfront.Expr) {
		switch x.(type) {
		case *sqlfront.Subquery, *sqlfront.OuterRef, *sqlfront.AggRef, *sqlfront.GroupRef:
			known = false
		}
	})
	if !known {
		return ""
	}
	return sqlfront.PrintExpr(e, func(c *sqlfront.ColumnRef) string {
		return fmt.Sprintf("s%d.c%d", c.Source, c.Column)
	})
}

// isCall is the arguments of a call of that name; nil: it is something else.
func isCall(e sqlfront.Expr, name string) []sqlfront.Expr {
	if c, ok := e.(*sqlfront.Call); ok && c.Name == name {
		return c.Args
	}
	return nil
}

// column is the column of a source that an expression is; -1: none.
func column(e sqlfront.Expr, source int) int {
	if c, ok := e.(*sqlfront.ColumnRef); ok && c.Source == source {
		return c.Column
	}
	return -1
}

// reads reports whether an expression has a column of a source.
func reads(e sqlfront.Expr, source int) (found bool) {
	sqlfront.WalkExpr(e, func(x sqlfront.Expr) { found = found || column(x, source) >= 0 })
	return found
}

// joined matches all rows so far as the last source, joined by the key alone, with
// a condition on the row found.
func (m *keyMatch) joined() bool {
	q := m.query
	last := len(q.From) - 1
	if m.occurrences() != 1 || !q.From[last].IsTable(sqlfront.RecurringTable) {
		return false
	}
	out := *q
	out.From = q.From[:last]
	var on, where []sqlfront.Expr
	for _, w := range q.Where {
		if reads(w, last) {
			where = append(where, w)
		}
	}
	out.Where = slices.DeleteFunc(slices.Clone(q.Where), func(w sqlfront.Expr) bool { return reads(w, last) })
	m.filter = &keyFilter{isNull: -1}
	if t := q.Tree; t != nil {
		if t.Left == nil || t.Kind != sqlfront.LeftJoin || t.Right.Left != nil || t.Right.Leaf != last {
			return false
		}
		m.filter.absent, on = true, t.On
		out.Tree = t.Left
		if conds, inner := innerJoins(t.Left); inner {
			out.Tree, out.Where = nil, append(out.Where, conds...)
		}
	} else {
		on = where
		where = nil
		on = slices.DeleteFunc(slices.Clone(on), func(e sqlfront.Expr) bool {
			if m.equality(e, last) {
				return false
			}
			where = append(where, e)
			return true
		})
	}
	m.out = &out
	return m.byKey(on, last) && m.condition(where, last) && !m.readsElsewhere(last)
}

// occurrences counts where the step reads all rows so far.
func (m *keyMatch) occurrences() (n int) {
	m.query.Walk(func(q *sqlfront.Query) {
		for _, f := range q.From {
			if f.Memory&sqlfront.RecurringTable != 0 {
				n++
			}
		}
	})
	return n
}

// readsElsewhere reports whether what is left of the step has columns of a source.
func (m *keyMatch) readsElsewhere(source int) (found bool) {
	m.out.Roots(func(e sqlfront.Expr) { found = found || reads(e, source) })
	return found
}

// innerJoins are the conditions of a tree of inner joins.
func innerJoins(t *sqlfront.Join) (on []sqlfront.Expr, ok bool) {
	if t.Left == nil {
		return nil, true
	}
	left, okLeft := innerJoins(t.Left)
	right, okRight := innerJoins(t.Right)
	return slices.Concat(left, right, t.On), okLeft && okRight && t.Kind == sqlfront.InnerJoin
}

// equality reports whether a condition is that a key column is its group's.
func (m *keyMatch) equality(e sqlfront.Expr, source int) bool {
	args := isCall(e, "=")
	if len(args) != 2 {
		return false
	}
	for i, a := range args {
		c := column(a, source)
		if slices.Contains(m.key, c) && m.group(c) != "" && exprText(args[1-i]) == m.group(c) && !reads(args[1-i], source) {
			return true
		}
	}
	return false
}

// byKey reports whether conditions are those of the key: one for each column.
func (m *keyMatch) byKey(on []sqlfront.Expr, source int) bool {
	have := map[int]bool{}
	for _, e := range on {
		if !m.equality(e, source) {
			return false
		}
		for _, a := range isCall(e, "=") {
			if c := column(a, source); c >= 0 {
				have[c] = true
			}
		}
	}
	return len(have) == len(m.key)
}

// condition reads the conditions on the row found: none, or one.
func (m *keyMatch) condition(where []sqlfront.Expr, source int) bool {
	f := m.filter
	if len(where) != 1 {
		f.op = "true"
		return len(where) == 0
	}
	parts := isCall(where[0], "or")
	if parts == nil {
		parts = where
	}
	// Without IS NULL, a group with a new key has NULL in its row: no comparison
	// keeps it.
	f.absent = false
	for _, p := range parts {
		if args := isCall(p, "is null"); len(args) == 1 && column(args[0], source) >= 0 && f.isNull < 0 && f.otherwise == nil {
			f.isNull, f.absent = column(args[0], source), m.query.Tree != nil
			continue
		}
		if f.op != "" || !m.compares(p, source) {
			return false
		}
	}
	return true
}

// flipped are the comparisons with their sides exchanged.
var flipped = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// compares reads a comparison of the argument of the only MIN or MAX with the row
// found.
func (m *keyMatch) compares(e sqlfront.Expr, source int) bool {
	c, ok := e.(*sqlfront.Call)
	if !ok || flipped[c.Name] == "" || len(c.Args) != 2 || len(m.query.Aggs) != 1 {
		return false
	}
	op, arg := c.Name, c.Args[0]
	its, otherwise := columnOr(c.Args[1], source)
	if its < 0 {
		op, arg = flipped[c.Name], c.Args[1]
		its, otherwise = columnOr(c.Args[0], source)
	}
	agg := m.query.Aggs[0]
	extreme := map[string]string{"<": "min", "<=": "min", ">": "max", ">=": "max"}[op]
	if its < 0 || agg.Func != extreme || agg.Filter != nil || len(agg.Args) != 1 || exprText(arg) == "" || exprText(arg) != exprText(agg.Args[0]) {
		return false
	}
	mine := slices.IndexFunc(m.query.Select, func(s sqlfront.SelectItem) bool { return isAggregate(s.Expr) })
	if mine < 0 || !alike(m.columns[mine].Type, m.columns[its].Type, agg.T, arg.Type()) {
		return false
	}
	f := m.filter
	f.op, f.mine, f.its = op, mine, its
	if otherwise != nil {
		rank, ok := constantRank(otherwise, agg.T)
		if !ok || f.isNull >= 0 {
			return false
		}
		f.otherwise, f.absent = &rank, m.query.Tree != nil
	}
	return true
}

// columnOr is the column of a source that an expression is (-1: none), or what COALESCE
// puts in the place of its NULL (nil: nothing).
func columnOr(e sqlfront.Expr, source int) (c int, otherwise sqlfront.Expr) {
	if args := isCall(e, "coalesce"); len(args) == 2 {
		return column(args[0], source), args[1]
	}
	return column(e, source), nil
}

// constantRank is a number as a value of a type of integers or DOUBLE (rankOf).
func constantRank(e sqlfront.Expr, t rows.Type) (rank int64, ok bool) {
	if c, cast := e.(*sqlfront.Cast); cast && c.T == t {
		e = c.Arg
	}
	l, ok := e.(*sqlfront.Literal)
	switch {
	case !ok:
		return 0, false
	case t == stateDouble && l.T == stateDouble:
		x, err := strconv.ParseFloat(l.SQL, 64)
		return rankOf(x), err == nil
	case !integral(l.T):
		return 0, false
	}
	v, err := strconv.ParseInt(l.SQL, 10, 64)
	if t == stateDouble {
		return rankOf(float64(v)), err == nil
	}
	return v, err == nil && integral(t)
}

// isAggregate reports whether an output is an aggregate, in its own type or in one
// that has all integers.
func isAggregate(e sqlfront.Expr) bool {
	if c, ok := e.(*sqlfront.Cast); ok && c.T == stateBigInt {
		e = c.Arg
	}
	_, ok := e.(*sqlfront.AggRef)
	return ok
}

// alike reports whether all types are of integers, or all DOUBLE: their values compare.
func alike(types ...rows.Type) bool {
	integers, doubles := 0, 0
	for _, t := range types {
		if integral(t) {
			integers++
		}
		if t == stateDouble {
			doubles++
		}
	}
	return integers == len(types) || doubles == len(types)
}

func integral(t rows.Type) bool {
	switch t.ID {
	case rows.TinyInt, rows.SmallInt, rows.Integer, rows.BigInt:
		return true
	}
	return false
}

// subquery matches NOT IN and NOT EXISTS over all rows so far.
func (m *keyMatch) subquery() bool {
	if m.occurrences() != 1 || len(m.key) != 1 {
		return false
	}
	for i, w := range m.query.Where {
		args := isCall(w, "not")
		if len(args) != 1 {
			continue
		}
		s, ok := args[0].(*sqlfront.Subquery)
		if !ok || len(s.Query.From) != 1 || !s.Query.From[0].IsTable(sqlfront.RecurringTable) || !s.Query.Plain() {
			continue
		}
		m.filter = &keyFilter{absent: true, isNull: -1}
		if !m.notIn(s) && !m.notExists(s) {
			return false
		}
		out := *m.query
		out.Where = slices.Delete(slices.Clone(out.Where), i, i+1)
		m.out = &out
		return true
	}
	return false
}

func (m *keyMatch) notIn(s *sqlfront.Subquery) bool {
	m.filter.strictly = true
	return s.Kind == sqlfront.InQuery && s.Comparison() == "=" && len(s.Query.Where) == 0 && len(s.Query.Select) == 1 &&
		column(s.Query.Select[0].Expr, 0) == m.key[0] && exprText(s.Arg) != "" && exprText(s.Arg) == m.group(m.key[0])
}

func (m *keyMatch) notExists(s *sqlfront.Subquery) bool {
	m.filter.strictly = false
	if s.Kind != sqlfront.Exists || len(s.Query.Where) != 1 {
		return false
	}
	args := isCall(s.Query.Where[0], "=")
	for i := range args {
		o, ok := args[1-i].(*sqlfront.OuterRef)
		if ok && o.Levels == 1 && column(args[i], 0) == m.key[0] && exprText(o.Column) == m.group(m.key[0]) {
			return true
		}
	}
	return false
}

// keyedRows are the rows of a recursion with a key: one for each.
type keyedRows struct {
	*stateRows
	of     *recursion
	single []int32          // of one key column: row by coordinate, from 1 on
	many   map[string]int32 // of several
	text   []byte
	null   bool // a row has NULL in its key
	// its are the values that the filter compares with, by row.
	its     []int64
	itsNull []bool
	nullIts bool // one of them is NULL
}

func newKeyedRows(r *recursion) *keyedRows {
	k := &keyedRows{stateRows: newStateRows(len(r.columns), 0), of: r}
	if len(r.key) > 1 {
		k.many = map[string]int32{}
	}
	return k
}

// find is the row with the key of row i of other rows; -1: there is none.
func (k *keyedRows) find(coords [][]fibers.Coord, i int) int {
	if k.many != nil {
		k.text = k.text[:0]
		for _, c := range k.of.key {
			k.text = binary.LittleEndian.AppendUint32(k.text, uint32(coords[c][i]))
		}
		return int(k.many[string(k.text)]) - 1
	}
	if x := int(coords[k.of.key[0]][i]); x < len(k.single) {
		return int(k.single[x]) - 1
	}
	return -1
}

// put stores row i in the place of the row at, or as a new one (-1).
func (k *keyedRows) put(coords [][]fibers.Coord, i, at int) {
	if at >= 0 {
		for c := range k.coords {
			k.coords[c][at] = coords[c][i]
		}
		return
	}
	k.add(coords, i)
	if k.many != nil {
		k.many[string(k.text)] = int32(k.n)
		return
	}
	x := int(coords[k.of.key[0]][i])
	if x >= len(k.single) {
		k.single = append(k.single, make([]int32, x+1+x/4-len(k.single))...)
	}
	k.single[x] = int32(k.n)
}

// begin takes the rows to begin with; ok is false where two of them have one key:
// which of them counts depends on their order.
func (k *keyedRows) begin(v *stateView) (ok bool) {
	its := k.compared(v, false)
	for i := range v.n {
		if k.find(v.coords, i) >= 0 {
			return false
		}
		k.store(v, its, i, -1)
	}
	return true
}

// compared is the values that the filter compares, of the group or of the row that
// it becomes; none where it compares nothing.
func (k *keyedRows) compared(v *stateView, mine bool) stateColumn {
	f := k.of.filter
	switch {
	case f == nil || flipped[f.op] == "":
		return stateColumn{}
	case mine:
		return v.column(f.mine)
	}
	return v.column(f.its)
}

// store puts row i and what is remembered of it.
func (k *keyedRows) store(v *stateView, its stateColumn, i, at int) {
	k.put(v.coords, i, at)
	k.null = k.null || v.nullKey(k.of.key, i)
	if its.values == nil {
		return
	}
	k.nullIts = k.nullIts || its.null(i)
	if at < 0 {
		k.its = append(k.its, its.values[i])
		k.itsNull = append(k.itsNull, its.null(i))
		return
	}
	k.its[at], k.itsNull[at] = its.values[i], its.null(i)
}

// nullKey reports whether a row has NULL in its key.
func (v *stateView) nullKey(key []int, i int) bool {
	if v.nulls == nil {
		v.nulls = make([]fibers.Coord, len(key))
		for n, c := range key {
			if null, ok := v.domains[c].Values().Null(); ok {
				v.nulls[n] = null
			} else {
				v.nulls[n] = -1
			}
		}
	}
	for n, c := range key {
		if v.coords[c][i] == v.nulls[n] {
			return true
		}
	}
	return false
}

// upsert takes the rows of a step that the filter keeps, which are the next ones
// to be read.
func (k *keyedRows) upsert(v *stateView) (next *stateRows) {
	mine, its, before := k.compared(v, true), k.compared(v, false), keysBefore{k.n > 0, k.null}
	for i := range v.n {
		at := k.find(v.coords, i)
		switch {
		case k.of.filter == nil || k.keeps(v, &mine, i, at, before):
			k.store(v, its, i, at)
			if next != nil {
				next.add(v.coords, i)
			}
		case next == nil: // the first one that is not kept
			next = newStateRows(len(k.coords), v.n)
			for c := range next.coords {
				next.coords[c] = append(next.coords[c], v.coords[c][:i]...)
			}
			next.n = i
		}
	}
	if next == nil {
		return &stateRows{n: v.n, coords: v.coords}
	}
	return next
}

// rowsKnown is what becomes of a group with one key that a row has.
type rowsKnown uint8

const (
	// askRows: that is found out when the group is complete.
	askRows rowsKnown = iota
	// dropKnown: it is dropped.
	dropKnown
	// betterKnown: it is dropped unless its value is better than the row's, and
	// betterOrEqual unless it is that or the same.
	betterKnown
	betterOrEqual
)

// known says what the filter makes of groups with one key, whose only value is a
// column of the rows. Groups without a row are kept, unless a row has NULL in its key.
func (k *keyedRows) known() rowsKnown {
	f := k.of.filter
	switch {
	case f == nil || k.many != nil || k.null || !f.absent || f.otherwise != nil:
		return askRows
	case f.op == "" && (f.isNull < 0 || slices.Contains(k.of.key, f.isNull)):
		return dropKnown
	case flipped[f.op] == "" || f.mine != f.its || k.nullIts || f.isNull >= 0 && f.isNull != f.its && !slices.Contains(k.of.key, f.isNull):
		return askRows
	case len(f.op) == 1:
		return betterKnown
	}
	return betterOrEqual
}

// keeps applies the filter to a group, with the row at of its key (-1: none).
func (k *keyedRows) keeps(v *stateView, mine *stateColumn, i, at int, before keysBefore) bool {
	f := k.of.filter
	null := v.nullKey(k.of.key, i)
	if keep, decided := f.byKey(at >= 0, null, before); decided {
		return keep
	}
	switch {
	case f.otherwise != nil && (at < 0 || null || k.itsNull[at]):
		return !mine.null(i) && f.holds(mine.values[i], *f.otherwise)
	case f.isNull >= 0 && v.domains[f.isNull].Values().IsNull(k.coords[f.isNull][at]), f.op == "true":
		return true
	case f.op == "" || k.itsNull[at] || mine.null(i):
		return false
	}
	return f.holds(mine.values[i], k.its[at])
}

// keyedFound are the rows of a recursion with a key as values: one for each key.
type keyedFound struct {
	*foundRows
	of   *recursion
	rows *rows.Batch    // all that there have been
	last map[string]int // by key, which of them counts
	null bool           // a row has NULL in its key
	more bool           // there are rows to begin with
}

// add takes those rows of a step that the filter keeps, or those to begin with.
func (k *keyedFound) add(next, b *rows.Batch) error {
	before := keysBefore{k.rows.N > 0, k.null}
	keys := make([]rows.Vector, len(k.of.key))
	for n, c := range k.of.key {
		keys[n] = b.Cols[c]
	}
	for i := range b.N {
		k.key = appendRow(k.key[:0], keys, i)
		at, known := k.last[string(k.key)]
		if !known {
			at = -1
		}
		null := slices.ContainsFunc(keys, func(v rows.Vector) bool { return v.IsNull(i) })
		switch {
		case !k.more && known: // which of the two counts depends on their order
			return &translate.Ineligible{Reason: keyReason}
		case k.more && k.of.filter != nil && !k.keeps(b, i, at, null, before):
			continue
		}
		if err := k.charge(b, i, 2); err != nil {
			return err
		}
		k.null = k.null || null
		k.last[string(k.key)] = k.rows.N
		appendTo(k.rows, b, i)
		appendTo(next, b, i)
	}
	return nil
}

// keeps applies the filter to row i of a step, with the row at of its key (-1: none);
// null: there is one in its key.
func (k *keyedFound) keeps(b *rows.Batch, i, at int, null bool, before keysBefore) bool {
	f := k.of.filter
	if keep, decided := f.byKey(at >= 0, null, before); decided {
		return keep
	}
	switch {
	case f.otherwise != nil && (at < 0 || null || k.rows.Cols[f.its].IsNull(at)):
		return !b.Cols[f.mine].IsNull(i) && f.holds(rankAt(&b.Cols[f.mine], i), *f.otherwise)
	case f.isNull >= 0 && k.rows.Cols[f.isNull].IsNull(at), f.op == "true":
		return true
	case f.op == "" || k.rows.Cols[f.its].IsNull(at) || b.Cols[f.mine].IsNull(i):
		return false
	}
	return f.holds(rankAt(&b.Cols[f.mine], i), rankAt(&k.rows.Cols[f.its], at))
}

// rankAt is value i of a column of integers, or the rank of one of doubles.
func rankAt(v *rows.Vector, i int) int64 {
	if v.Type == stateDouble {
		return rankOf(v.F64[i])
	}
	return v.I64[i]
}

func (k *keyedFound) keep(*rows.Batch) { k.more = true }

// all are the rows that no other has taken the place of.
func (k *keyedFound) all() []*rows.Batch {
	counts := make([]bool, k.rows.N)
	for _, i := range k.last {
		counts[i] = true
	}
	out := newBatch(k.columns)
	for i, kept := range counts {
		if kept {
			appendTo(out, k.rows, i)
		}
	}
	return []*rows.Batch{out}
}
