package fibers

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

const (
	// radixBits is the widest digit: its 2048 counters stay in L1.
	radixBits = 11
	// checkEvery is how many rows are handled between two looks at the context.
	checkEvery = 1 << 16
	// smallSort is the length below which comparing beats counting digits.
	smallSort = 96
	// splitFrom is the length from which keys are first split by their highest
	// splitBits; neighbours are put together to buckets of at least bucketKeys,
	// which are then sorted within the cache, in parallel (BenchmarkSortKeys).
	splitFrom  = 1 << 16
	splitBits  = radixBits
	bucketKeys = 1 << 13
)

// keyLayout packs the coordinates of one entry into 64 bits, mode 0 highest.
type keyLayout struct {
	shift []uint
	bits  uint
}

// layoutKeys returns the layout for the dimensions, and whether 64 bits suffice.
func layoutKeys(dims []int) (keyLayout, bool) {
	return layoutAbove(dims, 0)
}

// layoutAbove is layoutKeys with so many bits below the last mode's left free.
func layoutAbove(dims []int, free uint) (keyLayout, bool) {
	k := keyLayout{shift: make([]uint, len(dims)), bits: free}
	for m := len(dims) - 1; m >= 0; m-- {
		k.shift[m] = k.bits
		if dims[m] > 1 {
			k.bits += uint(bits.Len(uint(dims[m] - 1)))
		}
	}
	return k, k.bits <= 64
}

// field returns where mode m's coordinate is in a key: shift and mask.
func (k *keyLayout) field(m int) (shift uint, mask uint64) {
	hi := k.bits
	if m > 0 {
		hi = k.shift[m-1]
	}
	return k.shift[m], 1<<(hi-k.shift[m]) - 1
}

// sorter sorts keys by their bits [low, high), stably; bits below low and perm,
// where it is not nil, are carried along. Bits from high on are 0. Where bits
// below low are set, they ascend in the order given: they number the entries.
type sorter struct {
	keys, tmp     []uint64
	perm, tmpPerm []int32
	low, high     uint
	workers       int
}

// sort leaves the result in keys and perm, which may be other slices than before.
func (s *sorter) sort(ctx context.Context) error {
	n := len(s.keys)
	if n < smallSort {
		sortSmall(s.keys, s.perm, s.low)
		return ctx.Err()
	}
	if s.tmp == nil {
		s.tmp = make([]uint64, n)
	}
	if s.perm != nil && s.tmpPerm == nil {
		s.tmpPerm = make([]int32, n)
	}
	if n < splitFrom {
		b := bucket{src: s.keys, dst: s.tmp, srcPerm: s.perm, dstPerm: s.tmpPerm}
		moved, err := b.sort(ctx, s.low, s.high)
		if moved {
			s.swap()
		}
		return err
	}
	width := min(splitBits, s.high-s.low)
	ends, err := s.split(ctx, width)
	if err != nil {
		return err
	}
	s.swap()
	if width == s.high-s.low {
		return nil
	}
	buckets := bucketsOf(ends, s.high-width)
	err = inParallel(s.workers, len(buckets), func(i int) error { return s.sortBucket(ctx, buckets[i]) })
	s.swap()
	return err
}

// run is the keys [lo, hi), which are the same from bit high on.
type run struct {
	lo, hi int
	high   uint
}

// bucketsOf puts neighbours among the runs of keys with equal high bits, from
// shift on, together until there are bucketKeys. ends is where each run ends.
func bucketsOf(ends []int, shift uint) []run {
	var out []run
	b, first := run{high: shift}, 0
	for d, end := range ends {
		if b.hi = end; b.hi-b.lo >= bucketKeys || d == len(ends)-1 {
			b.high += uint(bits.Len(uint(first ^ d)))
			if b.hi > b.lo {
				out = append(out, b)
			}
			b, first = run{lo: end, high: shift}, d+1
		}
	}
	return out
}

func (s *sorter) swap() {
	s.keys, s.tmp = s.tmp, s.keys
	s.perm, s.tmpPerm = s.tmpPerm, s.perm
}

// split moves the keys to tmp, ordered by their highest width bits, and returns
// where each of the buckets ends.
func (s *sorter) split(ctx context.Context, width uint) (ends []int, err error) {
	n, shift := len(s.keys), s.high-width
	pieces := max(s.workers, 1)
	counts := make([][1 << radixBits]int32, pieces)
	err = inParallel(s.workers, pieces, func(p int) error {
		return countDigits(ctx, s.keys[cut(n, pieces, p):cut(n, pieces, p+1)], shift, width, counts[p:p+1])
	})
	if err != nil {
		return nil, err
	}
	ends = make([]int, 1<<width)
	sum := int32(0)
	for d := range ends {
		for p := range counts {
			c := counts[p][d]
			counts[p][d] = sum
			sum += c
		}
		ends[d] = int(sum)
	}
	return ends, inParallel(s.workers, pieces, func(p int) error {
		b := bucket{src: s.keys[cut(n, pieces, p):cut(n, pieces, p+1)], dst: s.tmp}
		if s.perm != nil {
			b.srcPerm, b.dstPerm = s.perm[cut(n, pieces, p):cut(n, pieces, p+1)], s.tmpPerm
		}
		return b.move(ctx, shift, width, &counts[p])
	})
}

// sortBucket moves the keys of a run to tmp, in order.
func (s *sorter) sortBucket(ctx context.Context, r run) error {
	lo, hi := r.lo, r.hi
	b := bucket{src: s.keys[lo:hi], dst: s.tmp[lo:hi]}
	if s.perm != nil {
		b.srcPerm, b.dstPerm = s.perm[lo:hi], s.tmpPerm[lo:hi]
	}
	moved := false
	if hi-lo < smallSort {
		sortSmall(b.src, b.srcPerm, s.low)
	} else {
		var err error
		if moved, err = b.sort(ctx, s.low, r.high); err != nil {
			return err
		}
	}
	if !moved {
		copy(s.tmp[lo:hi], s.keys[lo:hi])
		if s.perm != nil {
			copy(s.tmpPerm[lo:hi], s.perm[lo:hi])
		}
	}
	return nil
}

// bucket is a run of keys and the place that they are moved to. Each pass swaps
// the two.
type bucket struct {
	src, dst         []uint64
	srcPerm, dstPerm []int32
}

// sort orders by the bits [low, high), the lowest digit first; moved says that
// the result is in what was dst.
func (b *bucket) sort(ctx context.Context, low, high uint) (moved bool, err error) {
	// Digits of equal width: 36 bits are four digits of 9, not three of 11 and one
	// of 3. A bucket has no more counters than an eighth of its keys.
	widest := min(radixBits, max(uint(bits.Len(uint(len(b.src)/8))), 6))
	passes := max((high-low+widest-1)/widest, 1)
	width := (high - low + passes - 1) / passes
	var few [4][1 << radixBits]int32
	counts := few[:min(passes, 4)]
	if passes > 4 {
		counts = make([][1 << radixBits]int32, passes)
	}
	if err := countDigits(ctx, b.src, low, width, counts); err != nil {
		return false, err
	}
	for p := range counts {
		count := &counts[p]
		if oneDigit(count[:1<<width], len(b.src)) {
			continue
		}
		sum := int32(0)
		for d, c := range count[:1<<width] {
			count[d] = sum
			sum += c
		}
		if err := b.move(ctx, low+uint(p)*width, width, count); err != nil {
			return false, err
		}
		b.src, b.dst = b.dst, b.src
		b.srcPerm, b.dstPerm = b.dstPerm, b.srcPerm
		moved = !moved
	}
	return moved, nil
}

// countDigits counts every digit of every key, digits of the given width from
// bit low on, in one pass over the keys.
func countDigits(ctx context.Context, keys []uint64, low, width uint, counts [][1 << radixBits]int32) error {
	mask := uint64(1)<<width - 1
	for from := 0; from < len(keys); from += checkEvery {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := keys[from:min(from+checkEvery, len(keys))]
		for p := range counts {
			count, shift := &counts[p], (low+uint(p)*width)&63
			for _, k := range piece {
				count[k>>shift&mask&(1<<radixBits-1)]++
			}
		}
	}
	return nil
}

func oneDigit(count []int32, n int) bool {
	for _, c := range count {
		if c != 0 {
			return int(c) == n
		}
	}
	return true
}

// move scatters src to dst by one digit; next is each digit's next place.
func (b *bucket) move(ctx context.Context, shift, width uint, next *[1 << radixBits]int32) error {
	mask := uint64(1)<<width - 1
	shift &= 63
	dst, dstPerm := b.dst, b.dstPerm
	for from := 0; from < len(b.src); from += checkEvery {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+checkEvery, len(b.src))
		if b.srcPerm == nil {
			for _, k := range b.src[from:to] {
				d := k >> shift & mask & (1<<radixBits - 1)
				dst[next[d]] = k
				next[d]++
			}
			continue
		}
		ps := b.srcPerm[from:to]
		for e, k := range b.src[from:to] {
			d := k >> shift & mask & (1<<radixBits - 1)
			at := next[d]
			dst[at], dstPerm[at] = k, ps[e]
			next[d]++
		}
	}
	return nil
}

// sortSmall compares. Keys that number their entries in the bits below low are
// compared whole, which keeps equal ones in order.
func sortSmall(keys []uint64, perm []int32, low uint) {
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
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.key>>low, b.key>>low) })
	for e, p := range pairs {
		keys[e], perm[e] = p.key, p.at
	}
}
