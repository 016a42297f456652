package translate

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// factor is a maximal part of an aggregate's argument that reads one source: an
// expression over a base table, or a column of an inlined derived table.
type factor struct {
	src  int
	expr sqlfront.Expr
	sql  string
	// filter is the predicate of a factor that is 1 where it is TRUE, else NULL.
	filter sqlfront.Expr
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
	scale   int         // decimal digits after the point of every term
	terms   []term      // nil: evaluated as written on one cell
	cell    bool        // with its NULLs, on one cell
	product []*argument // of which it is the product; nil: none
	sources []int
	factors map[int][]factor // per source, the distinct factors of the whole argument
	// conds are conditions on values of inlined derived tables: what is left of a
	// FILTER.
	conds []sqlfront.Expr
	// infinite: it has a FILTER of another table, and may be infinite or NaN.
	infinite bool
	// bounded: it is DOUBLE, and so is known to be finite that 0 times it is 0; asked
	// only of sums on cells, and in blocks with bags or anti joins.
	bounded bool
	// nonNull are the factors, as "source sql", that are NULL in no row of their
	// base table: they restrict no validity.
	nonNull map[string]bool
}

// nullable returns the factors of a source that may be NULL.
func (a *argument) nullable(src int) []factor {
	return slices.DeleteFunc(slices.Clone(a.factors[src]), func(f factor) bool { return a.nonNull[f.id()] })
}

// evaluated has the factors that may raise an error tested for NULL even where they
// never are: an argument that is only counted is not evaluated otherwise.
func (a *argument) evaluated() {
	for _, fs := range a.factors {
		for _, f := range fs {
			if fallible(f.expr) {
				delete(a.nonNull, f.id())
			}
		}
	}
}

func (f factor) id() string { return fmt.Sprintf("%d %s", f.src, f.sql) }

// findNulls asks which factors over base tables and bags are never NULL. Of
// relations anything may be known that is no derived table's.
func (s *splitter) findNulls(a *argument, b *block) error {
	a.nonNull = map[string]bool{}
	for src, fs := range a.factors {
		if s.inner(src) != nil {
			continue
		}
		for _, f := range fs {
			never, err := s.t.neverNull(b.q, f.expr)
			if table := b.sources[src].table; !never && err == nil && table.Catalog == RelationCatalog {
				var nulls int64
				var ok bool
				_, nulls, ok, err = s.t.facts.Count(s.t.ctx, table, f.sql, f.expr.Type())
				never = ok && nulls == 0
			}
			if err != nil {
				return err
			}
			a.nonNull[f.id()] = never
		}
	}
	return nil
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
		if s.pointwise(e) != nil {
			return nil, err
		}
		a.scale = int(e.Type().Scale)
		s.parts(e, a)
		return a, nil
	}
	a.terms, a.scale = terms, scale
	for _, tm := range terms {
		for _, f := range tm.factors {
			a.note(f)
		}
	}
	return a, nil
}

// parts notes the factors of an argument that is evaluated as it is written: its
// greatest parts over one source.
func (s *splitter) parts(e sqlfront.Expr, a *argument) {
	srcs := sourcesOf(e)
	switch x := e.(type) {
	case *sqlfront.Cast:
		if len(srcs) != 1 {
			s.parts(x.Arg, a)
			return
		}
	case *sqlfront.Call:
		if len(srcs) != 1 {
			for _, arg := range x.Args {
				s.parts(arg, a)
			}
			return
		}
	}
	if len(srcs) == 1 {
		a.note(factor{src: srcs[0], expr: e, sql: columnSQL(e)})
	}
}

func (a *argument) note(f factor) {
	for _, g := range a.factors[f.src] {
		if g.sql == f.sql {
			return
		}
	}
	a.factors[f.src] = append(a.factors[f.src], f)
}

// splits reports whether an expression is a sum or product of its operands.
func splits(e sqlfront.Expr) bool {
	c, ok := e.(*sqlfront.Call)
	return ok && (c.Name == "neg" || c.Name == "+" || c.Name == "-" || c.Name == "*")
}

// single returns the factor that an expression is, if it reads one source and
// can be evaluated there; of an inlined derived table, it is no sum or product.
func (s *splitter) single(e sqlfront.Expr) (factor, bool) {
	srcs := sourcesOf(e)
	if len(srcs) != 1 {
		return factor{}, false
	}
	if s.inner(srcs[0]) != nil && splits(e) {
		return factor{}, false
	}
	return factor{src: srcs[0], expr: e, sql: columnSQL(e)}, true
}

// A product of n sums of two terms has 2^n of them, each of n factors. An argument has at
// most as many as these.
const termsMax, factorsMax = 1 << 12, 1 << 16

func errManyTerms() error {
	return refuse("an argument that has more than %d terms or %d factors when it is multiplied out", termsMax, factorsMax)
}

// factorsOf is how many factors terms have together.
func factorsOf(ts []term) (n int) {
	for _, t := range ts {
		n += len(t.factors)
	}
	return n
}

// terms are those of an argument that is multiplied out, with the decimal digits after
// the point that each has.
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
		if len(parts[0])+len(parts[1]) > termsMax {
			return nil, 0, errManyTerms()
		}
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
		if len(parts[0])*len(parts[1]) > termsMax || len(parts[1])*factorsOf(parts[0])+len(parts[0])*factorsOf(parts[1]) > factorsMax {
			return nil, 0, errManyTerms()
		}
		return multiply(parts[0], parts[1]), scales[0] + scales[1], nil
	}
	return nil, 0, refuse("expression over several tables")
}

// constant returns a constant part: a number becomes a coefficient; anything
// else is evaluated with the argument's first source.
func (s *splitter) constant(e sqlfront.Expr, a *argument) ([]term, int, error) {
	if v, ok := number(e); ok {
		return []term{{coef: v.unscaled, coefF: v.float}}, v.scale, nil
	}
	if len(a.sources) == 0 || s.inner(a.sources[0]) != nil {
		return nil, 0, refuse("constant in an argument over several tables")
	}
	f := factor{src: a.sources[0], expr: e, sql: columnSQL(e)}
	return []term{{coef: big.NewInt(1), coefF: 1, factors: []factor{f}}}, int(e.Type().Scale), nil
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
