package jsonb

import (
	"slices"

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
func (v value) without(keys []*string) (value, error) {
	if !v.isContainer() {
		return v, sqlerr.New(invalidParameter, "cannot delete from scalar")
	}
	for i := len(v.items) - 1; i >= 0; i-- {
		v.work.take(len(keys))
		if v.kind == object && has(keys, v.keys[i]) || v.kind == array && v.items[i].kind == text && has(keys, v.items[i].scalar) {
			v.remove(i)
		}
	}
	return v, nil
}

// has reports whether a key is in a list, NULLs aside.
func has(keys []*string, key string) bool {
	return slices.ContainsFunc(keys, func(k *string) bool { return k != nil && *k == key })
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
	if at := v.element(i); at >= 0 {
		v.remove(at)
	}
	return v, nil
}

// lastStep is the container in which the last step of a path is taken, with that step, and its
// number in an array; nil: the path does not lead so far. A step into an array that is no
// number, and one that is NULL, are errors where they are taken.
func (v *value) lastStep(path []*string) (in *value, step string, i int64, err error) {
	for n, name := range path {
		if name == nil {
			return nil, "", 0, sqlerr.New(nullNotAllowed, "path element at position %d is null", n+1)
		}
		at := -1
		switch v.kind {
		case object:
			at = v.key(*name)
		case array:
			number, ok := indexOf(*name)
			if !ok {
				return nil, "", 0, sqlerr.New(sqlerr.InvalidText, "path element at position %d is not an integer: %q", n+1, *name)
			}
			i, at = number, v.element(number)
		default:
			return nil, "", 0, nil
		}
		if n == len(path)-1 {
			return v, *name, i, nil
		}
		if at < 0 {
			return nil, "", 0, nil
		}
		v = &v.items[at]
	}
	return nil, "", 0, nil
}

// nullNotAllowed is the SQLSTATE of a NULL where there may be none.
const nullNotAllowed = "22004"

// withoutPath is v #- path.
func (v value) withoutPath(path []*string) (value, error) {
	if !v.isContainer() {
		return v, sqlerr.New(invalidParameter, "cannot delete path in scalar")
	}
	if len(v.items) == 0 {
		return v, nil
	}
	in, step, _, err := v.lastStep(path)
	if in == nil || err != nil {
		return v, err
	}
	if at := in.step(step); at >= 0 {
		in.remove(at)
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
func (v value) withPath(path []*string, item value, how changing) (value, error) {
	if !v.isContainer() {
		return v, sqlerr.New(invalidParameter, "cannot set path in scalar")
	}
	if len(v.items) == 0 && !how.creates {
		return v, nil
	}
	in, step, i, err := v.lastStep(path)
	if in == nil || err != nil {
		return v, err
	}
	if in.kind == object {
		return v, in.setKey(step, item, how)
	}
	in.setElement(i, item, how)
	return v, nil
}

func (v *value) setElement(i int64, item value, how changing) {
	at := v.element(i)
	switch {
	case at >= 0 && how.replaces:
		v.items[at] = item
	case at >= 0 && how.after:
		v.items = slices.Insert(v.items, at+1, item)
	case at >= 0:
		v.items = slices.Insert(v.items, at, item)
	case how.creates && i < 0:
		v.items = slices.Insert(v.items, 0, item)
	case how.creates:
		v.items = append(v.items, item)
	}
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
