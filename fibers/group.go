package fibers

import (
	"context"
	"math/bits"

	"github.com/trireme-db/trireme/internal/invariant"
)

// groups are the rows in sorted order cut into runs of equal coordinates.
type groups struct {
	n      int
	starts []int32   // per run its first place in the order; nil: one row each
	coords [][]Coord // per mode, per run
	// The rows in order, for leaves that have values: the number of the row at
	// place e is rows[e], or in the low bits of keys[e].
	rows    []int32
	keys    []uint64
	rowMask uint64
}

// len is the number of runs.
func (g *groups) len() int {
	if g.starts == nil {
		return g.n
	}
	return len(g.starts)
}

// run returns the places of run r.
func (g *groups) run(r int) (from, to int) {
	switch {
	case g.starts == nil:
		return r, r + 1
	case r+1 < len(g.starts):
		return int(g.starts[r]), int(g.starts[r+1])
	}
	return int(g.starts[r]), g.n
}

// row is the number of the row at a place.
func (g *groups) row(e int) int32 {
	if g.rows != nil {
		return g.rows[e]
	}
	return int32(g.keys[e] & g.rowMask)
}

func (b *Builder) anyValued() bool {
	for _, v := range b.valued {
		if v {
			return true
		}
	}
	return false
}

// group sorts the rows by keys of 64 bits: the coordinates and, where leaves
// have values and there is room, the row's number below them.
func (b *Builder) group(ctx context.Context, dims []int) (*groups, error) {
	rowBits := uint(0)
	if b.anyValued() {
		rowBits = uint(bits.Len(uint(len(b.chunks)<<chunkLog - 1)))
	}
	layout, ok := layoutAbove(dims, rowBits)
	numbered := ok && rowBits > 0
	if !ok {
		rowBits = 0
		if layout, ok = layoutKeys(dims); !ok {
			return b.groupColumns(ctx, dims)
		}
	}
	s := sorter{low: rowBits, high: layout.bits, workers: b.workers}
	order, err := b.packKeys(ctx, dims, &layout, numbered, &s)
	if err != nil {
		return nil, err
	}
	b.releaseCoords()
	if order == disordered {
		if err := s.sort(ctx); err != nil {
			return nil, err
		}
	}
	g := &groups{n: b.n, keys: s.keys, rows: s.perm, rowMask: 1<<rowBits - 1}
	s.tmp, s.tmpPerm = nil, nil
	if order != distinct {
		if g.starts, err = runStarts(ctx, s.keys, rowBits, b.workers); err != nil {
			return nil, err
		}
	}
	g.coords, err = unpackKeys(ctx, s.keys, g.starts, &layout, len(dims), b.workers)
	return g, err
}

// releaseCoords lets go of the coordinates, which are in the keys now.
func (b *Builder) releaseCoords() {
	for _, c := range b.chunks {
		c.coords = nil
	}
}

// order is what is known of keys in the order given.
type order uint8

const (
	disordered order = iota
	ascending        // with equal ones
	distinct         // ascending strictly
)

// packed is what packing a chunk tells of its keys.
type packed struct {
	first, last uint64
	order       order
}

// packKeys makes one key per row, chunks in parallel, and says how they are
// ordered. Rows are numbered in the keys where they are to be numbered there,
// else in perm where leaves have values.
func (b *Builder) packKeys(ctx context.Context, dims []int, layout *keyLayout, numbered bool, s *sorter) (order, error) {
	s.keys = make([]uint64, b.n)
	if !numbered && b.anyValued() {
		s.perm = make([]int32, b.n)
	}
	from := make([]int, len(b.chunks)+1)
	for i, c := range b.chunks {
		from[i+1] = from[i] + c.used
	}
	info := make([]packed, len(b.chunks))
	err := inParallel(b.workers, len(b.chunks), func(i int) error {
		out := s.keys[from[i]:from[i+1]]
		number := uint64(i) << chunkLog
		if numbered {
			for e := range out {
				out[e] = number + uint64(e)
			}
		}
		if s.perm != nil {
			for e := range s.perm[from[i]:from[i+1]] {
				s.perm[from[i]+e] = int32(number) + int32(e)
			}
		}
		b.chunks[i].pack(out, dims, layout)
		info[i] = orderOf(out, s.low)
		return ctx.Err()
	})
	if err != nil {
		return disordered, err
	}
	whole := distinct
	for i := range info {
		whole = min(whole, info[i].order)
		if i > 0 && info[i].first <= info[i-1].last {
			whole = min(whole, ascending)
			if info[i].first < info[i-1].last {
				whole = disordered
			}
		}
	}
	return whole, nil
}

// pack adds the chunk's coordinates to its keys. Every coordinate is below its
// dimension.
func (c *chunk) pack(out []uint64, dims []int, layout *keyLayout) {
	if len(c.coords) == 2 && layout.shift[1] == 0 {
		c.packPair(out, dims, layout.shift[0])
		return
	}
	for m, col := range c.coords {
		shift, top := layout.shift[m]&63, uint32(0)
		for e, v := range col[:len(out)] {
			top = max(top, uint32(v))
			out[e] |= uint64(v) << shift
		}
		c.check(m, top, dims[m])
	}
}

// packPair is pack for two modes and nothing below them, in one pass.
func (c *chunk) packPair(out []uint64, dims []int, shift uint) {
	first, second := c.coords[0][:len(out)], c.coords[1][:len(out)]
	shift &= 63
	topFirst, topSecond := uint32(0), uint32(0)
	for e := range out {
		x, y := uint32(first[e]), uint32(second[e])
		topFirst, topSecond = max(topFirst, x), max(topSecond, y)
		out[e] = uint64(x)<<shift | uint64(y)
	}
	c.check(0, topFirst, dims[0])
	c.check(1, topSecond, dims[1])
}

func (c *chunk) check(mode int, top uint32, dim int) {
	invariant.Check(c.used == 0 || int(top) < dim, "fibers: coordinate %d of mode %d is not below %d", top, mode, dim)
}

// orderOf looks at the keys without their low bits.
func orderOf(keys []uint64, low uint) packed {
	p := packed{order: distinct}
	if len(keys) == 0 {
		return p
	}
	low &= 63
	p.first, p.last = keys[0]>>low, keys[len(keys)-1]>>low
	last := p.first
	for _, k := range keys[1:] {
		k >>= low
		if k <= last {
			p.order = ascending
			if k < last {
				p.order = disordered
				return p
			}
		}
		last = k
	}
	return p
}

// runStarts returns where runs of keys that are equal above the low bits begin;
// nil when each is one key.
func runStarts(ctx context.Context, keys []uint64, low uint, workers int) ([]int32, error) {
	n, pieces := len(keys), piecesOf(len(keys))
	low &= 63
	starts := make([]int, pieces+1) // runs that begin before a piece
	err := inParallel(workers, pieces, func(p int) error {
		count := 0
		from, to := cut(n, pieces, p), cut(n, pieces, p+1)
		if p == 0 && n > 0 {
			from, count = 1, 1
		}
		if from < to {
			last := keys[from-1] >> low
			for _, k := range keys[from:to] {
				if k >>= low; k != last {
					count++
				}
				last = k
			}
		}
		starts[p+1] = count
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for p := range pieces {
		starts[p+1] += starts[p]
	}
	if starts[pieces] == n {
		return nil, nil
	}
	out := make([]int32, starts[pieces])
	return out, inParallel(workers, pieces, func(p int) error {
		at := starts[p]
		for e := cut(n, pieces, p); e < cut(n, pieces, p+1); e++ {
			if e == 0 || keys[e]>>low != keys[e-1]>>low {
				out[at] = int32(e)
				at++
			}
		}
		return ctx.Err()
	})
}

// unpackKeys takes the coordinates of the keys at starts, or of all keys, apart.
func unpackKeys(ctx context.Context, keys []uint64, starts []int32, layout *keyLayout, modes, workers int) ([][]Coord, error) {
	n := len(keys)
	if starts != nil {
		n = len(starts)
	}
	cols := make([][]Coord, modes)
	for m := range cols {
		cols[m] = make([]Coord, n)
	}
	pieces := piecesOf(n)
	return cols, inParallel(workers, pieces, func(p int) error {
		from, to := cut(n, pieces, p), cut(n, pieces, p+1)
		for m := range cols {
			shift, mask := layout.field(m)
			shift &= 63
			out := cols[m][from:to]
			if starts == nil {
				for e, k := range keys[from:to] {
					out[e] = Coord(k >> shift & mask)
				}
				continue
			}
			for r, s := range starts[from:to] {
				out[r] = Coord(keys[s] >> shift & mask)
			}
		}
		return ctx.Err()
	})
}

// groupColumns is group for coordinates that do not fit one 64-bit key.
func (b *Builder) groupColumns(ctx context.Context, dims []int) (*groups, error) {
	cols := make([][]Coord, len(dims))
	for m := range cols {
		cols[m] = make([]Coord, 0, b.n)
		for _, c := range b.chunks {
			cols[m] = append(cols[m], c.coords[m][:c.used]...)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	numbers := make([]int32, 0, b.n)
	for i, c := range b.chunks {
		for r := range c.used {
			numbers = append(numbers, int32(i)<<chunkLog+int32(r))
		}
	}
	b.releaseCoords()
	perm, err := sortColumns(ctx, dims, cols, b.n, b.workers)
	if err != nil {
		return nil, err
	}
	g := &groups{n: b.n, rows: numbers, starts: make([]int32, 0, b.n), coords: make([][]Coord, len(dims))}
	if perm != nil {
		g.rows = make([]int32, b.n)
		if err := gatherInto(ctx, g.rows, numbers, perm); err != nil {
			return nil, err
		}
	}
	prev := int32(-1)
	for e := range b.n {
		if e&(checkEvery-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := int32(e)
		if perm != nil {
			p = perm[e]
		}
		if e == 0 || !equalRows(cols, prev, p) {
			prev = p
			g.starts = append(g.starts, int32(e))
		}
	}
	for m := range cols {
		g.coords[m] = make([]Coord, len(g.starts))
		for r, e := range g.starts {
			if perm != nil {
				e = perm[e]
			}
			g.coords[m][r] = cols[m][e]
		}
	}
	return g, nil
}

func equalRows(cols [][]Coord, a, b int32) bool {
	for _, col := range cols {
		if col[a] != col[b] {
			return false
		}
	}
	return true
}
