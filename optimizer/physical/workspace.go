package physical

import (
	"math"

	"github.com/trireme-db/trireme/einsum/format"
)

// Costs of a loop order beside its loops, in units of walking one entry. Those of
// workspaces are from BenchmarkWorkspaces in fibers/exec, where a write of a
// specialised loop into a dense workspace takes 3 ns.
const (
	// appendCost stores an entry in loop order.
	appendCost = 2.0
	// flushCost takes an entry out of a workspace and stores it; sortCost brings
	// it in order, which a dense workspace need not where it is scanned.
	flushCost = 6.0
	sortCost  = 12.0
	// denseWrite adds one cell to a dense workspace over one index: an array access
	// and a branch-free touch. No specialised loop scatters into one over several
	// (flatWrite) or into a table (hashWrite).
	denseWrite = 1.0
	flatWrite  = 8.0
	hashWrite  = 20.0
	// farWrite is what a write costs more once a dense workspace outgrows the second
	// level cache, at nearBytes; coldWrite a hash write from largeWorkspace entries on.
	farWrite       = 10.0
	nearBytes      = 1 << 20
	coldWrite      = 60.0
	largeWorkspace = 1 << 16
	// byteCost is a byte of a dense workspace, which is allocated once: 0.2 ns. The
	// first smallBytes take less than binding the step does.
	byteCost   = 0.08
	smallBytes = 1 << 18
	// scanCell is a slot of a dense workspace of which a few are touched.
	scanCell = 1.0 / 16
	// farFiber is the first access to a fiber that is not where the last one was,
	// of an operand of more than farEntries: a judgement; with it the rows of factors
	// are read in their order in bench/kernels/sddmm_ln.sql, which takes a quarter off.
	farFiber   = 4.0
	farEntries = 1 << 17
	// relayoutCost builds another layout of an input, per entry. Building costs
	// more than that, but once: the tensor cache keeps it for later statements.
	relayoutCost = 0.1
	// reorderCost stores a step's result a second time, per entry, every time.
	reorderCost = 30.0
)

// maxDenseWorkspace bounds the slots of a dense workspace.
const maxDenseWorkspace = 4 << 20

// denseSlotBytes are the bytes of a slot beside its values: a flag and a place in
// the list of touched slots.
const denseSlotBytes = 5

// gathering is what a workspace has to do: group entries at a time, slots
// coordinates that they may have, entries in all by so many writes.
type gathering struct {
	modes                         int // that the loops do not bind in order
	slots, group, entries, writes float64
	// once: an entry's writes follow one another, because no index that is not the
	// output's is bound outside of it.
	once      bool
	slotBytes float64 // of the values
}

// workspace chooses where entries are gathered and returns the cost of that and of
// storing them. A dense workspace must fit the budget.
//
// A hash workspace is right for everything. Where each entry is written once it
// only finds out that all are new: then they are appended and sorted. A dense one
// has no search at all, but a slot for every coordinate: counter-example, a
// product of two domains of a million each, or a few entries in 4 million slots,
// which cost 10 ms to allocate.
func (g *gathering) workspace(budgetBytes float64) (format.Workspace, float64) {
	if g.modes == 0 {
		return format.None, appendCost * g.entries
	}
	write := hashWrite
	if g.group > largeWorkspace {
		write = coldWrite
	}
	best, cost := format.HashWorkspace, write*g.writes+(flushCost+sortCost)*g.entries
	if sorted := (appendCost + flushCost + sortCost) * g.entries; g.once && sorted < cost {
		best, cost = format.SortWorkspace, sorted
	}
	bytes := g.slots * (denseSlotBytes + g.slotBytes)
	if g.slots > maxDenseWorkspace || bytes > within(budgetBytes) {
		return best, cost
	}
	write = denseWrite
	if g.modes > 1 {
		write = flatWrite
	}
	if bytes > nearBytes {
		write += farWrite
	}
	dense := write*g.writes + flushCost*g.entries + byteCost*max(bytes-smallBytes, 0)
	if groups := g.entries / max(g.group, 1); g.group*scanShare > g.slots {
		dense += scanCell * g.slots * groups
	} else {
		dense += sortCost * g.entries
	}
	if dense < cost {
		return format.DenseWorkspace, dense
	}
	return best, cost
}

// scanShare is the share of touched slots, one in so many, from which package exec
// scans them in place of sorting their list.
const scanShare = 256

// within is the memory that one level or workspace may be expected to take.
func within(budgetBytes float64) float64 {
	if budgetBytes <= 0 {
		return math.Inf(1)
	}
	return budgetBytes / budgetShare
}

// budgetShare is the part of the budget, one in so many, that one level or
// workspace may be expected to take: workers have workspaces of their own, and
// estimates are off.
const budgetShare = 4
