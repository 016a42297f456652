package engine

import (
	"context"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/rows"
)

// tensorCursor delivers the entries of a tensor: one column per key, decoded,
// then one per leaf (BIGINT, HUGEINT or DOUBLE).
type tensorCursor struct {
	entries *fibers.COO
	modes   []int            // key column -> mode of the tensor
	domains []*fibers.Domain // per key column
	next    int
}

// entriesPerBatch is the number of entries in one batch.
const entriesPerBatch = 2048

// Columns returns the types of keys and leaves; the answer names them.
func (c *tensorCursor) Columns() []rows.Column {
	var out []rows.Column
	for _, d := range c.domains {
		out = append(out, rows.Column{Type: domainType(d)})
	}
	for i := range c.entries.Leaves {
		out = append(out, rows.Column{Name: c.entries.Leaves[i].Name, Type: elemType(c.entries.Leaves[i].Elem)})
	}
	return out
}

func domainType(d *fibers.Domain) rows.Type {
	switch d.Kind() {
	case fibers.Int128Values:
		return rows.Type{ID: rows.HugeInt}
	case fibers.Float64Values:
		return rows.Type{ID: rows.Double}
	case fibers.StringValues:
		return rows.Type{ID: rows.Varchar}
	default:
		return rows.Type{ID: rows.BigInt}
	}
}

func elemType(e semiring.Elem) rows.Type {
	switch e {
	case semiring.I128:
		return rows.Type{ID: rows.HugeInt}
	case semiring.F64:
		return rows.Type{ID: rows.Double}
	default:
		return rows.Type{ID: rows.BigInt}
	}
}

// Next decodes the next entries.
func (c *tensorCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	n := min(entriesPerBatch, c.entries.N-c.next)
	if n <= 0 {
		return nil, nil
	}
	b := &rows.Batch{N: n}
	for k, d := range c.domains {
		coords := c.entries.Coords[c.modes[k]][c.next : c.next+n]
		b.Cols = append(b.Cols, decode(d, coords))
	}
	for i := range c.entries.Leaves {
		b.Cols = append(b.Cols, leafVector(&c.entries.Leaves[i], c.next, n))
	}
	c.next += n
	return b, nil
}

// Close does nothing: the entries are memory.
func (c *tensorCursor) Close() error { return nil }

func decode(d *fibers.Domain, coords []fibers.Coord) rows.Vector {
	n := len(coords)
	v := newVector(domainType(d), n)
	_, hasNull := d.Null()
	for i, x := range coords {
		if hasNull && d.IsNull(x) {
			v.SetNull(i, n)
			continue
		}
		switch d.Kind() {
		case fibers.Int128Values:
			v.I128[i] = d.Int128(x)
		case fibers.Float64Values:
			v.F64[i] = d.Float64(x)
		case fibers.StringValues:
			v.Str[i] = d.String(x)
		default:
			v.I64[i] = d.Int64(x)
		}
	}
	return v
}

func leafVector(l *fibers.Leaf, from, n int) rows.Vector {
	v := rows.Vector{Type: elemType(l.Elem)}
	switch l.Elem {
	case semiring.I64:
		v.I64 = l.I64[from : from+n]
	case semiring.I128:
		v.I128 = l.I128[from : from+n]
	case semiring.F64:
		v.F64 = l.F64[from : from+n]
	case semiring.Pattern:
		v.I64 = make([]int64, n)
		for i := range v.I64 {
			v.I64[i] = 1
		}
	}
	return v
}
