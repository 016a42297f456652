package exec

import (
	"errors"

	"github.com/trireme-db/trireme/fibers"
)

// ErrBudget is returned when a step outgrows its byte budget.
var ErrBudget = errors.New("the step needs more memory than its budget")

// ErrOverflow is returned when a 128-bit accumulator overflows.
var ErrOverflow = errors.New("integer overflow past 128 bits")

// ErrDomain is returned when a function was asked for a value outside its
// domain: sqrt(-1), ln(0). That does not say that the statement has no answer: a
// plan may evaluate a function in cells that no row of the answer comes from, and
// DuckDB raises an error only for rows that there are. So who runs the step asks
// DuckDB, or reports that the step has no answer of its own.
var ErrDomain = errors.New("a function has no value at its argument")

// Inputs binds a step to data.
type Inputs struct {
	// Operands are the tensors of Step.Operands, one each, in the layout that
	// the plan asks for, constants already fixed (fibers.Tensor.Fix): their
	// modes are Operand.Indices().
	Operands []*fibers.Tensor
	// Dims is the size of every index's domain, by index name.
	Dims map[string]int
	// Ranks maps a domain number (einsum.Index.Domain) to the rank of each
	// coordinate in SQL order; absent: coordinates are in SQL order. Rank -1 is
	// NULL, which no comparison accepts.
	Ranks map[int][]int32
	// Slices restricts loops to a range of coordinates, by index name: the step
	// is run for a part of an index's domain.
	Slices map[string]Slice
}

// Slice is the coordinates from Lo on, Hi not included.
type Slice struct{ Lo, Hi fibers.Coord }

// Account takes account of the memory of several steps and statements together.
// Its methods may be called from several goroutines.
type Account interface {
	// Hold adds bytes (negative: released) and reports whether they are allowed;
	// they count even if not.
	Hold(bytes int64) bool
}

// Options control execution.
type Options struct {
	// NoRegistry runs everything on the general path.
	NoRegistry bool
	// BudgetBytes bounds workspaces and output of the step; 0: no bound.
	BudgetBytes int64
	// Account, when not nil, is told of the same bytes and may refuse them. What
	// the step holds when it returns, it still holds there: the result is the
	// caller's.
	Account Account
	// Pool, when not nil, has memory of the statement's earlier steps.
	Pool *Pool
	// Threads is how many workers may run the step, the caller's goroutine included;
	// 0: one. Answers do not depend on it, sums of floats neither.
	Threads int
	// Morsels cuts every step into about so many morsels, however small; 0: as many as
	// its work asks for. For tests.
	Morsels int
}

// StepStats are the true figures of a step.
type StepStats struct {
	Entries    int      // stored entries of the result
	Cells      int64    // cells visited by the innermost loop, as far as known
	Traversals int      // how often the loop nest ran: 1, or 2 after an overflow
	Kernel     string   // "general" or the registry kernel's name
	Rows       bool     // the two innermost loops ran together, many rows per kernel
	Placed     bool     // entries were written to their places as they were finished
	Workspace  string   // format.Workspace as used
	Wide       []string // leaves that ran again with 128 bits
	Bytes      int64    // peak bytes of workspaces and output
	Threads    int      // workers that ran it
	Morsels    int      // morsels that it was cut into; 1: none
}
