package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// unionLead is what leads a loop in batches where no term does: the union of the
// optional terms' fibers (loop.merged). A batch is a run of consecutive coordinates
// where some fiber has one, which is everything where fibers are full; a window of
// coordinates marked in a bitmap where they are near one another; and otherwise what
// a merge of the fibers comes to.
type unionLead struct {
	lead    term // its fiber is the batch's coordinates
	ks      [kernel.BatchMax]int32
	places  []source // per optional term: the positions of the batch's entries, -1: absent
	window  kernel.Union
	block   []int32 // coordinates of a block
	cut     []int32 // per optional term: the end of its entries in the window
	belongs tests   // of the structure; nil: all of the union belongs to it
	masked  bool    // comparisons belong to it, which hold or not whatever is present
	present *lanes  // that it reads
	reads   []presenceRead
	located []bool // per optional term, whether its positions in the batch are known
}

// presenceRead is an operand whose presence decides whether a cell belongs to the
// structure.
type presenceRead struct {
	op, slot int
	term     int   // of the batcher; -1: the same in a run
	cur      int32 // where the search of the present batch began
}

const (
	// runMin is the least length of a run of consecutive coordinates that is a batch
	// of its own where there is more than that.
	runMin = 64
	// windowWords is the number of words of a bitmap per entry up to which marking
	// the entries beats merging the lists (BenchmarkUnionBatches).
	windowWords = 1
)

// batchUnion prepares a loop of which the union of optional terms may lead to be run
// in batches, or reports that it cannot be.
func (b *binder) batchUnion(f *batcher) bool {
	if !f.covered && b.exact {
		return true
	}
	if len(b.absences) > 0 || len(f.windows.except) > 0 || len(f.optional) == 0 || !f.covered && len(f.terms) == 0 {
		return false
	}
	structure := bodyOf(b.query.Leaves[0].Expr)
	if !b.vectorable(structure) {
		return false
	}
	u := &unionLead{places: make([]source, len(f.optional)), cut: make([]int32, len(f.optional)), located: make([]bool, len(f.optional))}
	for i := range u.places {
		u.places[i].buf = make([]int32, kernel.BatchMax)
	}
	if !b.exact {
		u.present = newLanes(len(b.operands))
		if len(f.terms) > 0 || !f.unionOf(b, structure) {
			u.belongs, u.masked = b.presentColumn(structure), compares(structure)
		}
		for _, op := range b.operandsIn(structure) {
			if t := f.termIndex(op); t < 0 || t >= len(f.terms) {
				u.reads = append(u.reads, presenceRead{op: op, slot: b.operands[op].last(), term: t})
			}
		}
	}
	for _, t := range f.terms { // the union may go past the end of one
		if t.byKey {
			f.limit = min(f.limit, t.dim)
		}
	}
	f.union = u
	return true
}

// unionOf reports whether x is present exactly where one of the loop's optional terms
// is.
func (f *batcher) unionOf(b *binder, x einsum.Expr) bool {
	var walk func(x einsum.Expr) bool
	walk = func(x einsum.Expr) bool {
		switch x := x.(type) {
		case *einsum.Access:
			op := b.operandOf(x)
			return slices.ContainsFunc(f.optional, func(t *term) bool {
				return t.op == op && t.slot == b.operands[op].last() && t.leads
			})
		case *einsum.Map:
			if conjunctive(x) && len(x.Args) > 1 || x.Op.Info().FirstOptional {
				return false
			}
			return !slices.ContainsFunc(x.Args, func(arg einsum.Expr) bool { return !walk(arg) })
		default:
			return false
		}
	}
	return walk(x) && len(b.operandsIn(x)) == len(f.optional)
}

// next finds the next batch of the union, of n entries; 0: there is none.
func (u *unionLead) next(l *loop) (n int32) {
	first, active, left := l.hi, int32(0), int32(0)
	for _, t := range l.optional {
		if t.at < t.end {
			first = min(first, t.coord(t.at))
			active++
			left += min(t.end-t.at, kernel.BatchMax)
		}
	}
	if active == 0 || first >= l.hi {
		return 0
	}
	if n = u.alike(l); n > 0 {
		u.lead.lo, u.lead.n, u.lead.idx = 0, n, u.ks[:n]
		return n
	}
	if n = u.run(l, first, active); n == 0 {
		if n = u.windowed(l, first, active, left); n == 0 {
			n = u.merge(l)
		}
	}
	u.lead.lo, u.lead.n, u.lead.idx = 0, n, u.ks[:n]
	return n
}

// alike takes what is left of fibers that all are the same list, as those of tensors
// made of one table are: nothing is absent, and nothing need be merged. 0: they are not.
func (u *unionLead) alike(l *loop) int32 {
	var list []fibers.Coord
	for _, t := range l.optional {
		switch {
		case !t.leads:
			continue
		case t.block(), t.byKey, t.shared, t.end-t.at > kernel.BatchMax:
			return 0
		case t.at >= t.end: // absent
			continue
		}
		next := t.idx[t.lo+t.at : t.lo+t.end]
		if list == nil {
			list = next
		} else if !slices.Equal(list, next) {
			return 0
		}
	}
	n := copy(u.ks[:], list)
	for i, t := range l.optional {
		p := &u.places[i]
		switch {
		case !t.leads:
		case t.at >= t.end:
			p.off, p.ix = 0, p.buf[:n]
			kernel.FillColumn(p.ix, -1)
		default:
			p.off, p.ix = t.pos(t.at), nil
			t.at = t.end
		}
	}
	return int32(n)
}

// run takes consecutive coordinates that some fiber has from first on; 0: these are
// few.
func (u *unionLead) run(l *loop, first fibers.Coord, active int32) int32 {
	n := int32(0)
	for _, t := range l.optional {
		if t.at >= t.end || t.coord(t.at) != first {
			continue
		}
		m := min(t.end-t.at, kernel.BatchMax)
		if m > n && t.coord(t.at+m-1)-first == m-1 {
			n = m
		}
	}
	if n < runMin && (n == 0 || active > 1 && !u.last(l, first+n)) {
		return 0
	}
	for i := range u.ks[:n] {
		u.ks[i] = first + int32(i)
	}
	for i, t := range l.optional {
		p := &u.places[i]
		to := t.at
		if t.at < t.end {
			to += u.below(t, t.at, min(t.end, t.at+n), first+n)
		}
		switch {
		case !t.leads:
		case to-t.at == n && !t.shared: // all of them: the positions are consecutive
			p.off, p.ix = t.pos(t.at), nil
		case to == t.at:
			p.off, p.ix = 0, p.buf[:n]
			kernel.FillColumn(p.ix, -1)
		default:
			p.off, p.ix = 0, p.buf[:n]
			kernel.FillColumn(p.ix, -1)
			for at := t.at; at < to; at++ {
				p.ix[t.coord(at)-first] = t.pos(at)
			}
		}
		t.at = to
	}
	return n
}

// last reports whether no fiber has a coordinate from end on.
func (u *unionLead) last(l *loop, end fibers.Coord) bool {
	for _, t := range l.optional {
		if t.at < t.end && t.coord(t.end-1) >= end {
			return false
		}
	}
	return true
}

// below is how many of a term's entries from..to-1 have coordinates below end.
func (u *unionLead) below(t *term, from, to int32, end fibers.Coord) int32 {
	switch {
	case t.coord(to-1) < end:
		return to - from
	case t.block():
		return max(end-from, 0)
	default:
		return fibers.SearchCoord(t.idx[t.lo+from:t.lo+to], end)
	}
}

// windowed marks the entries of a window of coordinates from first on, at most as
// many as fit a batch, in a bitmap; 0: they are too far from one another.
func (u *unionLead) windowed(l *loop, first fibers.Coord, active, left int32) int32 {
	share := kernel.BatchMax / active
	end, most := l.hi, first // the window is first..end-1, and nothing is beyond most
	for _, t := range l.optional {
		if t.at >= t.end {
			continue
		}
		if t.end-t.at > share {
			end = min(end, t.coord(t.at+share))
		}
		most = max(most, t.coord(min(t.end-t.at, share)-1+t.at))
	}
	end = min(end, most+1)
	if int64(end-first) > 64*windowWords*int64(min(left, share)) || share == 0 {
		return 0
	}
	u.window.Reset(first, end-first)
	for i, t := range l.optional {
		u.cut[i] = t.at
		if t.at < t.end {
			u.cut[i] += u.below(t, t.at, min(t.end, t.at+share), end)
			u.window.Add(u.coords(t, t.at, u.cut[i]))
		}
	}
	n := int32(u.window.List(u.ks[:]))
	for i, t := range l.optional {
		if !t.leads {
			continue
		}
		p := &u.places[i]
		p.off, p.ix = 0, p.buf[:n]
		kernel.FillColumn(p.ix, -1)
		ks := u.coords(t, t.at, u.cut[i])
		switch {
		case len(ks) == 0:
		case t.shared:
			for _, k := range ks {
				p.ix[u.window.Rank(k)] = t.base
			}
		case t.byKey:
			u.window.PlacesByKey(ks, t.base, p.ix)
		default:
			u.window.Places(ks, t.lo+t.at, p.ix)
		}
		t.at = u.cut[i]
	}
	return n
}

// coords is the coordinates of a term's entries from..to-1.
func (u *unionLead) coords(t *term, from, to int32) []fibers.Coord {
	if from == to {
		return nil
	}
	if !t.block() {
		return t.idx[t.lo+from : t.lo+to]
	}
	u.block = scratch[int32](u.block).of(int(to - from))
	for i := range u.block {
		u.block[i] = from + int32(i)
	}
	return u.block
}

// merge takes the least of the fibers' next coordinates, again and again.
func (u *unionLead) merge(l *loop) int32 {
	for i := range u.places {
		u.places[i].off, u.places[i].ix = 0, u.places[i].buf
	}
	for n := range u.ks {
		c := l.hi
		for _, t := range l.optional {
			if t.at < t.end {
				c = min(c, t.coord(t.at))
			}
		}
		if c >= l.hi {
			return int32(n)
		}
		u.ks[n] = c
		for i, t := range l.optional {
			p := int32(-1)
			if t.at < t.end && t.coord(t.at) == c {
				p = t.pos(t.at)
				t.at++
			}
			u.places[i].ix[n] = p
		}
	}
	return int32(len(u.ks))
}

// locateMerged finds the positions of optional term i for the selected entries of the
// union's batch.
func (f *batcher) locateMerged(e *env, i int) {
	src, p := &f.sources[len(f.terms)+i], &f.union.places[i]
	switch {
	case !f.optional[i].leads:
		f.locateOptional(e, len(f.terms)+i)
	case p.ix == nil:
		src.off, src.ix = p.off, f.sel.Es
	case f.sel.Es == nil:
		src.off, src.ix = 0, p.ix[:len(f.sel.Ks)]
	default:
		src.off, src.ix = 0, src.buf[:len(f.sel.Ks)]
		kernel.GatherColumn(src.ix, p.ix, 0, f.sel.Es)
	}
}

// keepPresent narrows the selection to the cells of the structure.
func (f *batcher) keepPresent(e *env) {
	u := f.union
	if u == nil || u.belongs == nil || len(f.sel.Ks) == 0 {
		return
	}
	clear(u.located)
	if f.merged && u.complete(e, f) {
		return
	}
	for r := range u.reads {
		read := &u.reads[r]
		if read.term < 0 {
			u.present.at[read.op] = place{source: source{off: e.pos[read.slot]}, fixed: true}
			continue
		}
		read.cur = f.optional[read.term-len(f.terms)].cur
		f.locate(e, read.term)
		u.present.at[read.op] = place{source: f.sources[read.term]}
	}
	u.present.begin(len(f.sel.Ks))
	holds := u.belongs(e, u.present)
	all := !slices.Contains(holds, false)
	for _, read := range u.reads {
		if read.term < 0 {
			continue
		}
		if t := read.term - len(f.terms); all { // the leaves read what has been found
			u.located[t] = true
		} else { // they search for what is left
			f.optional[t].cur = read.cur
		}
	}
	if !all {
		f.sel = kernel.KeepTrue(f.sel, holds, f.ks[:], f.es[:])
	}
}

// complete reports whether everything that the structure reads is present in all of
// the batch, so that all of it belongs to the structure.
func (u *unionLead) complete(e *env, f *batcher) bool {
	if u.masked {
		return false
	}
	for r := range u.reads {
		switch read := &u.reads[r]; {
		case read.term < 0:
			if e.pos[read.slot] < 0 {
				return false
			}
		case !f.optional[read.term-len(f.terms)].leads || u.places[read.term-len(f.terms)].ix != nil:
			return false
		}
	}
	return true
}

// compares reports whether an expression compares indices.
func compares(x einsum.Expr) bool {
	found := false
	einsum.Walk(x, func(x einsum.Expr) bool {
		_, is := x.(*einsum.Compare)
		found = found || is
		return !found
	})
	return found
}

// unionName is the kernel's name in a step's statistics where a union may lead it.
func unionName(kernel string) string { return "union " + kernel }

// unionLeaf is fastLeaf for a loop some of whose operands may be absent.
func (b *binder) unionLeaf(f *fastLoop, n int, acc accumulator) fastLeaf {
	if p := presenceLeaf(acc); p != nil {
		return p
	}
	return b.fastColumnLeaf(f, n, acc)
}
