package tensor

import (
	"context"
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// layout returns the tensor with level l storing mode order[l] as formats[l],
// made when it is asked for the first time.
func (t *Tensor) layout(ctx context.Context, order []int, formats []format.Kind) (*fibers.Tensor, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.layouts {
		if slices.Equal(l.order, order) && slices.Equal(l.formats, formats) {
			return l.tensor, nil
		}
	}
	made, err := t.coo.Tensor(ctx, order, formats)
	if err == nil {
		t.layouts = append(t.layouts, layout{slices.Clone(order), slices.Clone(formats), made})
	}
	return made, err
}

// describe are the tensor's figures for the planner, given the domain of each mode
// and the sizes of domains, which are the largest of all tensors over them.
func (t *Tensor) describe(ctx context.Context, domains []int, sizes map[int]int) (stats.TensorStats, error) {
	coo := *t.coo
	coo.Dims = make([]int, len(domains))
	for m, d := range domains {
		coo.Dims[m] = sizes[d]
	}
	key := fmt.Sprint(canonical(domains), coo.Dims)
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.figures[key]; ok {
		return s, nil
	}
	gathered, err := coo.Statistics(ctx, domains)
	if err != nil {
		return stats.TensorStats{}, err
	}
	if t.shape == nil {
		t.shape = exec.ShapeOf(t.coo)
	}
	s := exec.Statistics(gathered)
	s.Shape = t.shape
	if t.figures == nil {
		t.figures = map[string]stats.TensorStats{}
	}
	t.figures[key] = s
	return s, nil
}

// canonical numbers domains in the order of their first occurrence.
func canonical(domains []int) []int {
	out := make([]int, len(domains))
	for m, d := range domains {
		out[m] = slices.Index(domains, d)
	}
	return out
}

// declare is the tensor as an input of a program.
func (t *Tensor) declare(name string, domains []int) *einsum.Input {
	in := &einsum.Input{Name: name, Domains: domains}
	for i := range t.coo.Leaves {
		l := &t.coo.Leaves[i]
		in.Leaves = append(in.Leaves, einsum.LeafDecl{Name: l.Name, Elem: l.Elem, NonNegative: nonNegative(l)})
	}
	return in
}

func nonNegative(l *fibers.Leaf) bool {
	for _, v := range l.I64 {
		if v < 0 {
			return false
		}
	}
	for _, v := range l.F64 {
		if v < 0 {
			return false
		}
	}
	for _, v := range l.I128 {
		if v.Sign() < 0 {
			return false
		}
	}
	return true
}

// diagonal is the tensor over the entries that have one coordinate in all modes of
// one group: mode m of the result is the modes with of[..] = m.
func (t *Tensor) diagonal(of []int) *Tensor {
	first := []int{}
	for m, g := range of {
		if g == len(first) {
			first = append(first, m)
		}
	}
	var kept []int
	for e := range t.coo.N {
		same := true
		for m, g := range of {
			same = same && t.coo.Coords[m][e] == t.coo.Coords[first[g]][e]
		}
		if same {
			kept = append(kept, e)
		}
	}
	out := &fibers.COO{N: len(kept)}
	for _, m := range first {
		column := make([]fibers.Coord, len(kept))
		for i, e := range kept {
			column[i] = t.coo.Coords[m][e]
		}
		out.Dims, out.Coords = append(out.Dims, t.coo.Dims[m]), append(out.Coords, column)
	}
	for i := range t.coo.Leaves {
		out.Leaves = append(out.Leaves, pick(&t.coo.Leaves[i], kept))
	}
	return &Tensor{coo: out}
}

func pick(l *fibers.Leaf, entries []int) fibers.Leaf {
	out := fibers.NewLeaf(l.Name, l.Elem, len(entries))
	for i, e := range entries {
		switch {
		case l.I64 != nil:
			out.I64[i] = l.I64[e]
		case l.I128 != nil:
			out.I128[i] = l.I128[e]
		case l.F64 != nil:
			out.F64[i] = l.F64[e]
		}
	}
	return out
}
