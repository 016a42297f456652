package engine

import (
	"errors"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// otherTypes are what to write for types of Postgres that there are none of.
var otherTypes = map[string]string{
	"citext": "Use VARCHAR, and ILIKE or lower() where case does not matter.", "name": "Use VARCHAR.", "xml": "Use VARCHAR.",
	"tsvector": "Use VARCHAR.", "tsquery": "Use VARCHAR.", "cidr": hintAddresses, "macaddr": hintAddresses, "macaddr8": hintAddresses,
	"money": "Use DECIMAL(19,2).", "hstore": "Use JSON, or MAP(VARCHAR, VARCHAR).",
	"point": hintShapes, "line": hintShapes, "lseg": hintShapes, "box": hintShapes, "path": hintShapes, "polygon": hintShapes, "circle": hintShapes,
	"int4range": hintRanges, "int8range": hintRanges, "numrange": hintRanges, "tsrange": hintRanges, "tstzrange": hintRanges, "daterange": hintRanges,
}

const (
	hintAddresses = "Use VARCHAR for addresses."
	hintShapes    = "Use columns of DOUBLE for the coordinates, or a STRUCT or a list of them."
	hintRanges    = "Use two columns, for the lower and the upper bound."
)

// hintType says in an error about a type of Postgres that there is none of what to use.
func (p *Prepared) hintType(err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.UndefinedObject || e.Offset < 0 || e.Offset >= len(p.sql) {
		return err
	}
	tokens, failed := sqlfront.Tokens(p.sql[e.Offset:])
	if failed != nil || len(tokens) == 0 {
		return err
	}
	hint := otherTypes[strings.ToLower(strings.Trim(p.sql[e.Offset+tokens[0].Start:e.Offset+tokens[0].End], `"`))]
	if hint == "" {
		return err
	}
	return e.WithHint("%s", hint)
}
