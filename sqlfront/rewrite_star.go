package sqlfront

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
)

// stars writes the stars of one SELECT, COLUMNS(..) among them, as the columns that they
// stand for. Which these are DuckDB says.
type stars struct {
	*rewriter
	from treeNode
	ctes []any
	// relations are the elements of FROM with their columns; nil: not asked for yet.
	relations []relationColumns
}

type relationColumns struct {
	name    string
	columns []rows.Column
}

// needsColumns reports whether a star is none that the parser reads.
func needsColumns(v treeNode) bool {
	return isStar(v) && (v["columns"] == true || len(listOf(v, "exclude_list"))+len(listOf(v, "qualified_exclude_list"))+
		len(listOf(v, "replace_list"))+len(listOf(v, "rename_list")) > 0)
}

// item is an item of the select list, once for every column where it has such a star.
func (s *stars) item(item treeNode) []any {
	star := outermostStar(item)
	if star == nil {
		return []any{item}
	}
	star = cloneTree(star).(treeNode)
	if unpacks(item) {
		return []any{s.with(item, star, s.unnamed(star))}
	}
	var out []any
	for _, c := range s.columns(star) {
		if !isStar(item) || item["columns"] == true {
			c["alias"] = ""
		}
		one := s.with(item, star, []any{c})
		s.add(one)
		out = append(out, one)
	}
	return out
}

// condition is a condition, of every column where it has COLUMNS.
func (s *stars) condition(v treeNode) treeNode {
	star := outermostStar(v)
	if star == nil {
		return v
	}
	star = cloneTree(star).(treeNode)
	if unpacks(v) {
		one, _ := s.with(v, star, s.unnamed(star)).(treeNode)
		return one
	}
	var all []any
	for _, c := range s.unnamed(star) {
		all = append(all, s.with(v, star, []any{c}))
	}
	if len(all) == 1 {
		return all[0].(treeNode)
	}
	return expressionNode("CONJUNCTION", "CONJUNCTION_AND", treeNode{"children": all})
}

// outermostStar is a star in an expression that has to be written; nil: none. Those in
// queries within it are theirs.
func outermostStar(v any) (star treeNode) {
	switch v := v.(type) {
	case []any:
		for _, c := range v {
			if star = outermostStar(c); star != nil {
				return star
			}
		}
	case treeNode:
		switch {
		case v["class"] == "SUBQUERY":
			return nil
		case needsColumns(v):
			return v
		}
		for _, c := range v {
			if star = outermostStar(c); star != nil {
				return star
			}
		}
	}
	return nil
}

// unpacks reports whether an expression has *COLUMNS(..), which stands for arguments.
func unpacks(v treeNode) bool {
	return anyNode(v, func(n treeNode) bool { return n["type"] == "OPERATOR_UNPACK" })
}

// with is an expression with columns in the place of all stars, which must be the same.
func (s *stars) with(v, star treeNode, columns []any) any {
	out := mapTree(treeNode{"it": []any{cloneTree(v)}}, func(n treeNode) (any, bool) {
		for k, c := range n {
			list, _ := c.([]any)
			isUnpack := func(c any) bool { u, _ := c.(treeNode); return u["type"] == "OPERATOR_UNPACK" }
			if at := slices.IndexFunc(list, isUnpack); at >= 0 {
				n[k] = append(append(append([]any{}, list[:at]...), cloneTree(columns).([]any)...), list[at+1:]...)
			}
		}
		switch {
		case n["class"] == "SUBQUERY":
			return n, true
		case !needsColumns(n):
			return nil, false
		}
		if !sameJSON(n, star) || len(columns) != 1 {
			refuse("different COLUMNS in an expression")
		}
		return cloneTree(columns[0]), true
	})
	return out.(treeNode)["it"].([]any)[0]
}

// unnamed are the columns of a star without their names.
func (s *stars) unnamed(star treeNode) (out []any) {
	for _, c := range s.columns(star) {
		c["alias"] = ""
		out = append(out, c)
	}
	return out
}

// columns are what a star stands for, with the names that are not the columns' own.
func (s *stars) columns(star treeNode) (out []treeNode) {
	found := s.described(selectOf([]any{cloneTree(star)}, cloneTree(s.from), s.ctes))
	if len(found) == 0 {
		refuse("COLUMNS")
	}
	for i, c := range found {
		same := func(o rows.Column) bool { return fold(o.Name) == fold(c.Name) }
		before := 0
		for _, o := range found[:i] {
			if same(o) {
				before++
			}
		}
		once := before == 0 && !slices.ContainsFunc(found[i+1:], same)
		out = append(out, s.column(star, c.Name, before, once))
	}
	return out
}

// column is the column that a star has under a name, after so many others of that name.
// once: it is the only one, so that USING has made one of several.
func (s *stars) column(star treeNode, name string, before int, once bool) treeNode {
	for _, e := range listOf(star, "replace_list") {
		if entry, _ := e.(treeNode); fold(textOf(entry, "key")) == fold(name) {
			out := cloneTree(entry["value"]).(treeNode)
			out["alias"] = name
			return out
		}
	}
	real, alias := name, ""
	for _, e := range listOf(star, "rename_list") {
		if entry, _ := e.(treeNode); textOf(entry, "value") == name {
			real, alias = textOf(nodeOf(entry, "key"), "column"), name
		}
	}
	var of []string
	for _, r := range s.known() {
		if rel := textOf(star, "relation_name"); rel != "" && fold(rel) != fold(r.name) {
			continue
		}
		if slices.ContainsFunc(r.columns, func(c rows.Column) bool { return fold(c.Name) == fold(real) }) {
			of = append(of, r.name)
		}
	}
	out := columnNode(real)
	switch {
	case before < len(of) && (len(of) == 1 || !once):
		out = columnNode(of[before], real)
	case !once:
		refuse("several columns ", real, " in a star")
	}
	out["alias"] = alias
	return out
}

// known are the elements of FROM.
func (s *stars) known() []relationColumns {
	if s.relations != nil {
		return s.relations
	}
	nameDerived(s.from)
	names, ok := relationsOf(s.from)
	if !ok {
		refuse("COLUMNS over a relation without a name")
	}
	for _, name := range names {
		s.relations = append(s.relations, relationColumns{name, s.described(selectOf([]any{starOf(name)}, cloneTree(s.from), s.ctes))})
	}
	return s.relations
}

// starOf is all columns of a relation.
func starOf(relation string) treeNode {
	return expressionNode("STAR", "STAR", treeNode{
		"relation_name": relation, "exclude_list": []any{}, "replace_list": []any{}, "columns": false, "expr": nil,
		"qualified_exclude_list": []any{}, "rename_list": []any{},
	})
}
