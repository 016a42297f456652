package pgtext

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trireme-db/trireme/internal/rows"
)

// Spell spells Postgres' text of a value of a type for DuckDB; false: it is no text of
// such a value in Postgres.
func Spell(id rows.TypeID, text string) (string, bool) {
	switch id {
	case rows.Boolean:
		return boolText(text), true
	case rows.Date, rows.Timestamp, rows.TimestampTZ:
		return eraText(offsetText(text)), true
	case rows.Interval:
		return intervalText(text), true
	case rows.Blob:
		return blob(text)
	}
	return text, true
}

// SpellArray spells Postgres' text of an array whose elements have a type.
func SpellArray(id rows.TypeID, text string) (string, bool) {
	var list List
	ok := ParseArray(text, func(e Element) bool {
		if e.Null {
			list.AddNull()
			return true
		}
		spelled, ok := Spell(id, e.Text)
		list.Add([]byte(spelled))
		return ok
	})
	if !ok {
		return "", false
	}
	return string(list.AppendTo(nil)), true
}

// duckBools are the forms that DuckDB knows.
var duckBools = map[string]bool{"t": true, "true": true, "1": true, "f": true, "false": true, "0": true}

// boolText spells out the short forms of Postgres, of which DuckDB knows some.
func boolText(s string) string {
	word := strings.ToLower(strings.TrimSpace(s))
	switch {
	case word == "", len(word) == len(s) && duckBools[word]:
		return s
	case word == "1", word == "on", strings.HasPrefix("true", word), strings.HasPrefix("yes", word):
		return "true"
	case word == "0", word == "of", word == "off", strings.HasPrefix("false", word), strings.HasPrefix("no", word):
		return "false"
	default:
		return s
	}
}

// zonedTime is a time, with its seconds if it has any, and its offset from UTC.
var zonedTime = regexp.MustCompile(`(\d:\d\d)(:\d\d(?:\.\d*)?)?( *[+-]\d\d(?::?\d\d)?\b|Z\b)`)

// offsetText writes a time with an offset as DuckDB reads it: with seconds, and without blanks
// before the offset, which it would take for the name of a zone.
func offsetText(text string) string {
	m := zonedTime.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	seconds := m[2]
	if seconds == "" {
		seconds = ":00"
	}
	return strings.Replace(text, m[0], m[1]+seconds+strings.TrimLeft(m[3], " "), 1)
}

// eraText moves the mark of a date before the common era from the end, where
// DuckDB would not heed it, to behind the day.
func eraText(s string) string {
	before, ok := strings.CutSuffix(strings.TrimSpace(s), " BC")
	if !ok {
		return s
	}
	date, clock, _ := strings.Cut(before, " ")
	return strings.TrimSpace(date + " (BC) " + clock)
}

// duckBlob is DuckDB's text of bytes with a mark \xHH after its beginning, which is none
// in Postgres. A single mark at the beginning stands for the same byte in both.
var duckBlob = regexp.MustCompile(`^([^\\]|\\x[[:xdigit:]]{2})+\\x[[:xdigit:]]{2}([^\\]|\\x[[:xdigit:]]{2})*$`)

// blob spells bytes.
func blob(text string) (string, bool) {
	if duckBlob.MatchString(text) {
		return text, true
	}
	raw, ok := ParseBytea(text)
	switch {
	case !ok:
		return "", false
	case string(raw) == text && isASCII(text):
		return text, true
	}
	return Blob(raw), true
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// ParseBytea reads both text forms of bytea: hex after \x, and the older one
// with octal escapes.
func ParseBytea(s string) ([]byte, bool) {
	if digits, ok := strings.CutPrefix(s, `\x`); ok {
		raw, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "", "\t", "", "\r", "").Replace(digits))
		return raw, err == nil
	}
	raw := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			raw = append(raw, s[i])
		case i+1 < len(s) && s[i+1] == '\\':
			raw = append(raw, '\\')
			i++
		case i+3 < len(s):
			b, err := strconv.ParseUint(s[i+1:i+4], 8, 8)
			if err != nil {
				return nil, false
			}
			raw = append(raw, byte(b))
			i += 3
		default:
			return nil, false
		}
	}
	return raw, true
}

// Blob spells bytes as DuckDB casts VARCHAR to BLOB: \xHH for each. No letter stands for
// itself, so that ParseBytea does not take the text for hexadecimal digits (T2).
func Blob(raw []byte) string {
	const hexDigits = "0123456789ABCDEF"
	out := make([]byte, 0, 4*len(raw))
	for _, b := range raw {
		out = append(out, '\\', 'x', hexDigits[b>>4], hexDigits[b&15])
	}
	return string(out)
}
