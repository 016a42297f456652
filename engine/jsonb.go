package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/jsonb"
	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// functions are those that the server gives DuckDB.
func (e *Engine) functions() duckbackend.Functions {
	f := duckbackend.Functions{Tables: e.systemTables(), Scalars: e.systemFunctions(), Texts: slices.Concat(e.roleFunctions(), e.viewFunctions(), e.storedFunctions())}
	f.Values = append(f.Values, duckbackend.ValueFunction{
		Name: "initcap", Params: []rows.Type{{ID: rows.Varchar}}, Result: rows.Type{ID: rows.Varchar},
		Call: func(_ func() bool, args []any) (any, error) { return pgtext.Capitalized(args[0].(string)), nil },
	})
	for _, v := range jsonb.Functions() {
		f.Values = append(f.Values, duckbackend.ValueFunction{Name: v.Name, Params: v.Params, Result: v.Result, Call: v.Call})
	}
	return f
}

// bindJSONB is bind, which takes JSONB for JSON where there is no type of that name: a
// user may have made one.
func (p *Prepared) bindJSONB(ctx context.Context) error {
	text := sqlfront.JSONBAsJSON(p.sql)
	if text == p.sql {
		return p.bind(ctx)
	}
	own, err := p.session.ownsJSONB(ctx)
	if err != nil {
		return err
	}
	if !own {
		p.declared, p.namesJSONB = cmp.Or(p.declared, p.sql), true
		p.sql, p.class = text, sqlfront.Classify(text)
		if err := p.permit(ctx); err != nil { // of what DuckDB will see
			return err
		}
	}
	return p.bind(ctx)
}

// ownsJSONB reports whether there is a type of that name.
func (s *Session) ownsJSONB(ctx context.Context) (owns bool, err error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	err = s.access()(ctx, func(c *duckbackend.Conn) error {
		own, err := oneNumber(ctx, c, "SELECT count(*) FROM duckdb_types() WHERE lower(type_name) = 'jsonb'")
		owns = own > 0
		return err
	})
	return owns, err
}

// withJSON is a text with JSON for JSONB, unless there is a type of that name.
func (s *Session) withJSON(ctx context.Context, sql string) (string, error) {
	text := sqlfront.JSONBAsJSON(sql)
	if text == sql {
		return sql, nil
	}
	owns, err := s.ownsJSONB(ctx)
	if owns || err != nil {
		return sql, err
	}
	return text, nil
}
