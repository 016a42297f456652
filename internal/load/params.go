package load

// UsesParams reports whether SQL of ours (strings in ”, names in "") mentions
// a statement parameter $n.
func UsesParams(sql string) bool {
	for i := 0; i < len(sql); i++ {
		switch c := sql[i]; c {
		case '\'', '"':
			for i++; i < len(sql) && sql[i] != c; i++ {
			}
		case '$':
			return true
		}
	}
	return false
}

// UsesParams reports whether any expression of the load mentions a parameter.
func (s *Spec) UsesParams() bool {
	if UsesParams(s.Where) {
		return true
	}
	for _, k := range s.Keys {
		if UsesParams(k.Expr) {
			return true
		}
	}
	for _, l := range s.Leaves {
		if UsesParams(l.Expr) {
			return true
		}
	}
	return false
}
