package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// bandRowsMin is the number of rows from which it pays to collect rows that bands
// bound: how long they are is known only when they have been collected, so that
// there must be room for as many of the full width.
const bandRowsMin = 16

// rowSpans is where the collected rows of a rowBatch lie in the innermost loop: a
// row is the coordinates that all its bands have.
type rowSpans struct {
	bands   []rowBand
	from    []fibers.Coord // per row, its first coordinate
	widths  []int32        // and its number of coordinates
	offsets []rowOffset
	runs    []rowRun
}

// rowBand is a band of the innermost loop with the rows' parents.
type rowBand struct {
	term *term
	at   []int32
}

// rowOffset is where the rows begin in the values of one term.
type rowOffset struct {
	term   *term
	parent []int32
	at     []int32
}

// rowRun is collected rows from..to-1, which follow one another and are equally wide.
type rowRun struct{ from, to, width int }

// bindSpans prepares a rowBatch for bands.
func (r *rowBatch) bindSpans() {
	r.spans = &rowSpans{from: make([]fibers.Coord, r.limit), widths: make([]int32, r.limit)}
	for _, t := range r.inner.terms {
		if t.kind == format.Band {
			r.spans.bands = append(r.spans.bands, rowBand{term: t, at: r.column(t.parent)})
		}
	}
}

// slicesOf returns the rows of a term's values.
func slicesOf[T any](r *rowBatch, t *term, vals []T) kernel.Slices[T] {
	if r.spans == nil {
		return kernel.Slices[T]{Vals: vals, At: r.column(t.parent), Stride: int(t.dim)}
	}
	for _, o := range r.spans.offsets {
		if o.term == t {
			return kernel.Slices[T]{Vals: vals, At: o.at, Stride: 1}
		}
	}
	at := make([]int32, r.limit)
	r.spans.offsets = append(r.spans.offsets, rowOffset{term: t, parent: r.column(t.parent), at: at})
	return kernel.Slices[T]{Vals: vals, At: at, Stride: 1}
}

// span finds where the n collected rows lie, forgets those without coordinates, and
// returns how many are left with how many cells.
func (r *rowBatch) span(n int) (rows, cells int) {
	s := r.spans
	from, to := s.from[:n], s.widths[:n]
	clear(from)
	kernel.FillColumn(to, r.width)
	for _, b := range s.bands {
		start, ptr := b.term.start, b.term.ptr
		for i, p := range b.at[:n] {
			lo := start[p]
			from[i], to[i] = max(from[i], lo), min(to[i], lo+ptr[p+1]-ptr[p])
		}
	}
	for i, lo := range from {
		to[i] -= lo // the width
		if to[i] > 0 {
			rows++
			cells += int(to[i])
		}
	}
	if rows < n {
		r.keepSpans(n)
	}
	s.locate(rows)
	s.findRuns(rows)
	return rows, cells
}

// keepSpans forgets those of n collected rows that have no coordinates.
func (r *rowBatch) keepSpans(n int) {
	s, kept := r.spans, 0
	for i, width := range s.widths[:n] {
		if width <= 0 {
			continue
		}
		s.from[kept], s.widths[kept] = s.from[i], width
		for c := range r.pos {
			r.pos[c].at[kept] = r.pos[c].at[i]
		}
		for _, col := range r.coords {
			col[kept] = col[i]
		}
		kept++
	}
}

// locate finds where n rows begin in the values of every term.
func (s *rowSpans) locate(n int) {
	from := s.from[:n]
	for _, o := range s.offsets {
		at, parent := o.at[:n], o.parent[:n]
		if o.term.kind == format.Dense {
			for i, lo := range from {
				at[i] = parent[i]*o.term.dim + lo
			}
			continue
		}
		for i, lo := range from {
			p := parent[i]
			at[i] = o.term.ptr[p] + lo - o.term.start[p]
		}
	}
}

// findRuns groups n rows by their width, as far as they follow one another.
func (s *rowSpans) findRuns(n int) {
	s.runs = s.runs[:0]
	for from := 0; from < n; {
		to, width := from+1, s.widths[from]
		for to < n && s.widths[to] == width {
			to++
		}
		s.runs = append(s.runs, rowRun{from, to, int(width)})
		from = to
	}
}

// runs yields the collected rows by their width.
func (r *rowBatch) runs(yield func(rowRun) bool) {
	if r.spans == nil {
		yield(rowRun{0, r.lanes.n, int(r.width)})
		return
	}
	for _, run := range r.spans.runs {
		if !yield(run) {
			return
		}
	}
}
