package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// fastColumn is a leaf of a fastLoop that is no sum of products: its expression is
// evaluated column by column over the selected cells. Where all cells of a group
// end in one slot they are collected over the group's runs, so that columns are
// long however short the runs are.
type fastColumn[T any] struct {
	*valueColumn[T]
	lanes *lanes
	terms []int     // per operand of the expression, its term of the loop; -1: none
	cells [][]int32 // per operand, the positions of the collected cells
	n     int       // cells collected
	total T         // of the evaluated cells
}

// columnsFrom is the number of cells from which columns beat cells where a run's
// cells are evaluated by themselves (BenchmarkColumns, entry=row).
const columnsFrom = 4

// collects reports whether several runs of the loop end in one slot.
func (f *fastLoop) collects() bool { return f.deferred && f.sink.group < f.d }

// columnsPay reports whether a bound loop that evaluates columns run by run, as it
// must unless it collects cells, is expected to have enough of them in a run.
func (b *binder) columnsPay(f *fastLoop) bool {
	if f.collects() || f.key.Shape != kernel.Reduce || f.d == 0 {
		return true
	}
	runs, cells := b.step.Loops[f.d-1].Iterations, b.step.Loops[f.d].Iterations
	if f.union != nil { // the loop may run more often than each of the fibers says
		cells = max(cells, b.step.BodyNNZ)
	}
	if runs == 0 || cells >= columnsFrom*runs {
		return true
	}
	return !slices.ContainsFunc(f.leaves, func(leaf fastLeaf) bool {
		switch leaf.(type) {
		case *fastColumn[int64], *fastColumn[float64], *fastColumn[semiring.Int128]:
			return true
		}
		return false
	})
}

// fastColumnLeaf binds leaf n of the query; nil where its expression cannot be
// evaluated column by column.
func (b *binder) fastColumnLeaf(f *fastLoop, n int, acc accumulator) fastLeaf {
	switch leaf := b.columnLeaf(n, acc).(type) {
	case *valueColumn[int64]:
		return bindFastColumn(b, f, leaf)
	case *valueColumn[float64]:
		return bindFastColumn(b, f, leaf)
	case *valueColumn[semiring.Int128]:
		return bindFastColumn(b, f, leaf)
	default:
		return nil
	}
}

func bindFastColumn[T any](b *binder, f *fastLoop, v *valueColumn[T]) fastLeaf {
	c := &fastColumn[T]{valueColumn: v, lanes: newLanes(len(b.operands)), cells: make([][]int32, len(v.operands))}
	for _, op := range v.operands {
		t := f.termIndex(op)
		if o := b.operands[op]; t >= 0 && (o.valued || t >= len(f.terms)) {
			f.valued[t] = true
		}
		c.terms = append(c.terms, t)
	}
	c.reset()
	return c
}

// depth: whatever the expression reads of the loops around is read with the cells.
func (c *fastColumn[T]) depth() int   { return -1 }
func (c *fastColumn[T]) factors() int { return max(1, len(c.terms)) }

func (c *fastColumn[T]) reset() { c.n, c.total = 0, c.acc.identity }

func (c *fastColumn[T]) reduce(e *env, f *fastLoop) {
	n := len(f.sel.Ks)
	switch {
	case !f.collects() && n < columnsFrom:
		c.each(e, f)
		return
	case !f.collects(), n == kernel.BatchMax && c.n == 0:
		if c.selected(e, f) {
			c.total = c.fold(e, c.total)
		}
		return
	}
	if c.n+n > kernel.BatchMax {
		c.settle(e)
	}
	for k := range c.operands {
		if c.cells[k] == nil {
			c.cells[k] = make([]int32, kernel.BatchMax)
		}
		dst := c.cells[k][c.n:][:n]
		if src := c.source(f, k); src != nil {
			src.positions(dst, n)
		} else {
			kernel.FillColumn(dst, e.pos[c.slots[k]])
		}
	}
	c.n += n
}

// each adds the selected cells one by one.
func (c *fastColumn[T]) each(e *env, f *fastLoop) {
	for i := range f.sel.Ks {
		for k, slot := range c.slots {
			if src := c.source(f, k); src != nil {
				e.pos[slot] = src.at(i)
			}
		}
		v := c.acc.eval(e)
		if e.skip {
			e.skip = false
			continue
		}
		var ok bool
		if c.total, ok = c.acc.combine(c.total, v); !ok {
			e.over[c.acc.leaf] = true
		}
	}
}

// source is where the selected cells' positions of operand number k are; nil:
// they have one.
func (c *fastColumn[T]) source(f *fastLoop, k int) *source {
	if t := c.terms[k]; t >= 0 && f.valued[t] {
		return &f.sources[t]
	}
	return nil
}

// selected evaluates the selected cells; false when a function has no value.
func (c *fastColumn[T]) selected(e *env, f *fastLoop) bool {
	for k, op := range c.operands {
		c.lanes.at[op] = place{source: source{off: e.pos[c.slots[k]]}, fixed: true}
		if src := c.source(f, k); src != nil {
			c.lanes.at[op] = place{source: *src}
		}
	}
	return c.valued(e, len(f.sel.Ks))
}

// valued evaluates n lanes; false when a function has no value.
func (c *fastColumn[T]) valued(e *env, n int) bool {
	if e.err != nil {
		return false
	}
	c.lanes.begin(n)
	if c.evaluate(e, c.lanes); c.faulty() {
		c.explain(e, c.lanes)
		return false
	}
	return true
}

// settle evaluates the collected cells.
func (c *fastColumn[T]) settle(e *env) {
	for k, op := range c.operands {
		c.lanes.at[op] = place{source: source{ix: c.cells[k]}}
	}
	if c.n > 0 && c.valued(e, c.n) {
		c.total = c.fold(e, c.total)
	}
	c.n = 0
}

func (c *fastColumn[T]) finish(e *env, _ *fastLoop, slot int32) {
	c.settle(e)
	var ok bool
	if c.acc.vals[slot], ok = c.acc.combine(c.acc.vals[slot], c.total); !ok {
		e.over[c.acc.leaf] = true
	}
}

func (c *fastColumn[T]) scatter(e *env, f *fastLoop) {
	if !c.selected(e, f) {
		return
	}
	if c.skip == nil && c.spread != nil && c.op == semiring.Add {
		if !c.spread(c.acc.vals, f.slots, c.acc.one, c.vals, nil) {
			e.over[c.acc.leaf] = true
		}
		return
	}
	for i, slot := range f.slots {
		c.add(e, i, slot)
	}
}
