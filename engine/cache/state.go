package cache

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Prepare makes a domain that has no values yet, for what the hint says is to
// come, and returns it.
func (d *Domain) Prepare(hint fibers.DomainHint) *fibers.Domain { return d.make(hint, nil) }

// Encode writes the coordinates of n rows in a domain that is made; values that
// are new to it get coordinates.
func Encode(d *fibers.Domain, v *rows.Vector, n int, out []fibers.Coord) error {
	return encodeColumn(d, v, n, out)
}

// StateLeaf is the values of one leaf of rows that are in memory: one per row,
// none where the moment counts rows that all occur once.
type StateLeaf struct {
	Values  []int64
	Doubles []float64 // in place of Values
	Nulls   []bool    // nil: none
}

// State makes a tensor of n rows that are in memory as coordinates: one column
// per key of the spec, and what its leaves are made of. The values of leaves are
// integers of 64 bits or doubles; times says how often each row occurs, nil that all do once.
// Nothing that is passed is written to or kept.
func State(ctx context.Context, spec *load.Spec, domains []*Domain, n int, coords [][]fibers.Coord, leaves []StateLeaf, times []int64, workers int) (*Base, error) {
	specs := make([]fibers.LeafSpec, len(spec.Leaves))
	values := make([]fibers.Leaf, len(spec.Leaves))
	for l := range spec.Leaves {
		specs[l] = leafSpec(&spec.Leaves[l])
		values[l] = stateValues(&spec.Leaves[l], &leaves[l], n, times)
	}
	b := fibers.NewBuilder(len(spec.Keys), specs)
	b.SetWorkers(workers)
	if err := b.Append(n, coords, values); err != nil {
		return nil, err
	}
	dims := make([]int, len(domains))
	for i, d := range domains {
		dims[i] = d.Values().Len()
	}
	coo, err := b.Finish(ctx, dims)
	if err != nil {
		return nil, err
	}
	return describe(ctx, coo, domains)
}

// stateValues are the values of a leaf, row by row.
func stateValues(spec *load.Leaf, given *StateLeaf, n int, times []int64) fibers.Leaf {
	out := fibers.Leaf{Name: spec.Name, Elem: semiring.I64}
	switch spec.Moment {
	case load.Rows:
		out.I64 = times
		return out
	case load.Count:
		out.I64 = make([]int64, n)
		for i := range out.I64 {
			if given.Nulls == nil || !given.Nulls[i] {
				out.I64[i] = 1
				if times != nil {
					out.I64[i] = times[i]
				}
			}
		}
		return out
	case load.Min, load.Max:
	default:
		invariant.Check(times == nil, "cache: a sum over rows that occur several times")
	}
	out.I64, out.F64 = given.Values, given.Doubles
	if given.Doubles != nil {
		out.Elem = semiring.F64
	}
	if given.Nulls == nil {
		return out
	}
	out.I64, out.F64 = slices.Clone(given.Values), slices.Clone(given.Doubles)
	for i, null := range given.Nulls {
		if null {
			setIdentity(&out, i, spec.Moment)
		}
	}
	return out
}
