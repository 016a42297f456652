package exec

import (
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
)

// cutter divides the iteration space of a nest into morsels of about equal work.
// Work is estimated from stored entries, found in O(1) per range of positions:
// below a range of coordinates every loop runs as often as the shortest fiber
// there is long on average. A coordinate with more work than a morsel may have, a
// hub or a constant, is cut further in. Cuts depend on the step and its operands
// only, never on how many workers there are.
type cutter struct {
	binder *binder
	depth  int            // outermost loops that may be cut
	units  float64        // expected work of the step
	merge  float64        // entries that each morsel of a group leaves to be merged
	pos    []int32        // by position slot; unbound: not known yet
	prefix []fibers.Coord // coordinates of the loops outside the present one
	cuts   [][]fibers.Coord
}

// unbound is the position below which a cutter has not chosen a coordinate.
const unbound = math.MinInt32

// blocksPerPart is how many blocks a part is made of at least: the finer, the
// more equal the parts.
const blocksPerPart = 4

// mergePays is the least work of a morsel per entry that it leaves to be merged
// with others of its group (BenchmarkThreads, query=scattered).
const mergePays = 24

// cut returns the morsels of the step, about parts of them; one when it cannot be
// cut. depth is how many loops may be cut, group how many outermost loops bind the
// output's prefix, units the expected work, merge the entries that each morsel of a
// group hands on.
func (b *binder) cut(depth, group, parts int, units, merge float64) []morsel {
	c := &cutter{binder: b, depth: depth, units: units, merge: merge, pos: make([]int32, b.slots)}
	for s := range c.pos {
		c.pos[s] = unbound
	}
	for _, o := range b.operands {
		c.pos[o.slots[0]] = o.tensor.Root
		if o.tensor.NNZ == 0 {
			c.pos[o.slots[0]] = -1
		}
	}
	if depth > 0 {
		c.split(group, parts, 1)
	}
	var out []morsel
	var from []fibers.Coord
	for _, to := range c.cuts {
		out = append(out, morsel{from: from, to: to})
		from = to
	}
	return append(out, morsel{from: from})
}

// mergedEntries is how many entries a morsel of a group hands on.
func (b *binder) mergedEntries(s *sink) float64 {
	entries := 1.0
	if s.kind == format.None {
		return entries
	}
	for _, dim := range s.out.dims[s.modes:] {
		entries *= float64(dim)
	}
	if b.step.OutNNZ > 0 {
		entries = min(entries, b.step.OutNNZ)
	}
	return entries
}

// below narrows runs, how often inner loops run per coordinate, by the fibers of
// an operand from level l on below positions [lo,hi), which are nodes many. It
// returns the number of leaf entries.
func (c *cutter) below(o *operand, l int, lo, hi int32, nodes float64, runs []float64) float64 {
	for ; l < len(o.idx); l++ {
		var count int
		count, lo, hi = o.tensor.Below(l, lo, hi)
		loop := c.binder.loopOf[o.idx[l].Name]
		runs[loop] = min(runs[loop], float64(count)/max(nodes, 1))
		nodes = float64(count)
	}
	return nodes
}

// others is how often the loops inside loop d run per coordinate as far as the
// operands say that do not have the loop's index.
func (c *cutter) others(d int) []float64 {
	runs := make([]float64, len(c.binder.step.Loops))
	for i := range runs {
		runs[i] = math.Inf(1)
	}
	for n, o := range c.binder.operands {
		l := slices.IndexFunc(o.idx, func(ix einsum.Index) bool { return c.binder.loopOf[ix.Name] >= d })
		if !c.binder.required.has(n) || l < 0 || c.binder.loopOf[o.idx[l].Name] == d {
			continue
		}
		if pos := c.pos[o.slots[l]]; pos >= 0 {
			c.below(o, l, pos, pos+1, 1, runs)
		}
	}
	return runs
}

// fiberAt is the fiber of one operand's level at the loop that is cut.
type fiberAt struct {
	operand  *operand
	level    int
	required bool
	fibers.Fiber
}

// looked is what is known of the operands below a prefix: their fibers at the
// loop, and how often inner loops run by those without its index. runs is room for
// the same of a block.
type looked struct {
	fibers       []fiberAt
	others, runs []float64
}

// block is entries [from,to) of the fiber that leads the loop being cut.
type block struct {
	from, to int32
	work     float64
}

// split cuts the loop after the prefix into about parts parts; share is the part
// of the step's work that lies below the prefix. Where the loop is inside the
// output's group, parts are kept so large that merging them pays.
func (c *cutter) split(group, parts int, share float64) {
	d := len(c.prefix)
	if d >= group {
		parts = int(min(float64(parts), c.units*share/(mergePays*c.merge)))
	}
	if parts < 2 {
		return
	}
	levels := &looked{fibers: c.fibersAt(d), others: c.others(d), runs: make([]float64, len(c.binder.step.Loops))}
	lead, ok := c.leader(levels.fibers, d)
	if !ok {
		return
	}
	first, end := c.slice(&lead, d)
	if first >= end {
		return
	}
	blocks, total := c.blocks(levels, &lead, first, end, parts)
	target := total / float64(parts)
	collected := 0.0
	for i, blk := range blocks {
		heavy := blk.to-blk.from == 1 && blk.work >= 2*target && d+1 < c.depth
		if i > 0 && collected > 0 && (heavy || collected+blk.work/2 > target) {
			c.boundary(lead.Coord(blk.from))
			collected = 0
		}
		collected += blk.work
		if heavy && c.descend(levels, lead.Coord(blk.from), group, int(blk.work/target+0.5), share*blk.work/total) {
			collected = target // the next block begins a part
		}
	}
}

// boundary adds a cut before a coordinate of the present loop.
func (c *cutter) boundary(at fibers.Coord) {
	c.cuts = append(c.cuts, append(append([]fibers.Coord(nil), c.prefix...), at))
}

// descend cuts the loops inside one coordinate of the present loop and reports
// whether it did.
func (c *cutter) descend(levels *looked, at fibers.Coord, group, parts int, share float64) bool {
	before := len(c.cuts)
	d := len(c.prefix)
	for _, f := range levels.fibers {
		o := f.operand
		for l := f.level; l < len(o.idx) && c.binder.loopOf[o.idx[l].Name] == d; l++ {
			pos, ok := int32(-1), c.pos[o.slots[l]] >= 0
			if ok {
				if pos, ok = o.tensor.Levels[l].Lookup(c.pos[o.slots[l]], at); !ok {
					pos = -1
				}
			}
			c.pos[o.slots[l+1]] = pos
		}
	}
	c.prefix = append(c.prefix, at)
	c.split(group, parts, share)
	c.prefix = c.prefix[:d]
	for _, f := range levels.fibers {
		for l := f.level; l < len(f.operand.idx); l++ {
			c.pos[f.operand.slots[l+1]] = unbound
		}
	}
	return len(c.cuts) > before
}

// fibersAt returns the fibers below the prefix that the loop may walk.
func (c *cutter) fibersAt(d int) []fiberAt {
	var out []fiberAt
	for n, o := range c.binder.operands {
		for l, ix := range o.idx {
			if c.binder.loopOf[ix.Name] != d || c.pos[o.slots[l]] == unbound {
				continue
			}
			f := fiberAt{operand: o, level: l, required: c.binder.required.has(n)}
			if parent := c.pos[o.slots[l]]; parent >= 0 {
				f.Fiber = o.tensor.Levels[l].Fiber(parent)
			}
			out = append(out, f)
		}
	}
	return out
}

// leader is the shortest fiber that restricts the loop, or all coordinates of its
// domain; false when a fiber that restricts it is empty.
func (c *cutter) leader(levels []fiberAt, d int) (fiberAt, bool) {
	lead := fiberAt{level: -1, Fiber: fibers.Fiber{N: int32(c.binder.dim(c.binder.step.Loops[d].Index.Name))}}
	for _, f := range levels {
		if f.required && (lead.operand == nil || f.N < lead.N) {
			lead = f
		}
	}
	return lead, lead.N > 0
}

// slice is the range of the leader's entries in the slice that is run.
func (c *cutter) slice(lead *fiberAt, d int) (from, to int32) {
	if s, ok := c.binder.in.Slices[c.binder.step.Loops[d].Index.Name]; ok {
		return lead.Seek(0, s.Lo), lead.Seek(0, s.Hi)
	}
	return 0, lead.N
}

// blocks cuts the leader's entries into blocks of at most the work, and the
// stored entries, of a quarter of a part, down to single coordinates.
func (c *cutter) blocks(levels *looked, lead *fiberAt, first, end int32, parts int) (out []block, total float64) {
	work, entries := c.measure(levels, lead, first, end)
	grain := 1 / float64(blocksPerPart*parts)
	workMax, entriesMax := work*grain, entries*grain
	var halve func(from, to int32)
	halve = func(from, to int32) {
		work, entries := c.measure(levels, lead, from, to)
		if to-from > 1 && (work > workMax || entries > entriesMax) {
			mid := from + (to-from)/2
			halve(from, mid)
			halve(mid, to)
			return
		}
		out = append(out, block{from: from, to: to, work: work})
		total += work
	}
	halve(first, end)
	return out, total
}

// measure estimates the work below entries [from,to) of the leader, and counts
// the entries that operands store below them.
func (c *cutter) measure(levels *looked, lead *fiberAt, from, to int32) (work, entries float64) {
	n := float64(to - from)
	runs := levels.runs
	copy(runs, levels.others)
	entries = n
	for i := range levels.fibers {
		f := &levels.fibers[i]
		if f.required != (lead.operand != nil) {
			continue // optional fibers count where nothing restricts the loop
		}
		lo := f.Seek(0, lead.Coord(from))
		hi := f.Seek(lo, lead.Coord(to-1)+1)
		switch {
		case lo < hi:
			entries += c.below(f.operand, f.level+1, f.Pos(lo), f.Pos(hi-1)+1, float64(hi-lo), runs)
		case f.required:
			return 0, n
		}
	}
	work = 1
	for d := len(runs) - 1; d > len(c.prefix); d-- {
		if !math.IsInf(runs[d], 1) {
			work = 1 + runs[d]*work
		}
	}
	return n * work, entries
}
