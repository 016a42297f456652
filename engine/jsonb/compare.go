package jsonb

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// order is the order of kinds: of two values of different kinds it decides.
var order = [...]int{null: 0, text: 1, number: 2, boolean: 3, array: 4, object: 5}

// compare orders values as Postgres does: by kind, containers by how many they hold, then by
// what they hold, objects by keys in the order of their lengths.
func (v *value) compare(other *value) int {
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
			if c := compareKeys(v.keys[i], other.keys[j]); c != 0 {
				return c
			}
		}
		if c := v.items[i].compare(&other.items[j]); c != 0 {
			return c
		}
	}
	return 0
}

func compareKeys(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// inOrder are the places of the items, of an object in the order of its keys.
func (v *value) inOrder() []int {
	places := make([]int, len(v.items))
	for i := range places {
		places[i] = i
	}
	if v.kind == object {
		slices.SortFunc(places, func(i, j int) int { return compareKeys(v.keys[i], v.keys[j]) })
	}
	return places
}

// compareNumbers compares the texts of numbers: of integers every digit counts.
func compareNumbers(a, b string) int {
	if isInteger(a) && isInteger(b) {
		negative := strings.HasPrefix(a, "-")
		if negative != strings.HasPrefix(b, "-") {
			return cmp.Compare(signOf(a), signOf(b))
		}
		c := compareKeys(a, b) // JSON has no zeros before a number
		if negative {
			c = -c
		}
		return c
	}
	x, _ := strconv.ParseFloat(a, 64) // beyond its range it is infinite
	y, _ := strconv.ParseFloat(b, 64)
	return cmp.Compare(x, y)
}

// signOf is below 0 for a negative integer; -0 is 0.
func signOf(s string) int {
	switch {
	case s == "-0" || s == "0":
		return 0
	case strings.HasPrefix(s, "-"):
		return -1
	}
	return 1
}
