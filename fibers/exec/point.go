package exec

import "github.com/trireme-db/trireme/einsum/format"

// point returns the loop for an index that a pinpoint level of a required operand
// determines; nil where there is none. There is nothing to iterate: the one
// coordinate is asked for in the other terms, without what a loop does to start.
func (l *loop) point() func(*env) {
	if len(l.optional) > 0 || l.split || len(l.windows.except) > 0 {
		return nil
	}
	var lead *term
	for _, t := range l.terms {
		switch {
		case t.runs != nil:
			return nil
		case t.kind == format.Pinpoint && lead == nil:
			lead = t
		}
	}
	if lead == nil {
		return nil
	}
	return func(e *env) {
		p := e.pos[lead.parent]
		c := lead.idx[p]
		l.bounds(e)
		if c < l.lo || c >= l.hi || !e.burn(1) {
			return // an empty fiber has a coordinate below all
		}
		for _, t := range l.terms {
			if t != lead {
				t.open(e)
				t.follow(e, 1)
			}
		}
		e.ix[l.d], e.pos[lead.slot] = c, p
		if l.admit(e, lead, c) {
			for _, k := range l.lacks {
				e.pos[k.slot] = k.lookup(e, c)
			}
			l.body(e)
		}
	}
}
