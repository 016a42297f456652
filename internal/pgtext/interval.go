package pgtext

import (
	"regexp"
	"strings"
)

var (
	// yearsMonths is the SQL standard's interval of years and months.
	yearsMonths = regexp.MustCompile(`^([+-]?)(\d+)-(\d+)$`)
	// isoDate is ISO 8601's alternative form.
	isoDate = regexp.MustCompile(`^P(\d+)-(\d+)-(\d+)(?:T(\d+:\d+:\d+(?:\.\d+)?))?$`)
)

// intervalText spells an interval: in the forms of ISO 8601 and that of years and months by
// units, else without the plus signs that Postgres writes after a negative part.
func intervalText(s string) string {
	trimmed := strings.TrimSpace(s)
	if text, ok := isoInterval(trimmed); ok {
		return text
	}
	if m := yearsMonths.FindStringSubmatch(trimmed); m != nil {
		sign := strings.TrimPrefix(m[1], "+")
		return sign + m[2] + " years " + sign + m[3] + " months"
	}
	if m := isoDate.FindStringSubmatch(trimmed); m != nil {
		return strings.TrimSpace(m[1] + " years " + m[2] + " months " + m[3] + " days " + m[4])
	}
	return strings.ReplaceAll(s, "+", "")
}

// isoUnits are the units of dates, and those behind T.
var isoUnits = [2]map[byte]string{
	{'Y': "years", 'M': "months", 'W': "weeks", 'D': "days"},
	{'H': "hours", 'M': "minutes", 'S': "seconds"},
}

// isoInterval reads P1Y2M3W4DT5H6M7.5S, in which as in Postgres every number may be
// negative or have a fraction, and units may come in any order.
func isoInterval(s string) (text string, ok bool) {
	rest, ok := strings.CutPrefix(s, "P")
	if !ok {
		return "", false
	}
	var parts []string
	behindT := 0
	for rest != "" {
		if rest[0] == 'T' && behindT == 0 {
			behindT, rest = 1, rest[1:]
			continue
		}
		n := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '-' })
		if n < 0 {
			return "", false
		}
		number, ok := isoNumber(rest[:n])
		unit := isoUnits[behindT][rest[n]]
		if !ok || unit == "" {
			return "", false
		}
		parts, rest = append(parts, number+" "+unit), rest[n+1:]
	}
	return strings.Join(parts, " "), len(parts) > 0
}

// isoNumber spells a number with a digit before its point, which DuckDB wants.
func isoNumber(s string) (number string, ok bool) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return "", false
	}
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if negative {
		whole = "-" + whole
	}
	return whole, true
}
