package cache

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// keyColumn makes the coordinates of one key. Where the domain is new and its
// representation depends on all values, the room in the tensor's column holds
// the values meanwhile, 32 bits each: differences from a base.
type keyColumn struct {
	spec   *load.Key
	col    int // among the scan's columns
	domain *Domain
	values *fibers.Domain // nil: not made yet

	hint  fibers.DomainHint
	base  int64
	parts []keyPart
}

// keyPart is the key of one batch whose domain is not made: value r is base +
// uint32(room[r]), or wide[r] where the differences do not fit.
type keyPart struct {
	room  []fibers.Coord
	base  int64
	wide  []int64
	nulls []uint64
}

func newKeyColumn(spec *load.Key, d *Domain, col int) keyColumn {
	k := keyColumn{spec: spec, col: col, domain: d, values: d.Values()}
	if k.values == nil && d.Kind != fibers.Int64Values {
		k.values = d.make(fibers.DomainHint{}, nil)
	}
	return k
}

// append writes the coordinates of a batch of n rows, or what stands for them;
// row is the number of its first row.
func (k *keyColumn) append(v *rows.Vector, n int, row int64, out []fibers.Coord) error {
	switch {
	case k.spec.RowIndex:
		ids := make([]int64, n)
		for r := range ids {
			ids[r] = row + int64(r)
		}
		return k.values.EncodeInt64(ids, out)
	case k.values == nil:
		k.stage(v, n, out)
		return nil
	}
	return encodeColumn(k.values, v, n, out)
}

// stage keeps a batch until the domain is made.
func (k *keyColumn) stage(v *rows.Vector, n int, out []fibers.Coord) {
	vals := v.I64[:n]
	p := keyPart{room: out}
	if v.Nulls != nil {
		p.nulls = slices.Clone(v.Nulls)
		vals = withoutNulls(v, n)
	}
	if len(vals) == 0 {
		k.parts = append(k.parts, p)
		return
	}
	k.hint.Rows += n
	if !k.hint.HasRange {
		k.hint.HasRange, k.hint.Min, k.hint.Max = true, vals[0], vals[0]
		k.base = slices.Min(vals)
	}
	lo, hi := differences(vals, k.base, out)
	if lo < k.base || uint64(hi)-uint64(k.base) > math.MaxUint32 {
		// A base below all values so far serves the batches to come as well.
		k.base = min(k.base, lo)
		if uint64(hi)-uint64(k.base) > math.MaxUint32 {
			k.base = lo
		}
		if uint64(hi)-uint64(k.base) > math.MaxUint32 {
			p.wide = slices.Clone(vals)
		}
		differences(vals, k.base, out)
	}
	p.base = k.base
	k.hint.Min, k.hint.Max = min(k.hint.Min, lo), max(k.hint.Max, hi)
	k.parts = append(k.parts, p)
}

// differences writes the low 32 bits of each value minus base, and returns the
// least and the greatest value.
func differences(vals []int64, base int64, out []fibers.Coord) (lo, hi int64) {
	lo, hi = vals[0], vals[0]
	out = out[:len(vals)]
	for r, x := range vals {
		lo, hi = min(lo, x), max(hi, x)
		out[r] = fibers.Coord(uint32(x - base))
	}
	return lo, hi
}

// withoutNulls returns the values with a valid one in the place of each NULL,
// or none where all are NULL.
func withoutNulls(v *rows.Vector, n int) []int64 {
	first := 0
	for first < n && v.IsNull(first) {
		first++
	}
	if first == n {
		return nil
	}
	out := slices.Clone(v.I64[:n])
	for r := range out {
		if v.IsNull(r) {
			out[r] = v.I64[first]
		}
	}
	return out
}

// finishKeys makes the domains that waited for all values, and the coordinates
// of their keys. Keys that share a domain are looked at together.
func (b *builder) finishKeys(ctx context.Context) error {
	for i := range b.keys {
		k := &b.keys[i]
		if k.values != nil {
			continue
		}
		hint := fibers.DomainHint{}
		var same []*keyColumn
		for o := range b.keys {
			if other := &b.keys[o]; other.domain == k.domain && other.values == nil {
				same = append(same, other)
				hint = joined(hint, other.hint)
			}
		}
		made := k.domain.make(hint, valuesOf(same))
		for _, o := range same {
			o.values = made
			if err := o.encode(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func joined(a, b fibers.DomainHint) fibers.DomainHint {
	switch {
	case !a.HasRange:
		b.Rows += a.Rows
		return b
	case b.HasRange:
		a.Min, a.Max = min(a.Min, b.Min), max(a.Max, b.Max)
	}
	a.Rows += b.Rows
	return a
}

// valuesOf yields the values of keys in pieces, one for each NULL among them
// that is another row's.
func valuesOf(keys []*keyColumn) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		var buf []int64
		for _, k := range keys {
			for i := range k.parts {
				if buf = k.parts[i].values(buf); !yield(buf) {
					return
				}
			}
		}
	}
}

// values restores a part's values, into buf where they were packed; none where
// all are NULL.
func (p *keyPart) values(buf []int64) []int64 {
	if p.wide != nil {
		return p.wide
	}
	if p.allNull() {
		return nil
	}
	buf = slices.Grow(buf[:0], len(p.room))[:len(p.room)]
	for r, x := range p.room {
		buf[r] = p.base + int64(uint32(x))
	}
	return buf
}

func (p *keyPart) allNull() bool {
	if p.nulls == nil {
		return false
	}
	v := rows.Vector{Nulls: p.nulls}
	for r := range p.room {
		if !v.IsNull(r) {
			return false
		}
	}
	return true
}

// encode turns what is staged into coordinates.
func (k *keyColumn) encode(ctx context.Context) error {
	offset, n := k.values.Window()
	inWindow := n > 0 && k.hint.HasRange && k.hint.Min >= offset && uint64(k.hint.Max)-uint64(offset) < uint64(n)
	var buf []int64
	for i := range k.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &k.parts[i]
		if inWindow && p.wide == nil {
			shift(p.room, p.base-offset)
		} else {
			vals := p.values(buf)
			if p.wide == nil && vals != nil {
				buf = vals
			}
			if err := k.values.EncodeInt64(vals, p.room); err != nil {
				return err
			}
		}
		if err := setNulls(k.values, p.nulls, p.room); err != nil {
			return err
		}
	}
	k.parts = nil
	return nil
}

// shift adds to differences what makes them coordinates.
func shift(room []fibers.Coord, by int64) {
	if by == 0 {
		return
	}
	for r, x := range room {
		room[r] = x + fibers.Coord(by)
	}
}

// setNulls gives the rows that are NULL their coordinate.
func setNulls(d *fibers.Domain, nulls []uint64, out []fibers.Coord) error {
	if nulls == nil {
		return nil
	}
	v := rows.Vector{Nulls: nulls}
	null := fibers.Coord(-1)
	for r := range out {
		if !v.IsNull(r) {
			continue
		}
		if null < 0 { // only a NULL that occurs has a coordinate
			if null = d.NullCoord(); null < 0 {
				return fibers.ErrTooMany
			}
		}
		out[r] = null
	}
	return nil
}

// encodeColumn writes the coordinates of n rows in a domain that is made.
func encodeColumn(d *fibers.Domain, v *rows.Vector, n int, out []fibers.Coord) error {
	if v.Nulls == nil {
		return encodeAll(d, v, n, out)
	}
	// NULL has no value to encode: the others are encoded packed, then spread.
	packed, at := packValid(v, n)
	codes := make([]fibers.Coord, len(at))
	if err := encodeAll(d, packed, len(at), codes); err != nil {
		return err
	}
	for e, r := range at {
		out[r] = codes[e]
	}
	return setNulls(d, v.Nulls, out)
}

func packValid(v *rows.Vector, n int) (packed *rows.Vector, at []int) {
	packed = &rows.Vector{Type: v.Type}
	for r := range n {
		if v.IsNull(r) {
			continue
		}
		at = append(at, r)
		switch v.Type.Physical() {
		case rows.PhysInt64:
			packed.I64 = append(packed.I64, v.I64[r])
		case rows.PhysInt128:
			packed.I128 = append(packed.I128, v.I128[r])
		case rows.PhysFloat64:
			packed.F64 = append(packed.F64, v.F64[r])
		case rows.PhysString:
			packed.Str = append(packed.Str, v.Str[r])
		default:
			panic(invariant.Failed("cache: a key of type %s", v.Type))
		}
	}
	return packed, at
}

func encodeAll(d *fibers.Domain, v *rows.Vector, n int, out []fibers.Coord) error {
	switch v.Type.Physical() {
	case rows.PhysInt64:
		return d.EncodeInt64(v.I64[:n], out)
	case rows.PhysInt128:
		return d.EncodeInt128(v.I128[:n], out)
	case rows.PhysFloat64:
		return d.EncodeFloat64(v.F64[:n], out)
	case rows.PhysString:
		return d.EncodeString(v.Str[:n], out)
	}
	panic(invariant.Failed("cache: a key of type %s", v.Type))
}
