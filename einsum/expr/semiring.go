package expr

import (
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Semiring says how the values of operands are combined: the first operation over
// all assignments to the indices that the output lacks, of the second over the
// operands.
type Semiring uint8

// Semirings.
const (
	SumProduct Semiring = iota
	MaxPlus
	MinPlus
	// OrAnd is of truth: a value is true when it is not 0, the result 1 or 0.
	OrAnd
	// Count is the number of assignments at which all operands have an entry,
	// whatever their values.
	Count
)

var semiringNames = [...]string{SumProduct: "sum_product", MaxPlus: "max_plus", MinPlus: "min_plus", OrAnd: "or_and", Count: "count"}

// String returns the semiring's name.
func (s Semiring) String() string { return semiringNames[s] }

// SemiringByName returns the semiring of a name; 22023 for others.
func SemiringByName(text string) (Semiring, error) {
	for s, n := range semiringNames {
		if strings.EqualFold(n, text) {
			return Semiring(s), nil
		}
	}
	return 0, sqlerr.New(sqlerr.InvalidParameter, "there is no semiring %q", text).
		WithHint("The semirings are %s.", strings.Join(semiringNames[:], ", "))
}

// ValueLeaf is the leaf that holds the values of operands and result.
const ValueLeaf = "v"

// Query is the expression as a query of a tensor program. Operand i is the tensor
// tensors[i], whose leaf ValueLeaf has its values; names and domains are those of
// the indices. A term must not have an index twice (E5 holds then: every index is
// an argument of a conjunctive operand).
func (e *Expr) Query(name string, s Semiring, tensors []string, indices []einsum.Index) *einsum.Query {
	q := &einsum.Query{Name: name}
	kept := make([]bool, len(e.Names))
	for _, id := range e.Output {
		kept[id] = true
		q.Idxs = append(q.Idxs, indices[id])
	}
	var summed []einsum.Index
	seen := make([]bool, len(e.Names))
	var counts, values []einsum.Expr
	for i, t := range e.Terms {
		args := make([]einsum.Arg, len(t))
		for m, id := range t {
			args[m] = einsum.Ix(indices[id])
			if !kept[id] && !seen[id] {
				seen[id] = true
				summed = append(summed, indices[id])
			}
		}
		counts = append(counts, einsum.A(tensors[i], einsum.CountLeaf, args...))
		values = append(values, einsum.A(tensors[i], ValueLeaf, args...))
	}
	q.Leaves = []einsum.Leaf{
		{Name: einsum.CountLeaf, Expr: einsum.Reduce(semiring.Or, summed, truth(counts))},
		{Name: ValueLeaf, Expr: s.reduce(summed, counts, values)},
	}
	return q
}

// truth is 1 where all arguments are not 0.
func truth(args []einsum.Expr) einsum.Expr {
	if len(args) == 1 {
		args = []einsum.Expr{args[0], einsum.Int(1)}
	}
	return einsum.Apply(semiring.And, args...)
}

func (s Semiring) reduce(over []einsum.Index, counts, values []einsum.Expr) einsum.Expr {
	switch s {
	case MaxPlus:
		return einsum.Reduce(semiring.Max, over, einsum.Apply(semiring.Plus, values...))
	case MinPlus:
		return einsum.Reduce(semiring.Min, over, einsum.Apply(semiring.Plus, values...))
	case OrAnd:
		return einsum.Reduce(semiring.Or, over, truth(values))
	case Count:
		return einsum.Sum(over, einsum.Mul(counts...))
	default:
		return einsum.Sum(over, einsum.Mul(values...))
	}
}
