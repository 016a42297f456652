package fibers

import (
	"cmp"
	"math"
	"slices"

	"github.com/trireme-db/trireme/internal/invariant"
)

// Ranks returns the rank of every coordinate's value in SQL order (numbers by
// value with NaN last, strings by bytes), -1 for NULL. It is nil when
// coordinates are in order already and there is no NULL. The result is cached
// until the domain grows and must not be changed.
func (d *Domain) Ranks() []int32 {
	if d.kind == RowValues {
		return nil
	}
	d.mu.RLock()
	ranks, fresh := d.ranks, d.ranked == d.n
	d.mu.RUnlock()
	if fresh {
		return ranks
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ranked != d.n {
		d.ranks, d.ranked = d.computeRanks(), d.n
	}
	return d.ranks
}

// compare orders two coordinates that are not NULL's by their values.
func (d *Domain) compare() func(a, b Coord) int {
	switch d.kind {
	case Int64Values:
		value := func(c Coord) int64 {
			if int(c) < d.base.n {
				return d.base.value(c)
			}
			return d.i64[int(c)-d.base.n]
		}
		return func(a, b Coord) int { return cmp.Compare(value(a), value(b)) }
	case Int128Values:
		return func(a, b Coord) int { return d.i128[a].Cmp(d.i128[b]) }
	case Float64Values:
		return func(a, b Coord) int {
			return compareFloats(math.Float64frombits(uint64(d.i64[a])), math.Float64frombits(uint64(d.i64[b])))
		}
	case StringValues:
		return func(a, b Coord) int { return cmp.Compare(d.str[a], d.str[b]) }
	case RowValues:
		return func(a, b Coord) int { return cmp.Compare(a, b) }
	default:
		panic(invariant.Failed("fibers: value kind %d", d.kind))
	}
}

// compareFloats orders NaN last.
func compareFloats(a, b float64) int {
	switch aNaN, bNaN := math.IsNaN(a), math.IsNaN(b); {
	case aNaN && bNaN:
		return 0
	case aNaN:
		return 1
	case bNaN:
		return -1
	}
	return cmp.Compare(a, b)
}

// computeRanks sorts the coordinates after the base, which is in order, and
// merges the two.
func (d *Domain) computeRanks() []int32 {
	compare := d.compare()
	added := make([]Coord, 0, d.n-d.base.n)
	for c := Coord(d.base.n); int(c) < d.n; c++ {
		if c != d.null {
			added = append(added, c)
		}
	}
	slices.SortFunc(added, compare)
	ranks := make([]int32, d.n)
	inOrder := d.null < 0
	base, rank := Coord(0), int32(0)
	emit := func(c Coord) {
		inOrder = inOrder && c == rank
		ranks[c] = rank
		rank++
	}
	for _, c := range added {
		for int(base) < d.base.n && compare(base, c) < 0 {
			emit(base)
			base++
		}
		emit(c)
	}
	for ; int(base) < d.base.n; base++ {
		emit(base)
	}
	if inOrder {
		return nil
	}
	if d.null >= 0 {
		ranks[d.null] = -1
	}
	return ranks
}
