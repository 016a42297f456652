package network

import (
	"encoding/binary"
	"slices"
)

// mostOperands bounds the arguments of a step that puts many together.
const mostOperands = 12

// simplify decides what takes no search: an index that one node alone has is summed
// there; nodes over the same indices are multiplied entry by entry, the smallest
// first; so are those without indices. Each of these makes others possible; a node is
// looked at again when its indices change. O(size of the network).
func (t *tree) simplify() {
	byKey := map[string]int32{}
	replaced := make(map[int32]bool)
	var buf []byte
	todo := slices.Clone(t.live)
	// holders lets an index that has become private be found at its last node.
	last := map[int32][]int32{}
	for _, at := range t.live {
		for _, x := range t.nodes[at].idx {
			last[x] = append(last[x], at)
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if replaced[at] {
			continue
		}
		if t.hasPrivate(at) {
			if key := indexKey(&buf, t.nodes[at].idx); byKey[key] == at {
				delete(byKey, key)
			}
			next := t.combine([]int32{at})
			replaced[at] = true
			todo = append(todo, next)
			t.note(next, last)
			continue
		}
		if len(t.nodes[at].idx) == 0 {
			continue // multiplied below
		}
		key := indexKey(&buf, t.nodes[at].idx)
		other, ok := byKey[key]
		if !ok || replaced[other] || other == at {
			byKey[key] = at
			continue
		}
		next := t.combine([]int32{other, at})
		replaced[at], replaced[other] = true, true
		delete(byKey, key)
		todo = append(todo, next)
		t.note(next, last)
		todo = append(todo, t.freed(next, last, replaced)...)
	}
	t.settle(replaced)
}

// note records where the indices of a node are.
func (t *tree) note(at int32, last map[int32][]int32) {
	for _, x := range t.nodes[at].idx {
		last[x] = append(last[x], at)
	}
}

// freed are the nodes that alone have an index now, after two with it became one.
func (t *tree) freed(at int32, last map[int32][]int32, replaced map[int32]bool) []int32 {
	var out []int32
	for _, x := range t.nodes[at].idx {
		if t.uses[x] != 1 {
			continue
		}
		for _, h := range last[x] {
			if !replaced[h] && h != at {
				out = append(out, h)
			}
		}
	}
	return out
}

func (t *tree) hasPrivate(at int32) bool {
	return slices.ContainsFunc(t.nodes[at].idx, func(x int32) bool { return t.uses[x] == 1 })
}

// settle makes the list of live nodes, with at most one without indices.
func (t *tree) settle(replaced map[int32]bool) {
	var scalars []int32
	t.live = nil
	for at := range t.nodes {
		switch {
		case replaced[int32(at)]:
		case len(t.nodes[at].idx) == 0:
			scalars = append(scalars, int32(at))
		default:
			t.live = append(t.live, int32(at))
		}
	}
	if s, ok := t.product(scalars); ok {
		t.live = append(t.live, s)
	}
}

// product multiplies nodes without indices, many at a time.
func (t *tree) product(scalars []int32) (int32, bool) {
	for len(scalars) > 1 {
		n := min(len(scalars), t.operands)
		at := t.combine(slices.Clone(scalars[:n]))
		scalars = append(scalars[n:], at)
	}
	if len(scalars) == 0 {
		return 0, false
	}
	return scalars[0], true
}

func indexKey(buf *[]byte, idx []int32) string {
	*buf = (*buf)[:0]
	for _, x := range idx {
		*buf = binary.LittleEndian.AppendUint32(*buf, uint32(x))
	}
	return string(*buf)
}
