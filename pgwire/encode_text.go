package pgwire

import (
	"encoding/hex"
	"math"
	"strconv"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

// textStyle is how a session's texts show what can be shown in several ways.
type textStyle struct {
	zone *time.Location // of times with a zone; nil: UTC
	// isoIntervals: intervals are those of ISO 8601, with designators.
	isoIntervals bool
	// keepsNanos: TIMESTAMP_NS has its nine digits. Drivers fail on more than the six that Postgres has.
	keepsNanos bool
}

// textAppender returns the appender of a type's text format, spelled as Postgres spells
// it with DateStyle ISO.
func textAppender(t rows.Type, style textStyle) appender {
	if style.zone == nil {
		style.zone = time.UTC
	}
	if _, ok := elementType(t); ok {
		return textArrayAppender(t, style)
	}
	switch t.ID {
	case rows.Boolean:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendBool(dst, v.I64[i] != 0), nil
		}
	case rows.TinyInt, rows.SmallInt, rows.Integer, rows.BigInt,
		rows.UTinyInt, rows.USmallInt, rows.UInteger, rows.OID:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return strconv.AppendInt(dst, v.I64[i], 10), nil
		}
	case rows.HugeInt, rows.UBigInt, rows.Decimal:
		return textNumericAppender(t)
	case rows.Float:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendFloat32(dst, float32(v.F64[i])), nil
		}
	case rows.Double:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendFloat64(dst, v.F64[i]), nil
		}
	case rows.Blob:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			dst = append(dst, '\\', 'x')
			return hex.AppendEncode(dst, []byte(v.Str[i])), nil
		}
	case rows.Date:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendDate(dst, v.I64[i]), nil
		}
	case rows.Time:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return appendTimeOfDay(dst, v.I64[i], microsPerSecond), nil
		}
	case rows.Timestamp, rows.TimestampTZ, rows.TimestampS, rows.TimestampMS, rows.TimestampNS:
		return textTimestampAppender(t.ID, style)
	case rows.Interval:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return style.appendInterval(dst, v.Ivl[i]), nil
		}
	case rows.Int2Vector, rows.OIDVector:
		return appendVectorText
	case rows.SQLNull:
		// Every value is NULL, so there is never one to append.
		return func(dst []byte, _ *rows.Vector, _ int) ([]byte, error) { return dst, nil }
	default:
		return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
			return append(dst, v.Str[i]...), nil
		}
	}
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 't')
	}
	return append(dst, 'f')
}

// Postgres writes floats with an exponent outside [1e-4, 10^digits), where
// digits is the number of decimal digits the type always keeps.
const (
	fixedMin      = 1e-4
	fixedMaxFloat = 1e6
	fixedMaxDbl   = 1e15
)

// appendFloat64 appends the shortest digits that read back as v.
func appendFloat64(dst []byte, v float64) []byte {
	a := math.Abs(v)
	return appendFloat(dst, v, 64, a == 0 || (a >= fixedMin && a < fixedMaxDbl))
}

// appendFloat32 is appendFloat64 for single precision.
func appendFloat32(dst []byte, v float32) []byte {
	a := v
	if a < 0 {
		a = -a
	}
	return appendFloat(dst, float64(v), 32, a == 0 || (a >= float32(fixedMin) && a < fixedMaxFloat))
}

func appendFloat(dst []byte, v float64, bits int, fixed bool) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	case fixed:
		return strconv.AppendFloat(dst, v, 'f', -1, bits)
	default:
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
}
