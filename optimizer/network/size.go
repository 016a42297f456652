package network

import "math"

// Weights of a step's work, in cells visited.
const (
	// storeWeight is the price of storing an entry, as in package logical.
	storeWeight = 10
	// stepWork is what a step takes however small it is: some 20 us at 5.5 ns a cell.
	stepWork = 4000
)

var logStore, logStep = math.Log(storeWeight), math.Log(stepWork)

// addLogs returns log(e^a + e^b).
func addLogs(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if b < a-40 || math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// work is what the step of a node takes.
func (t *tree) work(at int32) float64 {
	nd := &t.nodes[at]
	return stepCost(nd.body, nd.entries)
}

func stepCost(body, entries float64) float64 {
	return addLogs(addLogs(body, entries+logStore), logStep)
}

// occupied is the logarithm of the expected number of cells, of e^space, that e^n
// entries fall into: S(1 - (1-1/S)^N).
func occupied(n, space float64) float64 {
	switch ratio := n - space; {
	case space <= 0:
		return min(n, 0)
	case ratio < -12:
		return n
	case ratio > 4:
		return space
	default:
		return space + math.Log(-math.Expm1(-math.Exp(ratio)))
	}
}

// weigh estimates the step that combines two nodes: a pair of entries meets at an
// index in one of as many cases as the node with more coordinates has there, each
// index independently of the others. Of correlated indices, such as an edge that
// closes a cycle, that is too few; paths only compare estimates. O(indices).
func weigh(a, b *node, uses []int32) (body, entries float64) {
	body = a.entries + b.entries
	space, kept := 0.0, 0.0
	all := true
	for i, j := 0, 0; i < len(a.idx) || j < len(b.idx); {
		var d float64
		var x, count int32
		switch {
		case j == len(b.idx) || i < len(a.idx) && a.idx[i] < b.idx[j]:
			d, x, count = a.d[i], a.idx[i], 1
			i++
		case i == len(a.idx) || b.idx[j] < a.idx[i]:
			d, x, count = b.d[j], b.idx[j], 1
			j++
		default:
			d, x, count = min(a.d[i], b.d[j]), a.idx[i], 2
			body -= max(a.d[i], b.d[j])
			i++
			j++
		}
		space += d
		if uses[x] > count {
			kept += d
		} else {
			all = false
		}
	}
	body = min(body, space)
	if all {
		return body, body
	}
	return body, occupied(body, kept)
}

// joined makes the node of a step over some nodes. keeps tells of an index whether the
// result has it, given how many of the nodes do.
func (t *tree) joined(kids []int32, keeps func(x, count int32) bool) node {
	out := t.nodes[kids[0]]
	for _, k := range kids[1:] {
		out = pair(&out, &t.nodes[k])
	}
	count := map[int32]int32{}
	for _, k := range kids {
		for _, x := range t.nodes[k].idx {
			count[x]++
		}
	}
	all := node{entries: out.entries, body: out.entries, kids: kids}
	kept := 0.0
	for i, x := range out.idx {
		if keeps(x, count[x]) {
			all.idx, all.d = append(all.idx, x), append(all.d, out.d[i])
			kept += out.d[i]
		}
	}
	if len(all.idx) < len(out.idx) {
		all.entries = occupied(out.entries, kept)
	}
	for i := range all.d {
		all.d[i] = max(0, min(all.d[i], all.entries))
	}
	return all
}

// pair is the join of two nodes with all of their indices.
func pair(a, b *node) node {
	out := node{
		idx: make([]int32, 0, len(a.idx)+len(b.idx)), d: make([]float64, 0, len(a.idx)+len(b.idx)),
		entries: a.entries + b.entries,
	}
	space := 0.0
	for i, j := 0, 0; i < len(a.idx) || j < len(b.idx); {
		var d float64
		var x int32
		switch {
		case j == len(b.idx) || i < len(a.idx) && a.idx[i] < b.idx[j]:
			d, x = a.d[i], a.idx[i]
			i++
		case i == len(a.idx) || b.idx[j] < a.idx[i]:
			d, x = b.d[j], b.idx[j]
			j++
		default:
			d, x = min(a.d[i], b.d[j]), a.idx[i]
			out.entries -= max(a.d[i], b.d[j])
			i++
			j++
		}
		space += d
		out.idx, out.d = append(out.idx, x), append(out.d, d)
	}
	out.entries = min(out.entries, space)
	return out
}

// combine makes a node of live ones, in place of them.
func (t *tree) combine(kids []int32) int32 {
	nd := t.joined(kids, func(x, count int32) bool { return t.uses[x] > count })
	for _, k := range kids {
		for _, x := range t.nodes[k].idx {
			t.uses[x]--
		}
	}
	for _, x := range nd.idx {
		t.uses[x]++
	}
	t.nodes = append(t.nodes, nd)
	return int32(len(t.nodes) - 1)
}
