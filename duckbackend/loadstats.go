package duckbackend

import (
	"context"
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// LoadStats measures the rows that a load reads: their number, and every key
// that is not the row index, in order.
func (c *Conn) LoadStats(ctx context.Context, spec *load.Spec) (rowCount int64, keys []ColumnStats, err error) {
	var exprs []string
	var types []rows.Type
	for _, k := range spec.Keys {
		if !k.RowIndex {
			exprs, types = append(exprs, bindParams(k.Expr, spec.Params)), append(types, k.Type)
		}
	}
	return c.measure(ctx, spec.Table.SQL()+whereClause(spec), exprs, types)
}

// ValueCount is a value in text form and the number of rows that have it.
type ValueCount struct {
	Text string
	Rows int64
}

// CommonValues counts the rows of a load by the values of a key, the most common
// values first, at most limit of them.
func (c *Conn) CommonValues(ctx context.Context, spec *load.Spec, key, limit int) (values []ValueCount, err error) {
	invariant.Check(!spec.Keys[key].RowIndex, "duckbackend: values of a row index")
	expr := typed(bindParams(spec.Keys[key].Expr, spec.Params), spec.Keys[key].Type)
	sql := fmt.Sprintf("SELECT CAST((%s) AS VARCHAR), count(*)\nFROM %s%s\nGROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %d",
		expr, spec.Table.SQL(), whereClause(spec), limit)
	err = c.each(ctx, sql, nil, func(b *rows.Batch) {
		for i := range b.N {
			if !b.Cols[0].IsNull(i) {
				values = append(values, ValueCount{Text: b.Cols[0].Str[i], Rows: b.Cols[1].I64[i]})
			}
		}
	})
	return values, err
}

// DeclaredKey is a PRIMARY KEY or UNIQUE constraint. Only a primary key's
// columns hold no NULL.
type DeclaredKey struct {
	Columns []string
	Primary bool
}

// DeclaredKeys returns the constraints of a table that make sets of columns unique.
func (c *Conn) DeclaredKeys(ctx context.Context, t load.Table) (keys []DeclaredKey, err error) {
	const sql = `SELECT constraint_index, constraint_type = 'PRIMARY KEY', unnest(constraint_column_names) AS name
FROM duckdb_constraints()
WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE')
  AND (database_name, schema_name, table_name) = ($1, $2, $3)
ORDER BY constraint_index`
	varchar := rows.Type{ID: rows.Varchar}
	args := []Arg{{Type: varchar, Text: t.Catalog}, {Type: varchar, Text: t.Schema}, {Type: varchar, Text: t.Name}}
	last := int64(-1)
	err = c.each(ctx, sql, args, func(b *rows.Batch) {
		for i := range b.N {
			if at := b.Cols[0].I64[i]; at != last {
				keys = append(keys, DeclaredKey{Primary: b.Cols[1].I64[i] != 0})
				last = at
			}
			k := &keys[len(keys)-1]
			k.Columns = append(k.Columns, b.Cols[2].Str[i])
		}
	})
	return keys, err
}

// Unique reports whether no two rows of a table agree on all of some expressions over
// its columns, where NULL equals NULL.
func (c *Conn) Unique(ctx context.Context, t load.Table, exprs []string) (unique bool, err error) {
	sql := fmt.Sprintf("SELECT 1 FROM %s GROUP BY (%s) HAVING count(*) > 1 LIMIT 1", t.SQL(), strings.Join(exprs, "), ("))
	unique = true
	err = c.each(ctx, sql, nil, func(b *rows.Batch) { unique = unique && b.N == 0 })
	return unique && err == nil, err
}

// each runs a query of ours and calls f with every batch.
func (c *Conn) each(ctx context.Context, sql string, args []Arg, f func(*rows.Batch)) (err error) {
	cur, err := c.Query(ctx, sql, args...)
	if err != nil {
		return withoutOffset(err)
	}
	defer func() {
		if cerr := cur.Close(); err == nil {
			err = cerr
		}
	}()
	for {
		b, err := cur.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		f(b)
	}
}
