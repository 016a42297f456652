// Package network plans sums of products of hundreds or thousands of tensors: in
// which order they are put together, two or a few at a time.
//
// In: a Network, which is index sets as small integers and sizes of tensors. Out: a
// Path, whose steps name what they combine by number. Divide applies it to a tensor
// program: queries with more indices or operands than elimination takes (package
// logical) become a query per step, small enough for it.
//
// # Invariants
//
//	N1. Nodes are numbered as in static single assignment: the tensors first, then the
//	    results of the steps. Every node but the last is used by exactly one step.
//	N2. A step keeps an index iff the output has it or a node outside of the step's
//	    arguments does.
//	N3. Sizes and costs are logarithms: those of dense networks do not fit a number.
//	N4. Nothing looks at all pairs of nodes. Work is bounded in comparisons of index
//	    sets, never in time: a path does not depend on the load of the machine.
//
// # Where to read next
//
// size.go estimates, simplify.go takes what costs nothing to decide, greedy.go finds
// paths, exact.go and refine.go improve them, merge.go makes steps of several
// operands; divide.go speaks of programs.
package network

import (
	"math"
	"slices"
)

// Network is a sum over all indices but the output's of the product of tensors.
// Indices are numbers from 0 on.
type Network struct {
	Tensors []Tensor
	// Output is the indices of the result, ascending.
	Output []int32
	// Sizes is the number of coordinates of each index.
	Sizes []float64
	// Flat says that a step of two tensors multiplies them flattened where its result
	// has few places (package fibers/exec): a cell of it takes a small part of the time
	// that one takes in a loop nest.
	Flat bool
}

// Tensor is what is known of one factor.
type Tensor struct {
	Indices []int32 // distinct, ascending
	Entries float64 // stored
	// Distinct is the number of coordinates that occur, by index as in Indices; nil:
	// as many as there are, or entries.
	Distinct []float64
}

// Step combines nodes: it multiplies them where all have an entry, and sums.
type Step struct {
	Args []int32
	// Indices is the result's, ascending.
	Indices []int32
	// Entries and Work are natural logarithms of estimates: of the result's entries, and
	// of the cells that it takes to make them.
	Entries, Work float64
}

// Path is the steps that compute a network. Node t is tensor t while t is less than
// the number of tensors, then the result of a step. A network of one tensor that is
// its own result has no steps.
type Path struct {
	Steps []Step
	// Cost is the natural logarithm of the estimated work, in entries visited.
	Cost float64
}

// Options choose how a path is found.
type Options struct {
	// Pairwise asks for steps of at most two arguments.
	Pairwise bool
	// Budget bounds the search, in comparisons of an index of two nodes; 0: a default
	// of about a fifth of a second.
	Budget int
	// Restarts bounds how often the greedy search runs; 0: a default.
	Restarts int
}

const (
	defaultBudget   = 3_000_000
	defaultRestarts = 48
)

// MostIndices is the number of indices that a step may have.
const MostIndices = 64

// Find searches a path; nil when none is found whose steps have few enough indices.
func Find(n *Network, opt Options) *Path {
	if opt.Budget == 0 {
		opt.Budget = defaultBudget
	}
	if opt.Restarts == 0 {
		opt.Restarts = defaultRestarts
	}
	t := newTree(n)
	if opt.Pairwise {
		t.operands = 2
	}
	t.simplify()
	s := &searcher{tree: t, budget: opt.Budget}
	pairs, ok := s.restarts(opt.Restarts)
	if !ok {
		return nil
	}
	t.build(pairs)
	t.refine(s)
	if !opt.Pairwise {
		t.merge()
	}
	return t.path()
}

// node is a tensor or the result of a step. Figures are logarithms.
type node struct {
	idx     []int32   // ascending
	d       []float64 // coordinates that occur, by index
	entries float64
	body    float64 // cells that its step visits
	kids    []int32 // nil for a tensor
}

// tree is the nodes so far.
type tree struct {
	net   *Network
	nodes []node
	// uses is, per index, the number of live nodes that have it, and one more for the
	// output.
	uses []int32
	live []int32 // nodes that no other uses yet
	// operands bounds the arguments of a step.
	operands int
}

func newTree(n *Network) *tree {
	t := &tree{net: n, operands: mostOperands, uses: make([]int32, len(n.Sizes)), nodes: make([]node, 0, 2*len(n.Tensors))}
	for i := range n.Tensors {
		x := &n.Tensors[i]
		nd := node{idx: x.Indices, entries: math.Log(max(x.Entries, 1))}
		for k, ix := range x.Indices {
			t.uses[ix]++
			d := min(n.Sizes[ix], max(x.Entries, 1))
			if k < len(x.Distinct) {
				d = min(d, x.Distinct[k])
			}
			nd.d = append(nd.d, math.Log(max(d, 1)))
		}
		t.nodes = append(t.nodes, nd)
		t.live = append(t.live, int32(i))
	}
	for _, ix := range n.Output {
		t.uses[ix]++
	}
	return t
}

// path lists the steps below the root in the order of their use: of the arguments of a
// step the one with the most steps below it comes first, and what a step reads is
// computed right before it, so that few results exist at once.
func (t *tree) path() *Path {
	p := &Path{Cost: math.Inf(-1)}
	number, below := make([]int32, len(t.nodes)), make([]int32, len(t.nodes))
	for i := range t.net.Tensors {
		number[i] = int32(i)
	}
	var steps []int32
	t.below(func(at int32) { steps = append(steps, at) })
	for _, at := range slices.Backward(steps) {
		for _, k := range t.nodes[at].kids {
			below[at] += below[k]
		}
		below[at]++
	}
	var visit func(at int32)
	visit = func(at int32) {
		nd := &t.nodes[at]
		if nd.kids == nil {
			return
		}
		order := slices.Clone(nd.kids)
		slices.SortStableFunc(order, func(a, b int32) int { return int(below[b] - below[a]) })
		for _, k := range order {
			visit(k)
		}
		s := Step{Indices: nd.idx, Entries: nd.entries, Work: t.work(at)}
		for _, k := range nd.kids {
			s.Args = append(s.Args, number[k])
		}
		number[at] = int32(len(t.net.Tensors) + len(p.Steps))
		p.Steps = append(p.Steps, s)
		p.Cost = addLogs(p.Cost, s.Work)
	}
	if len(t.live) > 0 {
		visit(t.live[0])
	}
	return p
}
