package notation

import (
	"context"
	"errors"
	"strings"

	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Env is what the session knows and a text does not tell.
type Env struct {
	// Columns are the columns of a query.
	Columns func(ctx context.Context, query string) ([]rows.Column, error)
	// Owns reports whether a function of that name is the user's.
	Owns func(ctx context.Context, name string) (bool, error)
	// View is the SELECT of a view with tensor programs in it, and its columns; empty
	// where a name is something else. Nil: there are no such views.
	View func(ctx context.Context, parts []string) (body string, columns []string, err error)
}

const (
	callName    = "einsum"
	programName = "tensor"
)

// Functions are the names of the functions that Expand replaces.
func Functions() []string { return []string{callName, programName} }

// MayHave reports whether a text can have a call: a quick look.
func MayHave(sql string) bool {
	for i := 0; i+len(callName) <= len(sql); i++ {
		word := sql[i : i+len(callName)] // the other name is as long
		switch sql[i] | 0x20 {
		case callName[0]:
			if strings.EqualFold(word, callName) {
				return true
			}
		case programName[0]:
			if strings.EqualFold(word, programName) {
				return true
			}
		}
	}
	return false
}

// Expand replaces the calls of a statement.
func Expand(ctx context.Context, sql string, env Env) (*Text, error) {
	out := &Text{SQL: sql}
	if env.View == nil && !MayHave(sql) {
		return out, nil
	}
	r, err := newReader(sql)
	if err != nil {
		return nil, err
	}
	x := &expander{reader: r, env: env, from: []bool{false}, commons: []*commons{nil}}
	for i := 0; i < len(r.tokens); {
		if i, err = x.token(ctx, i); err != nil {
			return nil, err
		}
	}
	if len(x.edits) > 0 {
		out.SQL, out.edits = x.edits.Apply(sql, 0, len(sql)), x.edits
	}
	return out, nil
}

// expander replaces the calls of one statement, in the order of the text.
type expander struct {
	*reader
	env   Env
	edits sqlfront.Edits
	// from says of each parenthesis that is open whether names stand for tables here.
	from []bool
	// commons are the common table expressions of each parenthesis that is open; nil
	// for most.
	commons []*commons
	named   bool // a call without an alias has got its name
}

// clauses are the words after which names stand for tables, or for columns again.
var clauses = map[string]bool{
	"from": true, "join": true, "using": true, "into": true, "table": true,
	"where": false, "group": false, "order": false, "having": false, "limit": false, "select": false, "union": false,
	"intersect": false, "except": false, "on": false, "window": false, "set": false, "values": false, "qualify": false,
}

// token handles token i and returns where to go on.
func (x *expander) token(ctx context.Context, i int) (int, error) {
	top := len(x.from) - 1
	switch {
	case x.is(i, "("):
		x.from = append(x.from, x.from[top] && x.is(i-1, "from", "join", ",", "("))
		x.commons = append(x.commons, nil)
	case x.is(i, ")"):
		if top > 0 {
			x.from, x.commons = x.from[:top], x.commons[:top]
		}
	case x.kind(i) == sqlfront.TokenQuoted && x.env.View != nil && x.from[top] && x.is(i-1, "from", "join", ",", "using"):
		return x.view(ctx, i)
	case x.kind(i) != sqlfront.TokenWord || x.is(i-1, "."):
	case x.is(i, "with"):
		x.with(i)
	case x.is(i, callName, programName) && x.is(i+1, "(") && x.from[top] && x.is(i-1, "from", "join", ",", "(", "lateral", "using"):
		return x.call(ctx, i)
	case x.env.View != nil && x.from[top] && x.is(i-1, "from", "join", ",", "(", "using") && !x.is(i-2, "delete"):
		return x.view(ctx, i)
	default:
		if from, ok := clauses[strings.ToLower(x.text(i))]; ok {
			x.from[top] = from
		}
	}
	return i + 1, nil
}

// commons are the definitions of a WITH clause.
type commons struct {
	recursive bool
	list      []common
}

// common is one definition: its text and the tokens of its query.
type common struct {
	name       string
	start, end int // bytes
}

// with notes the definitions of the WITH clause at token i. They hold to the end of the
// parenthesis that the clause is in.
func (x *expander) with(i int) {
	c := &commons{}
	i++
	if x.is(i, "recursive") {
		c.recursive = true
		i++
	}
	for x.isName(i) {
		d := common{name: x.name(i), start: x.start(i)}
		if i++; x.is(i, "(") && x.other[i] > 0 {
			i = x.other[i] + 1
		}
		for x.is(i, "as", "not", "materialized") {
			i++
		}
		if !x.is(i, "(") || x.other[i] < 0 {
			break
		}
		i = x.other[i]
		d.end = x.tokens[i].End
		c.list = append(c.list, d)
		if i++; !x.is(i, ",") {
			break
		}
		i++
	}
	x.commons[len(x.commons)-1] = c
}

// scope is the WITH clause of what the call at a place can name, empty if nothing.
func (x *expander) scope(place int) string {
	var list []string
	recursive := false
	for _, c := range x.commons {
		if c == nil {
			continue
		}
		for _, d := range c.list {
			if d.end > place {
				break // the call stands in this one, or before it
			}
			list = append(list, x.edits.Apply(x.src, d.start, d.end))
			recursive = recursive || c.recursive
		}
	}
	if len(list) == 0 {
		return ""
	}
	with := "WITH "
	if recursive {
		with += "RECURSIVE "
	}
	return with + strings.Join(list, ", ") + " "
}

func fail(offset int, format string, args ...any) *sqlerr.Error {
	return sqlerr.At(sqlerr.SyntaxError, offset, callName+": "+format, args...)
}

// call replaces the call at token i.
func (x *expander) call(ctx context.Context, i int) (int, error) {
	closing := x.other[i+1]
	if closing < 0 {
		return i + 1, nil // DuckDB has the error
	}
	name, what := callName, "expression"
	if x.is(i, programName) {
		name, what = programName, "program"
	}
	if owned, err := x.env.Owns(ctx, name); owned || err != nil {
		return i + 1, err
	}
	args := x.arguments(i+1, closing)
	if len(args) == 0 || x.kind(args[0].from) != sqlfront.TokenString || args[0].to != args[0].from+1 {
		at := x.start(closing)
		if len(args) > 0 {
			at = x.start(args[0].from)
		}
		return 0, sqlerr.At(sqlerr.SyntaxError, at, "%s: the first argument is the %s, a string", name, what).
			WithHint("It says what columns the result has, so it is read before anything runs: no parameter or column can stand for it.")
	}
	c := &call{expander: x, expression: args[0].from, args: args[1:], closing: closing}
	before := len(x.edits)
	write := c.sql
	if name == programName {
		write = c.program
	}
	sql, err := write(ctx)
	if err != nil {
		return 0, err
	}
	x.edits = x.edits[:before] // those of operands are in sql
	if x.alone(i, closing) {
		x.edits = append(x.edits, sqlfront.Edit{Start: x.start(i - 3), End: x.tokens[closing].End, Text: sql, Place: x.start(i)})
		return closing + 1, nil
	}
	text := "(" + sql + ")"
	if !x.hasAlias(closing+1) && !x.named {
		text += " AS " + name
		x.named = true
	}
	x.edits = append(x.edits, sqlfront.Edit{Start: x.start(i), End: x.tokens[closing].End, Text: text, Place: x.start(i)})
	return closing + 1, nil
}

// afterTable are words that may follow a table and are no alias of it.
var afterTable = []string{
	"where", "join", "left", "right", "inner", "outer", "full", "cross", "natural", "on", "using", "group", "order", "having", "limit", "offset",
	"union", "intersect", "except", "window", "fetch", "for", "tablesample", "lateral", "asof", "semi", "anti", "positional", "qualify",
	"returning", "when", "set",
}

func (x *expander) hasAlias(i int) bool { return x.isName(i) && !x.is(i, afterTable...) }

// alone reports whether SELECT * FROM and the call are a query: what stands for the
// call is the whole of it then.
func (x *expander) alone(i, closing int) bool {
	return x.is(i-3, "select") && x.is(i-2, "*") && x.is(i-1, "from") && !x.is(i-4, "union", "intersect", "except", "all", "distinct") &&
		(closing+1 == len(x.tokens) || x.is(closing+1, ")", ";"))
}

// arg is the tokens of an argument.
type arg struct{ from, to int }

func (x *expander) arguments(open, closing int) (args []arg) {
	start := open + 1
	for i := start; i < closing; i++ {
		switch {
		case x.other[i] > i:
			i = x.other[i]
		case x.is(i, ","):
			args = append(args, arg{start, i})
			start = i + 1
		}
	}
	if closing > open+1 {
		args = append(args, arg{start, closing})
	}
	return args
}

// call is one call of einsum.
type call struct {
	*expander
	expression int // its token
	args       []arg
	closing    int
}

// operand is an operand as it is written.
type operand struct {
	from       string // for FROM
	at         int    // its place
	columns    []name // nil: as the relation has them
	value      *name
	positional bool
}

type name struct {
	name string
	at   int
}

func (c *call) sql(ctx context.Context) (string, error) {
	semiring, err := c.semiring()
	if err != nil {
		return "", err
	}
	operands := make([]operand, len(c.args))
	out := make([]expr.Operand, len(c.args))
	modes := make([]int, len(c.args))
	for i, a := range c.args {
		if operands[i], err = c.operand(ctx, a); err != nil {
			return "", err
		}
		if out[i], err = c.describe(ctx, &operands[i]); err != nil {
			return "", err
		}
		modes[i] = len(out[i].Modes)
	}
	if semiring == expr.Count {
		modes = c.fit(operands, out, modes)
	}
	e, err := expr.Parse(unquote(c.text(c.expression)), modes)
	if err != nil {
		return "", c.inside(err, c.expression)
	}
	return e.SQL(semiring, out), nil
}

// inside moves an error of a string's text into the statement.
func (c *call) inside(err error, token int) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Offset < 0 {
		return err
	}
	moved := *e
	moved.Offset = c.within(token, e.Offset)
	return &moved
}

// fit says that an operand of count has no value, where its term has an index for
// every column.
func (c *call) fit(operands []operand, out []expr.Operand, modes []int) []int {
	bare, err := expr.Parse(unquote(c.text(c.expression)), nil)
	if err != nil || len(bare.Terms) != len(modes) {
		return modes // with an ellipsis, or wrong
	}
	for i := range operands {
		if operands[i].positional && len(bare.Terms[i]) == modes[i]+1 {
			out[i].Modes = append(out[i].Modes, out[i].Value)
			out[i].Value = ""
			modes[i]++
		}
	}
	return modes
}

// semiring takes the option from the end of the arguments.
func (c *call) semiring() (expr.Semiring, error) {
	if len(c.args) == 0 {
		return 0, nil
	}
	last := c.args[len(c.args)-1]
	at, named := last.from, true
	switch {
	case c.is(at, "semiring") && c.is(at+1, ":=", "=>"):
		at += 2
	case c.is(at, "semiring") && c.is(at+1, ":") && c.is(at+2, "="):
		at += 3
	case !c.surplus() || c.kind(at) != sqlfront.TokenString:
		return 0, nil
	default:
		named = false
	}
	if c.kind(at) != sqlfront.TokenString || at+1 != last.to {
		return 0, fail(c.start(at), "the semiring is a string").WithHint("As in semiring := 'max_plus'.")
	}
	c.args = c.args[:len(c.args)-1]
	s, err := expr.SemiringByName(unquote(c.text(at)))
	switch {
	case err == nil:
		return s, nil
	case named:
		return 0, c.inside(placed(err), at)
	}
	// It may be an operand too many, of an expression that is not what was meant.
	if _, wrong := expr.Parse(unquote(c.text(c.expression)), nil); wrong != nil {
		return 0, c.inside(wrong, c.expression)
	}
	e := placed(err)
	return 0, c.inside(e.WithHint("%s As an operand it is one too many: a term of the expression, separated by commas, stands for each.", e.Hint), at)
}

// placed gives an error of a whole string its place.
func placed(err error) *sqlerr.Error {
	e := *sqlerr.From(err)
	e.Offset = 0
	return &e
}

// surplus reports whether there is one argument more than the expression has terms.
func (c *call) surplus() bool {
	text := unquote(c.text(c.expression))
	terms := 1
	for i := range text {
		if strings.HasPrefix(text[i:], "->") || strings.HasPrefix(text[i:], "→") {
			break
		}
		if text[i] == ',' {
			terms++
		}
	}
	return len(c.args) == terms+1
}
