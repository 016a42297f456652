package engine

import (
	"cmp"
	"container/heap"
	"context"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/translate"
)

// topCursor leaves out rows that at least Top.Rows rows before them precede in
// Top's order, so that DuckDB does not get, nor copy, a million groups of which it
// keeps ten. It holds that many values, and delivers rows at once: those that later
// ones precede are among them.
type topCursor struct {
	rows.Cursor
	top  translate.Top
	best topHeap
	now  []topValue // of the batch at hand
	out  rows.Batch
}

func newTopCursor(c rows.Cursor, top translate.Top) *topCursor {
	return &topCursor{Cursor: c, top: top, best: topHeap{top: top}}
}

// Next returns what is left of the next batch that is not left out as a whole.
func (c *topCursor) Next(ctx context.Context) (*rows.Batch, error) {
	for {
		b, err := c.Cursor.Next(ctx)
		if b == nil || err != nil {
			return nil, err
		}
		if out := c.keep(b); out.N > 0 {
			return out, nil
		}
	}
}

// keep returns the rows of a batch that no Rows others precede so far.
func (c *topCursor) keep(b *rows.Batch) *rows.Batch {
	c.now = c.now[:0]
	for i := range b.N {
		v := topValueOf(&b.Cols[c.top.Column], i)
		c.now = append(c.now, v)
		switch {
		case len(c.best.values) < c.top.Rows:
			heap.Push(&c.best, v)
		case c.best.compare(v, c.best.values[0]) < 0:
			c.best.values[0] = v
			heap.Fix(&c.best, 0)
		}
	}
	c.out = *newBatch(c.Columns())
	for i, v := range c.now {
		if len(c.best.values) < c.top.Rows || c.best.compare(v, c.best.values[0]) <= 0 {
			appendTo(&c.out, b, i)
		}
	}
	return &c.out
}

// topValue is a value of the column that orders.
type topValue struct {
	null bool
	kind rows.Physical
	i64  int64
	i128 semiring.Int128
	f64  float64
}

func topValueOf(v *rows.Vector, i int) topValue {
	out := topValue{null: v.IsNull(i), kind: v.Type.Physical()}
	switch {
	case out.null:
	case out.kind == rows.PhysInt64:
		out.i64 = v.I64[i]
	case out.kind == rows.PhysInt128:
		out.i128 = v.I128[i]
	default:
		out.f64 = v.F64[i]
	}
	return out
}

// topHeap has the values that come first, the last of them on top.
type topHeap struct {
	values []topValue
	top    translate.Top
}

// compare is negative where a comes before b. NaN is the greatest number.
func (h *topHeap) compare(a, b topValue) int {
	switch {
	case a.null || b.null:
		return h.nullsFirst(a.null, b.null)
	case h.top.Desc:
		a, b = b, a
	}
	switch a.kind {
	case rows.PhysInt64:
		return cmp.Compare(a.i64, b.i64)
	case rows.PhysInt128:
		return a.i128.Cmp(b.i128)
	}
	return -cmp.Compare(-a.f64, -b.f64) // which takes NaN for the least
}

func (h *topHeap) nullsFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a == h.top.NullsFirst:
		return -1
	}
	return 1
}

// Len, Less, Swap, Push and Pop make a heap.Interface.
func (h *topHeap) Len() int           { return len(h.values) }
func (h *topHeap) Less(i, j int) bool { return h.compare(h.values[i], h.values[j]) > 0 }
func (h *topHeap) Swap(i, j int)      { h.values[i], h.values[j] = h.values[j], h.values[i] }
func (h *topHeap) Push(x any)         { h.values = append(h.values, x.(topValue)) }

func (h *topHeap) Pop() any {
	last := len(h.values) - 1
	x := h.values[last]
	h.values = h.values[:last]
	return x
}
