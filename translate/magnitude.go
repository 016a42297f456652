package translate

import (
	"math"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// maxFloatBits bounds the binary exponent of what may be regrouped over DOUBLE:
// 1e300 (SEMANTICS section 6c).
const maxFloatBits = 996

// A sum of DOUBLE has at most 2^countBits terms; an exact value that has no
// bound of its own is below 2^exactBits.
const (
	countBits = 63
	exactBits = 128
)

// regroups reports whether a DOUBLE argument may be
// computed from moments: every part is finite and no product leaves the range.
// With an infinity or NaN it may not, not even under + and -: the sum over no row
// of the other table times an infinity is NaN, MAX(x - y) takes the least y where
// a NaN is the greatest, and Inf - Inf may be missed.
func (s *splitter) regroups(a *argument, q *sqlfront.Query) (bool, error) {
	if !a.float || len(a.terms) == 1 && len(a.terms[0].factors) <= 1 {
		return true, nil
	}
	return s.bounded(a, q)
}

// bounded reports whether a DOUBLE argument has no factor that is infinite or NaN,
// and no product of its factors leaves the range.
func (s *splitter) bounded(a *argument, q *sqlfront.Query) (bool, error) {
	total := 0.0
	for _, fs := range a.factors {
		for _, f := range fs {
			if f.filter != nil {
				continue
			}
			bits, err := s.magnitude(q, f.expr)
			if err != nil {
				return false, err
			}
			total += bits
		}
	}
	return total < maxFloatBits, nil
}

// magnitude bounds the binary exponent of an expression over q's sources; it is
// infinite where a value may be infinite or NaN, or where nothing is known.
func (s *splitter) magnitude(q *sqlfront.Query, e sqlfront.Expr) (float64, error) {
	if isNull(e) { // it has no value
		return 0, nil
	}
	srcs := sourcesOf(e)
	if len(srcs) == 1 {
		from := q.From[srcs[0]]
		if from.Table != nil {
			return s.baseMagnitude(from.Table.Name, e)
		}
		if branches := branchesOf(from); branches != nil {
			most := 0.0
			for _, branch := range branches {
				bits, err := s.magnitude(branch, ofBranch(branch, e))
				if err != nil {
					return 0, err
				}
				most = max(most, bits)
			}
			return most, nil
		}
		if from.Text != "" && isNullRow(from.Text, from.Columns) {
			if _, ok := e.(*sqlfront.ColumnRef); ok { // it has no value
				return 0, nil
			}
			return s.partsMagnitude(q, e)
		}
		if from.Query == nil || from.Query.SetOp != sqlfront.NoSetOp {
			return math.Inf(1), nil
		}
		if c, ok := e.(*sqlfront.ColumnRef); ok {
			return s.columnMagnitude(from.Query, from.Query.Select[c.Column].Expr)
		}
	}
	return s.partsMagnitude(q, e)
}

// partsMagnitude is magnitude by the parts of an expression.
func (s *splitter) partsMagnitude(q *sqlfront.Query, e sqlfront.Expr) (float64, error) {
	switch e := e.(type) {
	case *sqlfront.Literal:
		if e.T.IsExact() {
			return exactBits, nil
		}
		if v, ok := doubleLiteral(e); ok {
			return max(math.Log2(math.Abs(v)), 0), nil
		}
	case *sqlfront.Cast:
		return s.magnitude(q, e.Arg)
	case *sqlfront.Case:
		arms := []sqlfront.Expr{}
		for _, w := range e.Whens {
			arms = append(arms, w.Then)
		}
		if e.Else != nil {
			arms = append(arms, e.Else)
		}
		return s.totalMagnitude(q, arms)
	case *sqlfront.Call:
		switch e.Name {
		case "neg", "+", "-", "*", "abs", "greatest", "least", "coalesce", "sqrt", "nullif", "round", "floor", "ceil", "trunc":
			return s.totalMagnitude(q, e.Args)
		}
	}
	return math.Inf(1), nil
}

// totalMagnitude bounds what some values give that are added, multiplied or chosen from.
func (s *splitter) totalMagnitude(q *sqlfront.Query, parts []sqlfront.Expr) (float64, error) {
	total := 1.0
	for _, part := range parts {
		bits, err := s.magnitude(q, part)
		if err != nil {
			return 0, err
		}
		total += bits
	}
	return total, nil
}

func (s *splitter) baseMagnitude(t load.Table, e sqlfront.Expr) (float64, error) {
	nonFinite, absMax, err := s.t.facts.Floats(s.t.ctx, t, "CAST("+columnSQL(e)+" AS "+rows.Type{ID: rows.Double}.String()+")")
	switch {
	case err != nil:
		return 0, err
	case nonFinite:
		return math.Inf(1), nil
	case absMax > 1:
		return math.Log2(absMax), nil
	}
	return 0, nil
}

// derivedColumn is what a derived table selects.
type derivedColumn struct {
	query *sqlfront.Query
	expr  sqlfront.Expr
}

// columnMagnitude is magnitude for a column of a derived table. It is remembered: a column that is used
// twice at each of many levels would be looked at twice as often at each of them.
func (s *splitter) columnMagnitude(inner *sqlfront.Query, e sqlfront.Expr) (float64, error) {
	of := derivedColumn{inner, e}
	if bits, known := s.t.magnitudes[of]; known {
		return bits, nil
	}
	bits, err := s.newMagnitude(inner, e)
	if err == nil {
		s.t.magnitudes[of] = bits
	}
	return bits, err
}

func (s *splitter) newMagnitude(inner *sqlfront.Query, e sqlfront.Expr) (float64, error) {
	switch e := e.(type) {
	case *sqlfront.GroupRef:
		return s.magnitude(inner, inner.GroupBy[e.N])
	case *sqlfront.AggRef:
		agg := inner.Aggs[e.N]
		switch {
		case agg.T.IsExact():
			return exactBits, nil
		case ofMoments(agg):
			return math.Inf(1), nil
		}
		bits, err := s.magnitude(inner, agg.Args[0])
		if agg.Func == "sum" || agg.Func == "avg" {
			bits += countBits
		}
		return bits, err
	}
	return math.Inf(1), nil
}
