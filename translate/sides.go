package translate

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A conjunct over two tables is a bound of a loop, or an equality of indices, where it
// compares an expression over one of them with one over the other. Some are so when
// they are written in another way:
//
//	b.i BETWEEN a.lo AND a.hi    b.i >= a.lo, b.i <= a.hi
//	abs(a.i - b.i) <= 2          a.i <= b.i + 2, a.i >= b.i - 2
//	b.i - a.i = 2                b.i = a.i + 2
//
// Sides are moved among integers only, and only where the facts say that nothing that DuckDB
// calculates, and nothing that is calculated instead, leaves its type.

// sided returns conjuncts that together are TRUE where e is, each nearer to a comparison
// of two tables; nil: it is as it should be, or cannot be.
func (p *predicates) sided(e sqlfront.Expr) ([]sqlfront.Expr, error) {
	c, ok := e.(*sqlfront.Call)
	if !ok || len(sourcesOf(e)) < 2 || p.compares(e) {
		return nil, nil
	}
	switch c.Name {
	case "between":
		t := c.Args[0].Type()
		if sameKeyType(t, c.Args[1].Type()) && sameKeyType(t, c.Args[2].Type()) {
			return between(c).(*sqlfront.Call).Args, nil
		}
	case "<", "<=", ">", ">=":
		if x, k, ok := absolute(c); ok {
			return p.within(e, x, k, c.Name == "<" || c.Name == ">")
		}
		return p.apart(c)
	case "=":
		return p.apart(c)
	}
	return nil, nil
}

// absolute recognises that the magnitude of a whole number x is at most, or below, a constant k.
func absolute(c *sqlfront.Call) (x, k sqlfront.Expr, ok bool) {
	l, r := c.Args[0], c.Args[1]
	if c.Name == ">" || c.Name == ">=" {
		l, r = r, l
	}
	abs, isCall := l.(*sqlfront.Call)
	if !isCall || abs.Name != "abs" || !bounded64(l.Type()) || !bounded64(r.Type()) {
		return nil, nil, false
	}
	_, isNumber := number(r)
	return abs.Args[0], r, isNumber
}

// bounded64 reports an integer type of at most 64 bits with a sign.
func bounded64(t rows.Type) bool { return t.ID >= rows.TinyInt && t.ID <= rows.BigInt }

// within is -k <= x and x <= k.
func (p *predicates) within(e, x, k sqlfront.Expr, strict bool) ([]sqlfront.Expr, error) {
	if ok, err := p.safe(e); !ok || err != nil {
		return nil, err
	}
	below, above := "<=", ">="
	if strict {
		below, above = "<", ">"
	}
	k = bigger(k)
	return []sqlfront.Expr{
		&sqlfront.Call{Name: below, Args: []sqlfront.Expr{x, k}, T: boolean},
		&sqlfront.Call{Name: above, Args: []sqlfront.Expr{x, &sqlfront.Call{Name: "neg", Args: []sqlfront.Expr{k}, T: bigint}}, T: boolean},
	}, nil
}

func bigger(e sqlfront.Expr) sqlfront.Expr { return castTo(e, bigint) }

// safe reports whether the facts prove that nothing in a comparison leaves its type.
func (p *predicates) safe(e sqlfront.Expr) (bool, error) {
	var checks []Check
	_, err := p.splitter().bounds(e, p.b, &checks)
	if declined(err) {
		return false, nil
	}
	return err == nil && len(checks) == 0, err
}

// addend is a part of a sum: over one source, or none.
type addend struct {
	e     sqlfront.Expr
	minus bool
}

// apart moves the parts of a comparison's sums to the sides of their tables.
func (p *predicates) apart(c *sqlfront.Call) ([]sqlfront.Expr, error) {
	srcs := sourcesOf(c)
	if len(srcs) != 2 || slices.ContainsFunc(srcs, func(n int) bool { return !p.isBase(n) }) {
		return nil, nil
	}
	parts, ok := addends(c.Args[0], false, nil)
	if ok {
		parts, ok = addends(c.Args[1], true, parts)
	}
	if !ok {
		return nil, nil
	}
	var left, right []addend
	for _, a := range parts {
		if slices.Equal(sourcesOf(a.e), srcs[:1]) {
			left = append(left, a)
		} else {
			right = append(right, addend{e: a.e, minus: !a.minus})
		}
	}
	moved := &sqlfront.Call{Name: c.Name, Args: []sqlfront.Expr{sumOf(left), sumOf(right)}, T: boolean}
	for _, e := range []sqlfront.Expr{c, moved.Args[0], moved.Args[1]} {
		if ok, err := p.safe(e); !ok || err != nil {
			return nil, err
		}
	}
	return []sqlfront.Expr{moved}, nil
}

// isBase reports whether a source is a base table.
func (p *predicates) isBase(n int) bool {
	return p.inners[n] == nil && p.b.q.From[n].Table != nil
}

// addends takes a sum of integers over several sources apart.
func addends(e sqlfront.Expr, minus bool, to []addend) ([]addend, bool) {
	if !bounded64(e.Type()) {
		return to, false
	}
	if len(sourcesOf(e)) < 2 {
		return append(to, addend{e: e, minus: minus}), true
	}
	c, ok := e.(*sqlfront.Call)
	if cast, is := e.(*sqlfront.Cast); is {
		return addends(cast.Arg, minus, to)
	}
	if !ok || c.Name != "+" && c.Name != "-" && c.Name != "neg" {
		return to, false
	}
	for i, arg := range c.Args {
		if to, ok = addends(arg, minus != (c.Name == "neg" || c.Name == "-" && i == 1), to); !ok {
			return to, false
		}
	}
	return to, true
}

// sumOf is a sum as BIGINT; a part alone stays as it is.
func sumOf(parts []addend) sqlfront.Expr {
	if len(parts) == 1 && !parts[0].minus {
		return parts[0].e
	}
	slices.SortStableFunc(parts, func(a, b addend) int { // one that is added first, where there is one
		switch {
		case a.minus == b.minus:
			return 0
		case b.minus:
			return -1
		}
		return 1
	})
	var out sqlfront.Expr
	for _, a := range parts {
		x := bigger(a.e)
		switch {
		case out == nil && a.minus:
			out = &sqlfront.Call{Name: "neg", Args: []sqlfront.Expr{x}, T: bigint}
		case out == nil:
			out = x
		case a.minus:
			out = &sqlfront.Call{Name: "-", Args: []sqlfront.Expr{out, x}, T: bigint}
		default:
			out = &sqlfront.Call{Name: "+", Args: []sqlfront.Expr{out, x}, T: bigint}
		}
	}
	return out
}
