package engine

import (
	"cmp"
	"context"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/jsonb"
	"github.com/trireme-db/trireme/sqlfront"
)

// functions are those that the server gives DuckDB.
func (e *Engine) functions() duckbackend.Functions {
	f := duckbackend.Functions{Tables: e.systemTables(), Scalars: e.systemFunctions(), Texts: append(e.roleFunctions(), e.viewFunctions()...)}
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
	if err := p.session.enter(ctx); err != nil {
		return err
	}
	var own int64
	err := p.session.access()(ctx, func(c *duckbackend.Conn) (err error) {
		own, err = oneNumber(ctx, c, "SELECT count(*) FROM duckdb_types() WHERE lower(type_name) = 'jsonb'")
		return err
	})
	if err != nil {
		return err
	}
	if own == 0 {
		p.declared, p.namesJSONB = cmp.Or(p.declared, p.sql), true
		p.sql, p.class = text, sqlfront.Classify(text)
		if err := p.permit(ctx); err != nil { // of what DuckDB will see
			return err
		}
	}
	return p.bind(ctx)
}
