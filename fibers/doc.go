// Package fibers stores tensors as fibertrees: one level per mode, one value
// array per leaf, and the domains that map SQL values to coordinates.
//
// In: batches of coordinates and leaf values (Builder), SQL values (Domain).
// Out: immutable tensors in any layout, which package exec reads and writes.
//
// # Invariants
//
//	F1. A coordinate that a Domain handed out keeps its value for ever; a domain
//	    only grows. A tensor may therefore be older, and smaller, than its domain.
//	F2. The entries of a finished COO are distinct, and in the order of its
//	    modes they ascend strictly.
//	F3. Fibers list coordinates in ascending order, whatever the level's kind.
//	F4. The last level alone decides presence: a position of an outer Dense or
//	    Bytemap level may have nothing below it. The last level is Dense only
//	    if every one of its positions is an entry.
//	    Positions of a last level may stand for several entries with equal values
//	    (format.Kind.Shared).
//	F5. Positions are int32. What would exceed 2^31-1 is an error, never wrapped.
//	F6. Tensors are immutable; leaves may be shared between tensors.
//
// Read tensor.go for the types, layout.go for how levels are made, then
// package exec.
package fibers
