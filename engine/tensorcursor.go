package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// tensorCursor delivers the entries of a tensor: one column per key, decoded,
// then one per leaf (BIGINT, HUGEINT or DOUBLE). It copies no more than a batch,
// into the same memory every time.
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
	batch   rows.Batch
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
	b := &c.batch
	if b.Cols == nil {
		b.Cols = make([]rows.Vector, len(c.domains)+len(c.tensor.Leaves))
	}
	b.N = n
	for k, d := range c.domains {
		decode(d, c.walk.coords[c.modes[k]], &b.Cols[k])
	}
	for i := range c.tensor.Leaves {
		c.walk.values(&c.tensor.Leaves[i], &b.Cols[len(c.domains)+i])
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
	pos    []int32          // its positions; nil: from first on, one after the other
	first  int32
	n      int // entries of the batch
	// bufs and posBuf are room for coords and pos.
	bufs   [][]fibers.Coord
	posBuf []int32
}

// next moves on by up to entriesPerBatch entries and returns how many; 0 at the
// end.
func (w *entryWalk) next(t *fibers.Tensor) int {
	if !w.begun {
		w.begin(t)
	}
	w.n = 0
	switch {
	case w.done:
	case len(t.Levels) == 0:
		w.pos, w.first, w.n, w.done = nil, t.Root, 1, true
	case len(t.Levels) == 1:
		w.piece()
	default:
		w.gather(t)
	}
	return w.n
}

// piece takes the next entries of a tensor of one level. Coordinates and
// positions are the fiber's own where it lists them.
func (w *entryWalk) piece() {
	f, from := &w.fibers[0], w.at[0]
	n := min(f.N-from, entriesPerBatch)
	w.n, w.at[0] = int(n), from+n
	w.done = w.at[0] == f.N
	if f.Idx != nil {
		w.coords[0] = f.Idx[from : from+n]
	} else {
		w.coords[0] = w.bufs[0][:f.Coords(from, w.bufs[0][:n])]
	}
	switch {
	case f.Spread && f.Base == 0:
		w.pos = f.Idx[from : from+n]
	case f.Spread || f.Runs != nil || f.Shared:
		w.pos = appendPositions(w.posBuf[:0], f, from, n)
	default:
		w.pos, w.first = nil, f.Pos(from)
	}
}

// gather takes the next entries of a tensor of several levels.
func (w *entryWalk) gather(t *fibers.Tensor) {
	for m := range w.bufs {
		w.bufs[m] = w.bufs[m][:0]
	}
	w.pos = w.posBuf[:0]
	last := len(t.Levels) - 1
	for !w.done && w.n < entriesPerBatch {
		f, from := &w.fibers[last], w.at[last]
		n := min(f.N-from, int32(entriesPerBatch-w.n))
		if n <= 0 {
			w.done = !w.advance(t, last-1)
			continue
		}
		for m := range last {
			c := w.fibers[m].Coord(w.at[m] - 1)
			buf := w.bufs[m]
			for range n {
				buf = append(buf, c)
			}
			w.bufs[m] = buf
		}
		col := w.bufs[last][:w.n+int(n)]
		f.Coords(from, col[w.n:])
		w.bufs[last] = col
		w.pos = appendPositions(w.pos, f, from, n)
		w.at[last] += n
		w.n += int(n)
	}
	copy(w.coords, w.bufs)
}

// appendPositions appends the positions of n entries of a fiber.
func appendPositions(pos []int32, f *fibers.Fiber, from, n int32) []int32 {
	switch {
	case f.Spread:
		for _, c := range f.Idx[from : from+n] {
			pos = append(pos, f.Base+c)
		}
	default:
		for e := from; e < from+n; e++ {
			pos = append(pos, f.Pos(e))
		}
	}
	return pos
}

func (w *entryWalk) begin(t *fibers.Tensor) {
	w.begun, w.done = true, t.NNZ == 0
	w.fibers, w.at = make([]fibers.Fiber, len(t.Levels)), make([]int32, len(t.Levels))
	w.coords, w.bufs = make([][]fibers.Coord, len(t.Levels)), make([][]fibers.Coord, len(t.Levels))
	for m := range w.bufs {
		w.bufs[m] = make([]fibers.Coord, 0, min(entriesPerBatch, t.NNZ))
	}
	w.posBuf = make([]int32, 0, min(entriesPerBatch, t.NNZ))
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

// decode writes the values of coordinates to a vector, whose memory it may use.
func decode(d *fibers.Domain, coords []fibers.Coord, v *rows.Vector) {
	n := len(coords)
	*v = vectorOn(v, domainType(d), n)
	switch d.Kind() {
	case fibers.Int128Values:
		d.DecodeInt128(coords, v.I128)
	case fibers.Float64Values:
		d.DecodeFloat64(coords, v.F64)
	case fibers.StringValues:
		d.DecodeString(coords, v.Str)
	default:
		d.DecodeInt64(coords, v.I64)
	}
	null, ok := d.Null()
	if !ok {
		return
	}
	for i, x := range coords {
		if x == null {
			v.SetNull(i, n)
		}
	}
}

// values sets a vector to a leaf's values for the batch. Where those follow one
// another they are the leaf's own memory, which the vector never writes to: its
// own is made anew when it is needed.
func (w *entryWalk) values(l *fibers.Leaf, v *rows.Vector) {
	*v = rows.Vector{Type: elemType(l.Elem)}
	switch l.Elem {
	case semiring.I64:
		v.I64 = valuesAt(w, l.I64)
	case semiring.I128:
		v.I128 = valuesAt(w, l.I128)
	case semiring.F64:
		v.F64 = valuesAt(w, l.F64)
	case semiring.Pattern:
		v.I64 = slices.Repeat([]int64{1}, w.n)
	default:
		panic(invariant.Failed("engine: element type %d", l.Elem))
	}
}

func valuesAt[T any](w *entryWalk, all []T) []T {
	if w.pos == nil {
		return all[w.first : int(w.first)+w.n]
	}
	if first := w.pos[0]; consecutive(w.pos) {
		return all[first : int(first)+w.n]
	}
	out := make([]T, w.n)
	for i, p := range w.pos {
		out[i] = all[p]
	}
	return out
}

// consecutive reports whether positions go up by one; several entries may share
// one.
func consecutive(pos []int32) bool {
	n := len(pos)
	if pos[n-1] != pos[0]+int32(n)-1 {
		return false
	}
	for i := 1; i < n; i++ {
		if pos[i] != pos[i-1]+1 {
			return false
		}
	}
	return true
}
