package network

import (
	"math"
	"math/bits"
	"slices"
)

const (
	// smallPiece is the number of nodes of a subtree that is searched exactly, and
	// smallNetwork that of a whole network.
	smallPiece, smallNetwork = 8, 11
	// refineRounds bounds how often the subtrees are gone through.
	refineRounds = 3
	// negligible is the share of the dearest step, as a logarithm, below which the
	// steps of a subtree are not worth a search.
	negligible = -7
	// gained is the share of its former cost that a piece must stay below.
	gained = 0.999
)

// refine searches pieces of the tree exactly: below each step, the dearest first, the
// few nodes that are reached by opening its dearest steps. A small network is one
// piece. A piece takes the place of the steps that it was made of when it costs less.
func (t *tree) refine(s *searcher) {
	for range refineRounds {
		order, dearest, all := t.byWork()
		improved := false
		done := map[int32]bool{} // steps that are no more
		for _, at := range order {
			if s.budget <= 0 {
				break
			}
			if done[at] || len(order) > smallNetwork && t.work(at) < dearest+negligible {
				continue
			}
			size := smallPiece
			if len(order) < smallNetwork {
				size = len(order) + 1
			}
			if math.Log(float64(s.work*cellWork)+math.Pow(3, float64(size))) > all {
				return // searching takes longer than what it finds can save
			}
			if t.improve(at, size, s, done) {
				improved = true
			}
		}
		if !improved {
			return
		}
	}
}

// byWork lists the steps below the root, the dearest first, with what the dearest and
// all of them take.
func (t *tree) byWork() (order []int32, dearest, all float64) {
	dearest, all = math.Inf(-1), math.Inf(-1)
	t.below(func(at int32) {
		order = append(order, at)
		dearest, all = max(dearest, t.work(at)), addLogs(all, t.work(at))
	})
	slices.SortStableFunc(order, func(a, b int32) int {
		switch x, y := t.work(a), t.work(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	if len(order) < smallNetwork { // one piece, below the last step
		order = append(slices.Clone(t.live), order...)
	}
	return order, dearest, all
}

// below visits the steps of the tree, each before those that it reads.
func (t *tree) below(visit func(at int32)) {
	stack := slices.Clone(t.live)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if t.nodes[at].kids == nil {
			continue
		}
		visit(at)
		stack = append(stack, t.nodes[at].kids...)
	}
}

// improve searches the piece below a step and puts it in if it costs less.
func (t *tree) improve(root int32, size int, s *searcher, done map[int32]bool) bool {
	leaves, opened := t.frontier(root, size)
	if len(leaves) < 3 {
		return false
	}
	p, ok := newPiece(t, root, leaves)
	if !ok {
		return false
	}
	_, before := p.price(root, opened)
	p.search(before)
	s.work += p.tried
	s.budget -= p.tried
	if !(p.best[len(p.best)-1] < gained) {
		return false
	}
	for _, at := range opened {
		done[at] = true
	}
	t.nodes[root] = t.nodes[t.make(p, uint32(len(p.best)-1))]
	return true
}

// frontier opens steps below a root, the dearest first, until size nodes are reached.
// Only steps of two are opened.
func (t *tree) frontier(root int32, size int) (leaves, opened []int32) {
	leaves, opened = slices.Clone(t.nodes[root].kids), []int32{root}
	if len(leaves) != 2 {
		return nil, nil
	}
	for len(leaves) < size {
		at := -1
		for i, l := range leaves {
			if len(t.nodes[l].kids) == 2 && (at < 0 || t.work(l) > t.work(leaves[at])) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		open := leaves[at]
		opened = append(opened, open)
		leaves = append(slices.Delete(leaves, at, at+1), t.nodes[open].kids...)
	}
	return leaves, opened
}

// make builds the node of a set of the piece's leaves.
func (t *tree) make(p *piece, set uint32) int32 {
	if set&(set-1) == 0 {
		return p.leaves[bits.TrailingZeros32(set)]
	}
	left := p.split[set]
	nd := t.joined([]int32{t.make(p, left), t.make(p, set&^left)}, func(x, _ int32) bool {
		return p.idx[set]>>slices.Index(p.x, x)&1 == 1
	})
	t.nodes = append(t.nodes, nd)
	return int32(len(t.nodes) - 1)
}
