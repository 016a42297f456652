package fibers

import (
	"context"
	"math/bits"
	"sort"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Reordered lists the entries with their modes in another order, ascending in it. No
// entry may occur twice. O(n) per byte of the coordinates that are sorted by.
func (c *COO) Reordered(ctx context.Context, modes []int) (*COO, error) {
	return c.reorder(ctx, modes)
}

// reorder permutes modes and sorts the entries accordingly.
func (c *COO) reorder(ctx context.Context, modes []int) (*COO, error) {
	out := &COO{N: c.N, Leaves: c.Leaves, ascending: true, workers: c.workers}
	for _, m := range modes {
		out.Dims, out.Coords = append(out.Dims, c.Dims[m]), append(out.Coords, c.Coords[m][:c.N])
		if c.occurring != nil {
			out.occurring = append(out.occurring, c.occurring[m])
		}
	}
	unsorted := len(modes)
	if c.ascending {
		unsorted = unsortedModes(modes)
	} else {
		order, err := columnsOrder(ctx, out.Coords, c.N)
		if err != nil {
			return nil, err
		}
		invariant.Check(order != ascending, "fibers: an entry occurs twice")
		if order == distinct {
			unsorted = 0
		}
	}
	if unsorted == 0 {
		return out, nil
	}
	err := out.sort(ctx, unsorted)
	if err != nil || c.ascending {
		return out, err
	}
	order, err := columnsOrder(ctx, out.Coords, c.N)
	invariant.Check(err != nil || order == distinct, "fibers: an entry occurs twice")
	return out, err
}

// unsortedModes is the number of leading modes by which ascending entries must
// be sorted, stably, to ascend in the given order of their modes: from there on
// the modes come as they did.
func unsortedModes(modes []int) int {
	for n := len(modes); n > 0; n-- {
		if n < len(modes) && modes[n-1] > modes[n] {
			return n
		}
	}
	return 0
}

// sort puts c's own entries in the order of its modes; those that agree in the
// first unsorted modes are in order.
func (c *COO) sort(ctx context.Context, unsorted int) error {
	rowBits := uint(0)
	for l := range c.Leaves {
		if c.Leaves[l].Elem != semiring.Pattern {
			rowBits = uint(bits.Len(uint(c.N - 1)))
		}
	}
	layout, ok := layoutAbove(c.Dims, rowBits)
	if !ok {
		return c.sortColumns(ctx)
	}
	s := sorter{keys: make([]uint64, c.N), low: layout.shift[unsorted-1], high: layout.bits, workers: c.workers}
	if err := packColumns(ctx, s.keys, c.Coords, &layout, rowBits > 0, c.workers); err != nil {
		return err
	}
	err := s.sort(ctx)
	if err != nil {
		return err
	}
	s.tmp = nil
	if c.Coords, err = unpackKeys(ctx, s.keys, nil, &layout, len(c.Dims), c.workers); err != nil || rowBits == 0 {
		return err
	}
	return c.gatherLeaves(ctx, rowNumbers(s.keys, rowBits))
}

// rowNumbers takes the numbers out of the low bits of keys.
func rowNumbers(keys []uint64, rowBits uint) []int32 {
	rows := make([]int32, len(keys))
	mask := uint64(1)<<rowBits - 1
	for e, k := range keys {
		rows[e] = int32(k & mask)
	}
	return rows
}

// sortColumns is sort for keys of more than 64 bits.
func (c *COO) sortColumns(ctx context.Context) error {
	perm, err := sortColumns(ctx, c.Dims, c.Coords, c.N, c.workers)
	if err != nil || perm == nil {
		return err
	}
	for l, col := range c.Coords {
		sorted := make([]Coord, c.N)
		if err := gatherInto(ctx, sorted, col, perm); err != nil {
			return err
		}
		c.Coords[l] = sorted
	}
	return c.gatherLeaves(ctx, perm)
}

// gatherLeaves puts the value of entry perm[e] at entry e.
func (c *COO) gatherLeaves(ctx context.Context, perm []int32) error {
	out := make([]Leaf, len(c.Leaves))
	err := inParallel(c.workers, len(out), func(l int) (err error) {
		out[l], err = c.Leaves[l].gather(ctx, perm)
		return err
	})
	c.Leaves = out
	return err
}

// packColumns makes the keys of entries, with their numbers in the low bits if
// they are to be numbered.
func packColumns(ctx context.Context, keys []uint64, cols [][]Coord, layout *keyLayout, numbered bool, workers int) error {
	n, pieces := len(keys), piecesOf(len(keys))
	return inParallel(workers, pieces, func(p int) error {
		from, to := cut(n, pieces, p), cut(n, pieces, p+1)
		out := keys[from:to]
		if numbered {
			for e := range out {
				out[e] = uint64(from + e)
			}
		}
		for m, col := range cols {
			shift := layout.shift[m] & 63
			for e, x := range col[from:to] {
				out[e] |= uint64(x) << shift
			}
		}
		return ctx.Err()
	})
}

// SortEntries returns the permutation that puts n entries in the order of their
// columns, nil when they already are. dims bound the columns. O(n) passes.
func SortEntries(ctx context.Context, dims []int, cols [][]Coord, n int) ([]int32, error) {
	return sortColumns(ctx, dims, cols, n, 1)
}

// sortColumns is SortEntries with so many workers.
func sortColumns(ctx context.Context, dims []int, cols [][]Coord, n, workers int) ([]int32, error) {
	order, err := columnsOrder(ctx, cols, n)
	if err != nil || order != disordered {
		return nil, err
	}
	rowBits := uint(bits.Len(uint(n - 1)))
	if layout, ok := layoutAbove(dims, rowBits); ok {
		s := sorter{keys: make([]uint64, n), low: rowBits, high: layout.bits, workers: workers}
		if err := packColumns(ctx, s.keys, cols, &layout, true, workers); err != nil {
			return nil, err
		}
		err := s.sort(ctx)
		return rowNumbers(s.keys, rowBits), err
	}
	return sortByGroups(ctx, dims, cols, n, workers)
}

// sortByGroups sorts by groups of columns that fit 64 bits, from the last to the
// first, which stability makes one order.
func sortByGroups(ctx context.Context, dims []int, cols [][]Coord, n, workers int) ([]int32, error) {
	perm := identity(n)
	for hi := len(cols); hi > 0; {
		lo := hi - 1
		for lo > 0 {
			if _, ok := layoutKeys(dims[lo-1 : hi]); !ok {
				break
			}
			lo--
		}
		layout, _ := layoutKeys(dims[lo:hi])
		keys := make([]uint64, n)
		for m, col := range cols[lo:hi] {
			shift := layout.shift[m]
			for e, p := range perm {
				if e&(checkEvery-1) == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				keys[e] |= uint64(col[p]) << shift
			}
		}
		s := sorter{keys: keys, perm: perm, high: layout.bits, workers: workers}
		if err := s.sort(ctx); err != nil {
			return nil, err
		}
		perm = s.perm
		hi = lo
	}
	return perm, nil
}

func identity(n int) []int32 {
	perm := make([]int32, n)
	for e := range perm {
		perm[e] = int32(e)
	}
	return perm
}

// columnsOrder says how n entries are ordered by their columns.
func columnsOrder(ctx context.Context, cols [][]Coord, n int) (order, error) {
	known := distinct
	for e := 1; e < n; e++ {
		if e&(checkEvery-1) == 0 && ctx.Err() != nil {
			return disordered, ctx.Err()
		}
		m := 0
		for m < len(cols) && cols[m][e-1] == cols[m][e] {
			m++
		}
		switch {
		case m == len(cols):
			known = ascending
		case cols[m][e-1] > cols[m][e]:
			return disordered, nil
		}
	}
	return known, nil
}

// nodeStarts returns, per level of ascending entries, the entry that each node
// begins with; nil for the last level, whose nodes are the entries.
func (c *COO) nodeStarts(ctx context.Context) ([][]int32, error) {
	out := make([][]int32, len(c.Dims))
	var above []int32
	for l := range len(out) - 1 {
		var err error
		if above, err = columnStarts(ctx, c.Coords[l][:c.N], above, c.workers); err != nil {
			return nil, err
		}
		out[l] = above
	}
	return out, nil
}

// columnStarts returns where a column changes or a node of the level above begins.
func columnStarts(ctx context.Context, col []Coord, above []int32, workers int) ([]int32, error) {
	n, pieces := len(col), piecesOf(len(col))
	if n == 0 {
		return []int32{}, nil
	}
	counts := make([]int, pieces+1)
	err := inParallel(workers, pieces, func(p int) error {
		counts[p+1] = startsIn(col, above, cut(n, pieces, p), cut(n, pieces, p+1), nil)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for p := range pieces {
		counts[p+1] += counts[p]
	}
	out := make([]int32, counts[pieces])
	return out, inParallel(workers, pieces, func(p int) error {
		startsIn(col, above, cut(n, pieces, p), cut(n, pieces, p+1), out[counts[p]:counts[p+1]])
		return ctx.Err()
	})
}

// startsIn counts the starts in a part of a column, and writes them to out
// unless it is nil.
func startsIn(col []Coord, above []int32, from, to int, out []int32) int {
	count := 0
	at := sort.Search(len(above), func(i int) bool { return int(above[i]) >= from })
	last := Coord(-1) // no coordinate: the first entry begins a node
	if from > 0 {
		last = col[from-1]
	}
	for e, x := range col[from:to] {
		begins := x != last
		if at < len(above) && int(above[at]) == from+e {
			begins = true
			at++
		}
		if begins {
			if out != nil {
				out[count] = int32(from + e)
			}
			count++
		}
		last = x
	}
	return count
}

// pickStarts returns a column's coordinates at starts; all of them when starts
// is nil.
func pickStarts(ctx context.Context, col []Coord, starts []int32) ([]Coord, error) {
	if starts == nil {
		return col, nil
	}
	out := make([]Coord, len(starts))
	return out, gatherInto(ctx, out, col, starts)
}
