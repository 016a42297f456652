package exec

import (
	"github.com/trireme-db/trireme/fibers"
)

// overRuns returns a loop that runs inner once for every run of the fibers that
// are stored by runs; of several, once for every run of the one and each run of
// the others that meets it. Inside, a run is a block. Runs ascend, and so do the
// coordinates (X3).
func (l *loop) overRuns(inner func(*env)) func(*env) {
	var terms []*term
	for _, t := range l.terms {
		if t.runs != nil {
			terms = append(terms, t)
		}
	}
	if len(terms) == 0 {
		return inner
	}
	var each func(e *env, n int, lo, hi fibers.Coord)
	each = func(e *env, n int, lo, hi fibers.Coord) {
		if n == len(terms) {
			inner(e)
			return
		}
		t := terms[n]
		p := e.pos[t.parent]
		end := t.ptr[p+1]
		for r := t.runs.Search(p, lo); r < end; r++ {
			first, past := t.runs.Bounds(p, r)
			if first >= hi || !e.burn(1) {
				return
			}
			t.run = r
			each(e, n+1, max(lo, first), min(hi, past))
			if e.err != nil {
				return
			}
		}
	}
	return func(e *env) {
		l.window(e)
		each(e, 0, l.lo, l.hi)
	}
}
