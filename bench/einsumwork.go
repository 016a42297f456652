package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/trireme-db/trireme/bench/pairwise"
)

// einsumCase is one network of tensors.
type einsumCase struct {
	Name, About string
	tensors     []*pairwise.Tensor // one that is there several times is one pointer
	output      []int32
	// want computes the result by other means than contraction; entries that are not
	// there count as zero.
	want func() map[string]float64
}

// einsumNet is a network under construction.
type einsumNet struct {
	rng     *rand.Rand
	dims    []int
	tensors []*pairwise.Tensor
}

func newEinsumNet(seed uint64) *einsumNet {
	return &einsumNet{rng: rand.New(rand.NewPCG(seed, 8))}
}

// index makes an index.
func (n *einsumNet) index(dim int) int32 {
	n.dims = append(n.dims, dim)
	return int32(len(n.dims) - 1)
}

// add makes a tensor with an entry wherever value has one.
func (n *einsumNet) add(indices []int32, value func(at []int32) (v float64, stored bool)) {
	t := &pairwise.Tensor{Indices: indices, Coords: make([][]int32, len(indices))}
	cells := 1
	for _, x := range indices {
		t.Dims = append(t.Dims, n.dims[x])
		cells *= n.dims[x]
	}
	at := make([]int32, len(indices))
	for c := range cells {
		rest := c
		for k := len(at) - 1; k >= 0; k-- {
			at[k] = int32(rest % t.Dims[k])
			rest /= t.Dims[k]
		}
		if v, ok := value(at); ok {
			for k := range at {
				t.Coords[k] = append(t.Coords[k], at[k])
			}
			t.Values = append(t.Values, v)
		}
	}
	n.tensors = append(n.tensors, t)
}

// random makes a tensor of about that share of entries, with values from 0.5 to 1.5
// divided by scale, so that long products keep their size.
func (n *einsumNet) random(indices []int32, density, scale float64) {
	n.add(indices, func([]int32) (float64, bool) {
		stored := n.rng.Float64() < density
		return (0.5 + n.rng.Float64()) / scale, stored
	})
}

// positions is the key of an entry of an answer.
func positions(at ...int32) string { return fmt.Sprint(at) }

// einsumCases are the networks of the suite.
func einsumCases() []einsumCase {
	cases := []einsumCase{tucker(), cp(), mttkrp(), batched(), smallFormula(), smallBayes()}
	for _, n := range []int{30, 100, 300} {
		cases = append(cases, strip(n))
	}
	for _, rungs := range []int{20, 100} {
		cases = append(cases, ladderFormula(rungs))
	}
	for _, steps := range []int{50, 200} {
		cases = append(cases, hiddenMarkov(steps))
	}
	for _, depth := range []int{4, 10} {
		cases = append(cases, circuit(8, depth))
	}
	return cases
}

// strip is a grid of three rows of sparse tensors.
func strip(n int) einsumCase {
	const rows, dim = 3, 6
	net := newEinsumNet(uint64(n))
	of := make([][]int32, n)
	connect := func(a, b int) {
		x := net.index(dim)
		of[a], of[b] = append(of[a], x), append(of[b], x)
	}
	for i := range n {
		if (i+1)%rows != 0 && i+1 < n {
			connect(i, i+1)
		}
		if i+rows < n {
			connect(i, i+rows)
		}
	}
	for i := range of {
		net.random(of[i], 0.3, 2)
	}
	c := einsumCase{
		Name: fmt.Sprintf("sparse_%d", n), tensors: net.tensors,
		About: fmt.Sprintf("a strip of %d sparse tensors with up to four indices, to one number", n),
	}
	c.want = func() map[string]float64 { return eliminated(c.tensors, c.output) }
	return c
}

func tucker() einsumCase {
	const dim, rank = 48, 8
	net := newEinsumNet(1)
	a, b, c := net.index(rank), net.index(rank), net.index(rank)
	i, j, k := net.index(dim), net.index(dim), net.index(dim)
	net.random([]int32{a, b, c}, 0.2, 1)
	for _, f := range [][]int32{{i, a}, {j, b}, {k, c}} {
		net.random(f, 0.5, 1)
	}
	out := einsumCase{Name: "tucker", About: "reconstruction of a tensor of 48 x 48 x 48 from a sparse core and sparse factors", tensors: net.tensors, output: []int32{i, j, k}}
	out.want = func() map[string]float64 { return eliminated(out.tensors, out.output) }
	return out
}

func cp() einsumCase {
	const dim, rank = 48, 16
	net := newEinsumNet(2)
	r := net.index(rank)
	i, j, k := net.index(dim), net.index(dim), net.index(dim)
	net.random([]int32{r}, 1, 1)
	for _, x := range []int32{i, j, k} {
		net.random([]int32{x, r}, 0.3, 1)
	}
	out := einsumCase{Name: "cp", About: "reconstruction of a tensor of 48 x 48 x 48 of rank 16 from sparse factors", tensors: net.tensors, output: []int32{i, j, k}}
	out.want = func() map[string]float64 { return eliminated(out.tensors, out.output) }
	return out
}

func mttkrp() einsumCase {
	const dim, rank = 100, 16
	net := newEinsumNet(3)
	i, j, k, r := net.index(dim), net.index(dim), net.index(dim), net.index(rank)
	net.random([]int32{i, j, k}, 0.05, 1)
	net.random([]int32{j, r}, 1, 1)
	net.random([]int32{k, r}, 1, 1)
	out := einsumCase{Name: "mttkrp", About: "a tensor of 100 x 100 x 100 with 50,000 entries times the Khatri-Rao product of two dense factors of rank 16", tensors: net.tensors, output: []int32{i, r}}
	out.want = func() map[string]float64 {
		sum := map[string]float64{}
		x, b, c := net.tensors[0], net.tensors[1], net.tensors[2]
		for e, v := range x.Values {
			for q := range int32(rank) {
				sum[positions(x.Coords[0][e], q)] += v * b.Values[x.Coords[1][e]*rank+q] * c.Values[x.Coords[2][e]*rank+q]
			}
		}
		return sum
	}
	return out
}

func batched() einsumCase {
	const batches, dim = 100, 40
	net := newEinsumNet(4)
	b, i, j, k := net.index(batches), net.index(dim), net.index(dim), net.index(dim)
	net.random([]int32{b, i, j}, 0.2, 1)
	net.random([]int32{b, j, k}, 0.2, 1)
	out := einsumCase{Name: "batched", About: "100 products of sparse matrices of 40 x 40", tensors: net.tensors, output: []int32{b, i, k}}
	out.want = func() map[string]float64 {
		sum := map[string]float64{}
		x, y := net.tensors[0], net.tensors[1]
		rows := map[[2]int32][]int{}
		for e := range y.Values {
			at := [2]int32{y.Coords[0][e], y.Coords[1][e]}
			rows[at] = append(rows[at], e)
		}
		for e, v := range x.Values {
			for _, f := range rows[[2]int32{x.Coords[0][e], x.Coords[2][e]}] {
				sum[positions(x.Coords[0][e], x.Coords[1][e], y.Coords[2][f])] += v * y.Values[f]
			}
		}
		return sum
	}
	return out
}

// clause adds a disjunction of literals: variables, negated where negated says so. Its
// tensor has an entry for every assignment but one.
func (n *einsumNet) clause(variables []int32, negated []bool) {
	n.add(variables, func(at []int32) (float64, bool) {
		for k, v := range at {
			if (v == 1) != negated[k] {
				return 1, true
			}
		}
		return 0, false
	})
}

// smallFormula is the weighted number of models of a random formula with three literals
// in a clause.
func smallFormula() einsumCase {
	const variables, clauses = 20, 50
	net := newEinsumNet(5)
	var xs []int32
	for range variables {
		xs = append(xs, net.index(2))
	}
	var signs [][]bool
	for range clauses {
		var chosen []int32
		from := net.rng.IntN(variables - 5) // nearby variables: formulas of systems have parts
		for _, v := range net.rng.Perm(6)[:3] {
			chosen = append(chosen, xs[from+v])
		}
		signs = append(signs, []bool{net.rng.IntN(2) == 0, net.rng.IntN(2) == 0, net.rng.IntN(2) == 0})
		net.clause(chosen, signs[len(signs)-1])
	}
	for _, x := range xs {
		p := 0.2 + 0.6*net.rng.Float64()
		net.add([]int32{x}, func(at []int32) (float64, bool) { return math.Abs(1 - float64(at[0]) - p), true })
	}
	return einsumCase{
		Name: "sat_20", About: "weighted models of a random formula of 50 clauses over 20 variables", tensors: net.tensors,
		want: func() map[string]float64 {
			total := 0.0
			for assignment := range 1 << variables {
				weight := 1.0
				for c, t := range net.tensors {
					switch {
					case c >= clauses:
						weight *= t.Values[assignment>>(c-clauses)&1]
					case !satisfied(t.Indices, signs[c], assignment):
						weight = 0
					}
					if weight == 0 {
						break
					}
				}
				total += weight
			}
			return map[string]float64{positions(): total}
		},
	}
}

func satisfied(variables []int32, negated []bool, assignment int) bool {
	for k, v := range variables {
		if (assignment>>v&1 == 1) != negated[k] {
			return true
		}
	}
	return false
}

// ladderFormula counts the independent sets of a ladder graph, as the models of a
// formula: of n rungs there are a(n) = 2 a(n-1) + a(n-2), from 1 and 3 on.
func ladderFormula(rungs int) einsumCase {
	net := newEinsumNet(6)
	both := []bool{true, true}
	var left, right int32
	for r := range rungs {
		l, m := net.index(2), net.index(2)
		net.clause([]int32{l, m}, both)
		if r > 0 {
			net.clause([]int32{left, l}, both)
			net.clause([]int32{right, m}, both)
		}
		left, right = l, m
	}
	return einsumCase{
		Name: fmt.Sprintf("ladder_%d", rungs), tensors: net.tensors,
		About: fmt.Sprintf("models of a formula of %d clauses over %d variables: independent sets of a ladder", len(net.tensors), 2*rungs),
		want: func() map[string]float64 {
			a, b := 1.0, 3.0
			for range rungs - 1 {
				a, b = b, 2*b+a
			}
			return map[string]float64{positions(): b}
		},
	}
}

// smallBayes is a marginal in a network of binary variables with up to three parents,
// two of which are observed.
func smallBayes() einsumCase {
	const variables = 18
	net := newEinsumNet(7)
	var xs []int32
	for v := range variables {
		xs = append(xs, net.index(2))
		family := []int32{xs[v]}
		for _, p := range net.rng.Perm(min(v, 5))[:min(v, 3)] {
			family = append(family, xs[v-1-p])
		}
		chance := map[string]float64{}
		net.add(family, func(at []int32) (float64, bool) {
			parents := positions(at[1:]...)
			if at[0] == 0 {
				chance[parents] = net.rng.Float64()
				return chance[parents], true
			}
			return 1 - chance[parents], true
		})
	}
	for _, observed := range []int32{6, 15} {
		net.add([]int32{xs[observed]}, func(at []int32) (float64, bool) { return 1, at[0] == 1 })
	}
	out := []int32{xs[3]}
	return einsumCase{
		Name: "bayes_18", About: "joint probability of a variable and two observations in a Bayesian network of 18 variables", tensors: net.tensors, output: out,
		want: func() map[string]float64 {
			sum := map[string]float64{}
			for assignment := range 1 << variables {
				weight := 1.0
				for _, t := range net.tensors {
					weight *= at(t, func(x int32) int32 { return int32(assignment >> x & 1) })
				}
				sum[positions(int32(assignment>>out[0]&1))] += weight
			}
			return sum
		},
	}
}

// at is the value of a tensor's entry, 0 where there is none.
func at(t *pairwise.Tensor, of func(x int32) int32) float64 {
entries:
	for e, v := range t.Values {
		for k, x := range t.Indices {
			if t.Coords[k][e] != of(x) {
				continue entries
			}
		}
		return v
	}
	return 0
}

// hiddenMarkov is the distribution of the last state of a Markov chain and all
// observations: a Bayesian network with the answer of the forward algorithm.
func hiddenMarkov(steps int) einsumCase {
	const states = 12
	net := newEinsumNet(uint64(steps))
	first := net.index(states)
	net.random([]int32{first}, 1, states)
	last := first
	for range steps {
		next := net.index(states)
		net.random([]int32{last, next}, 0.5, 4)
		net.random([]int32{next}, 0.9, 1) // of what is observed there
		last = next
	}
	return einsumCase{
		Name: fmt.Sprintf("markov_%d", steps), tensors: net.tensors, output: []int32{last},
		About: fmt.Sprintf("the last of %d states of a hidden Markov chain, given the observations", steps),
		want: func() map[string]float64 {
			now := make([]float64, states)
			for e, v := range net.tensors[0].Values {
				now[net.tensors[0].Coords[0][e]] = v
			}
			for s := 1; s < len(net.tensors); s += 2 {
				move, seen := net.tensors[s], net.tensors[s+1]
				next, weighed := make([]float64, states), make([]float64, states)
				for e, v := range move.Values {
					next[move.Coords[1][e]] += v * now[move.Coords[0][e]]
				}
				for e, v := range seen.Values {
					weighed[seen.Coords[0][e]] = v * next[seen.Coords[0][e]]
				}
				now = weighed
			}
			out := map[string]float64{}
			for s, v := range now {
				out[positions(int32(s))] = v
			}
			return out
		},
	}
}

// eliminated sums a product by taking one index after another, in the order of their
// numbers, from a map of partial products: the reference for networks whose numbers
// follow their shape.
func eliminated(tensors []*pairwise.Tensor, output []int32) map[string]float64 {
	last := map[int32]int{} // the tensor after which an index is gone
	for i, t := range tensors {
		for _, x := range t.Indices {
			last[x] = i
		}
	}
	type partial map[string]float64
	var open []int32
	now := partial{positions(): 1}
	coords := map[string][]int32{positions(): nil}
	for i, t := range tensors {
		var kept []int32
		all := slices.Clone(open)
		for _, x := range t.Indices {
			if !slices.Contains(all, x) {
				all = append(all, x)
			}
		}
		for _, x := range all {
			if last[x] > i || slices.Contains(output, x) {
				kept = append(kept, x)
			}
		}
		next, nextCoords := partial{}, map[string][]int32{}
		for key, w := range now {
			bound := map[int32]int32{}
			for k, x := range open {
				bound[x] = coords[key][k]
			}
			multiplyInto(t, bound, kept, w, next, nextCoords)
		}
		open, now, coords = kept, next, nextCoords
	}
	out := map[string]float64{}
	for key, v := range now {
		ordered := make([]int32, len(output))
		for k, x := range output {
			ordered[k] = coords[key][slices.Index(open, x)]
		}
		out[positions(ordered...)] += v
	}
	return out
}

// multiplyInto adds the products of a weight with the entries that agree with what is
// bound.
func multiplyInto(t *pairwise.Tensor, bound map[int32]int32, kept []int32, w float64, next map[string]float64, coords map[string][]int32) {
entries:
	for e, v := range t.Values {
		for k, x := range t.Indices {
			if b, ok := bound[x]; ok && b != t.Coords[k][e] {
				continue entries
			}
		}
		at := make([]int32, len(kept))
		for i, x := range kept {
			if k := slices.Index(t.Indices, x); k >= 0 {
				at[i] = t.Coords[k][e]
			} else {
				at[i] = bound[x]
			}
		}
		key := positions(at...)
		next[key] += w * v
		coords[key] = at
	}
}
