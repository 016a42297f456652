package pgwire

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// decodeParam converts parameter number n (1-based) of type oid to DuckDB's
// text form. data is nil for NULL.
func decodeParam(n int, oid uint32, format int16, data []byte) (Value, error) {
	if data == nil {
		return Value{Null: true}, nil
	}
	if format == formatText {
		return decodeTextParam(n, oid, data)
	}
	decode, known := binaryDecoder(oid)
	if !known {
		return Value{}, sqlerr.New(sqlerr.FeatureNotSupported,
			"parameter $%d: no binary format for the type with OID %d", n, oid).WithHint("Send it as text.")
	}
	text, ok := decode(nil, data)
	if !ok {
		return Value{}, sqlerr.New(sqlerr.InvalidBinary, "incorrect binary data format in bind parameter %d", n)
	}
	if !utf8.Valid(text) {
		return Value{}, badUTF8()
	}
	return Value{Text: string(text)}, nil
}

// binaryDecoder returns what reads the binary format of a type as DuckDB's text.
func binaryDecoder(oid uint32) (decode binaryDecode, known bool) {
	if _, array := elementOIDs[oid]; array {
		return decodeArrayBinary, true
	}
	return elementDecoder(oid)
}

// firstUserOID is the first OID of types that users make. They are enumerations, whose
// labels are sent as they are.
const firstUserOID = 16384

// elementDecoder is binaryDecoder for what is not an array.
func elementDecoder(oid uint32) (decode binaryDecode, known bool) {
	if oid >= firstUserOID {
		return decodeRaw, true
	}
	decode, known = binaryDecoders[oid]
	return decode, known
}

func badUTF8() error {
	return sqlerr.New(sqlerr.BadEncoding, "invalid byte sequence for encoding \"UTF8\"")
}

// decodeTextParam passes text through, but what DuckDB spells otherwise.
func decodeTextParam(n int, oid uint32, data []byte) (Value, error) {
	if oid == pgtype.ByteaOID {
		raw, ok := pgtext.ParseBytea(string(data))
		if !ok {
			return Value{}, sqlerr.New(sqlerr.InvalidText, "parameter $%d: invalid input syntax for type bytea", n)
		}
		return Value{Text: pgtext.Blob(raw)}, nil
	}
	if !utf8.Valid(data) {
		return Value{}, badUTF8()
	}
	text := string(data)
	if _, array := elementOIDs[oid]; array {
		list, ok := decodeArrayText(oid, text)
		if !ok {
			return Value{}, sqlerr.New(sqlerr.InvalidText, "parameter $%d: malformed array literal %q", n, text).
				WithHint("An array has one dimension and is written as {a,b,NULL}.")
		}
		return Value{Text: list}, nil
	}
	text, _ = pgtext.Spell(paramTypeIDs[oid], text)
	return Value{Text: text}, nil
}

// binaryDecode appends the text of a value in a type's binary format; it reports false
// for data that is not in it.
type binaryDecode func(dst, data []byte) ([]byte, bool)

var binaryDecoders = map[uint32]binaryDecode{
	pgtype.BoolOID:        decodeBool,
	pgtype.Int2OID:        decodeInt(2),
	pgtype.Int4OID:        decodeInt(4),
	pgtype.Int8OID:        decodeInt(8),
	pgtype.OIDOID:         decodeOID,
	pgtype.Float4OID:      decodeFloat4,
	pgtype.Float8OID:      decodeFloat8,
	pgtype.NumericOID:     decodeNumeric,
	pgtype.TextOID:        decodeRaw,
	pgtype.VarcharOID:     decodeRaw,
	pgtype.BPCharOID:      decodeRaw,
	pgtype.NameOID:        decodeRaw,
	pgtype.UnknownOID:     decodeRaw,
	pgtype.JSONOID:        decodeJSON,
	pgtype.JSONBOID:       decodeJSONB,
	pgtype.ByteaOID:       func(dst, b []byte) ([]byte, bool) { return append(dst, pgtext.Blob(b)...), true },
	pgtype.BitOID:         decodeBits,
	pgtype.VarbitOID:      decodeBits,
	pgtype.DateOID:        decodeDate,
	pgtype.TimeOID:        decodeTime,
	pgtype.TimetzOID:      decodeTimeTZ,
	pgtype.TimestampOID:   func(dst, b []byte) ([]byte, bool) { return decodeTimestamp(dst, b, false) },
	pgtype.TimestamptzOID: func(dst, b []byte) ([]byte, bool) { return decodeTimestamp(dst, b, true) },
	pgtype.IntervalOID:    decodeInterval,
	pgtype.UUIDOID:        decodeUUID,
}

func decodeRaw(dst, b []byte) ([]byte, bool) { return append(dst, b...), true }

func decodeBool(dst, b []byte) ([]byte, bool) {
	if len(b) != 1 || b[0] > 1 {
		return dst, false
	}
	return strconv.AppendBool(dst, b[0] == 1), true
}

// bigEndian reads a signed integer of 2, 4 or 8 bytes.
func bigEndian(b []byte) int64 {
	switch len(b) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	default:
		return int64(binary.BigEndian.Uint64(b))
	}
}

func decodeInt(size int) binaryDecode {
	return func(dst, b []byte) ([]byte, bool) {
		if len(b) != size {
			return dst, false
		}
		return strconv.AppendInt(dst, bigEndian(b), 10), true
	}
}

func decodeOID(dst, b []byte) ([]byte, bool) {
	if len(b) != 4 {
		return dst, false
	}
	return strconv.AppendUint(dst, uint64(binary.BigEndian.Uint32(b)), 10), true
}

func decodeFloat4(dst, b []byte) ([]byte, bool) {
	if len(b) != 4 {
		return dst, false
	}
	return appendFloat32(dst, math.Float32frombits(binary.BigEndian.Uint32(b))), true
}

func decodeFloat8(dst, b []byte) ([]byte, bool) {
	if len(b) != 8 {
		return dst, false
	}
	return appendFloat64(dst, math.Float64frombits(binary.BigEndian.Uint64(b))), true
}

// plainGroups is how many groups of digits before and behind the point are written out.
// No DECIMAL and no integer has more.
const plainGroups = 10

// decodeNumeric reads what appendNumericBinary writes. See there for the layout. The
// text is not much longer than the data, which may have a few digits at a place that is
// far from the point: such a number is written with an exponent.
func decodeNumeric(dst, b []byte) ([]byte, bool) {
	if len(b) < 8 {
		return dst, false
	}
	n := numeric{weight: int(bigEndian(b[2:4])), scale: int(binary.BigEndian.Uint16(b[6:])), groups: b[8:]}
	if len(n.groups) != 2*int(binary.BigEndian.Uint16(b)) || n.scale > math.MaxInt16 || !n.valid() {
		return dst, false
	}
	out := dst
	switch binary.BigEndian.Uint16(b[4:]) {
	case numericNaN:
		return append(dst, "NaN"...), true
	case numericPosInf:
		return append(dst, "Infinity"...), true
	case numericNegInf:
		return append(dst, "-Infinity"...), true
	case numericNegative:
		out = append(out, '-')
	case numericPositive:
	default:
		return dst, false
	}
	if n.weight >= plainGroups || n.weight < -plainGroups {
		out = n.appendExponent(out)
	} else {
		out = n.appendPlain(out)
	}
	return out[:len(dst)+trimLeadingZeros(out[len(dst):])], true
}

// numeric is the binary format of a number: groups of four digits in two bytes each. The
// first has the value of 10000 to the power of weight.
type numeric struct {
	weight, scale int
	groups        []byte
}

func (n *numeric) count() int { return len(n.groups) / 2 }

// group is a group, counted from the first; those beyond the ends are zero.
func (n *numeric) group(i int) int64 {
	if i < 0 || i >= n.count() {
		return 0
	}
	return int64(binary.BigEndian.Uint16(n.groups[2*i:]))
}

// valid reports whether the groups have four digits, and drops those at the start that
// are zero.
func (n *numeric) valid() bool {
	for i := range n.count() {
		if n.group(i) > 9999 {
			return false
		}
	}
	for n.count() > 0 && n.group(0) == 0 {
		n.groups, n.weight = n.groups[2:], n.weight-1
	}
	if n.count() == 0 {
		n.weight = -1 // zero, wherever it is said to stand
	}
	return true
}

// places is how many digits behind the point the groups reach; negative: so many are
// missing before it.
func (n *numeric) places() int { return groupDigits * (n.count() - 1 - n.weight) }

// appendPlain writes all digits up to the scale, but not more zeros at the end than any
// DECIMAL has.
func (n *numeric) appendPlain(out []byte) []byte {
	if n.weight < 0 {
		out = append(out, '0')
	}
	for i := range n.weight + 1 {
		out = appendPadded(out, n.group(i), groupDigits)
	}
	scale := min(n.scale, max(n.places(), groupDigits*plainGroups))
	if scale > 0 {
		out = append(out, '.')
		start := len(out)
		for i := n.weight + 1; len(out)-start < scale; i++ {
			out = appendPadded(out, n.group(i), groupDigits)
		}
		out = out[:start+scale]
	}
	return out
}

// appendExponent writes the digits of the groups up to the scale, and where they stand.
func (n *numeric) appendExponent(out []byte) []byte {
	start := len(out)
	for i := range n.count() {
		out = appendPadded(out, n.group(i), groupDigits)
	}
	places := n.places()
	if beyond := places - n.scale; beyond > 0 {
		out, places = out[:max(start, len(out)-beyond)], n.scale
	}
	if len(out) == start {
		return append(out, '0')
	}
	return strconv.AppendInt(append(out, 'e'), int64(-places), 10)
}

// trimLeadingZeros drops needless zeros before the first digit, in place, and returns
// how long the number is then.
func trimLeadingZeros(num []byte) int {
	digits := num
	if len(num) > 0 && num[0] == '-' {
		digits = num[1:]
	}
	rest := digits
	for len(rest) > 1 && rest[0] == '0' && rest[1] != '.' {
		rest = rest[1:]
	}
	return len(num) - len(digits) + copy(digits, rest)
}

// jsonbVersion begins the binary format of JSONB.
const jsonbVersion = 1

// decodeJSON reads a text, or one with the version byte of JSONB, which no text begins
// with: a column may have been described as either.
func decodeJSON(dst, b []byte) ([]byte, bool) {
	if len(b) > 0 && b[0] == jsonbVersion {
		b = b[1:]
	}
	return append(dst, b...), true
}

// decodeJSONB reads a version byte and the text.
func decodeJSONB(dst, b []byte) ([]byte, bool) {
	if len(b) == 0 || b[0] != jsonbVersion {
		return dst, false
	}
	return append(dst, b[1:]...), true
}

func decodeBits(dst, b []byte) ([]byte, bool) {
	if len(b) < 4 {
		return dst, false
	}
	n := int(bigEndian(b[:4]))
	b = b[4:]
	if n < 0 || len(b) != (n+7)/8 {
		return dst, false
	}
	for i := range n {
		dst = append(dst, '0'+b[i/8]>>(7-i%8)&1)
	}
	return dst, true
}

func decodeUUID(dst, b []byte) ([]byte, bool) {
	if len(b) != 16 {
		return dst, false
	}
	for i, at := range []int{0, 4, 6, 8, 10} {
		if i > 0 {
			dst = append(dst, '-')
		}
		end := []int{4, 6, 8, 10, 16}[i]
		dst = hex.AppendEncode(dst, b[at:end])
	}
	return dst, true
}

func decodeDate(dst, b []byte) ([]byte, bool) {
	if len(b) != 4 {
		return dst, false
	}
	switch days := bigEndian(b); days {
	case math.MaxInt32:
		return append(dst, "infinity"...), true
	case math.MinInt32:
		return append(dst, "-infinity"...), true
	default:
		out, bc := appendYMD(dst, days+epochDays)
		return appendDuckEra(out, bc), true
	}
}

// appendDuckEra marks a date as DuckDB does: right after the day.
func appendDuckEra(dst []byte, bc bool) []byte {
	if bc {
		return append(dst, " (BC)"...)
	}
	return dst
}

func decodeTime(dst, b []byte) ([]byte, bool) {
	if len(b) != 8 {
		return dst, false
	}
	micros := bigEndian(b)
	if micros < 0 || micros > microsPerDay {
		return dst, false
	}
	return appendTimeOfDay(dst, micros, microsPerSecond), true
}

func decodeTimeTZ(dst, b []byte) ([]byte, bool) {
	if len(b) != 12 {
		return dst, false
	}
	clock, ok := decodeTime(dst, b[:8])
	west := bigEndian(b[8:])
	if !ok || west <= -secondsPerDay || west >= secondsPerDay {
		return dst, false
	}
	sign := byte('+')
	if west > 0 {
		sign = '-'
	} else {
		west = -west
	}
	return appendTimeOfDay(append(clock, sign), west, 1), true
}

func decodeTimestamp(dst, b []byte, zone bool) ([]byte, bool) {
	if len(b) != 8 {
		return dst, false
	}
	micros := bigEndian(b)
	switch micros {
	case math.MaxInt64:
		return append(dst, "infinity"...), true
	case math.MinInt64:
		return append(dst, "-infinity"...), true
	}
	days, rest := micros/microsPerDay, micros%microsPerDay
	if rest < 0 {
		days, rest = days-1, rest+microsPerDay
	}
	out, bc := appendYMD(dst, days+epochDays)
	out = append(appendDuckEra(out, bc), ' ')
	out = appendTimeOfDay(out, rest, microsPerSecond)
	if zone {
		out = append(out, "+00"...)
	}
	return out, true
}

// decodeInterval spells the three fields in units that do not mix.
func decodeInterval(dst, b []byte) ([]byte, bool) {
	if len(b) != 16 {
		return dst, false
	}
	v := rows.IntervalValue{Micros: bigEndian(b[:8]), Days: int32(bigEndian(b[8:12])), Months: int32(bigEndian(b[12:]))}
	out := strconv.AppendInt(dst, int64(v.Months), 10)
	out = strconv.AppendInt(append(out, " months "...), int64(v.Days), 10)
	out = append(out, " days "...)
	if v.Micros == math.MinInt64 { // DuckDB reads numbers before their signs
		out, v.Micros = append(out, "-1 microseconds "...), v.Micros+1
	}
	out = strconv.AppendInt(out, v.Micros, 10)
	return append(out, " microseconds"...), true
}
