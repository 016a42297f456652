package sqlfront

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Analyze parses and binds one statement. The result has a Query or the Reason
// why DuckDB takes the statement. An error is DuckDB's own for the statement, or
// the context's, or the catalog's.
//
// The refusals come cheapest first: lexer and parser, then names, then types.
// Analysis.Desc is filled when there is a Query.
func Analyze(ctx context.Context, sql string, cat Catalog, prep Preparer, paramTypes []rows.Type) (*Analysis, error) {
	return analyze(ctx, Held{SQL: sql}, cat, prep, paramTypes, (*binder).top)
}

// AnalyzeHeld is Analyze for a statement that may read tables in memory.
func AnalyzeHeld(ctx context.Context, h Held, cat Catalog, prep Preparer, paramTypes []rows.Type) (*Analysis, error) {
	return analyze(ctx, h, cat, prep, paramTypes, (*binder).top)
}

// analyze is Analyze with a function that binds the statement. One that is refused is
// written anew, and read again.
func analyze(
	ctx context.Context, h Held, cat Catalog, prep Preparer, paramTypes []rows.Type, bind func(*binder, *selectNode) *Query,
) (*Analysis, error) {
	b := &binder{ctx: ctx, cat: cat, prep: prep, sql: h.SQL, given: paramTypes}
	res, err := b.analysis(func() *Query { return b.read(h, h.SQL, bind) })
	if err != nil || res.Query != nil || !mayBeRewritten(res.Reason) {
		return res, err
	}
	again := &binder{ctx: ctx, cat: cat, prep: prep, sql: h.SQL, given: paramTypes, desc: b.desc}
	reason := res.Reason
	res, err = again.analysis(func() *Query {
		text := again.rewritten(h.SQL)
		if text == "" {
			refuse("")
		}
		return again.read(h, text, bind)
	})
	if err == nil && res.Query == nil && res.Reason == "" {
		res.Reason = reason
	}
	return res, err
}

// read binds a text of the statement.
func (b *binder) read(h Held, text string, bind func(*binder, *selectNode) *Query) *Query {
	sel := parseSelect(text)
	h.mark(sel)
	return bind(b, sel)
}

// analysis is what binding comes to.
func (b *binder) analysis(bind func() *Query) (res *Analysis, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refusal:
			res, err = &Analysis{Reason: p.reason}, nil
		case failure:
			res, err = nil, p.err
		default:
			panic(p)
		}
	}()
	q := bind()
	return &Analysis{Query: q, Desc: *b.description(), Views: b.views, Clocks: b.clocks}, nil
}

// mayBeRewritten reports whether a refusal may be of how a statement is written.
func mayBeRewritten(reason string) bool {
	for _, no := range []string{"unknown ", "no ", "too many", "volatile", "collation", "not a SELECT", "PIVOT", "several statements", "statement too long", "nested too deeply"} {
		if strings.HasPrefix(reason, no) {
			return false
		}
	}
	return true
}

// failure carries an error of Catalog or Preparer out of the binder; Analyze
// recovers it.
type failure struct{ err error }

// recoverFailure makes a failure the error of the function that defers it.
func recoverFailure(err *error) {
	if p := recover(); p != nil {
		f, ok := p.(failure)
		if !ok {
			panic(p)
		}
		*err = f.err
	}
}

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// binder is what the blocks of one statement share.
type binder struct {
	ctx    context.Context
	cat    Catalog
	prep   Preparer
	sql    string
	given  []rows.Type // parameter types of the client
	desc   *Description
	blocks int
	// aliasUses counts the aliases in expressions.
	aliasUses int
	copied    int          // nodes of expressions that stand for columns of derived tables
	within    *load.Table  // the view whose SELECT is being bound; nil: the statement
	views     []load.Table // all views met, each once
	clocks    []Clock
	enums     map[string]rows.Type // by their names in the text, or qualified ones in a view's
}

// blocksMax bounds the blocks of a statement: every reference to a common table
// expression is a copy of it.
const blocksMax = 64

// aliasUsesMax bounds the aliases in the expressions of a statement: each is a
// copy of what it means, in which there may be others.
const aliasUsesMax = 1000

// copiedMax bounds the nodes of the expressions that stand for columns of derived tables: of
// x + x of x + x and so on each level has twice as many.
const copiedMax = 1 << 16

// description asks DuckDB about the statement, once.
func (b *binder) description() *Description {
	if b.desc == nil {
		d, err := b.prep.Describe(b.ctx, b.sql, b.given)
		check(err)
		b.desc = &d
	}
	return b.desc
}

// param returns a parameter with DuckDB's type for it.
func (b *binder) param(n int) *Param {
	d := b.description()
	if n > len(d.Params) || d.Params[n-1].ID == rows.Invalid {
		refuse("untyped parameter")
	}
	return &Param{N: n, T: d.Params[n-1]}
}

// NothingGathered is the reason of a SELECT that has a row for every joined row.
const NothingGathered = "no aggregate"

// top binds the statement. Its columns are as DuckDB describes them.
func (b *binder) top(sel *selectNode) *Query {
	switch {
	case sel.setOp == NoSetOp && sel.from == nil:
		refuse("no table")
	case !b.gathers(sel):
		refuse(NothingGathered)
	}
	var q *Query
	if sel.programText() != "" {
		q = b.program(sel, nil)
	} else {
		q, _ = b.bind(sel, nil, nil)
	}
	if q.keepsRows() {
		refuse(NothingGathered)
	}
	cols := b.description().Columns
	if len(cols) != len(q.Select) {
		refuse("number of columns")
	}
	for i, c := range cols {
		if c.Type != q.Select[i].Expr.Type() {
			refuse("type of column ", c.Name, " ", q.Select[i].Expr.Type().String(), " is ", c.Type.String())
		}
		q.Select[i].Name = c.Name
	}
	q.Columns = cols
	return q
}

// keepsRows reports whether a query has an arm of UNION ALL that has all its rows,
// or is one: alone it is no program, but for a row of constants. It is asked of what
// is bound, because a text of DuckDB's has all its rows too.
func (q *Query) keepsRows() bool {
	if q.SetOp == UnionAll {
		return slices.ContainsFunc(q.Arms, (*Query).keepsRows)
	}
	return q.Plain() && len(q.From)+len(q.Where) > 0
}

// function looks a name up in the catalog.
func (b *binder) function(name string) Function {
	f, err := b.cat.Function(b.ctx, name)
	check(err)
	return f
}
