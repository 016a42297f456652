package pairwise

import (
	"context"
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/optimizer/network"
)

// Network describes tensors for the search of a path. output is the indices of the
// result.
func Network(tensors []*Tensor, output []int32) *network.Network {
	n := &network.Network{Output: slices.Sorted(slices.Values(output))}
	for _, t := range tensors {
		x := network.Tensor{Indices: slices.Sorted(slices.Values(t.Indices)), Entries: float64(len(t.Values))}
		for k, ix := range t.Indices {
			for len(n.Sizes) <= int(ix) {
				n.Sizes = append(n.Sizes, 1)
			}
			n.Sizes[ix] = float64(t.Dims[k])
		}
		n.Tensors = append(n.Tensors, x)
	}
	return n
}

// Run contracts tensors along a path of pairs and returns the result with its indices in
// the order of output. What a step reads is given up after it.
func Run(ctx context.Context, tensors []*Tensor, path *network.Path, output []int32) (*Tensor, error) {
	nodes := slices.Clone(tensors)
	for _, s := range path.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var made *Tensor
		var err error
		switch len(s.Args) {
		case 1:
			made, err = Sum(nodes[s.Args[0]], s.Indices)
		case 2:
			made, err = Contract(nodes[s.Args[0]], nodes[s.Args[1]], s.Indices)
		default:
			return nil, fmt.Errorf("pairwise: a step of %d tensors", len(s.Args))
		}
		if err != nil {
			return nil, err
		}
		for _, a := range s.Args {
			nodes[a] = nil
		}
		nodes = append(nodes, made)
	}
	return Sum(nodes[len(nodes)-1], output)
}
