package engine

import (
	"slices"
	"time"
)

// Under auto a statement over large tables goes where it is expected to be
// answered sooner. What decides is, in this order: what this statement took on
// either side when it was executed before, and what both are estimated to take.
// Nothing is estimated over small tables: all of them are thought to take as long as
// most do (smallEstimate).
//
// A statement without a history begins on DuckDB, because loading nearly always
// costs more than one execution there. When it has run for patienceTimes of what native
// is estimated to take, native begins beside it with half of the threads, and who has the
// first row answers: DuckDB takes at most half as long again, native three times as long,
// whatever the estimates were. What cannot run beside DuckDB, because both need the
// session's connection, takes its place.
//
// Native is warm when the statement has been answered natively on the same
// versions of its tables, so that tensors, statistics and plans are there.

// The constants were chosen by replaying the rule over the times that trireme bench
// coverage --split tune --backends native measured; explodeTimes says what of. Measured
// with them (bench coverage --backends auto, idle, two cores), no statement of the corpus
// over large tables takes more than 1.2 times DuckDB's time and 2 ms, cold or warm: of
// 439 those that did in a run with three executions each did not in one with seven, but
// for four over tables of less than smallRows.
const (
	// smallRows is the number of rows of all tables of a statement up to which
	// nothing is estimated. Loading takes some milliseconds there. Up to ten times as many
	// it was the whole of most statements' time: of 180 statements of dashboards 14
	// over such tables took over 1.2 times DuckDB's time and 2 ms when cold.
	smallRows = 10_000
	// switchTimes is how many times faster the other side must have been measured
	// to be taken: less is noise.
	switchTimes = 1.1
	// tryTimes is how many times faster the other side must be estimated to be
	// where it has never been measured, because estimates are off by that much.
	tryTimes = 2.0
	// exploreTimes is how many times native's measured time DuckDB may be estimated
	// to take and yet be tried: estimates of joins are off by up to that much.
	exploreTimes = 100.0
	// loadTimes is how many times its estimate loading takes at most, nearly always.
	loadTimes = 1.6
	// explodeTimes is how many times native's estimate DuckDB's must be for it to be
	// given no more than native's. DuckDB's estimates of joins are up to 1e5 times too
	// high: with a fifth of native's time 8 of 204 replayed first executions were over the
	// bound, with all of it 4 (68 statements, on machines 0.7, 1 and 1.5 times as slow).
	explodeTimes = 4.0
	// brieflyTimes is the same as patienceTimes where DuckDB's joins seem to explode. While
	// native loads, DuckDB may take twice as long beside it: with 2 the whole is below 1.5
	// times DuckDB's time if native's estimate is right, with 1 it was 1.7 times 62 ms.
	brieflyTimes = 2.0
	// lostTimes is how many times native's estimate DuckDB must have spent on a statement
	// for native to be tried whatever was estimated. The try ends at loadTimes of the
	// estimate, so that it costs a tenth of what was spent. Where execution takes
	// little beside planning, on tables of 1e4 to 1e5 rows, estimates are of no use:
	// they say 5 ms for native where it takes 0.3 and DuckDB 3.
	lostTimes = 16.0
	// patienceTimes is how many times native's estimate DuckDB may take before native
	// begins beside it, or in its place.
	patienceTimes = 6.0
	// patienceMin is the least time that DuckDB is given where it is expected to be
	// faster, patienceLeast where that is only tried.
	patienceMin   = estimateAfter
	patienceLeast = 5 * time.Millisecond
	// buyTimes is how many times native's time with loading DuckDB must have spent on a
	// statement before native loads because that pays later: the execution that loads
	// then takes about as long as DuckDB would when it is the third.
	buyTimes = 4.0
	// estimateAfter is how long DuckDB runs before a new statement is bound and anything
	// is estimated: most statements have ended by then, and both take some milliseconds
	// of a thread that DuckDB wants.
	estimateAfter = 25 * time.Millisecond
)

// estimate is what the two sides are thought to take, in nanoseconds: DuckDB;
// making what native needs; native when it is there, where rows are looked up and
// where it has to visit every row of DuckDB's joins.
type estimate struct{ duck, load, work, most float64 }

// scaled is an estimate on a machine that is so many times slower than the one
// that the constants were measured on.
func (e estimate) scaled(duck, native float64) estimate {
	return estimate{duck: e.duck * duck, load: e.load * native, work: e.work * native, most: e.most * native}
}

// cold is what native is thought to take with loading.
func (e estimate) cold() float64 { return e.load + e.most }

// smallEstimate is what a statement over small tables is thought to take: where nothing is
// there, some 3 ms are spent on statistics, tensors and plans, whatever it does.
var smallEstimate = estimate{duck: 2e6, load: 2.5e6, work: 0.3e6, most: 0.5e6}

// explodes reports whether DuckDB's joins are expected to have so many rows that
// native is faster even if it loads first.
func (e estimate) explodes() bool { return e.duck >= explodeTimes*e.cold() }

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
	// coldMore and warmMore: native was stopped after that time.
	coldMore, warmMore bool
	// raceLost: native was stopped when DuckDB beside it had answered, and has not answered since.
	raceLost bool
	// spent is DuckDB's time since the tables have last changed, or native was last stopped.
	spent float64
	// bought: native has answered since then.
	bought bool
}

// choice is who answers.
type choice struct {
	duck bool
	// patience bounds the time to the first row of who answers; 0: it is not bounded.
	patience time.Duration
	// briefly: DuckDB is tried, native is expected to answer.
	briefly bool
	// beside: native begins beside DuckDB at once.
	beside bool
	// limit is how long native runs beside DuckDB; 0: until one of them has answered.
	limit time.Duration
	// native and other are the times that were compared; loading: native's has the
	// making of tensors in it.
	native, other float64
	loading       bool
	// because is the reason where the times are not.
	because string
}

// choose decides a statement over large tables from its history and estimates.
func choose(h *history, e estimate) choice {
	c, stopped := h.chooseStopped()
	switch {
	case stopped:
		return c
	case h.bought:
		c = h.chooseWarm(e)
	default:
		c = h.chooseCold(e)
	}
	return h.bounded(c)
}

// chooseWarm decides where native has what it needs. The first time it is native,
// because that was paid for, unless loading is not what it took long for.
func (h *history) chooseWarm(e estimate) choice {
	switch {
	case h.warm == 0 && !h.duckUnknown() && h.duck*switchTimes < h.executing(e):
		return choice{duck: true, patience: patience(h.executing(e)), native: h.executing(e), other: h.duck}
	case h.warm == 0:
		return choice{native: max(e.work, h.executing(e)), other: e.duck}
	case h.duckUnknown():
		return h.tryDuck(h.warm, e, false)
	}
	c := choice{native: h.warm, other: h.duck, duck: h.duck*switchTimes < h.warm}
	if c.duck {
		c.patience = patience(c.native)
	}
	return c
}

// chooseCold decides where native has to load. Loading may pay later where it
// does not pay now: once DuckDB has taken as long as loading would, native loads
// if it is then clearly faster, and once in any case when DuckDB has taken many
// times as long.
func (h *history) chooseCold(e estimate) choice {
	switch {
	case h.cold > 0 && h.duckUnknown():
		return h.tryDuck(h.cold, e, true)
	case h.duckUnknown():
		return h.chooseFirst(e)
	}
	c := choice{native: h.cold, other: h.duck, loading: true}
	times := switchTimes
	if h.cold == 0 {
		c.native = e.cold()
		times = 1 / tryTimes
	}
	switch {
	case c.native <= c.other*times:
		return c
	case h.spent >= buyTimes*c.native && h.paysWarm(e, c.other) || h.cold == 0 && h.spent >= lostTimes*c.native:
		return h.buy(c)
	}
	c.duck, c.patience = true, patience(c.native)
	return c
}

// buy has native load because that pays later: for as long as a try may take, or where that
// is not enough for about as long as it is estimated to take.
func (h *history) buy(c choice) choice {
	c.patience = h.try()
	if c.native > float64(c.patience) {
		c.patience = time.Duration(loadTimes * c.native)
	}
	return c
}

// chooseFirst decides where nothing is known but estimates, and perhaps that DuckDB
// takes longer than h.duck.
func (h *history) chooseFirst(e estimate) choice {
	c := choice{duck: true, native: e.cold(), other: e.duck, loading: true, briefly: e.explodes()}
	if c.briefly {
		c.patience = max(estimateAfter, time.Duration(brieflyTimes*c.native))
	} else {
		c.patience = patience(c.native)
	}
	if h.duckMore && h.duck >= float64(c.patience) { // it had its time
		c.duck, c.briefly, c.patience = false, false, 0
	}
	return c
}

// duckUnknown reports whether it is not known how long DuckDB takes, but perhaps
// that it takes longer than h.duck.
func (h *history) duckUnknown() bool { return h.duck == 0 || h.duckMore }

// tryDuck decides where native has been measured and DuckDB never has to its end:
// it is tried for as long as native would take, unless it took longer before.
func (h *history) tryDuck(native float64, e estimate, loading bool) choice {
	c := choice{native: native, other: max(e.duck, h.duck), loading: loading}
	if h.duck < native && e.duck <= exploreTimes*native {
		c.duck, c.briefly, c.patience = true, true, max(patienceLeast, time.Duration(native))
	}
	return c
}

// paysWarm reports whether native is faster than DuckDB once it has loaded.
func (h *history) paysWarm(e estimate, duck float64) bool {
	if h.warm > 0 {
		return h.warm*switchTimes <= duck
	}
	return max(e.most, h.executing(e))*tryTimes <= duck
}

// executing is what native's execution took at least when it loaded as well, whose
// estimate is seldom off by more than loadTimes; 0: not known.
func (h *history) executing(e estimate) float64 { return max(0, h.cold-loadTimes*e.load) }

func patience(native float64) time.Duration {
	return max(patienceMin, time.Duration(patienceTimes*native))
}

// newVersions says that the tables have changed since.
func (h *history) newVersions() { h.spent, h.bought = 0, false }

// noteDuck keeps DuckDB's time; more: it was cancelled then.
func (h *history) noteDuck(ns float64, more bool) {
	h.spent += ns
	switch {
	case more && !h.duckMore && ns < h.duck: // it takes longer than that, as was known
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
	more := &h.coldMore
	if h.bought {
		of, more = &h.warm, &h.warmMore
	}
	if *of == 0 || *more {
		*of = ns
	} else {
		*of = smooth(*of, ns)
	}
	h.bought, *more, h.raceLost = true, false, false
}

// noteStopped keeps a time that native takes at least. Where it has ended before, it
// only counts like one that it took: the machine may have been busy.
func (h *history) noteStopped(ns float64) {
	h.spent = 0
	of, more := &h.cold, &h.coldMore
	if h.bought {
		of, more = &h.warm, &h.warmMore
	}
	if *of > 0 && !*more {
		*of = max(*of, smooth(*of, ns))
		return
	}
	*of, *more = max(*of, ns), true
}

// smooth moves half of the way to what was measured last.
func smooth(old, ns float64) float64 { return (old + ns) / 2 }
