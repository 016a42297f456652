package cache

import (
	"context"
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// builder turns the batches of a load into rows of a tensor as they come: keys
// into coordinates, values into leaves. Nothing of a batch is kept but what is
// written into the tensor's own columns.
type builder struct {
	keys   []keyColumn
	leaves []leafColumn
	out    *fibers.Builder
	row    int64
}

// leafColumn is one leaf with an expression; col is -1 where there is none.
type leafColumn struct {
	spec *load.Leaf
	col  int // among the scan's columns
	// codes numbers the strings of a MIN or MAX as they come; dict is they in order.
	codes *texts
	dict  []string
}

func newBuilder(spec *load.Spec, domains []*Domain) *builder {
	b := &builder{keys: make([]keyColumn, len(spec.Keys)), leaves: make([]leafColumn, len(spec.Leaves))}
	col := 0
	for i := range spec.Keys {
		b.keys[i] = newKeyColumn(&spec.Keys[i], domains[i], col)
		if !spec.Keys[i].RowIndex {
			col++
		}
	}
	specs := make([]fibers.LeafSpec, len(spec.Leaves))
	for i := range spec.Leaves {
		l := &spec.Leaves[i]
		b.leaves[i] = leafColumn{spec: l, col: -1}
		if l.Expr != "" {
			b.leaves[i].col = col
			col++
		}
		if hasDict(l) {
			b.leaves[i].codes = newTexts()
		}
		specs[i] = leafSpec(l)
	}
	b.out = fibers.NewBuilder(len(spec.Keys), specs)
	return b
}

// hasDict reports whether a leaf's values are numbers of strings.
func hasDict(l *load.Leaf) bool {
	return (l.Moment == load.Min || l.Moment == load.Max) && l.Type.Physical() == rows.PhysString
}

func leafSpec(l *load.Leaf) fibers.LeafSpec {
	s := fibers.LeafSpec{Name: l.Name, Elem: elemOf(*l), Merge: semiring.Add}
	switch l.Moment {
	case load.Rows:
		s.Elem = semiring.Pattern
	case load.Min:
		s.Merge = semiring.Min
	case load.Max:
		s.Merge = semiring.Max
	case load.Product:
		s.Merge = semiring.Mul
	}
	return s
}

// elemOf is the element type of a leaf before any sum overflows.
func elemOf(l load.Leaf) semiring.Elem {
	if l.Moment == load.Rows || l.Moment == load.Count {
		return semiring.I64
	}
	switch l.Type.Physical() {
	case rows.PhysFloat64:
		return semiring.F64
	case rows.PhysInt128:
		return semiring.I128
	}
	return semiring.I64
}

// checkTypes compares the scan's columns with the types that keys and leaves have.
func (b *builder) checkTypes(columns []rows.Column) error {
	for i := range b.keys {
		if k := &b.keys[i]; !k.spec.RowIndex {
			if err := load.CheckType(k.spec.Expr, columns[k.col].Type, k.spec.Type); err != nil {
				return err
			}
		}
	}
	for i := range b.leaves {
		if l := &b.leaves[i]; l.col >= 0 && l.spec.Moment != load.Count {
			if err := load.CheckType(l.spec.Expr, columns[l.col].Type, l.spec.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// read takes all batches and finishes the keys that waited for them.
func (b *builder) read(ctx context.Context, cur rows.Cursor) error {
	if err := b.checkTypes(cur.Columns()); err != nil {
		return err
	}
	for {
		batch, err := cur.Next(ctx)
		if err != nil {
			return err
		}
		if batch == nil {
			break
		}
		if err := b.append(batch); err != nil {
			return err
		}
	}
	if err := b.finishKeys(ctx); err != nil {
		return err
	}
	b.rankDicts()
	return nil
}

func (b *builder) append(batch *rows.Batch) error {
	room, err := b.out.Extend(batch.N)
	if err != nil {
		return err
	}
	for i := range b.keys {
		k := &b.keys[i]
		var v *rows.Vector
		if !k.spec.RowIndex {
			v = &batch.Cols[k.col]
		}
		if err := k.append(v, batch.N, b.row, room.Coords[i]); err != nil {
			return err
		}
	}
	for l := range b.leaves {
		if b.leaves[l].spec.Moment != load.Rows {
			b.leaves[l].append(&batch.Cols[b.leaves[l].col], batch.N, &room.Leaves[l])
		}
	}
	b.row += int64(batch.N)
	return nil
}

// append turns a scanned column into a leaf's values: NULL is the moment's
// identity.
func (c *leafColumn) append(v *rows.Vector, n int, out *fibers.Leaf) {
	switch {
	case c.spec.Moment == load.Count:
		for i := range n {
			if !v.IsNull(i) {
				out.I64[i] = 1
			}
		}
		return
	case c.codes != nil:
		c.encode(v, n, out.I64)
	case out.Elem == semiring.F64:
		copy(out.F64, v.F64[:n])
	case out.Elem == semiring.I128:
		copy(out.I128, v.I128[:n])
	default:
		copy(out.I64, v.I64[:n])
	}
	if v.Nulls == nil {
		return
	}
	for i := range n {
		if v.IsNull(i) {
			setIdentity(out, i, c.spec.Moment)
		}
	}
}

// encode numbers strings in the order of their first occurrence.
func (c *leafColumn) encode(v *rows.Vector, n int, out []int64) {
	for i, s := range v.Str[:n] {
		if v.IsNull(i) {
			continue
		}
		out[i] = c.codes.number(s)
	}
}

// rankDicts makes the numbers of strings their ranks. NULL's are beyond them.
func (b *builder) rankDicts() {
	for l := range b.leaves {
		c := &b.leaves[l]
		if c.codes == nil {
			continue
		}
		dict, ranks := c.codes.sorted()
		c.dict = dict
		b.out.Renumber(l, ranks)
	}
}

// dicts returns the strings in order, by leaf.
func (b *builder) dicts() map[string][]string {
	out := map[string][]string{}
	for _, c := range b.leaves {
		if c.codes != nil {
			out[c.spec.Name] = c.dict
		}
	}
	return out
}

// dims are the sizes of the keys' domains.
func (b *builder) dims() []int {
	out := make([]int, len(b.keys))
	for i := range b.keys {
		out[i] = b.keys[i].values.Len()
	}
	return out
}

// setIdentity writes the identity of a moment.
func setIdentity(l *fibers.Leaf, i int, m load.Moment) {
	switch {
	case l.Elem == semiring.F64:
		l.F64[i] = identityF64(m)
	case l.Elem == semiring.I128:
		l.I128[i] = identityI128(m)
	case m == load.Sum:
		l.I64[i] = 0
	case m == load.Min:
		l.I64[i] = math.MaxInt64
	case m == load.Max:
		l.I64[i] = math.MinInt64
	default:
		panic(invariant.Failed("cache: moment %d of NULL", m))
	}
}

func identityF64(m load.Moment) float64 {
	switch m {
	case load.Sum:
		return 0
	case load.Min:
		return math.NaN()
	case load.Max:
		return math.Inf(-1)
	case load.Product:
		return 1
	}
	panic(invariant.Failed("cache: moment %d of NULL", m))
}

func identityI128(m load.Moment) semiring.Int128 {
	switch m {
	case load.Sum:
		return semiring.Int128{}
	case load.Min:
		return semiring.Int128{Hi: math.MaxInt64, Lo: math.MaxUint64}
	case load.Max:
		return semiring.Int128{Hi: math.MinInt64}
	}
	panic(invariant.Failed("cache: moment %d of NULL", m))
}

// domainNumbers gives equal numbers to keys of one domain.
func domainNumbers(domains []*Domain) []int {
	out := make([]int, len(domains))
	for i, d := range domains {
		out[i] = slices.Index(domains, d)
	}
	return out
}
