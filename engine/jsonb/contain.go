package jsonb

import (
	"strconv"
	"strings"
)

// contains reports whether v contains part: an object the keys of one with what they
// contain, an array the elements of one.
func (v *value) contains(part *value) bool {
	if v.kind == array && !part.isContainer() { // an array contains what it would with brackets
		return v.hasElement(part)
	}
	return v.holds(part)
}

// holds is contains where a scalar is contained in itself alone.
func (v *value) holds(part *value) bool {
	v.work.take(1)
	switch {
	case v.kind != part.kind:
		return false
	case v.kind == object:
		for i, k := range part.keys {
			at := v.key(k)
			if at < 0 || !v.items[at].holds(&part.items[i]) {
				return false
			}
		}
		return true
	case v.kind == array:
		for i := range part.items {
			if !v.hasElement(&part.items[i]) {
				return false
			}
		}
		return true
	}
	return v.equalsScalar(part)
}

// hasElement reports whether an element of an array holds part.
func (v *value) hasElement(part *value) bool {
	for i := range v.items {
		if v.items[i].holds(part) {
			return true
		}
	}
	return false
}

// equalsScalar compares scalars of one kind: numbers by what they are worth.
func (v *value) equalsScalar(other *value) bool { return v.compare(other) == 0 }

// exists reports whether a key is there: of an object, an element of an array that is a
// string, or a string itself.
func (v *value) exists(key string) bool {
	switch v.kind {
	case object:
		return v.key(key) >= 0
	case array:
		v.work.take(len(v.items))
		for i := range v.items {
			if v.items[i].kind == text && v.items[i].scalar == key {
				return true
			}
		}
	case text:
		return v.scalar == key
	}
	return false
}

// at is the value that a path leads to; nil: there is none.
func (v *value) at(path []*string) *value {
	for _, step := range path {
		if step == nil {
			return nil
		}
		i := v.step(*step)
		if i < 0 {
			return nil
		}
		v = &v.items[i]
	}
	return v
}

// step is the place that a step of a path means: of an array it is a number, which counts
// from the end below zero; -1: there is none.
func (v *value) step(name string) int {
	if v.kind != array {
		return v.key(name)
	}
	i, ok := indexOf(name)
	if !ok {
		return -1
	}
	return v.element(i)
}

// element is the place of element i, which counts from the end below zero; -1: there is none.
func (v *value) element(i int64) int {
	if i < 0 {
		i += int64(len(v.items))
	}
	if i < 0 || i >= int64(len(v.items)) {
		return -1
	}
	return int(i)
}

// indexOf reads a number of an element as Postgres does, with blanks before it.
func indexOf(step string) (int64, bool) {
	i, err := strconv.ParseInt(strings.TrimLeft(step, " \t\n\v\f\r"), 10, 32)
	return i, err == nil
}
