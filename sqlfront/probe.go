package sqlfront

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// typeInputs types what is computed from columns: conditions, groups, the
// arguments of aggregates, and the aggregates.
func (b *block) typeInputs() {
	q := b.query
	roots := append(append([]Expr{}, q.Where...), q.GroupBy...)
	q.Tree.each(func(j *Join) { roots = append(roots, j.On...) })
	for _, a := range q.Aggs {
		roots = append(roots, a.Args...)
		if a.Filter != nil {
			roots = append(roots, a.Filter)
		}
	}
	q.checkCollations(roots)
	b.resolve(roots)
	b.compareInOneType(roots)
	var unknown []*AggCall
	for _, a := range q.Aggs {
		if a.T = inferAgg(a); a.T.ID == rows.Invalid {
			unknown = append(unknown, a)
		}
	}
	if len(unknown) == 0 {
		return
	}
	p := newProbe()
	texts := make([]string, len(unknown))
	for i, a := range unknown {
		texts[i] = p.call(a)
	}
	for i, t := range b.ask(p, texts) {
		unknown[i].T = t
	}
}

// typeOutputs types what is computed from groups and aggregates.
func (b *block) typeOutputs() {
	q := b.query
	var roots []Expr
	for _, s := range q.Select {
		roots = append(roots, s.Expr)
	}
	if q.Having != nil {
		roots = append(roots, q.Having)
	}
	for _, o := range q.OrderBy {
		roots = append(roots, o.Expr)
	}
	b.resolve(roots)
	b.compareInOneType(roots)
}

// settled returns an output of a plain derived table as the outer block may put
// it anywhere: with its type known, and fixed where a context could change it.
func (b *binder) settled(e Expr) Expr {
	if _, ok := e.(*ColumnRef); ok {
		return e
	}
	b.resolve([]Expr{e})
	if adaptive(e) || !hasColumn(e) {
		if e.Type().ID == rows.SQLNull {
			refuse("NULL in a derived table")
		}
		return &Cast{Arg: e, T: e.Type()}
	}
	return e
}

// resolve asks DuckDB for the types that the rules do not give.
func (b *binder) resolve(roots []Expr) {
	var unknown []Expr
	var texts []string
	p := newProbe()
	for _, r := range roots {
		WalkExpr(r, func(e Expr) {
			if e.Type().ID == rows.Invalid {
				unknown = append(unknown, e)
			}
		})
	}
	if len(unknown) == 0 {
		return
	}
	for _, e := range unknown {
		texts = append(texts, p.print(e))
	}
	types := b.ask(p, texts)
	b.distinguishNulls(p, roots, unknown, texts, types)
	for i, t := range types {
		setType(unknown[i], t)
	}
}

// distinguishNulls gives the operands that DuckDB finds to be NULLs of no type that type. A root,
// like the column that DuckDB is asked for, is then an INTEGER.
func (b *binder) distinguishNulls(p *probe, roots, exprs []Expr, texts []string, types []rows.Type) {
	var candidates []int
	var asked []string
	for i, t := range types {
		if t.ID == rows.Integer && !slices.Contains(roots, exprs[i]) && hasConstantOperand(exprs[i]) {
			candidates = append(candidates, i)
			asked = append(asked, "coalesce("+texts[i]+", CAST(NULL AS TINYINT))")
		}
	}
	if len(asked) == 0 {
		return
	}
	for n, t := range b.ask(p, asked) {
		if t.ID == rows.TinyInt {
			types[candidates[n]] = rows.Type{ID: rows.SQLNull}
		}
	}
}

// hasConstantOperand reports whether NULL, or a call that DuckDB can find to be NULL
// without a row, is a part of an expression.
func hasConstantOperand(e Expr) bool {
	return anyExpr(e, func(part Expr) bool {
		switch part := part.(type) {
		case *Literal:
			return part.T.ID == rows.SQLNull
		case *Call:
			return part != e && !readsValue(part)
		case *Case:
			return !readsValue(part)
		}
		return false
	})
}

// readsValue reports whether an expression has more in it than constants.
func readsValue(e Expr) bool {
	return anyExpr(e, func(part Expr) bool {
		switch part.(type) {
		case *Literal, *Call, *Case, *Cast, *In:
			return false
		}
		return true
	})
}

func setType(e Expr, t rows.Type) {
	switch e := e.(type) {
	case *Call:
		e.T = t
	case *Case:
		e.T = t
	default:
		panic(invariant.Failed("sqlfront: %T without a type", e))
	}
}

// ask describes SELECT texts over the probe's sources.
func (b *binder) ask(p *probe, texts []string) []rows.Type {
	return b.describeTypes("SELECT "+strings.Join(texts, ", ")+p.from(), len(texts))
}

// describeTypes asks DuckDB for the types of a statement of n columns.
func (b *binder) describeTypes(sql string, n int) []rows.Type {
	b.description() // the statement's own errors come first
	d, err := b.prep.Describe(b.ctx, sql, nil)
	if b.ctx.Err() != nil {
		check(b.ctx.Err())
	}
	if err != nil || len(d.Columns) != n {
		refuse("type of an expression")
	}
	out := make([]rows.Type, n)
	for i, c := range d.Columns {
		if c.Type.ID == rows.Invalid {
			refuse("type of an expression")
		}
		out[i] = c.Type
	}
	return out
}

// probe prints expressions over a row of typed NULLs in place of the query's
// columns, groups, aggregates and parameters. They are columns of a subquery:
// DuckDB folds a call with a bare NULL and loses its type.
type probe struct {
	used       map[string]rows.Type
	subqueries int
}

func newProbe() *probe { return &probe{used: map[string]rows.Type{}} }

func (p *probe) print(e Expr) string {
	use := func(name string, t rows.Type) string {
		p.used[name] = t
		return name
	}
	pr := Printer{
		Column: func(c *ColumnRef) string {
			return use("s"+strconv.Itoa(c.Source)+"_"+strconv.Itoa(c.Column), c.T)
		},
		Group: func(g *GroupRef) string { return use("g"+strconv.Itoa(g.N), g.T) },
		Agg:   func(a *AggRef) string { return use("a"+strconv.Itoa(a.N), a.T) },
		Param: func(x *Param) string { return use("p"+strconv.Itoa(x.N), x.T) },
		Outer: func(o *OuterRef) string {
			c := o.Column
			return use("o"+strconv.Itoa(o.Levels)+"_"+strconv.Itoa(c.Source)+"_"+strconv.Itoa(c.Column), c.T)
		},
		Grouping: func(c *Call) string { return use("grouping", c.T) },
		Subquery: func(s *Subquery) string {
			p.subqueries++
			return use("q"+strconv.Itoa(p.subqueries), s.T)
		},
	}
	return pr.Print(e)
}

// call prints an aggregate; what it is filtered by does not change its type.
func (p *probe) call(a *AggCall) string {
	args := make([]string, len(a.Args))
	for i, e := range a.Args {
		args[i] = p.print(e)
	}
	return a.Func + "(" + strings.Join(args, ", ") + ")"
}

func (p *probe) from() string {
	if len(p.used) == 0 {
		return ""
	}
	var cols []string
	for name, t := range p.used {
		cols = append(cols, "CAST(NULL AS "+t.String()+") AS "+name)
	}
	sort.Strings(cols)
	return " FROM (SELECT " + strings.Join(cols, ", ") + ") AS probe"
}
