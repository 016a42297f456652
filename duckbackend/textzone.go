package duckbackend

import (
	"slices"
	"strconv"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/load"
)

// DuckDB's text of a time tells how far its zone is from UTC in hours and minutes. Zones
// of former times have seconds too, and without them the text is another time.

// hasZone reports whether the type is a TIMESTAMP WITH TIME ZONE or has one in it.
func (t *duckType) hasZone() bool {
	return t.id == bindings.TypeTimestampTZ || slices.ContainsFunc(t.children, (*duckType).hasZone)
}

// zoneTexts is an expression for value, of the type, in which every time with a zone is
// replaced by its text with the seconds of the zone; arrays have been made lists. depth
// tells the parameters of lambdas apart.
func (t *duckType) zoneTexts(value string, depth int) string {
	if !t.hasZone() {
		return value
	}
	switch t.id {
	case bindings.TypeTimestampTZ:
		return zoneText(value)
	case bindings.TypeList, bindings.TypeArray:
		return mapped(value, t.children[0], depth)
	case bindings.TypeMap:
		return "CASE WHEN " + value + " IS NOT NULL THEN " + systemCall("map",
			mapped(systemCall("map_keys", value), t.children[0], depth), mapped(systemCall("map_values", value), t.children[1], depth)) + " END"
	case bindings.TypeUnion:
		return t.unionTexts(value, depth)
	}
	fields := make([]string, len(t.children))
	for i, c := range t.children {
		fields[i] = c.zoneTexts(systemCall("struct_extract_at", value, strconv.Itoa(i+1)), depth)
		if t.names[i] != "" {
			fields[i] = load.Quote(t.names[i]) + " := " + fields[i]
		}
	}
	pack := "struct_pack"
	if t.names[0] == "" {
		pack = "row"
	}
	return "CASE WHEN " + value + " IS NOT NULL THEN " + systemCall(pack, fields...) + " END"
}

// unionTexts is zoneTexts of a UNION: one of a single member, the text of the member
// that it has.
func (t *duckType) unionTexts(value string, depth int) string {
	var b strings.Builder
	b.WriteString("CASE " + systemCall("union_tag", value))
	for i, c := range t.children {
		member := c.zoneTexts(systemCall("union_extract", value, quoteText(t.names[i])), depth)
		b.WriteString(" WHEN " + quoteText(t.names[i]) + " THEN CAST(" + member + " AS VARCHAR)")
	}
	b.WriteString(" END")
	return "CASE WHEN " + value + " IS NOT NULL THEN " + systemCall("union_value", "member := "+b.String()) + " END"
}

// mapped is zoneTexts of the elements of a list.
func mapped(list string, element *duckType, depth int) string {
	if !element.hasZone() {
		return list
	}
	x := "x" + strconv.Itoa(depth)
	return systemCall("list_transform", list, "lambda "+x+": "+element.zoneTexts(x, depth+1))
}

// zoneText is DuckDB's text of a time, and the seconds of its zone behind it where it has
// some; DuckDB leaves out minutes that are zero. An infinite time has no zone.
func zoneText(value string) string {
	ahead := systemCall("date_part", "'timezone'", value)
	text := "CAST(" + value + " AS VARCHAR)"
	seconds := func(format string) string {
		return systemCall("concat", text, systemCall("printf", quoteText(format), systemCall("mod", systemCall("abs", ahead), "60")))
	}
	return "CASE WHEN " + systemCall("mod", ahead, "60") + " = 0 THEN " + text +
		" WHEN " + systemCall("mod", systemCall("abs", ahead), "3600") + " < 60 THEN " + seconds(":00:%02d") +
		" WHEN " + ahead + " IS NOT NULL THEN " + seconds(":%02d") + " ELSE " + text + " END"
}

// systemCall is a call of a function of DuckDB's own, whatever macros users have.
func systemCall(function string, args ...string) string {
	return "system.main." + load.Quote(function) + "(" + strings.Join(args, ", ") + ")"
}
