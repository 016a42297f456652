package engine

import (
	"context"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// declareSymmetry adds to the program's inputs, as loaded, whether they are
// symmetric and hollow, where a plan could use it. That is looked for only then,
// and once per tensor kept, whose key has the version of its table.
//
// Only over integers that are their own order: then a comparison of indices
// bounds a loop, while over a dictionary it would be a test at every entry; and
// none of their coordinates is NULL, which is on neither side of a comparison.
func (n *nativeRun) declareSymmetry(ctx context.Context) error {
	wanted := logical.SymmetryWanted(n.program)
	for _, in := range n.program.Inputs {
		if !wanted[in.Name] {
			continue
		}
		d := n.domains[in.Domains[0]].Values()
		if d.Kind() != fibers.Int64Values || d.Ranks() != nil {
			continue
		}
		found, err := n.bases[in.Name].base.Symmetry(ctx)
		if err != nil {
			return err
		}
		in.Symmetric, in.Hollow = found.Symmetric, found.Hollow
	}
	return nil
}
