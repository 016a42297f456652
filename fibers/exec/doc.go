// Package exec runs a physical plan step by step on fibertrees.
//
// In: a physical.Step, its operands as tensors in the layouts that the step
// asks for, the domains' sizes and ranks. Out: the step's tensor in the layout
// Step.Output, and true figures.
//
// A step is bound (bind.go) to a nest: one loop per index, composed of
// closures, whose innermost loop is a specialised one (fast.go), or whose two
// innermost are, over batches of rows (fastrows.go), where the registry (package
// kernel) has it. Expressions that are no sums of products are evaluated there
// column by column (column.go) over lanes of up to 1024 cells (lanes.go), collected
// over several runs where these are short (fastcolumn.go, rowbatch.go, cellloop.go);
// fused steps read chunks the same way (chunkwork.go). Where no operand is everywhere,
// batches are led by the union of the fibers (unionbatch.go); loops inside a row that
// have one coordinate each are hops of a batch of rows (hops.go). Accumulators
// (accumulate.go) live in a workspace (sink.go) from which finished entries flow,
// in ascending order, to chunks (output.go) and then into levels, or to their
// places in a dense result at once (placed.go).
//
// A step with much work is cut into morsels (cut.go), intervals of the iteration
// space (morsel.go), that workers with a nest each take one after the other
// (crew.go); what they gathered is put together in the order of the morsels
// (mergemorsels.go).
//
// A condition of every leaf that an operand has no entry is taken out of their
// expressions (absence.go): the loop that binds its last index probes the operand,
// where kernels run by narrowing their selections. Masked cells are still visited as
// far as their entries of the result need that (X1).
//
// A product of two tensors with many small modes is made without a nest, of their
// entries as lists (flatproduct.go).
//
// # Invariants
//
//	X1. An entry of the result exists iff some cell of leaf 0's structure was
//	    visited for its coordinates, whatever the values. Cells that could change
//	    nothing any more need not be visited (breaker.go).
//	X2. All leaves are computed in one traversal of the nest. A leaf of 64-bit
//	    integers that overflowed is computed again, in one more traversal, with
//	    128 bits.
//	X3. Every loop iterates ascending coordinates, so followers only move on.
//	    Required comparisons bound its range (window.go); where no required
//	    operand leads, the union of those leads of which one is present
//	    (union.go).
//	X4. No loop, mark, flush or build does more than about 1e5 units of work
//	    between two looks at the context and the byte budget.
//	X5. The plan's protocols are expectations. At run time the shortest fiber
//	    leads; a sorted fiber that stays the same over inner walks is marked
//	    once and probed (KERNELS.md, planner rule 1). Answers never depend on it.
//	X6. A nest is bound for one worker and holds all of its state (env, the
//	    terms' fibers, marks, workspace): nothing of it is allocated per
//	    iteration, and two nests of one step share only immutable tensors,
//	    the bitmaps of hubs (hubs.go), the account of memory, and a result's
//	    places, of which no two write the same (placed.go).
//	X7. A loop visits coordinates of env.morsel only. Where a step is cut depends
//	    on the step and its operands, not on the number of workers, and parts of
//	    one entry are combined in the order of the morsels: answers are the same
//	    for any number, sums of floats to the last bit.
package exec
