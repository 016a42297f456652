package translate

import (
	"maps"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Variances, covariances and regressions over exact types are read off the sums
// of x, y, x*x, y*y and x*y over the rows on which both are not NULL, in rational
// arithmetic that rounds once (SEMANTICS section 2): nothing cancels.

// Moments names the leaves of an aggregate that is read off several sums.
type Moments struct {
	// Func is the aggregate, as DuckDB names it: var_pop, regr_slope..
	Func string
	// X is the leaf of the sum of the (independent) variable, Y that of the
	// dependent one, XX of x*x and so on; empty where the function needs none.
	X, Y, XX, YY, XY string
	// ScaleX and ScaleY are the numbers of decimal digits of the variables.
	ScaleX, ScaleY int
	// Spread names the leaves of a function of DOUBLE instead: mx and my are the
	// means of x and y, dx, dy, dxx, dyy and dxy the sums of the distances from them
	// and of their products, minx, maxx, miny and maxy the extremes.
	Spread map[string]string
}

// momentSums says which sums a function needs, as words of x and y.
var momentSums = map[string][]string{
	"var_pop": {"x", "xx"}, "var_samp": {"x", "xx"}, "stddev_pop": {"x", "xx"}, "stddev_samp": {"x", "xx"},
	"covar_pop": {"x", "y", "xy"}, "covar_samp": {"x", "y", "xy"}, "regr_sxy": {"x", "y", "xy"},
	"regr_sxx": {"x", "xx"}, "regr_syy": {"y", "yy"}, "regr_slope": {"x", "y", "xx", "xy"},
	"regr_intercept": {"x", "y", "xx", "xy"}, "regr_r2": {"x", "y", "xx", "yy", "xy"}, "corr": {"x", "y", "xx", "yy", "xy"},
	"regr_count": {}, "regr_avgx": {"x"}, "regr_avgy": {"y"},
}

// ofMoments reports whether an aggregate is one of momentSums.
func ofMoments(call *sqlfront.AggCall) bool { return momentSums[call.Func] != nil }

// planMoments plans an aggregate of momentSums. The function of two variables
// has the dependent one first.
func (p *predicates) planMoments(s *splitter, call *sqlfront.AggCall, outside []sqlfront.Expr) (*plannedAgg, error) {
	if len(call.Args) > 2 || len(call.Args) == 0 {
		return nil, refuse("arguments of %s", call.Func)
	}
	out := &plannedAgg{call: call, form: formMoments, sums: map[string]*argument{}}
	var vars []*argument
	for i, arg := range call.Args {
		a, err := p.argumentOf(s, call, arg)
		if err != nil {
			return nil, err
		}
		if a.cell && len(call.Args) > 1 {
			return nil, p.orRelation(arg, errPoint)
		}
		if spreads(call) {
			return nil, p.orRelation(arg, refuse("%s of DOUBLE", call.Func))
		}
		if f, err := p.chooseForm(s, call, a); err != nil {
			return nil, err
		} else if f == formRowwise {
			out.form = f
		}
		vars = append(vars, a)
		out.sums[[]string{"y", "x"}[(i+2-len(call.Args))%2]] = a
	}
	for _, a := range vars[1:] {
		vars[0].joinedWith(a)
	}
	if err := p.filter(s, vars[0], outside); err != nil {
		return nil, err
	}
	if err := s.findNulls(vars[0], p.b); err != nil {
		return nil, err
	}
	for _, a := range vars[1:] {
		a.factors, a.sources, a.nonNull, a.conds = vars[0].factors, vars[0].sources, vars[0].nonNull, vars[0].conds
	}
	out.arg = vars[0]
	return out, p.momentProducts(s, out)
}

// momentProducts adds the products of the variables that the function sums.
func (p *predicates) momentProducts(s *splitter, out *plannedAgg) error {
	bounds := map[string]Bound{}
	for _, name := range []string{"x", "y"} {
		x := out.sums[name]
		if x == nil {
			continue
		}
		b, err := s.bounds(x.expr, p.b, &p.b.checks)
		if err != nil {
			return p.orRelation(x.expr, err)
		}
		bounds[name] = b
	}
	for _, word := range momentSums[out.call.Func] {
		sum := bounds[word[:1]]
		if len(word) == 2 {
			x, y := word[:1], word[1:]
			out.sums[word] = out.sums[x].times(out.sums[y], out.form == formRowwise)
			sum = &ProductBound{A: sum, B: bounds[y]}
		}
		if bounds[word[:1]] == nil {
			continue // the mean of a DOUBLE
		}
		c := Check{Type: rows.Type{ID: rows.HugeInt}, Bound: &ProductBound{A: sum, B: &rowsBound{}}}
		if err := s.record(&p.b.checks, p.b, c); err != nil {
			return err
		}
	}
	return nil
}

// joinedWith adds the factors of another argument, so that only rows on which
// both are not NULL count.
func (a *argument) joinedWith(b *argument) {
	for _, fs := range b.factors {
		for _, f := range fs {
			a.note(f)
		}
	}
	for _, src := range b.sources {
		if !slices.Contains(a.sources, src) {
			a.sources = append(a.sources, src)
		}
	}
}

// times is the product of two arguments over the same rows.
func (a *argument) times(b *argument, rowwise bool) *argument {
	out := *a
	out.scale = a.scale + b.scale
	out.product = []*argument{a, b}
	out.terms = nil
	if !rowwise {
		out.terms = multiply(a.terms, b.terms)
	}
	return &out
}

// moments emits the sums of an aggregate of momentSums.
func (e *emitter) moments(name string, a *plannedAgg, out *Agg) {
	switch a.call.Func {
	case "regr_count":
		out.Func = CountValue
		out.Value = e.leaf(name, e.validity(a.arg))
		return
	case "regr_avgx", "regr_avgy":
		x := a.sums[a.call.Func[len(a.call.Func)-1:]]
		out.Func, out.Scale = AvgValue, x.scale
		out.Value = e.leaf(name, e.total(&plannedAgg{form: a.form, arg: x}))
	default:
		m := &Moments{Func: a.call.Func}
		leaves := map[string]*string{"x": &m.X, "y": &m.Y, "xx": &m.XX, "yy": &m.YY, "xy": &m.XY}
		for _, word := range momentSums[m.Func] {
			*leaves[word] = e.leaf(name+word, e.total(&plannedAgg{form: a.form, arg: a.sums[word]}))
		}
		if x := a.sums["x"]; x != nil {
			m.ScaleX = x.scale
		}
		if y := a.sums["y"]; y != nil {
			m.ScaleY = y.scale
		}
		out.Func, out.Value, out.Moments = MomentsValue, "", m
	}
	out.Valid = e.leaf(name+"v", e.validity(a.arg))
}

// mapLeaves replaces the names of the leaves that an aggregate is read off.
func (g *Agg) mapLeaves(f func(leaf string, op semiring.Op) string) {
	if g.Func == MomentsValue {
		m := *g.Moments
		m.Spread = maps.Clone(m.Spread)
		for _, word := range slices.Sorted(maps.Keys(m.Spread)) {
			m.Spread[word] = f(m.Spread[word], semiring.Add)
		}
		for _, leaf := range []*string{&m.X, &m.Y, &m.XX, &m.YY, &m.XY} {
			*leaf = f(*leaf, semiring.Add)
		}
		g.Moments, g.Value = &m, ""
	} else {
		op := semiring.Add
		if g.Func == MinMaxValue { // which may be a string
			op = semiring.Max
		}
		g.Value = f(g.Value, op)
	}
	g.Valid = f(g.Valid, semiring.Add)
}
