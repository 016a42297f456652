package jsonb

import (
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// invalidParameter is the SQLSTATE of an operation that a value of the kind does not have.
const invalidParameter = "22023"

// concat is a || b: the keys of both objects, with b's values, or the elements of both; what
// is no array is one element.
func concat(a, b value) value {
	if a.kind == object && b.kind == object {
		out := value{work: a.work, kind: object, keys: slices.Clone(a.keys), items: slices.Clone(a.items)}
		for i, k := range b.keys {
			out.set(k, b.items[i])
		}
		return out
	}
	return value{kind: array, items: slices.Concat(a.elements(), b.elements())}
}

func (v *value) elements() []value {
	if v.kind == array {
		return v.items
	}
	return []value{*v}
}

// set gives a key of an object a value.
func (v *value) set(key string, item value) {
	if at := v.key(key); at >= 0 {
		v.items[at] = item
		return
	}
	v.keys, v.items = append(v.keys, key), append(v.items, item)
}

// remove takes out item i.
func (v *value) remove(i int) {
	v.work.take(len(v.items) - i)
	v.items = slices.Delete(v.items, i, i+1)
	if v.kind == object {
		v.keys = slices.Delete(v.keys, i, i+1)
	}
}

// without is v - keys: an object without them, or an array without such strings.
func (v value) without(keys []string) (value, error) {
	if !v.isContainer() {
		return v, sqlerr.New(invalidParameter, "cannot delete from scalar")
	}
	for i := len(v.items) - 1; i >= 0; i-- {
		v.work.take(len(keys))
		if v.kind == object && slices.Contains(keys, v.keys[i]) || v.kind == array && v.items[i].kind == text && slices.Contains(keys, v.items[i].scalar) {
			v.remove(i)
		}
	}
	return v, nil
}

// withoutElement is v - i.
func (v value) withoutElement(i int64) (value, error) {
	switch v.kind {
	case object:
		return v, sqlerr.New(invalidParameter, "cannot delete from object using integer index")
	case array:
	default:
		return v, sqlerr.New(invalidParameter, "cannot delete from scalar")
	}
	if at := v.step(strconv.FormatInt(i, 10)); at >= 0 {
		v.remove(at)
	}
	return v, nil
}

// withoutPath is v #- path.
func (v value) withoutPath(path []string) (value, error) {
	if !v.isContainer() {
		return v, sqlerr.New(invalidParameter, "cannot delete path in scalar")
	}
	if len(path) == 0 {
		return v, nil
	}
	last := len(path) - 1
	if in := v.at(path[:last]); in != nil && in.isContainer() {
		if i := in.step(path[last]); i >= 0 {
			in.remove(i)
		}
	}
	return v, nil
}

// changing is how setPath treats what a path leads to.
type changing struct {
	// replaces: a value that is there is replaced; otherwise the new one comes before it,
	// or after.
	replaces, after bool
	// creates: a key or an element that is not there is made.
	creates bool
}

// withPath is jsonb_set or jsonb_insert.
func (v value) withPath(path []string, item value, how changing) (value, error) {
	if !v.isContainer() {
		return v, sqlerr.New(invalidParameter, "cannot set path in scalar")
	}
	if len(path) == 0 {
		return v, nil
	}
	last := len(path) - 1
	in := v.at(path[:last])
	if in == nil || !in.isContainer() {
		return v, nil
	}
	step := path[last]
	if in.kind == object {
		return v, in.setKey(step, item, how)
	}
	number, err := strconv.Atoi(step)
	if err != nil {
		return v, sqlerr.New(sqlerr.InvalidText, "path element at position %d is not an integer: %q", len(path), step)
	}
	at := in.step(step)
	switch {
	case at >= 0 && how.replaces:
		in.items[at] = item
	case at >= 0 && how.after:
		in.items = slices.Insert(in.items, at+1, item)
	case at >= 0:
		in.items = slices.Insert(in.items, at, item)
	case how.creates && number < 0:
		in.items = slices.Insert(in.items, 0, item)
	case how.creates:
		in.items = append(in.items, item)
	}
	return v, nil
}

func (v *value) setKey(key string, item value, how changing) error {
	there := v.key(key) >= 0
	switch {
	case there && !how.replaces:
		return sqlerr.New(invalidParameter, "cannot replace existing key").WithHint("Use jsonb_set, which replaces the value of a key.")
	case there || how.creates:
		v.set(key, item)
	}
	return nil
}

// stripped is v without the keys whose value is null, at every depth.
func (v value) stripped() value {
	for i := len(v.items) - 1; i >= 0; i-- {
		if v.kind == object && v.items[i].kind == null {
			v.remove(i)
			continue
		}
		v.items[i] = v.items[i].stripped()
	}
	return v
}
