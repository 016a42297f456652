package stats

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// What a cell costs by the kernel that visits it, in nanoseconds of one thread, as
// BenchmarkKernelCells in fibers/exec measures it. How often a run looks at its context, the
// choice between backends, and the comparison of plans go by these.
const (
	// VisitNs is a cell of a plan's costs: one visit by one loop, values and all. Loops over
	// lists take longer than the arrays that BenchmarkKernelCells has.
	VisitNs = 5.5
	// ProductNs is a cell of a sum of products.
	ProductNs = 0.75
	// ConditionNs is a cell whose columns are gathered and compared.
	ConditionNs = 12.0
	// GeneralNs is a cell of the kernel general, which runs closures cell by cell.
	GeneralNs = 110.0
)

// Operators on columns of cells, in nanoseconds of a cell.
const (
	gatherNs     = 4.5  // the columns of an expression that is no sum of products
	arithmeticNs = 0.6  // sums, products, least and greatest, comparisons
	chooseNs     = 3.0  // guard, select, if0
	functionNs   = 2.0  // sqrt, exp, floor
	divisionNs   = 6.0  // of integers
	seriesNs     = 15.0 // logarithms, and functions of angles
	powerNs      = 30.0
)

// operatorNs is what an operator costs at a cell, its arguments apart.
func operatorNs(op semiring.Op) float64 {
	switch op {
	case semiring.Guard, semiring.Select, semiring.If0:
		return chooseNs
	case semiring.Quot, semiring.Rem:
		return divisionNs
	case semiring.Power:
		return powerNs
	case semiring.Sqrt, semiring.Exp, semiring.Sigmoid, semiring.Relu, semiring.Floor, semiring.Ceil, semiring.Trunc, semiring.Round, semiring.Div:
		return functionNs
	}
	if op.IsFunction() && op != semiring.Abs {
		return seriesNs
	}
	return arithmeticNs
}

// EvaluationNs is what the leaves of a query cost at a cell where they are evaluated column by
// column; sums of products have kernels, and cost ProductNs.
func EvaluationNs(q *einsum.Query) float64 {
	total := 0.0
	for _, l := range q.Leaves {
		ns, columns := operators(l.Expr)
		if !columns {
			ns = ProductNs
		}
		total += ns
	}
	return total
}

// ColumnCells is what an expression costs at a cell beside the visit, in visits, where it is
// evaluated column by column; nothing where it is a sum of products.
func ColumnCells(e einsum.Expr) float64 {
	ns, columns := operators(e)
	if !columns {
		return 0
	}
	return ns / VisitNs
}

// ProductCells is what those leaves of a query that are sums of products cost at a cell, in
// visits, by the operands of their operators. It tells apart programs that visit the same
// cells.
func ProductCells(q *einsum.Query) float64 {
	cells := 0.0
	for _, l := range q.Leaves {
		if _, columns := operators(l.Expr); columns {
			continue
		}
		einsum.Walk(l.Expr, func(e einsum.Expr) bool {
			if m, ok := e.(*einsum.Map); ok {
				cells += float64(len(m.Args)) * arithmeticNs / VisitNs
			}
			return true
		})
	}
	return cells
}

// operators is what an expression's operators cost at a cell; columns: it is no sum of
// products, and its columns are gathered, which is counted.
func operators(e einsum.Expr) (ns float64, columns bool) {
	einsum.Walk(e, func(e einsum.Expr) bool {
		if m, ok := e.(*einsum.Map); ok {
			ns += operatorNs(m.Op) * float64(max(len(m.Args)-1, 1))
			columns = columns || m.Op.Info().Blocking || m.Op == semiring.Guard
		}
		return true
	})
	if columns {
		ns += gatherNs
	}
	return ns, columns
}
