package cache

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
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
	// CostNs is the time that reading and building took; it is set before the Base
	// is shared.
	CostNs float64
	// Classes are those that a membership is of; nil in other tensors.
	Classes *fibers.Classes
	// Origin says what was loaded; it is set before the Base is shared.
	Origin  Origin
	domains []*Domain // of the modes, each once
	// nonNegative says, per leaf, that all values are at least 0.
	nonNegative []bool
	symmetry    symmetry

	describe sync.Once
	figures  stats.TensorStats

	mu      sync.Mutex
	layouts []*layout
	counts  map[int][]int32
	places  map[int]*places
	answers map[Fixed]stats.TensorStats
	ranges  map[LeafRange]Range
}

// LeafRange names what a Range is of: from the least value of leaf Lo to the greatest
// of leaf Hi, over the entries where leaf Valid is not 0 (empty: over all).
type LeafRange struct{ Lo, Hi, Valid string }

// Range is an interval of integers; not Found: of no values.
type Range struct {
	Found  bool
	Lo, Hi semiring.Int128
}

// Range is what find finds, which looks at all entries and so is asked once. It may be
// called by several goroutines.
func (b *Base) Range(of LeafRange, find func() Range) Range {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, known := b.ranges[of]
	if !known {
		if b.ranges == nil {
			b.ranges = map[LeafRange]Range{}
		}
		r = find()
		b.ranges[of] = r
	}
	return r
}

// Figures are Statistics in the planner's terms, converted once: tensors that
// are described by one Base share what identifies their classes.
func (b *Base) Figures(convert func(*fibers.Statistics) stats.TensorStats) stats.TensorStats {
	b.describe.Do(func() {
		b.figures = convert(b.Statistics)
		b.figures.Shape = exec.ShapeOf(b.COO)
	})
	return b.figures
}

// ErrRoom is returned when there is no memory for a layout.
var ErrRoom = errors.New("no memory for another layout of a tensor")

// SortBytes is what sorting takes per entry: two packed keys and two positions.
const SortBytes = 24

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

// Build reads a load's rows and merges those with equal keys, on so many
// workers. domains has one entry per key. Errors: those of the cursor and the
// context; fibers' limits.
func Build(ctx context.Context, cur rows.Cursor, spec *load.Spec, domains []*Domain, workers int) (*Base, error) {
	b := newBuilder(spec, domains)
	b.out.SetWorkers(workers)
	if err := b.read(ctx, cur); err != nil {
		return nil, err
	}
	coo, err := b.out.Finish(ctx, b.dims())
	if err != nil {
		return nil, err
	}
	base, err := describe(ctx, coo, domains)
	if err == nil {
		base.Dicts = b.dicts()
	}
	return base, err
}

// describe measures entries for the planner.
func describe(ctx context.Context, coo *fibers.COO, domains []*Domain) (base *Base, err error) {
	base = &Base{COO: coo, nonNegative: nonNegative(coo.Leaves), domains: distinct(domains)}
	if base.Statistics, err = coo.Statistics(ctx, domainNumbers(domains)); err != nil {
		return nil, err
	}
	coo.SetStatistics(base.Statistics)
	for _, m := range base.Statistics.Modes {
		base.Distinct = append(base.Distinct, m.Distinct)
	}
	return base, nil
}

// distinct returns every domain once.
func distinct(domains []*Domain) []*Domain {
	var out []*Domain
	for _, d := range domains {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
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

// Layout returns the tensor with level l storing mode order[l] as formats[l],
// making it when it is asked for the first time. made is the bytes added. Before
// that, room is asked for the memory that it takes, sorting included; ErrRoom
// when it says no.
func (b *Base) Layout(ctx context.Context, order []int, formats []format.Kind, room func(bytes int64) bool) (t *fibers.Tensor, made int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.layouts {
		if slices.Equal(l.order, order) && slices.Equal(l.formats, formats) {
			return l.tensor, 0, nil
		}
	}
	if !room(int64(b.COO.N)*SortBytes + b.Bytes()) {
		return nil, 0, ErrRoom
	}
	t, err = b.COO.Tensor(ctx, order, formats)
	if err != nil {
		return nil, 0, err
	}
	b.layouts = append(b.layouts, &layout{order: slices.Clone(order), formats: slices.Clone(formats), tensor: t})
	return t, t.Bytes(), nil
}

// Bytes is the memory of the entries and their statistics, without layouts.
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
	if b.Statistics != nil {
		n += b.Statistics.Bytes()
	}
	if b.Classes != nil {
		n += b.Classes.Bytes()
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
