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

// Info is an operator's row in the algebra table.
type Info struct {
	Name        string // in the notation
	Infix       bool
	Assoc       bool
	Comm        bool
	Idempotent  bool
	Conjunctive bool // present only where all arguments are
	Mask        bool // comparison of indices
	// DistributesOver lists the aggregates that may be pulled out of one argument.
	DistributesOver []Op
}

var table = [opCount]Info{
	NoOp:  {Name: "noop"},
	Add:   {Name: "+", Infix: true, Assoc: true, Comm: true},
	Mul:   {Name: "*", Infix: true, Assoc: true, Comm: true, Conjunctive: true, DistributesOver: []Op{Add}},
	Sub:   {Name: "-", Infix: true},
	Neg:   {Name: "neg"},
	Plus:  {Name: "plus", Assoc: true, Comm: true, Conjunctive: true, DistributesOver: []Op{Min, Max}},
	Min:   {Name: "min", Assoc: true, Comm: true, Idempotent: true},
	Max:   {Name: "max", Assoc: true, Comm: true, Idempotent: true},
	Or:    {Name: "or", Assoc: true, Comm: true, Idempotent: true},
	And:   {Name: "and", Assoc: true, Comm: true, Idempotent: true, Conjunctive: true, DistributesOver: []Op{Or}},
	Guard: {Name: "guard", Conjunctive: true, DistributesOver: []Op{Min, Max}},
	Eq:    {Name: "=", Infix: true, Comm: true, Mask: true, Conjunctive: true},
	Ne:    {Name: "<>", Infix: true, Comm: true, Mask: true, Conjunctive: true},
	Lt:    {Name: "<", Infix: true, Mask: true, Conjunctive: true},
	Le:    {Name: "<=", Infix: true, Mask: true, Conjunctive: true},
	Gt:    {Name: ">", Infix: true, Mask: true, Conjunctive: true},
	Ge:    {Name: ">=", Infix: true, Mask: true, Conjunctive: true},
}

// Info returns the operator's algebra.
func (o Op) Info() *Info { return &table[o] }

// String returns the operator's name in the notation.
func (o Op) String() string { return table[o].Name }

// ByName returns the operator with that name in the notation.
func ByName(name string) (Op, bool) {
	for o := Add; o < opCount; o++ {
		if table[o].Name == name {
			return o, true
		}
	}
	return NoOp, false
}

// Distributes reports whether a map of o may exchange with an aggregate of agg
// that ranges over indices of one argument only.
func (o Op) Distributes(agg Op) bool {
	for _, d := range table[o].DistributesOver {
		if d == agg {
			return true
		}
	}
	return false
}
