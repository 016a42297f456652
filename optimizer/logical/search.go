package logical

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Search is how the order of elimination is searched for.
type Search uint8

// Searches. Auto is exact while few indices are reduced, else it keeps a number
// of best states (a beam); where even a greedy plan takes less time than to search
// on, it takes that.
const (
	Auto Search = iota
	Greedy
	Exact
)

// String returns the name of a search.
func (s Search) String() string { return [...]string{"auto", "greedy", "exact"}[s] }

const (
	// exactIndices is the number of reduced indices up to which Auto is exact.
	exactIndices = 9
	// beamWidth is the number of states that Auto keeps, per number of indices
	// that are gone, when there are more.
	beamWidth = 12
	// defaultBudget bounds a query's search, in kernels' operands times indices
	// and transitions: about 20 ms.
	defaultBudget = 150_000
	// better is the share of a cost that another must stay below to be taken: less
	// is rounding, and the first found stays.
	better = 1 - 1e-9
	// alwaysIndices is the number of indices up to which searching takes so little
	// time that Auto always does. From there on it takes about searchCost, in cells
	// at 5.5 ns each, times searchGrowth to the number of indices: 0.1 ms for six,
	// 0.8 ms for eight (measured on the 144 labelled patterns of the subgraph suite,
	// where three in four plans found greedily take less).
	alwaysIndices, searchCost, searchGrowth = 5, 23, 3
	// exactBudget is by how much more Exact may work when asked for.
	exactBudget = 50
)

// state is a set of live nodes on the way from the query's atoms to its result.
type state struct {
	nodes []*node
	left  uint64 // indices still to eliminate
	cost  float64
	done  []label // classes of steps computed that may come again, ascending
	sleep uint64  // indices whose turn is explored in another order
	from  *state
	via   *kernel
	key   uint64
}

// move is a transition that is not priced yet.
type move struct {
	from  *state
	via   *kernel
	label label // noLabel when the step cannot repeat
	free  bool  // the step is computed already
	sleep uint64
	least float64 // cost at least
}

// search finds the kernels that eliminate all indices of a component.
type search struct {
	*structure
	all     uint64 // base atoms of the query
	smaller [maxBits]uint64
	count   int // indices to eliminate
	width   int // states kept per number of gone indices; 0: all
	sleeps  bool
	limit   int     // of work
	bound   float64 // cost of the best complete state
	best    *state
}

// order returns the kernels that eliminate the query's indices, in order.
func (st *structure) order(kind Search, budget int) []*kernel {
	if budget == 0 {
		budget = defaultBudget
	}
	comps := st.components()
	// Those with free indices come last: the last step may be the query's own.
	slices.SortStableFunc(comps, func(a, b uint64) int {
		return st.freeIn(a) - st.freeIn(b)
	})
	var all uint64
	for _, c := range comps {
		all |= c
	}
	var out []*kernel
	var done []label
	for _, c := range comps {
		s := st.component(c, done)
		if s.left == 0 {
			continue
		}
		best := st.find(s, all, kind, budget)
		done = best.done
		out = append(out, best.kernels()...)
	}
	return out
}

func (st *structure) freeIn(base uint64) int {
	if st.indices(base)&^st.reduced != 0 {
		return 1
	}
	return 0
}

// component is the state in which nothing is eliminated.
func (st *structure) component(base uint64, done []label) *state {
	s := &state{done: done, left: st.indices(base) & st.reduced}
	for _, n := range st.base {
		if n.base&base != 0 {
			s.nodes = append(s.nodes, n)
		}
	}
	return s
}

// find searches a component; greedily at least, so that there is always a plan.
func (st *structure) find(from *state, all uint64, kind Search, budget int) *state {
	s := &search{
		structure: st, all: all, smaller: st.interchangeable(), count: bits.OnesCount64(from.left),
		bound: math.Inf(1), width: 1, limit: math.MaxInt,
	}
	s.run(from)
	s.shorten()
	if kind == Greedy || kind == Auto && !s.pays() {
		return s.best
	}
	s.limit = st.work + budget
	if kind == Exact {
		s.limit = st.work + budget*exactBudget
	}
	if s.width = beamWidth; kind == Exact || s.count <= exactIndices {
		s.width, s.sleeps = 0, !st.unbound
	}
	s.run(from)
	s.shorten()
	return s.best
}

// pays reports whether a further search may save more time than it takes: at most
// all that the plan found so far takes.
func (s *search) pays() bool {
	return s.count <= alwaysIndices || s.bound > searchCost*math.Pow(searchGrowth, float64(min(s.count, exactIndices)))
}

// run takes states by the number of indices that are gone: every move takes at
// least one, so that all ways to a state are known when its turn comes. It stops
// when the work is used up; the best complete state stays.
func (s *search) run(from *state) {
	moves := make([][]move, s.count+1)
	states := []*state{from}
	for gone := 0; ; gone++ {
		for _, from := range states {
			s.expand(from, moves)
		}
		if gone == s.count || s.work > s.limit {
			return
		}
		states = s.reach(moves[gone+1], gone+1)
		moves[gone+1] = nil
	}
}

// shorten tries, from every state on the way to the best one, the step that takes
// all that is left there.
func (s *search) shorten() {
	for x := s.best.from; x != nil; x = x.from {
		k := s.whole(x.nodes, x.left)
		if x.cost+k.least >= s.bound*better {
			continue
		}
		if next := s.step(&move{from: x, via: k, label: noLabel}); next != nil {
			s.finish(next)
		}
	}
}

// expand lists the moves out of a state: for each index its kernel, that kernel
// with what restricts it, and the step that takes all that is left, so that no
// plan is dearer than one kernel. A beam has the last one from its first state
// only, and at the end (shorten), since kernels of many indices take long to price.
func (s *search) expand(from *state, moves [][]move) {
	var explored [maxBits]*kernel
	var seen [4 * maxBits]*kernel
	distinct := 0
	fresh := func(k *kernel) bool {
		if slices.Contains(seen[:distinct], k) {
			return false
		}
		if distinct < len(seen) {
			seen[distinct] = k
			distinct++
		}
		return true
	}
	for v := from.left; v != 0; v &= v - 1 {
		x := bits.TrailingZeros64(v)
		if s.smaller[x]&from.left != 0 {
			continue
		}
		s.work++
		k := s.kernelFor(from.nodes, from.left, 1<<x, false)
		sleeping := s.sleeps && from.sleep>>x&1 == 1
		if !sleeping && fresh(k) {
			s.move(from, k, s.asleep(from, k, &explored), moves)
		}
		explored[x] = k
		if s.repeats || len(s.share.steps) > 0 {
			s.bare(from, k, 1<<x, moves)
		}
		for k = s.widened(from.nodes, from.left, k); k != nil && fresh(k); k = s.widened(from.nodes, from.left, k) {
			s.move(from, k, 0, moves)
		}
	}
	if s.width == 0 || from.via == nil {
		if k := s.whole(from.nodes, from.left); fresh(k) {
			s.move(from, k, 0, moves)
		}
	}
}

// bare adds the move that takes a step which is computed already as it is,
// without what it would cover: sum(a,b,c,d) of a cycle of four reads the paths
// of two edges twice instead of joining them with the other two edges.
func (s *search) bare(from *state, full *kernel, v uint64, moves [][]move) {
	k := s.kernelFor(from.nodes, from.left, v, true)
	if k != full && s.mayRepeat(k.base) && s.isFree(from, k) {
		s.move(from, k, 0, moves)
	}
}

// isFree reports whether a step is computed already. The query's own step is its
// result, which must exist even so.
func (s *search) isFree(from *state, k *kernel) bool {
	if s.result && k.base == s.all {
		return false
	}
	l := s.labelOf(k)
	if k.free {
		return true
	}
	_, ok := slices.BinarySearch(from.done, l)
	return ok
}

// move adds a move unless it costs too much already.
func (s *search) move(from *state, k *kernel, sleep uint64, moves [][]move) {
	m := move{from: from, via: k, label: noLabel, sleep: sleep, least: from.cost}
	if s.mayRepeat(k.base) {
		m.free = s.isFree(from, k)
		m.label = k.label
	}
	switch {
	case m.free:
	case k.price >= 0:
		m.least += k.price
	case s.perturb == nil:
		m.least += k.least
	}
	if m.least >= s.bound*better {
		return
	}
	gone := s.count - bits.OnesCount64(from.left&^k.gone)
	moves[gone] = append(moves[gone], m)
}

// asleep returns the indices that need not be eliminated right after kernel k:
// those whose kernel has been explored in the same state and commutes with it.
// Eliminating that one first and k second leads to the same state at the same
// cost.
func (s *search) asleep(from *state, k *kernel, explored *[maxBits]*kernel) uint64 {
	if !s.sleeps {
		return 0
	}
	var sleep uint64
	for v := from.left &^ k.gone; v != 0; v &= v - 1 {
		x := bits.TrailingZeros64(v)
		if other := explored[x]; other != nil && commute(k, other) {
			sleep |= 1 << x
		}
	}
	return sleep
}

// commute reports whether two kernels of a state stay as they are when the other
// one is applied: they share no node, and neither result is covered by the other
// kernel.
func commute(a, b *kernel) bool {
	return a.base&b.base == 0 && (a.set&^a.gone)&^b.set != 0 && (b.set&^b.gone)&^a.set != 0
}

// reach prices moves to states with the same number of gone indices, the
// cheapest bound first, and returns the states; of several ways to one state the
// cheapest.
func (s *search) reach(moves []move, gone int) []*state {
	slices.SortStableFunc(moves, func(a, b move) int { return rounded(a.least, b.least) })
	known := map[uint64]*state{}
	var states []*state
	for i := range moves {
		m := &moves[i]
		if m.least >= s.bound*better || s.work > s.limit || s.width > 0 && s.full(states, m.least) {
			break
		}
		next := s.step(m)
		if next == nil || next.cost >= s.bound*better {
			continue
		}
		if gone == s.count {
			s.finish(next)
			continue
		}
		if have, ok := known[next.key]; ok {
			sleep := have.sleep & next.sleep
			if next.cost < have.cost*better {
				*have = *next
			}
			have.sleep = sleep
			continue
		}
		known[next.key] = next
		states = append(states, next)
	}
	return s.keep(states)
}

// rounded compares costs up to rounding.
func rounded(a, b float64) int { return cmp.Compare(float32(math.Log(a)), float32(math.Log(b))) }

// full reports whether as many states as are kept cost no more than the bound.
func (s *search) full(states []*state, least float64) bool {
	n := 0
	for _, x := range states {
		if x.cost <= least {
			n++
		}
	}
	return n >= s.width
}

// keep returns the cheapest states.
func (s *search) keep(states []*state) []*state {
	if s.width == 0 || len(states) <= s.width {
		return states
	}
	slices.SortStableFunc(states, func(a, b *state) int { return rounded(a.cost, b.cost) })
	return states[:s.width]
}

// finish takes a complete state into account.
func (s *search) finish(x *state) {
	if c := x.cost + s.rest(x.nodes); c < s.bound*better {
		s.bound, s.best = c, x
	}
}

// step prices a move and returns the state that it leads to; nil when it costs
// too much.
func (s *search) step(m *move) *state {
	cost := 0.0
	if !m.free {
		var ok bool
		if cost, ok = s.costBelow(m.via, s.bound*better-m.from.cost); !ok {
			return nil
		}
	}
	out := &state{cost: m.from.cost, left: m.from.left &^ m.via.gone, from: m.from, via: m.via, sleep: m.sleep, done: m.from.done}
	out.cost += cost
	out.nodes = s.replaced(m.from.nodes, m.via)
	for _, n := range out.nodes {
		out.key ^= n.hash
	}
	if m.label != noLabel {
		if at, ok := slices.BinarySearch(out.done, m.label); !ok {
			out.done = slices.Insert(slices.Clone(out.done), at, m.label)
		}
	}
	for _, l := range out.done {
		out.key ^= spread(^uint64(l))
	}
	return out
}

// kernels lists the steps that led to a state.
func (x *state) kernels() []*kernel {
	var out []*kernel
	for ; x.via != nil; x = x.from {
		out = append(out, x.via)
	}
	slices.Reverse(out)
	return out
}
