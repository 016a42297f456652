package engine

import (
	"context"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/sqlfront"
)

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
		p.declared, p.sql, p.class = p.sql, text, sqlfront.Classify(text)
		if err := p.permit(ctx); err != nil { // of what DuckDB will see
			return err
		}
	}
	return p.bind(ctx)
}
