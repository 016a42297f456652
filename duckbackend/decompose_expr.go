package duckbackend

import (
	"math"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// leaf renders a leaf of a step whose rows are grouped when reduced is set. A
// guard whose condition fails is NULL, which the aggregates of SQL skip; a sum
// over nothing but NULL is 0.
func (s *stepSQL) leaf(e einsum.Expr, reduced bool) string {
	agg, ok := e.(*einsum.Agg)
	if !ok {
		invariant.Check(!reduced, "duckbackend: step %s mixes aggregates and pointwise leaves", s.q.Name)
		return s.expr(e)
	}
	x := s.expr(agg.Arg)
	switch agg.Op {
	case semiring.Or, semiring.And:
		x = truth(x)
	}
	if !reduced { // an aggregate of one cell
		if agg.Op == semiring.Add {
			return "coalesce(" + x + ", 0)"
		}
		return x
	}
	switch agg.Op {
	case semiring.Add:
		return "coalesce(sum(" + x + "), 0)"
	case semiring.Min, semiring.And:
		return "min(" + x + ")"
	case semiring.Max, semiring.Or:
		return "max(" + x + ")"
	default:
		panic(invariant.Failed("duckbackend: %s is no aggregate", agg.Op))
	}
}

// truth renders whether a number is not zero, as 0 or 1.
func truth(x string) string { return "CAST(" + x + " <> 0 AS HUGEINT)" }

// expr renders an aggregate-free expression.
func (s *stepSQL) expr(e einsum.Expr) string {
	switch e := e.(type) {
	case *einsum.Access:
		return alias(s.body.OperandOf(e)) + "." + s.d.tensors[e.Tensor].leaf(e.Leaf)
	case *einsum.Literal:
		return literalSQL(e)
	case *einsum.Compare:
		return "CAST(1 AS HUGEINT)" // the comparison itself is in WHERE
	case *einsum.Map:
		return s.mapSQL(e)
	case *einsum.Agg:
		panic(invariant.Failed("duckbackend: nested aggregate in step %s", s.q.Name))
	default:
		panic(invariant.Failed("duckbackend: unknown Expr %T", e))
	}
}

func literalSQL(l *einsum.Literal) string {
	if l.Elem != semiring.F64 {
		return "CAST(" + quoteText(l.I.String()) + " AS HUGEINT)"
	}
	text := strconv.FormatFloat(l.F, 'g', -1, 64)
	switch {
	case math.IsNaN(l.F):
		text = "nan"
	case math.IsInf(l.F, 1):
		text = "inf"
	case math.IsInf(l.F, -1):
		text = "-inf"
	}
	return "CAST(" + quoteText(text) + " AS DOUBLE)"
}

func (s *stepSQL) mapSQL(m *einsum.Map) string {
	if m.Op == semiring.Guard {
		return s.guard(m)
	}
	var args []string
	for i, a := range m.Args {
		if _, mask := a.(*einsum.Compare); mask && m.Op == semiring.Mul && (len(args) > 0 || i < len(m.Args)-1) {
			continue // times 1
		}
		args = append(args, s.expr(a))
	}
	switch m.Op {
	case semiring.Add, semiring.Plus, semiring.Sub:
		return s.sum(m, args)
	case semiring.Mul:
		return fold(" * ", args)
	case semiring.Neg:
		return "(-" + args[0] + ")"
	case semiring.Min:
		return "least(" + strings.Join(args, ", ") + ")"
	case semiring.Max:
		return "greatest(" + strings.Join(args, ", ") + ")"
	case semiring.Or:
		return "greatest(" + strings.Join(truths(args), ", ") + ")"
	case semiring.And:
		return "CAST((" + strings.Join(args, " <> 0) AND (") + " <> 0) AS HUGEINT)"
	default:
		panic(invariant.Failed("duckbackend: %s is no map", m.Op))
	}
}

func fold(op string, args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return "(" + strings.Join(args, op) + ")"
}

func truths(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = truth(a)
	}
	return out
}

// sum renders + and -. A masked argument (NULL) makes Plus masked, but Add and
// Sub leave it out, and are masked where all their arguments are.
func (s *stepSQL) sum(m *einsum.Map, args []string) string {
	op := " + "
	if m.Op == semiring.Sub {
		op = " - "
	}
	if m.Op == semiring.Plus || !hasGuard(m) {
		return fold(op, args)
	}
	orZero := make([]string, len(args))
	for i, a := range args {
		orZero[i] = "coalesce(" + a + ", 0)"
	}
	return "CASE WHEN coalesce(" + strings.Join(args, ", ") + ") IS NOT NULL THEN " + fold(op, orZero) + " END"
}

func hasGuard(e einsum.Expr) bool {
	found := false
	einsum.Walk(e, func(e einsum.Expr) bool {
		if m, ok := e.(*einsum.Map); ok && m.Op == semiring.Guard {
			found = true
		}
		return !found
	})
	return found
}

// guard renders guard(x, c..): x where no c is zero, elsewhere NULL.
func (s *stepSQL) guard(m *einsum.Map) string {
	conds := make([]string, len(m.Args)-1)
	for i, c := range m.Args[1:] {
		conds[i] = s.expr(c) + " <> 0"
	}
	return "CASE WHEN " + strings.Join(conds, " AND ") + " THEN " + s.expr(m.Args[0]) + " END"
}
