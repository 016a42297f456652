package einsum

// unknownDomain marks an index whose domain no access has told yet.
const unknownDomain = -1

// scope is what the parser knows of the indices of one query. A name has one
// domain in a query.
type scope struct {
	domain map[string]int
	seen   map[string]int // byte offset of the first occurrence
}

func newScope() scope {
	return scope{domain: map[string]int{}, seen: map[string]int{}}
}

func (s scope) see(name string, offset int) {
	if _, ok := s.seen[name]; !ok {
		s.seen[name] = offset
	}
}

// bind records that an access uses the index in a mode of that domain.
func (s scope) bind(p *parser, name string, domain int, at token) error {
	if d, ok := s.domain[name]; ok && d != domain {
		return p.errorf(at, "index %s ranges over domain %d and domain %d", nameString(name), d, domain)
	}
	s.domain[name] = domain
	return nil
}

// resolve gives the indices of a query the domains found in its accesses.
func (p *parser) resolve(q *Query) error {
	first := -1 // the first index in the text that has no domain
	for name, offset := range p.scope.seen {
		if _, ok := p.scope.domain[name]; !ok && (first < 0 || offset < first) {
			first = offset
		}
	}
	if first >= 0 {
		return syntaxError(p.text, first, "the index occurs in no access of query %s", nameString(q.Name))
	}
	fix := func(x Index) Index { return Index{Name: x.Name, Domain: p.scope.domain[x.Name]} }
	for i, x := range q.Idxs {
		q.Idxs[i] = fix(x)
	}
	for i := range q.Leaves {
		q.Leaves[i].Expr = MapIndices(q.Leaves[i].Expr, fix)
	}
	return nil
}
