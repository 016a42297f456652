package sqlfront

import (
	"context"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
)

// Lookup is what a SELECT looks up: rows of one table by what some columns are equal to.
type Lookup struct {
	Table   []string // name parts
	Columns []string // as the text has them
}

// LookupOf reads SELECT columns FROM table WHERE column = $1 AND .., of which some of the
// right sides may be constants, with or without a LIMIT; nil for statements of any other form.
func LookupOf(sql string) *Lookup {
	sel, reason := tryParse(sql, nil)
	if reason != "" {
		return nil
	}
	return sel.lookup()
}

func (sel *selectNode) lookup() *Lookup {
	table, ok := sel.from.(*tableNode)
	switch {
	case !ok || len(table.columns) > 0 || sel.text != "" || sel.setOp != NoSetOp || len(sel.with) > 0:
		return nil
	case sel.distinct || len(sel.groupBy) > 0 || sel.having != nil || len(sel.orderBy) > 0 || sel.offset != nil:
		return nil
	case sel.limit != nil && !leavesOne(sel.limit):
		return nil
	}
	for _, item := range sel.items {
		if _, name := item.expr.(*nameNode); !item.star && !name {
			return nil
		}
	}
	l := &Lookup{Table: table.parts}
	params := 0
	if sel.where == nil || !l.equalities(sel.where, &params) || params == 0 {
		return nil
	}
	return l
}

// leavesOne reports whether a LIMIT is a number of rows, and not none.
func leavesOne(limit exprNode) bool {
	l, ok := limit.(*literalNode)
	if !ok {
		return false
	}
	n, err := strconv.ParseInt(l.sql, 10, 64)
	return err == nil && n > 0
}

// equalities collects the columns of a condition that is nothing but equalities of
// columns, and counts the parameters.
func (l *Lookup) equalities(e exprNode, params *int) bool {
	c, ok := e.(*callNode)
	if !ok || c.name != "and" && c.name != "=" || len(c.args) != 2 {
		return false
	}
	if c.name == "and" {
		return l.equalities(c.args[0], params) && l.equalities(c.args[1], params)
	}
	column, value := c.args[0], c.args[1]
	if _, ok := column.(*nameNode); !ok {
		column, value = value, column
	}
	name, ok := column.(*nameNode)
	if !ok {
		return false
	}
	if cast, ok := value.(*castNode); ok && isLiteral(cast.arg) {
		value = cast.arg
	}
	switch value.(type) {
	case *paramNode:
		*params++
	case *literalNode:
	default:
		return false
	}
	l.Columns = append(l.Columns, name.parts[len(name.parts)-1])
	return true
}

func isLiteral(e exprNode) bool {
	_, ok := e.(*literalNode)
	return ok
}

// AnalyzeLookup is Analyze for a statement that LookupOf knows and that has at most one
// row: its columns are each the greatest of themselves, of a group that is not empty.
// Columns of types that have equal values which are not the same (INTERVAL) are a Reason
// against it.
func AnalyzeLookup(ctx context.Context, sql string, cat Catalog, prep Preparer, paramTypes []rows.Type) (*Analysis, error) {
	return analyze(ctx, Held{SQL: sql}, cat, prep, paramTypes, func(b *binder, sel *selectNode) *Query {
		if sel.lookup() == nil {
			refuse("no lookup")
		}
		b.greatest(sel)
		q := b.top(sel)
		if slices.ContainsFunc(q.Columns, func(c rows.Column) bool { return !equalIsSame(c.Type) }) {
			refuse("a lookup of values that are equal and not the same")
		}
		return q
	})
}

// greatest makes the aggregates of a lookup.
func (b *binder) greatest(sel *selectNode) {
	parts := sel.from.(*tableNode).parts
	table, ok, err := b.cat.Table(b.ctx, parts)
	check(err)
	if !ok {
		refuse("unknown table ", parts[len(parts)-1])
	}
	var items []itemNode
	add := func(column exprNode, alias string) {
		items = append(items, itemNode{expr: &funcNode{name: "max", args: []exprNode{column}}, alias: alias})
	}
	for _, item := range sel.items {
		if !item.star {
			add(item.expr, item.alias)
			continue
		}
		for _, c := range table.Columns {
			add(&nameNode{parts: []string{c.Name}}, "")
		}
	}
	sel.items, sel.limit = items, nil
	zero := &literalNode{sql: "0", typ: rows.Type{ID: rows.Integer}, number: true}
	sel.having = &callNode{name: ">", args: []exprNode{&funcNode{name: "count", star: true}, zero}}
}

// equalIsSame reports whether the greatest of one value is that value, bit by bit.
func equalIsSame(t rows.Type) bool {
	switch t.ID {
	case rows.Boolean, rows.Float, rows.Double, rows.Decimal, rows.Varchar, rows.Blob, rows.UUID, rows.Enum,
		rows.Date, rows.Time, rows.Timestamp, rows.TimestampS, rows.TimestampMS, rows.TimestampTZ:
		return true
	}
	return t.IsInteger()
}
