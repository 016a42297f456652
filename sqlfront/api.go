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
}

// Function is what binding must know of a function.
type Function struct {
	Scalar     bool // a scalar function of DuckDB with that name exists
	Aggregate  bool
	Macro      bool
	Redefined  bool // a macro of the user's has this name
	Consistent bool // all overloads are CONSISTENT
}

// Preparer asks DuckDB about a text without executing it; engine implements it.
type Preparer interface {
	// Describe returns the result columns and parameter types of a statement, or
	// DuckDB's error for it. Untyped parameters take the given types (by number;
	// Invalid or missing: none known).
	Describe(ctx context.Context, sql string, params []rows.Type) (Description, error)
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
}

// Query is one bound SELECT block. A derived table or common table expression
// that only selects, projects and joins is part of the block that reads it: its
// sources are in From, its conditions in Where, and its columns are put where
// they are used (a constant under a Cast, so that its type stays).
type Query struct {
	From []Source
	// Where are conjuncts, those of inner joins, USING and NATURAL included. One
	// may have no column at all, and need not be BOOLEAN.
	Where   []Expr
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
}

// Source is one element of FROM. Alias is unique in its block: a number is
// added to one that the text repeats, or brings in from another block.
type Source struct {
	Alias string
	Table *Table // base table, or
	Query *Query // derived table or CTE reference (each reference has its own copy)
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
// *In, *AggRef, *GroupRef. Its Type is DuckDB's.
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

// Call is an operator or function: Name is lower-case. Operators use their
// symbol: + - * / % || = <> < <= > >= and or (two arguments) not neg, "is null",
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

// AggCall is an aggregate: count (Args empty: count(*)), sum, avg, min, max.
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

func (*ColumnRef) isExpr() {}
func (*Literal) isExpr()   {}
func (*Param) isExpr()     {}
func (*Call) isExpr()      {}
func (*Case) isExpr()      {}
func (*Cast) isExpr()      {}
func (*In) isExpr()        {}
func (*AggRef) isExpr()    {}
func (*GroupRef) isExpr()  {}
