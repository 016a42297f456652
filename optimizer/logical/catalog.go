package logical

import (
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
// I64. A step never stores a pattern.
func (c *Catalog) Elems(q *einsum.Query) []semiring.Elem {
	out := make([]semiring.Elem, len(q.Leaves))
	for i, l := range q.Leaves {
		out[i] = max(semiring.I64, einsum.ElemOf(l.Expr, c.elem))
	}
	return out
}

// access returns the statistics of the modes of an operand that are not bound
// to constants, and their indices. A repeated index counts at its first mode;
// its other modes keep one entry in as many as they have coordinates.
func (c *Catalog) access(op Operand) (stats.TensorStats, []einsum.Index) {
	t := c.Tensor(op.Tensor)
	rest, constants := t.Stats, false
	for _, a := range op.Args {
		constants = constants || a.Const != nil
	}
	switch {
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
	var idxs []einsum.Index
	for _, a := range op.Args {
		if a.Const == nil {
			idxs = append(idxs, a.Index)
		}
	}
	return diagonal(complete(rest, len(idxs)), idxs)
}

// diagonal merges the modes of a repeated index.
func diagonal(t stats.TensorStats, idxs []einsum.Index) (stats.TensorStats, []einsum.Index) {
	out := stats.TensorStats{NNZ: t.NNZ, Exact: t.Exact}
	var distinct []einsum.Index
	for m, x := range idxs {
		if slices.Contains(distinct, x) {
			out.NNZ, out.Exact = out.NNZ/max(t.Distinct[m], 1), false
			continue
		}
		distinct = append(distinct, x)
		out.Dims = append(out.Dims, t.Dims[m])
		out.Distinct = append(out.Distinct, t.Distinct[m])
	}
	return out, distinct
}

// OperandStats returns the estimator's view of an operand.
func (c *Catalog) OperandStats(op Operand) stats.Stats {
	t, idxs := c.access(op)
	return c.est.FromTensor(t, idxs)
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
		terms = append(terms, stats.Term{Stats: c.OperandStats(op), Set: op.Set})
	}
	for _, m := range b.Masks {
		terms = append(terms, stats.Term{Set: m.Set, Selectivity: c.Selectivity(m.Compare)})
	}
	return terms
}

// Add makes a step's result known under its name, with estimated statistics,
// and returns the estimates of the cells it visits and the entries it stores.
func (c *Catalog) Add(q *einsum.Query) (bodyNNZ, outNNZ float64, err error) {
	b, err := NewBody(q)
	if err != nil {
		return 0, 0, err
	}
	_, arg := aggOf(q.Leaves[0].Expr)
	s, selectivity := c.estimate(b, b.Presence(arg))
	t := &Tensor{Name: q.Name, Stats: c.project(s, selectivity, q.Idxs)}
	for i, elem := range c.Elems(q) {
		t.Leaves = append(t.Leaves, einsum.LeafDecl{Name: q.Leaves[i].Name, Elem: elem})
	}
	for _, x := range q.Idxs {
		t.Domains = append(t.Domains, x.Domain)
	}
	c.tensors[q.Name] = t
	return c.est.Estimate(s, b.Indices, nil) * selectivity, t.Stats.NNZ, nil
}

// estimate joins the operands of every alternative and unites the alternatives.
func (c *Catalog) estimate(b *Body, presence []uint64) (stats.Stats, float64) {
	terms := c.Terms(b)
	var sum []stats.Stats
	selectivity := 0.0
	for _, set := range presence {
		var product []stats.Stats
		share := 1.0
		for _, i := range members(set) {
			if terms[i].Stats != nil {
				product = append(product, terms[i].Stats)
			} else {
				share *= terms[i].Selectivity
			}
		}
		sum = append(sum, c.est.Join(product))
		selectivity = max(selectivity, share)
	}
	if len(sum) == 1 {
		return sum[0], selectivity
	}
	return c.est.Union(sum), selectivity
}

// project describes the aggregate of s that keeps idxs. Later steps are planned
// for a result that is not empty: if it is, their plan does not matter.
func (c *Catalog) project(s stats.Stats, selectivity float64, idxs []einsum.Index) stats.TensorStats {
	t := stats.TensorStats{NNZ: c.est.Estimate(s, idxs, nil)}
	if body := c.est.Estimate(s, s.Indices(), nil) * selectivity; body < t.NNZ {
		t.NNZ = body
	}
	t.NNZ = max(t.NNZ, 1)
	for _, x := range idxs {
		t.Dims = append(t.Dims, c.Dim(x))
		t.Distinct = append(t.Distinct, c.est.Estimate(s, []einsum.Index{x}, nil))
	}
	return t
}
