package driver

import (
	"database/sql/driver"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Go values of SQL types:
//
//	BOOLEAN                           bool
//	integers of at most 64 bits, signed, and UTINYINT .. UINTEGER   int64
//	UBIGINT, HUGEINT, UHUGEINT, DECIMAL   string, all digits (a sum of integers
//	                                  is a HUGEINT; database/sql scans it into an
//	                                  int64, a float64 or a string alike)
//	FLOAT, DOUBLE                     float64
//	DATE, TIMESTAMP (all precisions)  time.Time in UTC; string for the infinities
//	BLOB                              []byte
//	everything else                   string, as Postgres or DuckDB print it

// hints are the types that arguments suggest for parameters whose type the
// statement does not determine.
func hints(args []driver.NamedValue) []rows.Type {
	types := make([]rows.Type, len(args))
	for i, a := range args {
		switch a.Value.(type) {
		case int64:
			types[i].ID = rows.BigInt
		case float64:
			types[i].ID = rows.Double
		case bool:
			types[i].ID = rows.Boolean
		case []byte:
			types[i].ID = rows.Blob
		case time.Time:
			types[i].ID = rows.TimestampTZ
		case *big.Int:
			types[i].ID = rows.HugeInt
		}
	}
	return types
}

// beyond are the types of the arguments that are not values of the integers that their
// places have; nil: all are.
func beyond(args []driver.NamedValue, params, suggested []rows.Type) (declared []rows.Type) {
	for i, a := range args {
		if i >= len(params) || !params[i].IsInteger() || params[i] == suggested[i] {
			continue
		}
		outside := false
		switch v := a.Value.(type) {
		case float64:
			outside = v != math.Trunc(v)
		case int64:
			bits, known := integerBits[params[i].ID]
			outside = known && v>>(bits-1) != v>>63
		}
		if outside {
			if declared == nil {
				declared = make([]rows.Type, len(args))
			}
			declared[i] = suggested[i]
		}
	}
	return declared
}

// integerBits are the widths of the integers that not every int64 is.
var integerBits = map[rows.TypeID]uint{rows.TinyInt: 8, rows.SmallInt: 16, rows.Integer: 32}

func sameTypes(a, b []rows.Type) bool { return slices.Equal(a, b) }

// texts turns arguments into DuckDB's text form for parameters of the given
// types.
func texts(args []driver.NamedValue, params []rows.Type) ([]engine.Arg, error) {
	out := make([]engine.Arg, len(args))
	for i, a := range args {
		var t rows.Type
		if i < len(params) {
			t = params[i]
		}
		text, null, err := text(a.Value, t)
		if err != nil {
			return nil, err
		}
		out[i] = engine.Arg{Text: text, Null: null}
	}
	return out, nil
}

func text(value driver.Value, t rows.Type) (text string, null bool, err error) {
	switch v := value.(type) {
	case nil:
		return "", true, nil
	case int64:
		return strconv.FormatInt(v, 10), false, nil
	case float64:
		if t.IsInteger() && v == math.Trunc(v) && !math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'f', -1, 64), false, nil
		}
		return floatText(v), false, nil
	case bool:
		return strconv.FormatBool(v), false, nil
	case string:
		return v, false, nil
	case []byte:
		if v == nil {
			return "", true, nil
		}
		if t.ID == rows.Blob {
			return pgtext.Blob(v), false, nil
		}
		return string(v), false, nil
	case time.Time:
		return timeText(v, t), false, nil
	case *big.Int:
		return v.String(), false, nil
	default:
		return "", false, sqlerr.New(sqlerr.DatatypeMismatch, "cannot bind a value of Go type %T", value)
	}
}

func floatText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// timeText keeps the instant for TIMESTAMP WITH TIME ZONE and takes the UTC
// clock for types without a zone. Types that are not times get the instant too,
// and DuckDB says whether it fits.
func timeText(v time.Time, t rows.Type) string {
	v = v.UTC()
	switch t.ID {
	case rows.Date:
		return v.Format("2006-01-02")
	case rows.Time:
		return v.Format("15:04:05.999999")
	case rows.TimestampNS:
		return v.Format("2006-01-02 15:04:05.999999999")
	case rows.Timestamp, rows.TimestampS, rows.TimestampMS:
		return v.Format("2006-01-02 15:04:05.999999")
	}
	return v.Format("2006-01-02 15:04:05.999999+00")
}

// value is row i of v as a Go value.
func value(v *rows.Vector, i int) driver.Value {
	if v.IsNull(i) {
		return nil
	}
	switch v.Type.ID {
	case rows.Boolean:
		return v.I64[i] != 0
	case rows.Date:
		return dateValue(v.I64[i])
	case rows.Timestamp, rows.TimestampTZ:
		return timestampValue(v.I64[i], time.Microsecond)
	case rows.TimestampS:
		return timestampValue(v.I64[i], time.Second)
	case rows.TimestampMS:
		return timestampValue(v.I64[i], time.Millisecond)
	case rows.TimestampNS:
		return timestampValue(v.I64[i], time.Nanosecond)
	case rows.Time:
		return clockText(uint64(v.I64[i]))
	case rows.Blob:
		return []byte(v.Str[i])
	case rows.Decimal:
		if v.Type.Physical() == rows.PhysInt64 {
			return decimalText(strconv.FormatInt(v.I64[i], 10), int(v.Type.Scale))
		}
		return decimalText(v.I128[i].String(), int(v.Type.Scale))
	}
	switch v.Type.Physical() {
	case rows.PhysInt64:
		return v.I64[i]
	case rows.PhysInt128:
		return v.I128[i].String()
	case rows.PhysFloat64:
		return v.F64[i]
	case rows.PhysInterval:
		return intervalText(v.Ivl[i])
	default:
		return v.Str[i]
	}
}

// decimalText puts the point before the last scale digits.
func decimalText(digits string, scale int) string {
	if scale == 0 {
		return digits
	}
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	point := len(digits) - scale
	return sign + digits[:point] + "." + digits[point:]
}

const (
	infinity      = "infinity"
	minusInfinity = "-infinity"
)

// dateValue reads days since 1970-01-01; DuckDB's infinities are the extreme
// 32-bit numbers.
func dateValue(days int64) driver.Value {
	switch days {
	case math.MaxInt32:
		return infinity
	case -math.MaxInt32:
		return minusInfinity
	}
	return time.Unix(days*86400, 0).UTC()
}

// timestampValue reads units since 1970; DuckDB's infinities are the extreme
// 64-bit numbers.
func timestampValue(units int64, unit time.Duration) driver.Value {
	switch units {
	case math.MaxInt64:
		return infinity
	case -math.MaxInt64:
		return minusInfinity
	}
	perSecond := int64(time.Second / unit)
	seconds, rest := units/perSecond, units%perSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+perSecond
	}
	return time.Unix(seconds, rest*int64(unit)).UTC()
}

// clockText prints microseconds as HH:MM:SS with the fraction that there is.
func clockText(micros uint64) string {
	seconds, fraction := micros/1e6, micros%1e6
	text := fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if fraction != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%06d", fraction), "0")
	}
	return text
}

// intervalText prints an INTERVAL as Postgres does: 1 year 2 mons 3 days 04:05:06, with a
// sign before what is positive after what is negative.
func intervalText(v rows.IntervalValue) string {
	var parts []string
	plus := ""
	add := func(n int64, unit string) {
		if n == 0 {
			return
		}
		if n != 1 {
			unit += "s"
		}
		sign := ""
		if n > 0 {
			sign = plus
		}
		parts = append(parts, sign+strconv.FormatInt(n, 10)+" "+unit)
		plus = ""
		if n < 0 {
			plus = "+"
		}
	}
	add(int64(v.Months)/12, "year")
	add(int64(v.Months)%12, "mon")
	add(int64(v.Days), "day")
	if v.Micros != 0 || len(parts) == 0 {
		sign, micros := plus, uint64(v.Micros)
		if v.Micros < 0 {
			sign, micros = "-", -micros
		}
		parts = append(parts, sign+clockText(micros))
	}
	return strings.Join(parts, " ")
}
