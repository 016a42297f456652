package exec

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// flatProduct is a step that multiplies two tensors and sums over the indices that the
// result lacks, without regard to how many modes these are:
//
//	R(..) = n: or(..) and(A.n(..), B.n(..))
//	      | v: sum(..) A.v(..) * B.v(..)
//
// The indices that both have are one number, the key of an entry; those of the result
// are another, its place. A place is the sum of a part that an entry of A says and one
// that an entry of B says, so that the product is: for every entry of A, every entry of
// B with its key, add at the sum of their places (the batched matrix product of the
// einsum thesis, its section on mapping to BLAS, with rows and columns flattened). In
// tensor networks, whose modes are many and small, a loop nest spends its time on
// beginning loops.
type flatProduct struct {
	b           *binder
	left, right flatSide // every entry of left is taken with the entries of right that have its key
	value       string   // the leaf that sums; names of the sides' leaves are theirs
	dims        []int    // of the result, in its order
	places      int      // product of dims
	keys        int      // product of the sizes of the shared indices
}

// flatSide is an operand whose entries are read as key, place and value.
type flatSide struct {
	op      *operand // nil: one entry of value 1, for a step of one operand
	leaf    *fibers.Leaf
	keyBy   []int32 // per level, by how much a coordinate counts in the key
	placeBy []int32 // and in the place
	keys    []int32
	place   []int32
	values  []float64
}

// flatMost bounds places, which are arrays; keys are no more than flatKeys for an entry.
const (
	flatMost = 1 << 20
	flatKeys = 16
)

// newFlatProduct returns nil for steps of another form.
func newFlatProduct(b *binder) *flatProduct {
	q := b.query
	if len(q.Leaves) != 2 || len(b.operands) > 2 || len(b.operands) == 0 || len(b.masks) > 0 || len(b.absences) > 0 || len(b.in.Slices) > 0 ||
		!b.exact || b.leafElem(0) != semiring.Pattern || b.leafElem(1) != semiring.F64 {
		return nil
	}
	p := &flatProduct{b: b, value: q.Leaves[1].Name}
	if !p.counts(q.Leaves[0].Expr) || !p.multiplies(q.Leaves[1].Expr) || !p.mayPay() || !p.number() {
		return nil
	}
	return p
}

// counts matches the leaf that says which entries there are.
func (p *flatProduct) counts(e einsum.Expr) bool {
	if agg, ok := e.(*einsum.Agg); ok && agg.Op != semiring.Or {
		return false
	}
	for _, x := range factorsOf(bodyOf(e), semiring.And, semiring.Mul) {
		a, ok := x.(*einsum.Access)
		if !ok || a.Leaf != einsum.CountLeaf || p.b.operands[p.b.operandOf(a)].leaf(a.Leaf).Elem != semiring.Pattern {
			return false
		}
	}
	for op := range p.b.operands {
		if !p.b.required.has(op) {
			return false
		}
	}
	return true
}

// multiplies matches the leaf with values: a leaf of each operand.
func (p *flatProduct) multiplies(e einsum.Expr) bool {
	if agg, ok := e.(*einsum.Agg); ok && agg.Op != semiring.Add {
		return false
	}
	sides := make([]flatSide, 2)
	factors := factorsOf(bodyOf(e), semiring.Mul)
	if len(factors) != len(p.b.operands) {
		return false
	}
	for _, x := range factors {
		a, ok := x.(*einsum.Access)
		if !ok {
			return false
		}
		n := p.b.operandOf(a)
		op := p.b.operands[n]
		if sides[n].op != nil || op.leaf(a.Leaf).Elem == semiring.I128 || repeatsIndex(op.idx) {
			return false
		}
		sides[n] = flatSide{op: op, leaf: op.leaf(a.Leaf)}
	}
	p.left, p.right = sides[0], sides[1]
	return true
}

// factorsOf are the arguments of a product, or the expression.
func factorsOf(e einsum.Expr, ops ...semiring.Op) []einsum.Expr {
	if m, ok := e.(*einsum.Map); ok && slices.Contains(ops, m.Op) {
		return m.Args
	}
	return []einsum.Expr{e}
}

func repeatsIndex(idx []einsum.Index) bool {
	for l, x := range idx {
		if slices.ContainsFunc(idx[:l], func(o einsum.Index) bool { return o.Name == x.Name }) {
			return true
		}
	}
	return false
}

// number gives keys and places their meaning; false: there are too many.
func (p *flatProduct) number() bool {
	out := p.b.step.Output.Order
	p.places, p.keys = 1, 1
	placeBy := map[string]int{}
	for m := len(out) - 1; m >= 0; m-- {
		dim := p.b.in.Dims[out[m].Name]
		placeBy[out[m].Name] = p.places
		if p.places *= max(dim, 1); p.places > flatMost {
			return false
		}
	}
	for _, x := range out {
		p.dims = append(p.dims, p.b.in.Dims[x.Name])
	}
	if p.right.op != nil && len(out) > 0 && has(p.left.op.idx, out[len(out)-1]) && !has(p.right.op.idx, out[len(out)-1]) {
		p.left, p.right = p.right, p.left // entries of right with one key are to be neighbours in the result
	}
	keyBy := map[string]int{}
	if p.right.op != nil {
		for _, x := range p.right.op.idx {
			if !has(p.left.op.idx, x) {
				continue
			}
			keyBy[x.Name] = p.keys
			if p.keys *= max(p.b.in.Dims[x.Name], 1); p.keys > flatKeys*(p.right.count()+flatKeys) {
				return false
			}
		}
	}
	p.left.number(keyBy, placeBy)
	for name := range keyBy {
		delete(placeBy, name) // the left side says
	}
	p.right.number(keyBy, placeBy)
	return true
}

func has(idx []einsum.Index, x einsum.Index) bool {
	return slices.ContainsFunc(idx, func(o einsum.Index) bool { return o.Name == x.Name })
}

func (s *flatSide) number(keyBy, placeBy map[string]int) {
	if s.op == nil {
		return
	}
	for _, x := range s.op.idx {
		s.keyBy = append(s.keyBy, int32(keyBy[x.Name]))
		s.placeBy = append(s.placeBy, int32(placeBy[x.Name]))
	}
}

// read lists the entries in the order of storage.
func (s *flatSide) read() {
	if s.op == nil {
		s.keys, s.place, s.values = []int32{0}, []int32{0}, []float64{1}
		return
	}
	n := s.op.tensor.NNZ
	s.keys, s.place, s.values = make([]int32, 0, n), make([]int32, 0, n), make([]float64, 0, n)
	s.descend(0, s.op.tensor.Root, 0, 0)
}

func (s *flatSide) descend(level int, parent, key, place int32) {
	t := s.op.tensor
	if level == len(t.Levels) {
		if t.NNZ > 0 {
			s.keys, s.place, s.values = append(s.keys, key), append(s.place, place), append(s.values, s.leaf.Float64(parent))
		}
		return
	}
	f := t.Levels[level].Fiber(parent)
	keyBy, placeBy := s.keyBy[level], s.placeBy[level]
	if level < len(t.Levels)-1 {
		for e := range f.N {
			c := f.Coord(e)
			s.descend(level+1, f.Pos(e), key+c*keyBy, place+c*placeBy)
		}
		return
	}
	keys, places, values := s.extend(int(f.N))
	if f.Idx != nil && f.Runs == nil && !f.Shared && s.leaf.Elem == semiring.F64 {
		from := s.leaf.F64[f.Base:]
		for e, c := range f.Idx[:f.N] {
			at := e
			if f.Spread {
				at = int(c)
			}
			keys[e], places[e], values[e] = key+c*keyBy, place+c*placeBy, from[at]
		}
		return
	}
	for e := range f.N {
		c := f.Coord(e)
		keys[e], places[e], values[e] = key+c*keyBy, place+c*placeBy, s.leaf.Float64(f.Pos(e))
	}
}

// extend makes room for n entries more and returns it.
func (s *flatSide) extend(n int) (keys, places []int32, values []float64) {
	had := len(s.keys)
	s.keys = slices.Grow(s.keys, n)[:had+n]
	s.place = slices.Grow(s.place, n)[:had+n]
	s.values = slices.Grow(s.values, n)[:had+n]
	return s.keys[had:], s.place[had:], s.values[had:]
}

// flatRun is entries of the right side with one key whose places are neighbours.
type flatRun struct{ place, from, n int32 }

// flatRows are the entries of the right side by key.
type flatRows struct {
	entries []int32 // per key, where its entries begin
	starts  []int32 // and its runs
	runs    []flatRun
	values  []float64
}

// byKey sorts the right side by key, and within a key by place.
func (p *flatProduct) byKey() flatRows {
	s := &p.right
	out := flatRows{entries: make([]int32, p.keys+1), starts: make([]int32, p.keys+1), values: make([]float64, len(s.keys))}
	for _, k := range s.keys {
		out.entries[k+1]++
	}
	for k := range p.keys {
		out.entries[k+1] += out.entries[k]
	}
	out.runs = make([]flatRun, 0, len(s.keys))
	order := make([]int32, len(s.keys))
	next := slices.Clone(out.entries[:p.keys])
	for e, k := range s.keys {
		order[next[k]] = int32(e)
		next[k]++
	}
	byPlace := func(a, b int32) int { return int(s.place[a] - s.place[b]) }
	for k := range p.keys {
		lo := out.entries[k]
		group := order[lo:out.entries[k+1]]
		if !slices.IsSortedFunc(group, byPlace) {
			slices.SortStableFunc(group, byPlace)
		}
		for i, e := range group {
			out.values[lo+int32(i)] = s.values[e]
			if last := len(out.runs) - 1; i > 0 && out.runs[last].place+out.runs[last].n == s.place[e] {
				out.runs[last].n++
				continue
			}
			out.runs = append(out.runs, flatRun{place: s.place[e], from: lo + int32(i), n: 1})
		}
		out.starts[k+1] = int32(len(out.runs))
	}
	return out
}

// flatCells is the result by place.
type flatCells struct {
	values  []float64
	present []uint8
}

// run computes the step; ok is false where the loop nest is as good.
func (p *flatProduct) run(ctx context.Context, stats *StepStats) (t *fibers.Tensor, ok bool, err error) {
	inputs := flatEntryBytes * int64(p.left.count()+p.right.count()+p.keys)
	if !p.b.meter.hold(inputs) {
		p.b.meter.hold(-inputs)
		return nil, false, nil
	}
	defer p.b.meter.hold(-inputs)
	p.left.read()
	p.right.read()
	rows := p.byKey()
	pairs := rows.pairs(p.left.keys)
	if pairs == 0 || !p.b.step.Output.Flat && !p.pays(pairs) {
		return nil, false, nil
	}
	cells := flatCellBytes * int64(p.places)
	if !p.b.meter.hold(cells) {
		p.b.meter.hold(-cells)
		return nil, false, nil
	}
	defer p.b.meter.hold(-cells)
	c, err := p.multiply(ctx, &rows)
	if err != nil {
		return nil, false, err
	}
	if t, err = p.tensor(ctx, c); err != nil {
		return nil, false, err
	}
	if !p.b.meter.hold(t.Bytes()) {
		return nil, false, ErrBudget
	}
	stats.Cells, stats.Traversals, stats.Kernel, stats.Threads, stats.Morsels = pairs, 1, flatKernel, 1, 1
	stats.Workspace, stats.Entries, stats.Bytes = format.DenseWorkspace.String(), t.NNZ, p.b.meter.peak.Load()
	return t, true, nil
}

// flatKernel is the kernel that EXPLAIN shows.
const flatKernel = "product"

// Bytes of an entry of either side with its key and run, and of a cell of the result.
const (
	flatEntryBytes = 40
	flatCellBytes  = 9
)

// Bounds of what is worth it, on 2 cores of an AMD EPYC: a step of few loops has long
// ones, and costs more by beginning than by its pairs only when these are few; more
// pairs are better done by several threads; a place costs about 1 ns, whether it is in
// the result or not, a pair about as much in a nest at best.
const (
	flatLoops    = 4
	flatFewPairs = 1 << 12
	flatPairs    = 1 << 22
	flatSpread   = 16
)

// mayPay reports whether pays could say yes. Pairs are counted by key, for which the
// entries of both sides are read and sorted: where there are more of them than pairs
// that are worth it, that alone takes longer than the loops.
func (p *flatProduct) mayPay() bool {
	return p.b.step.Output.Flat || int64(p.left.count()+p.right.count()) <= 2*p.mostPairs()
}

// pays reports whether so many pairs are worth the places.
func (p *flatProduct) pays(pairs int64) bool {
	return pairs <= p.mostPairs() && int64(p.places) <= flatSpread*(pairs+flatFewPairs/flatSpread)
}

// mostPairs is the number of pairs beyond which a nest is as good.
func (p *flatProduct) mostPairs() int64 {
	if len(p.b.step.Loops) < flatLoops {
		return flatFewPairs
	}
	return flatPairs
}

// count is the number of entries of a side.
func (s *flatSide) count() int {
	if s.op == nil {
		return 1
	}
	return s.op.tensor.NNZ
}

// pairs is how many entries of the rows have one of the keys, one by one.
func (r *flatRows) pairs(keys []int32) int64 {
	n := int64(0)
	for _, k := range keys {
		n += int64(r.entries[k+1] - r.entries[k])
	}
	return n
}

// multiply adds up all pairs.
func (p *flatProduct) multiply(ctx context.Context, rows *flatRows) (*flatCells, error) {
	c := &flatCells{values: make([]float64, p.places), present: make([]uint8, p.places)}
	units := 0
	for e, k := range p.left.keys {
		if units -= 1 + int(rows.entries[k+1]-rows.entries[k]); units < 0 {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			units = gasUnits
		}
		place, v := p.left.place[e], p.left.values[e]
		for _, run := range rows.runs[rows.starts[k]:rows.starts[k+1]] {
			c.add(place+run.place, rows.values[run.from:][:run.n], v)
		}
	}
	return c, nil
}

// flatInline is the length of a run from which a kernel is called for it.
const flatInline = 8

// add adds v times values to neighbouring places.
func (c *flatCells) add(place int32, values []float64, v float64) {
	to, present := c.values[place:][:len(values)], c.present[place:][:len(values)]
	for i := range present {
		present[i] = 1
	}
	if len(values) >= flatInline {
		kernel.AddScaled(to, values, v)
		return
	}
	for i, x := range values {
		to[i] += float64(x * v)
	}
}

// tensor lays the cells out as the plan says.
func (p *flatProduct) tensor(ctx context.Context, c *flatCells) (*fibers.Tensor, error) {
	formats := p.b.step.Output.Formats
	if formats == nil {
		formats = defaultFormats(len(p.dims))
	}
	if inPlace(formats) {
		return p.inPlace(c), nil
	}
	coo := p.entries(c)
	order := make([]int, len(p.dims))
	for l := range order {
		order[l] = l
	}
	return coo.Tensor(ctx, order, formats)
}

// entries lists the cells that are present.
func (p *flatProduct) entries(c *flatCells) *fibers.COO {
	n := 0
	for _, x := range c.present {
		n += int(x)
	}
	coo := &fibers.COO{Dims: p.dims, N: n, Coords: make([][]fibers.Coord, len(p.dims)), Leaves: p.leaves(make([]float64, 0, n))}
	for m := range coo.Coords {
		coo.Coords[m] = make([]fibers.Coord, 0, n)
	}
	leaf, last := &coo.Leaves[1], len(p.dims)-1
	p.rows(func(row []fibers.Coord, at int) {
		width := 1
		if last >= 0 {
			width = p.dims[last]
		}
		had := len(leaf.F64)
		for k, x := range c.present[at:][:width] {
			if x == 0 {
				continue
			}
			leaf.F64 = append(leaf.F64, c.values[at+k])
			if last >= 0 {
				coo.Coords[last] = append(coo.Coords[last], fibers.Coord(k))
			}
		}
		for m, x := range row {
			for range len(leaf.F64) - had {
				coo.Coords[m] = append(coo.Coords[m], x)
			}
		}
	})
	return coo
}

// rows calls f with the coordinates of all modes but the last and the place of the first
// cell that has them.
func (p *flatProduct) rows(f func(row []fibers.Coord, at int)) {
	if p.places == 0 {
		return
	}
	outer := max(len(p.dims)-1, 0)
	row := make([]fibers.Coord, outer)
	width := 1
	if len(p.dims) > 0 {
		width = p.dims[outer]
	}
	for at := 0; at < p.places; at += width {
		f(row, at)
		for m := outer - 1; m >= 0; m-- {
			if row[m]++; int(row[m]) < p.dims[m] {
				break
			}
			row[m] = 0
		}
	}
}

// leaves are the leaves of the result with those values.
func (p *flatProduct) leaves(values []float64) []fibers.Leaf {
	return []fibers.Leaf{
		fibers.NewLeaf(p.b.query.Leaves[0].Name, semiring.Pattern, 0), {Name: p.value, Elem: semiring.F64, F64: values},
	}
}

// inPlace reports levels with a place for every coordinate.
func inPlace(formats []format.Kind) bool {
	last := len(formats) - 1
	return last >= 0 && (formats[last] == format.Dense || formats[last] == format.Bytemap) &&
		!slices.ContainsFunc(formats[:last], func(k format.Kind) bool { return k != format.Dense })
}

// inPlace makes the tensor of the cells as they lie, with the values as they are.
func (p *flatProduct) inPlace(c *flatCells) *fibers.Tensor {
	last := len(p.dims) - 1
	level := &fibers.BytemapLevel{Dim: int32(p.dims[last]), Present: c.present, Ptr: make([]int32, 1, p.places/p.dims[last]+1)}
	occurs := make([][]bool, last+1)
	for m, dim := range p.dims {
		occurs[m] = make([]bool, dim)
	}
	p.rows(func(row []fibers.Coord, at int) {
		had := len(level.Idx)
		for k, x := range c.present[at:][:p.dims[last]] {
			if x != 0 {
				level.Idx = append(level.Idx, fibers.Coord(k))
				occurs[last][k] = true
			}
		}
		level.Ptr = append(level.Ptr, int32(len(level.Idx)))
		if len(level.Idx) > had {
			for m, x := range row {
				occurs[m][x] = true
			}
		}
	})
	t := &fibers.Tensor{Dims: p.dims, NNZ: len(level.Idx), Leaves: p.leaves(c.values)}
	for m, of := range occurs {
		if m < last {
			t.Levels = append(t.Levels, &fibers.DenseLevel{Dim: int32(p.dims[m])})
		}
		n := 0
		for _, x := range of {
			if x {
				n++
			}
		}
		t.Distinct = append(t.Distinct, n)
	}
	t.Levels = append(t.Levels, level)
	t.KeepExponents()
	return t
}
