// Package einsum is the tensor index notation: the language between SQL and
// the planner. A Program is a value; nodes are sealed and immutable.
//
// # Meaning
//
// A tensor has one structure (the set of coordinates at which an entry is
// present) and several leaves (values on that structure). The meaning of an
// expression under an assignment of its free indices is either absent or a
// value:
//
//	access T.l(i,j)   present where T stores an entry; the value of leaf l there
//	literal           present everywhere
//	map, conjunctive  present where all arguments are (semiring.Info.Conjunctive)
//	function          of one number: a conjunctive map. Outside of its domain
//	                  (semiring.Domain) the program has no meaning: whoever
//	                  evaluates it there reports an error
//	if0(x, d)         present where d is; x where x is present and not 0, else d
//	map, other        present where at least one argument is; an absent argument
//	                  counts as the operator's identity
//	comparison        present where it is TRUE of the SQL values of its two
//	                  indices; its value is 1
//	aggregate         present where its argument is present for at least one
//	                  assignment of the aggregated indices; the reduction of the
//	                  present values
//
// Indices range over the SQL values of their domain. A stored zero is present.
// guard(x, c..) with a zero c is present and contributes the identity of the
// innermost enclosing aggregate; outside an aggregate it is not allowed.
// if0(x, d) with a masked x, or with x zero or absent and a masked d, is masked.
//
// By this a value that is not stored differs from a stored zero, and absence is
// the one fill (FillOf): conjunctive maps are annihilated by it. What an outer
// join adds is written with if0. With N(k) rows on the nullable side and
// S(k), C(k) the moments of its y, a row without partner counts once and has no
// y, under the presence of the other side's Na alone (E1):
//
//	n:   sum(k) Na(g,k) * if0(N(k), 1)
//	s_y: sum(k) Na(g,k) * if0(S(k), 0)
//	c_y: sum(k) Na(g,k) * if0(C(k), 0)
//
// # Invariants
//
//	E1. Every leaf of a Query has the same presence. Leaf 0 is the number of
//	    rows, named "n"; the others are values and validity counts.
//	E2. The free indices of every leaf of a Query are exactly its Idxs.
//	E3. An access names an Input or an earlier Query, with that tensor's number
//	    of modes; a query's last access sees all of the tensor's leaves.
//	E4. A bound index is bound once in a leaf, and no bound index is free elsewhere.
//	E5. Every index is range restricted where it is free or bound: the expression
//	    is present only at coordinates that some access stores (Restricted), so
//	    its meaning is finite and depends on no tensor that it does not name.
//
// # Where to read next
//
// print.go and parse.go are the notation, check.go the invariants, key.go
// equality up to the names of bound indices, fill.go and sign.go what can be
// told of values without data. Package interp is the meaning.
package einsum

import "github.com/trireme-db/trireme/einsum/semiring"

// Index is a named loop variable. All indices with one Domain in a Program
// range over the same SQL values; Domain numbers start at 0.
type Index struct {
	Name   string
	Domain int
}

// Program is a list of queries; each sees the inputs and the queries before it.
// The last query is the result.
type Program struct {
	Inputs  []*Input
	Queries []*Query
}

// Input declares a tensor that comes from outside, with the facts about its
// data that a plan may rely on. Two declarations that differ in a fact are two
// programs: what is planned under a fact is wrong for data without it.
type Input struct {
	Name    string
	Domains []int // per mode
	Leaves  []LeafDecl
	// Keys are sets of modes, each ascending: of every assignment of coordinates
	// to the modes of a key at most one entry is stored. A key of no modes says
	// that there is at most one entry.
	Keys [][]int
	// Symmetric says of a tensor of two modes over one domain that of an entry at
	// (i,j) there is one at (j,i), equal in every leaf.
	Symmetric bool
	// Hollow says of a tensor of two modes over one domain that (i <> j) is TRUE of
	// every entry (i,j): none is on the diagonal, and none has a NULL.
	Hollow bool
}

// LeafDecl is the name and element type of a leaf.
type LeafDecl struct {
	Name string
	Elem semiring.Elem
	// NonNegative says that every stored value is >= 0 in SQL's order of numbers,
	// where NaN is greatest.
	NonNegative bool
}

// Query defines a tensor: for every assignment of Idxs, one value per leaf.
type Query struct {
	Name   string
	Idxs   []Index
	Leaves []Leaf
}

// Leaf is one named output of a Query.
type Leaf struct {
	Name string
	Expr Expr
}

// Expr is a node of an expression: *Access, *Map, *Agg, *Literal, *Compare.
type Expr interface{ isExpr() }

// Access reads leaf Leaf of tensor Tensor at Args.
type Access struct {
	Tensor string
	Leaf   string
	Args   []Arg
}

// Arg is one argument of an access: an index, or a constant that binds the
// mode to one SQL value.
type Arg struct {
	Index Index // meaningful when Const is nil
	Const *Const
}

// Const is a SQL value that binds a mode: the Text form of a value (Null: it
// is NULL and matches nothing), or, when Param is positive, statement parameter
// $Param, bound before execution.
type Const struct {
	Param  int
	Text   string
	Quoted bool // a string in the notation
	Null   bool
}

// Map applies a pointwise operator.
type Map struct {
	Op   semiring.Op
	Args []Expr
}

// Agg reduces Arg over Idxs.
type Agg struct {
	Op   semiring.Op
	Idxs []Index
	Arg  Expr
}

// Literal is a number, present everywhere.
type Literal struct {
	Elem semiring.Elem // I64, I128 or F64
	I    semiring.Int128
	F    float64
}

// Compare is a mask: a comparison of the SQL values of two indices of one domain.
type Compare struct {
	Op   semiring.Op // Eq, Ne, Lt, Le, Gt, Ge
	L, R Index
}

func (*Access) isExpr()  {}
func (*Map) isExpr()     {}
func (*Agg) isExpr()     {}
func (*Literal) isExpr() {}
func (*Compare) isExpr() {}
