package einsum

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// String prints the program in the notation, one statement a line (a query
// with several leaves: one line per leaf). Parse reads it back.
func (p *Program) String() string {
	var b strings.Builder
	for _, in := range p.Inputs {
		b.WriteString(in.String())
		b.WriteByte('\n')
	}
	for _, q := range p.Queries {
		b.WriteString(q.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// String prints the declaration: tensor E(0,1) { n pattern, x f64 >=0 } key(0),
// and further facts after it.
func (in *Input) String() string {
	var b strings.Builder
	b.WriteString("tensor ")
	b.WriteString(nameString(in.Name))
	writeNumbers(&b, in.Domains)
	b.WriteString(" {")
	for i, l := range in.Leaves {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s %s", nameString(l.Name), l.Elem)
		if l.NonNegative {
			b.WriteString(" >=0")
		}
	}
	b.WriteString(" }")
	for _, key := range in.Keys {
		b.WriteString(" " + wordKey)
		writeNumbers(&b, key)
	}
	if in.Symmetric {
		b.WriteString(" " + wordSymmetric)
	}
	if in.Hollow {
		b.WriteString(" " + wordHollow)
	}
	return b.String()
}

func writeNumbers(b *strings.Builder, numbers []int) {
	b.WriteByte('(')
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(n))
	}
	b.WriteByte(')')
}

// String prints the query without a newline at the end; leaves after the
// first are on lines of their own, their bars under the equals sign.
func (q *Query) String() string {
	var b strings.Builder
	b.WriteString(nameString(q.Name))
	writeIndices(&b, q.Idxs)
	indent := b.Len()
	for i, l := range q.Leaves {
		if i == 0 {
			b.WriteString(" = ")
		} else {
			b.WriteByte('\n')
			b.WriteString(strings.Repeat(" ", indent))
			b.WriteString(" | ")
		}
		b.WriteString(nameString(l.Name))
		b.WriteString(": ")
		writeExpr(&b, l.Expr, precAggregate)
	}
	return b.String()
}

// ExprString prints one expression.
func ExprString(e Expr) string {
	var b strings.Builder
	writeExpr(&b, e, precAggregate)
	return b.String()
}

// String prints the access.
func (a *Access) String() string { return ExprString(a) }

// String prints the map.
func (m *Map) String() string { return ExprString(m) }

// String prints the aggregate.
func (a *Agg) String() string { return ExprString(a) }

// String prints the literal; its form tells its element type.
func (l *Literal) String() string { return literalString(l) }

// String prints the comparison with its parentheses.
func (c *Compare) String() string { return ExprString(c) }

// String prints the argument.
func (a Arg) String() string {
	if a.Const == nil {
		return nameString(a.Index.Name)
	}
	return a.Const.String()
}

// String prints the constant: NULL, $1, 'text' or a bare number.
func (c *Const) String() string {
	switch {
	case c.Param > 0:
		return "$" + strconv.Itoa(c.Param)
	case c.Null:
		return "NULL"
	case c.Quoted:
		return "'" + strings.ReplaceAll(c.Text, "'", "''") + "'"
	default:
		return c.Text
	}
}

// How tightly a place binds: an expression that binds less than its place
// asks for is put in parentheses.
const (
	precAggregate = iota // whole expression, function argument
	precSum              // first operand of + and -
	precProduct          // other operands of + and -
	precFactor           // operand of *
)

func writeExpr(b *strings.Builder, e Expr, prec int) {
	switch e := e.(type) {
	case *Access:
		writeAccess(b, e)
	case *Literal:
		b.WriteString(literalString(e))
	case *Compare:
		fmt.Fprintf(b, "(%s %s %s)", nameString(e.L.Name), e.Op, nameString(e.R.Name))
	case *Agg:
		open := prec > precAggregate
		parenthesis(b, open, '(')
		if name := e.Op.Info().AggName; name != "" {
			b.WriteString(name)
		} else { // not legal, but a message about it can be read
			b.WriteString(e.Op.String())
		}
		writeIndices(b, e.Idxs)
		b.WriteByte(' ')
		writeExpr(b, e.Arg, precAggregate)
		parenthesis(b, open, ')')
	case *Map:
		writeMap(b, e, prec)
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

func writeMap(b *strings.Builder, m *Map, prec int) {
	level, ok := infixLevel(m)
	if !ok {
		b.WriteString(m.Op.String())
		b.WriteByte('(')
		for i, a := range m.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			writeExpr(b, a, precAggregate)
		}
		b.WriteByte(')')
		return
	}
	open := prec > level
	parenthesis(b, open, '(')
	for i, a := range m.Args {
		if i > 0 {
			b.WriteString(" " + m.Op.String() + " ")
		}
		writeExpr(b, a, operandLevel(m.Op, i, a))
	}
	parenthesis(b, open, ')')
}

// infixLevel returns how tightly an infix map binds. A map whose number of
// arguments does not fit its infix operator is not legal; it prints like a
// function, so that a message about it can be read.
func infixLevel(m *Map) (int, bool) {
	switch m.Op {
	case semiring.Add:
		return precSum, len(m.Args) >= 2
	case semiring.Sub:
		return precSum, len(m.Args) == 2
	case semiring.Mul:
		return precProduct, len(m.Args) >= 2
	default:
		return 0, false
	}
}

// operandLevel is what operand i of op asks for. Chains of + and - group to
// the left, but a + b + c is one map: a sum as first operand of a sum is put
// in parentheses to stay a node of its own.
func operandLevel(op semiring.Op, i int, arg Expr) int {
	if op == semiring.Mul {
		return precFactor
	}
	if i > 0 {
		return precProduct
	}
	if m, ok := arg.(*Map); ok && m.Op == semiring.Add && op == semiring.Add {
		return precProduct
	}
	return precSum
}

func parenthesis(b *strings.Builder, on bool, c byte) {
	if on {
		b.WriteByte(c)
	}
}

func writeAccess(b *strings.Builder, a *Access) {
	b.WriteString(nameString(a.Tensor))
	b.WriteByte('.')
	b.WriteString(nameString(a.Leaf))
	b.WriteByte('(')
	for i, arg := range a.Args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(arg.String())
	}
	b.WriteByte(')')
}

func writeIndices(b *strings.Builder, idxs []Index) {
	b.WriteByte('(')
	for i, x := range idxs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(nameString(x.Name))
	}
	b.WriteByte(')')
}

// literalString writes I64 as 3, I128 as 3h, and F64 with a point, an
// exponent, or as NaN or Inf.
func literalString(l *Literal) string {
	switch l.Elem {
	case semiring.I64:
		return l.I.String()
	case semiring.I128:
		return l.I.String() + "h"
	case semiring.F64:
		switch {
		case math.IsNaN(l.F):
			return "NaN"
		case math.IsInf(l.F, 1):
			return "Inf"
		case math.IsInf(l.F, -1):
			return "-Inf"
		}
		s := strconv.FormatFloat(l.F, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return s
	default:
		panic(invariant.Failed("einsum: literal of element type %s", l.Elem))
	}
}

// nameString quotes a name that is not a plain identifier.
func nameString(name string) string {
	if isPlainName(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func isPlainName(name string) bool {
	if name == "" || isWord(name) {
		return false
	}
	for i := range len(name) {
		if !isNameByte(name[i], i == 0) {
			return false
		}
	}
	return true
}

func isNameByte(c byte, first bool) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || !first && c >= '0' && c <= '9'
}
