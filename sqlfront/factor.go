package sqlfront

// factored takes what all parts of a disjunction have in common out of it:
// (a AND x) OR (a AND y) is a AND (x OR y), with three truth values as well, so that
// an equality among them joins. rest is nil where some part has nothing else: a OR (a AND y)
// is a. Without anything in common, common is empty and rest the disjunction.
func factored(e *Call) (common []Expr, rest Expr) {
	parts := partsOf("or", e, nil)
	conjuncts := make([][]Expr, len(parts))
	shared := map[string]int{} // in how many of the parts so far
	for i, part := range parts {
		conjuncts[i] = partsOf("and", part, nil)
		for _, c := range conjuncts[i] {
			if key := exprKey(c); shared[key] == i && !holdsSubquery(c) {
				shared[key] = i + 1
			}
		}
	}
	isCommon := func(c Expr) bool { return shared[exprKey(c)] == len(parts) }
	taken := map[string]bool{}
	for _, c := range conjuncts[0] {
		if key := exprKey(c); isCommon(c) && !taken[key] {
			taken[key] = true
			common = append(common, c)
		}
	}
	if len(common) == 0 {
		return nil, e
	}
	for _, part := range conjuncts {
		var left Expr
		for _, c := range part {
			if !isCommon(c) {
				left = joined("and", left, c)
			}
		}
		if left == nil {
			return common, nil
		}
		rest = joined("or", rest, left)
	}
	return common, rest
}

// partsOf appends the operands of nested calls of an associative operator.
func partsOf(op string, e Expr, list []Expr) []Expr {
	c, ok := e.(*Call)
	if !ok || c.Name != op {
		return append(list, e)
	}
	for _, arg := range c.Args {
		list = partsOf(op, arg, list)
	}
	return list
}

func holdsSubquery(e Expr) bool {
	found := false
	WalkExpr(e, func(e Expr) {
		_, ok := e.(*Subquery)
		found = found || ok
	})
	return found
}
