package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// rowLoop runs the two innermost loops together. The outer one's entries, the
// rows, come in batches; the inner loop runs over all rows of a batch by kernels
// that take rows. It saves what a run of the inner loop costs beside its entries
// (fibers opened, leader chosen, totals moved to their slot), which for rows of
// a few entries is nearly everything.
//
// The inner loop's operands are, of those whose fiber moves with the row, one
// sorted list, and of those whose fiber stays, arrays by coordinate and lists
// that are marked and probed. Or all are arrays, and then a row is a slice of each.
type rowLoop struct {
	batcher // of the outer loop
	sink    *sink
	inner   *fastLoop
	each    func(*env) // the inner loop and what is around it, for one row
	mode    rowMode
	leaves  []rowLeaf
	lead    *term   // of the inner loop, moves with the row; nil: all are arrays
	moving  int     // the outer loop's term that leads to it
	probes  []*term // of the inner loop, stay, and admit only some coordinates
	met     *meeting
	pairs   *pairs    // not nil: only the number of cells is wanted
	place   [][]int32 // per outer term, the positions of the selected rows
	wanted  []bool    // per outer term, whether somebody reads its position
	from    int       // the first row of the segment that kernels see
	rows    kernel.Rows
	ks      []int32 // coordinates of the segment's rows
	found   []int32 // per row of the segment, its cells
	counts  [kernel.BatchMax]int32
	kept    []int32 // rows of the segment with cells
	keep    [kernel.BatchMax]int32
	width   int32            // arrays: the length of a row
	across  []int32          // slices: the coordinates of every row
	fresh   *valueAcc[int64] // counts that tell by themselves which coordinates are touched
	narrow  bool             // and 32 bits hold them: each row of the one run in a group adds 1 at most
	tally   []uint32         // counts in 32 bits, where nobody asks for coordinates
	any     bool             // a row's first cell is enough
}

// rowMode is where rows' totals go.
type rowMode uint8

const (
	rowAppend  rowMode = iota // each row is an entry of the output
	rowTotal                  // all rows of a batch end in one slot
	rowTouch                  // each row ends in the slot of its coordinates
	rowScatter                // each entry ends in the slot of its coordinate
)

// rowLeaf is a leaf that can be computed for many rows at once.
type rowLeaf interface {
	fastLeaf
	// bindRows prepares it for r and reports whether there are kernels.
	bindRows(r *rowLoop) bool
	// begin forgets coefficients of an earlier run of the outer loop.
	begin()
	// reduceRows computes the totals of the segment's rows.
	reduceRows(e *env, r *rowLoop)
	// scatterRows adds the segment's entries to the slots of their coordinates.
	scatterRows(e *env, r *rowLoop)
	// appendRows appends the totals of rows to a leaf of an output chunk.
	appendRows(dst *fibers.Leaf, rows []int32)
	// addRows adds the totals of rows to a slot.
	addRows(e *env, rows []int32, slot int32)
}

// rowLoop joins the loop f with the one around it, or returns nil where the
// kernels for rows do not reach.
func (b *binder) rowLoop(brk *breaker, f *fastLoop, s *sink) *rowLoop {
	any := brk != nil && brk.atOnce(f.d) && brk.depth == f.d
	if f.d == 0 || brk != nil && !any || len(f.optional) > 0 {
		return nil
	}
	outer := b.newLoop(f.d-1, nil)
	if outer.point() != nil { // one row at a time
		return nil
	}
	if len(outer.terms) == 0 || len(outer.repeats)+len(outer.optional)+len(outer.again) > 0 || !batchable(outer) {
		return nil
	}
	r := &rowLoop{batcher: newBatcher(outer), sink: s, inner: f, any: any}
	r.numbered = true
	switch {
	case f.within != nil: // rows may end in rows of slots of their own
		return nil
	case f.key.Shape == kernel.Scatter:
		r.mode = rowScatter
	case s.kind == format.None && s.group == f.d:
		r.mode = rowAppend
	case slices.Contains(s.loops, outer.d):
		r.mode = rowTouch
	default:
		r.mode = rowTotal
	}
	if r.mode == rowScatter && s.group > outer.d || r.mode == rowTouch && s.group > outer.d || !r.bindTerms(b) {
		return nil
	}
	if !any {
		r.pairs = b.pairsOf(r)
	}
	if r.pairs == nil && (f.bounded() || b.sliced(f.d) || !r.reaches()) {
		return nil
	}
	r.place, r.wanted = make([][]int32, len(r.terms)), make([]bool, len(r.terms))
	for i, t := range r.terms {
		o := b.operands[t.op]
		r.place[i] = make([]int32, kernel.BatchMax)
		r.wanted[i] = o.valued || t.slot != o.last()
	}
	for _, leaf := range f.leaves {
		if r.pairs != nil {
			break // the inner loop keeps their totals
		}
		row, ok := leaf.(rowLeaf)
		if !ok || !row.bindRows(r) {
			return nil
		}
		r.leaves = append(r.leaves, row)
	}
	if r.slices() {
		for k := range r.width {
			r.across = append(r.across, k)
		}
	}
	if r.mode == rowScatter && r.lead != nil && len(r.leaves) == 1 {
		if r.fresh = countsOf(r.leaves[0]); r.fresh != nil {
			s.flush = r.settle
			r.narrow = s.group == r.d
		}
	}
	r.each = f.run
	if any {
		r.each = f.runAny
	}
	if r.mode == rowAppend {
		r.each = s.around(r.each)
	}
	return r
}

// slices reports whether rows are slices of arrays that are scattered: every row has
// the coordinates across.
func (r *rowLoop) slices() bool { return r.lead == nil && r.mode == rowScatter }

// bounded reports whether comparisons bound the loop or are tested in it.
func (l *loop) bounded() bool {
	w := &l.windows
	return l.split || len(w.bounds)+len(w.except)+len(w.tests)+len(w.always)+len(l.masks) > 0
}

// sliced reports whether only a slice of loop d's coordinates is run.
func (b *binder) sliced(d int) bool {
	_, ok := b.in.Slices[b.step.Loops[d].Index.Name]
	return ok
}

// bindTerms sorts the inner loop's terms and reports whether they are of the
// forms that kernels take.
func (r *rowLoop) bindTerms(b *binder) bool {
	f := r.inner
	r.moving = -1
	r.width = f.limit
	for i, t := range f.terms {
		if t.byKey {
			r.width = min(r.width, t.dim)
		}
		over := r.above(t)
		switch {
		case f.passes[i] && (t.kind == format.Dense || t.kind == format.Bytemap):
		case over < 0 && t.kind == format.SparseList && t.marks != nil, over < 0 && t.kind == format.Bytemap:
			r.probes = append(r.probes, t)
		case over >= 0 && r.lead == nil && (t.kind == format.SparseList || t.kind == format.Hash || t.kind == format.Pinpoint && t.ptr != nil):
			r.lead, r.moving = t, over
		default:
			return false
		}
	}
	if r.lead == nil {
		return len(r.probes) == 0
	}
	if len(r.probes) > 0 && (f.key.Factors > 0 || r.mode == rowScatter) {
		return false
	}
	if len(r.probes) > 1 {
		if r.met = b.newMeeting(r.probes, int(f.dim)); r.met == nil {
			return false
		}
	}
	return true
}

// reaches reports whether no coordinate past an array's end can occur.
func (r *rowLoop) reaches() bool {
	return r.lead == nil || r.inner.limit >= r.lead.dim || len(r.inner.terms) == 1
}

// above is the outer loop's term that the fiber of an inner one lies below, or -1.
func (r *rowLoop) above(t *term) int {
	return slices.IndexFunc(r.terms, func(o *term) bool { return o.slot == t.parent })
}

func (r *rowLoop) run(e *env) {
	lead, from, to := r.start(e)
	if from >= to {
		return
	}
	r.batcher.lead = lead
	whole := e.cut <= r.inner.d // no piece cuts the inner loop
	for _, t := range r.inner.terms {
		if t != r.lead && r.above(t) < 0 {
			t.open(e)
		}
	}
	for _, leaf := range r.leaves {
		leaf.begin()
	}
	if r.pairs != nil {
		r.pairs.begun, r.pairs.over = false, false
	}
	r.batches(e, from, to, whole)
	if r.pairs != nil && whole {
		r.inner.finish(e)
	}
}

// batches runs the entries [from,to) of the leader. whole: no part of a row is
// left to another morsel.
func (r *rowLoop) batches(e *env, from, to int32, whole bool) {
	for r.at = from; r.at < to; r.at += kernel.BatchMax {
		n := min(to-r.at, kernel.BatchMax)
		if !e.burn(int(n)) {
			return
		}
		r.selectBatch(e, n)
		if len(r.sel.Ks) == 0 {
			continue
		}
		for i, wanted := range r.wanted {
			if wanted {
				r.locate(e, i)
				r.sources[i].positions(r.place[i], len(r.sel.Ks))
			}
		}
		if r.pairs != nil && whole {
			r.pairs.count(e, r)
		} else {
			r.segments(e, whole)
		}
		if e.err != nil || r.pairs != nil && r.pairs.over {
			return
		}
	}
}

// positions writes the positions of n selected entries to dst.
func (s *source) positions(dst []int32, n int) {
	dst = dst[:n]
	if s.ix == nil {
		for i := range dst {
			dst[i] = s.off + int32(i)
		}
		return
	}
	for i, x := range s.ix[:n] {
		dst[i] = s.off + x
	}
}

// segments runs the kernels over the longest possible segments of the selected
// rows; rows that are too long for one call, or that a search serves better than
// probes, run by themselves.
func (r *rowLoop) segments(e *env, whole bool) {
	n := len(r.sel.Ks)
	limit, ready := int64(0), whole
	if r.lead != nil && whole {
		limit, ready = r.prepare(e, n)
	}
	if e.err != nil || limit < 0 { // no row has a cell
		return
	}
	if !ready {
		for i := range n {
			r.one(e, i)
			if e.err != nil {
				return
			}
		}
		return
	}
	if run := r.follow(0, n); run != nil {
		if units := int64(run[n] - run[0]); units <= limit {
			r.segment(e, 0, n, units)
			return
		}
	}
	from, units := 0, int64(0)
	for i := range n {
		size := int64(r.width)
		if r.lead != nil {
			p := r.place[r.moving][i]
			size = int64(r.lead.ptr[p+1] - r.lead.ptr[p])
		}
		if limit > 0 && size > limit {
			r.segment(e, from, i, units)
			if r.fresh != nil {
				r.countLong(e, i)
			} else {
				r.one(e, i)
			}
			from, units = i+1, 0
			continue
		}
		if units += size; units > gasUnits {
			r.segment(e, from, i+1, units)
			from, units = i+1, 0
		}
		if e.err != nil {
			return
		}
	}
	r.segment(e, from, n, units)
}

// follow returns where the selected rows from..to-1 and the last one's end lie in
// the leader's list, if they follow one another there; else nil.
func (r *rowLoop) follow(from, to int) []int32 {
	if r.lead == nil || r.sources[r.moving].ix != nil {
		return nil
	}
	first := r.place[r.moving][from]
	return r.lead.ptr[first:][:to-from+1]
}

// prepare marks what the batch's rows will probe. It returns the longest row
// that kernels take and whether they serve at all; a limit of -1 says that no
// row of the batch has a cell.
func (r *rowLoop) prepare(e *env, n int) (limit int64, ready bool) {
	limit = gasUnits
	if len(r.probes) == 0 {
		return limit, true
	}
	total := int64(0)
	ptr := r.lead.ptr
	for _, p := range r.place[r.moving][:n] {
		total += int64(ptr[p+1] - ptr[p])
	}
	if total == 0 {
		return -1, false
	}
	t := r.probes[0]
	if r.met != nil {
		if t = r.met.meet(e); t == nil {
			return 0, false
		}
		if t.n == 0 {
			return -1, false
		}
		return min(limit, walkShorter*int64(t.n)), true
	}
	if t.kind == format.Bytemap {
		return limit, true
	}
	parent := e.pos[t.parent]
	ready = t.marks.parent == parent || t.marks.ready(e, parent, t, int32(min(total, 1<<30)))
	return min(limit, walkShorter*int64(t.n)), ready
}

// one runs the inner loop for one selected row.
func (r *rowLoop) one(e *env, i int) {
	r.bind(e, i)
	r.each(e)
}

// bind makes a selected row the current one.
func (r *rowLoop) bind(e *env, i int) {
	e.ix[r.d] = r.sel.Ks[i]
	for t := range r.terms {
		if r.wanted[t] {
			e.pos[r.terms[t].slot] = r.place[t][i]
		} else {
			e.pos[r.terms[t].slot] = 0
		}
	}
}

// segment runs the kernels over the selected rows from..to-1, which have so many
// entries together.
func (r *rowLoop) segment(e *env, from, to int, units int64) {
	if from >= to || e.err != nil || !e.burn(int(units)) {
		return
	}
	r.from, r.ks, r.found = from, r.sel.Ks[from:to], r.counts[:to-from]
	cells := r.count()
	if cells == 0 {
		return
	}
	e.cells += cells
	if r.mode == rowScatter {
		r.scatter(e)
		return
	}
	for _, leaf := range r.leaves {
		leaf.reduceRows(e, r)
	}
	r.keepRows()
	switch r.mode {
	case rowAppend:
		r.emit(e)
	case rowTotal:
		slot := r.sink.touch(e)
		for _, leaf := range r.leaves {
			leaf.addRows(e, r.kept, slot)
		}
	default:
		for i := range r.kept {
			e.ix[r.d] = r.ks[r.kept[i]]
			slot := r.sink.touch(e)
			for _, leaf := range r.leaves {
				leaf.addRows(e, r.kept[i:i+1], slot)
			}
		}
	}
}

// keepRows lists the segment's rows with cells.
func (r *rowLoop) keepRows() {
	keep, n := r.keep[:len(r.found)], 0
	for i, found := range r.found {
		keep[n] = int32(i)
		if found > 0 {
			n++
		}
	}
	r.kept = keep[:n]
}

// count finds the cells of every row of the segment.
func (r *rowLoop) count() int64 {
	if r.lead == nil {
		for i := range r.found {
			r.found[i] = r.width
		}
		return int64(r.width) * int64(len(r.found))
	}
	r.rows = kernel.Rows{Pos: r.place[r.moving][r.from : r.from+len(r.ks)], Ptr: r.lead.ptr, Idx: r.lead.idx}
	marked, slots := kernel.CountRowsMarked, kernel.CountRowsSlots
	if r.any {
		marked, slots = kernel.AnyRows[uint8], kernel.AnyRows[int32]
	}
	switch {
	case len(r.probes) == 0:
		if run := r.follow(r.from, r.from+len(r.ks)); run != nil {
			return kernel.CountRun(run, r.found)
		}
		return kernel.CountRows(&r.rows, r.found)
	case r.met != nil:
		return marked(&r.rows, r.met.marks.bytes, r.found)
	case r.probes[0].kind == format.Bytemap:
		return marked(&r.rows, r.probes[0].present(), r.found)
	case r.probes[0].marks.slots:
		return slots(&r.rows, r.probes[0].marks.at, r.found)
	default:
		return marked(&r.rows, r.probes[0].marks.bytes, r.found)
	}
}

// countsOf is the accumulator of a leaf that adds 1 per cell and nothing else, so
// that a count of 0 means that there was none; nil for other leaves.
func countsOf(leaf rowLeaf) *valueAcc[int64] {
	s, ok := leaf.(*fastSum[int64])
	if !ok || len(s.products) != 1 || !s.products[0].plain || len(s.products[0].factors) > 0 {
		return nil
	}
	return s.acc
}

// scatter adds the segment's entries to their slots.
func (r *rowLoop) scatter(e *env) {
	if r.fresh != nil {
		for _, p := range r.rows.Pos {
			r.countFresh(e, r.rows.Idx[r.rows.Ptr[p]:r.rows.Ptr[p+1]])
		}
		return
	}
	for _, leaf := range r.leaves {
		leaf.scatterRows(e, r)
	}
	w := r.sink.dense
	if r.slices() {
		w.n = kernel.Touch(r.across, w.flags, w.touched, w.n)
		return
	}
	for _, p := range r.rows.Pos {
		w.n = kernel.Touch(r.rows.Idx[r.rows.Ptr[p]:r.rows.Ptr[p+1]], w.flags, w.touched, w.n)
	}
}

// emit appends the rows that have cells to the output.
func (r *rowLoop) emit(e *env) {
	o := r.sink.out
	for rows := r.kept; len(rows) > 0; {
		c := o.room()
		if c == nil {
			return
		}
		n := min(len(rows), c.cap-c.n)
		if !o.unplaced {
			r.placeRows(e, c, rows[:n])
		}
		for l, leaf := range r.leaves {
			leaf.appendRows(&c.leaves[l], rows[:n])
		}
		c.n += n
		o.n += n
		rows = rows[n:]
	}
}

// placeRows appends the coordinates of rows to a chunk.
func (r *rowLoop) placeRows(e *env, c *outChunk, rows []int32) {
	last := len(c.coords) - 1
	for m, col := range c.coords[:last] {
		for range rows {
			col = append(col, e.ix[r.sink.loops[m]])
		}
		c.coords[m] = col
	}
	c.coords[last] = appendAt(c.coords[last], r.ks, rows)
}
