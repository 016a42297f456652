package physical

import (
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// order searches the loop order and settles the order of the result: the one of
// those wanted that the step makes for least.
func (b *builder) order(d *draft) {
	p, wanted := b.problem(d), b.wanted[d.step.Query.Name]
	var best *state
	for k := range max(len(wanted.orders), 1) {
		if len(wanted.orders) > 0 {
			p.wanted = nil
			for _, m := range wanted.orders[k] {
				p.wanted = append(p.wanted, slices.Index(d.body.Indices, d.step.Query.Idxs[m]))
			}
		}
		if s := b.solve(p, d); best == nil || s.cost < best.cost {
			best, wanted.first = s, k
			d.gather = p.gatherOf(s)
			d.order = d.order[:0]
			for _, x := range p.outputs(s) {
				d.order = append(d.order, d.body.Indices[x])
			}
		}
	}
	if len(wanted.orders) > 0 && b.opt.Any == nil {
		p.wanted = nil
		if s := p.solve(); s.cost < naturalGain*best.cost {
			d.natural = nil
			for _, x := range p.outputs(s) {
				d.natural = append(d.natural, slices.Index(d.step.Query.Idxs, d.body.Indices[x]))
			}
		}
	}
	d.cost, d.loops, d.matched = best.cost, best.loops(), bits.OnesCount64(best.lead)
	var outer uint64
	for _, x := range d.loops {
		outer |= 1 << x
		d.out.Loops = append(d.out.Loops, Loop{
			Index: d.body.Indices[x], Masks: masksAt(d.body, outer, x), Iterations: d.nest.Size(outer),
		})
	}
}

// naturalGain is how much less a step must cost in the order that is best for itself
// for its consumers to be asked for that.
const naturalGain = 0.999

// folds reports whether a step does nothing but fold the entries of the step before
// it, which nobody else reads: it takes them as they come (Fuse), in whatever order.
func (b *builder) folds(d *draft) bool {
	if len(d.body.Operands) != 1 || len(d.body.Masks) > 0 {
		return false
	}
	i := slices.Index(b.steps, d.step)
	if i == 0 {
		return false
	}
	op, before := d.body.Operands[0], b.steps[i-1].Query
	if op.Tensor != before.Name || bits.OnesCount64(op.Set) != len(before.Idxs) || len(before.Idxs) == 0 {
		return false
	}
	return b.readers[before.Name] == 1
}

// problem describes the search for a step's loop order.
func (b *builder) problem(d *draft) *orderProblem {
	body, q := d.body, d.step.Query
	p := &orderProblem{
		nest: d.nest, all: body.All(), free: body.Free, out: b.cat.Tensor(q.Name).Stats.NNZ,
		slotBytes: valueBytes(b.cat.Elems(q)), budgetBytes: b.opt.BudgetBytes, folds: b.folds(d),
		sparing: b.sparing, flat: d.flat,
	}
	for _, x := range body.Indices {
		p.dim = append(p.dim, b.cat.Dim(x))
	}
	groups, required := map[string]uint64{}, d.required()
	for i, op := range body.Operands {
		if required&(1<<i) != 0 {
			p.keys = append(p.keys, b.keysOf(body, op)...)
		}
		if b.cat.Tensor(op.Tensor).Stats.NNZ > farEntries && !p.folds && !p.flat {
			p.large = append(p.large, op.Set)
		}
		if f, ok := b.fixed(body, op); ok {
			f.group = groupOf(groups, op, i)
			p.fixed = append(p.fixed, f)
		}
	}
	return p
}

// keysOf are the keys of an operand that is an input.
func (b *builder) keysOf(body *logical.Body, op logical.Operand) []keyed {
	var out []keyed
	for _, modes := range b.keys[op.Tensor] {
		k := keyed{set: op.Set}
		for _, m := range modes {
			if op.Args[m].Const == nil {
				k.key |= 1 << slices.Index(body.Indices, op.Args[m].Index)
			}
		}
		out = append(out, k)
	}
	return out
}

// groupOf is the bit of the operands that read the same layout when they do not
// read a given one: of two modes there is only one other order.
func groupOf(groups map[string]uint64, op logical.Operand, i int) uint64 {
	key := op.Tensor
	if len(op.Args) != 2 {
		key = op.Tensor + "\x00" + string(rune(i))
	}
	if groups[key] == 0 {
		groups[key] = 1 << len(groups)
	}
	return groups[key]
}

// solve searches a loop order. A step's result that is read twice, and by nobody
// else so far, is laid out in one of the orders that are best without regard to
// that, if the two differ.
func (b *builder) solve(p *orderProblem, d *draft) *state {
	if b.opt.Any != nil {
		return b.random(p)
	}
	best := p.solve()
	name, layouts := b.readTwice(d, best)
	if len(layouts) < 2 {
		return best
	}
	given := p.fixed
	best = nil
	for _, layout := range layouts {
		p.fixed = slices.Clone(given)
		for i, op := range d.body.Operands {
			if op.Tensor == name {
				f := b.fixedTo(d.body, op, [][]int{layout}, reorderCost)
				f.group = 1 << min(len(given)+i, 63)
				p.fixed = append(p.fixed, f)
			}
		}
		if s := p.solve(); best == nil || s.cost < best.cost {
			best = s
		}
	}
	p.fixed = given
	return best
}

// readTwice finds a step's result that the order reads in several layouts and that
// has none yet.
func (b *builder) readTwice(d *draft, s *state) (string, [][]int) {
	var loops []einsum.Index
	for _, x := range s.loops() {
		loops = append(loops, d.body.Indices[x])
	}
	for i, op := range d.body.Operands {
		if b.cat.Tensor(op.Tensor).Input || len(b.wanted[op.Tensor].orders) > 0 {
			continue
		}
		layouts := [][]int{layoutOf(op.Args, loops)}
		for _, other := range d.body.Operands[i+1:] {
			if layout := layoutOf(other.Args, loops); other.Tensor == op.Tensor &&
				!slices.ContainsFunc(layouts, func(l []int) bool { return slices.Equal(l, layout) }) {
				layouts = append(layouts, layout)
			}
		}
		if len(layouts) > 1 {
			return op.Tensor, layouts
		}
	}
	return "", nil
}

// random is any loop order.
func (b *builder) random(p *orderProblem) *state {
	at := &state{}
	for _, i := range b.opt.Any.Perm(bits.OnesCount64(p.all)) {
		at = p.extend(at, i)
	}
	return at
}

// outputs is the order in which the result is stored, as indices of the body.
func (p *orderProblem) outputs(s *state) []int {
	if len(p.wanted) > 0 {
		return p.wanted
	}
	var out []int
	for _, x := range s.loops() {
		if p.free&(1<<x) != 0 {
			out = append(out, x)
		}
	}
	return out
}

// gatherOf is what the workspace has to do in a complete loop order, if the storage of an
// operand does not show that loops between those of the result have one coordinate.
func (p *orderProblem) gatherOf(s *state) gathering {
	for s.from != nil && p.free&^s.from.set == 0 && s.from.set != 0 {
		s = s.from
	}
	strict := *s
	strict.prefix = s.lead
	return p.gathering(&strict)
}

// valueBytes is the size of an entry's values.
func valueBytes(elems []semiring.Elem) float64 {
	bytes := 0.0
	for _, e := range elems {
		bytes += 8
		if e == semiring.I128 {
			bytes += 8
		}
	}
	return bytes
}

// fixed returns the layouts of an operand that the loop order should keep to:
// those of other uses in the plan, else an input's declared order.
func (b *builder) fixed(body *logical.Body, op logical.Operand) (fixedLayout, bool) {
	t := b.cat.Tensor(op.Tensor)
	layouts, cost := b.inputs[op.Tensor], relayoutCost
	switch {
	case !t.Input:
		layouts, cost = b.wanted[op.Tensor].orders, reorderCost
	case layouts == nil:
		declared := make([]int, len(op.Args))
		for m := range declared {
			declared[m] = m
		}
		layouts = [][]int{declared}
	}
	f := b.fixedTo(body, op, layouts, cost)
	return f, len(f.orders) > 0 && len(f.orders[0]) > 1
}

// fixedTo has an operand keep to layouts, at a cost per entry otherwise.
func (b *builder) fixedTo(body *logical.Body, op logical.Operand, layouts [][]int, cost float64) fixedLayout {
	f := fixedLayout{set: op.Set, cost: cost * b.cat.Tensor(op.Tensor).Stats.NNZ}
	for _, layout := range layouts {
		var order []int
		for _, m := range layout {
			if op.Args[m].Const == nil {
				order = append(order, slices.Index(body.Indices, op.Args[m].Index))
			}
		}
		f.orders = append(f.orders, order)
	}
	return f
}

// workspace is where a step gathers its entries.
func (b *builder) workspace(g *gathering) format.Workspace {
	w, _ := g.workspace(b.opt.BudgetBytes)
	if b.opt.Any == nil || g.modes == 0 {
		return w
	}
	legal := []format.Workspace{format.HashWorkspace}
	if g.slots <= maxDenseWorkspace {
		legal = append(legal, format.DenseWorkspace)
	}
	if g.once {
		legal = append(legal, format.SortWorkspace)
	}
	return legal[b.opt.Any.IntN(len(legal))]
}
