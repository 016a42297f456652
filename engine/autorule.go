package engine

import (
	"fmt"
	"slices"
	"time"
)

// Under auto a statement over large tables goes where it is expected to be
// answered sooner. What decides is, in this order: what this statement took on
// either side when it was executed before, and what both are estimated to take.
//
// Native is warm when the statement has been answered natively on the same
// versions of its tables, so that tensors, statistics and plans are there.

const (
	// smallRows is the number of rows of all tables of a statement up to which
	// nothing is estimated: native loads that many in less than the 2 ms or so that
	// would be gained.
	smallRows = 100_000
	// switchTimes is how many times faster the other side must have been measured
	// to be taken: less is noise.
	switchTimes = 1.1
	// tryTimes is how many times faster the other side must be estimated to be
	// where it has never been measured, because estimates are off by that much.
	tryTimes = 2.0
	// patienceTimes is how many times native's estimate DuckDB may take before it
	// is cancelled and native begins: more than a loaded machine and a wrong estimate
	// of lookups explain, so that DuckDB would go on for long.
	patienceTimes = 8.0
	// patienceMin is the least time that DuckDB is given where it is expected to be
	// faster, patienceLeast where that is only tried.
	patienceMin   = 300 * time.Millisecond
	patienceLeast = 20 * time.Millisecond
)

// estimate is what the two sides are thought to take, in nanoseconds: DuckDB, if
// values are skewed and if all are equally common; making what native needs;
// native when it is there.
type estimate struct{ duck, plain, load, work float64 }

// scaled is an estimate on a machine that is so many times slower than the one
// that the constants were measured on.
func (e estimate) scaled(duck, native float64) estimate {
	return estimate{duck: e.duck * duck, plain: e.plain * duck, load: e.load * native, work: e.work * native}
}

// pace is how many times longer statements took than was estimated: the machine
// and what else it does, and by how much estimates are off on these data.
type pace struct {
	ratios [paceSize]float64
	n      int
}

// paceSize is how many of the last statements count, paceMin how many are needed.
const (
	paceSize = 15
	paceMin  = 5
)

// add counts the first execution of a statement.
func (p *pace) add(took, estimated float64) {
	p.ratios[p.n%paceSize] = took / max(estimated, 1)
	p.n++
}

// known reports whether there are enough statements to tell.
func (p *pace) known() bool { return p.n >= paceMin }

// times is the median of the ratios, which one bad estimate does not move.
func (p *pace) times() float64 {
	last := slices.Clone(p.ratios[:min(p.n, paceSize)])
	slices.Sort(last)
	return last[len(last)/2]
}

// paces are how many times longer DuckDB and native take than estimated: the same
// for both while only one of them is known, 1 while none is.
func paces(duck, native *pace) (duckTimes, nativeTimes float64) {
	switch {
	case duck.known() && native.known():
		return duck.times(), native.times()
	case duck.known():
		return duck.times(), duck.times()
	case native.known():
		return native.times(), native.times()
	}
	return 1, 1
}

// history is what executions of a statement took, in nanoseconds; 0: not known.
type history struct {
	duck float64
	// duckMore: DuckDB was cancelled after that time.
	duckMore bool
	// cold are native executions that had to load, warm the others.
	cold, warm float64
	// spent is DuckDB's time since the tables have last changed.
	spent float64
	// bought: native has answered since then.
	bought bool
}

// choice is who answers.
type choice struct {
	duck bool
	// patience bounds the time to the first row of DuckDB, or of native where it is
	// tried because it may pay later; 0: it is not bounded.
	patience time.Duration
	// native and other are the times that were compared; loading: native's has the
	// making of tensors in it.
	native, other float64
	loading       bool
}

// choose decides a statement from its history and estimates.
func choose(h *history, e estimate) choice {
	if h.bought {
		return h.chooseWarm(e)
	}
	return h.chooseCold(e)
}

// chooseWarm decides where native has what it needs. The first time it is
// native, because that was paid for.
func (h *history) chooseWarm(e estimate) choice {
	c := choice{native: h.warm, other: h.duck}
	switch {
	case h.warm == 0:
		c.native, c.other = e.work, e.duck
	case h.duck > 0:
		c.duck = !h.duckMore && h.duck*switchTimes < h.warm
	default:
		return tryDuck(h.warm, e, false)
	}
	if c.duck {
		c.patience = patience(c.native)
	}
	return c
}

// chooseCold decides where native has to load. Loading may pay later where it
// does not pay now: once DuckDB has taken as long as loading would, native loads
// if it is then clearly faster.
func (h *history) chooseCold(e estimate) choice {
	if h.cold > 0 && h.duck == 0 {
		return tryDuck(h.cold, e, true)
	}
	c := choice{native: h.cold, other: h.duck, loading: true}
	if h.cold == 0 {
		c.native = e.load + e.work
	}
	if h.duck == 0 || h.duckMore {
		c.other = max(e.duck, h.duck)
	}
	times := 1.0
	if h.cold > 0 && h.duck > 0 && !h.duckMore {
		times = switchTimes
	}
	if c.native <= c.other*times {
		return c
	}
	if h.spent >= c.native && h.paysWarm(e, c.other) {
		c.patience = patience(c.native)
		return c
	}
	c.duck, c.patience = true, patience(c.native)
	return c
}

// tryDuck decides where native has been measured and DuckDB never has: DuckDB has
// a try where it should be clearly faster, as long as native would take.
func tryDuck(native float64, e estimate, loading bool) choice {
	c := choice{native: native, other: e.plain, loading: loading}
	if e.plain*tryTimes < native {
		c.duck, c.patience = true, max(patienceLeast, time.Duration(native))
	}
	return c
}

// paysWarm reports whether native is faster than DuckDB once it has loaded.
func (h *history) paysWarm(e estimate, duck float64) bool {
	if h.warm > 0 {
		return h.warm*switchTimes <= duck
	}
	return e.work*tryTimes <= duck
}

func patience(native float64) time.Duration {
	return max(patienceMin, time.Duration(patienceTimes*native))
}

// newVersions says that the tables have changed since.
func (h *history) newVersions() { h.spent, h.bought = 0, false }

// noteDuck keeps DuckDB's time; more: it was cancelled then.
func (h *history) noteDuck(ns float64, more bool) {
	h.spent += ns
	switch {
	case more:
		h.duck, h.duckMore = max(ns, h.duck), true
	case h.duckMore || h.duck == 0:
		h.duck, h.duckMore = ns, false
	default:
		h.duck = smooth(h.duck, ns)
	}
}

// noteNative keeps native's time.
func (h *history) noteNative(ns float64) {
	of := &h.cold
	if h.bought {
		of = &h.warm
	}
	if *of == 0 {
		*of = ns
	} else {
		*of = smooth(*of, ns)
	}
	h.bought = true
}

// noteStopped keeps a time that native takes at least.
func (h *history) noteStopped(ns float64) {
	if h.bought {
		h.warm = max(h.warm, ns)
	} else {
		h.cold = max(h.cold, ns)
	}
}

// smooth moves half of the way to what was measured last.
func smooth(old, ns float64) float64 { return (old + ns) / 2 }

// reason is why DuckDB answers.
func (c choice) reason() string {
	loading := ""
	if c.loading {
		loading = " with loading"
	}
	return fmt.Sprintf("DuckDB is estimated to be faster (native %s%s, DuckDB %s)",
		milliseconds(time.Duration(c.native)), loading, milliseconds(time.Duration(c.other)))
}
