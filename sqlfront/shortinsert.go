package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// ShortInsert is an INSERT that does not say which columns it gives values to.
type ShortInsert struct {
	// Table are the parts of the table's name.
	Table []string
	// Values is how many values a row of VALUES has; 0: they are of Source, a query.
	Values int
	Source string
	at     int // where the columns belong
}

// ParseShortInsert reads an INSERT; false: it has columns, or needs none.
func ParseShortInsert(sql string) (s ShortInsert, ok bool) {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	if f.is(f.end-1, ";") {
		f.end--
	}
	insert := f.next(0, f.end, "insert")
	i := f.next(insert, f.end, "into") + 1
	for ; ; i += 2 {
		if i >= f.end {
			return s, false
		}
		part, named := tokenName(sql, f.tokens[i])
		if !named {
			return s, false
		}
		if s.Table = append(s.Table, part); !f.is(i+1, ".") {
			break
		}
	}
	if i++; f.is(i, "as") {
		i += 2
	}
	if i >= f.end || f.is(i, "by", "default") || f.is(i, "(") && !f.is(i+1, "select", "with", "from", "values", "(") {
		return s, false
	}
	s.at = f.tokens[i].start
	if f.is(i, "values") && f.is(i+1, "(") {
		s.Values = len(f.split(i+2, f.closing(i+1)))
		return s, true
	}
	s.Source = f.text(0, insert) + "\n" + f.text(i, f.next(i, f.end, "on", "returning"))
	return s, true
}

// OnColumns says that the values are of these columns.
func (s ShortInsert) OnColumns(columns []string) Edits {
	names := slices.Clone(columns)
	for i, name := range names {
		names[i] = load.Quote(name)
	}
	return Edits{{Start: s.at, End: s.at, Place: s.at, Text: "(" + strings.Join(names, ", ") + ") "}}
}
