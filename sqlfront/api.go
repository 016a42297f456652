package sqlfront

import (
	"context"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Catalog resolves names of tables; engine/catalog implements it for one session.
type Catalog interface {
	// Table resolves a possibly qualified name (parts: [table], [schema, table],
	// [catalog, schema, table]) under the session's search path. ok is false when
	// there is no such table or view.
	Table(ctx context.Context, parts []string) (t *Table, ok bool, err error)
	// TableIn resolves a name as it stands in a view of the given schema, where
	// the search path is that schema alone.
	TableIn(ctx context.Context, catalog, schema string, parts []string) (t *Table, ok bool, err error)
	// Function says how DuckDB knows a function name.
	Function(ctx context.Context, name string) (Function, error)
}

// Table is a base table or view.
type Table struct {
	Name    load.Table
	Columns []rows.Column
	// Collated marks the columns that may have a collation of their own
	// (CollatedColumns); nil: none.
	Collated []bool
	// View is set for a view, which is not a base table; ViewSQL is its SELECT,
	// empty when that is not known.
	View    bool
	ViewSQL string
	// Temporary: it is the session's.
	Temporary bool
	// Generated: columns may be computed from others when they are read.
	Generated bool
}

// Function is what binding must know of a function.
type Function struct {
	Scalar     bool // a scalar function of DuckDB with that name exists
	Aggregate  bool
	Macro      bool
	Table      bool // a table function, or a macro that is one
	Redefined  bool // a macro of the user's has this name
	Consistent bool // all overloads are CONSISTENT
	Zoned      bool // an overload takes or returns times with a zone
	Volatile   bool // an overload may give another value each time it is called
	// Differs: in the linked release of DuckDB it has another meaning than the tensor
	// engine gives it.
	Differs bool
	// Overloads are the arguments that a function takes, of which DuckDB knows the types:
	// not those of macros.
	Overloads []Overload
	// Macros are the macros of that name, the user's alone where there are any.
	Macros []Macro
}

// Macro is a macro as its definition has it.
type Macro struct {
	Params []string
	Body   string // an expression, or with Table a SELECT
	Table  bool
}

// Overload is what one of the functions of a name takes: DuckDB's names of types, or of
// places of types (T, ANY, T[]).
type Overload struct {
	Args []string
	// More is the type of any number of further arguments; empty: there are none.
	More string
}

// Preparer asks DuckDB about a text without executing it; engine implements it.
type Preparer interface {
	// Describe returns the result columns and parameter types of a statement, or
	// DuckDB's error for it. Untyped parameters take the given types (by number;
	// Invalid or missing: none known).
	Describe(ctx context.Context, sql string, params []rows.Type) (Description, error)
}

// TreePreparer is a Preparer that also gives DuckDB's syntax trees; without them
// there are no Text sources.
type TreePreparer interface {
	Preparer
	// SerializeSQL returns DuckDB's syntax tree of a SELECT as JSON, with its field
	// "error" true where there is none; DeserializeSQL is the SQL of such a tree.
	SerializeSQL(ctx context.Context, sql string) (string, error)
	DeserializeSQL(ctx context.Context, tree string) (string, error)
}

// Description is DuckDB's view of a prepared statement.
type Description struct {
	Columns []rows.Column
	Params  []rows.Type
}

// Analysis is the outcome for one statement: a Query, or the reason why DuckDB
// takes it.
type Analysis struct {
	Query  *Query // nil: DuckDB
	Reason string // when Query is nil: short and named, "window function"
	Desc   Description
	// Views are the views that Query was made through: their definitions are part
	// of what the statement has read.
	Views []load.Table
	// Clocks are values that Query has as the parameters after those of Desc.
	Clocks []Clock
}

// Query is one bound SELECT block. A derived table or common table expression
// that only selects, projects and joins is part of the block that reads it: its
// sources are in From, its conditions in Where, and its columns are put where
// they are used (a constant under a Cast, so that its type stays).
//
// A query comes in two dialects. Bound, as Analyze returns it, it may have Tree,
// SetOp, Sets and Subquery expressions. Lowered, as translation takes it, it has
// none of these; instead it may have Bag sources and Anti, and conjuncts "is not
// distinct from" between two sources. Text sources are in both.
type Query struct {
	From []Source
	// Tree is the join tree over From where it has outer joins; nil: all joins are
	// inner and their conditions are in Where.
	Tree *Join
	// Where are conjuncts, those of inner joins, USING and NATURAL included, except
	// those in Tree. One may have no column at all, and need not be BOOLEAN.
	Where []Expr
	// Anti drops the rows that have a partner (lowered queries only).
	Anti []Anti
	// SetOp is how the rows of Arms make those of the query; with it, only Arms,
	// OrderBy, Limit, Offset, Select and Columns are set, and Select and OrderBy
	// refer to the columns of the first arm by GroupRef.
	SetOp SetOp
	Arms  []*Query
	// Sets are the grouping sets, as positions in GroupBy; nil: GROUP BY is one.
	// GROUPING(..) is a Call "grouping" over GroupRefs.
	Sets    [][]int
	GroupBy []Expr // over columns of From; never a position or alias
	// Aggs are the distinct aggregate calls of Select, Having and OrderBy;
	// count of a constant is count(*). Empty without GROUP BY and DISTINCT when
	// there is only a HAVING: still one row.
	Aggs   []*AggCall
	Select []SelectItem
	// Having and OrderBy, like Select, are expressions over *GroupRef and *AggRef;
	// no OrderBy is constant.
	Having  Expr
	OrderBy []OrderItem
	Limit   Expr // literal or parameter; nil: none
	Offset  Expr
	// Grouped is true when GROUP BY is present (false with aggregates: the one row).
	Grouped bool
	// Distinct is SELECT DISTINCT without aggregates: GroupBy holds the select
	// expressions and Aggs is empty.
	Distinct bool
	// Columns are names and types as DuckDB describes them.
	Columns []rows.Column
	// Program makes the query a program in the tensor index notation, whose inputs are
	// the sources: the columns of each that Operands names are those of the modes, then
	// those of the leaves but the number of rows. GroupBy and Select are the columns of
	// the result; the query has nothing else.
	Program  string
	Operands [][]int
}

// Plain reports whether the query only selects, projects and joins: it has a row
// for every joined row of its sources, and Select is over their columns.
func (q *Query) Plain() bool {
	return !q.Grouped && !q.Distinct && len(q.Aggs) == 0 && q.Having == nil && q.Limit == nil && q.Offset == nil && q.SetOp == NoSetOp
}

// OneRow reports whether a query is one aggregated row, before HAVING.
func (q *Query) OneRow() bool {
	return !q.Grouped && !q.Distinct && q.SetOp == NoSetOp && q.Sets == nil && (len(q.Aggs) > 0 || q.Having != nil)
}

// SetOp is a set operation.
type SetOp uint8

// UnionAll keeps duplicates; the others make them one.
const (
	NoSetOp SetOp = iota
	UnionAll
	Union
	Intersect
	Except
)

// JoinKind is how a Join treats rows without a partner. RIGHT is LEFT with its
// sides exchanged.
type JoinKind uint8

// LeftJoin pads the right side, FullJoin both.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	FullJoin
)

// Join is a node of a join tree: a leaf From[Leaf], or a join of two trees. Every
// element of From is one leaf.
type Join struct {
	Leaf        int // where Left is nil
	Kind        JoinKind
	Left, Right *Join
	On          []Expr // conjuncts, over the columns of both sides only
}

// Anti keeps the rows of a block for which Query has no row whose columns equal
// Keys. Query is lowered, and selects DISTINCT its groups, one for every key, of
// comparable types. A NULL key equals nothing, except where NullSafe has it.
type Anti struct {
	Query    *Query
	Keys     []Expr // over the block's From
	NullSafe []bool
}

// Source is one element of FROM, with one of Table, Query, Bag and Text. Alias
// is unique in its block: a number is added to one that the text repeats, or
// brings in from another block.
type Source struct {
	Alias string
	Table *Table // base table, or
	Query *Query // derived table or CTE reference (each reference has its own copy), or
	// Bag has the rows of all these queries together (lowered queries only): Plain
	// blocks, whose columns have exactly the types of Columns; or
	Bag []*Query
	// Padded, of a Bag of two queries, is the number of its first columns that are
	// the keys of an outer join, which the block equates (NULL safe) with columns of
	// sources before this one: the second query has a row, of NULLs beside the keys,
	// for every key of these sources' rows that the first one has not.
	Padded int
	// Text is a SELECT that DuckDB executes as it is: it has no parameter, its
	// answer depends on TextTables and Memory only, and it names them in full.
	Text       string
	TextTables []load.Table
	// Memory are the tables in memory that Text reads besides.
	Memory InMemory
	// Cut: the text evaluates a part that package translate has taken out of the block.
	Cut bool
	// Program is the tensor program whose rows the source has, in place of Text's,
	// which fails.
	Program *Query
	// Columns visible under the alias.
	Columns []rows.Column
}

// SelectItem is an output column.
type SelectItem struct {
	Expr Expr
	Name string
}

// OrderItem is an ORDER BY key.
type OrderItem struct {
	Expr       Expr
	Desc       bool
	NullsFirst bool // effective, DuckDB's default already applied
}

// Expr is a bound expression: *ColumnRef, *Literal, *Param, *Call, *Case, *Cast,
// *In, *AggRef, *GroupRef, *Subquery, *OuterRef. Its Type is DuckDB's.
type Expr interface {
	Type() rows.Type
	isExpr()
}

// ColumnRef is a column of Query.From[Source].
type ColumnRef struct {
	Source, Column int
	Name           string
	T              rows.Type
}

// Literal is a constant as written; SQL is its DuckDB text ('a”b', 1.50,
// DATE '2020-01-01', NULL, true).
type Literal struct {
	SQL string
	T   rows.Type
}

// Param is statement parameter $N (1-based).
type Param struct {
	N int
	T rows.Type
}

// TryCast is the name of a Call of one argument: TRY_CAST to its type.
const TryCast = "try_cast"

// Call is an operator or function: Name is lower-case. Operators use their
// symbol: + - * / // % || & | << >> ~ ^ ** = <> < <= > >= and or (two arguments) not neg, "~~~" (GLOB), "is null",
// "is not null", like, ilike, "is distinct from", between (three arguments);
// "not like", "not ilike", "not between", "is not distinct from". Functions have
// their own name; coalesce is one of them.
type Call struct {
	Name string
	Args []Expr
	T    rows.Type
}

// Case is CASE; Operand nil for the searched form, Else nil when absent.
type Case struct {
	Operand Expr
	Whens   []When
	Else    Expr
	T       rows.Type
}

// When is one arm of a Case.
type When struct{ Cond, Then Expr }

// Cast is CAST(Arg AS T).
type Cast struct {
	Arg Expr
	T   rows.Type
}

// In is Arg [NOT] IN (List).
type In struct {
	Arg  Expr
	List []Expr
	Not  bool
}

// SubqueryKind is what a Subquery asks.
type SubqueryKind uint8

// Exists is EXISTS (q); InQuery is Arg IN (q), of one column, or with Op another
// comparison that is asked of any row; Scalar is the value
// of a query of one column, NULL where it has no row.
const (
	Exists SubqueryKind = iota
	InQuery
	Scalar
)

// Subquery is a query in an expression. NOT EXISTS and NOT IN are the call "not"
// over it. A correlated one has OuterRefs in Query.
type Subquery struct {
	Kind  SubqueryKind
	Arg   Expr   // of InQuery, over the block around
	Op    string // of InQuery: the comparison of Arg with the rows; empty: =
	Query *Query
	T     rows.Type
}

// Comparison is the operator between Arg and the rows of an InQuery.
func (e *Subquery) Comparison() string {
	if e.Op == "" {
		return "="
	}
	return e.Op
}

// OuterRef is, inside the Query of a Subquery, a column of a block further out,
// Levels blocks away (1: the block that has the Subquery). Each subquery and each
// derived table (Source.Query) on the way is a block; a set operation is none,
// its arms stand in its place.
type OuterRef struct {
	Levels int
	Column *ColumnRef
}

// AggCall is an aggregate: count (Args empty: count(*)), sum, avg, min, max and
// those of aggregates in bind_agg.go, under the one name that the table there gives
// each; count DISTINCT of several Args is of the rows that these make, which are
// never NULL. Filter, like Args, is over columns of From.
type AggCall struct {
	Func     string
	Args     []Expr
	Distinct bool
	Filter   Expr
	T        rows.Type
}

// AggRef is Query.Aggs[N]; GroupRef is Query.GroupBy[N]. They occur in Select,
// Having and OrderBy only.
type AggRef struct {
	N int
	T rows.Type
}

// GroupRef is Query.GroupBy[N].
type GroupRef struct {
	N int
	T rows.Type
}

func (e *ColumnRef) Type() rows.Type { return e.T }
func (e *Literal) Type() rows.Type   { return e.T }
func (e *Param) Type() rows.Type     { return e.T }
func (e *Call) Type() rows.Type      { return e.T }
func (e *Case) Type() rows.Type      { return e.T }
func (e *Cast) Type() rows.Type      { return e.T }
func (e *In) Type() rows.Type        { return rows.Type{ID: rows.Boolean} }
func (e *AggRef) Type() rows.Type    { return e.T }
func (e *GroupRef) Type() rows.Type  { return e.T }
func (e *Subquery) Type() rows.Type  { return e.T }
func (e *OuterRef) Type() rows.Type  { return e.Column.T }

func (*ColumnRef) isExpr() {}
func (*Literal) isExpr()   {}
func (*Param) isExpr()     {}
func (*Call) isExpr()      {}
func (*Case) isExpr()      {}
func (*Cast) isExpr()      {}
func (*In) isExpr()        {}
func (*AggRef) isExpr()    {}
func (*GroupRef) isExpr()  {}
func (*Subquery) isExpr()  {}
func (*OuterRef) isExpr()  {}
