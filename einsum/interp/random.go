package interp

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// RandomOptions bound what RandomProgram makes. Zero fields have defaults.
type RandomOptions struct {
	Inputs      int  // input tensors, default 3
	Queries     int  // queries, default up to 3; later ones may read earlier ones
	DomainSize  int  // values per domain, default up to 6
	Entries     int  // entries per input at most, default 12
	Factors     int  // factors of a product at most, default 4
	ScalarOnly  bool // the last query has no indices
	NoUnions    bool // no disjunctive maps but products' sums of moments
	NoMasks     bool
	NoConstants bool
	NoNesting   bool // no aggregates inside aggregates
	NoMinMax    bool
	// Indices bounds the indices of a query, free and bound, where the tensors
	// allow it; 0: no bound.
	Indices int
	// Wide adds products of sums whose terms differ in their indices, squares,
	// operands that may be absent (if0), functions, aggregates of different
	// operators inside each other, and min and max of products (random_wide.go).
	Wide bool
}

// RandomProgram makes a legal program and data for it. Domains are integers or
// strings, with a NULL now and then; leaves are small integers, explicit zeros
// and negative ones among them, so that sums are exact in any element type.
// Each query is one random body (products of accesses and comparisons, nested
// aggregates, unions) rendered once per leaf, which gives all leaves one
// presence: row counts, sums of moments and of products, min and max under
// guards, or and distinct counts.
//
// Leaves named m... may hold the identity of min or max, which no integer is;
// no query reads them. With Wide, leaves named f... are values of sqrt, exp, ln
// and sigmoid, which are not exact; no query reads them either.
func RandomProgram(rng *rand.Rand, opt RandomOptions) (*einsum.Program, map[string]*Tensor) {
	g := &generator{rng: rng, opt: opt, prog: &einsum.Program{}}
	g.defaults()
	data := map[string]*Tensor{}
	for d := range 2 {
		g.domains = append(g.domains, g.domain(d))
	}
	for i := range g.opt.Inputs {
		in := g.input(fmt.Sprintf("A%d", i), i)
		g.prog.Inputs = append(g.prog.Inputs, in)
		data[in.Name] = g.data(in)
	}
	for i := range g.opt.Queries {
		g.query(fmt.Sprintf("Q%d", i), i == g.opt.Queries-1)
	}
	return g.prog, data
}

type generator struct {
	rng     *rand.Rand
	opt     RandomOptions
	prog    *einsum.Program
	domains [][]Value
	sources []source
	names   int // indices made in this query
}

// source is a tensor that accesses may name.
type source struct {
	name    string
	domains []int
	sums    []string // leaves that are plain numbers
	counts  []string // leaves that conditions may use
	pattern bool     // leaf n is 1 everywhere
}

func (g *generator) pick(n int) int { return g.rng.IntN(n) }

// chance is true once in so many times.
func (g *generator) chance(one int) bool { return g.rng.IntN(one) == 0 }

func (g *generator) defaults() {
	set := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	set(&g.opt.Inputs, 3)
	set(&g.opt.Queries, 1+g.pick(3))
	set(&g.opt.DomainSize, 2+g.pick(5))
	set(&g.opt.Entries, 12)
	set(&g.opt.Factors, 4)
}

func (g *generator) domain(d int) []Value {
	var out []Value
	for i := range g.opt.DomainSize {
		if d%2 == 0 {
			out = append(out, Int(int64(i*i-3)))
		} else {
			out = append(out, String([]string{"b", "", "a'x", "Z", "é", "b ", "c", "d"}[i%8]+fmt.Sprint(i/8)))
		}
	}
	if g.chance(3) {
		out[g.pick(len(out))] = Null()
	}
	return out
}

func (g *generator) input(name string, number int) *einsum.Input {
	in := &einsum.Input{Name: name}
	modes := 1 + g.pick(3)
	if number == 0 {
		modes = 2 // one binary tensor over one domain: graphs
	}
	for range modes {
		d := 0
		if number > 0 && g.chance(3) {
			d = 1
		}
		in.Domains = append(in.Domains, d)
	}
	src := source{name: name, domains: in.Domains, counts: []string{einsum.CountLeaf}}
	n := semiring.I64
	if g.chance(2) {
		n, src.pattern = semiring.Pattern, true
	}
	in.Leaves = []einsum.LeafDecl{{Name: einsum.CountLeaf, Elem: n}}
	if g.chance(2) {
		in.Leaves = append(in.Leaves,
			einsum.LeafDecl{Name: "s_x", Elem: semiring.I64}, einsum.LeafDecl{Name: "c_x", Elem: semiring.I64})
		src.sums, src.counts = []string{"s_x"}, append(src.counts, "c_x")
	}
	if g.chance(4) {
		in.Leaves = append(in.Leaves, einsum.LeafDecl{Name: "y", Elem: semiring.F64})
		src.sums = append(src.sums, "y")
	}
	g.facts(in)
	g.sources = append(g.sources, src)
	return in
}

// facts declares some facts, which data then respects.
func (g *generator) facts(in *einsum.Input) {
	for l := range in.Leaves {
		in.Leaves[l].NonNegative = g.chance(3)
	}
	if !g.chance(3) {
		return
	}
	var key []int
	for m := range in.Domains {
		if g.chance(2) {
			key = append(key, m)
		}
	}
	if len(key) > 0 { // at most one entry would be little data
		in.Keys = [][]int{key}
	}
}

func (g *generator) data(in *einsum.Input) *Tensor {
	t := &Tensor{}
	for _, l := range in.Leaves {
		t.Leaves = append(t.Leaves, l.Name)
	}
	var all uint64 = 1<<len(in.Domains) - 1
	keys := []uint64{all}
	for _, key := range in.Keys {
		var modes uint64
		for _, m := range key {
			modes |= 1 << m
		}
		keys = append(keys, modes)
	}
	seen := map[string]bool{}
	for range g.pick(g.opt.Entries + 1) {
		e := Entry{}
		for _, d := range in.Domains {
			e.Coord = append(e.Coord, g.domains[d][g.pick(len(g.domains[d]))])
		}
		if !g.fresh(keys, e.Coord, seen) {
			continue
		}
		for _, l := range in.Leaves {
			n := g.leafValue(l)
			if l.NonNegative && n.less(NumInt(0)) {
				n = n.neg()
			}
			e.Leaves = append(e.Leaves, n)
		}
		t.Entries = append(t.Entries, e)
	}
	return t
}

// fresh reports whether no entry before has the coordinates' projection to one
// of the sets of modes, and notes them.
func (g *generator) fresh(keys []uint64, coord []Value, seen map[string]bool) bool {
	texts := make([]string, len(keys))
	for i, modes := range keys {
		texts[i] = fmt.Sprint(modes, " ", coordKey(pick(modes, coord)))
		if seen[texts[i]] {
			return false
		}
	}
	for _, text := range texts {
		seen[text] = true
	}
	return true
}

func (g *generator) leafValue(l einsum.LeafDecl) Num {
	switch {
	case l.Elem == semiring.Pattern:
		return NumInt(1)
	case l.Elem == semiring.F64:
		return NumFloat(float64(g.pick(17)-8) / 4)
	case l.Name == einsum.CountLeaf:
		return NumInt(int64(1 + g.pick(3)))
	case l.Name == "c_x":
		return NumInt(int64(g.pick(3)))
	default:
		return NumInt(int64(g.pick(7) - 3))
	}
}

func (g *generator) query(name string, last bool) {
	g.names = 0
	body := g.body()
	free := body.indices
	var keep []einsum.Index
	for _, x := range free {
		if len(keep) < 3 && g.chance(2) && (!last || !g.opt.ScalarOnly) {
			keep = append(keep, x)
		}
	}
	g.rng.Shuffle(len(keep), func(i, j int) { keep[i], keep[j] = keep[j], keep[i] })
	var over []einsum.Index
	for _, x := range free {
		if !slices.Contains(keep, x) {
			over = append(over, x)
		}
	}
	top := &skeleton{kind: aggSkeleton, indices: keep, over: over, children: []*skeleton{body}}
	q := &einsum.Query{Name: name, Idxs: keep}
	src := source{name: name, counts: []string{einsum.CountLeaf}}
	for _, x := range keep {
		src.domains = append(src.domains, x.Domain)
	}
	q.Leaves = g.leaves(top, &src)
	g.prog.Queries = append(g.prog.Queries, q)
	g.sources = append(g.sources, src)
}
