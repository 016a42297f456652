package pgwire

import (
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

// duckInstant reads DuckDB's spelling of a time with a zone, whose distance from UTC may
// have seconds, as microseconds since 1970-01-01 00:00:00 UTC.
func duckInstant(text string) (micros int64, ok bool) {
	switch text {
	case "infinity":
		return timestampInfinity, true
	case "-infinity":
		return -timestampInfinity, true
	}
	text, bc := cutEra(text)
	var parts [6]int // from the year to the second
	var separator byte
	for i := range parts {
		if parts[i], separator, text, ok = cutNumber(text); !ok {
			return 0, false
		}
	}
	if separator == '.' {
		digits := strings.IndexAny(text, "+-")
		if digits < 0 {
			return 0, false
		}
		micros, separator, text = fractionMicros(text[:digits]), text[digits], text[digits+1:]
	}
	ahead, ok := duckAhead(text)
	if !ok || separator != '+' && separator != '-' {
		return 0, false
	}
	if separator == '-' {
		ahead = -ahead
	}
	if bc {
		parts[0] = 1 - parts[0]
	}
	at := time.Date(parts[0], time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5]-ahead, 0, time.UTC)
	return at.Unix()*microsPerSecond + micros, true
}

// duckAhead reads DuckDB's spelling of a distance from UTC without its sign as seconds:
// hours, and minutes and seconds where there are any.
func duckAhead(text string) (seconds int, ok bool) {
	separator := byte(':')
	for unit := 3600; separator == ':' && unit > 0; unit /= 60 {
		var n int
		if n, separator, text, ok = cutNumber(text); !ok {
			return 0, false
		}
		seconds += n * unit
	}
	return seconds, separator == 0
}

// cutNumber takes a number and the byte that ends it, 0 at the end, from a text.
func cutNumber(text string) (n int, separator byte, rest string, ok bool) {
	i := 0
	for ; i < len(text) && i < 8 && text[i] >= '0' && text[i] <= '9'; i++ {
		n = n*10 + int(text[i]-'0')
	}
	if i < len(text) {
		return n, text[i], text[i+1:], i > 0
	}
	return n, 0, "", i > 0
}

// cutEra takes DuckDB's mark of the years before Christ, which follows the day, from a text.
func cutEra(text string) (rest string, bc bool) {
	day, clock, bc := strings.Cut(text, " (BC)")
	return day + clock, bc
}

// fractionMicros are the digits behind the point of a second.
func fractionMicros(digits string) int64 {
	micros := int64(0)
	for i := range microDigits {
		micros *= 10
		if i < len(digits) {
			micros += int64(digits[i] - '0')
		}
	}
	return micros
}

// appendInstantBinary appends the binary form of a time with a zone as DuckDB spells it.
func appendInstantBinary(dst []byte, text string) ([]byte, error) {
	micros, ok := duckInstant(text)
	if !ok {
		return dst, badText(rows.Type{ID: rows.TimestampTZ}.String(), text)
	}
	return binaryTimestampAppender(rows.TimestampTZ)(dst, &rows.Vector{I64: []int64{micros}}, 0)
}
