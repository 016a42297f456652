package pgwire

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
)

// Lists of DuckDB are one-dimensional arrays of Postgres where their elements have a
// type that arrays can have. Lists of lists are text: they need not be rectangular.

// elementTypes are the element types of arrays by DuckDB's names.
var elementTypes = map[string]rows.TypeID{
	"BOOLEAN": rows.Boolean, "TINYINT": rows.TinyInt, "SMALLINT": rows.SmallInt, "INTEGER": rows.Integer, "BIGINT": rows.BigInt,
	"HUGEINT": rows.HugeInt, "UTINYINT": rows.UTinyInt, "USMALLINT": rows.USmallInt, "UINTEGER": rows.UInteger, "OID": rows.OID, "UBIGINT": rows.UBigInt,
	"UHUGEINT": rows.UHugeInt, "FLOAT": rows.Float, "DOUBLE": rows.Double, "VARCHAR": rows.Varchar, "DATE": rows.Date, "TIME": rows.Time,
	"TIMESTAMP": rows.Timestamp, "TIMESTAMP_S": rows.TimestampS, "TIMESTAMP_MS": rows.TimestampMS,
	"TIMESTAMP WITH TIME ZONE": rows.TimestampTZ, "UUID": rows.UUID, "BLOB": rows.Blob, "INTERVAL": rows.Interval, "JSON": rows.JSON,
	"TIME WITH TIME ZONE": rows.TimeTZ, "BIT": rows.Bit, "TIMESTAMP_NS": rows.TimestampNS,
}

// arrayOIDs are the OIDs of arrays by that of their elements.
var arrayOIDs = map[uint32]uint32{
	pgtype.BoolOID: pgtype.BoolArrayOID, pgtype.Int2OID: pgtype.Int2ArrayOID, pgtype.Int4OID: pgtype.Int4ArrayOID,
	pgtype.Int8OID: pgtype.Int8ArrayOID, pgtype.Float4OID: pgtype.Float4ArrayOID, pgtype.Float8OID: pgtype.Float8ArrayOID,
	pgtype.NumericOID: pgtype.NumericArrayOID, pgtype.TextOID: pgtype.TextArrayOID, pgtype.VarcharOID: pgtype.VarcharArrayOID,
	pgtype.BPCharOID: pgtype.BPCharArrayOID, pgtype.NameOID: pgtype.NameArrayOID, pgtype.OIDOID: pgtype.OIDArrayOID,
	pgtype.DateOID: pgtype.DateArrayOID, pgtype.TimeOID: pgtype.TimeArrayOID, pgtype.TimestampOID: pgtype.TimestampArrayOID,
	pgtype.TimestamptzOID: pgtype.TimestamptzArrayOID, pgtype.UUIDOID: pgtype.UUIDArrayOID, pgtype.ByteaOID: pgtype.ByteaArrayOID,
	pgtype.IntervalOID: pgtype.IntervalArrayOID, pgtype.JSONOID: pgtype.JSONArrayOID, pgtype.JSONBOID: pgtype.JSONBArrayOID,
	pgtype.TimetzOID: timetzArrayOID, pgtype.BitOID: pgtype.BitArrayOID, pgtype.VarbitOID: pgtype.VarbitArrayOID,
}

const timetzArrayOID = 1270

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
	if t.ID == rows.NameList {
		return rows.Type{ID: rows.Name}, true
	}
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
// elements get the digits of the values.
func listParamType(oid uint32) rows.Type {
	element := rows.Type{ID: paramTypeIDs[elementOIDs[oid]]}
	switch element.ID {
	case rows.Invalid:
		return rows.Type{}
	case rows.JSON: // DuckDB would read the text of the list as JSON
		element.ID = rows.Varchar
	case rows.Decimal:
		element.Width, element.Scale = 4, 1
	}
	return rows.Type{ID: rows.List, Name: element.String() + "[]"}
}

// parseList reads DuckDB's text of a list without lists in it: elements separated by
// commas, in single quotes with backslashes where they need them.
func parseList(text string) (out []pgtext.Element, ok bool) {
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return nil, false
	}
	rest := text[1 : len(text)-1]
	for rest != "" {
		var e pgtext.Element
		if rest[0] == '\'' {
			if e.Text, rest, ok = pgtext.CutQuoted(rest, '\''); !ok {
				return nil, false
			}
		} else {
			end := strings.Index(rest, ", ")
			if end < 0 {
				end = len(rest)
			}
			e.Text, rest = rest[:end], rest[end:]
			e.Null = e.Text == "NULL"
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

// parseElements reads DuckDB's text of a list of a type.
func parseElements(item rows.TypeID, text string) ([]pgtext.Element, bool) {
	if item == rows.JSON {
		return parseJSONList(text)
	}
	return parseList(text)
}

// parseJSONList reads DuckDB's text of a list of JSON values, which stand in it as they
// are, and NULL for those that are none.
func parseJSONList(text string) (out []pgtext.Element, ok bool) {
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return nil, false
	}
	rest := text[1 : len(text)-1]
	for rest != "" {
		if len(out) > 0 {
			if rest, ok = strings.CutPrefix(rest, ", "); !ok {
				return nil, false
			}
		}
		after, null := strings.CutPrefix(rest, "NULL")
		if null {
			out, rest = append(out, pgtext.Element{Null: true}), after
			continue
		}
		var value json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(rest))
		if decoder.Decode(&value) != nil {
			return nil, false
		}
		end := decoder.InputOffset()
		out, rest = append(out, pgtext.Element{Text: strings.TrimSpace(rest[:end])}), rest[end:]
	}
	return out, true
}

// elementText spells an element as Postgres does, from DuckDB's spelling; times with a
// zone stay as they are.
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
	case rows.Blob:
		return string(hex.AppendEncode([]byte(`\x`), duckBytes(text)))
	case rows.Interval:
		if v, ok := duckInterval(text); ok {
			return string(appendInterval(nil, v))
		}
	case rows.TimestampNS: // Postgres has no nanoseconds
		if _, fraction, some := strings.Cut(text, "."); some && len(fraction) > microDigits {
			text = text[:len(text)-len(fraction)+microDigits]
		}
		return elementText(rows.Timestamp, text)
	case rows.Date, rows.Timestamp, rows.TimestampS, rows.TimestampMS:
		if rest, bc := cutEra(text); bc {
			return rest + " BC"
		}
	}
	return text
}

// microDigits are the digits of a second's fraction in microseconds.
const microDigits = 6

// duckBytes are the bytes that DuckDB spells so: \xHH for those that are no plain ASCII.
func duckBytes(text string) []byte {
	raw := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) {
			if b, err := strconv.ParseUint(text[i+2:i+4], 16, 8); err == nil {
				raw = append(raw, byte(b))
				i += 3
				continue
			}
		}
		raw = append(raw, text[i])
	}
	return raw
}

// duckInterval reads DuckDB's spelling of an interval, which has months for mons.
func duckInterval(text string) (rows.IntervalValue, bool) {
	var v pgtype.Interval
	err := v.Scan(strings.Replace(text, " month", " mon", 1))
	return rows.IntervalValue{Months: v.Months, Days: v.Days, Micros: v.Microseconds}, err == nil
}

// textArrayAppender writes Postgres's text of an array.
func textArrayAppender(t rows.Type, style textStyle) appender {
	item, _ := elementType(t)
	return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
		elements, ok := parseElements(item.ID, v.Str[i])
		if !ok {
			return dst, badText(t.Name, v.Str[i])
		}
		dst = append(dst, '{')
		for n, e := range elements {
			if n > 0 {
				dst = append(dst, ',')
			}
			if e.Null {
				dst = append(dst, "NULL"...)
			} else {
				dst = appendArrayElement(dst, style.elementText(item.ID, e.Text))
			}
		}
		return append(dst, '}'), nil
	}
}

// elementText spells an element as the session shows it.
func (s textStyle) elementText(id rows.TypeID, text string) string {
	if micros, ok := duckInstant(text); ok && id == rows.TimestampTZ {
		return string(appendTimestamp(nil, micros, microsPerSecond, s.zone))
	}
	if v, ok := duckInterval(text); ok && id == rows.Interval {
		return string(s.appendInterval(nil, v))
	}
	if id == rows.TimestampNS && s.keepsNanos {
		id = rows.Timestamp
	}
	return elementText(id, text)
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
		elements, ok := parseElements(item.ID, v.Str[i])
		if !ok {
			return dst, badText(t.Name, v.Str[i])
		}
		nulls, dimensions := int64(0), int64(min(len(elements), 1))
		for _, e := range elements {
			if e.Null {
				nulls = 1
			}
		}
		dst = appendInt32(appendInt32(appendInt32(dst, dimensions), nulls), int64(oid))
		if dimensions > 0 {
			dst = appendInt32(appendInt32(dst, int64(len(elements))), 1)
		}
		for _, e := range elements {
			if e.Null {
				dst = appendInt32(dst, -1)
				continue
			}
			at := len(dst)
			dst = appendInt32(dst, 0)
			var err error
			if dst, err = appendElementBinary(dst, types, oid, elementText(item.ID, e.Text)); err != nil {
				return dst, badText(t.Name, v.Str[i])
			}
			binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
		}
		return dst, nil
	}
}

// appendElementBinary appends the binary form of a value in Postgres's text form.
func appendElementBinary(dst []byte, types *pgtype.Map, oid uint32, text string) ([]byte, error) {
	switch oid {
	case pgtype.TextOID, pgtype.JSONOID:
		return append(dst, text...), nil
	case pgtype.TimetzOID:
		return appendTimeTZBinary(dst, &rows.Vector{Str: []string{text}}, 0)
	case pgtype.TimestamptzOID:
		return appendInstantBinary(dst, text)
	case pgtype.VarbitOID:
		return appendBitBinary(dst, &rows.Vector{Str: []string{text}}, 0)
	}
	var value any
	var err error
	switch oid {
	case pgtype.DateOID: // those that may be infinite have types of their own
		value = &pgtype.Date{}
	case pgtype.TimestampOID:
		value = &pgtype.Timestamp{}
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

// decodeArrayText reads a parameter of an array type in text.
func decodeArrayText(oid uint32, text string) (string, bool) {
	return pgtext.SpellArray(paramTypeIDs[elementOIDs[oid]], text)
}

// decodeArrayBinary reads a parameter of an array type in binary.
func decodeArrayBinary(dst, b []byte) ([]byte, bool) {
	const headBytes, dimensionBytes = 12, 8
	if len(b) < headBytes {
		return dst, false
	}
	dimensions, oid := bigEndian(b[:4]), binary.BigEndian.Uint32(b[8:])
	decode, known := elementDecoder(oid)
	b = b[headBytes:]
	if dimensions == 0 && len(b) == 0 {
		return append(dst, "[]"...), true
	}
	if dimensions != 1 || len(b) < dimensionBytes || !known {
		return dst, false
	}
	count := bigEndian(b[:4])
	b = b[dimensionBytes:]
	var list pgtext.List
	var element []byte
	for ; count > 0; count-- {
		if len(b) < 4 {
			return dst, false
		}
		size := bigEndian(b[:4])
		b = b[4:]
		if size == -1 {
			list.AddNull()
			continue
		}
		if size < 0 || size > int64(len(b)) {
			return dst, false
		}
		var ok bool
		if element, ok = decode(element[:0], b[:size]); !ok {
			return dst, false
		}
		list.Add(element)
		b = b[size:]
	}
	return list.AppendTo(dst), len(b) == 0 && count == 0
}
