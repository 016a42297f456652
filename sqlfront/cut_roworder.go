package sqlfront

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// unordered are the aggregates whose value is the same in whatever order rows come.
var unordered = map[string]bool{
	"median": true, "mad": true, "quantile": true, "quantile_cont": true, "quantile_disc": true, "histogram": true,
	"fsum": true, "sumkahan": true, "kahan_sum": true, "favg": true, "approx_count_distinct": true,
	"entropy": true, "skewness": true, "kurtosis": true, "kurtosis_pop": true,
	"count": true, "count_star": true, "count_if": true, "countif": true, "sum": true, "avg": true, "mean": true, "min": true, "max": true,
	"bool_and": true, "bool_or": true, "bit_and": true, "bit_or": true, "bit_xor": true, "var_pop": true, "var_samp": true,
	"variance": true, "stddev_pop": true, "stddev_samp": true, "stddev": true, "covar_pop": true, "covar_samp": true, "corr": true,
	"sum_no_overflow": true, "product": true, "weighted_avg": true, "bitstring_agg": true, "sem": true,
}

// listing are those that list their argument, or give one of its values, in the order that
// their ORDER BY says.
var listing = map[string]bool{
	"string_agg": true, "group_concat": true, "listagg": true, "list": true, "array_agg": true, "first": true, "last": true,
}

// determine refuses what the order of rows decides, or has it checked.
func (s *rowSplitter) determine() {
	for _, part := range keptParts {
		s.determined(s.sel[part])
	}
	s.distinctOn()
}

func (s *rowSplitter) determined(v any) {
	switch v := v.(type) {
	case []any:
		for _, c := range v {
			s.determined(c)
		}
	case treeNode:
		switch {
		case v["class"] == "SUBQUERY":
			return
		case sorting[fold(textOf(v, "function_name"))] && s.ofList(v):
			s.rest.lists = true
			return
		case s.isAggregate(v):
			s.determinedCall(v)
			return
		}
		for _, c := range v {
			s.determined(c)
		}
	}
}

// sorting are the functions of a list that do not depend on its order.
var sorting = map[string]bool{
	"list_sort": true, "array_sort": true, "list_reverse_sort": true, "array_reverse_sort": true, "len": true, "length": true, "array_length": true,
}

// ofList reports whether a function is called with a list that an aggregate makes.
func (s *rowSplitter) ofList(call treeNode) bool {
	args := listOf(call, "children")
	if len(args) == 0 || call["class"] != "FUNCTION" {
		return false
	}
	list, _ := args[0].(treeNode)
	name := fold(textOf(list, "function_name"))
	return s.isAggregate(list) && (name == "list" || name == "array_agg")
}

// determinedCall is determined for an aggregate.
func (s *rowSplitter) determinedCall(call treeNode) {
	name := fold(textOf(call, "function_name"))
	var orders []any
	for _, o := range listOf(nodeOf(call, "order_bys"), "orders") {
		order, _ := o.(treeNode)
		orders = append(orders, order["expression"])
	}
	args := listOf(call, "children")
	s.rest.lists = s.rest.lists || listing[name] || name == "histogram" || name == "mode"
	switch {
	case unordered[name]:
	case name == "mode" && (len(args) == 0 || contains(orders, args[0])):
	case name == "mode" && len(orders) == 0:
		s.eachGrouping(func(groups []any) { s.checkMode(groups, args[0], call["filter"]) })
	case !listing[name] || len(args) == 0 || slices.ContainsFunc(args[1:], s.readsBlock):
		refuse("aggregate ", name, ", whose value depends on the order of rows")
	case len(orders) == 0:
		refuse(name, " in the order of rows: write ORDER BY in it")
	case !contains(orders, args[0]):
		s.eachGrouping(func(groups []any) {
			s.checkListing(name, append(slices.Clip(groups), orders...), args[0], call["filter"])
		})
	}
}

// contains reports whether an expression is in a list.
func contains(list []any, e any) bool {
	arg, _ := e.(treeNode)
	return slices.ContainsFunc(list, func(c any) bool { n, _ := c.(treeNode); return unitKey(n) == unitKey(arg) })
}

// readsBlock reports whether an expression has a column of the block.
func (s *rowSplitter) readsBlock(v any) bool {
	return anyNode(v, func(n treeNode) bool { return n["class"] == "COLUMN_REF" })
}

// eachGrouping calls f with what every grouping set groups by.
func (s *rowSplitter) eachGrouping(f func(groups []any)) {
	all := make([]any, 0)
	for _, g := range s.groupExpressions() {
		g = cloneTree(g).(treeNode)
		g["alias"] = ""
		all = append(all, g)
	}
	sets := listOf(s.sel, "group_sets")
	if len(sets) == 0 {
		f(all)
	}
	for _, set := range sets {
		var groups []any
		list, _ := set.([]any)
		for _, n := range list {
			if i := position(fmt.Sprint(n)); i < len(all) {
				groups = append(groups, all[i])
			}
		}
		f(groups)
	}
}

// checkListing checks that arg is the same in all rows of a group.
func (s *rowSplitter) checkListing(name string, groups []any, arg, filter any) {
	node := s.template(`SELECT 1 FROM "trireme relation" HAVING min(x) IS DISTINCT FROM max(x) OR count(x) NOT IN (0, count(*)) LIMIT 1`, arg, nil)
	node["where_clause"] = cloneTree(filter)
	group(node, groups)
	s.check(s.printed(node), name+" of rows that its ORDER BY leaves in any order: order by what it lists as well")
}

// checkMode checks that one value of arg is the most frequent.
func (s *rowSplitter) checkMode(groups []any, arg, filter any) {
	where := `WHERE x IS NOT NULL`
	if filter != nil {
		where += ` AND f`
	}
	node := s.template(`SELECT x FROM t `+where+` QUALIFY rank() OVER (PARTITION BY p ORDER BY count(*) DESC) = 1`, arg, filter)
	setPartition(node, groups)
	node["from_table"] = s.repeated()
	list := append(cloneTree(groups).([]any), cloneTree(arg))
	node["select_list"] = list
	group(node, list)
	s.check(onlyOnce(s.printed(node), len(groups), len(list)), "mode of values that occur equally often: write mode(x ORDER BY x)")
}

// distinctOn checks that DISTINCT ON has one row to choose.
func (s *rowSplitter) distinctOn() {
	var targets, orders []any
	on := false
	for _, m := range listOf(s.sel, "modifiers") {
		mod, _ := m.(treeNode)
		for _, t := range listOf(mod, "distinct_on_targets") {
			target, _ := t.(treeNode)
			on, targets = true, append(targets, s.plainly(target))
		}
		for _, o := range listOf(mod, "orders") {
			order := cloneTree(o).(treeNode)
			order["expression"] = s.plainly(nodeOf(order, "expression"))
			orders = append(orders, order)
		}
	}
	if !on {
		return
	}
	if len(orders) == 0 {
		refuse("DISTINCT ON in the order of rows: write ORDER BY")
	}
	node := cloneTree(s.sel).(treeNode)
	ranked := s.template(`SELECT 1 FROM t QUALIFY rank() OVER (PARTITION BY p ORDER BY o) = 1`, nil, nil)
	setPartition(ranked, targets)
	anyNode(ranked["qualify"], func(n treeNode) bool {
		if isWindow(n) {
			n["orders"] = orders
		}
		return false
	})
	if q := nodeOf(node, "qualify"); q != nil {
		ranked["qualify"] = expressionNode("CONJUNCTION", "CONJUNCTION_AND", treeNode{"children": []any{q, ranked["qualify"]}})
	}
	node["qualify"] = ranked["qualify"]
	list := append(cloneTree(targets).([]any), listOf(node, "select_list")...)
	node["select_list"] = list
	node["modifiers"] = []any{treeNode{"type": "DISTINCT_MODIFIER", "distinct_on_targets": []any{}}}
	s.check(onlyOnce(s.printed(node), len(targets), len(list)), "DISTINCT ON of rows that ORDER BY leaves in any order: order by more columns")
}

// plainly is what a position or an alias means, without a name.
func (s *rowSplitter) plainly(e treeNode) any {
	out := cloneTree(s.meant(e)).(treeNode)
	out["alias"] = ""
	return out
}

// template is a SELECT with expressions in the place of x and f.
func (s *rowSplitter) template(sql string, x, f any) treeNode {
	node := s.node(sql)
	if node == nil {
		refuse("query of DuckDB's")
	}
	values := map[string]any{"x": x, "f": f}
	return mapTree(node, func(v treeNode) (any, bool) {
		parts := nameParts(v)
		if len(parts) == 0 || values[parts[0]] == nil {
			return nil, false
		}
		return cloneTree(values[parts[0]]), true
	}).(treeNode)
}

// setPartition sets what the windows of a SELECT are partitioned by.
func setPartition(node treeNode, groups []any) {
	anyNode(node["qualify"], func(n treeNode) bool {
		if isWindow(n) {
			n["partitions"] = cloneTree(append([]any{}, groups...))
		}
		return false
	})
}

// group sets what a SELECT groups by.
func group(node treeNode, list []any) {
	var groups []any
	for _, g := range list {
		if !contains(groups, g) {
			groups = append(groups, g)
		}
	}
	node["group_expressions"] = cloneTree(append([]any{}, groups...))
	node["group_sets"] = []any{}
	if len(groups) > 0 {
		node["group_sets"] = []any{numbers(len(groups))}
	}
}

// onlyOnce has a row where the first keys of the columns of a SELECT occur more than once.
func onlyOnce(sql string, keys, columns int) string {
	if sql == "" {
		return ""
	}
	names := make([]string, columns)
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	by := ""
	if keys > 0 {
		by = " GROUP BY " + strings.Join(names[:keys], ", ")
	}
	return "SELECT 1 FROM (" + sql + ") AS q(" + strings.Join(names, ", ") + ")" + by + " HAVING count(*) > 1 LIMIT 1"
}

// check has a statement asked of the relation, once.
func (s *rowSplitter) check(sql, reason string) {
	if sql == "" || load.UsesParams(sql) {
		refuse("query of DuckDB's")
	}
	c := OrderCheck{sql, reason}
	if !slices.Contains(s.rest.checks, c) {
		s.rest.checks = append(s.rest.checks, c)
	}
}
