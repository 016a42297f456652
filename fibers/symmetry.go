package fibers

import (
	"context"
	"math"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Symmetry is what holds between the two modes of a tensor over one domain.
type Symmetry struct {
	// Symmetric: an entry at (i,j) has an equal one, in all leaves, at (j,i).
	Symmetric bool
	// Hollow: there is no entry at (i,i).
	Hollow bool
}

// Symmetry compares every entry with its mirror image until one differs. The
// entries are distinct and ascending, of two modes over one domain; others have
// no symmetry. O(N) and four bytes per coordinate of the domain: rows are read in
// order, so that the mirror images of a row's entries come in the row's order,
// too, and one cursor per row finds them. Errors: those of ctx.
func (c *COO) Symmetry(ctx context.Context) (Symmetry, error) {
	if len(c.Dims) != 2 || !c.ascending || !countable(max(c.Dims[0], c.Dims[1]), c.N) {
		return Symmetry{}, nil
	}
	rows, cols := c.Coords[0][:c.N], c.Coords[1][:c.N]
	out := Symmetry{Hollow: true}
	for e, i := range rows {
		if cols[e] == i {
			out.Hollow = false
			break
		}
	}
	next, err := rowStarts(ctx, rows, max(c.Dims[0], c.Dims[1]))
	if err != nil {
		return Symmetry{}, err
	}
	for e, i := range rows {
		if e&symmetryChunk == 0 && ctx.Err() != nil {
			return Symmetry{}, context.Cause(ctx)
		}
		m := next[cols[e]]
		if int(m) >= c.N || rows[m] != cols[e] || cols[m] != i || !c.sameLeaves(e, int(m)) {
			return out, nil
		}
		next[cols[e]]++
	}
	out.Symmetric = true
	return out, nil
}

// symmetryChunk is by how many entries, less one, cancellation is looked for.
const symmetryChunk = 1<<16 - 1

// rowStarts returns the first entry of every row; of an empty one the entry that
// would follow it.
func rowStarts(ctx context.Context, rows []Coord, dim int) ([]int32, error) {
	degrees, err := countDegrees(ctx, rows, dim)
	if err != nil {
		return nil, err
	}
	start := int32(0)
	for i, d := range degrees {
		degrees[i] = start
		start += d
	}
	return degrees, nil
}

// sameLeaves reports whether two entries are equal in all leaves.
func (c *COO) sameLeaves(a, b int) bool {
	for i := range c.Leaves {
		same := true
		switch l := &c.Leaves[i]; l.Elem {
		case semiring.Pattern:
		case semiring.I64:
			same = l.I64[a] == l.I64[b]
		case semiring.I128:
			same = l.I128[a] == l.I128[b]
		case semiring.F64:
			x, y := l.F64[a], l.F64[b]
			same = x == y || math.IsNaN(x) && math.IsNaN(y)
		default:
			panic(invariant.Failed("fibers: a leaf of type %s", l.Elem))
		}
		if !same {
			return false
		}
	}
	return true
}
