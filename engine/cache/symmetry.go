package cache

import (
	"context"
	"sync"

	"github.com/trireme-db/trireme/fibers"
)

// symmetry is what was found out of a table's entries when a plan asked.
type symmetry struct {
	mu    sync.Mutex
	known bool
	found fibers.Symmetry
}

// Symmetry looks whether the entries, of two modes over one domain, are symmetric
// and without diagonal; the first time it reads them all. Errors: those of ctx.
func (b *Base) Symmetry(ctx context.Context) (fibers.Symmetry, error) {
	b.symmetry.mu.Lock()
	defer b.symmetry.mu.Unlock()
	if !b.symmetry.known {
		found, err := b.COO.Symmetry(ctx)
		if err != nil {
			return fibers.Symmetry{}, err
		}
		b.symmetry.known, b.symmetry.found = true, found
	}
	return b.symmetry.found, nil
}
