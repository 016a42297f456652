package logical

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Catalog knows the tensors that a plan may read: the program's inputs and the
// steps added so far, with element types and statistics.
type Catalog struct {
	est     stats.Estimator
	src     stats.Source
	tensors map[string]*Tensor
	dims    map[int]float64 // size of each domain
}

// Tensor describes a tensor of the catalog; figures are per declared mode.
type Tensor struct {
	Name    string
	Domains []int
	Leaves  []einsum.LeafDecl
	Stats   stats.TensorStats
	// Input says that the tensor comes from outside.
	Input bool
	// view is what the estimator knows of a step's result, by modes.
	view stats.Stats
}

// NewCatalog knows the inputs. The source is asked once per input.
func NewCatalog(inputs []*einsum.Input, src stats.Source, est stats.Estimator) *Catalog {
	c := &Catalog{est: est, src: src, tensors: map[string]*Tensor{}, dims: map[int]float64{}}
	for _, in := range inputs {
		a := &einsum.Access{Tensor: in.Name, Leaf: in.Leaves[0].Name}
		for m, d := range in.Domains {
			a.Args = append(a.Args, einsum.Arg{Index: einsum.Index{Name: modeName(m), Domain: d}})
		}
		t := &Tensor{Name: in.Name, Domains: in.Domains, Leaves: in.Leaves, Stats: complete(src.Stats(a), len(in.Domains)), Input: true}
		for m, d := range in.Domains {
			c.dims[d] = max(c.dims[d], t.Stats.Dims[m])
		}
		c.tensors[in.Name] = t
	}
	return c
}

// complete fills figures that the source left out: a mode has as many
// coordinates as the tensor has entries, and all of them occur.
func complete(t stats.TensorStats, modes int) stats.TensorStats {
	for m := len(t.Dims); m < modes; m++ {
		t.Dims = append(slices.Clip(t.Dims), t.NNZ)
	}
	for m := len(t.Distinct); m < modes; m++ {
		t.Distinct = append(slices.Clip(t.Distinct), min(t.Dims[m], t.NNZ))
	}
	return t
}

// clone returns a catalog that may learn of other steps.
func (c *Catalog) clone() *Catalog {
	out := *c
	out.tensors = maps.Clone(c.tensors)
	return &out
}

// grow makes further leaves of a step known.
func (c *Catalog) grow(q *einsum.Query) {
	t := *c.Tensor(q.Name)
	t.Leaves = c.decls(q)
	c.tensors[q.Name] = &t
}

func (c *Catalog) decls(q *einsum.Query) []einsum.LeafDecl {
	out := make([]einsum.LeafDecl, len(q.Leaves))
	for i, elem := range c.Elems(q) {
		out[i] = einsum.LeafDecl{Name: q.Leaves[i].Name, Elem: elem}
	}
	return out
}

// modeName makes a name for an index that stands for mode m alone.
func modeName(m int) string { return string(rune('a'+m%26)) + string(rune('0'+m/26)) }

// Tensor returns the tensor of that name.
func (c *Catalog) Tensor(name string) *Tensor {
	t, ok := c.tensors[name]
	invariant.Check(ok, "logical: no tensor %q", name)
	return t
}

// Dim returns the size of an index's domain.
func (c *Catalog) Dim(x einsum.Index) float64 { return max(c.dims[x.Domain], 1) }

// elem returns the element type of an access's leaf.
func (c *Catalog) elem(a *einsum.Access) semiring.Elem {
	for _, l := range c.Tensor(a.Tensor).Leaves {
		if l.Name == a.Leaf {
			return l.Elem
		}
	}
	panic(invariant.Failed("logical: tensor %q has no leaf %q", a.Tensor, a.Leaf))
}

// countLeaf returns the name of the leaf that counts rows.
func (c *Catalog) countLeaf(tensor string) string { return c.Tensor(tensor).Leaves[0].Name }

// Elems returns the element types of a query's leaves before any rerun with
// 128 bits: F64 if a value of that type takes part, else I128 if one does, else
// I64; Pattern of what is 1 wherever there is an entry.
func (c *Catalog) Elems(q *einsum.Query) []semiring.Elem {
	out := make([]semiring.Elem, len(q.Leaves))
	for i, l := range q.Leaves {
		out[i] = einsum.ElemOf(l.Expr, c.elem)
	}
	return out
}

// access returns the statistics of the modes of an operand that are not bound
// to constants, and the numbers of their indices. A repeated index counts at its
// first mode; its other modes keep one entry in as many as they have coordinates.
func (c *Catalog) access(b *Body, op Operand) (stats.TensorStats, []int) {
	t := c.Tensor(op.Tensor)
	rest := t.Stats
	switch constants := op.hasConstants(); {
	case constants && t.Input:
		rest = c.src.Stats(&einsum.Access{Tensor: op.Tensor, Leaf: t.Leaves[0].Name, Args: op.Args})
	case constants:
		rest = stats.TensorStats{NNZ: t.Stats.NNZ}
		for m, a := range op.Args {
			if a.Const != nil {
				rest.NNZ /= max(t.Stats.Distinct[m], 1)
				continue
			}
			rest.Dims = append(rest.Dims, t.Stats.Dims[m])
			rest.Distinct = append(rest.Distinct, t.Stats.Distinct[m])
		}
	}
	numbers := b.numbers(op)
	return diagonal(complete(rest, len(numbers)), numbers)
}

// numbers lists the indices of an operand, mode by mode.
func (b *Body) numbers(op Operand) []int {
	var out []int
	for _, a := range op.Args {
		if a.Const == nil {
			out = append(out, b.index(a.Index))
		}
	}
	return out
}

func (op *Operand) hasConstants() bool {
	return slices.ContainsFunc(op.Args, func(a einsum.Arg) bool { return a.Const != nil })
}

// diagonal merges the modes of a repeated index.
func diagonal(t stats.TensorStats, numbers []int) (stats.TensorStats, []int) {
	var set uint64
	for _, x := range numbers {
		set |= 1 << x
	}
	if bits.OnesCount64(set) == len(numbers) {
		return t, numbers
	}
	out := stats.TensorStats{NNZ: t.NNZ}
	var distinct []int
	for m, x := range numbers {
		if slices.Contains(distinct, x) {
			out.NNZ /= max(t.Distinct[m], 1)
			continue
		}
		distinct = append(distinct, x)
		out.Dims = append(out.Dims, t.Dims[m])
		out.Distinct = append(out.Distinct, t.Distinct[m])
	}
	return out, distinct
}

// OperandStats returns the estimator's view of an operand of the body.
func (c *Catalog) OperandStats(b *Body, op Operand) stats.Stats {
	t := c.Tensor(op.Tensor)
	if t.view != nil && !op.hasConstants() && bits.OnesCount64(op.Set) == len(op.Args) {
		return c.est.Rename(t.view, b.numbers(op))
	}
	rest, numbers := c.access(b, op)
	return c.est.FromTensor(&rest, numbers)
}

// Selectivity is the share of index pairs that a comparison keeps.
func (c *Catalog) Selectivity(m *einsum.Compare) float64 {
	switch m.Op {
	case semiring.Eq:
		return 1 / min(c.Dim(m.L), c.Dim(m.R))
	case semiring.Ne:
		return 1 - 1/(c.Dim(m.L)+1)
	default:
		return 0.5
	}
}

// Terms describes a body's atoms for a loop nest.
func (c *Catalog) Terms(b *Body) []stats.Term {
	terms := make([]stats.Term, 0, len(b.Operands)+len(b.Masks))
	for _, op := range b.Operands {
		terms = append(terms, stats.Term{Stats: c.OperandStats(b, op), Set: op.Set})
	}
	for _, m := range b.Masks {
		terms = append(terms, stats.Term{Set: m.Set, Selectivity: c.Selectivity(m.Compare), Less: b.less(m.Compare)})
	}
	return terms
}

// less is the index on the lesser side of a comparison, as a bit; 0 for those
// that do not order.
func (b *Body) less(m *einsum.Compare) uint64 {
	lesser := m.L
	switch m.Op {
	case semiring.Lt, semiring.Le:
	case semiring.Gt, semiring.Ge:
		lesser = m.R
	default:
		return 0
	}
	return 1 << slices.Index(b.Indices, lesser)
}

// Add makes a step's result known under its name, with estimated statistics,
// and returns the estimates of the cells it visits and the entries it stores.
func (c *Catalog) Add(q *einsum.Query) (bodyNNZ, outNNZ float64, err error) {
	b, err := NewBody(q)
	if err != nil {
		return 0, 0, err
	}
	bodyNNZ, outNNZ = c.add(q, b)
	return bodyNNZ, outNNZ, nil
}

func (c *Catalog) add(q *einsum.Query, b *Body) (bodyNNZ, outNNZ float64) {
	_, arg := aggOf(q.Leaves[0].Expr)
	s := c.estimate(c.Terms(b), b.Presence(arg))
	out := c.est.Reduce(s, b.All()&^b.Free)
	cells := c.est.Estimate(s, b.All(), 0)
	t := &Tensor{Name: q.Name, Stats: c.figures(out, cells, q.Idxs)}
	// The output's indices have the least numbers: they are the modes.
	t.view = out
	t.Leaves = c.decls(q)
	for _, x := range q.Idxs {
		t.Domains = append(t.Domains, x.Domain)
	}
	c.tensors[q.Name] = t
	return cells, t.Stats.NNZ
}

// estimate joins the operands of every alternative and unites the alternatives.
// Comparisons keep a share of the entries.
func (c *Catalog) estimate(terms []stats.Term, presence []uint64) stats.Stats {
	var sum []stats.Stats
	for _, set := range presence {
		product := make([]stats.Term, 0, len(terms))
		for s := set; s != 0; s &= s - 1 {
			product = append(product, terms[bits.TrailingZeros64(s)])
		}
		sum = append(sum, join(c.est, product))
	}
	if len(sum) == 1 {
		return sum[0]
	}
	return c.est.Union(sum)
}

// join describes a product. Its comparisons are a tensor without modes, whose
// entries are the share that they keep.
func join(est stats.Estimator, terms []stats.Term) stats.Stats {
	connect(terms)
	args := make([]stats.Stats, 0, len(terms)+1)
	for i := range terms {
		if terms[i].Stats != nil {
			args = append(args, terms[i].Stats)
		}
	}
	if share := stats.Share(terms, ^uint64(0)); share < 1 {
		args = append(args, est.FromTensor(&stats.TensorStats{NNZ: share}, nil))
	}
	return est.Join(args)
}

// connect orders the terms of a product so that each has as many indices as can
// be in common with those before it, beginning with the one with most indices:
// an estimate that joins one by one is better the more a term is restricted by
// when it comes.
func connect(terms []stats.Term) {
	var seen uint64
	for i := range terms {
		best, score := i, -1
		for j := i; j < len(terms); j++ {
			set := terms[j].Set
			s := bits.OnesCount64(set&seen)<<8 + maxBits - bits.OnesCount64(set&^seen)
			if i == 0 {
				s = bits.OnesCount64(set)
			}
			if s > score {
				best, score = j, s
			}
		}
		t := terms[best]
		copy(terms[i+1:best+1], terms[i:best])
		terms[i] = t
		seen |= t.Set
	}
}

// figures describes a result of the given indices, numbered as they stand.
// Later steps are planned for a result that is not empty: if it is, their plan
// does not matter.
func (c *Catalog) figures(s stats.Stats, cells float64, idxs []einsum.Index) stats.TensorStats {
	t := stats.TensorStats{NNZ: max(1, min(cells, c.est.Estimate(s, s.Set(), 0)))}
	for i, x := range idxs {
		t.Dims = append(t.Dims, c.Dim(x))
		t.Distinct = append(t.Distinct, c.est.Estimate(s, 1<<i, 0))
	}
	return t
}
