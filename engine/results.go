package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
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
	others  []*stepResult      // layouts that later plans asked for
	figures *stats.TensorStats // nil: not gathered
}

func newStepResult(step *physical.Step, t *fibers.Tensor) *stepResult {
	r := &stepResult{tensor: t, idxs: step.Query.Idxs, formats: step.Output.Formats}
	for _, x := range step.Output.Order {
		r.order = append(r.order, slices.Index(r.idxs, x))
	}
	return r
}

// release gives the memory of all layouts back.
func (r *stepResult) release(held *account) {
	held.Hold(-r.tensor.Bytes())
	for _, o := range r.others {
		held.Hold(-o.tensor.Bytes())
	}
}

func (r *stepResult) stored(order []int, formats []format.Kind) bool {
	return slices.Equal(r.order, order) && slices.Equal(r.formats, formats)
}

// layout returns the tensor with level l storing mode order[l] as formats[l]. A
// plan reads its own steps as they are stored; one made later may ask for
// another layout, which is made once.
func (r *stepResult) layout(ctx context.Context, order []int, formats []format.Kind, held *account) (*fibers.Tensor, error) {
	if r.stored(order, formats) {
		return r.tensor, nil
	}
	for _, o := range r.others {
		if o.stored(order, formats) {
			return o.tensor, nil
		}
	}
	making := held.part(0) // the entries listed, and in order
	defer making.close()
	if err := making.take(2 * entriesBytes(r.tensor)); err != nil {
		return nil, err
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
	making.close()
	if err := held.take(t.Bytes()); err != nil {
		return nil, err
	}
	r.others = append(r.others, &stepResult{tensor: t, order: slices.Clone(order), formats: slices.Clone(formats)})
	return t, nil
}

// gather measures the tensor's degrees for the planner, once.
func (r *stepResult) gather(ctx context.Context) error {
	if r.figures != nil {
		return nil
	}
	domains := make([]int, len(r.idxs))
	for m, x := range r.idxs {
		domains[m] = x.Domain
	}
	figures, err := exec.Measure(ctx, r.tensor, r.order, domains)
	if err != nil {
		return err
	}
	r.figures = &figures
	return nil
}

// known are the tensor's figures: those gathered, or what the tensor tells
// without looking at its entries.
func (r *stepResult) known() *stats.TensorStats {
	if r.figures != nil {
		return r.figures
	}
	out := &stats.TensorStats{
		NNZ: float64(r.tensor.NNZ), Exact: true,
		Dims: make([]float64, len(r.order)), Distinct: make([]float64, len(r.order)),
	}
	for l, m := range r.order {
		out.Dims[m], out.Distinct[m] = float64(r.tensor.Dims[l]), float64(r.tensor.Distinct[l])
	}
	return out
}

// stats are the tensor's true figures for an access; a constant is taken to keep
// as many entries as every other coordinate that occurs.
func (r *stepResult) stats(a *einsum.Access) stats.TensorStats {
	all := r.known()
	if !hasConstant(a) {
		return *all
	}
	out := stats.TensorStats{NNZ: all.NNZ}
	for m, arg := range a.Args {
		if arg.Const != nil {
			out.NNZ /= max(all.Distinct[m], 1)
			continue
		}
		out.Dims = append(out.Dims, all.Dims[m])
		out.Distinct = append(out.Distinct, all.Distinct[m])
	}
	for i := range out.Distinct {
		out.Distinct[i] = min(out.Distinct[i], max(1, out.NNZ))
	}
	return out
}
