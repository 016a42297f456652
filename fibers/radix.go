package fibers

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

const (
	radixBits = 11 // 2048 counters stay in L1; 24 ns per entry in all
	// checkEvery is how many rows are handled between two looks at the context.
	checkEvery = 1 << 16
	// smallSort is the length below which comparing beats counting digits.
	smallSort = 256
)

// keyLayout packs the coordinates of one entry into 64 bits, mode 0 highest.
type keyLayout struct {
	shift []uint
	bits  uint
}

// layoutKeys returns the layout for the dimensions, and whether 64 bits suffice.
func layoutKeys(dims []int) (keyLayout, bool) {
	k := keyLayout{shift: make([]uint, len(dims))}
	for m := len(dims) - 1; m >= 0; m-- {
		k.shift[m] = k.bits
		if dims[m] > 1 {
			k.bits += uint(bits.Len(uint(dims[m] - 1)))
		}
	}
	return k, k.bits <= 64
}

// coord extracts mode m's coordinate.
func (k *keyLayout) coord(key uint64, m int) Coord {
	hi := k.bits
	if m > 0 {
		hi = k.shift[m-1]
	}
	width := hi - k.shift[m]
	return Coord((key >> k.shift[m]) & (1<<width - 1))
}

// sortKeys sorts keys, carrying perm along when it is not nil. It may return
// other slices than it was given. Stable.
func sortKeys(ctx context.Context, keys []uint64, perm []int32, width uint) ([]uint64, []int32, error) {
	if len(keys) < smallSort {
		sortSmall(keys, perm)
		return keys, perm, ctx.Err()
	}
	tmp := make([]uint64, len(keys))
	var tmpPerm []int32
	if perm != nil {
		tmpPerm = make([]int32, len(keys))
	}
	// Digits of equal width: 36 bits are four digits of 9, not three of 11 and one of 3.
	passes := max((width+radixBits-1)/radixBits, 1)
	digit := (width + passes - 1) / passes
	counts := make([][1 << radixBits]int32, passes)
	if err := countDigits(ctx, keys, digit, counts); err != nil {
		return nil, nil, err
	}
	for p := range counts {
		count := &counts[p]
		if oneDigit(count, len(keys)) {
			continue
		}
		sum := int32(0)
		for d, c := range count {
			count[d] = sum
			sum += c
		}
		if err := moveByDigit(ctx, keys, tmp, perm, tmpPerm, uint(p)*digit, digit, count); err != nil {
			return nil, nil, err
		}
		keys, tmp = tmp, keys
		perm, tmpPerm = tmpPerm, perm
	}
	return keys, perm, nil
}

// countDigits counts every digit of every key in one pass over the keys.
func countDigits(ctx context.Context, keys []uint64, digit uint, counts [][1 << radixBits]int32) error {
	mask := uint64(1)<<digit - 1
	for from := 0; from < len(keys); from += checkEvery {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := keys[from:min(from+checkEvery, len(keys))]
		for p := range counts {
			count, lo := &counts[p], uint(p)*digit
			for _, k := range piece {
				count[k>>lo&mask&(1<<radixBits-1)]++
			}
		}
	}
	return nil
}

func oneDigit(count *[1 << radixBits]int32, n int) bool {
	for _, c := range count {
		if c != 0 {
			return int(c) == n
		}
	}
	return true
}

func moveByDigit(ctx context.Context, keys, dst []uint64, perm, dstPerm []int32, lo, digit uint, next *[1 << radixBits]int32) error {
	mask := uint64(1)<<digit - 1
	for from := 0; from < len(keys); from += checkEvery {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+checkEvery, len(keys))
		if perm == nil {
			for _, k := range keys[from:to] {
				d := k >> lo & mask & (1<<radixBits - 1)
				dst[next[d]] = k
				next[d]++
			}
			continue
		}
		ps := perm[from:to]
		for e, k := range keys[from:to] {
			d := k >> lo & mask & (1<<radixBits - 1)
			at := next[d]
			dst[at], dstPerm[at] = k, ps[e]
			next[d]++
		}
	}
	return nil
}

func sortSmall(keys []uint64, perm []int32) {
	if perm == nil {
		slices.Sort(keys)
		return
	}
	type pair struct {
		key uint64
		at  int32
	}
	var buf [smallSort]pair
	pairs := buf[:len(keys)]
	for e, k := range keys {
		pairs[e] = pair{k, perm[e]}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			return c
		}
		return cmp.Compare(a.at, b.at)
	})
	for e, p := range pairs {
		keys[e], perm[e] = p.key, p.at
	}
}

// sortColumns returns the permutation that puts entries in the order of their
// columns, or nil when they are in order. dims are the columns' dimensions.
func sortColumns(ctx context.Context, dims []int, cols [][]Coord, n int) ([]int32, error) {
	sorted, err := columnsSorted(ctx, cols, n)
	if err != nil || sorted {
		return nil, err
	}
	perm := make([]int32, n)
	for e := range perm {
		perm[e] = int32(e)
	}
	// Columns that fit 64 bits together are sorted as one key; otherwise groups
	// of columns are, from the last to the first, which stability makes one order.
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
		if _, perm, err = sortKeys(ctx, keys, perm, layout.bits); err != nil {
			return nil, err
		}
		hi = lo
	}
	return perm, nil
}

func columnsSorted(ctx context.Context, cols [][]Coord, n int) (bool, error) {
	for e := 1; e < n; e++ {
		if e&(checkEvery-1) == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		for _, col := range cols {
			if col[e-1] < col[e] {
				break
			}
			if col[e-1] > col[e] {
				return false, nil
			}
		}
	}
	return true, nil
}

// SortEntries returns the permutation that puts n entries in the order of their
// columns, nil when they already are. dims bound the columns. O(n) passes.
func SortEntries(ctx context.Context, dims []int, cols [][]Coord, n int) ([]int32, error) {
	return sortColumns(ctx, dims, cols, n)
}
