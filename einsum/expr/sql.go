package expr

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
)

// Operand is an operand in SQL.
type Operand struct {
	// From is what stands in FROM: a quoted name, or a query in parentheses.
	From string
	// Modes are the columns of the coordinates, Value that of the values, by their
	// names without quotes. Without a value (empty) every row counts as the neutral
	// element of the semiring's second operation.
	Modes []string
	Value string
}

// SQL writes the expression as one SELECT of standard SQL, by four rules: operands
// are the FROM clause; indices of the output are selected and grouped by; the value
// is the semiring's sum of its products; indices that are the same are equated. The
// columns are named by the indices (Columns).
func (e *Expr) SQL(s Semiring, operands []Operand) string {
	w := &writer{e: e, operands: operands}
	for i, t := range e.Terms {
		for m, id := range t {
			w.place(id, Column(i, operands[i].Modes[m]))
		}
	}
	var b strings.Builder
	columns := e.Columns()
	b.WriteString("SELECT ")
	for k, id := range e.Output {
		b.WriteString(w.first[id] + " AS " + Quote(columns[k]) + ", ")
	}
	b.WriteString(w.value(s) + " AS " + Quote(columns[len(columns)-1]) + " FROM ")
	for i := range operands {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(operands[i].From + " AS " + alias(i))
	}
	if len(w.equal) > 0 {
		b.WriteString(" WHERE " + strings.Join(w.equal, " AND "))
	}
	if len(e.Output) == 0 {
		b.WriteString(" HAVING COUNT(*) > 0") // nothing contributes: no entry
		return b.String()
	}
	for k, id := range e.Output {
		b.WriteString([]string{" GROUP BY ", ", "}[min(k, 1)] + w.first[id])
	}
	return b.String()
}

// writer gathers what SQL writes.
type writer struct {
	e        *Expr
	operands []Operand
	first    map[int]string // the first column of each index
	equal    []string
}

// place notes a column of an index: the first stands for it, the others equal it.
func (w *writer) place(id int, column string) {
	if w.first == nil {
		w.first = map[int]string{}
	}
	if had, ok := w.first[id]; ok {
		w.equal = append(w.equal, had+" = "+column)
		return
	}
	w.first[id] = column
}

func (w *writer) value(s Semiring) string {
	var values []string
	for i, o := range w.operands {
		if o.Value != "" {
			values = append(values, Column(i, o.Value))
		}
	}
	switch s {
	case Count:
		return "COUNT(*)"
	case OrAnd:
		for i := range values {
			values[i] += " <> 0"
		}
		if len(values) == 0 {
			return "MAX(1)"
		}
		return "MAX(CASE WHEN " + strings.Join(values, " AND ") + " THEN 1 ELSE 0 END)"
	case MaxPlus:
		return "MAX(" + joined(values, " + ", "0") + ")"
	case MinPlus:
		return "MIN(" + joined(values, " + ", "0") + ")"
	default:
		return "SUM(" + joined(values, " * ", "1") + ")"
	}
}

func joined(values []string, operator, neutral string) string {
	if len(values) == 0 {
		return neutral
	}
	return strings.Join(values, operator)
}

// valueColumn is the name of the value's column.
const valueColumn = "value"

// Columns are the names of the result's columns: those of the output's indices,
// made different where only their case differs, and the value's.
func (e *Expr) Columns() []string {
	taken := einsum.NewNames()
	var out []string
	add := func(name string) {
		base := name
		for n := 1; !taken.Take(strings.ToLower(name)); n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		out = append(out, name)
	}
	for _, id := range e.Output {
		add(e.Names[id])
	}
	add(valueColumn)
	return out
}

func alias(i int) string { return "t" + strconv.Itoa(i+1) }

// Column is a column of an operand by number.
func Column(operand int, name string) string { return alias(operand) + "." + Quote(name) }

// Quote writes a name for SQL.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
