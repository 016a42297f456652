package translate

import (
	"math/big"
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// bounds returns the interval of an expression, nil for a DOUBLE, and records a
// Check for every node over several sources, or over an inlined derived table,
// that DuckDB computes in an exact type (SEMANTICS section 6a). What the columns'
// facts prove needs no Check.
func (s *splitter) bounds(e sqlfront.Expr, b *block, checks *[]Check) (Bound, error) {
	if src, ok := s.base(e); ok {
		if !e.Type().IsExact() {
			return nil, nil
		}
		return s.baseBound(factor{src: src, expr: e, sql: columnSQL(e)}, b)
	}
	if v, ok := number(e); ok {
		n := new(big.Int).Mul(v.unscaled, pow10(max(0, int(e.Type().Scale)-v.scale)))
		return &Interval{Lo: n, Hi: n}, nil
	}
	switch e := e.(type) {
	case *sqlfront.ColumnRef:
		return s.columnBound(e)
	case *sqlfront.Cast:
		in, err := s.bounds(e.Arg, b, checks)
		switch {
		case err != nil:
			return nil, err
		case e.T.IsExact() && in == nil:
			return nil, errPoint
		case e.T.IsExact():
			return in, s.record(checks, b, Check{Type: e.T, Bound: in})
		}
		return zeroOrOne(e), s.wholeDouble(e.Arg, in, b, checks)
	case *sqlfront.Call:
		if e.T.ID == rows.Boolean {
			return s.predicateBound(e, e.Args, b, checks)
		}
		return s.callBound(e, b, checks)
	case *sqlfront.In:
		return s.predicateBound(e, append([]sqlfront.Expr{e.Arg}, e.List...), b, checks)
	case *sqlfront.Case:
		return s.caseBound(e, b, checks)
	case *sqlfront.Literal, *sqlfront.Param:
		return zeroOrOne(e), nil // of a constant that is no number nothing is computed in an exact type
	}
	return nil, errPoint
}

// zeroOrOne is what a BOOLEAN is; nil for what is no exact number.
func zeroOrOne(e sqlfront.Expr) Bound {
	if e.Type().ID != rows.Boolean && !isNull(e) {
		return nil
	}
	return &Interval{Lo: new(big.Int), Hi: big.NewInt(1)}
}

// predicateBound records the checks of a predicate's operands. Where exact ones
// become DOUBLE to be compared with others, they must be that exactly.
func (s *splitter) predicateBound(e sqlfront.Expr, args []sqlfront.Expr, b *block, checks *[]Check) (Bound, error) {
	double := slices.ContainsFunc(args, func(a sqlfront.Expr) bool { return a.Type().ID == rows.Double })
	for _, arg := range args {
		in, err := s.bounds(arg, b, checks)
		if err == nil && double {
			err = s.wholeDouble(arg, in, b, checks)
		}
		if err != nil {
			return nil, err
		}
	}
	return zeroOrOne(e), nil
}

// caseBound holds the values of all arms.
func (s *splitter) caseBound(e *sqlfront.Case, b *block, checks *[]Check) (Bound, error) {
	if e.Operand != nil {
		if _, err := s.bounds(e.Operand, b, checks); err != nil {
			return nil, err
		}
	}
	var arms []sqlfront.Expr
	for _, w := range e.Whens {
		if _, err := s.bounds(w.Cond, b, checks); err != nil {
			return nil, err
		}
		arms = append(arms, w.Then)
	}
	if e.Else != nil {
		arms = append(arms, e.Else)
	}
	return s.callBound(&sqlfront.Call{Name: "coalesce", Args: arms, T: e.T}, b, checks)
}

// exactDouble holds the integers below 10^15, all of which are DOUBLE values. A
// wider type rounds when it becomes DOUBLE, not always as DuckDB does.
var exactDouble = rows.Type{ID: rows.Decimal, Width: 15}

func (s *splitter) wholeDouble(arg sqlfront.Expr, in Bound, b *block, checks *[]Check) error {
	_, constant := number(arg)
	_, base := s.base(arg) // DuckDB casts it
	if in == nil || constant || base || arg.Type().ID != rows.HugeInt && arg.Type().ID != rows.Decimal {
		return nil
	}
	return s.record(checks, b, Check{Type: exactDouble, Bound: in})
}

// record keeps a check that the facts do not prove.
func (s *splitter) record(checks *[]Check, b *block, c Check) error {
	q := b.q
	ok, err := s.t.proven(q, c)
	if !ok {
		*checks = append(*checks, c)
	}
	return err
}

func (s *splitter) callBound(c *sqlfront.Call, b *block, checks *[]Check) (Bound, error) {
	var parts []Bound
	for _, arg := range c.Args {
		p, err := s.bounds(arg, b, checks)
		if err != nil {
			return nil, err
		}
		if d := int(c.T.Scale) - int(arg.Type().Scale); p != nil && d > 0 && c.Name != "*" && c.T.IsExact() {
			p = &ProductBound{A: p, B: &Interval{Lo: pow10(d), Hi: pow10(d)}}
		}
		if c.T.ID == rows.Double {
			if err := s.wholeDouble(arg, p, b, checks); err != nil {
				return nil, err
			}
		}
		parts = append(parts, p)
	}
	if !c.T.IsExact() {
		return zeroOrOne(c), nil
	}
	out, err := nodeBound(c, parts)
	if err != nil {
		return nil, err
	}
	return out, s.record(checks, b, Check{Type: c.T, Bound: out})
}

func nodeBound(c *sqlfront.Call, parts []Bound) (Bound, error) {
	zero := zeroInterval()
	if c.Name == "sign" {
		return &Interval{Lo: big.NewInt(-1), Hi: big.NewInt(1)}, nil
	}
	if slices.Contains(parts, nil) {
		return nil, errPoint
	}
	switch c.Name {
	case "neg":
		return &SumBound{A: zero, B: parts[0], Minus: true}, nil
	case "+":
		return &SumBound{A: parts[0], B: parts[1]}, nil
	case "-":
		return &SumBound{A: parts[0], B: parts[1], Minus: true}, nil
	case "*":
		return &ProductBound{A: parts[0], B: parts[1]}, nil
	case "abs", "//", "divide", "%", "mod":
		return &HullBound{A: parts[0], B: &SumBound{A: zero, B: parts[0], Minus: true}}, nil
	case "greatest", "least", "coalesce", "nullif":
		out := Bound(zero)
		for _, p := range parts {
			out = &HullBound{A: out, B: p}
		}
		return out, nil
	}
	return nil, errPoint
}

func (s *splitter) columnBound(c *sqlfront.ColumnRef) (Bound, error) {
	if !c.T.IsExact() {
		return nil, nil
	}
	ref, ok := s.inner(c.Source).Select[c.Column].Expr.(*sqlfront.AggRef)
	if !ok {
		return nil, &needRelation{source: c.Source}
	}
	return &innerBound{src: c.Source, agg: ref.N}, nil
}

func (s *splitter) baseBound(f factor, b *block) (Bound, error) {
	t := b.sources[f.src].table
	if t.Catalog == RelationCatalog {
		if from := b.q.From[f.src]; branchesOf(from) != nil {
			known, err := s.t.looseBag(from, f.expr)
			if known != nil || err != nil {
				return known, err
			}
		}
		return &relationBound{f: f}, nil
	}
	lo, hi, ok, err := s.t.facts.Range(s.t.ctx, t, f.sql, f.expr.Type())
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, refuse("may overflow %s", f.expr.Type())
	}
	return &Interval{Lo: lo.Big(), Hi: hi.Big()}, nil
}
