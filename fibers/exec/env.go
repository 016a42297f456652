package exec

import (
	"context"

	"github.com/trireme-db/trireme/fibers"
)

// gasUnits is how much work is done between two looks at the context and the
// budget: about 100 microseconds of the cheapest work.
const gasUnits = 100_000

// env is the state of one worker: sized when the plan is bound, not allocated
// per iteration.
type env struct {
	ctx    context.Context
	ix     []fibers.Coord // per loop, its coordinate
	pos    []int32        // per position slot (nest.slots); -1: absent
	over   []bool         // per leaf: a 64-bit value did not fit
	skip   bool           // the expression evaluated to the aggregate's identity by a guard
	cells  int64          // cells visited
	cell   bool           // some cell was visited since the sink's group began
	gas    int64          // work left before the next check
	err    error          // why the traversal stops
	budget int64          // bytes, 0: none
	bytes  int64          // workspaces and output held
	peak   int64
	shared Account // beside the budget; nil: none
	piece  piece   // the part of the iteration space to run
	cut    int     // its depth; 0: everything
}

// burn accounts for n units of work and reports whether to go on. It is small
// enough to be inlined.
func (e *env) burn(n int) bool {
	e.gas -= int64(n)
	return e.gas >= 0 || e.refuel()
}

func (e *env) refuel() bool {
	e.gas = gasUnits
	if e.err == nil {
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

// hold accounts for bytes allocated (negative: released) and reports whether
// the budget allows them.
func (e *env) hold(bytes int64) bool {
	e.bytes += bytes
	e.peak = max(e.peak, e.bytes)
	refused := e.shared != nil && !e.shared.Hold(bytes)
	if (refused || e.budget > 0 && e.bytes > e.budget) && e.err == nil {
		e.err = ErrBudget
	}
	return e.err == nil
}
