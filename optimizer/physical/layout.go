package physical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Thresholds for formats; a density is entries per coordinate of a fiber.
const (
	// denseSlack is how many coordinates per entry a dense level may have: an
	// array of 4-byte positions then costs no more than the entries below it.
	denseSlack = 4.0
	// lookedUpDensity is the least density of a bytemap that is only looked up:
	// 5 times as fast as a sorted list at 1/4, as fast at 1/20, where it takes 15
	// times the memory. One that is only walked is slower from 1/4 down
	// (walkedDensity); of one that is read both ways the two even out at about 1/4
	// (BenchmarkResultKinds in fibers/exec).
	lookedUpDensity = 0.1
	mixedDensity    = 0.25
	walkedDensity   = 0.5
	// maxLevel bounds the coordinates of a dense level or bytemap.
	maxLevel = 1 << 28
	// hashFiber is the least expected fiber that is worth a hash level: shorter
	// ones are searched as fast (BenchmarkResultKinds in fibers/exec).
	hashFiber = 512.0
	// markShare is the share of a fiber's entries that must be looked up in one
	// visit for marking the whole fiber to pay (KERNELS section 3, rule 1).
	markShare = 0.25
	// runLength is the least mean length of runs that are stored as such: a run
	// costs about 100 ns to start, an entry of a block or list 0.5 to 1 ns
	// (BenchmarkLevelKinds in fibers/exec).
	runLength = 256.0
	// blockLength is the least mean length of blocks. A block costs about 80 ns to
	// start (BenchmarkLevelKinds in fibers/exec), which short lists, read row by row
	// in one loop, do not: walking breaks even near 80 entries. Lookups gain before
	// that; the value between the two is a judgement, not measured.
	blockLength = 24.0
	// pinpointSlack is how many positions per entry may be above a pinpoint level,
	// which has a place for each, as have the values.
	pinpointSlack = 2.0
)

// layoutOf returns the operand's order: constants' modes first, then the others
// by loop.
func layoutOf(args []einsum.Arg, loops []einsum.Index) []int {
	var order []int
	for m, a := range args {
		if a.Const != nil {
			order = append(order, m)
		}
	}
	for _, x := range loops {
		for m, a := range args {
			if a.Const == nil && a.Index == x {
				order = append(order, m)
			}
		}
	}
	return order
}

// inputFormats chooses the level kinds of an input as an operand. They depend on
// the tensor and the layout only, but for runs, so that all its uses share one
// tensor. Modes bound to constants are entered once by a lookup; the first other
// level is dense when that costs little, which makes the usual compressed rows.
//
// A level of a special shape, which exact statistics tell of, has a kind for it.
// Counter-example: before loading nothing is known, and a later version of the
// table may have another shape; the plan cache then plans again. Dense levels and
// bytemaps take at most limit bytes each.
func inputFormats(t *logical.Tensor, o *Operand, limit float64) []format.Kind {
	order := o.Order
	out := make([]format.Kind, len(order))
	parents := 1.0 // positions above the level
	arrays := true // all levels above are dense
	shapes := t.Stats.Shape.Of(order)
	if shapes == nil && t.Stats.Full() { // whatever the order
		shapes = make([]stats.LevelShape, len(order))
	}
	for l, m := range order {
		size := parents * t.Stats.Dims[m]
		small := arrays && size <= denseSlack*t.Stats.NNZ && size <= maxLevel && levelBytes(format.Dense, size, 0, 4) <= limit
		last, constant := l == len(order)-1, o.Args[m].Const != nil
		switch {
		case small && !last:
			out[l] = format.Dense
			parents = size
		case shapes != nil && !constant && shapedKind(t, shapes, o, l, parents) != format.SparseList:
			out[l], arrays = shapedKind(t, shapes, o, l, parents), false
		case small && len(order) == 1 && !constant:
			out[l] = format.Bytemap
		case constant:
			out[l], arrays = format.Hash, false
		default:
			out[l], arrays = format.SparseList, false
		}
		if !constant {
			arrays = false
		}
		if out[l] != format.Dense {
			parents = t.Stats.NNZ // at most
		}
	}
	return out
}

// shapedKind returns the kind for the shape of level l of an input's layout, below
// so many positions; SparseList when it has none that pays. Runs are for an
// operand that leads the loop, with a fiber of its own each time: where others
// lead, they would ask every run for their few entries.
func shapedKind(t *logical.Tensor, shapes []stats.LevelShape, o *Operand, l int, parents float64) format.Kind {
	s, nnz, last, full := shapes[l], t.Stats.NNZ, l == len(o.Order)-1, t.Stats.Full()
	fibers := 1.0 // at most so many have entries
	if l > 0 {
		fibers = min(parents, nnz)
		if l == 1 {
			fibers = min(fibers, t.Stats.Distinct[o.Order[0]])
		}
		if last && s.Runs > 0 {
			fibers = min(fibers, s.Runs)
		}
	}
	runs := last && l > 0 && o.Protocols[len(o.Protocols)-1] == format.Walk &&
		s.Runs > 0 && nnz >= runLength*s.Runs && hasValues(t)
	switch {
	case full && last && !runs:
		return format.Dense
	case s.Single && l > 0 && parents <= pinpointSlack*nnz:
		return format.Pinpoint
	case last && s.Equal && nnz >= blockLength*fibers:
		return format.Interval
	case runs && full:
		return format.RunLength
	case runs:
		return format.SparseRunLength
	case s.Block && nnz >= blockLength*fibers:
		return format.Band
	default:
		return format.SparseList
	}
}

// hasValues reports whether a leaf stores anything.
func hasValues(t *logical.Tensor) bool {
	return slices.ContainsFunc(t.Leaves, func(l einsum.LeafDecl) bool { return l.Elem != semiring.Pattern })
}

// use is how one operand reads a level of a step's result.
type use struct {
	protocol format.Protocol
	// constant: the level is entered once, at a constant.
	constant bool
	// lookups is how many entries of one fiber a visit asks for.
	lookups float64
}

// levelBytes is what a level may be expected to take: footprint coordinates below
// its parents, of which entries occur, with bytes per position below it. Positions
// of dense levels and bytemaps are coordinates (fibers.COO.LayoutBytes).
func levelBytes(kind format.Kind, footprint, entries, below float64) float64 {
	switch kind {
	case format.Dense:
		return footprint * below
	case format.Bytemap:
		return footprint*(1+below) + 4*entries
	case format.Hash:
		return entries * (hashEntryBytes + below)
	default:
		return entries * (4 + below)
	}
}

// hashEntryBytes is the most that a hash level takes per entry.
const hashEntryBytes = 52

// resultFormats chooses the level kinds of a step's result from estimated
// densities, from how its consumers read it (uses: per level) and from what
// levels take of the memory: limit bytes at most, which a sorted list may exceed,
// since nothing is smaller. values are the bytes of an entry's values. The last
// level is never dense, since a dense level stores every coordinate.
func resultFormats(sizes, dims []float64, uses [][]use, values, limit float64) []format.Kind {
	out := make([]format.Kind, len(dims))
	outer := 1.0
	for l := range dims {
		entries := sizes[l] / max(outer, 1)
		density := entries / max(dims[l], 1)
		footprint := max(outer, 1) * dims[l]
		last, below := l == len(dims)-1, 4.0 // bounds of fibers
		if last {
			below = values
		}
		fits := func(k format.Kind) bool {
			return (k == format.Hash || footprint <= maxLevel) && levelBytes(k, footprint, sizes[l], below) <= limit
		}
		nested := l > 0 && out[l-1] == format.Bytemap
		switch {
		case !last && density >= 1/denseSlack && fits(format.Dense):
			out[l] = format.Dense
		case density >= bytemapDensity(uses[l]) && !nested && fits(format.Bytemap):
			out[l] = format.Bytemap
		case prefersHash(entries, uses[l]) && fits(format.Hash):
			out[l] = format.Hash
		default:
			out[l] = format.SparseList
		}
		outer = sizes[l]
	}
	return out
}

// resultFormats are those of the step, or in tests any.
func (b *builder) resultFormats(sizes, dims []float64, uses [][]use, values float64) []format.Kind {
	out := resultFormats(sizes, dims, uses, values, within(b.opt.BudgetBytes))
	if b.opt.Any == nil {
		return out
	}
	for l := range out {
		out[l] = format.Kind(b.opt.Any.IntN(int(format.Hash) + 1))
		if l == len(out)-1 && out[l] == format.Dense {
			out[l] = format.Bytemap
		}
	}
	return out
}

// inputFormats are those of an input's layout, or in tests any that need no data
// of a certain shape.
func (b *builder) inputFormats(t *logical.Tensor, o *Operand) []format.Kind {
	out := inputFormats(t, o, within(b.opt.BudgetBytes))
	if b.opt.Any == nil {
		return out
	}
	for l := range out {
		if out[l] = format.Kind(b.opt.Any.IntN(int(format.Hash) + 1)); l == len(out)-1 && out[l] == format.Dense {
			out[l] = format.SparseList
		}
	}
	return out
}

// bytemapDensity is the least density of a bytemap for how a level is read. What
// nobody reads is the answer, which is walked.
func bytemapDensity(uses []use) float64 {
	walked, lookedUp := len(uses) == 0, false
	for _, u := range uses {
		walked = walked || u.protocol == format.Walk && !u.constant
		lookedUp = lookedUp || u.protocol != format.Walk || u.constant
	}
	switch {
	case !walked:
		return lookedUpDensity
	case lookedUp:
		return mixedDensity
	default:
		return walkedDensity
	}
}

// prefersHash reports whether a level is only ever looked up, in long fibers of
// which each visit asks for a few entries.
func prefersHash(entries float64, uses []use) bool {
	if len(uses) == 0 {
		return false
	}
	for _, u := range uses {
		if u.constant {
			continue
		}
		if u.protocol == format.Walk || u.lookups >= markShare*entries {
			return false
		}
	}
	return entries >= hashFiber
}

// variants are the layouts in which consumers read a step's result: one of them
// is how the step stores it, every other one costs a reorder step.
type variants struct {
	orders [][]int
	uses   [][][]use // per variant and level
	read   []bool    // per variant: by some consumer
	first  int       // the one in which the step stores its result
}

// add returns the number of the variant with that order; uses nil: nobody reads
// it yet.
func (v *variants) add(order []int, uses []use) int {
	at := slices.IndexFunc(v.orders, func(o []int) bool { return slices.Equal(o, order) })
	if at < 0 {
		at = len(v.orders)
		v.orders = append(v.orders, order)
		v.uses = append(v.uses, make([][]use, len(order)))
		v.read = append(v.read, false)
	}
	v.read[at] = v.read[at] || uses != nil
	for l, u := range uses {
		v.uses[at][l] = append(v.uses[at][l], u)
	}
	return at
}

// rank numbers the variants from the one that is stored first.
func (v *variants) rank(k int) int {
	switch {
	case k == v.first:
		return 0
	case k < v.first:
		return k + 1
	default:
		return k
	}
}
