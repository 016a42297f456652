package network

import (
	"math"
	"slices"
)

const (
	// mostIndices bounds the indices of a step of several operands, of which the
	// logical planner chooses the order.
	mostIndices = 12
	// multiway is what a cell takes in a kernel of several operands, in cells of a join
	// of two.
	multiway = 1.5
	// multiwayFlat is that in cells of a join of two that is flat: some 200 ns to 3.5,
	// in networks of modes of two to twelve coordinates.
	multiwayFlat = 60
)

// flatPlaces is the logarithm of how many places a result may have to be made flat.
var flatPlaces = math.Log(1 << 20)

// merge makes one step of a step and one that it reads, where what is read would have
// more entries than either of its own arguments and joining all at once visits no
// more cells: the closing edge of a cycle then restricts the join as it goes, which
// no order of pairs does.
//
//	S(i,j,k) = A(i,j) * B(j,k)    T(i,k) = sum(j) S(i,j,k) * C(i,k)
//
// Counter-example: where what is read sums an index that many cells have, joining all
// at once visits the cells of both steps together.
func (t *tree) merge() {
	var steps []int32
	t.below(func(at int32) { steps = append(steps, at) })
	for _, at := range slices.Backward(steps) { // those that a step reads come first
		for changed := true; changed; {
			changed = false
			for _, k := range t.nodes[at].kids {
				if t.mergeInto(at, k) {
					changed = true
					break
				}
			}
		}
	}
}

// mergeInto puts the arguments of a step in its place in the step that reads it.
func (t *tree) mergeInto(at, kid int32) bool {
	reader, step := &t.nodes[at], &t.nodes[kid]
	if len(step.kids) < 2 || len(reader.kids)+len(step.kids)-1 > t.operands {
		return false
	}
	largest := math.Inf(-1)
	for _, k := range step.kids {
		largest = max(largest, t.nodes[k].entries)
	}
	if step.entries <= largest {
		return false
	}
	kids := slices.DeleteFunc(slices.Clone(reader.kids), func(k int32) bool { return k == kid })
	kids = append(kids, step.kids...)
	nd := t.joined(kids, func(x, _ int32) bool { return slices.Contains(reader.idx, x) })
	indices := map[int32]bool{}
	for _, k := range kids {
		for _, x := range t.nodes[k].idx {
			indices[x] = true
		}
	}
	apart := addLogs(stepCost(reader.body, reader.entries), stepCost(step.body, step.entries))
	if len(indices) > mostIndices || t.together(&nd, step, reader.entries) >= apart {
		return false
	}
	nd.entries = reader.entries
	t.nodes[at] = nd
	return true
}

// together is what a step takes that is put in place of two, of which the first is flat
// or not, with so many entries. What a kernel takes to begin grows with its operands.
func (t *tree) together(nd, first *node, entries float64) float64 {
	places := 0.0
	for _, d := range first.d {
		places += d
	}
	if !t.net.Flat || places > flatPlaces {
		return stepCost(nd.body+math.Log(multiway), entries)
	}
	return addLogs(stepCost(nd.body+math.Log(multiwayFlat), entries), logStep+math.Log(float64(len(nd.kids)-2)))
}
