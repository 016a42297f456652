package pgwire

import (
	"encoding/binary"
	"math"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Formats of values.
const (
	formatText   int16 = 0
	formatBinary int16 = 1
)

// rowBytesMax bounds one DataRow message, whose length is an int32.
const rowBytesMax = 1 << 30

// appender appends the value of row i, which is not NULL, in one format.
type appender func(dst []byte, v *rows.Vector, i int) ([]byte, error)

// rowEncoder appends rows of a batch as DataRow messages.
type rowEncoder struct {
	cols []appender
}

// newRowEncoder chooses an appender per column; formats has one entry per column.
func newRowEncoder(cols []rows.Column, formats []int16, style textStyle) *rowEncoder {
	e := &rowEncoder{cols: make([]appender, len(cols))}
	for i, c := range cols {
		if formats[i] == formatBinary {
			e.cols[i] = binaryAppender(c.Type)
		} else {
			e.cols[i] = textAppender(c.Type, style)
		}
	}
	return e
}

// appendRows appends rows from (inclusive) to to (exclusive) until dst holds
// limit bytes or more, and returns the first row not appended. On an error dst
// ends with the last complete row.
func (e *rowEncoder) appendRows(dst []byte, b *rows.Batch, from, to, limit int) ([]byte, int, error) {
	for i := from; i < to; i++ {
		start := len(dst)
		var err error
		if dst, err = e.appendRow(dst, b, i); err != nil {
			return dst[:start], i, err
		}
		if len(dst) >= limit {
			return dst, i + 1, nil
		}
	}
	return dst, to, nil
}

// appendRow appends one DataRow message.
func (e *rowEncoder) appendRow(dst []byte, b *rows.Batch, row int) ([]byte, error) {
	start := len(dst)
	n := len(e.cols)
	dst = append(dst, 'D', 0, 0, 0, 0, byte(n>>8), byte(n))
	for c, add := range e.cols {
		v := &b.Cols[c]
		if v.IsNull(row) {
			dst = append(dst, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		var err error
		if dst, err = add(dst, v, row); err != nil {
			return dst, err
		}
		if len(dst)-start > rowBytesMax {
			return dst, sqlerr.New(codeLimitExceeded, "row is longer than %d bytes", rowBytesMax)
		}
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	binary.BigEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-1))
	return dst, nil
}

// dataRowHead is how much of a message tells its length.
const dataRowHead = 5

// dataRowLen returns the length of the DataRow message at the start of buf.
func dataRowLen(buf []byte) int { return 1 + int(binary.BigEndian.Uint32(buf[1:])) }

// SQLSTATEs that only the wire raises.
const (
	codeLimitExceeded      = "54000"
	codeUndefinedParameter = "42P02"
	codeDatetimeOverflow   = "22008"
	codeDuplicatePortal    = "42P03"
	codeNotInState         = "55000"
)

func appendInt16(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint16(dst, uint16(v)) }

func appendInt32(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint32(dst, uint32(v)) }

func appendInt64(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)) }

// binaryAppender returns the appender of a type's binary format.
func binaryAppender(t rows.Type) appender {
	if _, ok := elementType(t); ok {
		return binaryArrayAppender(t)
	}
	switch t.ID {
	case rows.Boolean:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return append(dst, byte(v.I64[i]&1)), nil
		}
	case rows.TinyInt, rows.SmallInt, rows.UTinyInt:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendInt16(dst, v.I64[i]), nil
		}
	case rows.Integer, rows.USmallInt, rows.OID:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendInt32(dst, v.I64[i]), nil
		}
	case rows.BigInt, rows.UInteger, rows.Time:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendInt64(dst, v.I64[i]), nil
		}
	case rows.Float:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(v.F64[i]))), nil
		}
	case rows.Double:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.F64[i])), nil
		}
	case rows.HugeInt, rows.UBigInt, rows.UHugeInt, rows.Decimal:
		return binaryNumericAppender(t)
	case rows.Date:
		return appendDateBinary
	case rows.Timestamp, rows.TimestampTZ, rows.TimestampS, rows.TimestampMS, rows.TimestampNS:
		return binaryTimestampAppender(t.ID)
	case rows.Blob:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return append(dst, v.Str[i]...), nil
		}
	case rows.TimeTZ:
		return appendTimeTZBinary
	case rows.Interval:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			x := v.Ivl[i]
			dst = appendInt64(dst, x.Micros)
			return appendInt32(appendInt32(dst, int64(x.Days)), int64(x.Months)), nil
		}
	case rows.UUID:
		return appendUUIDBinary
	case rows.Bit:
		return appendBitBinary
	case rows.Char:
		return appendCharBinary
	case rows.JSONB:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return append(append(dst, jsonbVersion), v.Str[i]...), nil
		}
	case rows.Int2Vector, rows.OIDVector:
		return binaryVectorAppender(t)
	case rows.RegProc, rows.RegClass, rows.RegType, rows.RegNamespace, rows.RegRole:
		return appendObjectBinary
	default:
		return textAppender(t, textStyle{})
	}
}
