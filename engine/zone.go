package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// foreignSettings is why no statement of the session can be answered on tensors:
// settings that change what statements mean, the session's or those that a
// statement has changed for all; empty: there is none.
func (s *Session) foreignSettings() string {
	meaning := s.own.meaning
	if g := s.engine.globals.Load(); meaning == "" && g != nil {
		meaning = g.meaning
	}
	return notDefault(meaning)
}

// foreignOrder is why a query cannot be answered on tensors although most can.
func (s *Session) foreignOrder(q *sqlfront.Query) string {
	order := s.order()
	if order == "" || !isOrdered(q) {
		return ""
	}
	return notDefault(order)
}

// order is the settings of how rows are ordered that are not the default, the
// session's or those of all.
func (s *Session) order() string {
	if g := s.engine.globals.Load(); s.own.order == "" && g != nil {
		return g.order
	}
	return s.own.order
}

func notDefault(settings string) string {
	switch {
	case settings == "":
		return ""
	case strings.Contains(settings, ","):
		return "settings differ from the defaults: " + settings
	default:
		return "setting differs from the default: " + settings
	}
}

// isOrdered reports whether a query has an ORDER BY, or what DuckDB executes as it
// is.
func isOrdered(q *sqlfront.Query) bool {
	found := false
	q.Walk(func(q *sqlfront.Query) {
		found = found || len(q.OrderBy) > 0
		for _, s := range q.From {
			found = found || s.Text != ""
		}
	})
	return found
}

// timeless reports whether a query has the same answer in all time zones: it has
// no value and no function that has to do with times with a zone, and no part
// whose values are not seen here.
func timeless(ctx context.Context, q *sqlfront.Query, functions sqlfront.Catalog) (bool, error) {
	ok := true
	var failed error
	expr := func(e sqlfront.Expr) {
		ok = ok && !mayBeZoned(e.Type())
		if c, isCall := e.(*sqlfront.Call); isCall {
			f, err := functions.Function(ctx, c.Name)
			failed = errors.Join(failed, err)
			ok = ok && !(f.Zoned && isWord(c.Name))
		}
	}
	q.Walk(func(q *sqlfront.Query) {
		for _, s := range q.From {
			ok = ok && s.Text == "" && (s.Table == nil || !s.Table.Generated)
		}
		q.Roots(func(root sqlfront.Expr) { sqlfront.WalkExpr(root, expr) })
	})
	return ok, failed
}

// isWord tells functions from operators, whose operands and values show that they
// have to do with zones.
func isWord(name string) bool { return name[0] >= 'a' && name[0] <= 'z' || name[0] == '_' }

// mayBeZoned reports whether a type is, or may have in it, a time with a zone.
func mayBeZoned(t rows.Type) bool {
	return t.ID == rows.TimestampTZ || t.ID == rows.TimeTZ || t.Name != "" && t.ID != rows.Enum
}
