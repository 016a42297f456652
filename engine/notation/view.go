package notation

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/sqlfront"
)

// view replaces the name of a view with programs, if one stands at token i, by what it
// selects: DuckDB would execute the SELECT that stands for a program there.
func (x *expander) view(ctx context.Context, i int) (int, error) {
	parts, next := []string{x.name(i)}, i+1
	for x.is(next, ".") && x.isName(next+1) {
		parts, next = append(parts, x.name(next+1)), next+2
	}
	if x.is(next, "(") || x.is(i, "select", "with", "values", "lateral") || len(parts) == 1 && x.isCommon(parts[0]) {
		return x.after(i)
	}
	body, columns, err := x.env.View(ctx, parts)
	if err != nil {
		return 0, err
	}
	if body == "" {
		return x.after(i)
	}
	inner, err := Expand(ctx, body, x.env)
	if err != nil {
		return 0, err
	}
	names := make([]string, len(columns))
	for n, c := range columns {
		names[n] = expr.Quote(c)
	}
	name := expr.Quote(parts[len(parts)-1])
	text := "(SELECT * FROM (" + inner.SQL + ") AS " + name + "(" + strings.Join(names, ", ") + "))"
	if !x.hasAlias(next) && !x.is(next, "as") {
		text += " AS " + name
	}
	x.edits = append(x.edits, sqlfront.Edit{Start: x.start(i), End: x.tokens[next-1].End, Text: text, Place: x.start(i)})
	return next, nil
}

// after goes on behind a word that is no view.
func (x *expander) after(i int) (int, error) {
	if from, ok := clauses[strings.ToLower(x.text(i))]; ok {
		x.from[len(x.from)-1] = from
	}
	if x.is(i, "with") {
		x.with(i)
	}
	return i + 1, nil
}

// isCommon reports whether a name is a common table expression's here.
func (x *expander) isCommon(name string) bool {
	for _, c := range x.commons {
		if c == nil {
			continue
		}
		for _, d := range c.list {
			if strings.EqualFold(d.name, name) {
				return true
			}
		}
	}
	return false
}
