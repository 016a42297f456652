package logical

import (
	"math"
	"math/bits"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// atom is an operand or a mask of the shrinking body.
type atom struct {
	set   uint64
	count einsum.Expr // the row count of an operand, the comparison of a mask
	term  stats.Term
}

// elimination is the state of one query: the atoms that are left and the
// leaves over them. A number is used again only when there is no new one.
type elimination struct {
	pl      *planner
	q       *einsum.Query
	body    *Body
	atoms   []atom
	live    uint64
	reduced uint64 // indices still to eliminate
	forms   []form
	costs   map[uint64]float64 // of kernels, by atoms
	changed bool
}

// newElimination prepares a query; ok is false when it is one step as it is.
func newElimination(pl *planner, q *einsum.Query, b *Body) (*elimination, bool) {
	e := &elimination{pl: pl, q: q, body: b, reduced: b.All() &^ b.Free, costs: map[uint64]float64{}}
	if e.reduced == 0 || len(b.Operands) == 0 {
		return nil, false
	}
	for _, l := range q.Leaves {
		f, ok := b.formOf(l)
		if !ok {
			return nil, false
		}
		e.forms = append(e.forms, f)
	}
	terms := pl.cat.Terms(b)
	for i, op := range b.Operands {
		count := &einsum.Access{Tensor: op.Tensor, Leaf: pl.cat.countLeaf(op.Tensor), Args: op.Args}
		e.atoms = append(e.atoms, atom{set: op.Set, count: count, term: terms[i]})
	}
	for i, m := range b.Masks {
		e.atoms = append(e.atoms, atom{set: m.Set, count: m.Compare, term: terms[len(b.Operands)+i]})
	}
	e.live = b.Atoms()
	return e, true
}

// kernel is a candidate step: the atoms it consumes, the indices they have and
// those among them that disappear.
type kernel struct {
	atoms, set, gone uint64
	cost             float64
}

// run eliminates until one kernel takes all that is left: that is the query's
// own step.
func (e *elimination) run() error {
	for e.reduced != 0 {
		k := e.cheapest()
		if k.atoms == e.live {
			if !e.hasConstant() {
				return nil
			}
			// A leaf that is constant where it is valid need not be computed cell
			// by cell: its validity is summed with the other leaves, and the
			// query's own step, without indices to reduce, puts the constant in.
			k.gone = e.reduced
		}
		if err := e.apply(k); err != nil {
			return err
		}
	}
	return nil
}

// hasConstant reports a leaf like max guard(1, c, d), without other terms, whose
// conditions may be zero. Row counts are not: under them alone the leaf is
// constant wherever there is an entry, which a kernel does without counting.
func (e *elimination) hasConstant() bool {
	for _, f := range e.forms {
		m := &f.monos[0]
		if len(m.factors) == 0 && !e.countsRows(m.guards) {
			return true
		}
	}
	return false
}

// countsRows reports whether all factors are row counts or comparisons.
func (e *elimination) countsRows(fs []factor) bool {
	for _, f := range fs {
		switch x := f.expr.(type) {
		case *einsum.Compare:
		case *einsum.Access:
			if x.Leaf != e.pl.cat.countLeaf(x.Tensor) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// sameCost is the relative difference below which two costs are a tie: the
// estimates are not that good.
const sameCost = 0.02

// cheapest returns the kernel with the least cost. Among equals one that
// consumes more operands wins, as it leaves less to do; then the first index.
func (e *elimination) cheapest() kernel {
	best := kernel{cost: math.Inf(1)}
	for s := e.reduced; s != 0; s &= s - 1 {
		k := e.kernelFor(s & -s)
		better := k.cost < best.cost*(1-sameCost)
		tie := !better && k.cost <= best.cost*(1+sameCost)
		if better || tie && bits.OnesCount64(k.atoms) > bits.OnesCount64(best.atoms) {
			best = k
		}
	}
	return e.refine(best)
}

// refineSlack is how much dearer two steps in place of one may seem: a smaller
// first step is safer against skew, which the estimates do not see.
const refineSlack = 1.2

// refine prefers to take an index out of the kernel's own operands first when
// that does not cost more: both facts on one dimension are summed before they
// meet, although the second could be summed where they do. It must not sum a
// large operand that the rest of the kernel restricts, hence the costs.
func (e *elimination) refine(k kernel) kernel {
	best, total := k, k.cost*refineSlack
	for s := k.gone; s != 0; s &= s - 1 {
		first := e.kernelFor(s & -s)
		if first.atoms == k.atoms || first.atoms&^k.atoms != 0 {
			continue
		}
		if c := first.cost + e.costAfter(k, first); c <= total {
			best, total = first, c
		}
	}
	return best
}

// costAfter is the cost of kernel k when first has been taken out of it.
func (e *elimination) costAfter(k, first kernel) float64 {
	var args []stats.Stats
	terms := make([]stats.Term, 0, bits.OnesCount64(k.atoms))
	for _, i := range members(k.atoms) {
		switch a := &e.atoms[i]; {
		case first.atoms&(1<<i) == 0:
			terms = append(terms, a.term)
		case a.term.Stats != nil:
			args = append(args, a.term.Stats)
		}
	}
	result := e.pl.est.Reduce(e.pl.est.Join(args), first.gone)
	terms = append(terms, stats.Term{Stats: result, Set: first.set &^ first.gone})
	nest := stats.NewNest(e.pl.est, terms)
	return e.price(nest, k.set&^first.gone, k.gone&^first.gone)
}

// kernelFor returns the kernel that eliminates index v (a bit): all atoms that
// mention it, those they are tied to, and every other atom whose indices are
// covered, since it restricts the kernel at no new loop (OPTIMIZER B-1). Every
// reduced index that no atom outside mentions goes as well.
func (e *elimination) kernelFor(v uint64) kernel {
	k := kernel{}
	for _, i := range members(e.live) {
		if e.atoms[i].set&v != 0 {
			k.atoms |= 1 << i
		}
	}
	for {
		before := k.atoms
		e.close(&k)
		for _, i := range members(e.live &^ k.atoms) {
			if e.atoms[i].set&^k.set == 0 {
				k.atoms |= 1 << i
			}
		}
		if k.atoms == before {
			break
		}
	}
	k.gone = e.reduced & k.set
	for _, i := range members(e.live &^ k.atoms) {
		k.gone &^= e.atoms[i].set
	}
	k.cost = e.cost(k)
	return k
}

// close adds what the kernel's atoms cannot do without: the other atoms of a
// factor, and for a mask an operand that binds each of its indices.
func (e *elimination) close(k *kernel) {
	for _, f := range e.forms {
		for _, m := range f.monos {
			for _, x := range m.factors {
				if x.atoms&k.atoms != 0 {
					k.atoms |= x.atoms
				}
			}
			for _, x := range m.guards {
				if x.atoms&k.atoms != 0 {
					k.atoms |= x.atoms
				}
			}
		}
	}
	var bound, needed uint64
	for _, i := range members(k.atoms) {
		if e.atoms[i].term.Stats == nil {
			needed |= e.atoms[i].set
		} else {
			bound |= e.atoms[i].set
		}
	}
	for _, x := range members(needed &^ bound) {
		if bound&(1<<x) == 0 {
			i := e.smallest(1 << x)
			k.atoms |= 1 << i
			bound |= e.atoms[i].set
		}
	}
	k.set = bound
}

// smallest returns the live operand with the fewest entries that has index x.
func (e *elimination) smallest(x uint64) int {
	best, size := -1, math.Inf(1)
	for _, i := range members(e.live) {
		a := &e.atoms[i]
		if a.term.Stats == nil || a.set&x == 0 {
			continue
		}
		if n := e.pl.est.Estimate(a.term.Stats, a.term.Stats.Set(), 0); n < size {
			best, size = i, n
		}
	}
	return best
}

// Weights of a step's cost, in units of one cell visited by one loop.
const (
	// outWeight is the price of storing an entry: appending, sorting and
	// building a level (KERNELS section 2: 24 ns an entry against 1-3 a cell).
	outWeight = 10
	// leafWeight is the price of each further leaf computed at a cell.
	leafWeight = 0.2
)

// cost estimates a step: the work of its loops in a good order, one visit of
// each index of each cell, and the entries it stores (OPTIMIZER B).
func (e *elimination) cost(k kernel) float64 {
	if c, ok := e.costs[k.atoms]; ok {
		return c
	}
	c := e.price(e.nest(k), k.set, k.gone)
	e.costs[k.atoms] = c
	return c
}

// price is the cost of a step over the indices of set, of which some go.
func (e *elimination) price(nest *stats.Nest, set, gone uint64) float64 {
	cells := nest.Size(set)
	out := cells
	if gone != 0 {
		out = math.Min(cells, nest.Size(set&^gone))
	}
	return nest.GreedyCost(set) + cells*(1+leafWeight*float64(len(e.forms)-1)) + outWeight*out
}

func (e *elimination) nest(k kernel) *stats.Nest {
	terms := make([]stats.Term, 0, bits.OnesCount64(k.atoms))
	for _, i := range members(k.atoms) {
		terms = append(terms, e.atoms[i].term)
	}
	return stats.NewNest(e.pl.est, terms)
}

// rest is the query over what is left; the query itself if nothing changed.
func (e *elimination) rest() *einsum.Query {
	if !e.changed {
		return e.q
	}
	out := &einsum.Query{Name: e.q.Name, Idxs: e.q.Idxs}
	for i := range e.forms {
		f := &e.forms[i]
		expr := f.body()
		if e.reduced != 0 || hasGuard(expr) {
			expr = &einsum.Agg{Op: f.agg, Idxs: e.body.pick(e.reduced), Arg: expr}
		}
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: f.name, Expr: expr})
	}
	return out
}
