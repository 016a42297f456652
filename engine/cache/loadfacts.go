package cache

import (
	"context"
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
)

// LoadFacts are DuckDB's figures of the rows that a load reads.
type LoadFacts struct {
	Rows int64
	Keys []duckbackend.ColumnStats // per key that is not the row index
	Err  error                     // DuckDB could not evaluate the load on every row
}

// commonMax is the number of a key's values whose rows are counted.
const commonMax = 1000

// CommonFacts are the most common values of a load's key.
type CommonFacts struct {
	Rows  map[string]int64 // by value in text form
	Total int64            // rows of all these values
	// All: there are no others.
	All bool
	Err error
}

// Load measures a load: one scan per version, predicate and bound values.
func (f *Facts) Load(ctx context.Context, lend Lend, spec *load.Spec, version uint64, publish func() bool) (LoadFacts, error) {
	return once(f, f.loads, f.loadKey(spec, version), publish, func() (out LoadFacts, err error) {
		err = lend(ctx, func(c *duckbackend.Conn) (err error) {
			out.Rows, out.Keys, err = c.LoadStats(ctx, spec)
			return err
		})
		if err != nil && ctx.Err() == nil {
			return LoadFacts{Err: err}, nil
		}
		return out, err
	})
}

// Common counts the rows of a load by the values of a key.
func (f *Facts) Common(ctx context.Context, lend Lend, spec *load.Spec, key int, version uint64, publish func() bool) (CommonFacts, error) {
	name := fmt.Sprintf("%s\x00%d", f.loadKey(spec, version), key)
	return once(f, f.common, name, publish, func() (CommonFacts, error) {
		var values []duckbackend.ValueCount
		err := lend(ctx, func(c *duckbackend.Conn) (err error) {
			values, err = c.CommonValues(ctx, spec, key, commonMax)
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				return CommonFacts{Err: err}, nil
			}
			return CommonFacts{}, err
		}
		out := CommonFacts{Rows: map[string]int64{}, All: len(values) < commonMax}
		for _, v := range values {
			out.Rows[v.Text] = v.Rows
			out.Total += v.Rows
		}
		return out, nil
	})
}

// DeclaredKeys returns a table's PRIMARY KEY and UNIQUE constraints.
func (f *Facts) DeclaredKeys(ctx context.Context, lend Lend, t load.Table, version uint64, publish func() bool) ([]duckbackend.DeclaredKey, error) {
	return once(f, f.declared, fmt.Sprintf("%s@%d", t.SQL(), version), publish, func() (keys []duckbackend.DeclaredKey, err error) {
		err = lend(ctx, func(c *duckbackend.Conn) (err error) {
			keys, err = c.DeclaredKeys(ctx, t)
			return err
		})
		return keys, err
	})
}

// Unique reports whether no two rows of a table agree on all of some expressions,
// NULL being equal to NULL; false where DuckDB cannot tell.
func (f *Facts) Unique(ctx context.Context, lend Lend, t load.Table, version uint64, exprs []string, publish func() bool) (bool, error) {
	name := fmt.Sprintf("%q %s@%d %q", f.zone, t.SQL(), version, exprs)
	return once(f, f.unique, name, publish, func() (unique bool, err error) {
		err = lend(ctx, func(c *duckbackend.Conn) (err error) {
			unique, err = c.Unique(ctx, t, exprs)
			return err
		})
		if err != nil && ctx.Err() == nil {
			return false, nil //nolint:nilerr // an expression that fails on some row
		}
		return unique, err
	})
}

// loadKey says which rows a load reads, and its keys (C1).
func (f *Facts) loadKey(spec *load.Spec, version uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %s@%d %q", f.zone, spec.Table.SQL(), version, spec.Where)
	for _, k := range spec.Keys {
		fmt.Fprintf(&b, "\x00%q %s %d %v", k.Expr, k.Type, k.Null, k.RowIndex)
	}
	if spec.UsesParams() {
		for _, p := range spec.Params {
			fmt.Fprintf(&b, "\x01%s %v %q", p.Type, p.Null, p.Text)
		}
	}
	return b.String()
}

// once returns what is known under a key, measuring it the first time. What was
// measured is kept when publish says that the version still stands.
func once[T any](f *Facts, known map[string]T, key string, publish func() bool, measure func() (T, error)) (T, error) {
	f.mu.Lock()
	v, ok := known[key]
	f.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := measure()
	if err == nil && publish() {
		f.mu.Lock()
		if len(known) >= factsMax {
			clear(known)
		}
		known[key] = v
		f.mu.Unlock()
	}
	return v, err
}

// Distinct estimates the number of a key's values among Rows rows; the row index
// has one per row.
func (l *LoadFacts) Distinct(spec *load.Spec, key int) float64 {
	if spec.Keys[key].RowIndex {
		return float64(l.Rows)
	}
	k := &l.Keys[column(spec, key)]
	d := k.Distinct
	if k.Nulls > 0 {
		d++ // NULL is a coordinate where it is not left out
	}
	return float64(min(d, l.Rows))
}

// Dim estimates the size of a key's domain: the range of its integers where
// they are dense, else its values.
func (l *LoadFacts) Dim(spec *load.Spec, key int) float64 {
	d := l.Distinct(spec, key)
	if spec.Keys[key].RowIndex {
		return d
	}
	k := &l.Keys[column(spec, key)]
	if !k.HasRange {
		return d
	}
	if span := k.Max.Float64() - k.Min.Float64() + 1; span <= windowRows*float64(l.Rows) {
		return max(d, span)
	}
	return d
}

// windowRows is how many times the rows a range of integers may have to be
// coordinates as it is (fibers.NewDomain).
const windowRows = 4

// column is the position of a key among those that are not the row index.
func column(spec *load.Spec, key int) int {
	n := 0
	for _, k := range spec.Keys[:key] {
		if !k.RowIndex {
			n++
		}
	}
	return n
}

// Share is the part of a load's rows that have a value in a key, of which
// distinct values occur in all; the values that are not counted share what is
// left.
func (c *CommonFacts) Share(text string, rows, distinct float64) float64 {
	if rows <= 0 || c.Err != nil {
		return 1 / max(distinct, 1)
	}
	if n, ok := c.Rows[text]; ok {
		return float64(n) / rows
	}
	if c.All {
		return 0
	}
	left := max(distinct-float64(len(c.Rows)), 1)
	return max(rows-float64(c.Total), 0) / rows / left
}
