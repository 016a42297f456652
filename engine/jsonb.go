package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// bindJSONB is bind, which takes JSONB for JSON where DuckDB knows no type of that
// name: a user may have made one.
func (p *Prepared) bindJSONB(ctx context.Context) error {
	err := p.bind(ctx)
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.UndefinedObject || !strings.HasPrefix(strings.ToLower(e.Message), "type with name jsonb does not exist") {
		return err
	}
	text := sqlfront.JSONBAsJSON(p.sql)
	if text == p.sql {
		return err
	}
	p.sql, p.class = text, sqlfront.Classify(text)
	if err := p.permit(ctx); err != nil { // of what DuckDB will see
		return err
	}
	return p.bind(ctx)
}
