package slt

import (
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// arrayElements are the OIDs of the elements of arrays by the arrays' own.
var arrayElements = map[uint32]uint32{
	pgtype.BoolArrayOID: pgtype.BoolOID, pgtype.Int2ArrayOID: pgtype.Int2OID, pgtype.Int4ArrayOID: pgtype.Int4OID,
	pgtype.Int8ArrayOID: pgtype.Int8OID, pgtype.Float4ArrayOID: pgtype.Float4OID, pgtype.Float8ArrayOID: pgtype.Float8OID,
	pgtype.NumericArrayOID: pgtype.NumericOID, pgtype.TextArrayOID: pgtype.TextOID, pgtype.DateArrayOID: pgtype.DateOID,
	pgtype.TimeArrayOID: pgtype.TimeOID, pgtype.TimestampArrayOID: pgtype.TimestampOID,
	pgtype.TimestamptzArrayOID: pgtype.TimestamptzOID, pgtype.UUIDArrayOID: pgtype.UUIDOID,
	pgtype.JSONArrayOID: pgtype.JSONOID, pgtype.JSONBArrayOID: pgtype.JSONBOID, pgtype.IntervalArrayOID: pgtype.IntervalOID,
}

// duckList turns an array in Postgres's text into DuckDB's text of a list.
func duckList(text string, element uint32) string {
	var out []string
	rest := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	for rest != "" {
		var item string
		quoted := rest[0] == '"'
		item, rest = cutArrayElement(rest)
		switch {
		case item == "NULL" && !quoted:
		default:
			item = quoteListElement(duckText(item, element))
		}
		out = append(out, item)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// cutArrayElement takes the first element, and the comma behind it.
func cutArrayElement(s string) (item, rest string) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			return b.String(), s[i+1:]
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}

// quoteListElement quotes what DuckDB quotes within a list.
func quoteListElement(text string) string {
	plain := text != "" && !strings.EqualFold(text, "NULL") && strings.TrimSpace(text) == text && !strings.ContainsAny(text, `,'"()[]{}:=`)
	if plain {
		return text
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
