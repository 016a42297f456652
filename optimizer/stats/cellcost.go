package stats

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// What a cell costs by the kernel that visits it, and what is evaluated there costs beside
// that, in nanoseconds of one thread: BenchmarkKernelCells in fibers/exec measures them. The
// planner, the looks at the context during a run and the choice between backends go by these.
const (
	// ProductNs is a cell of a sum of products.
	ProductNs = 1.25
	// VisitNs is a cell as estimates count it, most of whose loops are short: the unit of
	// plans' costs.
	VisitNs = 5.5
	// GeneralNs is a cell of the kernel general, which runs closures cell by cell.
	GeneralNs = 160.0
)

// Operators on columns of cells, in nanoseconds of a cell.
const (
	arithmeticNs = 0.6  // sums, products, least and greatest, comparisons
	chooseNs     = 2.0  // guard, select, if0
	functionNs   = 2.0  // sqrt, exp, floor
	divisionNs   = 8.0  // of integers
	seriesNs     = 15.0 // logarithms, and functions of angles
	powerNs      = 60.0
)

// OperatorNs is what an operator costs at a cell where it is evaluated column by column, its
// arguments apart.
func OperatorNs(op semiring.Op) float64 {
	switch op {
	case semiring.Guard, semiring.Select, semiring.If0:
		return chooseNs
	case semiring.Sqrt, semiring.Exp, semiring.Sigmoid, semiring.Abs, semiring.Relu, semiring.Floor, semiring.Ceil, semiring.Trunc, semiring.Round, semiring.Div:
		return functionNs
	case semiring.Quot, semiring.Rem:
		return divisionNs
	case semiring.Ln, semiring.Log2, semiring.Log10, semiring.Cbrt, semiring.Sin, semiring.Cos, semiring.Tan, semiring.Asin, semiring.Acos, semiring.Atan:
		return seriesNs
	case semiring.Power:
		return powerNs
	default:
		return arithmeticNs
	}
}

// EvaluationNs is what the leaves of a query cost at a cell, all their operators together.
func EvaluationNs(q *einsum.Query) float64 {
	ns := 0.0
	for _, l := range q.Leaves {
		einsum.Walk(l.Expr, func(e einsum.Expr) bool {
			if m, ok := e.(*einsum.Map); ok {
				ns += OperatorNs(m.Op) * float64(max(len(m.Args)-1, 1))
			}
			return true
		})
	}
	return ns
}
