package pgwire

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// badText reports a value, as DuckDB's text, that has no form in the protocol.
func badText(typ, s string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "the value %q of type %s has no form in Postgres", s, typ).
		WithHint("Select its text: CAST(.. AS VARCHAR).")
}

// appendUUIDBinary appends the 16 bytes of a UUID held as text.
func appendUUIDBinary(dst []byte, v *rows.Vector, i int) ([]byte, error) {
	s := v.Str[i]
	var digits [32]byte
	n := 0
	for j := 0; j < len(s); j++ {
		if s[j] == '-' {
			continue
		}
		if n == len(digits) {
			return dst, badText("UUID", s)
		}
		digits[n] = s[j]
		n++
	}
	if n != len(digits) {
		return dst, badText("UUID", s)
	}
	dst, err := hex.AppendDecode(dst, digits[:])
	if err != nil {
		return dst, badText("UUID", s)
	}
	return dst, nil
}

// appendBitBinary appends a bit string held as text: its length, then its bits
// from the most significant one.
func appendBitBinary(dst []byte, v *rows.Vector, i int) ([]byte, error) {
	s := v.Str[i]
	dst = appendInt32(dst, int64(len(s)))
	for ; len(s) > 0; s = s[min(8, len(s)):] {
		var b byte
		for j := 0; j < min(8, len(s)); j++ {
			switch s[j] {
			case '0':
			case '1':
				b |= 0x80 >> j
			default:
				return dst, badText("BIT", v.Str[i])
			}
		}
		dst = append(dst, b)
	}
	return dst, nil
}

// appendTimeTZBinary appends microseconds since midnight and the zone in
// seconds west of Greenwich, from text such as 12:34:56.5+05:30.
func appendTimeTZBinary(dst []byte, v *rows.Vector, i int) ([]byte, error) {
	s := v.Str[i]
	at := strings.LastIndexAny(s, "+-")
	if at < 0 {
		return dst, badText("TIMETZ", s)
	}
	micros, ok1 := parseClock(s[:at])
	offset, ok2 := parseClock(s[at+1:])
	if !ok1 || !ok2 {
		return dst, badText("TIMETZ", s)
	}
	west := offset / microsPerSecond
	if s[at] == '+' {
		west = -west
	}
	return appendInt32(appendInt64(dst, micros), west), nil
}

// parseClock reads HH[:MM[:SS[.ffffff]]] as microseconds.
func parseClock(s string) (micros int64, ok bool) {
	s, frac, _ := strings.Cut(s, ".")
	unit := int64(3600 * microsPerSecond)
	for _, f := range strings.Split(s, ":") {
		n, err := strconv.ParseUint(f, 10, 8)
		if err != nil || unit < microsPerSecond {
			return 0, false
		}
		micros += int64(n) * unit
		unit /= 60
	}
	if frac != "" {
		if len(frac) > 6 {
			return 0, false
		}
		n, err := strconv.ParseUint(frac, 10, 32)
		if err != nil {
			return 0, false
		}
		for range 6 - len(frac) {
			n *= 10
		}
		micros += int64(n)
	}
	return micros, true
}
