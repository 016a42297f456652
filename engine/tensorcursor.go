package engine

import (
	"context"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/rows"
)

// tensorCursor delivers the entries of a tensor: one column per key, decoded,
// then one per leaf (BIGINT, HUGEINT or DOUBLE). It copies no more than a batch.
type tensorCursor struct {
	tensor  *fibers.Tensor
	walk    entryWalk
	modes   []int            // key column -> mode of the tensor
	domains []*fibers.Domain // per key column
	// more returns the next tensor with further entries, nil when there is none; it
	// may be nil itself.
	more func(context.Context) (*fibers.Tensor, error)
	// release gives up what the cursor holds.
	release func()
}

// entriesPerBatch is the number of entries in one batch.
const entriesPerBatch = 2048

// Columns returns the types of keys and leaves; the answer names them.
func (c *tensorCursor) Columns() []rows.Column {
	var out []rows.Column
	for _, d := range c.domains {
		out = append(out, rows.Column{Type: domainType(d)})
	}
	for i := range c.tensor.Leaves {
		out = append(out, rows.Column{Name: c.tensor.Leaves[i].Name, Type: elemType(c.tensor.Leaves[i].Elem)})
	}
	return out
}

// Next decodes the next entries.
func (c *tensorCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	n := c.walk.next(c.tensor)
	for n == 0 {
		if c.more == nil {
			return nil, nil
		}
		t, err := c.more(ctx)
		if t == nil || err != nil {
			return nil, err
		}
		c.tensor, c.walk = t, entryWalk{}
		n = c.walk.next(t)
	}
	b := &rows.Batch{N: n}
	for k, d := range c.domains {
		b.Cols = append(b.Cols, decode(d, c.walk.coords[c.modes[k]]))
	}
	for i := range c.tensor.Leaves {
		b.Cols = append(b.Cols, leafVector(&c.tensor.Leaves[i], c.walk.pos))
	}
	return b, nil
}

// Close gives up the tensor; it may be called several times.
func (c *tensorCursor) Close() error {
	if c.release != nil {
		c.release()
		c.release = nil
	}
	return nil
}

// entryWalk goes through a tensor's entries, a batch at a time.
type entryWalk struct {
	fibers []fibers.Fiber // per level, the present one
	at     []int32        // and its next entry
	begun  bool
	done   bool
	coords [][]fibers.Coord // of the batch, per level
	pos    []int32          // its positions
}

// next moves on by up to entriesPerBatch entries and returns how many; 0 at the
// end.
func (w *entryWalk) next(t *fibers.Tensor) int {
	if !w.begun {
		w.begin(t)
	}
	w.pos = w.pos[:0]
	for m := range w.coords {
		w.coords[m] = w.coords[m][:0]
	}
	last := len(t.Levels) - 1
	for !w.done && len(w.pos) < entriesPerBatch {
		if last < 0 {
			w.pos, w.done = append(w.pos, t.Root), true
			break
		}
		f, from := &w.fibers[last], w.at[last]
		n := min(f.N-from, int32(entriesPerBatch-len(w.pos)))
		if n <= 0 {
			w.done = !w.advance(t, last-1)
			continue
		}
		for m := range last {
			c := w.fibers[m].Coord(w.at[m] - 1)
			for range n {
				w.coords[m] = append(w.coords[m], c)
			}
		}
		for e := from; e < from+n; e++ {
			w.coords[last] = append(w.coords[last], f.Coord(e))
			w.pos = append(w.pos, f.Pos(e))
		}
		w.at[last] += n
	}
	return len(w.pos)
}

func (w *entryWalk) begin(t *fibers.Tensor) {
	w.begun, w.done = true, t.NNZ == 0
	w.fibers, w.at = make([]fibers.Fiber, len(t.Levels)), make([]int32, len(t.Levels))
	w.coords = make([][]fibers.Coord, len(t.Levels))
	for m := range w.coords {
		w.coords[m] = make([]fibers.Coord, 0, min(entriesPerBatch, t.NNZ))
	}
	w.pos = make([]int32, 0, min(entriesPerBatch, t.NNZ))
	if !w.done && len(t.Levels) > 0 {
		w.fibers[0] = t.Levels[0].Fiber(t.Root)
		w.done = !w.descend(t, 0)
	}
}

// advance moves on to the next fiber of the last level, below the next entry of
// level l or above; false at the end.
func (w *entryWalk) advance(t *fibers.Tensor, l int) bool {
	for ; l >= 0; l-- {
		if w.at[l] < w.fibers[l].N && w.descend(t, l) {
			return true
		}
	}
	return false
}

// descend opens the first fiber of the last level below the next entries of level
// l's fiber; false if there is none.
func (w *entryWalk) descend(t *fibers.Tensor, l int) bool {
	if l == len(t.Levels)-1 {
		return w.fibers[l].N > 0
	}
	for f := &w.fibers[l]; w.at[l] < f.N; {
		p := f.Pos(w.at[l])
		w.at[l]++
		w.fibers[l+1], w.at[l+1] = t.Levels[l+1].Fiber(p), 0
		if w.descend(t, l+1) {
			return true
		}
	}
	return false
}

func domainType(d *fibers.Domain) rows.Type {
	switch d.Kind() {
	case fibers.Int128Values:
		return rows.Type{ID: rows.HugeInt}
	case fibers.Float64Values:
		return rows.Type{ID: rows.Double}
	case fibers.StringValues:
		return rows.Type{ID: rows.Varchar}
	default:
		return rows.Type{ID: rows.BigInt}
	}
}

func elemType(e semiring.Elem) rows.Type {
	switch e {
	case semiring.I128:
		return rows.Type{ID: rows.HugeInt}
	case semiring.F64:
		return rows.Type{ID: rows.Double}
	default:
		return rows.Type{ID: rows.BigInt}
	}
}

func decode(d *fibers.Domain, coords []fibers.Coord) rows.Vector {
	n := len(coords)
	v := newVector(domainType(d), n)
	_, hasNull := d.Null()
	for i, x := range coords {
		if hasNull && d.IsNull(x) {
			v.SetNull(i, n)
			continue
		}
		switch d.Kind() {
		case fibers.Int128Values:
			v.I128[i] = d.Int128(x)
		case fibers.Float64Values:
			v.F64[i] = d.Float64(x)
		case fibers.StringValues:
			v.Str[i] = d.String(x)
		default:
			v.I64[i] = d.Int64(x)
		}
	}
	return v
}

// leafVector is a leaf's values at ascending positions; where those follow one
// another, the leaf's own memory.
func leafVector(l *fibers.Leaf, pos []int32) rows.Vector {
	v := rows.Vector{Type: elemType(l.Elem)}
	switch l.Elem {
	case semiring.I64:
		v.I64 = valuesAt(l.I64, pos)
	case semiring.I128:
		v.I128 = valuesAt(l.I128, pos)
	case semiring.F64:
		v.F64 = valuesAt(l.F64, pos)
	case semiring.Pattern:
		v.I64 = make([]int64, len(pos))
		for i := range v.I64 {
			v.I64[i] = 1
		}
	}
	return v
}

func valuesAt[T any](all []T, pos []int32) []T {
	first, n := pos[0], int32(len(pos))
	if pos[n-1] == first+n-1 && first+n <= int32(len(all)) && consecutive(pos) {
		return all[first : first+n]
	}
	out := make([]T, n)
	for i, p := range pos {
		out[i] = all[p]
	}
	return out
}

// consecutive reports whether positions go up by one; several entries may share
// one.
func consecutive(pos []int32) bool {
	for i := 1; i < len(pos); i++ {
		if pos[i] != pos[i-1]+1 {
			return false
		}
	}
	return true
}
