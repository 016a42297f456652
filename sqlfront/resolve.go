package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// resolver tells of the names in a SELECT which are columns of its FROM.
type resolver struct {
	*rewriter
	sel       treeNode // the SELECT
	relations []relationColumns
	merged    bool // USING has made columns of several
}

// readRelations asks for the elements of FROM, which may read common table expressions.
func (s *resolver) readRelations(ctes []any) {
	stars := &stars{rewriter: s.rewriter, from: nodeOf(s.sel, "from_table"), ctes: ctes}
	s.relations = stars.known()
	s.merged = mergesColumns(s.sel["from_table"])
}

// mergesColumns reports whether a FROM makes one column of several.
func mergesColumns(from any) bool {
	return anyNode(from, func(n treeNode) bool { return len(listOf(n, "using_columns")) > 0 || n["ref_type"] == "NATURAL" })
}

// resolvedMark marks the columns of FROM in the tree, which all have one spelling then.
const resolvedMark = "trireme column"

// rowid is the number of a table's row, which is not among its columns. Whatever stands in
// the table's place has other rows.
const rowid = "rowid"

// resolve marks the columns of FROM in the parts that are kept.
func (s *resolver) resolve() {
	aliases := map[string]treeNode{}
	for _, it := range listOf(s.sel, "select_list") {
		item, _ := it.(treeNode)
		if a := textOf(item, "alias"); a != "" {
			aliases[fold(a)] = item
		}
	}
	for _, part := range keptParts {
		var among map[string]treeNode
		if part != "select_list" && part != "group_expressions" {
			among = aliases
		}
		if part != "modifiers" {
			s.mark(s.sel[part], nil, among)
		}
	}
	for _, m := range listOf(s.sel, "modifiers") {
		mod, _ := m.(treeNode)
		whole := listOf(mod, "distinct_on_targets")
		for _, o := range listOf(mod, "orders") {
			order, _ := o.(treeNode)
			whole = append(slices.Clip(whole), order["expression"])
		}
		for _, e := range whole { // a name alone is the item first
			n, _ := e.(treeNode)
			if parts := nameParts(n); len(parts) != 1 || aliases[fold(parts[0])] == nil {
				s.mark(n, nil, aliases)
			}
		}
	}
}

// mark marks the columns in a tree. Names of params are no columns; those of aliases might
// be the items.
func (s *resolver) mark(v any, params []string, aliases map[string]treeNode) {
	switch v := v.(type) {
	case []any:
		for _, c := range v {
			s.mark(c, params, aliases)
		}
	case treeNode:
		switch v["class"] {
		case "SUBQUERY":
			s.mark(v["child"], params, aliases)
			return
		case "LAMBDA":
			params = slices.Clip(params)
			anyNode(v["lhs"], func(n treeNode) bool { params = append(params, nameParts(n)...); return false })
			s.mark(v["expr"], params, aliases)
			return
		case "COLUMN_REF":
			s.markName(v, params, aliases)
			return
		}
		for _, c := range v {
			s.mark(c, params, aliases)
		}
	}
}

func (s *resolver) markName(v treeNode, params []string, aliases map[string]treeNode) {
	parts := nameParts(v)
	if slices.Contains(params, parts[0]) {
		return
	}
	column := s.column(parts)
	switch {
	case column == nil && (len(parts) > 1 || fold(parts[0]) == rowid):
		refuse("unknown name ", strings.Join(parts, "."))
	case column == nil:
		return
	}
	if item := aliases[fold(parts[0])]; item != nil && len(parts) == 1 {
		same := s.column(nameParts(item))
		if same == nil || !slices.Equal(same, column) {
			refuse("a name that a column and an alias have") // which of them is meant depends on the clause
		}
	}
	v["column_names"] = columnNode(column...)["column_names"]
	v[resolvedMark] = true
}

// column is a column of FROM, or a field of one, with the relation's name in front, where
// it has one; nil: none.
func (s *resolver) column(parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	if len(parts) > 1 {
		for _, r := range s.relations {
			if fold(r.name) != fold(parts[0]) {
				continue
			}
			for _, c := range r.columns {
				if fold(c.Name) == fold(parts[1]) {
					return append([]string{r.name, c.Name}, parts[2:]...)
				}
			}
		}
	}
	var of []string
	for _, r := range s.relations {
		if slices.ContainsFunc(r.columns, func(c rows.Column) bool { return fold(c.Name) == fold(parts[0]) }) {
			of = append(of, r.name)
		}
		if fold(r.name) == fold(parts[0]) && len(parts) == 1 {
			refuse("a relation as a value")
		}
	}
	switch {
	case len(of) == 1:
		return append([]string{of[0]}, parts...)
	case len(of) > 1 && s.merged:
		return parts
	case len(of) > 1:
		refuse("ambiguous ", parts[0])
	}
	return nil
}
