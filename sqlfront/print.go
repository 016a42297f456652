package sqlfront

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
)

// Printer writes expressions as DuckDB SQL: fully parenthesised, names quoted.
// Its functions say how leaves are written; those that cannot occur may be nil.
type Printer struct {
	Column func(*ColumnRef) string
	Group  func(*GroupRef) string
	Agg    func(*AggRef) string
	Outer  func(*OuterRef) string
	// Subquery writes all of a subquery, with its question.
	Subquery func(*Subquery) string
	// Param writes a parameter; nil: $n.
	Param func(*Param) string
	// Grouping writes GROUPING(..); nil: as it is.
	Grouping func(*Call) string
}

// PrintExpr prints an expression without references to groups, aggregates and
// other blocks;
// parameters are printed as $n.
func PrintExpr(e Expr, column func(*ColumnRef) string) string {
	p := Printer{Column: column}
	return p.Print(e)
}

// Print returns the SQL of e.
func (p *Printer) Print(e Expr) string {
	var b strings.Builder
	p.expr(&b, e)
	return b.String()
}

func (p *Printer) expr(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case *ColumnRef:
		b.WriteString(p.Column(e))
	case *GroupRef:
		b.WriteString(p.Group(e))
	case *AggRef:
		b.WriteString(p.Agg(e))
	case *OuterRef:
		b.WriteString(p.Outer(e))
	case *Subquery:
		b.WriteString(p.Subquery(e))
	case *Literal:
		b.WriteString(e.SQL)
	case *Param:
		if p.Param != nil {
			b.WriteString(p.Param(e))
			return
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(e.N))
	case *Call:
		if e.Name == groupingCall && p.Grouping != nil {
			b.WriteString(p.Grouping(e))
			return
		}
		if e.Name == TryCast {
			b.WriteString("TRY_CAST(")
			p.expr(b, e.Args[0])
			b.WriteString(" AS " + e.T.String() + ")")
			return
		}
		printCall(b, e.Name, len(e.Args), func(i int) { p.expr(b, e.Args[i]) })
	case *Cast:
		b.WriteString("CAST(")
		p.expr(b, e.Arg)
		b.WriteString(" AS ")
		b.WriteString(e.T.String())
		b.WriteByte(')')
	case *Case:
		p.caseExpr(b, e)
	case *In:
		printIn(b, e.Not, len(e.List), func(i int) {
			if i < 0 {
				p.expr(b, e.Arg)
				return
			}
			p.expr(b, e.List[i])
		})
	default:
		panic(invariant.Failed("sqlfront: unknown Expr %T", e))
	}
}

func (p *Printer) caseExpr(b *strings.Builder, e *Case) {
	printCase(b, e.Operand != nil, len(e.Whens), e.Else != nil, func(part, i int) {
		switch part {
		case caseOperand:
			p.expr(b, e.Operand)
		case caseCond:
			p.expr(b, e.Whens[i].Cond)
		case caseThen:
			p.expr(b, e.Whens[i].Then)
		case caseElse:
			p.expr(b, e.Else)
		}
	})
}

// infix are the names of calls that are written between their two arguments.
var infix = map[string]string{
	"+": "+", "-": "-", "*": "*", "/": "/", "//": "//", "%": "%", "||": "||",
	"=": "=", "<>": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
	"and": "AND", "or": "OR", "like": "LIKE", "not like": "NOT LIKE", "ilike": "ILIKE", "not ilike": "NOT ILIKE",
	"&": "&", "|": "|", "<<": "<<", ">>": ">>", "^": "^", "**": "**", "~~~": "GLOB",
	"is distinct from": "IS DISTINCT FROM", "is not distinct from": "IS NOT DISTINCT FROM",
}

// printCall writes an operator or function; arg writes argument i. It serves
// the bound and the syntactic tree.
func printCall(b *strings.Builder, name string, n int, arg func(int)) {
	if op, ok := infix[name]; ok {
		b.WriteByte('(')
		for i := range n {
			if i > 0 {
				b.WriteString(" " + op + " ")
			}
			arg(i)
		}
		b.WriteByte(')')
		return
	}
	switch name {
	case "neg":
		b.WriteString("(- ")
		arg(0)
		b.WriteByte(')')
	case "pos":
		b.WriteString("(+ ")
		arg(0)
		b.WriteByte(')')
	case "not":
		b.WriteString("(NOT ")
		arg(0)
		b.WriteByte(')')
	case "~":
		b.WriteString("(~ ")
		arg(0)
		b.WriteByte(')')
	case "is null", "is not null", "is true", "is not true", "is false", "is not false":
		b.WriteByte('(')
		arg(0)
		b.WriteString(" " + strings.ToUpper(name) + ")")
	case "between", "not between":
		b.WriteByte('(')
		arg(0)
		b.WriteString(" " + strings.ToUpper(name) + " ")
		arg(1)
		b.WriteString(" AND ")
		arg(2)
		b.WriteByte(')')
	default:
		b.WriteString(functionName(name) + "(")
		for i := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			arg(i)
		}
		b.WriteByte(')')
	}
}

// functionName writes a function's name, quoted unless that changes what it means.
func functionName(name string) string {
	if bareFunctions[fold(name)] {
		return name
	}
	return load.Quote(name)
}

// printIn writes IN; arg(-1) writes the tested value.
func printIn(b *strings.Builder, not bool, n int, arg func(int)) {
	b.WriteByte('(')
	arg(-1)
	if not {
		b.WriteString(" NOT")
	}
	b.WriteString(" IN (")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		arg(i)
	}
	b.WriteString("))")
}

const (
	caseOperand = iota
	caseCond
	caseThen
	caseElse
)

// printCase writes CASE; part says which piece of arm i to write.
func printCase(b *strings.Builder, operand bool, whens int, hasElse bool, write func(part, i int)) {
	b.WriteString("CASE")
	if operand {
		b.WriteByte(' ')
		write(caseOperand, 0)
	}
	for i := range whens {
		b.WriteString(" WHEN ")
		write(caseCond, i)
		b.WriteString(" THEN ")
		write(caseThen, i)
	}
	if hasElse {
		b.WriteString(" ELSE ")
		write(caseElse, 0)
	}
	b.WriteString(" END")
}
