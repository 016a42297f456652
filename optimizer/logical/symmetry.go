package logical

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// BreakSymmetry counts what a query would count several times in another order
// of its indices only once, as pattern mining does (Grochow and Kellis 2007;
// GraphPi). Of a symmetric tensor without diagonal,
//
//	sum(i,j,k) E(i,j) * E(j,k) * E(i,k) = 6 * sum(i,j,k) E(i,j) * E(j,k) * E(i,k) * (i < j) * (j < k)
//
// since the six orders of three different values satisfy the same body and one
// of them the comparisons. It needs permutations of the reduced indices that map
// every leaf to itself, and that the indices which they exchange are never equal:
// sum(i,j,k) E(i,j) * E(j,k), symmetric in i and k, has the cells with i = k once
// and not twice. What or, min and max reduce they reduce to the same from one
// order as from all. Only exact leaves: a sum of floats would be another one in
// its last digits.
//
// One order is taken where the program is estimated to be cheaper with it, planned
// as a whole: plan is what the program is planned as. Programs without such
// indices, and cheap ones, come back as they are.
func BreakSymmetry(p *einsum.Program, plan *Plan, src stats.Source, opt Options) (*einsum.Program, *Plan, error) {
	if planCost(plan.Steps) < symmetryCost {
		return p, plan, nil
	}
	s := newSymmetry(p)
	for at := 0; at < len(p.Queries); at++ {
		broken := s.broken(p.Queries, at)
		if broken == nil {
			continue
		}
		alt := &einsum.Program{Inputs: p.Inputs, Queries: slices.Concat(p.Queries[:at], broken, p.Queries[at+1:])}
		altPlan, err := Eliminate(alt, src, opt)
		if err != nil {
			return nil, nil, err
		}
		if planCost(altPlan.Steps) < planCost(plan.Steps)*symmetryGain {
			p, plan = alt, altPlan
			at += len(broken) - 1
		}
	}
	return p, plan, nil
}

// Bounds of breaking symmetry.
const (
	// symmetryCost is the cost of a program, in cells at 5.5 ns each, below which
	// planning it once more takes about as long as can be saved: 0.1 to 0.5 ms for
	// patterns of four to eight vertices (BenchmarkPlan144Symmetric).
	symmetryCost = 60_000
	// symmetryGain is by how much a program must be cheaper. A comparison that only
	// halves the cells does not pay: what it bounds is searched in every row
	// (triangles at every vertex took 10 to 20% more processor time).
	symmetryGain = 0.5
	// symmetryWork bounds the images tried in search of the permutations of a
	// query, some ten nanoseconds each.
	symmetryWork = 20_000
	// symmetryMax bounds the factor.
	symmetryMax = 1 << 40
)

// symmetry looks for symmetric queries of a program.
type symmetry struct {
	program *einsum.Program
	inputs  map[string]*einsum.Input
	elems   map[string][]einsum.LeafDecl // nil: not asked for yet
}

func newSymmetry(p *einsum.Program) *symmetry {
	s := &symmetry{program: p, inputs: map[string]*einsum.Input{}}
	for _, in := range p.Inputs {
		s.inputs[in.Name] = in
	}
	return s
}

// promising looks for what makes two indices different, and for a second
// operand that they could exchange.
func (s *symmetry) promising(q *einsum.Query) bool {
	differ, accesses := false, 0
	einsum.Walk(q.Leaves[0].Expr, func(e einsum.Expr) bool {
		switch e := e.(type) {
		case *einsum.Access:
			accesses++
			in := s.inputs[e.Tensor]
			differ = differ || in != nil && in.Hollow
		case *einsum.Compare:
			differ = differ || e.Op == semiring.Ne
		}
		return true
	})
	return differ && accesses > 1
}

// SymmetryWanted names the inputs of which it would pay to know whether they are
// symmetric or hollow: tensors of two modes over one domain that some query reads
// more than once.
func SymmetryWanted(p *einsum.Program) map[string]bool {
	var out map[string]bool
	for _, in := range p.Inputs {
		if len(in.Domains) != 2 || in.Domains[0] != in.Domains[1] || !slices.ContainsFunc(p.Queries, func(q *einsum.Query) bool {
			return readsTwice(q.Leaves[0].Expr, in.Name)
		}) {
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[in.Name] = true
	}
	return out
}

// readsTwice reports whether an expression has two accesses to a tensor between
// whose indices a sum may be taken.
func readsTwice(e einsum.Expr, tensor string) bool {
	reads := 0
	einsum.Walk(e, func(e einsum.Expr) bool {
		if a, ok := e.(*einsum.Access); ok && a.Tensor == tensor && a.Args[0].Const == nil && a.Args[1].Const == nil {
			reads++
		}
		return reads < 2
	})
	return reads > 1
}

// broken returns what stands for query at: the query with comparisons, and where
// a sum was taken of one order only, a query that multiplies. nil when there is
// nothing to break.
func (s *symmetry) broken(qs []*einsum.Query, at int) []*einsum.Query {
	q := qs[at]
	if !s.promising(q) {
		return nil
	}
	if s.elems == nil {
		s.elems = s.program.Elems()
	}
	p, ok := s.patternOf(q)
	if !ok {
		return nil
	}
	times, above := p.order()
	if times == 1 {
		return nil
	}
	ordered, ok := restricted(q, p.masks(above))
	if !ok {
		return nil
	}
	ordered = p.differ(ordered, above)
	sums := slices.ContainsFunc(q.Leaves, func(l einsum.Leaf) bool { return l.Expr.(*einsum.Agg).Op == semiring.Add })
	if !sums {
		return []*einsum.Query{ordered}
	}
	ordered.Name = s.newName(qs)
	multiplied := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		var e einsum.Expr = &einsum.Access{Tensor: ordered.Name, Leaf: l.Name, Args: einsum.Ixs(q.Idxs...)}
		if l.Expr.(*einsum.Agg).Op == semiring.Add {
			factor := &einsum.Literal{Elem: semiring.I64, I: semiring.FromInt64(times)}
			e = &einsum.Map{Op: semiring.Mul, Args: []einsum.Expr{factor, e}}
		}
		multiplied.Leaves = append(multiplied.Leaves, einsum.Leaf{Name: l.Name, Expr: e})
	}
	return []*einsum.Query{ordered, multiplied}
}

// newName returns a name that no tensor of the program has.
func (s *symmetry) newName(qs []*einsum.Query) string {
	for i := 1; ; i++ {
		name := "O" + strconv.Itoa(i)
		if s.inputs[name] == nil && !slices.ContainsFunc(qs, func(q *einsum.Query) bool { return q.Name == name }) {
			return name
		}
	}
}

// patternOf reads a query all of whose leaves are exact aggregates over the same
// indices.
func (s *symmetry) patternOf(q *einsum.Query) (*pattern, bool) {
	b, err := NewBody(q)
	if err != nil {
		return nil, false // told when the query is planned
	}
	p := &pattern{body: b, labels: map[string]uint16{}, known: map[string]int{}, inputs: s.inputs}
	p.loose = b.All() &^ b.Free
	for i, l := range q.Leaves {
		agg, arg := aggOf(l.Expr)
		if agg == nil || s.elems[q.Name][i].Elem == semiring.F64 || !p.reducesAll(agg) {
			return nil, false
		}
		switch agg.Op {
		case semiring.Add, semiring.Or, semiring.Min, semiring.Max:
		default:
			return nil, false
		}
		p.collect(strconv.Itoa(i), arg)
	}
	if bits.OnesCount64(p.loose) < 2 {
		return nil, false
	}
	p.unlike(q)
	return p, true
}
