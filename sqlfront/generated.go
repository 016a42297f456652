package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// GeneratedEdits leave out of an INSERT .. VALUES or an UPDATE what it gives to columns that are generated, if
// that is DEFAULT, which DuckDB does not know for them; stored reports whether one of the table's columns is
// not generated. given is one that gets another value; empty: none does.
func GeneratedEdits(sql string, columns []string, stored func(column string) bool) (edits Edits, given string) {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	if f.is(f.end-1, ";") {
		f.end--
	}
	g := &generatedFinder{former: f, columns: columns, stored: stored}
	if update := f.next(0, f.end, "update", "insert"); f.is(update, "update") {
		g.update(f.next(update, f.end, "set"))
	} else if insert, ok := ParseShortInsert(sql); ok {
		if insert.Values > 0 {
			g.insert(nil, f.next(update, f.end, "values"), insert.at)
		}
	} else {
		open := f.next(update, f.end, "into") + 2
		for f.is(open, ".") {
			open += 2
		}
		if f.is(open, "as") {
			open += 2
		}
		if f.is(open, "(") && f.is(f.closing(open)+1, "values") {
			g.insert(f.split(open+1, f.closing(open)), f.closing(open)+1, 0)
		}
	}
	if g.given != "" {
		return nil, g.given
	}
	slices.SortFunc(g.edits, func(a, b Edit) int { return a.Start - b.Start })
	return g.edits, ""
}

// generatedFinder finds what a statement gives to generated columns.
type generatedFinder struct {
	*former
	columns []string
	stored  func(string) bool
	edits   Edits
	given   string
}

// update reads the assignments behind SET.
func (g *generatedFinder) update(set int) {
	items := g.split(set+1, g.next(set, g.end, "where", "from", "returning"))
	if len(items) == 0 {
		return
	}
	kept := make([]bool, len(items))
	none := true
	for i, item := range items {
		name, named := tokenName(g.src, g.tokens[item[0]])
		kept[i] = !named || !g.is(item[0]+1, "=") || g.stored(name)
		none = none && !kept[i]
		if !kept[i] && !(g.is(item[0]+2, "default") && item[1] == item[0]+3) {
			g.given = name
			return
		}
	}
	if !none {
		g.keep(items, kept)
		return
	}
	for _, name := range g.columns { // the rows are updated all the same
		if g.stored(name) {
			g.replace(items[0][0], items[len(items)-1][1], load.Quote(name)+" = "+load.Quote(name))
			return
		}
	}
}

// insert reads the rows behind VALUES, of the columns in a list, if there is one, or else of the table's first ones,
// which are then named at a place.
func (g *generatedFinder) insert(list [][2]int, values, at int) {
	rows := g.split(values+1, g.next(values, g.end, "on", "returning"))
	if len(rows) == 0 || !g.is(rows[0][0], "(") {
		return
	}
	n := len(g.split(rows[0][0]+1, g.closing(rows[0][0])))
	names := make([]string, n)
	for i := range names {
		switch {
		case list == nil && i < len(g.columns):
			names[i] = g.columns[i]
		case i < len(list):
			names[i], _ = tokenName(g.src, g.tokens[list[i][0]])
		default:
			return // DuckDB has the error
		}
	}
	kept := make([]bool, n)
	var written []string
	for i, name := range names {
		if kept[i] = g.stored(name); kept[i] {
			written = append(written, load.Quote(name))
		}
	}
	if len(written) == n || len(written) == 0 || list != nil && len(list) != n {
		return
	}
	for _, row := range rows {
		items := g.split(row[0]+1, g.closing(row[0]))
		if len(items) != n {
			g.edits = nil
			return
		}
		for i, item := range items {
			if !kept[i] && !(g.is(item[0], "default") && item[1] == item[0]+1) {
				g.given = names[i]
				return
			}
		}
		g.keep(items, kept)
	}
	if list != nil {
		g.keep(list, kept)
		return
	}
	g.edits = append(g.edits, Edit{Start: at, End: at, Place: at, Text: "(" + strings.Join(written, ", ") + ") "})
}

// keep leaves the other items of a list out.
func (g *generatedFinder) keep(items [][2]int, kept []bool) {
	last := -1
	for i := range items {
		switch {
		case !kept[i]:
			continue
		case last < 0 && i > 0:
			g.replace(items[0][0], items[i-1][1]+1, "")
		case last >= 0 && last < i-1:
			g.replace(items[last][1], items[i-1][1], "")
		}
		last = i
	}
	if last >= 0 && last < len(items)-1 {
		g.replace(items[last][1], items[len(items)-1][1], "")
	}
}

// replace writes a text in place of tokens[lo:hi].
func (g *generatedFinder) replace(lo, hi int, text string) {
	start := g.tokens[lo].start
	g.edits = append(g.edits, Edit{Start: start, End: g.tokens[hi-1].end, Place: start, Text: text})
}
