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
	s.agg = semiring.NoOp
	if !ok {
		invariant.Check(!reduced, "duckbackend: step %s mixes aggregates and pointwise leaves", s.q.Name)
		return s.expr(e)
	}
	s.agg = agg.Op
	x := s.expr(agg.Arg)
	switch agg.Op {
	case semiring.Or, semiring.And:
		if !isTruth(agg.Arg) {
			x = truth(x)
		}
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

// isTruth reports whether an expression renders as 0 or 1 already.
func isTruth(e einsum.Expr) bool {
	m, ok := e.(*einsum.Map)
	return ok && (m.Op == semiring.And || m.Op == semiring.Or)
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
		if !s.single() {
			return "CASE WHEN " + s.compared(e) + " THEN CAST(1 AS HUGEINT) END"
		}
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
	switch {
	case m.Op == semiring.Guard:
		return s.guard(m)
	case m.Op == semiring.If0:
		return s.if0(m)
	case m.Op == semiring.Select:
		return "CASE WHEN " + s.expr(m.Args[0]) + " <> 0 THEN " + s.expr(m.Args[1]) + " ELSE " + s.expr(m.Args[2]) + " END"
	case m.Op.IsPair():
		return pairSQL(m.Op, s.expr(m.Args[0]), s.expr(m.Args[1]))
	case m.Op.IsFunction():
		return functionSQL(m.Op, "CAST("+s.expr(m.Args[0])+" AS DOUBLE)")
	}
	var args []string
	for i, a := range m.Args {
		if _, mask := a.(*einsum.Compare); mask && s.single() && m.Op == semiring.Mul && (len(args) > 0 || i < len(m.Args)-1) {
			continue // times 1
		}
		args = append(args, s.expr(a))
	}
	switch m.Op {
	case semiring.Plus:
		return fold(" + ", args)
	case semiring.Mul:
		return fold(" * ", args)
	case semiring.Neg:
		return "(-" + args[0] + ")"
	case semiring.And:
		return "CAST((" + strings.Join(args, " <> 0) AND (") + " <> 0) AS HUGEINT)"
	default:
		return s.disjunction(m, args)
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

// disjunction renders the maps that leave out absent arguments, and masked ones
// if the aggregate around them is of their own operator: else one masked argument
// masks the whole, as all of them always do. Absent and masked are NULL, which
// least and greatest leave out.
func (s *stepSQL) disjunction(m *einsum.Map, args []string) string {
	same := m.Op == s.agg || m.Op == semiring.Sub && s.agg == semiring.Add
	var masked []string // conditions under which one argument masks the whole
	for i, a := range m.Args {
		if hasGuard(a) && !same {
			masked = append(masked, conjunction(append(s.present(a), args[i]+" IS NULL")))
		}
	}
	var x string
	switch m.Op {
	case semiring.Add:
		x = s.sum(" + ", m, args)
	case semiring.Sub:
		x = s.sum(" - ", m, args)
	case semiring.Min:
		x = "least(" + strings.Join(args, ", ") + ")"
	case semiring.Max:
		x = "greatest(" + strings.Join(args, ", ") + ")"
	case semiring.Or:
		x = "greatest(" + strings.Join(truths(args), ", ") + ")"
	default:
		panic(invariant.Failed("duckbackend: %s is no map", m.Op))
	}
	if len(masked) == 0 {
		return x
	}
	return "CASE WHEN " + strings.Join(masked, " OR ") + " THEN NULL ELSE " + x + " END"
}

// sum renders + and -; what is NULL counts 0 unless all of it is.
func (s *stepSQL) sum(op string, m *einsum.Map, args []string) string {
	null := false
	orZero := make([]string, len(args))
	for i, a := range args {
		orZero[i] = a
		if hasGuard(m.Args[i]) || len(s.present(m.Args[i])) > 0 {
			orZero[i], null = "coalesce("+a+", 0)", true
		}
	}
	if !null {
		return fold(op, args)
	}
	return "CASE WHEN coalesce(" + strings.Join(args, ", ") + ") IS NOT NULL THEN " + fold(op, orZero) + " END"
}

// present returns the conjuncts that tell where an expression is present in the
// rows of the join.
func (s *stepSQL) present(e einsum.Expr) []string {
	switch e := e.(type) {
	case *einsum.Access:
		if o := s.body.OperandOf(e); !s.given(o) {
			return []string{alias(o) + "." + s.d.tensors[e.Tensor].leaf(einsum.CountLeaf) + " IS NOT NULL"}
		}
		return nil
	case *einsum.Compare:
		if !s.single() {
			return []string{s.compared(e)}
		}
		return nil
	case *einsum.Literal:
		return nil
	case *einsum.Map:
		var all, any []string
		for i, a := range e.Args {
			p := s.present(a)
			switch {
			case e.Op.Needs(i):
				all = append(all, p...)
			case e.Op.Info().FirstOptional:
			case len(p) == 0:
				return nil
			default:
				any = append(any, conjunction(p))
			}
		}
		if len(any) > 0 {
			all = append(all, "("+strings.Join(any, " OR ")+")")
		}
		return all
	default:
		panic(invariant.Failed("duckbackend: presence of %T", e))
	}
}

func conjunction(conds []string) string {
	if len(conds) == 1 {
		return conds[0]
	}
	return "(" + strings.Join(conds, " AND ") + ")"
}

// if0 renders if0(x, d). An x that is NULL is absent, or it is present and has
// no value: masked, or the identity of min or max.
func (s *stepSQL) if0(m *einsum.Map) string {
	x, d := s.expr(m.Args[0]), s.expr(m.Args[1])
	if a, ok := m.Args[0].(*einsum.Access); ok && a.Leaf == einsum.CountLeaf {
		return "CASE WHEN " + x + " <> 0 THEN " + x + " ELSE " + d + " END"
	}
	none := conjunction(append(s.present(m.Args[0]), x+" IS NULL"))
	return "CASE WHEN " + x + " <> 0 THEN " + x + " WHEN " + none + " THEN NULL ELSE " + d + " END"
}

// functionSQL renders a function of a DOUBLE; NaN stays NaN and NULL NULL.
func functionSQL(op semiring.Op, x string) string {
	switch op {
	case semiring.Sqrt, semiring.Exp, semiring.Ln, semiring.Abs, semiring.Floor, semiring.Ceil, semiring.Trunc,
		semiring.Round, semiring.Cbrt, semiring.Log10, semiring.Log2, semiring.Sin, semiring.Cos, semiring.Tan,
		semiring.Asin, semiring.Acos, semiring.Atan:
		return op.String() + "(" + x + ")"
	case semiring.Sigmoid:
		return "(1 / (1 + exp(-" + x + ")))"
	case semiring.Relu:
		return "CASE WHEN " + x + " < 0 THEN 0 ELSE " + x + " END"
	default:
		panic(invariant.Failed("duckbackend: %s is no function", op))
	}
}

// pairSQL renders an operator of two numbers, each HUGEINT or DOUBLE. An integer
// becomes the nearest DOUBLE where the other is one.
func pairSQL(op semiring.Op, l, r string) string {
	symbols := map[semiring.Op]string{semiring.Less: "<", semiring.AtMost: "<=", semiring.Equal: "=", semiring.Differ: "<>"}
	switch op {
	case semiring.Less, semiring.AtMost, semiring.Equal, semiring.Differ:
		return "CAST((" + l + " " + symbols[op] + " " + r + ") AS HUGEINT)"
	case semiring.Div:
		return "(CAST(" + l + " AS DOUBLE) / CAST(" + r + " AS DOUBLE))"
	case semiring.Power:
		return "pow(CAST(" + l + " AS DOUBLE), CAST(" + r + " AS DOUBLE))"
	case semiring.Quot:
		return "coalesce((" + l + " // " + r + "), 0)"
	case semiring.Rem:
		return "coalesce((" + l + " % " + r + "), 0)"
	default:
		panic(invariant.Failed("duckbackend: %s is no pair", op))
	}
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
