package sqlfront

import (
	"fmt"
	"slices"
)

// What the tensor engine has no form for may be a join, or a value of the rows of one
// relation, that DuckDB makes on its own: an ASOF or POSITIONAL JOIN, a LATERAL block with
// a LIMIT, the first value of a correlated subquery under ORDER BY. It becomes a derived
// table, which the rest of the statement joins.

// apart writes such parts of a SELECT as derived tables, and reports whether there are any.
func (r *rewriter) apart(v treeNode, ctes []any) bool {
	values := r.valuesApart(v, ctes)
	joins := false
	for {
		j := r.joinOfDuckDB(nodeOf(v, "from_table"), ctes)
		if j == nil {
			return values || joins
		}
		r.joinApart(v, j, ctes)
		joins = true
	}
}

// askedMax bounds how often DuckDB is asked which relation a subquery reads.
const askedMax = 64

// leaf is an element of FROM; padded: an outer join pads its rows.
type leaf struct {
	node   treeNode
	padded bool
}

// leavesOf are the elements of a FROM whose columns can be named.
func leavesOf(from treeNode, padded bool) []leaf {
	if from["type"] != "JOIN" {
		return []leaf{{from, padded}}
	}
	kind := from["join_type"]
	left := leavesOf(nodeOf(from, "left"), padded || kind == "RIGHT" || kind == "OUTER")
	if kind == "SEMI" || kind == "ANTI" {
		return left
	}
	return append(left, leavesOf(nodeOf(from, "right"), padded || kind == "LEFT" || kind == "OUTER")...)
}

// valuesApart makes columns of one relation of the subqueries that read no other and that
// DuckDB alone has: the relation is a derived table with them.
func (r *rewriter) valuesApart(v treeNode, ctes []any) (found bool) {
	for _, part := range []string{"select_list", "where_clause", "group_expressions"} {
		v[part] = mapTree(v[part], func(n treeNode) (any, bool) {
			if n["class"] != "SUBQUERY" {
				return nil, false
			}
			of := r.readOnly(n, nodeOf(v, "from_table"), ctes)
			if of == nil {
				return n, true
			}
			found = true
			return r.columnOf(of, n), true
		})
	}
	if found && anyPlainStar(v["select_list"]) {
		refuse("") // it would show the columns
	}
	return found
}

// readOnly is the element of FROM that a subquery of DuckDB's reads, if it reads no other;
// nil: it stays where it is.
func (r *rewriter) readOnly(sub, from treeNode, ctes []any) treeNode {
	query := nodeOf(nodeOf(sub, "subquery"), "node")
	if !ofDuckDB(query) || r.standsAlone(query, ctes) {
		return nil
	}
	var of treeNode
	for _, l := range leavesOf(from, false) {
		if r.asked++; r.asked > askedMax {
			refuse("")
		}
		if relationName(l.node) == "" || r.described(selectOf([]any{cloneTree(sub)}, cloneTree(l.node), ctes)) == nil {
			continue
		}
		if of != nil || l.padded {
			return nil
		}
		of = l.node
	}
	return of
}

// columnOf makes a value a column of an element of FROM, which is changed.
func (r *rewriter) columnOf(of, value treeNode) treeNode {
	name := r.newName("value")
	alias := value["alias"]
	value["alias"] = name
	relation := relationName(of)
	inner := selectOf([]any{starOf(relation), value}, cloneTree(of), nil)
	become(of, derivedTree(relation, inner))
	out := columnNode(relation, name)
	out["alias"] = alias
	return out
}

// newName is a name that the statement does not have.
func (r *rewriter) newName(of string) string {
	taken := namesOf(r.sql)
	for {
		r.values++
		if name := fmt.Sprintf("trireme_%s_%d", of, r.values); !taken[name] {
			return name
		}
	}
}

// become makes a node another one, where it stands.
func become(v, other treeNode) {
	clear(v)
	for k, c := range other {
		v[k] = c
	}
}

// derivedTree is a derived table.
func derivedTree(alias string, query treeNode) treeNode {
	return treeNode{
		"type": "SUBQUERY", "alias": alias, "sample": nil, "query_location": noPlace,
		"subquery": treeNode{"node": query, "named_param_map": []any{}}, "column_name_alias": []any{},
	}
}

// ofDuckDB reports whether a query has what the tensor engine leaves to DuckDB where it
// reads the query around it.
func ofDuckDB(query treeNode) bool {
	if !isSelectNode(query) || query["qualify"] != nil || anyNode(query["select_list"], isWindow) {
		return true
	}
	for _, m := range listOf(query, "modifiers") {
		mod, _ := m.(treeNode)
		if t := mod["type"]; t == "LIMIT_MODIFIER" || t == "LIMIT_PERCENT_MODIFIER" || len(listOf(mod, "distinct_on_targets")) > 0 {
			return true
		}
	}
	return false
}

// standsAlone reports whether a query means something by itself, with common table expressions.
func (r *rewriter) standsAlone(query treeNode, ctes []any) bool {
	own := cloneTree(query).(treeNode)
	own["cte_map"] = treeNode{"map": append(slices.Clone(ctes), listOf(nodeOf(query, "cte_map"), "map")...)}
	return r.described(own) != nil
}

// joinOfDuckDB is a join that DuckDB alone has, the outermost on the left; nil: none.
func (r *rewriter) joinOfDuckDB(from treeNode, ctes []any) treeNode {
	if from["type"] != "JOIN" {
		return nil
	}
	first := nodeOf(from, "right") // of what may read the left side
	for first["type"] == "JOIN" {
		first = nodeOf(first, "left")
	}
	query := nodeOf(nodeOf(first, "subquery"), "node")
	switch {
	case from["ref_type"] == "ASOF", from["ref_type"] == "POSITIONAL":
		return from
	case first["type"] == "SUBQUERY" && ofDuckDB(query) && !r.standsAlone(query, ctes):
		return from
	}
	if j := r.joinOfDuckDB(nodeOf(from, "left"), ctes); j != nil {
		return j
	}
	return r.joinOfDuckDB(nodeOf(from, "right"), ctes)
}

// joinApart makes a derived table of a join in the FROM of a SELECT, whose columns are
// read from it then.
func (r *rewriter) joinApart(v, join treeNode, ctes []any) {
	nameDerived(nodeOf(v, "from_table"))
	names, ok := relationsOf(join)
	if !ok || anyPlainStar(v["select_list"]) {
		refuse("")
	}
	s := &resolver{rewriter: r, sel: v}
	s.readRelations(ctes)
	table := &joinTable{name: r.newName("join"), columns: map[[2]string]string{}}
	for _, rel := range s.relations {
		if slices.ContainsFunc(names, func(name string) bool { return fold(name) == fold(rel.name) }) {
			table.relations = append(table.relations, rel)
		}
	}
	list := table.list()
	inner := cloneTree(join).(treeNode)
	become(join, derivedTree(table.name, selectOf(list, inner, nil))) // what is in it is not resolved
	s.resolve()
	s.mark(v["where_clause"], nil, nil)
	s.markConditions(nodeOf(v, "from_table"))
	mapTree(v, func(n treeNode) (any, bool) {
		query := nodeOf(nodeOf(n, "subquery"), "node")
		switch {
		case n["type"] == "SUBQUERY" && n["alias"] == table.name:
			return n, true
		case query != nil && anyNode(query, table.mayBeRead) && !r.standsAlone(query, ctes):
			refuse("")
		case n[resolvedMark] != nil:
			delete(n, resolvedMark)
			table.rename(n)
		}
		return nil, false
	})
}

// markConditions marks the columns in the conditions of joins.
func (s *resolver) markConditions(from treeNode) {
	if from["type"] != "JOIN" {
		return
	}
	s.mark(from["condition"], nil, nil)
	s.markConditions(nodeOf(from, "left"))
	s.markConditions(nodeOf(from, "right"))
}

// joinTable is the derived table in the place of a join.
type joinTable struct {
	name      string
	relations []relationColumns    // that it joins
	columns   map[[2]string]string // by relation and column, folded: its name for it
}

// list selects all columns: under their names, where only one relation has such.
func (t *joinTable) list() (list []any) {
	seen := map[string]int{}
	for _, r := range t.relations {
		for _, c := range r.columns {
			seen[fold(c.Name)]++
		}
	}
	for _, r := range t.relations {
		for _, c := range r.columns {
			name := c.Name
			if seen[fold(name)] > 1 {
				name = r.name + "." + name
			}
			item := columnNode(r.name, c.Name)
			item["alias"] = name
			list = append(list, item)
			t.columns[[2]string{fold(r.name), fold(c.Name)}] = name
		}
	}
	return list
}

// rename gives a column of one of the relations the name that it has in the table.
func (t *joinTable) rename(n treeNode) {
	parts := nameParts(n)
	if len(parts) == 1 {
		if t.mayBeRead(n) {
			refuse("") // USING has made it of several
		}
		return
	}
	if name, ok := t.columns[[2]string{fold(parts[0]), fold(parts[1])}]; ok {
		n["column_names"] = columnNode(append([]string{t.name, name}, parts[2:]...)...)["column_names"]
	}
}

// mayBeRead reports whether a name may be that of a column of one of the relations.
func (t *joinTable) mayBeRead(n treeNode) bool {
	parts := nameParts(n)
	if len(parts) == 0 {
		return false
	}
	for of := range t.columns {
		if of[0] == fold(parts[0]) || of[1] == fold(parts[0]) {
			return true
		}
	}
	return false
}

// anyPlainStar looks for a star outside of queries.
func anyPlainStar(list any) bool {
	for _, it := range list.([]any) {
		if item, _ := it.(treeNode); isStar(item) {
			return true
		}
	}
	return false
}

// relationName is what an element of FROM is called; empty: it has no name.
func relationName(v treeNode) string {
	name := textOf(v, "alias")
	if name == "" && v["type"] == "BASE_TABLE" {
		name = textOf(v, "table_name")
	}
	return name
}
