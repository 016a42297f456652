// Package semiring holds the element types of tensors and the operators on
// them, with the algebra that the optimizer may use. The optimizer consults
// nothing but this table.
package semiring

// Elem is the element type of a leaf.
type Elem uint8

// Element types. A Pattern leaf stores nothing; its value is 1 wherever the
// structure has an entry.
const (
	Pattern Elem = iota
	I64
	I128
	F64
)

// String returns the word used in plans.
func (e Elem) String() string { return [...]string{"pattern", "i64", "i128", "f64"}[e] }

// Op is a pointwise operator or an aggregate.
type Op uint8

// Operators. Presence (einsum, package comment) decides where they are
// evaluated; the conjunctive ones are present where all arguments are.
const (
	NoOp Op = iota
	// Add is SQL + and the aggregate sum; disjunctive: an absent argument is 0.
	Add
	// Mul is conjunctive.
	Mul
	// Sub is a-b; disjunctive as Add. Neg is -a.
	Sub
	Neg
	// Plus is + where both arguments are present (conjunctive): the
	// multiplication of the tropical semirings.
	Plus
	// Min and Max, as aggregates and pointwise (disjunctive: an absent argument
	// is the identity). Over F64 NaN orders above +Inf; the identity of Min is
	// NaN, that of Max -Inf. Over integers they are the type's extremes.
	Min
	Max
	// Or, And over 0/1.
	Or
	And
	// Guard(x, c1, c2, ...) is x where all c are present and not zero. Where one
	// is zero the cell is present but contributes the identity of the enclosing
	// aggregate: a mask selects, it never multiplies.
	Guard
	// Functions of one number, over F64; an integer argument becomes the nearest
	// F64 first. Of NaN they are NaN. Outside of its Domain a function has no
	// value, and what evaluates it fails. Relu(x) is max(x, 0), Sigmoid(x) is
	// 1/(1+exp(-x)).
	Sqrt
	Exp
	Ln
	Abs
	Sigmoid
	Relu
	// Round goes away from zero where two integers are as near.
	Floor
	Ceil
	Trunc
	Round
	Cbrt
	Log10
	Log2
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	// Operators of two numbers that are not rearranged. Less, AtMost, Equal and
	// Differ are 1 or 0; NaN is equal to itself and greatest. Div is the quotient as
	// F64, of two integers rounded to 64 bits first, as DuckDB's AVG is; Power is
	// x to the power of y as F64. Quot and Rem are of integers, towards zero, and 0
	// where the divisor is; Rem of F64 is that of C's fmod.
	Less
	AtMost
	Equal
	Differ
	Div
	Power
	Quot
	Rem
	// Select(c, x, y) is x where c is not zero, else y. Only that is evaluated.
	Select
	// If0(x, d) is x where x is present and not 0, else d. It is present where d
	// is: an outer join's count, 1 where nothing matches, is if0(n, 1).
	If0
	// Comparisons of two indices by the order of their SQL values: a mask,
	// present where TRUE. NULL on either side is not TRUE.
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	opCount
)
