package engine

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer/physical"
)

const (
	// firstSlices is the number of slices that a domain is cut into at first.
	firstSlices = 8
	// roomy is the part of the memory left, one in so many, below which the next
	// slice is twice as wide.
	roomy = 4
	// slicesMax bounds the number of runs of a step, the failed ones included:
	// binding a nest takes some 20 microseconds.
	slicesMax = 1 << 14
)

// slicer runs a step for one range after the other of the outermost index of its
// result. A range that does not fit the memory is halved.
type slicer struct {
	*stepWork
	index     einsum.Index
	dim       int
	at, width int
	runs      int
	place     int // of the index among the modes of what is stored; -1: reduced
}

// newSlicer reports false for a result without modes, or one whose parts cannot
// be combined.
func newSlicer(w *stepWork) (*slicer, bool) {
	order := w.step.Output.Order
	if len(order) == 0 {
		return nil, false
	}
	s := &slicer{stepWork: w, index: order[0], dim: w.in.Dims[order[0].Name]}
	s.place = slices.Index(w.last().Output.Order, s.index)
	for _, op := range w.in.Operands {
		for l, d := range op.Dims {
			if s.reads(op, l) {
				s.dim = max(s.dim, d)
			}
		}
	}
	s.width = max(1, (s.dim+firstSlices-1)/firstSlices)
	_, ok := merges(w.last())
	return s, s.dim > 1 && (s.disjoint() || ok)
}

// reads reports whether level l of an operand stores the index.
func (s *slicer) reads(t *fibers.Tensor, l int) bool {
	for i := range s.step.Operands {
		if s.in.Operands[i] == t && s.step.Operands[i].Indices()[l] == s.index {
			return true
		}
	}
	return false
}

// disjoint reports whether every entry comes from one slice.
func (s *slicer) disjoint() bool { return s.place >= 0 }

func (s *slicer) done() bool { return s.at >= s.dim }

// next runs the next slice.
func (s *slicer) next(ctx context.Context) (*fibers.Tensor, error) {
	for {
		hi := min(s.at+s.width, s.dim)
		t, err := s.run(ctx, map[string]exec.Slice{s.index.Name: {Lo: fibers.Coord(s.at), Hi: fibers.Coord(hi)}})
		s.runs++
		switch {
		case err == nil:
			s.at = hi
			s.slices++
			if left := s.of.account.left(); left == 0 || s.ranBytes*roomy < left {
				s.width *= 2
			}
			return t, nil
		case !errors.Is(err, errBudget) || s.width == 1 || s.runs >= slicesMax:
			return nil, err
		}
		s.width = (min(s.width, s.dim-s.at) + 1) / 2
	}
}

// all runs all slices and puts their entries together.
func (s *slicer) all(ctx context.Context) (*fibers.Tensor, error) {
	g := newGatherer(s.of.account.part(0), s.last(), s.place == 0)
	defer g.held.close()
	for !s.done() {
		t, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		if err := g.add(ctx, t); err != nil {
			return nil, err
		}
	}
	return g.tensor(ctx)
}

// gatherer puts the results of slices together.
type gatherer struct {
	held    *account
	step    *physical.Step
	ordered bool // slices follow one another in the order of the result
	parts   []*fibers.COO
	n       int // entries of all parts
	merged  int // of them, after the last merging
	empty   *fibers.Tensor
}

// entriesMax is the number of positions of a level.
const entriesMax = math.MaxInt32 - 1

// mergeEvery is the number of entries from which parts are merged on the way.
const mergeEvery = 1 << 16

func newGatherer(held *account, step *physical.Step, ordered bool) *gatherer {
	return &gatherer{held: held, step: step, ordered: ordered}
}

// add takes a slice's result.
func (g *gatherer) add(ctx context.Context, t *fibers.Tensor) error {
	g.empty = t
	if t.NNZ == 0 {
		return nil
	}
	if err := g.held.take(entriesBytes(t)); err != nil {
		return err
	}
	c, err := t.Entries(ctx)
	if err != nil {
		return err
	}
	g.parts = append(g.parts, c)
	if g.n += c.N; g.n > entriesMax {
		return fibers.ErrTooMany
	}
	if g.ordered || g.n < 2*g.merged+mergeEvery {
		return nil
	}
	return g.merge(ctx)
}

// tensor is the result in the step's layout.
func (g *gatherer) tensor(ctx context.Context) (*fibers.Tensor, error) {
	formats := g.step.Output.Formats
	if formats == nil {
		formats = slices.Repeat([]format.Kind{format.SparseList}, len(g.step.Output.Order))
	}
	switch {
	case g.n == 0:
		return g.empty, nil
	case g.ordered:
		if err := g.join(); err != nil {
			return nil, err
		}
	default:
		if err := g.merge(ctx); err != nil {
			return nil, err
		}
	}
	c := g.parts[0]
	levels, err := c.LayoutBytes(ctx, formats)
	if err != nil {
		return nil, err
	}
	if err := g.held.take(levels); err != nil {
		return nil, err
	}
	order := make([]int, len(c.Dims))
	for m := range order {
		order[m] = m
	}
	return c.Tensor(ctx, order, formats)
}

// join makes one part of all, column by column: one column at a time is held
// twice.
func (g *gatherer) join() error {
	if err := g.widen(); err != nil {
		return err
	}
	first := g.parts[0]
	out := &fibers.COO{Dims: first.Dims, N: g.n, Coords: make([][]fibers.Coord, len(first.Coords)), Leaves: make([]fibers.Leaf, len(first.Leaves))}
	for m := range out.Coords {
		if err := g.held.take(4 * int64(g.n)); err != nil {
			return err
		}
		out.Coords[m] = make([]fibers.Coord, 0, g.n)
		for _, p := range g.parts {
			out.Coords[m] = append(out.Coords[m], p.Coords[m]...)
			p.Coords[m] = nil
		}
		g.held.Hold(-4 * int64(g.n))
	}
	for l := range out.Leaves {
		bytes := fibers.ElemBytes(first.Leaves[l].Elem) * int64(g.n)
		if err := g.held.take(bytes); err != nil {
			return err
		}
		dst := fibers.NewLeaf(first.Leaves[l].Name, first.Leaves[l].Elem, g.n)
		dst.I64, dst.I128, dst.F64 = dst.I64[:0], dst.I128[:0], dst.F64[:0]
		for _, p := range g.parts {
			src := &p.Leaves[l]
			dst.I64, dst.I128, dst.F64 = append(dst.I64, src.I64...), append(dst.I128, src.I128...), append(dst.F64, src.F64...)
			*src = fibers.Leaf{}
		}
		out.Leaves[l] = dst
		g.held.Hold(-bytes)
	}
	g.parts = []*fibers.COO{out}
	return nil
}

// merge sorts all parts into one and combines entries of the same coordinates.
func (g *gatherer) merge(ctx context.Context) error {
	if err := g.widen(); err != nil {
		return err
	}
	first := g.parts[0]
	ops, _ := merges(g.step)
	specs := make([]fibers.LeafSpec, len(first.Leaves))
	elems := make([]semiring.Elem, len(first.Leaves))
	before := g.held.held.Load()
	for l := range specs {
		elems[l] = first.Leaves[l].Elem
		specs[l] = fibers.LeafSpec{Name: first.Leaves[l].Name, Elem: elems[l], Merge: semiring.Max}
		if ops != nil {
			specs[l].Merge = ops[l]
		}
	}
	if err := g.held.take(before); err != nil { // all of it once more
		return err
	}
	b := fibers.NewBuilder(len(first.Dims), specs)
	for i, p := range g.parts {
		if err := b.Append(p.N, p.Coords, p.Leaves); err != nil {
			return err
		}
		g.parts[i] = nil
	}
	out, err := b.Finish(ctx, first.Dims)
	if err != nil {
		return err
	}
	if leaf := &out.Leaves[0]; leaf.Elem != elems[0] && elems[0] == semiring.I64 && leaf.Elem == semiring.Pattern {
		*leaf = ones(leaf.Name, out.N)
	}
	g.parts, g.n, g.merged = []*fibers.COO{out}, out.N, out.N
	g.held.Hold(-g.held.held.Load())
	return g.held.take(before)
}

// ones is a leaf of ones.
func ones(name string, n int) fibers.Leaf {
	leaf := fibers.NewLeaf(name, semiring.I64, n)
	for i := range leaf.I64 {
		leaf.I64[i] = 1
	}
	return leaf
}

// widen gives a leaf of which some slices needed 128 bits as many in all. A
// minimum or maximum cannot be widened: it may stand for no value.
func (g *gatherer) widen() error {
	ops, _ := merges(g.step)
	for l := range g.parts[0].Leaves {
		wide := false
		for _, p := range g.parts {
			wide = wide || p.Leaves[l].Elem == semiring.I128
		}
		if !wide {
			continue
		}
		for _, p := range g.parts {
			leaf := &p.Leaves[l]
			if leaf.Elem == semiring.I128 {
				continue
			}
			if ops == nil || ops[l] != semiring.Add {
				return errBudget
			}
			if err := g.held.take(8 * int64(p.N)); err != nil {
				return err
			}
			to := fibers.NewLeaf(leaf.Name, semiring.I128, p.N)
			for i := range to.I128 {
				to.I128[i] = leaf.Int128(int32(i))
			}
			*leaf = to
		}
	}
	return nil
}

// merges says how the entries of two slices combine, leaf by leaf; false if some
// leaf's do not.
func merges(step *physical.Step) ([]semiring.Op, bool) {
	var ops []semiring.Op
	for _, l := range step.Query.Leaves {
		agg, ok := l.Expr.(*einsum.Agg)
		if !ok {
			return nil, false
		}
		switch agg.Op {
		case semiring.Add, semiring.Min, semiring.Max:
			ops = append(ops, agg.Op)
		case semiring.Or: // of 0 and 1
			ops = append(ops, semiring.Max)
		case semiring.And:
			ops = append(ops, semiring.Min)
		default:
			return nil, false
		}
	}
	return ops, true
}

// sliceStream is the answer slice by slice: each is run when the rows of the one
// before have been read.
type sliceStream struct {
	*slicer
	held   *account
	tensor *fibers.Tensor // the present slice; nil at the end
}

// advance makes the next slice that has entries the present one.
func (s *sliceStream) advance(ctx context.Context) error {
	s.tensor = nil
	s.held.close()
	for !s.done() {
		t, err := s.next(ctx)
		if err != nil {
			return err
		}
		s.record()
		if t.NNZ > 0 || s.done() {
			s.tensor = t
			return s.held.take(t.Bytes())
		}
	}
	return nil
}
