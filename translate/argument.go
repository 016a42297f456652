package translate

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// factor is a maximal part of an aggregate's argument that reads one source: an
// expression over a base table, or a column of an inlined derived table.
type factor struct {
	src  int
	expr sqlfront.Expr
	sql  string
}

// term is coef times a product of factors.
type term struct {
	coef    *big.Int // exact arguments
	coefF   float64  // DOUBLE arguments
	factors []factor
}

// argument is an aggregate's argument as a sum of products.
type argument struct {
	expr    sqlfront.Expr
	float   bool
	scale   int // decimal digits after the point of every term
	terms   []term
	sources []int
	factors map[int][]factor // per source, the distinct factors of the whole argument
}

// splitter takes arguments apart.
type splitter struct {
	t     *translator
	inner func(src int) *sqlfront.Query // nil for base tables
}

// split writes an argument as a sum of products of single-source factors
// (SEMANTICS section 2). It fails where the argument does not split.
func (s *splitter) split(e sqlfront.Expr) (*argument, error) {
	a := &argument{expr: e, float: e.Type().IsFloat(), sources: sourcesOf(e), factors: map[int][]factor{}}
	if len(a.sources) == 0 {
		// A constant is a column of the first table as any other.
		f := factor{src: 0, expr: e, sql: columnSQL(e)}
		a.sources, a.scale = []int{0}, int(e.Type().Scale)
		a.terms = []term{{coef: big.NewInt(1), coefF: 1, factors: []factor{f}}}
		a.note(f)
		return a, nil
	}
	terms, scale, err := s.terms(e, a)
	if err != nil {
		return nil, err
	}
	a.terms, a.scale = terms, scale
	for _, tm := range terms {
		for _, f := range tm.factors {
			a.note(f)
		}
	}
	return a, nil
}

func (a *argument) note(f factor) {
	for _, g := range a.factors[f.src] {
		if g.sql == f.sql {
			return
		}
	}
	a.factors[f.src] = append(a.factors[f.src], f)
}

// single returns the factor that an expression is, if it reads one source and
// can be evaluated there.
func (s *splitter) single(e sqlfront.Expr) (factor, bool) {
	srcs := sourcesOf(e)
	if len(srcs) != 1 {
		return factor{}, false
	}
	if s.inner(srcs[0]) != nil {
		if _, ok := e.(*sqlfront.ColumnRef); !ok {
			return factor{}, false
		}
	}
	return factor{src: srcs[0], expr: e, sql: columnSQL(e)}, true
}

func (s *splitter) terms(e sqlfront.Expr, a *argument) ([]term, int, error) {
	if f, ok := s.single(e); ok {
		return []term{{coef: big.NewInt(1), coefF: 1, factors: []factor{f}}}, int(e.Type().Scale), nil
	}
	if len(sourcesOf(e)) == 0 {
		return s.constant(e, a)
	}
	c, ok := e.(*sqlfront.Call)
	if !ok || !(e.Type().IsExact() || e.Type().ID == rows.Double) {
		return nil, 0, refuse("expression over several tables")
	}
	var parts [][]term
	var scales []int
	for _, arg := range c.Args {
		ts, sc, err := s.terms(arg, a)
		if err != nil {
			return nil, 0, err
		}
		parts, scales = append(parts, ts), append(scales, sc)
	}
	switch {
	case c.Name == "neg" && len(parts) == 1:
		return scaled(parts[0], big.NewInt(-1)), scales[0], nil
	case (c.Name == "+" || c.Name == "-") && len(parts) == 2:
		scale := max(scales[0], scales[1])
		l := scaled(parts[0], pow10(scale-scales[0]))
		r := scaled(parts[1], pow10(scale-scales[1]))
		if a.float { // a DOUBLE sum adds values, not unscaled integers
			l, r, scale = parts[0], parts[1], 0
		}
		if c.Name == "-" {
			r = scaled(r, big.NewInt(-1))
		}
		return append(append([]term{}, l...), r...), scale, nil
	case c.Name == "*" && len(parts) == 2:
		return multiply(parts[0], parts[1]), scales[0] + scales[1], nil
	}
	return nil, 0, refuse("expression over several tables")
}

// constant returns a constant part: a number becomes a coefficient; anything
// else is evaluated with the argument's first source.
func (s *splitter) constant(e sqlfront.Expr, a *argument) ([]term, int, error) {
	if f, ok := exactLiteral(e); ok {
		lit := e.(*sqlfront.Literal)
		v, ok := new(big.Int).SetString(strings.ReplaceAll(lit.SQL, ".", ""), 10)
		if ok {
			return []term{{coef: v, coefF: f}}, int(lit.T.Scale), nil
		}
	}
	if len(a.sources) == 0 || s.inner(a.sources[0]) != nil {
		return nil, 0, refuse("constant in an argument over several tables")
	}
	f := factor{src: a.sources[0], expr: e, sql: columnSQL(e)}
	return []term{{coef: big.NewInt(1), coefF: 1, factors: []factor{f}}}, int(e.Type().Scale), nil
}

// exactLiteral returns the DOUBLE value of a number that is written as an
// integer or a DECIMAL.
func exactLiteral(e sqlfront.Expr) (float64, bool) {
	lit, ok := e.(*sqlfront.Literal)
	if !ok || !lit.T.IsExact() {
		return 0, false
	}
	f, err := strconv.ParseFloat(lit.SQL, 64)
	return f, err == nil
}

func scaled(ts []term, by *big.Int) []term {
	f, _ := new(big.Float).SetInt(by).Float64()
	out := make([]term, len(ts))
	for i, t := range ts {
		out[i] = term{coef: new(big.Int).Mul(t.coef, by), coefF: t.coefF * f, factors: t.factors}
	}
	return out
}

func multiply(a, b []term) []term {
	var out []term
	for _, x := range a {
		for _, y := range b {
			fs := append(append([]factor{}, x.factors...), y.factors...)
			out = append(out, term{coef: new(big.Int).Mul(x.coef, y.coef), coefF: x.coefF * y.coefF, factors: fs})
		}
	}
	return out
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// bounds returns the interval of an expression and records a Check for every
// node over several sources, or over an inlined derived table, that DuckDB
// computes in an exact type (SEMANTICS section 6a).
func (s *splitter) bounds(e sqlfront.Expr, b *block, checks *[]Check) (Bound, error) {
	if f, ok := s.single(e); ok {
		return s.factorBound(f, b)
	}
	if len(sourcesOf(e)) == 0 {
		return constantBound(e)
	}
	c, ok := e.(*sqlfront.Call)
	if !ok {
		return nil, refuse("expression over several tables")
	}
	var parts []Bound
	for _, arg := range c.Args {
		p, err := s.bounds(arg, b, checks)
		if err != nil {
			return nil, err
		}
		if c.Name == "+" || c.Name == "-" {
			if d := int(e.Type().Scale) - int(arg.Type().Scale); d > 0 {
				p = &ProductBound{A: p, B: &Interval{Lo: pow10(d), Hi: pow10(d)}}
			}
		}
		parts = append(parts, p)
	}
	out, err := nodeBound(c, parts)
	if err == nil && e.Type().IsExact() {
		*checks = append(*checks, Check{Type: e.Type(), Bound: out})
	}
	return out, err
}

func nodeBound(c *sqlfront.Call, parts []Bound) (Bound, error) {
	switch c.Name {
	case "neg":
		return &SumBound{A: &Interval{Lo: new(big.Int), Hi: new(big.Int)}, B: parts[0], Minus: true}, nil
	case "+":
		return &SumBound{A: parts[0], B: parts[1]}, nil
	case "-":
		return &SumBound{A: parts[0], B: parts[1], Minus: true}, nil
	case "*":
		return &ProductBound{A: parts[0], B: parts[1]}, nil
	}
	return nil, refuse("expression over several tables")
}

func constantBound(e sqlfront.Expr) (Bound, error) {
	if lit, ok := e.(*sqlfront.Literal); ok && lit.T.IsExact() {
		if v, ok := new(big.Int).SetString(strings.ReplaceAll(lit.SQL, ".", ""), 10); ok {
			return &Interval{Lo: v, Hi: v}, nil
		}
	}
	if c, ok := e.(*sqlfront.Call); ok && c.Name == "neg" {
		p, err := constantBound(c.Args[0])
		if err != nil {
			return nil, err
		}
		return nodeBound(c, []Bound{p})
	}
	return nil, refuse("may overflow %s", e.Type())
}

func (s *splitter) factorBound(f factor, b *block) (Bound, error) {
	src := b.sources[f.src]
	if q := s.inner(f.src); q != nil {
		ref, ok := q.Select[f.expr.(*sqlfront.ColumnRef).Column].Expr.(*sqlfront.AggRef)
		if !ok {
			return nil, &needRelation{source: f.src}
		}
		return &innerBound{src: f.src, agg: ref.N}, nil
	}
	if src.table.Catalog == RelationCatalog {
		return &relationBound{f: f}, nil
	}
	lo, hi, ok, err := s.t.facts.Range(s.t.ctx, src.table, f.sql, f.expr.Type())
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, refuse("may overflow %s", f.expr.Type())
	}
	return &Interval{Lo: lo.Big(), Hi: hi.Big()}, nil
}
