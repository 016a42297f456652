package engine

import (
	"math"
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
)

// plainBatch is a batch of texts with values in place of those columns whose texts are
// all plain: spelled in the one way that has no second meaning and that DuckDB casts to
// the same value. DuckDB stores and casts texts several times slower than values. The
// other columns are the texts themselves, for DuckDB to cast or to refuse.
func (c *copyIn) plainBatch(b *rows.Batch) *rows.Batch {
	c.plain.N = b.N
	if c.plain.Cols == nil {
		c.plain.Cols = make([]rows.Vector, len(b.Cols))
	}
	for i := range b.Cols {
		values := &c.plain.Cols[i]
		if i < len(c.plan.Columns) && readPlain(c.plan.Columns[i].Type, &b.Cols[i], b.N, values) {
			continue
		}
		values.Type, values.Nulls, values.Str = b.Cols[i].Type, b.Cols[i].Nulls, b.Cols[i].Str
		if i < len(c.plan.Columns) {
			values.Str = strictTexts(c.plan.Columns[i].Type, &b.Cols[i], b.N)
		}
	}
	return &c.plain
}

// readPlain reads texts as values of a type, into memory of an earlier batch's; false:
// one of them is not plain, or the type has no plain texts.
func readPlain(t rows.Type, texts *rows.Vector, n int, values *rows.Vector) bool {
	values.Type, values.Nulls = t, texts.Nulls
	if t.ID == rows.Double {
		values.F64 = values.F64[:0]
		for i, s := range texts.Str[:n] {
			v, ok := 0.0, true
			if !texts.IsNull(i) {
				v, ok = plainDouble(s)
			}
			if !ok {
				return false
			}
			values.F64 = append(values.F64, v)
		}
		return true
	}
	read := plainReader(t)
	if read == nil {
		return false
	}
	values.I64 = values.I64[:0]
	for i, s := range texts.Str[:n] {
		v, ok := int64(0), true
		if !texts.IsNull(i) {
			v, ok = read(s)
		}
		if !ok {
			return false
		}
		values.I64 = append(values.I64, v)
	}
	return true
}

// plainReader returns what reads the plain texts of a type that is held as an int64;
// nil: there are none.
func plainReader(t rows.Type) func(s string) (int64, bool) {
	switch t.ID {
	case rows.Boolean:
		return plainBool
	case rows.TinyInt:
		return plainWithin(math.MinInt8, math.MaxInt8)
	case rows.SmallInt:
		return plainWithin(math.MinInt16, math.MaxInt16)
	case rows.Integer:
		return plainWithin(math.MinInt32, math.MaxInt32)
	case rows.BigInt:
		return plainInt
	case rows.Decimal:
		if t.Width <= plainDigits {
			return func(s string) (int64, bool) { return plainDecimal(s, int(t.Width), int(t.Scale)) }
		}
	case rows.Date:
		return plainDate
	case rows.Timestamp:
		return plainTimestamp
	case rows.TimestampTZ: // others depend on the session's zone
		return func(s string) (int64, bool) {
			n := len(s) - len("+00")
			if n < 0 || s[n:] != "+00" {
				return 0, false
			}
			return plainTimestamp(s[:n])
		}
	}
	return nil
}

func plainBool(s string) (int64, bool) {
	switch s {
	case "t", "true":
		return 1, true
	case "f", "false":
		return 0, true
	}
	return 0, false
}

// plainDigits is how many digits always fit an int64.
const plainDigits = 18

// plainInt reads digits, with a sign where it is negative.
func plainInt(s string) (int64, bool) {
	digits := s
	if len(s) > 0 && s[0] == '-' {
		digits = s[1:]
	}
	v, ok := unsigned(digits)
	if len(digits) < len(s) {
		v = -v
	}
	return v, ok
}

func plainWithin(lo, hi int64) func(s string) (int64, bool) {
	return func(s string) (int64, bool) {
		v, ok := plainInt(s)
		return v, ok && v >= lo && v <= hi
	}
}

// unsigned reads 1 to plainDigits digits.
func unsigned(s string) (v int64, ok bool) {
	if len(s) == 0 || len(s) > plainDigits {
		return 0, false
	}
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	return v, true
}

// plainDecimal reads a number that a DECIMAL holds without being rounded.
func plainDecimal(s string, width, scale int) (int64, bool) {
	digits := s
	if len(s) > 0 && s[0] == '-' {
		digits = s[1:]
	}
	whole, fraction := digits, ""
	for i := range len(digits) {
		if digits[i] == '.' {
			whole, fraction = digits[:i], digits[i+1:]
			if fraction == "" {
				return 0, false
			}
			break
		}
	}
	v, ok := unsigned(whole)
	if !ok || len(whole) > max(width-scale, 1) || width == scale && v != 0 || len(fraction) > scale {
		return 0, false
	}
	for i := range scale {
		d := byte(0)
		if i < len(fraction) {
			if d = fraction[i] - '0'; d > 9 {
				return 0, false
			}
		}
		v = v*10 + int64(d)
	}
	if len(digits) < len(s) {
		v = -v
	}
	return v, true
}

// plainDouble reads a decimal number with at most two digits in its exponent, which
// neither overflows nor vanishes.
func plainDouble(s string) (float64, bool) {
	const lengthMax = 40
	if len(s) > lengthMax {
		return 0, false
	}
	rest, ok := afterDigits(s, true)
	if ok && len(rest) > 0 && rest[0] == '.' {
		rest, ok = afterDigits(rest[1:], false)
	}
	if ok && len(rest) > 0 && (rest[0] == 'e' || rest[0] == 'E') {
		exponent := rest[1:]
		if len(exponent) > 0 && (exponent[0] == '-' || exponent[0] == '+') {
			exponent = exponent[1:]
		}
		rest, ok = afterDigits(exponent, false)
		ok = ok && len(exponent) <= 2
	}
	if !ok || rest != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// afterDigits returns what follows one digit or more, and a sign before them if there
// may be one.
func afterDigits(s string, signed bool) (rest string, ok bool) {
	i := 0
	if signed && len(s) > 0 && s[0] == '-' {
		i = 1
	}
	first := i
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return s[i:], i > first
}

// plainDate reads YYYY-MM-DD from the year 1 on, as days since 1970.
func plainDate(s string) (int64, bool) {
	if len(s) != len("YYYY-MM-DD") || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	year, okYear := unsigned(s[:4])
	month, okMonth := unsigned(s[5:7])
	day, okDay := unsigned(s[8:])
	if !okYear || !okMonth || !okDay || year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	return daysBefore(year, month) + day - 1, true
}

// monthDays are the days of the months of a year that is no leap year.
var monthDays = [...]int64{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysIn(year, month int64) int64 {
	if month == 2 && isLeap(year) {
		return 29
	}
	return monthDays[month-1]
}

// daysBefore are the days from 1970 to the first of a month.
func daysBefore(year, month int64) int64 {
	const epochDays = 719162 // from the year 1 to 1970
	past := year - 1
	days := past*365 + past/4 - past/100 + past/400 - epochDays
	for m := int64(1); m < month; m++ {
		days += daysIn(year, m)
	}
	return days
}

// plainTimestamp reads YYYY-MM-DD HH:MM:SS and up to six digits of a second's fraction,
// as microseconds since 1970.
func plainTimestamp(s string) (int64, bool) {
	const dateLen, clockLen = len("YYYY-MM-DD"), len("HH:MM:SS")
	if len(s) < dateLen+1+clockLen || s[dateLen] != ' ' {
		return 0, false
	}
	days, ok := plainDate(s[:dateLen])
	clock, fraction := s[dateLen+1:][:clockLen], s[dateLen+1+clockLen:]
	hour, okHour := unsigned(clock[:2])
	minute, okMinute := unsigned(clock[3:5])
	second, okSecond := unsigned(clock[6:])
	if !ok || !okHour || !okMinute || !okSecond || clock[2] != ':' || clock[5] != ':' || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	micros := (((days*24+hour)*60+minute)*60 + second) * 1e6
	if fraction == "" {
		return micros, true
	}
	part, ok := unsigned(fraction[1:])
	if !ok || fraction[0] != '.' || len(fraction) > len(".ffffff") {
		return 0, false
	}
	for range len(".ffffff") - len(fraction) {
		part *= 10
	}
	return micros + part, true
}
