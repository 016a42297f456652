package interp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// Tensor is a list of entries.
type Tensor struct {
	Leaves  []string // names
	Entries []Entry
}

// Entry is one entry: its coordinates, one per mode, and one value per leaf.
type Entry struct {
	Coord  []Value
	Leaves []Num
}

// String prints the entries, one a line, in the order of their coordinates.
func (t *Tensor) String() string {
	var b strings.Builder
	for _, e := range t.sorted() {
		fmt.Fprintf(&b, "%s ->", coordString(e.Coord))
		for l, n := range e.Leaves {
			fmt.Fprintf(&b, " %s=%s", t.Leaves[l], n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (t *Tensor) sorted() []Entry {
	out := slices.Clone(t.Entries)
	slices.SortStableFunc(out, func(a, b Entry) int { return slices.CompareFunc(a.Coord, b.Coord, Value.Compare) })
	return out
}

func coordString(coord []Value) string {
	parts := make([]string, len(coord))
	for i, v := range coord {
		parts[i] = v.String()
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// coordKey is equal for equal coordinates.
func coordKey(coord []Value) string {
	var b strings.Builder
	for _, v := range coord {
		s := v.Text()
		b.WriteByte('0' + byte(v.kind))
		b.WriteString(strconv.Itoa(len(s)))
		b.WriteByte(':')
		b.WriteString(s)
	}
	return b.String()
}

// Diff compares two tensors by leaf names, coordinates and values and says
// what is different first, or "" when nothing is. relative is the tolerance
// between floats: 0 asks for equal values. -0 equals 0, NaN equals NaN, and the
// identity of min or max equals the extreme of an integer type.
func Diff(got, want *Tensor, relative float64) string {
	if !slices.Equal(got.Leaves, want.Leaves) {
		return fmt.Sprintf("leaves %v, want %v", got.Leaves, want.Leaves)
	}
	g, w := got.sorted(), want.sorted()
	for i := 0; i < len(g) || i < len(w); i++ {
		c := 0
		switch {
		case i == len(g):
			c = 1
		case i == len(w):
			c = -1
		default:
			c = slices.CompareFunc(g[i].Coord, w[i].Coord, Value.Compare)
		}
		if c < 0 {
			return fmt.Sprintf("unexpected entry %s", coordString(g[i].Coord))
		}
		if c > 0 {
			return fmt.Sprintf("missing entry %s", coordString(w[i].Coord))
		}
		for l, n := range g[i].Leaves {
			if !n.equal(w[i].Leaves[l], relative) {
				return fmt.Sprintf("%s leaf %s is %s, want %s", coordString(g[i].Coord), got.Leaves[l], n, w[i].Leaves[l])
			}
		}
	}
	return ""
}

// table is a tensor with indexes on it, made as they are needed.
type table struct {
	*Tensor
	elems   []semiring.Elem
	indexes map[uint64]map[string][]int // by bit set of modes: key of their values -> entries
}

// find returns the entries whose coordinates agree with want in the modes of
// the set.
func (t *table) find(modes uint64, want []Value) []int {
	index, ok := t.indexes[modes]
	if !ok {
		index = map[string][]int{}
		for e, entry := range t.Entries {
			k := coordKey(pick(modes, entry.Coord))
			index[k] = append(index[k], e)
		}
		t.indexes[modes] = index
	}
	return index[coordKey(pick(modes, want))]
}

func pick(modes uint64, coord []Value) []Value {
	out := make([]Value, 0, len(coord))
	for m, v := range coord {
		if modes&(1<<m) != 0 {
			out = append(out, v)
		}
	}
	return out
}

// newTable verifies an input against its declaration.
func newTable(in *einsum.Input, t *Tensor) (*table, error) {
	if t == nil {
		return nil, fmt.Errorf("interp: no data for tensor %s", in.Name)
	}
	out := &table{Tensor: &Tensor{}, indexes: map[uint64]map[string][]int{}}
	for _, l := range in.Leaves {
		out.Leaves, out.elems = append(out.Leaves, l.Name), append(out.elems, l.Elem)
	}
	if !slices.Equal(out.Leaves, t.Leaves) {
		return nil, fmt.Errorf("interp: tensor %s has leaves %v, declared %v", in.Name, t.Leaves, out.Leaves)
	}
	seen := map[string]bool{}
	for _, e := range t.Entries {
		k := coordKey(e.Coord)
		if len(e.Coord) != len(in.Domains) || len(e.Leaves) != len(in.Leaves) || seen[k] {
			return nil, fmt.Errorf("interp: tensor %s: entry %s is ill-formed or occurs twice", in.Name, coordString(e.Coord))
		}
		seen[k] = true
		leaves := make([]Num, len(e.Leaves))
		for l, n := range e.Leaves {
			var err error
			if leaves[l], err = stored(n, out.elems[l]); err != nil {
				return nil, fmt.Errorf("interp: tensor %s, entry %s, leaf %s: %w", in.Name, coordString(e.Coord), out.Leaves[l], err)
			}
		}
		out.Entries = append(out.Entries, Entry{Coord: e.Coord, Leaves: leaves})
	}
	return out, checkFacts(in, out)
}

// checkFacts verifies the facts that an input declares, and that leaf 0 may be a
// number of rows.
func checkFacts(in *einsum.Input, t *table) error {
	for l, decl := range in.Leaves {
		for _, e := range t.Entries {
			if (l == 0 || decl.NonNegative) && e.Leaves[l].less(NumInt(0)) {
				return fmt.Errorf("interp: tensor %s, entry %s, leaf %s: %s is below 0",
					in.Name, coordString(e.Coord), decl.Name, e.Leaves[l])
			}
		}
	}
	for _, key := range in.Keys {
		var modes uint64
		for _, m := range key {
			modes |= 1 << m
		}
		for _, e := range t.Entries {
			if len(t.find(modes, e.Coord)) > 1 {
				return fmt.Errorf("interp: tensor %s, entry %s: another entry has the same key %v", in.Name, coordString(e.Coord), key)
			}
		}
	}
	return checkPairs(in, t)
}

// checkPairs verifies the facts about tensors of two modes over one domain.
func checkPairs(in *einsum.Input, t *table) error {
	for _, e := range t.Entries {
		if in.Hollow && (e.Coord[0].IsNull() || e.Coord[0].Compare(e.Coord[1]) == 0) {
			return fmt.Errorf("interp: tensor %s, entry %s: the tensor is not hollow", in.Name, coordString(e.Coord))
		}
		if !in.Symmetric {
			continue
		}
		mirror := t.find(3, []Value{e.Coord[1], e.Coord[0]})
		if len(mirror) == 0 || !slices.EqualFunc(e.Leaves, t.Entries[mirror[0]].Leaves, func(a, b Num) bool { return a.equal(b, 0) }) {
			return fmt.Errorf("interp: tensor %s, entry %s: the tensor is not symmetric", in.Name, coordString(e.Coord))
		}
	}
	return nil
}

// stored returns n as a leaf of that element type holds it.
func stored(n Num, elem semiring.Elem) (Num, error) {
	switch {
	case elem == semiring.F64:
		if n.bound != 0 {
			return n, fmt.Errorf("%s among floats", n)
		}
		return NumFloat(n.Float64()), nil
	case n.isFloat():
		return n, fmt.Errorf("the float %s among %s", n, elem)
	case elem == semiring.Pattern && (n.i == nil || !n.i.IsInt64() || n.i.Int64() != 1):
		return n, fmt.Errorf("%s in a pattern", n)
	case elem == semiring.I64 && n.i != nil && !n.i.IsInt64():
		return n, fmt.Errorf("%s does not fit 64 bits", n)
	}
	return n, nil
}
