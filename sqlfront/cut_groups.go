package sqlfront

import "slices"

// groupSplitter splits one SELECT of groups by DuckDB's tree of it: the block computes the
// groups and the aggregates, and what is left reads them. A name is replaced only where it
// is known to be a column of the block; what is not known is not split.
type groupSplitter struct {
	*rowSplitter
	// oneRow: of the block's rows one or none is read, as one row of aggregates.
	oneRow bool

	having   any
	from     any
	where    any
	grouping int // how many units are groups
}

// split returns the block as a statement. The text that is left is the rest's.
func (s *groupSplitter) split() string {
	if s.begin() > s.grouping { // DuckDB has no value for an alias of it in a window
		refuse("a group that is written twice")
	}
	s.leave(nil)
	return s.block(s.asAny())
}

// begin reads the SELECT and its groups, and returns how many of these are written.
func (s *groupSplitter) begin() (written int) {
	s.description() // the statement's own errors come first
	s.read()
	s.from, s.where, s.having = cloneTree(s.sel["from_table"]), cloneTree(s.sel["where_clause"]), cloneTree(s.sel["having"])
	s.sel["cte_map"] = treeNode{"map": []any{}}
	s.resolve()
	if s.sel["aggregate_handling"] == "FORCE_AGGREGATES" || len(listOf(s.sel, "group_sets")) > 1 {
		refuse("groups of several kinds")
	}
	groups := s.groupExpressions()
	for _, g := range groups {
		switch {
		case g["class"] == "CONSTANT": // the same in all rows; in ORDER BY it would be a position
		case !s.calculated(g):
			refuse("a group that is not made of columns")
		default:
			s.unit(g)
			written++
		}
	}
	if s.grouping = len(s.units); s.grouping == 0 && len(groups) > 0 {
		refuse("groups of constants alone")
	}
	for _, m := range listOf(s.sel, "modifiers") {
		if mod, _ := m.(treeNode); len(listOf(mod, "distinct_on_targets")) > 0 {
			refuse("DISTINCT ON")
		}
	}
	return written
}

// leave makes the rest, of the rows of the block for which where holds.
func (s *groupSplitter) leave(where any) {
	for _, part := range []string{"select_list", "qualify", "modifiers"} {
		if s.sel[part] != nil {
			s.sel[part] = s.overGroups(s.sel[part])
		}
	}
	if len(s.units) == 0 {
		refuse(NothingGathered)
	}
	s.nameItems()
	relation := s.node(`SELECT 1 FROM "` + restRelation + `"`)
	s.sel["from_table"], s.sel["where_clause"], s.sel["having"] = relation["from_table"], where, nil
	s.sel["group_expressions"], s.sel["group_sets"] = []any{}, []any{}
	if s.rest.text = s.printed(s.sel); s.rest.text == "" {
		refuse("query of DuckDB's")
	}
}

// block is the SELECT of a list by the groups, as a statement.
func (s *groupSplitter) block(list []any) string {
	block := selectOf(cloneTree(list).([]any), s.from, nil)
	block["where_clause"], block["having"] = s.where, s.having
	if s.grouping > 0 {
		block["group_expressions"] = cloneTree(s.asAny()[:s.grouping])
		block["group_sets"] = []any{numbers(s.grouping)}
	}
	text := s.printed(block)
	if text == "" {
		refuse("query of DuckDB's")
	}
	k := s.open.cutter
	queries := s.rest.queries
	text = s.rest.over(text, restRelation, func(n int) string { return k.text(queries[n].first, queries[n].end) })
	s.rest.queries = slices.DeleteFunc(slices.Clone(queries), func(q restQuery) bool { return !namesOf(s.rest.text)[q.name] })
	if text = s.open.inScope.statement(text); text == "" {
		refuse("query of DuckDB's")
	}
	return text
}

// overGroups is a tree over the block's columns.
func (s *groupSplitter) overGroups(v any) any {
	switch v := v.(type) {
	case []any:
		for i, c := range v {
			v[i] = s.overGroups(c)
		}
	case treeNode:
		if _, grouped := s.keys[unitKey(v)]; grouped || s.isAggregate(v) {
			return s.reading(v)
		}
		switch {
		case v[resolvedMark] != nil:
			refuse("a column that is not a group")
		case v["class"] == "SUBQUERY" && !s.kept(v):
			refuse("query of DuckDB's")
		case v["type"] == "GROUPING_FUNCTION":
			refuse("groups of several kinds")
		}
		s.unnamedArguments(v)
		for k, c := range v {
			v[k] = s.overGroups(c)
		}
	}
	return v
}

// reading is what reads the column of the block for a group or an aggregate. Of no rows, DuckDB's
// correlated subqueries have 0 for COUNT alone, NULL for all other aggregates.
func (s *groupSplitter) reading(v treeNode) treeNode {
	col := s.unit(v)
	if !s.oneRow {
		return col
	}
	name := fold(textOf(v, "function_name"))
	if v["class"] == "FUNCTION" && name != "count_star" && aggregates[name].name == "" {
		refuse("aggregate ", name, " of what may be no rows")
	}
	alias := col["alias"]
	col["alias"] = ""
	one := functionNode("any_value", col)
	if name == "count" || name == "count_star" {
		one = expressionNode("OPERATOR", "OPERATOR_COALESCE", treeNode{"children": []any{one, numberNode(0)}})
	}
	one["alias"] = alias
	return one
}
