package pgcatalog

import (
	"maps"
	"slices"
	"strings"
)

// Names are names, in lower case, that statements find without anybody having made an
// object with them.
type Names struct{ Functions, Relations, Types []string }

// otherCalls are the functions that the rewriter handles one by one.
var otherCalls = wordSet(`current_setting set_config aclexplode encode decode statement_timestamp clock_timestamp generate_series substring format age pg_partition_ancestors pg_show_all_settings
	version pg_backend_pid current_user session_user current_role current_schema unnest to_date to_timestamp lastval
	json_agg jsonb_agg json_object_agg jsonb_object_agg jsonb_extract_path json_extract_path jsonb_extract_path_text json_extract_path_text`)

// supplies reports whether a function is the catalog's, or one that the rewriter handles.
// The rewriter asks it of every unqualified name first, so that Supplied has all of them.
func (c *Catalog) supplies(name string) bool {
	_, performs := performed[name]
	_, scalar := scalarSpellings[name]
	_, rows := rowSpellings[name]
	_, jsonRow := jsonRows[name]
	return c.functions[name] != "" || otherCalls[name] || performs || scalar || rows || jsonRow || duckFunctions[name] != "" || vectorCalls[name] != "" || isMissingJSON(name)
}

// isMissingJSON reports whether a function on JSON has an error of its own.
func isMissingJSON(name string) bool {
	prefix, short, _ := strings.Cut(name, "_")
	return (prefix == "json" || prefix == "jsonb") && jsonMissing[short] != ""
}

// spelledTypes are the types that other rewriting gives DuckDB's names.
var spelledTypes = strings.Fields("jsonb serial serial2 serial4 serial8 smallserial bigserial")

// Supplied are the names that the catalog and its rewriting give a meaning, but for those of
// information_schema, which are found by that schema only.
func (c *Catalog) Supplied() Names {
	functions := slices.Concat(slices.Collect(maps.Keys(otherCalls)), slices.Collect(maps.Keys(performed)), slices.Collect(maps.Keys(scalarSpellings)),
		slices.Collect(maps.Keys(rowSpellings)), slices.Collect(maps.Keys(jsonRows)), slices.Collect(maps.Keys(duckFunctions)), slices.Collect(maps.Keys(vectorCalls)))
	for short := range jsonMissing {
		functions = append(functions, "json_"+short, "jsonb_"+short)
	}
	for name := range c.functions {
		if !strings.HasPrefix(name, "_") { // these are called by their full names only
			functions = append(functions, name)
		}
	}
	var relations []string
	for name := range c.relations {
		if table, ok := strings.CutPrefix(name, "pg_catalog."); ok {
			relations = append(relations, table)
		}
	}
	types := slices.Concat(slices.Collect(maps.Keys(objectTypes)), slices.Collect(maps.Keys(otherTypes)), spelledTypes)
	return Names{Functions: sortedNames(functions), Relations: sortedNames(relations), Types: sortedNames(types)}
}

func sortedNames(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
