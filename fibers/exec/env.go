package exec

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/trireme-db/trireme/fibers"
)

// gasUnits is how much work is done between two looks at the context and the budget: about
// 100 microseconds of the cheapest cells, and of others as many as take as long
// (stats.EvaluationNs).
const gasUnits = 100_000

// errStopped ends a worker because another one failed, errLong a traversal that
// turns out to be worth cutting into morsels. Neither leaves the package.
var (
	errStopped = errors.New("another worker failed")
	errLong    = errors.New("the step is longer than expected")
)

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
	tank   int64          // work between two checks
	err    error          // why the traversal stops
	spent  int64          // work done up to the last check
	limit  int64          // of spent, from which errLong stops the traversal; 0: none
	stop   *atomic.Bool   // another worker failed; nil: there is none
	meter  *meter         // of all workers of the step
	pool   *Pool          // of the statement; nil: there is none
	held   int64          // bytes of this worker's workspaces
	morsel morsel         // the part of the iteration space to run
	cut    int            // its depth; 0: everything
}

// burn accounts for n units of work and reports whether to go on. It is small
// enough to be inlined.
func (e *env) burn(n int) bool {
	e.gas -= int64(n)
	return e.gas >= 0 || e.refuel()
}

func (e *env) refuel() bool {
	e.spent += e.tank - e.gas
	e.gas = e.tank
	switch {
	case e.err != nil:
	case e.stop != nil && e.stop.Load():
		e.err = errStopped
	case e.limit > 0 && e.spent >= e.limit:
		e.err = errLong
	default:
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

// hold accounts for bytes of workspaces allocated (negative: released) and
// reports whether the budget allows them.
func (e *env) hold(bytes int64) bool {
	e.held += bytes
	return e.store(bytes)
}

// store is hold for bytes of output, which outlive the worker.
func (e *env) store(bytes int64) bool {
	if !e.meter.hold(bytes) && e.err == nil {
		e.err = ErrBudget
	}
	return e.err == nil
}

// dismiss releases the workspaces: nobody uses them again.
func (e *env) dismiss() {
	e.meter.hold(-e.held)
	e.held = 0
}

// meter takes account of the bytes that the workers of a step hold together.
type meter struct {
	budget int64   // 0: none
	shared Account // beside the budget; nil: none
	bytes  atomic.Int64
	peak   atomic.Int64
}

// hold adds bytes (negative: released) and reports whether they are allowed.
func (m *meter) hold(bytes int64) bool {
	held := m.bytes.Add(bytes)
	for peak := m.peak.Load(); held > peak && !m.peak.CompareAndSwap(peak, held); peak = m.peak.Load() {
	}
	allowed := m.shared == nil || m.shared.Hold(bytes)
	return bytes <= 0 || allowed && (m.budget == 0 || held <= m.budget)
}

// release gives back all that is held: the traversal begins again.
func (m *meter) release() {
	m.hold(-m.bytes.Load())
	m.peak.Store(0)
}
