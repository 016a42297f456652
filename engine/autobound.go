package engine

import (
	"cmp"
	"fmt"
	"time"
)

// Native is bounded like DuckDB is: by what is known of DuckDB where that is
// known, by what native itself was thought to take where it is not. What was
// stopped is remembered with its time, and is tried again only with much more.

const (
	// overrunTimes is how many times what native is thought to take it is given.
	overrunTimes = 3.0
	// measuredTimes is the same of what it has been measured to take, where DuckDB's time
	// is known; at most a try more than that.
	measuredTimes = 2.0
	// nativeMin is the least that it is given over large tables, where estimates below
	// that mean little.
	nativeMin = 50 * time.Millisecond
	// tryPart is the part of DuckDB's time that a try of native may cost, and tryFree what
	// it may cost in any case: a quick statement's try has to load as well. Binding before
	// and stopping take some milliseconds more.
	tryPart = 0.4
	tryFree = 3 * time.Millisecond
	// againTimes is how many times longer than the last try the next one must be, unless
	// so much time has been spent on DuckDB that it does not count (lostTimes).
	againTimes = 2.0
	// raceBelow is DuckDB's time up to which a try of native begins beside it: there binding
	// before and stopping are more than what the bound leaves for them. Of what takes longer, a
	// try before costs less: beside native's loads, which are DuckDB's too, it took up to twice
	// as long.
	raceBelow = 20 * time.Millisecond
	// racePart is the part of DuckDB's time that such a try has: where DuckDB has a third of
	// the cores meanwhile, it takes half as long again.
	racePart = 0.75
)

// try is how long a try of native may take.
func (h *history) try() time.Duration { return time.Duration(tryPart*h.duck) + tryFree }

// native is what native takes with what it has, and whether it was stopped then.
func (h *history) native() (ns float64, more bool) {
	if h.bought && h.warm > 0 {
		return h.warm, h.warmMore
	}
	return h.cold, h.coldMore && !h.bought
}

// chooseStopped decides where native was stopped; ok is false where it was not.
// DuckDB is not bounded then: native is no better.
func (h *history) chooseStopped() (c choice, ok bool) {
	ns, more := h.native()
	if !more {
		return c, false
	}
	c = choice{duck: true, native: ns, other: h.duck, loading: !h.bought, because: "the tensor engine was stopped after " + milliseconds(time.Duration(ns))}
	switch try := h.try(); {
	case !h.raceLost && float64(try) >= againTimes*ns:
		c.duck, c.patience = false, try
		c.because = "the tensor engine is tried for longer than before"
	case float64(try) >= ns && h.spent >= lostTimes*ns:
		c.duck, c.patience = false, try
		c.because = "the tensor engine is tried again, with what it has loaded before"
	}
	return c, true
}

// raced has a try of native begin beside DuckDB, whose time is known and short, in place of
// before it: then DuckDB takes half as long again at most, and nothing is added to that. What
// may take longer than DuckDB, because that pays later, is not tried so: it would always lose.
func (h *history) raced(c choice) choice {
	measured, more := h.native()
	if c.duck || h.bought || h.duckUnknown() || h.duck > float64(raceBelow) || measured > 0 && !more || float64(c.patience) > max(float64(h.try()), h.duck/tryTimes) {
		return c
	}
	c.duck, c.beside, c.patience, c.limit = true, true, 0, time.Duration(racePart*h.duck)
	c.because = cmp.Or(c.because, "the tensor engine is tried beside DuckDB")
	return c
}

// noteRace keeps that native has lost to DuckDB beside it, and how long it takes at least.
func (h *history) noteRace(ns float64) {
	h.noteStopped(ns)
	h.raceLost = true
}

// bounded gives native its bound, where it has none.
func (h *history) bounded(c choice) choice {
	if c.duck || c.patience != 0 {
		return c
	}
	measured, _ := h.native()
	switch {
	case h.duckUnknown():
		c.patience = max(nativeMin, time.Duration(overrunTimes*c.native))
	case c.native == measured:
		c.patience = max(h.try(), min(time.Duration(measuredTimes*c.native), time.Duration(c.native)+h.try()))
	case h.bought: // loading has ended before
		c.patience = max(h.try(), time.Duration(c.native))
	default:
		c.patience = h.try()
	}
	return c
}

// chooseSmall decides over small tables, where nothing is estimated. A time first says that
// tensors begin, and have it, while DuckDB's time is not known, but for a recursion.
func (h *history) chooseSmall(first time.Duration, recursive bool) choice {
	switch ns, more := h.native(); {
	case first == 0 || recursive && ns == 0 || more:
	case ns == 0:
		return choice{patience: first, other: h.duck, loading: true, because: fewReason}
	case h.duckUnknown():
		return choice{patience: max(first, time.Duration(overrunTimes*ns)), native: ns, loading: !h.bought}
	}
	c := choose(h, smallEstimate)
	switch {
	case !c.duck && first > 0:
		c.patience = max(first, c.patience)
	case c.duck && recursive && h.cold == 0:
		c.because = fewRowsReason
	case c.duck && h.cold == 0 && h.duckUnknown():
		c.because = fewReason
	}
	return c
}

// Reasons over small tables, where nothing is known but perhaps DuckDB's time.
const (
	fewRowsReason = "recursion over few rows"
	fewReason     = "nothing is known of the statement yet, and its tables are small"
)

// reason is why who answers was chosen. DuckDB may do so although native is estimated to be
// faster: estimates are seldom right the first time, and loading is not always paid back.
func (c choice) reason() string {
	if c.because != "" {
		return c.because
	}
	loading := ""
	if c.loading {
		loading = " with loading"
	}
	native := milliseconds(time.Duration(c.native)) + loading
	switch {
	case !c.duck && c.other == 0:
		return fmt.Sprintf("the tensor engine took %s when it was asked last", native)
	case !c.duck && c.native <= c.other:
		return fmt.Sprintf("the tensor engine is expected to be faster (native %s, DuckDB %s)", native, milliseconds(time.Duration(c.other)))
	case !c.duck:
		return fmt.Sprintf("the tensor engine is expected to pay later (native %s, DuckDB %s)", native, milliseconds(time.Duration(c.other)))
	}
	why := "DuckDB is estimated to be faster"
	if c.native < c.other {
		why = "the tensor engine is not known to be much faster"
	}
	return fmt.Sprintf("%s (native %s, DuckDB %s)", why, native, milliseconds(time.Duration(c.other)))
}
