package engine

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// DuckDB takes some texts for values that they do not say: 1.5 is the integer 2 to it, 0x10 is
// 16, 1e400 infinity, 24-01-05 the year 24 and 2024-01-05abc a date. COPY refuses them.

// noValue stands in the place of such a text: nothing casts it.
const noValue = "not a value"

// strictTexts are texts for DuckDB to cast to a type, in which those that do not say a value of
// it are noValue. They are texts.Str where all do.
func strictTexts(t rows.Type, texts *rows.Vector, n int) []string {
	says := strictReader(t)
	if says == nil {
		return texts.Str
	}
	out := texts.Str
	for i, s := range texts.Str[:n] {
		if texts.IsNull(i) || says(s) {
			continue
		}
		if &out[0] == &texts.Str[0] {
			out = slices.Clone(texts.Str)
		}
		out[i] = noValue
	}
	return out
}

// strictBatch is a batch of texts as DuckDB is to cast them.
func (c *copyIn) strictBatch(b *rows.Batch) *rows.Batch {
	out := &rows.Batch{N: b.N, Cols: slices.Clone(b.Cols)}
	for i := range c.plan.Columns {
		out.Cols[i].Str = strictTexts(c.plan.Columns[i].Type, &b.Cols[i], b.N)
	}
	return out
}

// strictReader returns what reports whether a text says a value of a type, as far as DuckDB's
// cast does not; nil: the cast does.
func strictReader(t rows.Type) func(string) bool {
	switch {
	case t.IsInteger():
		return saysInteger
	case t.IsFloat() || t.ID == rows.Decimal:
		return func(s string) bool { return !strings.ContainsAny(s, "_xX") && !isBeyond(t, s) }
	case t.ID == rows.Date:
		return saysDate
	case t.ID == rows.Time:
		return func(s string) bool { return strings.Trim(s, "0123456789:.+- ") == "" }
	case t.IsNested() && integerLists.MatchString(t.Name):
		return func(s string) bool {
			_, found := noInteger(t, s)
			return !found
		}
	}
	return nil
}

// noInteger returns the first element of a list of integers that DuckDB takes for one and that
// does not say one.
func noInteger(t rows.Type, s string) (item string, found bool) {
	if !integerLists.MatchString(t.Name) {
		return "", false
	}
	for item := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("[]{},'\" ", r) }) {
		if strings.ContainsAny(item, ".eExX_") {
			return item, true
		}
	}
	return "", false
}

// integerLists are the names of lists and arrays of integers.
var integerLists = regexp.MustCompile(`^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?(\[\d*\])+$`)

// saysInteger: a sign and digits, with blanks around them.
func saysInteger(s string) bool {
	digits := strings.TrimSpace(s)
	if strings.HasPrefix(digits, "-") || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isBeyond reports the text of a number that is greater than a floating-point type can hold.
func isBeyond(t rows.Type, s string) bool {
	bits := 64
	if t.ID == rows.Float {
		bits = 32
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(s), bits)
	return t.IsFloat() && errors.Is(err, strconv.ErrRange) && (v > 1 || v < -1)
}

// saysDate: what begins with a number has a year of four digits at least, and nothing behind
// the day but a time or an era.
func saysDate(s string) bool {
	s = strings.TrimSpace(s)
	year := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if year == 0 { // a word such as infinity, or a sign
		return true
	}
	rest := s[year:]
	for range 2 {
		if rest == "" {
			return true // too short for DuckDB as well
		}
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	rest = strings.ToUpper(strings.TrimLeft(rest, " "))
	return year >= 4 && (rest == "" || strings.HasPrefix(rest, "BC") || strings.HasPrefix(rest, "(BC)") || strings.HasPrefix(rest, "AD") ||
		strings.Trim(strings.TrimSuffix(strings.TrimPrefix(rest, "T"), "Z"), "0123456789:.+- ") == "")
}
