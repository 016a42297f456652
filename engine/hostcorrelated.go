package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// correlated analyzes a block that reads the SELECT around it, set apart from that;
// nil: it is refused. One of one table auto would leave to DuckDB, so that it is not
// worth the questions.
func (h *hosted) correlated(ctx context.Context, c *sqlfront.Correlation) (*hostedBlock, error) {
	if h.backend == Auto && c.OneTable() {
		return nil, nil
	}
	outside, types, err := h.sides(ctx, c.Equalities)
	if outside == nil || err != nil {
		return nil, err
	}
	got := &hostedBlock{}
	got.apart, _, err = c.Apart(ctx, h.session.catalogView(), h.session, h.duck.desc.Params, outside)
	if got.apart == nil || err != nil {
		return nil, onlyFatal(ctx, err)
	}
	for _, sql := range []string{got.apart.Checked, got.apart.SQL} {
		if got.sel, err = h.analyzed(ctx, sql); got.sel != nil || err != nil {
			break
		}
	}
	if got.sel == nil || err != nil {
		return nil, err
	}
	got.columns = got.sel.desc.Columns
	for i, side := range outside {
		if side >= 0 && !equalAlike(got.columns[got.apart.Key(i)].Type, types[i]) {
			return nil, nil
		}
	}
	return got, nil
}

// sides are the sides of equalities that are columns of the SELECT around, with their
// types; nil: there is none, or one cannot be told or compared.
func (h *hosted) sides(ctx context.Context, equalities []sqlfront.Equality) (outside []int, types []rows.Type, err error) {
	found := false
	for _, e := range equalities {
		side, err := h.outside(ctx, e)
		if err != nil || side == eitherSide {
			return nil, nil, err
		}
		outside, types = append(outside, side), append(types, rows.Type{})
		if side < 0 {
			continue
		}
		found = true
		sql := e.Sides[side].Outside
		col, err := h.oneColumn(ctx, sql)
		if err != nil || col == nil {
			return nil, nil, err
		}
		types[len(types)-1] = col.Type
		if ok, err := h.byBytes(ctx, sql, col.Type); err != nil || !ok {
			return nil, nil, err
		}
	}
	if !found {
		return nil, nil, nil
	}
	return outside, types, nil
}

// insideOnly and eitherSide say that no side of an equality is outside, and that it
// cannot be told which.
const (
	insideOnly = -1
	eitherSide = -2
)

// outside is the side of an equality that is a column of the SELECT around: the one
// that means nothing inside.
func (h *hosted) outside(ctx context.Context, e sqlfront.Equality) (int, error) {
	side := insideOnly
	for i, s := range e.Sides {
		if s.Named {
			continue
		}
		col, err := h.oneColumn(ctx, s.Inside)
		switch {
		case err != nil:
			return eitherSide, err
		case col != nil:
		case side >= 0 || s.Outside == "":
			return eitherSide, nil
		default:
			side = i
		}
	}
	return side, nil
}

// oneColumn is the column of a SELECT of one expression; nil: it means nothing.
func (h *hosted) oneColumn(ctx context.Context, sql string) (*rows.Column, error) {
	if sql == "" {
		return nil, nil
	}
	d, err := h.session.Describe(ctx, sql, h.duck.desc.Params)
	if err != nil || len(d.Columns) != 1 {
		return nil, onlyFatal(ctx, err)
	}
	return &d.Columns[0], nil
}

// byBytes reports whether a column's texts, if it has such, are compared as they are:
// the tensor engine refuses those with a collation.
func (h *hosted) byBytes(ctx context.Context, sql string, t rows.Type) (bool, error) {
	if t.ID != rows.Varchar {
		return true, nil
	}
	sel, _, err := h.route.analyze(ctx, h.session, sql, h.duck.desc.Params)
	return sel != nil, onlyFatal(ctx, err)
}

// equalAlike reports whether values of one type that are equal to a value of the other
// are one group: numbers that are rounded to be compared are not.
func equalAlike(a, b rows.Type) bool {
	return a == b || comparedExactly(a) && comparedExactly(b)
}

// comparedExactly are the integers that all have one type in common.
func comparedExactly(t rows.Type) bool {
	return t.IsInteger() && t.ID != rows.UBigInt && t.ID != rows.UHugeInt
}

// ofOtherGroups reports whether an error may be of groups that nothing outside asks
// for.
func ofOtherGroups(err error) bool {
	code := sqlerr.From(err).Code
	return strings.HasPrefix(code, "22") || code == sqlerr.OutOfMemory
}
