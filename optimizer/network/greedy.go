package network

import (
	"math"
	"math/rand/v2"
	"slices"
)

// searcher runs the greedy search over a simplified tree.
type searcher struct {
	tree   *tree
	budget int // left
	work   int
}

// cellWork is how many cells are visited in the time of one comparison of indices,
// about: a search goes on while it has taken less than the path found would.
const cellWork = 12

// restartShare is the part of that time, as a divisor, that is for restarts; the rest is
// for the exact search of pieces.
const restartShare = 4

// restarts runs the greedy search with other weights and noise until the budget is
// used up, or until searching on takes longer than the path that it has, and returns
// the pairs of the best path: numbers of live nodes, then of what was made of them. ok is
// false when every path has a step of too many indices.
func (s *searcher) restarts(most int) (pairs [][2]int32, ok bool) {
	if len(s.tree.live) < 2 {
		return nil, true
	}
	rng := rand.New(rand.NewPCG(uint64(len(s.tree.live)), 41))
	g := newGreedy(s.tree, rng)
	var best [][2]int32
	bestCost := math.Inf(1)
	for r := range most {
		g.alpha, g.heat = 1, 0
		if r > 0 {
			g.alpha = 0.1 + 1.1*rng.Float64()
			g.heat = math.Pow(10, -2.5*rng.Float64())
		}
		if r%4 == 1 {
			g.heat = 0
		}
		cost, ok := g.run(bestCost)
		if ok && cost < bestCost {
			bestCost, best = cost, slices.Clone(g.pairs)
		}
		s.work += g.work
		s.budget -= g.work
		if s.budget <= 0 || math.Log(float64(s.work*cellWork*restartShare)) > bestCost {
			break
		}
	}
	return best, best != nil
}

// greedy is one search: a heap of pairs of nodes that have an index in common.
type greedy struct {
	base  *tree
	rng   *rand.Rand
	alpha float64 // how much of the arguments' entries counts as gained
	heat  float64 // of the noise
	first []node  // the live nodes

	nodes   []node
	dead    []bool
	uses    []int32
	holders [][]int32
	seen    []int32 // by node: the last node that it was paired with
	heap    []candidate
	pairs   [][2]int32
	idx     []int32 // memory of the nodes made
	d       []float64
	work    int
}

type candidate struct {
	score float64
	a, b  int32
}

// neighbours bounds the nodes that a new node is paired with at each index: those of
// an index that hundreds have would be all pairs.
const neighbours = 8

func newGreedy(t *tree, rng *rand.Rand) *greedy {
	g := &greedy{base: t, rng: rng}
	for _, at := range t.live {
		g.first = append(g.first, t.nodes[at])
	}
	return g
}

func (g *greedy) reset() {
	g.nodes = append(g.nodes[:0], g.first...)
	g.dead = make([]bool, 2*len(g.first))
	g.seen = make([]int32, 2*len(g.first))
	g.uses = append(g.uses[:0], g.base.uses...)
	g.heap, g.pairs = g.heap[:0], g.pairs[:0]
	g.idx, g.d = nil, nil
	g.work = 0
	if g.holders == nil {
		g.holders = make([][]int32, len(g.uses))
	}
	for x := range g.holders {
		g.holders[x] = g.holders[x][:0]
	}
	for i := range g.first {
		for _, x := range g.first[i].idx {
			g.holders[x] = append(g.holders[x], int32(i))
		}
	}
	for x := range g.holders {
		if len(g.holders[x]) > neighbours {
			slices.SortStableFunc(g.holders[x], func(a, b int32) int { return g.smaller(a, b) })
		}
	}
}

func (g *greedy) smaller(a, b int32) int {
	switch x, y := g.nodes[a].entries, g.nodes[b].entries; {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// run finds a path; ok is false when it gave up, because it costs more than the bound or
// has a step of too many indices.
func (g *greedy) run(bound float64) (cost float64, ok bool) {
	g.reset()
	cost = math.Inf(-1)
	for i := range g.first {
		g.offer(int32(i), true)
	}
	for len(g.heap) > 0 {
		c := g.pop()
		if g.dead[c.a] || g.dead[c.b] {
			continue
		}
		cost = addLogs(cost, g.join(c.a, c.b))
		if cost > bound {
			return cost, false
		}
		g.offer(int32(len(g.nodes)-1), false)
	}
	return g.apart(cost)
}

// apart combines the disconnected parts that are left, the smallest two first.
func (g *greedy) apart(cost float64) (all float64, ok bool) {
	var left []int32
	for i := range g.nodes {
		if !g.dead[i] {
			left = append(left, int32(i))
		}
	}
	slices.SortStableFunc(left, g.smaller)
	for len(left) > 1 {
		if union(g.nodes[left[0]].idx, g.nodes[left[1]].idx) > MostIndices {
			return cost, false
		}
		cost = addLogs(cost, g.join(left[0], left[1]))
		made := int32(len(g.nodes) - 1)
		left = left[2:]
		at, _ := slices.BinarySearchFunc(left, made, g.smaller)
		left = slices.Insert(left, at, made)
	}
	return cost, true
}

// offer pairs a node with others at its indices. At first every pair is offered once,
// by the node with the higher number.
func (g *greedy) offer(at int32, first bool) {
	for _, x := range g.nodes[at].idx {
		hs := g.holders[x]
		n, paired := 0, 0
		for i, h := range hs {
			if g.dead[h] {
				continue
			}
			hs[n] = h
			n++
			if h != at && (!first || h < at) && g.seen[h] != at+1 && paired < neighbours {
				paired++
				g.seen[h] = at + 1
				g.push(at, h)
			}
			if paired == neighbours { // the rest is looked at when those before it are dead
				n += copy(hs[n:], hs[i+1:])
				break
			}
		}
		g.holders[x] = hs[:n]
		if !first {
			g.holders[x] = append(g.holders[x], at)
		}
	}
}

// union is the number of indices of two nodes together.
func union(a, b []int32) int {
	n := 0
	for i, j := 0, 0; i < len(a) || j < len(b); n++ {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			i++
		case i == len(a) || b[j] < a[i]:
			j++
		default:
			i++
			j++
		}
	}
	return n
}

// push adds a pair with its score: what its result has in entries more than the share
// alpha of its arguments, on a scale of logarithms with noise.
func (g *greedy) push(a, b int32) {
	x, y := &g.nodes[a], &g.nodes[b]
	g.work += len(x.idx) + len(y.idx)
	if len(x.idx)+len(y.idx) > MostIndices && union(x.idx, y.idx) > MostIndices {
		return
	}
	_, out := weigh(x, y, g.uses)
	gained := math.Log(g.alpha) + addLogs(x.entries, y.entries)
	score := 0.0
	switch {
	case out > gained:
		score = out + math.Log1p(-math.Exp(gained-out)*(1-1e-12))
		score = max(score, 0) + 1
	default:
		score = gained + math.Log1p(-math.Exp(out-gained)*(1-1e-12))
		score = -max(score, 0) - 1
	}
	if g.heat > 0 {
		score -= g.heat * -math.Log(-math.Log(g.rng.Float64()+1e-300)) * 4
	}
	g.heap = append(g.heap, candidate{score: score, a: a, b: b})
	i := len(g.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !before(&g.heap[i], &g.heap[up]) {
			break
		}
		g.heap[i], g.heap[up] = g.heap[up], g.heap[i]
		i = up
	}
}

// before orders candidates; equal ones by their nodes, so that paths are the same
// every time.
func before(a, b *candidate) bool {
	switch {
	case a.score != b.score:
		return a.score < b.score
	case a.a != b.a:
		return a.a < b.a
	}
	return a.b < b.b
}

func (g *greedy) pop() candidate {
	top := g.heap[0]
	last := len(g.heap) - 1
	g.heap[0] = g.heap[last]
	g.heap = g.heap[:last]
	for i := 0; ; {
		kid := 2*i + 1
		if kid >= last {
			break
		}
		if kid+1 < last && before(&g.heap[kid+1], &g.heap[kid]) {
			kid++
		}
		if !before(&g.heap[kid], &g.heap[i]) {
			break
		}
		g.heap[i], g.heap[kid] = g.heap[kid], g.heap[i]
		i = kid
	}
	return top
}

// join makes a node of two and returns the work of the step.
func (g *greedy) join(a, b int32) float64 {
	x, y := &g.nodes[a], &g.nodes[b]
	body, entries := weigh(x, y, g.uses)
	g.work += len(x.idx) + len(y.idx)
	from := len(g.idx)
	add := func(ix int32, d float64, count int32) {
		if g.uses[ix] > count {
			g.idx, g.d = append(g.idx, ix), append(g.d, max(0, min(d, entries)))
			g.uses[ix] -= count - 1
		} else {
			g.uses[ix] = 0
		}
	}
	for i, j := 0, 0; i < len(x.idx) || j < len(y.idx); {
		switch {
		case j == len(y.idx) || i < len(x.idx) && x.idx[i] < y.idx[j]:
			add(x.idx[i], x.d[i], 1)
			i++
		case i == len(x.idx) || y.idx[j] < x.idx[i]:
			add(y.idx[j], y.d[j], 1)
			j++
		default:
			add(x.idx[i], min(x.d[i], y.d[j]), 2)
			i++
			j++
		}
	}
	g.dead[a], g.dead[b] = true, true
	g.pairs = append(g.pairs, [2]int32{a, b})
	g.nodes = append(g.nodes, node{idx: g.idx[from:len(g.idx):len(g.idx)], d: g.d[from:len(g.d):len(g.d)], entries: entries})
	return stepCost(body, entries)
}

// build makes nodes of the pairs.
func (t *tree) build(pairs [][2]int32) {
	at := slices.Clone(t.live)
	for _, p := range pairs {
		at = append(at, t.combine([]int32{at[p[0]], at[p[1]]}))
	}
	if len(at) > 0 {
		t.live = at[len(at)-1:]
	}
}
