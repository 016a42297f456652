package engine

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// stateExpr is an expression of a load over the rows of a recursion, which are in
// memory: integers of DuckDB's types INTEGER and BIGINT with their arithmetic,
// comparisons of values of one kind, and three-valued logic. Doubles stand for themselves
// and are compared, by their ranks. What it has no word
// for, and every error that DuckDB would raise, is left to DuckDB.
type stateExpr struct {
	op    string // "column", "number", "null" or an operator
	col   int
	value int64
	args  []*stateExpr
	t     rows.Type
}

// errStateExpr says that DuckDB has to evaluate an expression: it raises an error
// there.
var errStateExpr = errors.New("a value is out of range")

var (
	stateInteger = rows.Type{ID: rows.Integer}
	stateBigInt  = rows.Type{ID: rows.BigInt}
	stateBoolean = rows.Type{ID: rows.Boolean}
	stateDouble  = rows.Type{ID: rows.Double}
)

// rankOf is an integer whose order is that of the doubles, NaN being greatest: so columns
// of doubles are compared as those of integers are. Both zeros are one.
func rankOf(x float64) int64 {
	switch {
	case x == 0:
		return 0
	case math.IsNaN(x):
		return math.MaxInt64
	}
	b := int64(math.Float64bits(x))
	return b ^ b>>63&math.MaxInt64
}

// ofRank is the double that an integer stands for.
func ofRank(r int64) float64 {
	if r == math.MaxInt64 {
		return math.NaN()
	}
	return math.Float64frombits(uint64(r ^ r>>63&math.MaxInt64))
}

// parseState reads an expression as the SQL printer writes it; nil: it has parts
// that are not evaluated here.
func parseState(sql string, columns []rows.Column) *stateExpr {
	p := &stateParser{src: sql, columns: columns}
	e := p.expr()
	if p.at != len(p.src) {
		return nil
	}
	return e
}

// stateParser reads the printer's SQL: every operation is in parentheses.
type stateParser struct {
	src     string
	at      int
	columns []rows.Column
}

// take moves past a text if it comes next.
func (p *stateParser) take(text string) bool {
	if !strings.HasPrefix(p.src[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

func (p *stateParser) expr() *stateExpr {
	switch {
	case p.take(`"`):
		return p.column()
	case p.take("CAST("):
		return p.cast()
	case p.take("NULL"):
		return &stateExpr{op: "null", t: stateInteger}
	case p.take("(- "):
		return p.closed("neg", p.expr())
	case p.take("(NOT "):
		return p.closed("NOT", p.expr())
	case p.take("coalesce("):
		return p.list("coalesce", ", ")
	case p.take("("):
		return p.infix()
	}
	return p.number()
}

// column reads the rest of a quoted name.
func (p *stateParser) column() *stateExpr {
	var name strings.Builder
	for {
		end := strings.IndexByte(p.src[p.at:], '"')
		if end < 0 {
			return nil
		}
		name.WriteString(p.src[p.at : p.at+end])
		p.at += end + 1
		if !p.take(`"`) {
			break
		}
		name.WriteByte('"')
	}
	i := slices.IndexFunc(p.columns, func(c rows.Column) bool { return c.Name == name.String() })
	if i < 0 {
		return nil
	}
	return &stateExpr{op: "column", col: i, t: p.columns[i].Type}
}

// number reads an INTEGER; one that is larger could have any type.
func (p *stateParser) number() *stateExpr {
	end := p.at
	for end < len(p.src) && '0' <= p.src[end] && p.src[end] <= '9' {
		end++
	}
	v, err := strconv.ParseInt(p.src[p.at:end], 10, 32)
	if err != nil {
		return nil
	}
	p.at = end
	return &stateExpr{op: "number", value: v, t: stateInteger}
}

// cast reads the rest of a cast between INTEGER and BIGINT.
func (p *stateParser) cast() *stateExpr {
	e := p.expr()
	if e == nil || !p.take(" AS ") {
		return nil
	}
	t := stateBigInt
	switch {
	case p.take("BIGINT)"):
	case p.take("INTEGER)"):
		t = stateInteger
	default:
		return nil
	}
	if e.op == "null" {
		return &stateExpr{op: "null", t: t}
	}
	if !e.arithmetic() {
		return nil
	}
	return &stateExpr{op: "CAST", args: []*stateExpr{e}, t: t}
}

// arithmetic reports whether the expression's arithmetic is done here.
func (e *stateExpr) arithmetic() bool { return e != nil && (e.t == stateInteger || e.t == stateBigInt) }

// closed reads the parenthesis behind the one operand of an operator.
func (p *stateParser) closed(op string, arg *stateExpr) *stateExpr {
	if arg == nil || !p.take(")") {
		return nil
	}
	e := &stateExpr{op: op, args: []*stateExpr{arg}, t: arg.t}
	if op == "neg" && !arg.arithmetic() || op == "NOT" && arg.t != stateBoolean {
		return nil
	}
	return e
}

// infix reads the rest of an operation on two or more operands, or of IS NULL.
func (p *stateParser) infix() *stateExpr {
	first := p.expr()
	if first == nil {
		return nil
	}
	for _, op := range []string{"IS NOT NULL", "IS NULL"} {
		if p.take(" " + op + ")") {
			return &stateExpr{op: op, args: []*stateExpr{first}, t: stateBoolean}
		}
	}
	for _, op := range []string{"AND", "OR", "+", "-", "*", "=", "<>", "<=", "<", ">=", ">"} {
		if p.take(" " + op + " ") {
			return p.operands(op, " "+op+" ", first)
		}
	}
	return nil
}

// list reads the arguments of a function.
func (p *stateParser) list(op, separator string) *stateExpr {
	first := p.expr()
	if first == nil || !p.take(separator) {
		return nil
	}
	return p.operands(op, separator, first)
}

// operands reads the operands behind the first.
func (p *stateParser) operands(op, separator string, first *stateExpr) *stateExpr {
	e := &stateExpr{op: op, args: []*stateExpr{first}}
	for {
		arg := p.expr()
		if arg == nil {
			return nil
		}
		e.args = append(e.args, arg)
		if p.take(")") {
			return e.typed()
		}
		if !p.take(separator) {
			return nil
		}
	}
}

// typed gives an operation its type; nil where the operands are of other types.
func (e *stateExpr) typed() *stateExpr {
	arithmetic, e0 := true, e.args[0]
	for _, a := range e.args {
		arithmetic = arithmetic && a.arithmetic()
	}
	switch e.op {
	case "AND", "OR":
		e.t = stateBoolean
		if slices.ContainsFunc(e.args, func(a *stateExpr) bool { return a.t != stateBoolean }) {
			return nil
		}
	case "+", "-", "*", "coalesce":
		if !arithmetic || len(e.args) != 2 {
			return nil
		}
		e.t = stateInteger
		if e0.t == stateBigInt || e.args[1].t == stateBigInt {
			e.t = stateBigInt
		}
	default:
		e.t = stateBoolean
		same := e0.t == e.args[1].t && (e0.t.Physical() == rows.PhysInt64 || e0.t == stateDouble)
		if len(e.args) != 2 || !arithmetic && !same {
			return nil
		}
	}
	return e
}

// strictly reports whether the expression is NULL only where a column is.
func (e *stateExpr) strictly() bool {
	switch e.op {
	case "null", "coalesce", "AND", "OR", "IS NULL", "IS NOT NULL":
		return false
	}
	return !slices.ContainsFunc(e.args, func(a *stateExpr) bool { return !a.strictly() })
}

// reads appends the columns of the expression, each once.
func (e *stateExpr) reads(have []int) []int {
	if e.op == "column" && !slices.Contains(have, e.col) {
		have = append(have, e.col)
	}
	for _, a := range e.args {
		have = a.reads(have)
	}
	return have
}

// stateColumn is the values of an expression, one per row.
type stateColumn struct {
	values []int64 // of doubles, their ranks
	nulls  []bool  // nil: none
}

func (c *stateColumn) null(i int) bool { return c.nulls != nil && c.nulls[i] }

// setNull makes row i of n NULL.
func (c *stateColumn) setNull(i, n int) {
	if c.nulls == nil {
		c.nulls = make([]bool, n)
	}
	c.nulls[i] = true
}

// eval evaluates the expression on n rows whose columns are given. It fails with
// errStateExpr where DuckDB raises an error.
func (e *stateExpr) eval(n int, column func(i int) stateColumn) (out stateColumn, err error) {
	switch e.op {
	case "column":
		return column(e.col), nil
	case "number":
		return stateColumn{values: slices.Repeat([]int64{e.value}, n)}, nil
	case "null":
		return stateColumn{values: make([]int64, n), nulls: slices.Repeat([]bool{true}, n)}, nil
	}
	args := make([]stateColumn, len(e.args))
	for i, a := range e.args {
		if args[i], err = a.eval(n, column); err != nil {
			return out, err
		}
	}
	out.values = make([]int64, n)
	switch e.op {
	case "AND", "OR":
		logic(e.op == "OR", args, &out)
	case "IS NULL", "IS NOT NULL":
		for i := range out.values {
			out.values[i] = truth(args[0].null(i) == (e.op == "IS NULL"))
		}
	case "coalesce":
		for i := range out.values {
			a := &args[0]
			if a.null(i) {
				a = &args[1]
			}
			if out.values[i] = a.values[i]; a.null(i) {
				out.setNull(i, n)
			}
		}
	default:
		err = e.strict(args, &out)
	}
	return out, err
}

// logic is AND or OR of three-valued arguments: one that is FALSE or TRUE decides.
func logic(decides bool, args []stateColumn, out *stateColumn) {
	for i := range out.values {
		decided, null := false, false
		for a := range args {
			if args[a].null(i) {
				null = true
			} else if (args[a].values[i] != 0) == decides {
				decided = true
			}
		}
		out.values[i] = truth(decided == decides)
		if null && !decided {
			out.setNull(i, len(out.values))
		}
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// strict evaluates an operator that is NULL where an argument is.
func (e *stateExpr) strict(args []stateColumn, out *stateColumn) error {
	a := &args[0]
	b := &args[len(args)-1]
	plain := a.nulls == nil && b.nulls == nil
	for i := range out.values {
		if plain && i > 0 && a.values[i] == a.values[i-1] && b.values[i] == b.values[i-1] {
			out.values[i] = out.values[i-1] // as levels are, of all rows of a step
			continue
		}
		if a.null(i) || b.null(i) {
			out.setNull(i, len(out.values))
			continue
		}
		v, ok := apply(e.op, a.values[i], b.values[i])
		if !ok || e.t == stateInteger && v != int64(int32(v)) {
			return errStateExpr
		}
		out.values[i] = v
	}
	return nil
}

// apply computes one value; ok is false where it does not fit 64 bits.
func apply(op string, a, b int64) (v int64, ok bool) {
	switch op {
	case "+":
		v = a + b
		return v, (v > a) == (b > 0)
	case "-":
		v = a - b
		return v, (v < a) == (b > 0)
	case "*":
		return times(a, b)
	case "neg":
		return -a, a != math.MinInt64
	case "CAST":
		return a, true
	case "NOT":
		return truth(a == 0), true
	case "=":
		return truth(a == b), true
	case "<>":
		return truth(a != b), true
	case "<":
		return truth(a < b), true
	case "<=":
		return truth(a <= b), true
	case ">":
		return truth(a > b), true
	}
	return truth(a >= b), true
}

func times(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false // MinInt64 as well: DuckDB says
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
