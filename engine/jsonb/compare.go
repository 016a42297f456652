package jsonb

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// order is the order of kinds: of two values of different kinds it decides.
var order = [...]int{null: 0, text: 1, number: 2, boolean: 3, array: 4, object: 5}

// compare orders values as Postgres does: by kind, containers by how many they hold, then by
// what they hold, objects by keys in the order of their lengths. There an empty array by
// itself comes before scalars.
func (v *value) compare(other *value) int {
	switch {
	case v.isEmptyArray() && !other.isContainer():
		return -1
	case !v.isContainer() && other.isEmptyArray():
		return 1
	}
	return v.compareInside(other)
}

func (v *value) isEmptyArray() bool { return v.kind == array && len(v.items) == 0 }

// compareInside is compare of what stands in other values.
func (v *value) compareInside(other *value) int {
	v.work.take(1)
	if v.kind != other.kind {
		return cmp.Compare(order[v.kind], order[other.kind])
	}
	switch v.kind {
	case null:
		return 0
	case text, boolean: // false before true
		return strings.Compare(v.scalar, other.scalar)
	case number:
		return compareNumbers(v.scalar, other.scalar)
	}
	if c := cmp.Compare(len(v.items), len(other.items)); c != 0 {
		return c
	}
	mine, others := v.inOrder(), other.inOrder()
	for k := range mine {
		i, j := mine[k], others[k]
		if v.kind == object {
			if c := strings.Compare(v.keys[i], other.keys[j]); c != 0 {
				return c
			}
		}
		if c := v.items[i].compareInside(&other.items[j]); c != 0 {
			return c
		}
	}
	return 0
}

// inOrder are the places of the items, of an object in the order of its keys.
func (v *value) inOrder() []int {
	places := make([]int, len(v.items))
	for i := range places {
		places[i] = i
	}
	if v.kind == object {
		slices.SortFunc(places, func(i, j int) int {
			return cmp.Or(cmp.Compare(len(v.keys[i]), len(v.keys[j])), strings.Compare(v.keys[i], v.keys[j]))
		})
	}
	return places
}

// compareNumbers compares the texts of numbers, of which every digit counts.
func compareNumbers(a, b string) int {
	x, y := decimalOf(a), decimalOf(b)
	if x.sign != y.sign {
		return cmp.Compare(x.sign, y.sign)
	}
	return x.sign * cmp.Or(cmp.Compare(x.exponent, y.exponent), strings.Compare(x.digits, y.digits))
}

// decimal is a number: its sign, and its digits from the first to the last that is not 0,
// before which the point stands, times 10 to the exponent.
type decimal struct {
	sign     int
	digits   string
	exponent int64
}

// decimalOf reads a number of JSON's. An exponent that is too large for any counts as the
// largest.
func decimalOf(s string) decimal {
	d := decimal{sign: 1}
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		d.sign, s = -1, rest
	}
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		n, _ := strconv.ParseInt(strings.TrimPrefix(s[e+1:], "+"), 10, 64) // the largest or the least, when it is beyond
		d.exponent, s = min(max(n, math.MinInt64/2), math.MaxInt64/2), s[:e]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent += int64(len(digits) - len(fraction))
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}
