package engine

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/translate"
)

// pushStep is a step that looks up what each of the rows found last leads to in one
// tensor of two modes,
//
//	R(.., to) = n: or(from) and(rows.n(from, ..), edges.n(from, to))
//	          | v: min(from) guard(plus(rows.x(from, ..), edges.y(from, to)), ..)
//
// and is run as that, on the rows as they are: no tensor is made of these, no plan for
// their number, and no tensor of what is found. That a row is new is asked where it is
// found, so that a step takes time by the entries looked up.
type pushStep struct {
	of       *stateRun
	load     *stateLoad // of the rows
	rowsName string
	edgeName string
	from     int   // the key of the rows that looks up
	modes    []int // of the edges: from, to
	// keys are, per index of the query, the key of the rows that it is; -1: to.
	keys []int
	// columns are, per column of the recursion, the index of the query that it is; -1:
	// the value.
	columns []int
	value   *pushValue // nil: none
	// What is known once the tensor of the edges is there.
	edges  *fibers.Tensor
	lists  *fibers.SparseListLevel // its inner level
	groups *pushGroups             // nil: the set of what is found is asked
}

// pushValue is the MIN or MAX of a sum of up to one leaf of the rows, one of the
// edges, and a number.
type pushValue struct {
	op        semiring.Op
	row, edge string // leaves; empty: none
	plus      int64
}

// errNotPushed says that the step is run as a program: a value is NULL, or a sum may
// have more than 64 bits.
var errNotPushed = errors.New("the step is not pushed")

// newPushStep reads the step's program; nil: it has another form.
func newPushStep(s *stateRun) *pushStep {
	if len(s.tr.Program.Queries) != 1 || len(s.loads) != 2 || s.noKernels || s.tr.Finish.SQL != "" || s.tr.Scalar {
		return nil
	}
	p := &pushStep{of: s}
	for i, spec := range s.tr.Loads {
		switch l := s.loads[i]; {
		case l != nil && !l.all:
			p.load, p.rowsName = l, spec.Name
		case s.fixed[i] && len(spec.Keys) == 2:
			p.edgeName = spec.Name
		}
	}
	if p.load == nil || p.edgeName == "" {
		return nil
	}
	m := pushMatch{pushStep: p, query: s.tr.Program.Queries[0]}
	if !m.structure() || !m.leaf() || !p.output() || !p.checked() {
		return nil
	}
	return p
}

// pushMatch compares a query with the form of a pushStep.
type pushMatch struct {
	*pushStep
	query *einsum.Query
	args  []einsum.Arg // of the rows
	edge  []einsum.Arg
}

// structure matches the leaf that says which entries there are.
func (m *pushMatch) structure() bool {
	body := m.query.Leaves[0].Expr
	if a, ok := body.(*einsum.Agg); ok {
		if a.Op != semiring.Or {
			return false
		}
		body = a.Arg
	}
	and, ok := body.(*einsum.Map)
	if !ok || and.Op != semiring.And || len(and.Args) != 2 {
		return false
	}
	for _, x := range and.Args {
		a, ok := x.(*einsum.Access)
		switch {
		case !ok:
			return false
		case a.Tensor == m.rowsName:
			m.args = a.Args
		case a.Tensor == m.edgeName:
			m.edge = a.Args
		}
	}
	return len(m.args) > 0 && len(m.edge) == 2 && m.indices()
}

// indices tells which indices are from and to, and where those of the query are.
func (m *pushMatch) indices() bool {
	at := func(args []einsum.Arg, x einsum.Index) int {
		return slices.IndexFunc(args, func(a einsum.Arg) bool { return a.Const == nil && a.Index == x })
	}
	for i, a := range slices.Concat(m.args, m.edge) {
		if a.Const != nil || i < len(m.args) && at(m.args, a.Index) != i {
			return false
		}
	}
	first, second := at(m.args, m.edge[0].Index), at(m.args, m.edge[1].Index)
	switch {
	case first >= 0 && second < 0:
		m.from, m.modes = first, []int{0, 1}
	case second >= 0 && first < 0:
		m.from, m.modes = second, []int{1, 0}
	default:
		return false
	}
	for _, x := range m.query.Idxs {
		k := at(m.args, x)
		if k < 0 && x != m.edge[m.modes[1]].Index {
			return false
		}
		m.keys = append(m.keys, k)
	}
	return slices.Contains(m.keys, -1)
}

// leaf matches the value, if there is one.
func (m *pushMatch) leaf() bool {
	switch len(m.query.Leaves) {
	case 1:
		return true
	case 2:
	default:
		return false
	}
	body, ok := m.query.Leaves[1].Expr.(*einsum.Agg)
	if !ok || body.Op != semiring.Min && body.Op != semiring.Max {
		return false
	}
	m.value = &pushValue{op: body.Op}
	sum := body.Arg
	if g, ok := sum.(*einsum.Map); ok && g.Op == semiring.Guard {
		sum = g.Args[0]
		for _, c := range g.Args[1:] {
			if a, ok := c.(*einsum.Access); !ok || !m.same(a) || a.Leaf != "n" {
				return false
			}
		}
	}
	return m.term(sum)
}

// same reports whether an access has the arguments that the structure has.
func (m *pushMatch) same(a *einsum.Access) bool {
	if a.Tensor == m.rowsName {
		return slices.Equal(a.Args, m.args)
	}
	return slices.Equal(a.Args, m.edge)
}

// term matches a part of the sum.
func (m *pushMatch) term(e einsum.Expr) bool {
	v := m.value
	switch e := e.(type) {
	case *einsum.Map:
		return e.Op == semiring.Plus && !slices.ContainsFunc(e.Args, func(x einsum.Expr) bool { return !m.term(x) })
	case *einsum.Literal:
		x, ok := e.I.Int64()
		if !ok || e.Elem != semiring.I64 || v.plus != 0 {
			return false
		}
		v.plus = x
		return true
	case *einsum.Access:
		leaf := &v.edge
		if e.Tensor == m.rowsName {
			leaf = &v.row
		}
		if *leaf != "" || !m.same(e) {
			return false
		}
		*leaf = e.Leaf
		return true
	}
	return false
}

// output says what the columns are: indices of the query, or its value as it is. A
// group of several indices has no place of its own, so it has no value either.
func (p *pushStep) output() bool {
	s := p.of
	n := len(s.of.columns)
	if s.of.counted || len(s.tr.Finish.Project) < n {
		return false
	}
	for _, f := range s.tr.Finish.Project[:n] {
		if f < len(s.tr.Groups) {
			p.columns = append(p.columns, s.tr.Groups[f].Key)
			continue
		}
		g, leaves := &s.tr.Aggs[f-len(s.tr.Groups)], s.tr.Program.Queries[0].Leaves
		if p.value == nil || g.Func != translate.MinMaxValue || g.Value != leaves[1].Name ||
			g.Valid != "" && g.Valid != leaves[0].Name || g.Dict != nil || g.Scale != 0 || !integral(g.Type) {
			return false
		}
		p.columns = append(p.columns, -1)
	}
	if p.grouping() {
		return len(p.keys) == 1
	}
	beside := slices.DeleteFunc(slices.Clone(p.columns), func(k int) bool { return p.keys[k] < 0 })
	return n <= 2 && len(beside) == n-1
}

// grouping reports whether rows are groups, not members of a set.
func (p *pushStep) grouping() bool { return p.value != nil || !p.of.of.distinct || p.of.of.key != nil }

// wide is the column of a set whose values neighbours in the set share least; -1: it
// is not known.
func (p *pushStep) wide() int {
	if p == nil || p.grouping() {
		return -1
	}
	return slices.IndexFunc(p.columns, func(k int) bool { return p.keys[k] < 0 })
}

// checked reports whether what the program's checks read is known of rows one by one.
func (p *pushStep) checked() bool {
	for _, b := range p.of.tr.Bounds() {
		if b.Tensor != p.edgeName && (b.Tensor != p.rowsName || p.values(b.Lo) == nil || p.values(b.Hi) == nil) {
			return false
		}
	}
	v := p.value
	if v == nil || v.row == "" {
		return true
	}
	l := p.values(v.row)
	return l != nil && (l.Moment == load.Min) == (v.op == semiring.Min)
}

// values is a leaf of the rows that is the least or the greatest of some values; nil:
// it is another.
func (p *pushStep) values(name string) *load.Leaf {
	for i := range p.load.spec.Leaves {
		if l := &p.load.spec.Leaves[i]; l.Name == name && (l.Moment == load.Min || l.Moment == load.Max) {
			return l
		}
	}
	return nil
}

// sparseFrom is how many times the coordinates of a mode may exceed the entries of a
// tensor for them to have a place each.
const sparseFrom = 4

// open makes the tensor of the edges in the order in which they are looked up, and
// room for what is found; ok is false where its values are none of 64 bits, or the
// recursion's columns have other coordinates.
func (p *pushStep) open(ctx context.Context) (ok bool, err error) {
	s := p.of
	base := s.bases[p.edgeName].base
	for c, k := range p.columns {
		if k >= 0 && s.state[c] != s.domains[s.tr.Program.Queries[0].Idxs[k].Domain] {
			return false, nil
		}
	}
	for _, l := range base.COO.Leaves {
		if p.value != nil && l.Name == p.value.edge && l.Elem != semiring.I64 && l.Elem != semiring.Pattern {
			return false, nil
		}
	}
	outer := format.Dense
	if base.COO.Dims[p.modes[0]] > sparseFrom*base.COO.N {
		outer = format.SparseList
	}
	p.edges, err = s.inputLayout(ctx, &physical.Operand{Tensor: p.edgeName, Order: p.modes, Formats: []format.Kind{outer, format.SparseList}})
	if err != nil {
		return false, err
	}
	p.lists, ok = p.edges.Levels[1].(*fibers.SparseListLevel)
	invariant.Check(ok, "engine: a list is stored as %s", p.edges.Levels[1].Kind())
	if !p.grouping() {
		return true, nil
	}
	dim := p.edges.Dims[1]
	p.groups = &pushGroups{best: make([]int64, dim), at: make([]groupState, dim)}
	return true, s.account.take(9 * int64(dim))
}

// pushedFormat is how the rows that a step looks up are stored.
const pushedFormat = "list"

// pushed runs the step on the rows found last. It fails with errNotPushed where that
// needs its program.
func (s *stateRun) pushed(ctx context.Context, frontier *stateRows) (*stateRows, error) {
	p := s.push
	started := time.Now()
	given, err := p.load.rows(&stateView{stateRows: frontier, domains: s.state})
	if errors.Is(err, errStateExpr) {
		return nil, errNoState // DuckDB raises an error
	}
	if err != nil {
		return nil, err
	}
	if err := p.check(given); err != nil {
		return nil, err
	}
	var next *stateRows
	var looked int64
	if p.groups == nil {
		next, looked, err = p.unseen(ctx, given)
	} else {
		next, looked, err = p.grouped(ctx, given)
	}
	if err != nil {
		return nil, err
	}
	if s.record != nil {
		s.record.formats, s.record.pushed = []string{pushedFormat}, true
	}
	if s.trace != nil {
		s.trace.ran(s.physical.Steps[0], exec.StepStats{
			Entries: next.n, Cells: looked, Traversals: 1, Kernel: "push", Workspace: p.workspace(), Threads: 1, Morsels: 1,
		}, time.Since(started))
	}
	return next, nil
}

// workspace is where EXPLAIN says that what is found is gathered.
func (p *pushStep) workspace() string {
	if p.groups == nil {
		return "none"
	}
	return "dense"
}

// check evaluates the program's checks on the rows and on the edges, and whether sums
// have 64 bits.
func (p *pushStep) check(given *loadRows) error {
	s := p.of
	for i := range given.leaves {
		if given.leaves[i].Nulls != nil {
			return errNotPushed
		}
	}
	for i := range s.tr.Checks {
		if c := &s.tr.Checks[i]; !c.Fits(func(b *translate.LeafBound) *translate.Interval { return p.interval(*b, given) }) {
			return &translate.Ineligible{Reason: "may overflow " + c.Type.String()}
		}
	}
	v := p.value
	if v == nil {
		return nil
	}
	lo, hi := big.NewInt(v.plus), big.NewInt(v.plus)
	for tensor, leaf := range map[string]string{p.rowsName: v.row, p.edgeName: v.edge} {
		if leaf == "" {
			continue
		}
		if iv := p.interval(translate.LeafBound{Tensor: tensor, Lo: leaf, Hi: leaf}, given); iv != nil {
			lo.Add(lo, iv.Lo)
			hi.Add(hi, iv.Hi)
		}
	}
	// The identities of MIN and MAX stand for no value.
	if !lo.IsInt64() || !hi.IsInt64() || lo.Int64() == math.MinInt64 || hi.Int64() == math.MaxInt64 {
		return errNotPushed
	}
	return nil
}

// interval is that of a bound on the rows, of which none has a NULL, or on the edges.
func (p *pushStep) interval(b translate.LeafBound, given *loadRows) *translate.Interval {
	if b.Tensor == p.rowsName {
		return given.interval(p.load.spec, b)
	}
	return inputInterval(p.of.bases[p.edgeName].base, &b)
}

// interval is that of a bound on the leaves; nil without rows.
func (r *loadRows) interval(spec *load.Spec, b translate.LeafBound) *translate.Interval {
	if r.n == 0 {
		return nil
	}
	values := func(name string) []int64 {
		i := slices.IndexFunc(spec.Leaves, func(l load.Leaf) bool { return l.Name == name })
		return r.leaves[i].Values
	}
	return &translate.Interval{Lo: big.NewInt(slices.Min(values(b.Lo))), Hi: big.NewInt(slices.Max(values(b.Hi)))}
}

// pushCheck is how many entries are looked up between two looks at the context.
const pushCheck = 1 << 16

// pushWalk goes through what rows lead to.
type pushWalk struct {
	*pushStep
	ctx           context.Context
	looked, until int64
}

// next is the entries of the lists that a coordinate leads to.
func (w *pushWalk) next(c fibers.Coord) (lo, hi int32, err error) {
	if w.looked >= w.until {
		w.until = w.looked + pushCheck
		if w.ctx.Err() != nil {
			return 0, 0, context.Cause(w.ctx)
		}
	}
	at, ok := w.edges.Levels[0].Lookup(w.edges.Root, c)
	if !ok {
		return 0, 0, nil
	}
	lo, hi = w.lists.Ptr[at], w.lists.Ptr[at+1]
	w.looked += 1 + int64(hi-lo)
	return lo, hi, nil
}

// markedFrom is how many words of the bitmap there may be for a row whose entries are
// marked in it at first: these are then copied and compared once more.
const markedFrom = 4

// unseen finds the rows that are not in the set of what is found, and adds them.
func (p *pushStep) unseen(ctx context.Context, given *loadRows) (next *stateRows, looked int64, err error) {
	if len(p.columns) == 1 && markedFrom*given.n >= (p.edges.Dims[1]+63)/64 {
		return p.unseenOfMany(ctx, given)
	}
	s := p.of
	w := pushWalk{pushStep: p, ctx: ctx}
	next = newStateRows(len(s.state), 0)
	had, wide := s.seen.bytes, s.seen.wide
	for i := range given.n {
		lo, hi, err := w.next(given.coords[p.from][i])
		if err != nil {
			return nil, 0, err
		}
		to := p.lists.Idx[lo:hi]
		if len(p.columns) == 1 {
			next.coords[0] = s.seen.addAll(to, next.coords[0])
			continue
		}
		narrow := given.coords[p.keys[p.columns[1-wide]]][i]
		next.coords[wide] = s.seen.addBeside(narrow, to, next.coords[wide])
		if more := len(next.coords[wide]) - len(next.coords[1-wide]); more > 0 {
			beside := slices.Grow(next.coords[1-wide], more)
			for range more {
				beside = append(beside, narrow)
			}
			next.coords[1-wide] = beside
		}
	}
	next.n = len(next.coords[wide])
	if err := s.held.take(s.seen.bytes - had + 4*int64(len(s.state)*next.n)); err != nil {
		return nil, 0, err
	}
	s.keep(next)
	return next, w.looked, nil
}

// unseenOfMany is unseen for rows of one column of which there are many: whether one
// is new is not asked where it is found, but when all are.
func (p *pushStep) unseenOfMany(ctx context.Context, given *loadRows) (next *stateRows, looked int64, err error) {
	s := p.of
	w := pushWalk{pushStep: p, ctx: ctx}
	next = newStateRows(1, 0)
	had := s.seen.bytes
	before := s.seen.marked(p.edges.Dims[1])
	for _, c := range given.coords[p.from][:given.n] {
		lo, hi, err := w.next(c)
		if err != nil {
			return nil, 0, err
		}
		s.seen.mark(p.lists.Idx[lo:hi])
	}
	next.coords[0] = s.seen.since(before)
	next.n = len(next.coords[0])
	if err := s.held.take(s.seen.bytes - had + 4*int64(next.n)); err != nil {
		return nil, 0, err
	}
	s.keep(next)
	return next, w.looked, nil
}

// groupState is what is known of a coordinate that rows lead to.
type groupState uint8

const (
	groupFree  groupState = iota
	groupKnown            // a row has it, whose value is in best
	groupFound            // the present step has found a value
)

// pushGroups is room for one value per coordinate of to. That of MAX is negated.
type pushGroups struct {
	at    []groupState
	best  []int64
	to    []fibers.Coord // found in this step
	known rowsKnown      // what becomes of groups that are known; askRows: none is
	begun bool
}

// forget makes room as for the first step: rows have changed that were known.
func (p *pushStep) forget() {
	if g := p.groups; g != nil && g.begun {
		clear(g.at)
		g.begun = false
	}
}

// begin lets groups be known where there are rows with keys.
func (p *pushStep) begin() {
	g, k := p.groups, p.of.keyed
	g.to = g.to[:0]
	if g.begun && (g.known == askRows || !k.null) {
		return
	}
	p.forget()
	g.begun, g.known = true, askRows
	if k == nil {
		return
	}
	g.known = k.known()
	if g.known == askRows {
		return
	}
	for i, c := range k.coords[k.of.key[0]] {
		if int(c) >= len(g.at) {
			continue // found nowhere
		}
		g.at[c] = groupKnown
		if g.known != dropKnown {
			g.best[c] = p.value.signed(k.its[i])
		}
	}
}

// signed is a value so that the least is the best.
func (v *pushValue) signed(x int64) int64 {
	if v != nil && v.op == semiring.Max {
		return -x
	}
	return x
}

// grouped finds a row per coordinate that the rows lead to, and takes those that are
// new, or that the filter keeps.
func (p *pushStep) grouped(ctx context.Context, given *loadRows) (next *stateRows, looked int64, err error) {
	g := p.groups
	p.begin()
	w := pushWalk{pushStep: p, ctx: ctx}
	sum := p.sum(given)
	for i := range given.n {
		lo, hi, err := w.next(given.coords[p.from][i])
		if err != nil {
			return nil, 0, err
		}
		if lo < hi {
			sum.add(i, lo, p.lists.Idx[lo:hi], g)
		}
	}
	found, err := p.rows(g)
	if err != nil {
		return nil, 0, err
	}
	state := groupFree
	if g.known != askRows {
		state = groupKnown
	}
	for _, c := range g.to {
		g.at[c] = state
	}
	next, err = p.of.admitAll(found)
	return next, w.looked, err
}

// rows are the groups as rows.
func (p *pushStep) rows(g *pushGroups) (*stateRows, error) {
	s := p.of
	out := newStateRows(len(s.state), 0)
	out.n = len(g.to)
	for c, k := range p.columns {
		if k >= 0 {
			out.coords[c] = slices.Clone(g.to)
			continue
		}
		values := make([]int64, out.n)
		for i, to := range g.to {
			values[i] = p.value.signed(g.best[to])
		}
		v := rows.Vector{Type: s.of.columns[c].Type, I64: values}
		out.coords[c] = make([]fibers.Coord, out.n)
		if err := cache.Encode(prepared(s.state[c], &v, out.n), &v, out.n, out.coords[c]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pushSum is the sum whose least is the value of a group; of MAX all is negated.
type pushSum struct {
	row      []int64 // by row; nil: none
	edge     []int64 // by entry; nil: none
	plus     int64
	negative bool // row and edge are to be negated
}

func (p *pushStep) sum(given *loadRows) *pushSum {
	v := p.value
	if v == nil {
		return &pushSum{}
	}
	out := &pushSum{plus: v.plus, negative: v.op == semiring.Max}
	if i := slices.IndexFunc(p.load.spec.Leaves, func(l load.Leaf) bool { return l.Name == v.row }); i >= 0 {
		out.row = given.leaves[i].Values
	}
	for i := range p.edges.Leaves {
		if l := &p.edges.Leaves[i]; l.Name != v.edge {
			continue
		} else if out.edge = l.I64; l.Elem == semiring.Pattern {
			out.plus++ // every one is 1
		}
	}
	out.plus = v.signed(out.plus)
	return out
}

// add combines the sums of row i and of the entries from lo on, which lead to the
// coordinates given, with those of their groups.
func (s *pushSum) add(i int, lo int32, to []fibers.Coord, g *pushGroups) {
	x := s.plus
	switch {
	case s.row != nil && s.negative:
		x -= s.row[i]
	case s.row != nil:
		x += s.row[i]
	}
	if s.edge == nil {
		for _, c := range to {
			g.put(c, x)
		}
		return
	}
	edge := s.edge[lo:][:len(to)]
	if s.negative {
		for e, c := range to {
			g.put(c, x-edge[e])
		}
		return
	}
	for e, c := range to {
		g.put(c, x+edge[e])
	}
}

// put gives a group a value, if it is better than what it has, or new.
func (g *pushGroups) put(c fibers.Coord, x int64) {
	switch g.at[c] {
	case groupFound:
		g.best[c] = min(g.best[c], x)
		return
	case groupKnown:
		if g.known == dropKnown || x > g.best[c] || x == g.best[c] && g.known == betterKnown {
			return
		}
	}
	g.at[c], g.best[c] = groupFound, x
	g.to = append(g.to, c)
}
