package cache

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Base is a loaded table: its entries, and the tensors made of them.
type Base struct {
	COO *fibers.COO
	// Dicts holds, per leaf that is a MIN or MAX of strings, the strings in
	// order: the leaf's numbers are positions in it.
	Dicts map[string][]string
	// Distinct is, per mode, the number of coordinates that occur.
	Distinct []int
	// Statistics are those of COO.
	Statistics *fibers.Statistics
	// nonNegative says, per leaf, that all values are at least 0.
	nonNegative []bool

	describe sync.Once
	figures  stats.TensorStats

	mu      sync.Mutex
	layouts []*layout
	counts  map[int][]int32
	places  map[int]*places
	answers map[Fixed]stats.TensorStats
}

// Figures are Statistics in the planner's terms, converted once: tensors that
// are described by one Base share what identifies their classes.
func (b *Base) Figures(convert func(*fibers.Statistics) stats.TensorStats) stats.TensorStats {
	b.describe.Do(func() { b.figures = convert(b.Statistics) })
	return b.figures
}

type layout struct {
	order   []int
	formats []format.Kind
	tensor  *fibers.Tensor
}

// KindOf returns the kind of domain for keys of a type; ok is false for types
// that cannot be keys.
func KindOf(t rows.Type) (kind fibers.ValueKind, ok bool) {
	switch t.Physical() {
	case rows.PhysInt64:
		return fibers.Int64Values, true
	case rows.PhysInt128:
		return fibers.Int128Values, true
	case rows.PhysFloat64:
		return fibers.Float64Values, true
	case rows.PhysString:
		return fibers.StringValues, true
	}
	return 0, false
}

// Build reads a load's rows and merges those with equal keys. domains has one
// entry per key. Errors: those of the cursor and the context; fibers' limits.
func Build(ctx context.Context, cur rows.Cursor, spec *load.Spec, domains []*Domain) (*Base, error) {
	b := &builder{spec: spec, domains: domains, values: make([]*fibers.Domain, len(domains)), dicts: map[string][]string{}}
	batches, err := b.collect(ctx, cur)
	if err != nil {
		return nil, err
	}
	b.makeDomains(batches)
	b.makeDicts(batches)
	b.out = fibers.NewBuilder(len(spec.Keys), b.leafSpecs())
	for i := range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := b.append(&batches[i]); err != nil {
			return nil, err
		}
		batches[i] = rows.Batch{} // the rows are in the builder now
	}
	dims := make([]int, len(domains))
	for i, d := range b.values {
		dims[i] = d.Len()
	}
	coo, err := b.out.Finish(ctx, dims)
	if err != nil {
		return nil, err
	}
	base := &Base{COO: coo, Dicts: b.dicts, nonNegative: nonNegative(coo.Leaves)}
	if base.Statistics, err = coo.Statistics(ctx, b.domainNumbers()); err != nil {
		return nil, err
	}
	for _, m := range base.Statistics.Modes {
		base.Distinct = append(base.Distinct, m.Distinct)
	}
	return base, nil
}

type builder struct {
	spec    *load.Spec
	domains []*Domain
	values  []*fibers.Domain
	dicts   map[string][]string
	ranks   map[string]map[string]int64
	out     *fibers.Builder
	row     int64
}

// collect copies all batches: a domain's representation depends on all values.
func (b *builder) collect(ctx context.Context, cur rows.Cursor) ([]rows.Batch, error) {
	var all []rows.Batch
	for {
		batch, err := cur.Next(ctx)
		if err != nil || batch == nil {
			return all, err
		}
		all = append(all, clone(batch))
	}
}

func clone(b *rows.Batch) rows.Batch {
	out := rows.Batch{N: b.N, Cols: make([]rows.Vector, len(b.Cols))}
	for i, c := range b.Cols {
		out.Cols[i] = rows.Vector{
			Type: c.Type, Nulls: slices.Clone(c.Nulls), I64: slices.Clone(c.I64), I128: slices.Clone(c.I128),
			F64: slices.Clone(c.F64), Str: slices.Clone(c.Str),
		}
	}
	return out
}

// makeDomains gives every domain a representation. Keys that share a domain
// are looked at together.
func (b *builder) makeDomains(batches []rows.Batch) {
	hints := map[*Domain]*fibers.DomainHint{}
	for i, d := range b.domains {
		h := hints[d]
		if h == nil {
			h = &fibers.DomainHint{}
			hints[d] = h
		}
		for k := range batches {
			h.Rows += batches[k].N
			if d.Kind == fibers.Int64Values {
				widen(h, &batches[k].Cols[b.column(i)], batches[k].N)
			}
		}
	}
	for i, d := range b.domains {
		b.values[i] = d.make(*hints[d], func() []int64 { return b.integers(d, batches) })
	}
}

// integers gathers the values of all keys of a domain.
func (b *builder) integers(d *Domain, batches []rows.Batch) []int64 {
	var out []int64
	for i := range b.domains {
		if b.domains[i] != d {
			continue
		}
		for k := range batches {
			v := &batches[k].Cols[b.column(i)]
			if v.Nulls == nil {
				out = append(out, v.I64[:batches[k].N]...)
				continue
			}
			packed, _ := packValid(v, batches[k].N)
			out = append(out, packed.I64...)
		}
	}
	return out
}

func widen(h *fibers.DomainHint, v *rows.Vector, n int) {
	for i, x := range v.I64[:n] {
		if v.Nulls != nil && v.IsNull(i) {
			continue
		}
		if !h.HasRange {
			h.HasRange, h.Min, h.Max = true, x, x
			continue
		}
		h.Min, h.Max = min(h.Min, x), max(h.Max, x)
	}
}

// column is the position of key i among the scan's columns.
func (b *builder) column(i int) int {
	n := 0
	for _, k := range b.spec.Keys[:i] {
		if !k.RowIndex {
			n++
		}
	}
	return n
}

// leafColumn is the position of leaf l among the scan's columns; l has an expression.
func (b *builder) leafColumn(l int) int {
	n := b.column(len(b.spec.Keys))
	for _, x := range b.spec.Leaves[:l] {
		if x.Expr != "" {
			n++
		}
	}
	return n
}

// makeDicts ranks the strings of MIN and MAX leaves.
func (b *builder) makeDicts(batches []rows.Batch) {
	b.ranks = map[string]map[string]int64{}
	for l, leaf := range b.spec.Leaves {
		if leaf.Moment == load.Rows || leaf.Moment == load.Count || leaf.Type.Physical() != rows.PhysString {
			continue
		}
		seen := map[string]int64{}
		for k := range batches {
			v := &batches[k].Cols[b.leafColumn(l)]
			for i, s := range v.Str[:batches[k].N] {
				if !v.IsNull(i) {
					seen[s] = 0
				}
			}
		}
		dict := make([]string, 0, len(seen))
		for s := range seen {
			dict = append(dict, s)
		}
		slices.SortFunc(dict, strings.Compare)
		for r, s := range dict {
			seen[s] = int64(r)
		}
		b.dicts[leaf.Name], b.ranks[leaf.Name] = dict, seen
	}
}

func (b *builder) leafSpecs() []fibers.LeafSpec {
	out := make([]fibers.LeafSpec, len(b.spec.Leaves))
	for i, l := range b.spec.Leaves {
		s := fibers.LeafSpec{Name: l.Name, Elem: elemOf(l), Merge: semiring.Add}
		switch l.Moment {
		case load.Min:
			s.Merge = semiring.Min
		case load.Max:
			s.Merge = semiring.Max
		}
		out[i] = s
	}
	return out
}

// LeafBytes is the size of one value of a leaf. Counts of rows are stored only
// where they are not all 1, and cost nothing here.
func LeafBytes(l load.Leaf) int64 {
	if l.Moment == load.Rows {
		return 0
	}
	return fibers.ElemBytes(elemOf(l))
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

func (b *builder) append(batch *rows.Batch) error {
	coords := make([][]fibers.Coord, len(b.spec.Keys))
	for i := range b.spec.Keys {
		c, err := b.encode(i, batch)
		if err != nil {
			return err
		}
		coords[i] = c
	}
	leaves := make([]fibers.Leaf, len(b.spec.Leaves))
	for l := range b.spec.Leaves {
		if b.spec.Leaves[l].Moment != load.Rows {
			leaves[l] = b.leafValues(l, &batch.Cols[b.leafColumn(l)], batch.N)
		}
	}
	b.row += int64(batch.N)
	return b.out.Append(batch.N, coords, leaves)
}

// encode returns the coordinates of key i for the rows of a batch.
func (b *builder) encode(i int, batch *rows.Batch) ([]fibers.Coord, error) {
	out := make([]fibers.Coord, batch.N)
	d := b.values[i]
	if b.spec.Keys[i].RowIndex {
		ids := make([]int64, batch.N)
		for r := range ids {
			ids[r] = b.row + int64(r)
		}
		return out, d.EncodeInt64(ids, out)
	}
	v := &batch.Cols[b.column(i)]
	if v.Nulls == nil {
		return out, encodeAll(d, v, batch.N, out)
	}
	// NULL has no value to encode: the others are encoded packed, then spread.
	packed, at := packValid(v, batch.N)
	codes := make([]fibers.Coord, len(at))
	if err := encodeAll(d, packed, len(at), codes); err != nil {
		return nil, err
	}
	if len(at) < batch.N {
		null := d.NullCoord()
		for r := range out {
			out[r] = null
		}
	}
	for e, r := range at {
		out[r] = codes[e]
	}
	return out, nil
}

func packValid(v *rows.Vector, n int) (packed *rows.Vector, at []int) {
	packed = &rows.Vector{Type: v.Type}
	for r := range n {
		if v.IsNull(r) {
			continue
		}
		at = append(at, r)
		switch v.Type.Physical() {
		case rows.PhysInt64:
			packed.I64 = append(packed.I64, v.I64[r])
		case rows.PhysInt128:
			packed.I128 = append(packed.I128, v.I128[r])
		case rows.PhysFloat64:
			packed.F64 = append(packed.F64, v.F64[r])
		case rows.PhysString:
			packed.Str = append(packed.Str, v.Str[r])
		default:
			panic(invariant.Failed("cache: a key of type %s", v.Type))
		}
	}
	return packed, at
}

func encodeAll(d *fibers.Domain, v *rows.Vector, n int, out []fibers.Coord) error {
	switch v.Type.Physical() {
	case rows.PhysInt64:
		return d.EncodeInt64(v.I64[:n], out)
	case rows.PhysInt128:
		return d.EncodeInt128(v.I128[:n], out)
	case rows.PhysFloat64:
		return d.EncodeFloat64(v.F64[:n], out)
	case rows.PhysString:
		return d.EncodeString(v.Str[:n], out)
	}
	panic(invariant.Failed("cache: a key of type %s", v.Type))
}

// leafValues turns a scanned column into a leaf's values: NULL is the moment's
// identity.
func (b *builder) leafValues(l int, v *rows.Vector, n int) fibers.Leaf {
	spec := b.spec.Leaves[l]
	out := fibers.NewLeaf(spec.Name, elemOf(spec), n)
	if spec.Moment == load.Count {
		for i := range n {
			if !v.IsNull(i) {
				out.I64[i] = 1
			}
		}
		return out
	}
	ranks := b.ranks[spec.Name]
	for i := range n {
		switch {
		case v.IsNull(i):
			setIdentity(&out, i, spec.Moment)
		case ranks != nil:
			out.I64[i] = ranks[v.Str[i]]
		case out.Elem == semiring.F64:
			out.F64[i] = v.F64[i]
		case out.Elem == semiring.I128:
			out.I128[i] = v.I128[i]
		default:
			out.I64[i] = v.I64[i]
		}
	}
	return out
}

// setIdentity writes the identity of a moment; a sum's is the zero already there.
func setIdentity(l *fibers.Leaf, i int, m load.Moment) {
	switch {
	case m == load.Sum:
	case l.Elem == semiring.F64 && m == load.Min:
		l.F64[i] = math.NaN()
	case l.Elem == semiring.F64:
		l.F64[i] = math.Inf(-1)
	case l.Elem == semiring.I128 && m == load.Min:
		l.I128[i] = semiring.Int128{Hi: math.MaxInt64, Lo: math.MaxUint64}
	case l.Elem == semiring.I128:
		l.I128[i] = semiring.Int128{Hi: math.MinInt64}
	case m == load.Min:
		l.I64[i] = math.MaxInt64
	default:
		l.I64[i] = math.MinInt64
	}
}

// domainNumbers gives equal numbers to keys of one domain.
func (b *builder) domainNumbers() []int {
	out := make([]int, len(b.domains))
	for i, d := range b.domains {
		out[i] = slices.Index(b.domains, d)
	}
	return out
}

// Layout returns the tensor with level l storing mode order[l] as formats[l],
// making it when it is asked for the first time. made is the bytes added.
func (b *Base) Layout(ctx context.Context, order []int, formats []format.Kind) (t *fibers.Tensor, made int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.layouts {
		if slices.Equal(l.order, order) && slices.Equal(l.formats, formats) {
			return l.tensor, 0, nil
		}
	}
	t, err = b.COO.Tensor(ctx, order, formats)
	if err != nil {
		return nil, 0, err
	}
	b.layouts = append(b.layouts, &layout{order: slices.Clone(order), formats: slices.Clone(formats), tensor: t})
	return t, t.Bytes(), nil
}

// Bytes is the memory of the entries, without layouts.
func (b *Base) Bytes() int64 {
	n := int64(0)
	for m := range b.COO.Coords {
		n += 4 * int64(len(b.COO.Coords[m]))
	}
	for i := range b.COO.Leaves {
		n += fibers.ElemBytes(b.COO.Leaves[i].Elem) * int64(b.COO.N)
	}
	for _, d := range b.Dicts {
		for _, s := range d {
			n += int64(len(s)) + 16
		}
	}
	return n
}

// Counts returns, per coordinate of a mode, the number of entries that have it.
func (b *Base) Counts(mode int) []int32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.counts[mode]; ok {
		return c
	}
	c := make([]int32, b.COO.Dims[mode])
	for _, x := range b.COO.Coords[mode][:b.COO.N] {
		c[x]++
	}
	if b.counts == nil {
		b.counts = map[int][]int32{}
	}
	b.counts[mode] = c
	return c
}
