package sqlfront

import (
	"strconv"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// typeName takes the name of a type. One that is not built in is Invalid and has its
// quoted name: binding finds it.
func (g *gate) typeName() rows.Type {
	w := g.word(g.i)
	if name := g.ownType(); name != "" {
		g.i++
		return rows.Type{Name: load.Quote(name)}
	}
	if g.kind(g.i) == tokQuoted && g.text(g.i) == `"HUGEINT"` { // as DuckDB writes it in the text of a view
		w = "hugeint"
	}
	g.i++
	if w == "double" && g.word(g.i) == "precision" {
		g.i++
	}
	id, ok := castTypes[w]
	if !ok || g.is(g.i, "[") {
		refuse("cast to ", w)
	}
	if w == "timestamp" || w == "time" {
		id = g.timeZone(w, id)
	}
	t := rows.Type{ID: id}
	if id == rows.Decimal {
		t.Width, t.Scale = 18, 3
	}
	if !g.is(g.i, "(") {
		return t
	}
	width, werr := strconv.Atoi(g.text(g.i + 1))
	scale, serr, end := 0, error(nil), g.i+2
	if g.is(end, ",") {
		scale, serr = strconv.Atoi(g.text(end + 1))
		end += 2
	}
	if id != rows.Decimal || werr != nil || serr != nil || !g.is(end, ")") || width < 1 || width > 38 || scale > width {
		refuse("cast to ", w, "(..)")
	}
	g.i = end + 1
	t.Width, t.Scale = uint8(width), uint8(scale)
	return t
}

// ownType is the plain name of a type that users may have made; empty: none.
func (g *gate) ownType() string {
	if g.is(g.i+1, "(") || g.is(g.i+1, "[") || g.is(g.i+1, ".") {
		return ""
	}
	switch g.kind(g.i) {
	case tokQuoted:
		if _, known := castTypes[fold(unquote(g.text(g.i)))]; !known {
			return unquote(g.text(g.i))
		}
	case tokWord:
		if _, known := castTypes[g.word(g.i)]; !known {
			return g.text(g.i)
		}
	}
	return ""
}

// timeZone takes WITH TIME ZONE or WITHOUT TIME ZONE.
func (g *gate) timeZone(w string, id rows.TypeID) rows.TypeID {
	with := g.word(g.i) == "with"
	if !with && g.word(g.i) != "without" {
		return id
	}
	if g.word(g.i+1) != "time" || g.word(g.i+2) != "zone" || w == "time" {
		refuse("cast to ", w)
	}
	g.i += 3
	if with {
		return rows.TimestampTZ
	}
	return id
}
