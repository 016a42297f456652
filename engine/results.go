package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// stepResult is a step's tensor. Its modes are those of the step's query; level
// l stores mode order[l] as formats[l].
type stepResult struct {
	tensor  *fibers.Tensor
	idxs    []einsum.Index
	order   []int
	formats []format.Kind
	others  []*stepResult // layouts that later plans asked for
}

func newStepResult(step *physical.Step, t *fibers.Tensor) *stepResult {
	r := &stepResult{tensor: t, idxs: step.Query.Idxs, formats: step.Output.Formats}
	for _, x := range step.Output.Order {
		r.order = append(r.order, slices.Index(r.idxs, x))
	}
	return r
}

func (r *stepResult) stored(order []int, formats []format.Kind) bool {
	return slices.Equal(r.order, order) && slices.Equal(r.formats, formats)
}

// layout returns the tensor with level l storing mode order[l] as formats[l]. A
// plan reads its own steps as they are stored; one made later may ask for
// another layout, which is made once.
func (r *stepResult) layout(ctx context.Context, order []int, formats []format.Kind, budgetBytes int64) (*fibers.Tensor, error) {
	if r.stored(order, formats) {
		return r.tensor, nil
	}
	for _, o := range r.others {
		if o.stored(order, formats) {
			return o.tensor, nil
		}
	}
	if budgetBytes > 0 && r.tensor.Bytes() > budgetBytes {
		return nil, errBudget
	}
	entries, err := r.tensor.Entries(ctx)
	if err != nil {
		return nil, err
	}
	columns := make([]int, len(order)) // of entries, which are in r.order
	for l, m := range order {
		columns[l] = slices.Index(r.order, m)
	}
	t, err := entries.Tensor(ctx, columns, formats)
	if err != nil {
		return nil, err
	}
	if budgetBytes > 0 && t.Bytes() > budgetBytes {
		return nil, errBudget
	}
	r.others = append(r.others, &stepResult{tensor: t, order: slices.Clone(order), formats: slices.Clone(formats)})
	return t, nil
}

// stats are the true figures of the tensor for an access; a constant is taken to
// keep as many entries as every other coordinate that occurs.
func (r *stepResult) stats(a *einsum.Access) stats.TensorStats {
	out := stats.TensorStats{NNZ: float64(r.tensor.NNZ), Exact: true}
	for m, arg := range a.Args {
		l := slices.Index(r.order, m)
		distinct := float64(r.tensor.Distinct[l])
		if arg.Const != nil {
			out.NNZ, out.Exact = out.NNZ/max(distinct, 1), false
			continue
		}
		out.Dims = append(out.Dims, float64(r.tensor.Dims[l]))
		out.Distinct = append(out.Distinct, distinct)
	}
	for i := range out.Distinct {
		out.Distinct[i] = min(out.Distinct[i], max(1, out.NNZ))
	}
	return out
}
