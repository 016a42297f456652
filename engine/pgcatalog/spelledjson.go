package pgcatalog

import (
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Functions on JSON of Postgres that DuckDB has under other names, or in other words.

// jsonRows are those whose rows have a key and a value: how the value is selected.
var jsonRows = map[string]string{"jsonb_each": "value", "jsonb_each_text": "value ->> '$' AS value", "json_each_text": "value ->> '$' AS value"}

// jsonMissing are functions without a counterpart: what to write instead.
var jsonMissing = map[string]string{
	"path_query": pathHint, "path_query_array": pathHint, "path_query_first": pathHint, "path_exists": pathHint, "path_match": pathHint,
	"populate_record": recordHint, "populate_recordset": recordHint, "to_record": recordHint, "to_recordset": recordHint,
}

const (
	pathHint   = "DuckDB's paths are arguments of its own functions: json_extract(doc, '$.a[*].b'), json_exists(doc, '$.a')."
	recordHint = `Say the types in the call: json_transform(doc, '{"a": "INTEGER"}'), and for a list unnest(json_transform(doc, '[{"a": "INTEGER"}]'), recursive := true).`
)

// jsonCall writes such a call, whose name is tokens i to end, in DuckDB's words; false: it
// stays.
func (r *rewriter) jsonCall(i, end int, name string, args [][2]int, closing int) (bool, error) {
	value, rows := jsonRows[name]
	switch {
	case name == "json_agg" || name == "jsonb_agg":
		r.replace(i, end+2, "to_json(list(")
		r.insert(r.tokens[r.aggregateEnd(closing)].End, ")")
		return true, nil
	case (name == "json_object_agg" || name == "jsonb_object_agg") && len(args) > 1:
		r.replace(i, end+2, "to_json(map_from_entries(list((")
		value := args[1][0]
		for value < args[1][1] && !r.is(value, "order") {
			value++
		}
		r.insert(r.tokens[value-1].End, ")")
		r.insert(r.tokens[r.aggregateEnd(closing)].End, "))")
		return true, nil
	case rows && len(args) == 1 && r.isTable(i):
		r.replace(i, end+2, "(SELECT key, "+value+" FROM json_each(")
		after := "))"
		if !r.hasAlias(closing+1) && !r.is(closing+1, "as") {
			after += " AS " + name
		}
		r.replace(closing, closing+1, after)
		return true, nil
	case len(args) > 1 && (name == "jsonb_extract_path" || name == "json_extract_path" && len(args) > 2):
		r.stepsOf("jsonb_at", i, end, args, closing)
		return true, nil
	case len(args) > 1 && (name == "jsonb_extract_path_text" || name == "json_extract_path_text" && len(args) > 2):
		r.stepsOf("jsonb_text_at", i, end, args, closing)
		return true, nil
	}
	if isMissingJSON(name) {
		_, short, _ := strings.Cut(name, "_")
		hint := jsonMissing[short]
		return false, sqlerr.At(sqlerr.FeatureNotSupported, r.tokens[i].Start, "%s is not supported", name).WithHint("%s", hint)
	}
	return false, nil
}

// stepsOf writes a call whose arguments but the first are the steps of a path.
func (r *rewriter) stepsOf(function string, i, end int, args [][2]int, closing int) {
	r.replace(i, end+1, function)
	r.insert(r.tokens[args[1][0]].Start, "[")
	r.insert(r.tokens[closing-1].End, "]")
}

// aggregateEnd is the last token of the call of an aggregate whose parenthesis closes at
// token i: of its FILTER and OVER.
func (r *rewriter) aggregateEnd(i int) int {
	if r.is(i+1, "filter") && r.is(i+2, "(") {
		i = r.match(i + 2)
	}
	if r.is(i+1, "over") {
		if i += 2; r.is(i, "(") {
			i = r.match(i)
		}
	}
	return i
}
