// Package kernel holds the specialised innermost loops: plain functions over
// slices, without closures, interfaces or contexts inside. The caller (package
// exec) cuts its fibers into batches and looks at the context between them.
//
// In: coordinates of a batch, mark arrays, leaf values. Out: counts, selections,
// sums, or values added to a dense workspace.
//
// # Invariants
//
//	K1. Every kernel computes what the general path of package exec computes;
//	    exec's tests run everything both ways.
//	K2. Integer kernels either return an exact result or say that it does not
//	    fit 64 bits. They may say so for a sum that passes the limit on the way.
//	K3. A batch has at most BatchMax entries.
//	K4. Marks are 0 or 1; slots are position+1 or 0.
//	K5. Coordinates are below the length of the arrays that they index. Loops
//	    without bounds checks rely on it; the build tag checked replaces them.
//	K6. Floats are added in an order that the operands' form and length decide,
//	    products rounded before: assembly and Go give the same bits.
//	K7. Coordinates of a batch are ascending, each once.
//
// Which loop fits is decided once, by Key, when a plan is bound (registry.go).
package kernel
