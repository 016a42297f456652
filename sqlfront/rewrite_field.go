package sqlfront

import "slices"

// fields writes the fields of structures that have dots before them as calls: t.s.a is
// struct_extract(t.s, 'a'). Names in queries within are theirs, and those in lambdas may
// be of parameters.
func (s *stars) fields(v any) any {
	return mapTree(v, func(n treeNode) (any, bool) {
		switch n["class"] {
		case "SUBQUERY", "LAMBDA":
			return n, true
		case "COLUMN_REF":
			if out := s.field(nameParts(n)); out != nil {
				out["alias"] = n["alias"]
				return out, true
			}
		}
		return nil, false
	})
}

// fieldsInConditions writes those in the conditions of joins.
func (s *stars) fieldsInConditions(from treeNode) {
	if from["type"] != "JOIN" {
		return
	}
	from["condition"] = s.fields(from["condition"])
	s.fieldsInConditions(nodeOf(from, "left"))
	s.fieldsInConditions(nodeOf(from, "right"))
}

// field is the call that a name stands for, of a column here or, where there is none, in
// the SELECTs around; nil: it is not a column's with fields.
func (s *stars) field(parts []string) treeNode {
	if len(parts) < 2 {
		return nil
	}
	for _, in := range slices.Backward(s.around) {
		names, ok := relationsOf(in.from)
		isRelation := func(name string) bool { return fold(name) == fold(parts[0]) }
		if !ok || len(parts) == 2 && slices.ContainsFunc(names, isRelation) {
			return nil
		}
		of := &resolver{rewriter: s.rewriter, relations: in.known()}
		column := of.column(parts)
		if column == nil {
			continue
		}
		if len(column) < 3 {
			return nil
		}
		out := columnNode(column[:2]...)
		for _, name := range column[2:] {
			out = functionNode("struct_extract", out, textConstant(name))
		}
		return out
	}
	return nil
}
