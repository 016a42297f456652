package sqlfront

import "github.com/trireme-db/trireme/internal/rows"

// The syntactic tree: what was written, names unresolved. It is the whitelist;
// whatever has no node here is DuckDB's. Names keep their case.

// selectNode is a SELECT, or with arms a set operation of two or more, which has
// only with, orderBy, limit and offset besides, or just a text of DuckDB's.
type selectNode struct {
	text     string
	call     string // a table function with its alias; text is SELECT * FROM it
	setOp    SetOp
	arms     []*selectNode
	with     []cteNode
	distinct bool
	items    []itemNode
	from     fromNode // nil: none
	where    exprNode
	groupBy  []exprNode
	having   exprNode
	orderBy  []orderNode
	limit    exprNode // *literalNode or *paramNode
	offset   exprNode
}

type cteNode struct {
	name    string
	columns []string
	query   *selectNode
	// memory is set where it stands for a table in memory, whose columns held are.
	memory InMemory
	held   []rows.Column
}

// itemNode is an expression with its explicit alias, or a star, alone or of a
// table.
type itemNode struct {
	expr      exprNode
	alias     string
	star      bool
	starTable string
}

type nullOrder uint8

const (
	nullsDefault nullOrder = iota
	nullsFirst
	nullsLast
)

type orderNode struct {
	expr  exprNode
	desc  bool
	asc   bool // written
	nulls nullOrder
}

// fromNode is *tableNode, *derivedNode or *joinNode.
type fromNode interface{ isFrom() }

type tableNode struct {
	parts   []string
	alias   string
	columns []string
}

type derivedNode struct {
	query   *selectNode
	alias   string
	columns []string
}

type joinKind uint8

const (
	joinComma joinKind = iota
	joinCross
	joinOn
	joinUsing
	joinNatural
)

// joinSide is which rows a join keeps besides those of partners, or, of the left
// side, instead of them.
type joinSide uint8

const (
	sideInner joinSide = iota
	sideLeft
	sideRight
	sideFull
	sideSemi // the left rows that have a partner
	sideAnti // the left rows that have none
)

type joinNode struct {
	kind        joinKind
	side        joinSide
	left, right fromNode
	on          exprNode
	using       []string
}

func (*tableNode) isFrom()   {}
func (*derivedNode) isFrom() {}
func (*joinNode) isFrom()    {}

// exprNode is *nameNode, *literalNode, *paramNode, *callNode, *funcNode,
// *caseNode, *castNode, *inNode or *subqueryNode; in GROUP BY also *setsNode,
// *rowNode and *allNode.
type exprNode interface{ isExprNode() }

type nameNode struct{ parts []string }

// literalNode is a constant as DuckDB text. A negative number is one literal,
// as in DuckDB's tree.
type literalNode struct {
	sql string
	typ rows.Type
	// number: a numeric literal, which a minus before it joins.
	number bool
}

type paramNode struct{ n int }

// callNode is an operator, named as in Call.
type callNode struct {
	name string
	args []exprNode
}

// setsNode is GROUPING SETS, ROLLUP or CUBE (kind, in lower case).
type setsNode struct {
	kind string
	list []exprNode
}

// rowNode is a grouping set of several expressions, or of none.
type rowNode struct{ list []exprNode }

// allNode is the ALL of GROUP BY ALL.
type allNode struct{}

// truthNode is the right side of IS [NOT] TRUE, FALSE or UNKNOWN, as the gate
// hands it over.
type truthNode struct {
	value string
	not   bool
}

// orderMark says how the expression before it in an ORDER BY in a call orders, as
// the gate hands it over.
type orderMark struct {
	asc, desc bool
	nulls     nullOrder
}

// funcNode is name(args), name(*) or name(DISTINCT args), filtered and ordered or
// not.
type funcNode struct {
	filter   exprNode
	order    []orderNode
	name     string // as written
	args     []exprNode
	star     bool
	distinct bool
}

type caseNode struct {
	operand exprNode
	whens   []whenNode
	els     exprNode
}

type whenNode struct{ cond, then exprNode }

// castNode is CAST, or TRY_CAST.
type castNode struct {
	arg exprNode
	typ rows.Type
	try bool
}

// subqueryNode is EXISTS (query), arg IN (query), arg op ANY (query) or (query).
type subqueryNode struct {
	kind  SubqueryKind
	arg   exprNode
	op    string
	query *selectNode
}

type inNode struct {
	arg  exprNode
	list []exprNode
	not  bool
}

func (*nameNode) isExprNode()     {}
func (*literalNode) isExprNode()  {}
func (*paramNode) isExprNode()    {}
func (*callNode) isExprNode()     {}
func (*funcNode) isExprNode()     {}
func (*caseNode) isExprNode()     {}
func (*castNode) isExprNode()     {}
func (*inNode) isExprNode()       {}
func (*subqueryNode) isExprNode() {}
func (*setsNode) isExprNode()     {}
func (*rowNode) isExprNode()      {}
func (*allNode) isExprNode()      {}
func (*truthNode) isExprNode()    {}
func (*orderMark) isExprNode()    {}
