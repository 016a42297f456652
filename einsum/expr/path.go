package expr

import (
	"container/heap"
	"math"
	"slices"
)

// Size is what a path is chosen by: how many entries an operand has and, per mode,
// how many coordinates occur.
type Size struct {
	Entries  float64
	Distinct []float64
}

// Step contracts two of the operands and earlier steps, or reduces one. Numbers below
// the number of terms are operands, then come the steps.
type Step struct {
	Left, Right int // Right is -1 for a reduction
	// Output are the indices that later steps or the output need.
	Output []int
}

// crowd is how many operands of one index are paired with each other; of more, each
// is paired with the next larger one, so that the work stays n log n.
const crowd = 16

// Path orders the contraction of the operands, two at a time: what a term alone has
// and nobody needs is summed over first, then always the pair is next whose result
// has the fewest entries in comparison with its operands', by independence of
// coordinates; what shares no index comes last, the smallest first. The last step's
// output is that of the expression, in its order. O(n log n) steps of the heap for
// terms of bounded length whose indices are in a bounded number of terms.
func (e *Expr) Path(sizes []Size) []Step {
	p := &pathing{uses: make([]int, len(e.Names)), holders: make([][]int, len(e.Names))}
	for _, id := range e.Output {
		p.uses[id]++
	}
	for i, t := range e.Terms {
		p.add(node{indices: distinctOf(t), size: newEstimate(t, sizes[i])})
	}
	for i, t := range e.Terms {
		p.reduce(i, len(t))
	}
	for id := range p.holders {
		p.pair(id)
	}
	for p.left > 1 {
		a, b, ok := p.next()
		if !ok {
			break
		}
		p.contract(a, b)
	}
	p.rest()
	if len(p.steps) == 0 { // one term, of which everything is needed
		p.steps = append(p.steps, Step{Left: 0, Right: -1})
	}
	p.steps[len(p.steps)-1].Output = e.Output
	return p.steps
}

// node is an operand or the result of a step that is not contracted yet.
type node struct {
	indices []int
	size    estimate
	gone    bool
}

// pathing is Path under way.
type pathing struct {
	nodes   []node
	left    int     // nodes that are not gone
	uses    []int   // of each index, by the nodes that are not gone and the output
	holders [][]int // of each index, nodes that have it; some may be gone
	queue   queue
	steps   []Step
}

func distinctOf(term []int) []int {
	out := slices.Clone(term)
	slices.Sort(out)
	return slices.Compact(out)
}

func (p *pathing) add(n node) int {
	at := len(p.nodes)
	p.nodes = append(p.nodes, n)
	p.left++
	for _, id := range n.indices {
		p.uses[id]++
		p.holders[id] = append(p.holders[id], at)
	}
	return at
}

func (p *pathing) remove(at int) {
	p.nodes[at].gone = true
	p.left--
	for _, id := range p.nodes[at].indices {
		p.uses[id]--
	}
}

// reduce sums over the indices that operand i alone has, and takes its diagonal.
func (p *pathing) reduce(i, modes int) {
	kept := slices.DeleteFunc(slices.Clone(p.nodes[i].indices), func(id int) bool { return p.uses[id] == 1 })
	if len(kept) == modes || p.left == 1 && len(p.nodes) == 1 {
		return
	}
	size := p.nodes[i].size.onto(kept)
	p.remove(i)
	p.made(Step{Left: i, Right: -1, Output: kept}, size)
}

// made notes a step and its result. Operands come before all results, so that their
// numbers are those of nodes.
func (p *pathing) made(s Step, size estimate) int {
	p.steps = append(p.steps, s)
	return p.add(node{indices: s.Output, size: size})
}

// pair puts the pairs of an index in the queue.
func (p *pathing) pair(id int) {
	live := slices.DeleteFunc(p.holders[id], func(at int) bool { return p.nodes[at].gone })
	p.holders[id] = live
	if len(live) > crowd {
		bySize := slices.Clone(live)
		slices.SortFunc(bySize, func(a, b int) int {
			return compare(p.nodes[a].size.entries, p.nodes[b].size.entries)
		})
		for i := range len(bySize) - 1 {
			p.propose(bySize[i], bySize[i+1])
		}
		return
	}
	for i := range live {
		for _, b := range live[i+1:] {
			p.propose(live[i], b)
		}
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (p *pathing) propose(a, b int) {
	result := p.nodes[a].size.join(p.nodes[b].size, p.needed(a, b))
	cost := result.entries - math.Max(p.nodes[a].size.entries, p.nodes[b].size.entries)
	heap.Push(&p.queue, proposal{cost: cost, a: a, b: b})
}

// needed are the indices of two nodes that others or the output have.
func (p *pathing) needed(a, b int) []int {
	x, y := p.nodes[a].indices, p.nodes[b].indices
	var out []int
	for _, id := range x {
		own := 1
		if _, ok := slices.BinarySearch(y, id); ok {
			own = 2
		}
		if p.uses[id] > own {
			out = append(out, id)
		}
	}
	for _, id := range y {
		if _, ok := slices.BinarySearch(x, id); !ok && p.uses[id] > 1 {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// next takes the best pair that is left from the queue.
func (p *pathing) next() (a, b int, ok bool) {
	for p.queue.Len() > 0 {
		x := heap.Pop(&p.queue).(proposal)
		if !p.nodes[x.a].gone && !p.nodes[x.b].gone {
			return x.a, x.b, true
		}
	}
	return 0, 0, false
}

func (p *pathing) contract(a, b int) {
	needed := p.needed(a, b)
	size := p.nodes[a].size.join(p.nodes[b].size, needed)
	p.remove(a)
	p.remove(b)
	at := p.made(Step{Left: a, Right: b, Output: needed}, size)
	for _, id := range needed {
		live := slices.DeleteFunc(p.holders[id], func(n int) bool { return p.nodes[n].gone })
		p.holders[id] = live
		if len(live) <= crowd {
			for _, n := range live {
				if n != at {
					p.propose(n, at)
				}
			}
			continue
		}
		nearest := -1 // in size
		for _, n := range live {
			if n != at && (nearest < 0 || math.Abs(p.nodes[n].size.entries-size.entries) < math.Abs(p.nodes[nearest].size.entries-size.entries)) {
				nearest = n
			}
		}
		p.propose(nearest, at)
	}
}

// rest multiplies what shares no index, the smallest first.
func (p *pathing) rest() {
	var q queue
	for at := range p.nodes {
		if !p.nodes[at].gone {
			q = append(q, proposal{cost: p.nodes[at].size.entries, a: at})
		}
	}
	heap.Init(&q)
	for q.Len() > 1 {
		a := heap.Pop(&q).(proposal).a
		b := heap.Pop(&q).(proposal).a
		p.contract(a, b)
		at := len(p.nodes) - 1
		heap.Push(&q, proposal{cost: p.nodes[at].size.entries, a: at})
	}
}

// proposal is a pair that may be contracted; of equal cost the older nodes are first.
type proposal struct {
	cost float64
	a, b int
}

// queue is a heap of proposals.
type queue []proposal

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	x, y := q[i], q[j]
	switch {
	case x.cost != y.cost:
		return x.cost < y.cost
	case x.a != y.a:
		return x.a < y.a
	}
	return x.b < y.b
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) { *q = append(*q, x.(proposal)) }

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// estimate is the number of entries of a node, and of coordinates per index.
type estimate struct {
	entries  float64
	distinct map[int]float64
}

func newEstimate(term []int, s Size) estimate {
	out := estimate{entries: s.Entries, distinct: map[int]float64{}}
	for m, id := range term {
		if had, ok := out.distinct[id]; ok { // a diagonal keeps one in as many as there are coordinates
			out.entries /= math.Max(1, math.Max(had, s.Distinct[m]))
			out.distinct[id] = math.Min(had, s.Distinct[m])
			continue
		}
		out.distinct[id] = s.Distinct[m]
	}
	return out
}

// onto is the projection onto some of the indices.
func (x estimate) onto(kept []int) estimate {
	out := estimate{entries: x.entries, distinct: make(map[int]float64, len(kept))}
	cells := 1.0
	for _, id := range kept {
		out.distinct[id] = math.Min(x.distinct[id], x.entries)
		cells *= math.Max(1, out.distinct[id])
	}
	out.entries = math.Min(out.entries, cells)
	return out
}

// join is the contraction of two nodes to some of their indices.
func (x estimate) join(y estimate, kept []int) estimate {
	out := estimate{entries: x.entries * y.entries, distinct: make(map[int]float64, len(x.distinct)+len(y.distinct))}
	for id, d := range x.distinct {
		out.distinct[id] = d
	}
	for id, d := range y.distinct {
		had, ok := out.distinct[id]
		if !ok {
			out.distinct[id] = d
			continue
		}
		out.entries /= math.Max(1, math.Max(had, d))
		out.distinct[id] = math.Min(had, d)
	}
	if math.IsInf(out.entries, 1) {
		out.entries = math.MaxFloat64
	}
	return out.onto(kept)
}
