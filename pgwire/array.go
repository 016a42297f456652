package pgwire

import (
	"encoding/binary"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/internal/rows"
)

// Lists of DuckDB are one-dimensional arrays of Postgres where their elements have a
// type that arrays can have. Lists of lists are text: they need not be rectangular.

// elementTypes are the element types of arrays by DuckDB's names.
var elementTypes = map[string]rows.TypeID{
	"BOOLEAN": rows.Boolean, "TINYINT": rows.TinyInt, "SMALLINT": rows.SmallInt, "INTEGER": rows.Integer, "BIGINT": rows.BigInt,
	"HUGEINT": rows.HugeInt, "UTINYINT": rows.UTinyInt, "USMALLINT": rows.USmallInt, "UINTEGER": rows.UInteger, "UBIGINT": rows.UBigInt,
	"UHUGEINT": rows.UHugeInt, "FLOAT": rows.Float, "DOUBLE": rows.Double, "VARCHAR": rows.Varchar, "DATE": rows.Date, "TIME": rows.Time,
	"TIMESTAMP": rows.Timestamp, "TIMESTAMP_S": rows.TimestampS, "TIMESTAMP_MS": rows.TimestampMS,
	"TIMESTAMP WITH TIME ZONE": rows.TimestampTZ, "UUID": rows.UUID,
}

// arrayOIDs are the OIDs of arrays by that of their elements.
var arrayOIDs = map[uint32]uint32{
	pgtype.BoolOID: pgtype.BoolArrayOID, pgtype.Int2OID: pgtype.Int2ArrayOID, pgtype.Int4OID: pgtype.Int4ArrayOID,
	pgtype.Int8OID: pgtype.Int8ArrayOID, pgtype.Float4OID: pgtype.Float4ArrayOID, pgtype.Float8OID: pgtype.Float8ArrayOID,
	pgtype.NumericOID: pgtype.NumericArrayOID, pgtype.TextOID: pgtype.TextArrayOID, pgtype.VarcharOID: pgtype.VarcharArrayOID,
	pgtype.BPCharOID: pgtype.BPCharArrayOID, pgtype.NameOID: pgtype.NameArrayOID, pgtype.OIDOID: pgtype.OIDArrayOID,
	pgtype.DateOID: pgtype.DateArrayOID, pgtype.TimeOID: pgtype.TimeArrayOID, pgtype.TimestampOID: pgtype.TimestampArrayOID,
	pgtype.TimestamptzOID: pgtype.TimestamptzArrayOID, pgtype.UUIDOID: pgtype.UUIDArrayOID, pgtype.ByteaOID: pgtype.ByteaArrayOID,
}

// elementOIDs is the inverse of arrayOIDs.
var elementOIDs = invert(arrayOIDs)

func invert(m map[uint32]uint32) map[uint32]uint32 {
	out := make(map[uint32]uint32, len(m))
	for k, v := range m {
		out[v] = k
	}
	return out
}

// elementType returns the type of a list's elements, if it is sent as an array.
func elementType(t rows.Type) (rows.Type, bool) {
	if t.ID != rows.List && t.ID != rows.Array {
		return rows.Type{}, false
	}
	at := strings.LastIndexByte(t.Name, '[')
	if at < 0 {
		return rows.Type{}, false
	}
	name := t.Name[:at]
	switch {
	case strings.HasPrefix(name, "DECIMAL(") && !strings.HasSuffix(name, "]"):
		// Precision and scale are those of each value: the array's type has none.
		return rows.Type{ID: rows.Decimal}, true
	case strings.HasPrefix(name, "ENUM(") && strings.HasSuffix(name, ")"):
		return rows.Type{ID: rows.Varchar}, true
	}
	id, ok := elementTypes[name]
	return rows.Type{ID: id}, ok
}

// listParamType is the list that a parameter of an array type is bound as; numeric
// has no scale that would do for all, so its elements stay text until they meet
// their column.
func listParamType(oid uint32) rows.Type {
	element := paramTypeIDs[elementOIDs[oid]]
	if element == rows.Invalid {
		return rows.Type{}
	}
	return rows.Type{ID: rows.List, Name: rows.Type{ID: element}.String() + "[]"}
}

// element is one element of an array as text.
type element struct {
	text string
	null bool
}

// parseList reads DuckDB's text of a list without lists in it: elements separated by
// commas, in single quotes with backslashes where they need them.
func parseList(text string) (out []element, ok bool) {
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return nil, false
	}
	rest := text[1 : len(text)-1]
	for rest != "" {
		var e element
		if rest[0] == '\'' {
			if e.text, rest, ok = cutQuoted(rest, '\''); !ok {
				return nil, false
			}
		} else {
			end := strings.Index(rest, ", ")
			if end < 0 {
				end = len(rest)
			}
			e.text, rest = rest[:end], rest[end:]
			e.null = e.text == "NULL"
		}
		out = append(out, e)
		if rest == "" {
			return out, true
		}
		if rest, ok = strings.CutPrefix(rest, ", "); !ok {
			return nil, false
		}
	}
	return out, true
}

// cutQuoted reads a text in quotes, in which a backslash keeps the next byte, and
// returns what follows.
func cutQuoted(s string, quote byte) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

// elementText spells an element as Postgres does, from DuckDB's spelling.
func elementText(id rows.TypeID, text string) string {
	switch id {
	case rows.Boolean:
		return text[:1]
	case rows.Float, rows.Double:
		switch strings.TrimPrefix(text, "-") {
		case "inf":
			return strings.TrimSuffix(text, "inf") + "Infinity"
		case "nan":
			return "NaN"
		}
	case rows.Date, rows.Timestamp, rows.TimestampS, rows.TimestampMS, rows.TimestampTZ:
		if day, clock, bc := strings.Cut(text, " (BC)"); bc {
			return day + clock + " BC"
		}
	}
	return text
}

// textArrayAppender writes Postgres's text of an array.
func textArrayAppender(t rows.Type) appender {
	return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
		elements, ok := parseList(v.Str[i])
		if !ok {
			return dst, badText(t.Name, v.Str[i])
		}
		item, _ := elementType(t)
		dst = append(dst, '{')
		for n, e := range elements {
			if n > 0 {
				dst = append(dst, ',')
			}
			if e.null {
				dst = append(dst, "NULL"...)
			} else {
				dst = appendArrayElement(dst, elementText(item.ID, e.text))
			}
		}
		return append(dst, '}'), nil
	}
}

// appendArrayElement appends an element, in quotes where it would be misread.
func appendArrayElement(dst []byte, text string) []byte {
	if text != "" && !strings.EqualFold(text, "NULL") && !strings.ContainsAny(text, "{}\",\\ \t\n\r\v\f") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for i := 0; i < len(text); i++ {
		if text[i] == '"' || text[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}

// binaryArrayAppender writes Postgres's binary array: dimensions, whether there are
// NULLs, the elements' OID, their number, the first index, then each element with
// its length.
func binaryArrayAppender(t rows.Type) appender {
	item, _ := elementType(t)
	oid := wireTypeOf(item).oid
	types := pgtype.NewMap()
	return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
		elements, ok := parseList(v.Str[i])
		if !ok {
			return dst, badText(t.Name, v.Str[i])
		}
		nulls, dimensions := int64(0), int64(min(len(elements), 1))
		for _, e := range elements {
			if e.null {
				nulls = 1
			}
		}
		dst = appendInt32(appendInt32(appendInt32(dst, dimensions), nulls), int64(oid))
		if dimensions > 0 {
			dst = appendInt32(appendInt32(dst, int64(len(elements))), 1)
		}
		for _, e := range elements {
			if e.null {
				dst = appendInt32(dst, -1)
				continue
			}
			at := len(dst)
			dst = appendInt32(dst, 0)
			var err error
			if dst, err = appendElementBinary(dst, types, oid, elementText(item.ID, e.text)); err != nil {
				return dst, badText(t.Name, v.Str[i])
			}
			binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
		}
		return dst, nil
	}
}

// appendElementBinary appends the binary form of a value in Postgres's text form.
func appendElementBinary(dst []byte, types *pgtype.Map, oid uint32, text string) ([]byte, error) {
	if oid == pgtype.TextOID {
		return append(dst, text...), nil
	}
	var value any
	var err error
	switch oid {
	case pgtype.DateOID: // those that may be infinite have types of their own
		value = &pgtype.Date{}
	case pgtype.TimestampOID:
		value = &pgtype.Timestamp{}
	case pgtype.TimestamptzOID:
		value = &pgtype.Timestamptz{}
	}
	if value != nil {
		err = types.Scan(oid, pgtype.TextFormatCode, []byte(text), value)
	} else {
		known, _ := types.TypeForOID(oid)
		value, err = known.Codec.DecodeValue(types, oid, pgtype.TextFormatCode, []byte(text))
	}
	if err != nil {
		return dst, err
	}
	return types.Encode(oid, pgtype.BinaryFormatCode, value, dst)
}

// listText spells an array for DuckDB: every element but NULL in quotes.
func listText(elements []element) string {
	var b strings.Builder
	b.WriteByte('[')
	for n, e := range elements {
		if n > 0 {
			b.WriteString(", ")
		}
		if e.null {
			b.WriteString("NULL")
			continue
		}
		b.WriteByte('\'')
		for i := 0; i < len(e.text); i++ {
			if e.text[i] == '\'' || e.text[i] == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(e.text[i])
		}
		b.WriteByte('\'')
	}
	b.WriteByte(']')
	return b.String()
}

// parseArray reads Postgres's text of an array of one dimension; bounds before it,
// as in [0:2]={..}, are passed over.
func parseArray(text string) (out []element, ok bool) {
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "=")
	}
	rest, ok = strings.CutPrefix(rest, "{")
	if !ok {
		return nil, false
	}
	if rest = strings.TrimLeft(rest, arraySpace); rest == "}" {
		return nil, true
	}
	for {
		var e element
		if e, rest, ok = cutElement(rest); !ok {
			return nil, false
		}
		out = append(out, e)
		rest = strings.TrimLeft(rest, arraySpace)
		if rest == "}" {
			return out, true
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, false
		}
		rest = strings.TrimLeft(rest, arraySpace)
	}
}

const arraySpace = " \t\n\r\v\f"

// cutElement reads one element of Postgres's text.
func cutElement(s string) (e element, rest string, ok bool) {
	if strings.HasPrefix(s, "\"") {
		e.text, rest, ok = cutQuoted(s, '"')
		return e, rest, ok
	}
	var b strings.Builder
	i := 0
	for ; i < len(s) && s[i] != ',' && s[i] != '}'; i++ {
		if s[i] == '{' || s[i] == '"' {
			return e, "", false // arrays of arrays are not read
		}
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	e.text = strings.TrimRight(b.String(), arraySpace)
	e.null = strings.EqualFold(s[:i], "NULL")
	return e, s[i:], e.text != ""
}

// decodeArrayText reads a parameter of an array type in text.
func decodeArrayText(oid uint32, text string) (string, bool) {
	elements, ok := parseArray(text)
	if !ok {
		return "", false
	}
	for i := range elements {
		if !elements[i].null {
			if elements[i].text, ok = textParam(elementOIDs[oid], elements[i].text); !ok {
				return "", false
			}
		}
	}
	return listText(elements), true
}

// decodeArrayBinary reads a parameter of an array type in binary.
func decodeArrayBinary(b []byte) (string, bool) {
	const headBytes, dimensionBytes = 12, 8
	if len(b) < headBytes {
		return "", false
	}
	dimensions, oid := bigEndian(b[:4]), binary.BigEndian.Uint32(b[8:])
	decode, known := binaryDecoders[oid]
	b = b[headBytes:]
	if dimensions == 0 && len(b) == 0 {
		return "[]", true
	}
	if dimensions != 1 || len(b) < dimensionBytes || !known {
		return "", false
	}
	count := bigEndian(b[:4])
	b = b[dimensionBytes:]
	var elements []element
	for ; count > 0; count-- {
		if len(b) < 4 {
			return "", false
		}
		size := bigEndian(b[:4])
		b = b[4:]
		if size == -1 {
			elements = append(elements, element{null: true})
			continue
		}
		if size < 0 || size > int64(len(b)) {
			return "", false
		}
		text, ok := decode(b[:size])
		if !ok {
			return "", false
		}
		elements = append(elements, element{text: text})
		b = b[size:]
	}
	return listText(elements), len(b) == 0 && count == 0
}
