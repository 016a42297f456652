package expr

import (
	"slices"
	"strconv"
	"strings"
)

// SQLOptions are ways to write a decomposed expression.
type SQLOptions struct {
	// Before are definitions of common table expressions that operands name.
	Before []string
	// Materialized has every step computed once, before it is read. Databases that
	// know the word need it for many steps: DuckDB plans eighty that are nested in
	// one another for minutes.
	Materialized bool
}

// DecomposedSQL writes the expression as one statement of standard SQL that contracts
// two operands at a time, along a path: a common table expression per step, in which
// GROUP BY has summed over what later steps do not need.
func (e *Expr) DecomposedSQL(s Semiring, operands []Operand, path []Step, opt SQLOptions) string {
	defs := slices.Clone(opt.Before)
	as := " AS (\n  "
	if opt.Materialized {
		as = " AS MATERIALIZED (\n  "
	}
	nodes := make([]sqlNode, 0, len(operands)+len(path))
	for i, o := range operands {
		if s == Count {
			o.Value = ""
		}
		nodes = append(nodes, sqlNode{o, e.Terms[i]})
	}
	if s == Count { // of rows at first, then of what they are made of
		s = SumProduct
	}
	for k, step := range path {
		own := &Expr{Names: e.Names, Output: step.Output}
		var from []Operand
		for _, n := range [...]int{step.Left, step.Right} {
			if n >= 0 {
				own.Terms = append(own.Terms, nodes[n].term)
				from = append(from, nodes[n].Operand)
			}
		}
		text := own.SQL(s, from)
		if k == len(path)-1 {
			return with(defs) + text
		}
		name := "einsum_step_" + strconv.Itoa(k+1)
		defs = append(defs, Quote(name)+as+text+"\n)")
		columns := own.Columns()
		last := len(columns) - 1
		nodes = append(nodes, sqlNode{Operand{From: Quote(name), Modes: columns[:last], Value: columns[last]}, step.Output})
	}
	return with(defs)
}

func with(defs []string) string {
	if len(defs) == 0 {
		return ""
	}
	return "WITH " + strings.Join(defs, ", ") + "\n"
}

// sqlNode is an operand or a step, with its indices.
type sqlNode struct {
	Operand
	term []int
}

// ValuesSQL defines a common table expression with n rows of a tensor, of which
// cell gives a row's columns as literals, the value last if valued. The first row says
// that integer values are of 64 bits, since some databases take small literals for 32.
func ValuesSQL(name string, columns []string, n int, valued bool, cell func(row, column int) string) string {
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = Quote(c)
	}
	var b strings.Builder
	b.WriteString(Quote(name) + "(" + strings.Join(quoted, ", ") + ") AS (")
	if n == 0 {
		b.WriteString("SELECT " + strings.Join(slices.Repeat([]string{"0"}, len(columns)), ", ") + " WHERE 1 = 0)")
		return b.String()
	}
	b.WriteString("VALUES ")
	for row := range n {
		if row > 0 {
			b.WriteString(", ")
		}
		for c := range columns {
			b.WriteString([]string{"(", ", "}[min(c, 1)])
			text := cell(row, c)
			if row == 0 && valued && c == len(columns)-1 && !strings.ContainsAny(text, ".eE'") {
				text = "CAST(" + text + " AS BIGINT)"
			}
			b.WriteString(text)
		}
		b.WriteString(")")
	}
	b.WriteString(")")
	return b.String()
}

// FloatSQL is a float as a literal that is one for every database.
func FloatSQL(x float64) string { return strconv.FormatFloat(x, 'e', -1, 64) }
