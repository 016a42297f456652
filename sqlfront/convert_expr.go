package sqlfront

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	driver "github.com/pingcap/tidb/pkg/parser/test_driver"

	"github.com/trireme-db/trireme/internal/rows"
)

// Levels of DuckDB's operators, loosest first. The parser has its own; a tree is
// right under both when every operand that stands without parentheses binds
// tighter than its operator, or as tight on the left of a left-associative one.
// DuckDB has several levels where levelPredicate is one and does not let them
// meet without parentheses here.
const (
	levelOr = iota
	levelAnd
	levelNot
	levelPredicate
	levelConcat
	levelAdd
	levelMultiply
	levelPower
	levelUnary
	levelPrimary
)

var binaryOperators = map[opcode.Op]struct {
	name  string
	level int
}{
	opcode.LogicOr: {"or", levelOr}, opcode.LogicAnd: {"and", levelAnd},
	opcode.EQ: {"=", levelPredicate}, opcode.NE: {"<>", levelPredicate}, opcode.LT: {"<", levelPredicate},
	opcode.LE: {"<=", levelPredicate}, opcode.GT: {">", levelPredicate}, opcode.GE: {">=", levelPredicate},
	opcode.NullEQ: {"is not distinct from", levelPredicate},
	opcode.Plus:   {"+", levelAdd}, opcode.Minus: {"-", levelAdd},
	opcode.Mul: {"*", levelMultiply}, opcode.Div: {"/", levelMultiply}, opcode.Mod: {"%", levelMultiply},
	opcode.IntDiv: {"//", levelMultiply}, opcode.Xor: {"^", levelPower},
	opcode.And: {"&", levelConcat}, opcode.Or: {"|", levelConcat},
	opcode.LeftShift: {"<<", levelConcat}, opcode.RightShift: {">>", levelConcat},
}

const concatName = "concat" // what the parser makes of ||

func levelOf(e ast.ExprNode) int {
	switch e := e.(type) {
	case *ast.BinaryOperationExpr:
		op, ok := binaryOperators[e.Op]
		if !ok {
			refuse("syntax: operator")
		}
		return op.level
	case *ast.UnaryOperationExpr:
		if e.Op == opcode.Not || e.Op == opcode.Not2 {
			return levelNot
		}
		if e.Op == opcode.BitNeg {
			return levelConcat
		}
		return levelUnary
	case *ast.BetweenExpr, *ast.PatternInExpr, *ast.PatternLikeOrIlikeExpr, *ast.PatternRegexpExpr,
		*ast.IsNullExpr, *ast.IsTruthExpr, *ast.CompareSubqueryExpr:
		return levelPredicate
	case *ast.FuncCallExpr:
		if e.FnName.L == concatName {
			return levelConcat
		}
	}
	return levelPrimary
}

// operand converts an operand whose level must be at least the given one.
func (c *converter) operand(e ast.ExprNode, level int) exprNode {
	if levelOf(e) < level {
		refuse("operator precedence without parentheses")
	}
	return c.expr(e)
}

func (c *converter) operands(level int, list ...ast.ExprNode) []exprNode {
	out := make([]exprNode, len(list))
	for i, e := range list {
		out[i] = c.operand(e, level)
	}
	return out
}

func (c *converter) exprs(list []ast.ExprNode) []exprNode { return c.operands(levelOr, list...) }

func (c *converter) expr(e ast.ExprNode) exprNode {
	c.enter()
	defer func() { c.depth-- }()
	switch e := e.(type) {
	case *ast.ParenthesesExpr:
		return c.expr(e.Expr)
	case *ast.ColumnNameExpr:
		if e.Name.Table.O != "" || e.Name.Schema.O != "" {
			refuse("syntax: name")
		}
		return &nameNode{parts: strings.Split(e.Name.Name.O, nameSeparator)}
	case *driver.ParamMarkerExpr:
		mark := c.gated.marks[e.Offset]
		switch mark.(type) {
		case nil, *truthNode, *orderMark, *rowNode:
			refuse("syntax: parameter")
		}
		return mark
	case *ast.BinaryOperationExpr:
		return c.binary(e)
	case *ast.UnaryOperationExpr:
		return c.unary(e)
	case *ast.IsNullExpr:
		return &callNode{name: notName(e.Not, "is null", "is not null"), args: c.operands(levelConcat, e.Expr)}
	case *ast.BetweenExpr:
		return &callNode{name: notName(e.Not, "between", "not between"), args: c.operands(levelConcat, e.Expr, e.Left, e.Right)}
	case *ast.PatternLikeOrIlikeExpr:
		return c.like(e)
	case *ast.PatternRegexpExpr: // the gate's IS DISTINCT FROM
		if e.Not {
			refuse("syntax: operator")
		}
		return &callNode{name: "is distinct from", args: c.operands(levelConcat, e.Expr, e.Pattern)}
	case *ast.PatternInExpr:
		if e.Sel != nil {
			return c.inQuery(e.Expr, e.Sel, e.Not)
		}
		return &inNode{arg: c.operand(e.Expr, levelConcat), list: c.exprs(e.List), not: e.Not}
	case *ast.CaseExpr:
		return c.caseExpr(e)
	case *ast.FuncCallExpr:
		return c.call(e)
	case *ast.SubqueryExpr:
		return &subqueryNode{kind: Scalar, query: c.query(e.Query)}
	case *ast.ExistsSubqueryExpr:
		return negated(&subqueryNode{kind: Exists, query: c.subquery(e.Sel)}, e.Not)
	case *ast.CompareSubqueryExpr:
		return c.compareQuery(e)
	case *ast.RowExpr:
		if !c.inSets {
			return &rowNode{list: c.exprs(e.Values)}
		}
		return &rowNode{list: c.setList(e.Values)}
	case *ast.IsTruthExpr:
		refuse("syntax: NULLS")
	}
	refuse("syntax: expression")
	return nil
}

// opposite is the comparison that is TRUE where another is FALSE.
var opposite = map[opcode.Op]opcode.Op{
	opcode.EQ: opcode.NE, opcode.NE: opcode.EQ, opcode.LT: opcode.GE, opcode.GE: opcode.LT, opcode.LE: opcode.GT, opcode.GT: opcode.LE,
}

// compareQuery converts a comparison with ANY, or with ALL, which is that no row
// has the opposite.
func (c *converter) compareQuery(e *ast.CompareSubqueryExpr) exprNode {
	op, ok := opposite[e.Op]
	if !ok {
		refuse("comparison with ANY or ALL")
	}
	if !e.All {
		op = e.Op
	}
	s := &subqueryNode{kind: InQuery, arg: c.operand(e.L, levelConcat), query: c.subquery(e.R)}
	if op != opcode.EQ {
		s.op = binaryOperators[op].name
	}
	return negated(s, e.All)
}

func (c *converter) inQuery(arg, query ast.ExprNode, not bool) exprNode {
	return negated(&subqueryNode{kind: InQuery, arg: c.operand(arg, levelConcat), query: c.subquery(query)}, not)
}

func (c *converter) subquery(e ast.ExprNode) *selectNode {
	s, ok := e.(*ast.SubqueryExpr)
	if !ok {
		refuse("syntax: subquery")
	}
	return c.query(s.Query)
}

func negated(e exprNode, not bool) exprNode {
	if not {
		return &callNode{name: "not", args: []exprNode{e}}
	}
	return e
}

func notName(not bool, plain, negated string) string {
	if not {
		return negated
	}
	return plain
}

func (c *converter) binary(e *ast.BinaryOperationExpr) exprNode {
	level := levelOf(e)
	left, right := level, level+1
	if level == levelPredicate {
		left = levelConcat // not associative
	}
	name := binaryOperators[e.Op].name
	if t := c.truth(e.R); t != nil {
		return &callNode{name: t.test(), args: []exprNode{c.operand(e.L, left)}}
	}
	r, signs := unsigned(e.R)
	switch {
	case signs == 1 && name == "^":
		name = "**"
	case signs == 1 && name == "=": // ==
		return &callNode{name: name, args: []exprNode{c.operand(e.L, levelConcat), c.operand(r, levelAdd)}}
	case signs > 0:
		refuse("syntax: operator")
	}
	return &callNode{name: name, args: []exprNode{c.operand(e.L, left), c.operand(r, right)}}
}

func (c *converter) unary(e *ast.UnaryOperationExpr) exprNode {
	switch e.Op {
	case opcode.Not:
		return &callNode{name: "not", args: c.operands(levelNot, e.V)}
	case opcode.Plus:
		return &callNode{name: "pos", args: c.operands(levelUnary, e.V)}
	case opcode.Minus:
		arg := c.operand(e.V, levelUnary)
		if l, ok := arg.(*literalNode); ok && l.number {
			return negate(l)
		}
		return &callNode{name: "neg", args: []exprNode{arg}}
	}
	if e.Op == opcode.BitNeg {
		return &callNode{name: "~", args: c.operands(levelPrimary, e.V)}
	}
	refuse("syntax: unary operator")
	return nil
}

// truth is the gate's right side of IS TRUE and the like; nil: another expression.
func (c *converter) truth(e ast.ExprNode) *truthNode {
	mark, ok := e.(*driver.ParamMarkerExpr)
	if !ok {
		return nil
	}
	t, _ := c.gated.marks[mark.Offset].(*truthNode)
	return t
}

// test names the call that a truthNode makes.
func (t *truthNode) test() string {
	if t.value == "unknown" {
		return notName(t.not, "is null", "is not null")
	}
	return notName(t.not, "is ", "is not ") + t.value
}

// matchers are what LIKE and ILIKE stand for by the number of the gate's signs.
var matchers = map[bool][]string{true: {"", "~~~", regexpFullMatch, "like"}, false: {"", regexpFullMatch, "ilike"}}

const regexpFullMatch = "regexp_full_match"

// unsigned takes the gate's signs from the front of a right operand.
func unsigned(e ast.ExprNode) (operand ast.ExprNode, signs int) {
	u, ok := e.(*ast.UnaryOperationExpr)
	for ; ok && u.Op == opcode.Not2; u, ok = e.(*ast.UnaryOperationExpr) {
		e = u.V
		signs++
	}
	if b, binary := e.(*ast.BinaryOperationExpr); signs == 0 && binary {
		first, signs := unsigned(b.L)
		if signs == 0 {
			return e, 0
		}
		out := *b
		out.L = first
		return &out, signs
	}
	f, ok := e.(*ast.FuncCallExpr)
	if signs > 0 || !ok || f.FnName.L != concatName || len(f.Args) != 2 {
		return e, signs
	}
	first, signs := unsigned(f.Args[0])
	if signs == 0 {
		return e, 0
	}
	out := *f
	out.Args = []ast.ExprNode{first, f.Args[1]}
	return &out, signs
}

// match converts GLOB, SIMILAR TO and ~.
func (c *converter) match(e *ast.PatternLikeOrIlikeExpr, pattern ast.ExprNode, signs int) exprNode {
	names := matchers[e.IsLike]
	if signs >= len(names) || e.EscapeExplicit {
		refuse("syntax: operator")
	}
	level, name := levelConcat, names[signs]
	operator := name == "like" || name == "ilike" // ~~ and ~~*
	if !e.IsLike || operator {
		level = levelAdd
	}
	if operator {
		return &callNode{name: notName(e.Not, name, "not "+name), args: []exprNode{c.operand(e.Expr, levelConcat), c.operand(pattern, level)}}
	}
	args := c.operands(level, e.Expr, pattern)
	if name != regexpFullMatch {
		if e.Not {
			refuse("syntax: operator")
		}
		return &callNode{name: name, args: args}
	}
	return negated(&funcNode{name: regexpFullMatch, args: args}, e.Not)
}

// negate folds a minus into a number, as DuckDB's parser does.
func negate(l *literalNode) exprNode {
	if strings.HasPrefix(l.sql, "-") {
		refuse("syntax: repeated minus")
	}
	typ := l.typ
	switch digits := strings.TrimLeft(l.sql, "0"); {
	case digits == "9223372036854775808":
		typ.ID = rows.BigInt
	case digits == hugeIntMin:
		typ.ID = rows.HugeInt
	case typ.ID == rows.UHugeInt:
		refuse("syntax: number -", l.sql) // a DOUBLE
	}
	if typ.IsExact() && strings.Trim(l.sql, "0.") == "" { // 0 and -0 are one number
		return l
	}
	return &literalNode{sql: "-" + l.sql, typ: typ, number: true}
}

// numberText is a number as it is written, the same for all ways to write a number of
// one type: expressions are equal where their numbers are.
func numberText(s string, t rows.Type) string {
	if t.IsInteger() {
		if digits := strings.TrimLeft(s, "0"); digits != "" {
			return digits
		}
		return "0"
	}
	if t.ID == rows.Double {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			return strconv.FormatFloat(v, 'e', -1, 64)
		}
	}
	return s
}

func (c *converter) like(e *ast.PatternLikeOrIlikeExpr) exprNode {
	name := notName(e.Not, "ilike", "not ilike")
	if e.IsLike {
		name = notName(e.Not, "like", "not like")
	}
	if pattern, signs := unsigned(e.Pattern); signs > 0 {
		return c.match(e, pattern, signs)
	}
	if e.EscapeExplicit { // a function to DuckDB
		escape := &literalNode{sql: "'" + string(rune(e.Escape)) + "'", typ: rows.Type{ID: rows.Varchar}}
		switch e.Escape {
		case '\'':
			escape.sql = "''''"
		case backslashEscape:
			escape.sql = `'\'`
		}
		name = strings.ReplaceAll(name, " ", "_") + "_escape"
		return &funcNode{name: name, args: append(c.operands(levelConcat, e.Expr, e.Pattern), escape)}
	}
	return &callNode{name: name, args: c.operands(levelConcat, e.Expr, e.Pattern)}
}

func (c *converter) caseExpr(e *ast.CaseExpr) exprNode {
	out := &caseNode{}
	if e.Value != nil {
		out.operand = c.expr(e.Value)
	}
	for _, w := range e.WhenClauses {
		out.whens = append(out.whens, whenNode{cond: c.expr(w.Expr), then: c.expr(w.Result)})
	}
	if e.ElseClause != nil {
		out.els = c.expr(e.ElseClause)
	}
	return out
}

// call converts what the gate has named, and ||.
func (c *converter) call(e *ast.FuncCallExpr) exprNode {
	name := e.FnName.O
	if e.Schema.O != "" {
		refuse("qualified function name")
	}
	switch {
	case e.FnName.L == concatName && len(e.Args) == 2:
		return &callNode{name: "||", args: []exprNode{c.operand(e.Args[0], levelConcat), c.operand(e.Args[1], levelAdd)}}
	case strings.HasPrefix(name, castPrefix):
		return c.cast(e, name[len(castPrefix):], false)
	case strings.HasPrefix(name, tryPrefix):
		return c.cast(e, name[len(tryPrefix):], true)
	case name == zoneName && len(e.Args) == 2:
		return &funcNode{name: "timezone", args: []exprNode{c.expr(e.Args[1]), c.expr(e.Args[0])}}
	case name == filterName && len(e.Args) == 2:
		f, ok := c.expr(e.Args[0]).(*funcNode)
		if !ok || f.filter != nil {
			refuse("FILTER")
		}
		f.filter = c.expr(e.Args[1])
		return f
	case strings.HasPrefix(name, setsPrefix):
		if !c.inSets {
			refuse("GROUPING SETS")
		}
		return &setsNode{kind: name[len(setsPrefix):], list: c.setList(e.Args)}
	case strings.HasPrefix(name, starPrefix) && len(e.Args) == 0:
		return &funcNode{name: name[len(starPrefix):], star: true}
	case strings.HasPrefix(name, distinctPrefix):
		args, order := c.arguments(e.Args)
		return &funcNode{name: name[len(distinctPrefix):], args: args, distinct: true, order: order}
	case strings.HasPrefix(name, funcPrefix):
		args, order := c.arguments(e.Args)
		return &funcNode{name: name[len(funcPrefix):], args: args, order: order}
	}
	refuse("syntax: call")
	return nil
}

// arguments converts the arguments of a call and the ORDER BY after them.
func (c *converter) arguments(list []ast.ExprNode) (args []exprNode, order []orderNode) {
	n := len(list) - 1
	if n < 0 {
		return nil, nil
	}
	by, ok := list[n].(*ast.FuncCallExpr)
	if !ok || by.FnName.O != orderName || by.Schema.O != "" {
		return c.exprs(list), nil
	}
	for i := 0; i+1 < len(by.Args); i += 2 {
		mark, ok := by.Args[i+1].(*driver.ParamMarkerExpr)
		if !ok {
			refuse("syntax: ORDER BY")
		}
		how, ok := c.gated.marks[mark.Offset].(*orderMark)
		if !ok {
			refuse("syntax: ORDER BY")
		}
		order = append(order, orderNode{expr: c.expr(by.Args[i]), desc: how.desc, asc: how.asc, nulls: how.nulls})
	}
	return c.exprs(list[:n]), order
}

func (c *converter) cast(e *ast.FuncCallExpr, number string, try bool) exprNode {
	n, err := strconv.Atoi(number)
	if err != nil || n >= len(c.gated.types) || len(e.Args) != 1 {
		refuse("syntax: CAST")
	}
	return &castNode{arg: c.expr(e.Args[0]), typ: c.gated.types[n], try: try}
}

// groupItem converts an element of GROUP BY, where rows are grouping sets.
func (c *converter) groupItem(e ast.ExprNode) exprNode {
	return c.setList([]ast.ExprNode{e})[0]
}

// emptySet is the gate's () as an element of GROUP BY or of grouping sets; nil:
// another expression. Anywhere else it means nothing.
func (c *converter) emptySet(e ast.ExprNode) exprNode {
	mark, ok := e.(*driver.ParamMarkerExpr)
	if !ok {
		return nil
	}
	if row, ok := c.gated.marks[mark.Offset].(*rowNode); ok {
		return row
	}
	return nil
}

// setList converts grouping sets; inside their expressions there are none.
func (c *converter) setList(list []ast.ExprNode) []exprNode {
	var out []exprNode
	for _, e := range list {
		if set := c.emptySet(e); set != nil {
			out = append(out, set)
			continue
		}
		f, call := e.(*ast.FuncCallExpr)
		_, row := e.(*ast.RowExpr)
		c.inSets = row || call && strings.HasPrefix(f.FnName.O, setsPrefix)
		out = append(out, c.expr(e))
	}
	c.inSets = false
	return out
}
