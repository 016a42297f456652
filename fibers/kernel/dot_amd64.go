//go:build amd64 && !checked

package kernel

import "golang.org/x/sys/cpu"

// dotLanes adds the products of blocks times dotLanesMany entries to the lanes,
// which are 0 before.
func dotLanes(a, b []float64, blocks int, sums *[dotLanesMany]float64) {
	if !cpu.X86.HasAVX2 {
		dotLanesGo(a, b, blocks, sums)
		return
	}
	last := blocks*dotLanesMany - 1
	_, _ = a[last], b[last]
	dotLanesAVX2(&a[0], &b[0], blocks, sums)
}

// dotRows relies on rows that are within their arrays (K5).
func dotRows(a, b *Slices[float64], width int, out []float64) {
	if !cpu.X86.HasAVX2 || width <= 0 || len(out) == 0 {
		dotRowsGo(a, b, width, out)
		return
	}
	last := len(out) - 1
	_, _ = a.At[last], b.At[last]
	dotRowsAVX2(&a.Vals[0], &a.At[0], a.Stride, &b.Vals[0], &b.At[0], b.Stride, width, &out[0], len(out))
}

// axpy adds c times vals to acc, which is as long.
func axpy(acc, vals []float64, c float64) {
	blocks := len(acc) / dotLanesMany
	if !cpu.X86.HasAVX2 || blocks == 0 {
		axpyGo(acc, vals, c)
		return
	}
	whole := blocks * dotLanesMany
	_ = vals[whole-1]
	axpyAVX2(&acc[0], &vals[0], c, blocks)
	axpyGo(acc[whole:], vals[whole:], c)
}

// addRows relies on rows that are within their array (K5).
func addRows(acc []float64, rows *Slices[float64], coef []float64) {
	if !cpu.X86.HasAVX2 || len(acc) == 0 || len(coef) == 0 {
		addRowsGo(acc, rows, coef)
		return
	}
	_ = rows.At[len(coef)-1]
	addRowsAVX2(&acc[0], &rows.Vals[0], &rows.At[0], rows.Stride, &coef[0], len(coef), len(acc))
}
