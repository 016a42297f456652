package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

const (
	// insideCost is what a probe of a hub's bitmap costs in probes of marks, which
	// stay in the caches (BenchmarkPairs).
	insideCost = 2
	// foundCost is what a search of one coordinate in a row costs in probes
	// (BenchmarkPairs).
	foundCost = 48
	// clipFrom is the length of a row from which it is cut to the range of what it
	// meets: two searches.
	clipFrom = 64
)

// pairs counts the cells of a rowLoop of which nothing but their number is
// wanted: for every row, how many coordinates its fiber shares with the list that
// stays, inside the window. How is decided for every pair by their lengths: the
// row probes marks of the list, the list probes the bitmap of a row that is a hub,
// or one is searched in the other.
type pairs struct {
	bounds []window // by loops around both
	above  int32    // a row's window begins so far above it; -1: it does not depend on the row
	below  int32    // a row's window ends so far above it; -1: the same
	stay   []*term
	list   standing
	hubs   *hubs
	begun  bool // this run has laid the window
	over   bool // no further row of this run has a cell
}

// pairsOf returns the counting form of a rowLoop whose terms are bound; nil where
// more than the number of cells is wanted, or where it does not reach.
func (b *binder) pairsOf(r *rowLoop) *pairs {
	f := r.inner
	if r.mode != rowTotal || r.lead == nil || f.split || f.key.Factors > 0 || len(f.masks) > 0 {
		return nil
	}
	for _, leaf := range f.leaves {
		if leaf.depth() >= r.d {
			return nil
		}
	}
	for _, t := range r.probes {
		if t.kind != format.SparseList {
			return nil
		}
	}
	p := &pairs{above: -1, below: -1, stay: r.probes}
	if !p.addBounds(&f.windows, r.d) {
		return nil
	}
	p.list.dim = int(f.dim)
	if level, ok := r.lead.level.(*fibers.SparseListLevel); ok {
		p.hubs = b.hubsOf(level, int(f.dim))
	}
	return p
}

// addBounds tells the bounds that move with the rows, loop d, from the others.
func (p *pairs) addBounds(w *windows, d int) bool {
	for _, bound := range w.bounds {
		if bound.other != d {
			p.bounds = append(p.bounds, bound)
			continue
		}
		if w.order.ranks != nil {
			return false
		}
		switch bound.op {
		case semiring.Gt:
			p.above = max(p.above, 1)
		case semiring.Ge:
			p.above = max(p.above, 0)
		case semiring.Lt:
			p.below = 0
		case semiring.Le:
			if p.below < 0 {
				p.below = 1
			}
		default:
			return false
		}
	}
	return true
}

// moves reports whether windows depend on the row.
func (p *pairs) moves() bool { return p.above >= 0 || p.below >= 0 }

// count adds the cells of the selected rows.
func (p *pairs) count(e *env, r *rowLoop) {
	if !p.begun {
		p.begun = true
		p.over = !p.begin(e, r)
	}
	if p.over {
		return
	}
	n := len(r.sel.Ks)
	at, found := r.place[r.moving][:n], 0
	switch {
	case len(p.stay) == 0:
		found = p.alone(e, r, at)
	case p.moves():
		found = p.moving(e, r, at)
	default:
		found = p.fixed(e, r, at)
	}
	r.inner.found += int64(found)
}

// begin finds the window and the list of a run; false: no row has a cell.
func (p *pairs) begin(e *env, r *rowLoop) bool {
	f := r.inner
	f.window(e)
	if len(p.bounds) > 0 {
		f.lo, f.hi = f.windows.order.cut(e, p.bounds, f.lo, f.hi)
	}
	if f.lo >= f.hi {
		return false
	}
	if len(p.stay) == 0 {
		return true
	}
	l := &p.list
	if l.is(e, p.stay, f.lo, f.hi) && !p.moves() {
		return l.left() > 0
	}
	if !l.clear(e) {
		return false
	}
	list := p.stay[0].fiber()
	if r.met != nil {
		if list = r.met.list(e, f.lo, f.hi); e.err != nil {
			return false
		}
	} else if f.lo > 0 || f.hi < f.dim {
		from, to := p.stay[0].clip(f.lo, f.hi)
		list = list[from:to]
	}
	l.set(list)
	l.start(p.above >= 0, p.below >= 0)
	return len(list) > 0
}

// alone counts the entries of rows that meet nothing.
func (p *pairs) alone(e *env, r *rowLoop, at []int32) (found int) {
	ptr, idx := r.lead.ptr, r.lead.idx
	f := r.inner
	if !e.burn(len(at)) {
		return 0
	}
	for i, q := range at {
		row := idx[ptr[q]:ptr[q+1]]
		lo, hi := p.window(f, r.sel.Ks[i])
		if lo > 0 {
			row = row[fibers.SearchCoord(row, lo):]
		}
		if hi < r.lead.dim {
			row = row[:fibers.SearchCoord(row, hi)]
		}
		found += len(row)
	}
	return found
}

// window is the range of coordinates that a row may have.
func (p *pairs) window(f *fastLoop, row fibers.Coord) (lo, hi fibers.Coord) {
	lo, hi = f.lo, f.hi
	if p.above >= 0 {
		lo = max(lo, row+p.above)
	}
	if p.below >= 0 {
		hi = min(hi, row+p.below)
	}
	return lo, max(lo, hi)
}

// moving counts rows whose windows move with them.
func (p *pairs) moving(e *env, r *rowLoop, at []int32) (found int) {
	ptr, idx := r.lead.ptr, r.lead.idx
	l := &p.list
	for i, q := range at {
		row := idx[ptr[q]:ptr[q+1]]
		l.move(p.window(r.inner, r.sel.Ks[i]))
		if l.left() == 0 {
			if p.over = int(l.from) == len(l.list); p.over {
				return found
			}
			continue
		}
		found += p.meet(e, q, row)
		if e.err != nil {
			return found
		}
	}
	return found
}

// fixed counts rows that all meet the same coordinates. Short rows, which are
// most, probe marks without further thought.
func (p *pairs) fixed(e *env, r *rowLoop, at []int32) (found int) {
	ptr, idx := r.lead.ptr, r.lead.idx
	total, short := 0, 0
	for _, q := range at {
		total += int(ptr[q+1] - ptr[q])
	}
	if p.list.pays(total) {
		if !p.list.follow(e) {
			return 0
		}
		short = clipFrom
	}
	for _, q := range at {
		row := idx[ptr[q]:ptr[q+1]]
		switch {
		case len(row) >= short:
			found += p.meet(e, q, row)
		case e.burn(len(row) + 1):
			found += kernel.CountMarked(row, p.list.bytes)
		}
		if e.err != nil {
			return found
		}
	}
	return found
}

// meet counts the coordinates of a row, the fiber of position q, that are in the
// window of the list, which is not empty.
func (p *pairs) meet(e *env, q int32, row []fibers.Coord) int {
	l := &p.list
	window := l.window()
	if h := p.hubs; h != nil && len(row) >= h.min && len(row) > insideCost*len(window) {
		if bits := h.of(e, q, len(row)-insideCost*len(window)); bits != nil {
			return p.probe(e, window, nil, bits)
		}
	}
	if len(row) >= clipFrom {
		row = clipped(row, window)
	}
	switch {
	case len(row) > foundCost*len(window):
		return p.probe(e, window, row, nil)
	case !l.pays(len(row)):
		return p.probe(e, row, window, nil)
	case !l.follow(e):
		return 0
	default:
		return p.probe(e, row, nil, nil)
	}
}

// clipped is the part of a long row in the range of the window; all of it where
// the range promises to leave more than half.
func clipped(row, window []fibers.Coord) []fibers.Coord {
	first, last := row[0], row[len(row)-1]
	lo, hi := max(window[0], first), min(window[len(window)-1], last)
	if lo > hi {
		return nil
	}
	if 2*int64(hi-lo) > int64(last-first) {
		return row
	}
	row = row[fibers.SearchCoord(row, lo):]
	return row[:fibers.SearchCoord(row, hi+1)]
}

// probe counts which of the coordinates are in a bitmap, or are found in a sorted
// list, or with neither are marked.
func (p *pairs) probe(e *env, ks, in []fibers.Coord, bits []uint64) (found int) {
	if !e.burn(1) {
		return 0
	}
	for len(ks) > 0 {
		piece := ks[:min(len(ks), gasUnits/foundCost)]
		units := len(piece)
		if in != nil {
			units *= foundCost
		}
		if !e.burn(units) {
			return found
		}
		switch {
		case bits != nil:
			found += kernel.CountInside(piece, bits)
		case in != nil:
			found += kernel.CountFound(piece, in)
		default:
			found += kernel.CountMarked(piece, p.list.bytes)
		}
		ks = ks[len(piece):]
	}
	return found
}
