package engine

import (
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Stats implements stats.Source on loaded tensors: exact figures, also for an
// access with one constant; of large tensors several constants count as
// independent. Steps that have run are tensors like others.
func (n *nativeRun) Stats(a *einsum.Access) stats.TensorStats {
	if r, ok := n.results[a.Tensor]; ok {
		return r.stats(a)
	}
	if step, ok := n.unstored[a.Tensor]; ok {
		return n.estimated(step)
	}
	base := n.bases[a.Tensor].base
	if !hasConstant(a) {
		return base.Figures(exec.Statistics)
	}
	if out, ok := n.fixed(a, base); ok {
		return out
	}
	out := stats.TensorStats{NNZ: float64(base.COO.N), Exact: true}
	consts, rest := 0, -1
	for m, arg := range a.Args {
		if arg.Const == nil {
			rest = m
			out.Dims = append(out.Dims, float64(base.COO.Dims[m]))
			out.Distinct = append(out.Distinct, float64(base.Distinct[m]))
			continue
		}
		out.NNZ *= n.fraction(a, m, arg.Const)
		out.Exact = consts == 0 // one constant is counted, several are multiplied
		consts++
	}
	for i := range out.Distinct {
		out.Distinct[i] = math.Min(out.Distinct[i], math.Max(1, out.NNZ))
	}
	if n.planning.estimator == "best" && len(a.Args) == 2 && consts == 1 {
		out.Degrees = neighbours(base, rest, out.NNZ)
	}
	return out
}

// estimated describes a step that was not stored; no plan reads it.
func (n *nativeRun) estimated(step *physical.Step) stats.TensorStats {
	out := stats.TensorStats{NNZ: step.OutNNZ}
	for _, x := range step.Query.Idxs {
		dim := float64(n.domains[x.Domain].Values().Len())
		out.Dims, out.Distinct = append(out.Dims, dim), append(out.Distinct, min(dim, max(1, step.OutNNZ)))
	}
	return out
}

func hasConstant(a *einsum.Access) bool {
	return slices.ContainsFunc(a.Args, func(x einsum.Arg) bool { return x.Const != nil })
}

// fraction is the part of an input's entries that has a constant in a mode.
func (n *nativeRun) fraction(a *einsum.Access, mode int, c *einsum.Const) float64 {
	l := n.bases[a.Tensor]
	coord, ok := n.coordinate(n.inputDomain(l, mode), c)
	counts := l.base.Counts(mode)
	if !ok || int(coord) >= len(counts) || l.base.COO.N == 0 {
		return 0
	}
	return float64(counts[coord]) / float64(l.base.COO.N)
}
