package exec

import (
	"context"
	"fmt"
	"strconv"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// operand is one bound operand. slots[0] holds its root position, slots[l+1]
// the position of level l's entry at the current coordinates.
type operand struct {
	plan   *physical.Operand
	tensor *fibers.Tensor
	idx    []einsum.Index
	slots  []int
	valued bool                      // some leaf with values is read
	mapped map[string]*fibers.Tensor // what hoist made of the values, by name
}

func (o *operand) last() int { return o.slots[len(o.slots)-1] }

func (o *operand) leaf(name string) *fibers.Leaf {
	if t := o.mapped[name]; t != nil {
		return &t.Leaves[0]
	}
	l := o.tensor.Leaf(name)
	invariant.Check(l != nil, "exec: tensor %s has no leaf %s", o.plan.Tensor, name)
	return l
}

// present tells, by position, the values of entries from those of no entry; nil: the
// level has no others, or does not tell.
func (o *operand) present() []uint8 {
	if len(o.tensor.Levels) > 0 {
		if l, ok := o.tensor.Levels[len(o.tensor.Levels)-1].(*fibers.BytemapLevel); ok {
			return l.Present
		}
	}
	return nil
}

// binder turns a step and its inputs into a nest.
type binder struct {
	step     *physical.Step
	query    *einsum.Query
	in       Inputs
	opt      Options
	operands []*operand
	byKey    map[string]int
	byNode   map[*einsum.Access]int // what byKey answered before
	masks    []*einsum.Compare
	maskKey  map[string]int
	loopOf   map[string]int
	required atoms      // operands and masks present at every cell
	exact    bool       // the structure is nothing but them
	fused    bool       // the entries of another step come in place of an operand
	absences []*absence // conditions of all leaves that loops test
	slots    int
	related  relations        // nil: not asked for yet
	orders   map[int]sqlOrder // by domain
	meter    *meter
	hoisted  int64 // bytes of the operands' mapped leaves
	// positives: leaves of which it is known whether all values are at least 1.
	positives map[*fibers.Leaf]bool
	singles   map[fibers.Level]bool             // by level, whether no fiber has more than one entry
	hubs      map[*fibers.SparseListLevel]*hubs // shared by the nests
}

// general is the kernel of loops of closures, cell by cell.
const general = "general"

// nest is a bound step and the state of the worker that runs it.
type nest struct {
	env    *env
	run    func(*env)
	sink   *sink
	kernel string
	rows   bool                            // the two innermost loops are one rowLoop or rowBatch
	whole  func(run func(*env)) func(*env) // around all loops; nil: nothing is
	ctx    context.Context
}

func newBinder(step *physical.Step, in Inputs, opt Options) *binder {
	invariant.Check(len(in.Operands) == len(step.Operands), "exec: %d tensors for %d operands", len(in.Operands), len(step.Operands))
	b := &binder{
		step: step, query: step.Query, in: in, opt: opt, meter: &meter{budget: opt.BudgetBytes, shared: opt.Account},
		byKey: map[string]int{}, byNode: map[*einsum.Access]int{}, maskKey: map[string]int{}, loopOf: map[string]int{},
		orders: map[int]sqlOrder{}, positives: map[*fibers.Leaf]bool{}, singles: map[fibers.Level]bool{},
	}
	for d := range step.Loops {
		b.loopOf[step.Loops[d].Index.Name] = d
	}
	for n := range step.Operands {
		plan := &step.Operands[n]
		o := &operand{plan: plan, tensor: in.Operands[n], idx: plan.Indices()}
		invariant.Check(len(o.idx) == len(o.tensor.Levels), "exec: operand %s has %d levels for %d indices", plan.Tensor, len(o.tensor.Levels), len(o.idx))
		for range len(o.idx) + 1 {
			o.slots = append(o.slots, b.slots)
			b.slots++
		}
		b.operands = append(b.operands, o)
		b.byKey[accessKey(plan.Tensor, plan.Args)] = n
	}
	p := b.presence(b.query.Leaves[0].Expr)
	b.required, b.exact = p.need, p.exact
	for _, leaf := range b.query.Leaves {
		b.markValued(leaf.Expr)
	}
	return b
}

// accessKey identifies an operand: tensor and arguments, whatever the leaf. Names have
// their lengths before them, so that no two lists of them look alike.
func accessKey(tensor string, args []einsum.Arg) string {
	key := appendName(make([]byte, 0, 64), tensor)
	for _, a := range args {
		if a.Const != nil {
			key = fmt.Appendf(key, " %+v", *a.Const)
		} else {
			key = appendName(key, a.Index.Name)
		}
	}
	return string(key)
}

func appendName(key []byte, name string) []byte {
	key = strconv.AppendInt(key, int64(len(name)), 10)
	return append(append(key, ':'), name...)
}

func (b *binder) operandOf(x *einsum.Access) int {
	if n, known := b.byNode[x]; known {
		return n
	}
	n, ok := b.byKey[accessKey(x.Tensor, x.Args)]
	invariant.Check(ok, "exec: access to %s is no operand of the step", x.Tensor)
	b.byNode[x] = n
	return n
}

// maskOf numbers a comparison among the atoms, after the operands.
func (b *binder) maskOf(m *einsum.Compare) int {
	key := fmt.Sprintf("%d %q %q", m.Op, m.L.Name, m.R.Name)
	n, ok := b.maskKey[key]
	if !ok {
		n = len(b.masks)
		b.masks = append(b.masks, m)
		b.maskKey[key] = n
	}
	return len(b.operands) + n
}

func (b *binder) markValued(x einsum.Expr) {
	switch x := x.(type) {
	case *einsum.Access:
		o := b.operands[b.operandOf(x)]
		o.valued = o.valued || o.leaf(x.Leaf).Elem != semiring.Pattern
	case *einsum.Map:
		for _, arg := range x.Args {
			b.markValued(arg)
		}
	case *einsum.Agg:
		b.markValued(x.Arg)
	}
}

// conditionFlag is the overflow flag of guards' conditions, after the leaves'.
func (b *binder) conditionFlag() int { return len(b.query.Leaves) }

// dim is the size of a loop's domain, at least that of every operand's mode.
func (b *binder) dim(index string) int {
	dim := b.in.Dims[index]
	for _, o := range b.operands {
		for l, ix := range o.idx {
			if ix.Name == index {
				dim = max(dim, o.tensor.Dims[l])
			}
		}
	}
	return dim
}

// bind makes the nest. wide tells the leaves that need 128 bits.
func (b *binder) bind(ctx context.Context, wide []bool) *nest {
	n := b.prepare(ctx, wide)
	n.run = b.compose(n)
	cell := stats.EvaluationNs(b.query)
	if n.kernel == general {
		cell = stats.GeneralNs
	}
	n.env.tank = int64(gasUnits * stats.ProductNs / max(cell, stats.ProductNs))
	n.env.gas = n.env.tank
	if b.hoisted > 0 {
		n.kernel += " of mapped values"
	}
	if n.whole != nil {
		n.run = n.whole(n.run)
	}
	return n
}

// prepare makes a nest without its loops.
func (b *binder) prepare(ctx context.Context, wide []bool) *nest {
	e := &env{
		ctx: ctx, meter: b.meter, pool: b.opt.Pool, gas: gasUnits, tank: gasUnits,
		ix: make([]fibers.Coord, len(b.step.Loops)), pos: make([]int32, b.slots), over: make([]bool, len(b.query.Leaves)+1),
	}
	n := &nest{env: e, ctx: ctx, kernel: general}
	accs := make([]accumulator, len(b.query.Leaves))
	for l := range accs {
		accs[l] = b.accumulator(l, wide[l])
	}
	n.sink = b.newSink(e, accs)
	for _, o := range b.operands {
		e.pos[o.slots[0]] = o.tensor.Root
		if o.tensor.NNZ == 0 {
			e.pos[o.slots[0]] = -1
		}
	}
	return n
}

// empty reports whether a required operand has no entries, or a mask of no
// index can tell: then there is nothing to traverse.
func (b *binder) empty() bool {
	for n, o := range b.operands {
		if b.required.has(n) && o.tensor.NNZ == 0 {
			return true
		}
	}
	return false
}

// compose nests all loops.
func (b *binder) compose(n *nest) func(*env) { return b.composeFrom(n, 0) }

// composeFrom nests the loops from the innermost outwards to loop first, with the
// sink's group around the loops that it collects over. Loops further out are
// somebody else's.
func (b *binder) composeFrom(n *nest, first int) func(*env) {
	s := n.sink
	var brk *breaker
	if first == 0 {
		brk = b.breaker(s)
	}
	body := s.take
	if brk != nil {
		body = brk.take
	}
	body = b.unmasked(s, body)
	if !b.exact {
		body = b.residual(body)
	}
	var hop *cellLoop
	if first == 0 {
		hop = b.hopLoop(brk, s)
	}
	last := len(b.step.Loops) - 1
	if s.group == last+1 {
		body = s.around(body)
	}
	for d := last; d >= first; d-- {
		l := b.newLoop(d, b.passing(d, s, body))
		l.breaker = brk.of(d)
		body = l.run
		if d == last && !b.opt.NoRegistry && hop == nil {
			if around, run := b.specialised(n, l, brk, first); run != nil {
				d, l, body = around.d, around, run
			}
		}
		if point := l.point(); point != nil {
			body = point
			if d == last {
				n.kernel, s.flush = general, nil
			}
		}
		if hop != nil && d == hop.d {
			body = hop.hops.around(hop, body)
			n.kernel, n.whole = hopName, hop.around
		}
		body = brk.around(d, l.overRuns(l.inParts(body)))
		if s.group == d {
			body = s.around(body)
		}
	}
	return body
}

// specialised returns the innermost loop as one that runs kernels, and the loop
// that it stands for: the one around it, where kernels take rows and it is not
// further out than loop first. nil where the registry has none.
func (b *binder) specialised(n *nest, l *loop, brk *breaker, first int) (*loop, func(*env)) {
	if first == 0 { // what is collected over several loops needs all of them
		if c := b.cellLoop(l, n.sink); c != nil {
			n.kernel, n.whole = "append-columns", c.around
			if c.union != nil {
				n.kernel = unionName(n.kernel)
			}
			return l, c.run
		}
	}
	f, name := b.fastLoop(l, n.sink)
	if f == nil {
		return l, nil
	}
	run := f.run
	if brk.atOnce(l.d) {
		if !f.certain() {
			n.sink.flush = nil
			return l, nil
		}
		run, name = f.runAny, "any-probe"
	}
	n.kernel = name
	if l.d == first {
		return l, brk.after(l.d, run)
	}
	if first == 0 && len(b.absences) == 0 {
		if batch := b.rowBatch(brk, f, n.sink); batch != nil {
			n.rows, n.whole, n.kernel = true, batch.around, batchName(name)
			return batch.loop, batch.run
		}
	}
	if len(b.absences) == 0 { // rows that are masked are not told apart
		if rows := b.rowLoop(brk, f, n.sink); rows != nil {
			n.rows = true
			return rows.loop, rows.run
		}
	}
	if !b.columnsPay(f) {
		n.kernel, n.sink.flush = general, nil
		return l, nil
	}
	return l, brk.after(l.d, run)
}

// residual tests the part of the structure that loops do not restrict.
func (b *binder) residual(body func(*env)) func(*env) {
	present := b.presentFunc(b.query.Leaves[0].Expr)
	return func(e *env) {
		if present(e) {
			body(e)
		}
	}
}
