package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// rowBatch is a nest's innermost loop where it runs over arrays and bands only, and
// each of its runs is one entry of the output: a row. Rows are collected, over as
// many runs of the loops around as it takes, and then computed together: the arrays'
// slices by kernels that fetch them ahead, what is around them column by column. Runs
// of the loop around may be as short as they like.
type rowBatch struct {
	*loop  // the one around the innermost
	inner  *fastLoop
	sink   *sink
	each   func(*env) // the innermost loop and what is around it, for one row
	leaves []batchLeaf
	lanes  *lanes    // the rows' operands
	width  int32     // of a row, at most
	spans  *rowSpans // of rows that bands bound; nil: each row has the full width
	limit  int       // rows to collect
	n      int       // rows collected
	pos    []rowColumn
	coords [][]fibers.Coord // by mode of the output
	lead   *term            // not nil: a run of the loop is the entries of its fiber
}

// rowColumn is the positions of the collected rows in one position slot.
type rowColumn struct {
	slot int
	term *term // with lead: the loop's term that moves the slot, a block or lead; nil: none
	at   []int32
}

// batchName is the kernel's name in a step's statistics where it runs in a rowBatch.
func batchName(kernel string) string { return kernel + " of collected rows" }

// batchLeaf is a leaf that is computed for many rows.
type batchLeaf interface {
	// compute finds the values of the collected rows.
	compute(e *env, r *rowBatch)
	// appendRange appends those of rows from..to-1 to a leaf of an output chunk.
	appendRange(dst *fibers.Leaf, from, to int)
}

// rowBatch joins the loop f with the one around it, or returns nil where f does
// not run over arrays alone, or not for entries of the output.
func (b *binder) rowBatch(brk *breaker, f *fastLoop, s *sink) *rowBatch {
	if f.d == 0 || brk != nil || len(f.optional) > 0 || f.bounded() || b.sliced(f.d) || s.kind != format.None || s.group != f.d {
		return nil
	}
	r := &rowBatch{inner: f, sink: s, width: f.limit, lanes: newLanes(len(b.operands)), each: s.around(f.run)}
	for i, t := range f.terms {
		if t.kind != format.Dense && t.kind != format.Band || !f.passes[i] {
			return nil
		}
		r.width = min(r.width, t.dim)
	}
	if r.width <= 0 || r.width > gasUnits {
		return nil
	}
	r.limit = min(kernel.BatchMax, gasUnits/int(r.width))
	if slices.ContainsFunc(f.terms, func(t *term) bool { return t.kind == format.Band }) {
		if r.limit < bandRowsMin {
			return nil
		}
		r.bindSpans()
	}
	for l, leaf := range f.leaves {
		row := b.batchLeaf(r, l, leaf)
		if row == nil {
			return nil
		}
		r.leaves = append(r.leaves, row)
	}
	for op, o := range b.operands {
		if o.valued && f.termIndex(op) < 0 {
			r.lanes.at[op].ix = r.column(o.last())
		}
	}
	r.loop = b.newLoop(f.d-1, r.push)
	for range s.loops {
		r.coords = append(r.coords, make([]fibers.Coord, r.limit))
	}
	r.lead = r.leader(b)
	return r
}

// column returns the positions of a slot, which is collected from here on.
func (r *rowBatch) column(slot int) []int32 {
	for i := range r.pos {
		if r.pos[i].slot == slot {
			return r.pos[i].at
		}
	}
	r.pos = append(r.pos, rowColumn{slot: slot, at: make([]int32, r.limit)})
	return r.pos[len(r.pos)-1].at
}

// leader returns the term of the loop whose fiber is all of a run: the others are
// arrays that have every coordinate. Nil where there is more to a run.
func (r *rowBatch) leader(b *binder) *term {
	l := r.loop
	if l.bounded() || b.sliced(l.d) || len(l.repeats)+len(l.optional)+len(l.again) > 0 {
		return nil
	}
	var lead *term
	for _, t := range l.terms {
		switch {
		case t.kind == format.Dense:
		case lead == nil && (t.kind == format.SparseList || t.kind == format.Bytemap):
			lead = t
		default:
			return nil
		}
	}
	if lead == nil || l.limit < lead.dim {
		return nil
	}
	for i := range r.pos {
		for _, t := range l.terms {
			if t.slot == r.pos[i].slot {
				r.pos[i].term = t
			}
		}
	}
	return lead
}

// run is a run of the loop around the innermost.
func (r *rowBatch) run(e *env) {
	if r.lead == nil || e.cut > r.d {
		r.loop.run(e)
		return
	}
	p := e.pos[r.lead.parent]
	for at, end := r.lead.ptr[p], r.lead.ptr[p+1]; at < end; {
		n := min(int(end-at), r.limit-r.n)
		if !e.burn(n) {
			return
		}
		r.collect(e, at, n)
		at += int32(n)
		if r.n == r.limit {
			r.flush(e)
		}
	}
}

// collect takes n entries of the leader from at on.
func (r *rowBatch) collect(e *env, at int32, n int) {
	from, to := r.n, r.n+n
	ks := r.lead.idx[at:][:n]
	for i := range r.pos {
		c := &r.pos[i]
		dst := c.at[from:to]
		switch t := c.term; {
		case t == nil:
			kernel.FillColumn(dst, e.pos[c.slot])
		case t.byKey:
			base := e.pos[t.parent] * t.dim
			for j, k := range ks {
				dst[j] = base + k
			}
		default:
			for j := range dst {
				dst[j] = at + int32(j)
			}
		}
	}
	if !r.sink.out.unplaced {
		last := len(r.coords) - 1
		for m, col := range r.coords[:last] {
			kernel.FillColumn(col[from:to], e.ix[r.sink.loops[m]])
		}
		copy(r.coords[last][from:to], ks)
	}
	r.n = to
}

// push collects the current row.
func (r *rowBatch) push(e *env) {
	if e.cut > r.inner.d { // a piece of it
		r.each(e)
		return
	}
	for i := range r.pos {
		r.pos[i].at[r.n] = e.pos[r.pos[i].slot]
	}
	if !r.sink.out.unplaced {
		for m, col := range r.coords {
			col[r.n] = e.ix[r.sink.loops[m]]
		}
	}
	if r.n++; r.n == r.limit {
		r.flush(e)
	}
}

// around runs body, the whole nest, and then the rows that are left.
func (r *rowBatch) around(body func(*env)) func(*env) {
	return func(e *env) {
		r.n = 0
		body(e)
		r.flush(e)
	}
}

// flush computes the collected rows and appends them to the output.
func (r *rowBatch) flush(e *env) {
	n, cells := r.n, r.n*int(r.width)
	r.n = 0
	if n > 0 && r.spans != nil {
		n, cells = r.span(n)
	}
	if n == 0 || e.err != nil || !e.burn(cells) {
		return
	}
	e.cells += int64(cells)
	r.lanes.begin(n)
	for _, leaf := range r.leaves {
		if leaf.compute(e, r); e.err != nil {
			return
		}
	}
	r.sink.out.appendColumns(r.coords, n, func(l int, dst *fibers.Leaf, from, to int) {
		r.leaves[l].appendRange(dst, from, to)
	})
}

// termIndex is the loop's term of an operand, len(l.terms) on for an optional one,
// or -1.
func (l *loop) termIndex(op int) int {
	for i, t := range l.terms {
		if t.op == op {
			return i
		}
	}
	for i, t := range l.optional {
		if t.op == op {
			return len(l.terms) + i
		}
	}
	return -1
}
