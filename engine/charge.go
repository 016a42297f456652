package engine

import (
	"context"

	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// rowBytes is the size of one entry of a load: its coordinates and leaves.
func rowBytes(spec *load.Spec) int64 {
	n := 4 * int64(len(spec.Keys))
	for _, l := range spec.Leaves {
		n += cache.LeafBytes(l)
	}
	return n
}

// buildBytes is what a row takes at the worst moment of a build: as it was read,
// as it will be kept, and while it is sorted.
func buildBytes(spec *load.Spec) int64 { return 2*rowBytes(spec) + cache.SortBytes }

// entriesBytes is the size of a tensor's entries as a list.
func entriesBytes(t *fibers.Tensor) int64 {
	n := 4 * int64(len(t.Dims))
	for i := range t.Leaves {
		n += fibers.ElemBytes(t.Leaves[i].Elem)
	}
	return n * int64(t.NNZ)
}

// chargedCursor counts the rows that it delivers, and their strings, towards an
// account, until that is closed by whoever opened it.
type chargedCursor struct {
	rows.Cursor
	account  *account
	rowBytes int64
}

// stringBytes is a string's header and its place in a dictionary.
const stringBytes = 48

// Next delivers the next rows, or errBudget.
func (c *chargedCursor) Next(ctx context.Context) (*rows.Batch, error) {
	b, err := c.Cursor.Next(ctx)
	if b == nil || err != nil {
		return b, err
	}
	bytes := int64(b.N) * c.rowBytes
	for i := range b.Cols {
		for _, s := range b.Cols[i].Str {
			bytes += stringBytes + int64(len(s))
		}
	}
	if !c.account.Hold(bytes) {
		return nil, errBudget
	}
	return b, nil
}
