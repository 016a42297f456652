package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// cellLoop is an innermost loop each of whose cells is an entry of the output: a
// map. Cells are collected, over as many runs as it takes, and then evaluated
// column by column.
type cellLoop struct {
	batcher
	sink   *sink
	leaves []columnLeaf
	lanes  *lanes
	reads  []cellColumn
	coords [][]fibers.Coord // by mode of the output
	n      int              // cells collected
	outer  func(*env) bool  // as of a fastLoop
	masked []bool           // of the collected cells; nil: there is no absence
	hops   *hops            // not nil: the loops inside
}

// cellColumn is the positions of the collected cells in one operand.
type cellColumn struct {
	op   int
	term int // of the loop; -1: the position stays in a run
	slot int
	at   []int32
}

// cellLoop returns nil where the cells are not entries, or an expression cannot be
// evaluated column by column.
func (b *binder) cellLoop(l *loop, s *sink) *cellLoop {
	if s.kind != format.None || s.group != l.d+1 {
		return nil
	}
	if len(l.terms) == 0 && !l.covered || len(l.repeats)+len(l.again) > 0 {
		return nil
	}
	c := &cellLoop{batcher: newBatcher(l), sink: s, lanes: newLanes(len(b.operands))}
	if !b.batchUnion(&c.batcher) {
		return nil
	}
	for n, acc := range s.accs {
		leaf := b.columnLeaf(n, acc)
		if leaf == nil {
			return nil
		}
		c.leaves = append(c.leaves, leaf)
	}
	if len(b.absences) > 0 {
		if slices.ContainsFunc(b.query.Leaves, func(l einsum.Leaf) bool { return !safe(bodyOf(l.Expr)) }) {
			return nil // what is masked is not evaluated
		}
		c.outer, c.masked = b.maskedWithin(l.d), make([]bool, kernel.BatchMax)
	}
	c.numbered = true
	for op, o := range b.operands {
		if b.lacking(op) || !o.valued && b.required.has(op) {
			continue
		}
		read := cellColumn{op: op, term: l.termIndex(op), slot: o.last(), at: make([]int32, kernel.BatchMax)}
		if read.term >= 0 {
			c.valued[read.term] = true
		}
		c.reads = append(c.reads, read)
		c.lanes.at[op].ix = read.at
	}
	for range s.loops {
		c.coords = append(c.coords, make([]fibers.Coord, kernel.BatchMax))
	}
	return c
}

func (c *cellLoop) run(e *env) {
	lead, from, to := c.start(e)
	c.lead = lead
	if c.merged {
		c.runMerged(e)
		return
	}
	for c.at = from; c.at < to; c.at += kernel.BatchMax {
		n := min(to-c.at, kernel.BatchMax)
		if !e.burn(int(n)) {
			return
		}
		c.batch(e, n)
	}
}

// runMerged is run where the union of the optional terms leads.
func (c *cellLoop) runMerged(e *env) {
	c.lead, c.at = &c.union.lead, 0
	for n := c.union.next(c.loop); n > 0; n = c.union.next(c.loop) {
		if !e.burn(int(n) * len(c.optional)) {
			return
		}
		c.batch(e, n)
	}
}

// batch takes those of the leader's next n entries that pass.
func (c *cellLoop) batch(e *env, n int32) {
	c.selectBatch(e, n)
	if c.keepPresent(e); len(c.sel.Ks) > 0 {
		c.collect(e)
	}
}

// collect takes the selected cells.
func (c *cellLoop) collect(e *env) {
	if c.hops != nil {
		c.collectHops(e)
		return
	}
	n := len(c.sel.Ks)
	if c.n == 0 && n == kernel.BatchMax && c.masked == nil {
		c.whole(e)
		return
	}
	if c.n+n > kernel.BatchMax {
		c.flush(e)
	}
	for _, read := range c.reads {
		dst := read.at[c.n:][:n]
		if read.term < 0 {
			kernel.FillColumn(dst, e.pos[read.slot])
			continue
		}
		c.locate(e, read.term)
		c.sources[read.term].positions(dst, n)
	}
	if c.masked != nil {
		c.mask(e, c.masked[c.n:][:n])
	}
	c.placeCells(e, c.sel.Ks)
	c.n += n
}

// collectHops takes those of the selected cells that have one in the loops inside.
func (c *cellLoop) collectHops(e *env) {
	h := c.hops
	n := h.run(e, c)
	switch {
	case n == 0:
		return
	case c.n == 0 && n >= kernel.BatchMax/2: // long enough where it is
		for _, read := range c.reads {
			c.lanes.at[read.op] = h.place(e, read.slot)
		}
		c.placeCells(e, h.ks[:n])
		c.n = n
		c.flush(e)
		c.unplace()
		return
	case c.n+n > kernel.BatchMax:
		c.flush(e)
	}
	for _, read := range c.reads {
		copy(read.at[c.n:], h.at(e, read.slot, n))
	}
	c.placeCells(e, h.ks[:n])
	c.n += n
}

// unplace has the lanes be the collected cells again.
func (c *cellLoop) unplace() {
	for _, read := range c.reads {
		c.lanes.at[read.op] = place{source: source{ix: read.at}}
	}
}

// whole evaluates a batch that is as long as they get, where it is.
func (c *cellLoop) whole(e *env) {
	for _, read := range c.reads {
		at := &c.lanes.at[read.op]
		if read.term < 0 {
			*at = place{source: source{off: e.pos[read.slot]}, fixed: true}
			continue
		}
		c.locate(e, read.term)
		*at = place{source: c.sources[read.term]}
	}
	c.placeCells(e, c.sel.Ks)
	c.n = kernel.BatchMax
	c.flush(e)
	c.unplace()
}

// placeCells writes the coordinates of cells of a run after those of the ones
// collected.
func (c *cellLoop) placeCells(e *env, ks []fibers.Coord) {
	if c.sink.out.unplaced {
		return
	}
	last := len(c.coords) - 1
	for m, col := range c.coords[:last] {
		kernel.FillColumn(col[c.n:][:len(ks)], e.ix[c.sink.loops[m]])
	}
	copy(c.coords[last][c.n:], ks)
}

// mask tells which of the selected cells an absence masks.
func (c *cellLoop) mask(e *env, masked []bool) {
	all := c.outer != nil && c.outer(e)
	for i := range masked {
		masked[i] = all
	}
	if all {
		return
	}
	for _, k := range c.lacks {
		if !k.last || k.absent {
			continue
		}
		for i, at := range c.sel.Ks {
			masked[i] = k.masks(e, at) || masked[i]
		}
	}
}

// around runs body, the whole nest, and then the cells that are left.
func (c *cellLoop) around(body func(*env)) func(*env) {
	return func(e *env) {
		c.n = 0
		body(e)
		c.flush(e)
	}
}

// flush evaluates the collected cells and appends them to the output.
func (c *cellLoop) flush(e *env) {
	n := c.n
	c.n = 0
	if n == 0 || e.err != nil {
		return
	}
	e.cells += int64(n)
	c.lanes.begin(n)
	for _, leaf := range c.leaves {
		if leaf.evaluate(e, c.lanes); leaf.faulty() {
			leaf.explain(e, c.lanes)
			return
		}
		if c.masked != nil && anyOf(c.masked[:n]) {
			leaf.mask(c.masked[:n])
		}
	}
	c.sink.out.appendColumns(c.coords, n, func(l int, dst *fibers.Leaf, from, to int) {
		c.leaves[l].appendRange(dst, from, to)
	})
}

// appendColumns appends n entries: the coordinates of every mode, and leaf by leaf
// what appendRange gives of entries from..to-1.
func (o *output) appendColumns(coords [][]fibers.Coord, n int, appendRange func(l int, dst *fibers.Leaf, from, to int)) {
	for from := 0; from < n; {
		c := o.room()
		if c == nil {
			return
		}
		to := min(n, from+c.cap-c.n)
		if !o.unplaced {
			for m, col := range coords {
				c.coords[m] = append(c.coords[m], col[from:to]...)
			}
		}
		for l := range c.leaves {
			appendRange(l, &c.leaves[l], from, to)
		}
		c.n += to - from
		o.n += to - from
		from = to
	}
}
