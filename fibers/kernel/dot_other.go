//go:build !amd64 || checked

package kernel

// dotLanes adds the products of blocks times dotLanesMany entries to the lanes,
// which are 0 before.
func dotLanes(a, b []float64, blocks int, sums *[dotLanesMany]float64) {
	dotLanesGo(a, b, blocks, sums)
}

func dotRows(a, b *Slices[float64], width int, out []float64) { dotRowsGo(a, b, width, out) }

// axpy adds c times vals to acc, which is as long.
func axpy(acc, vals []float64, c float64) { axpyGo(acc, vals, c) }

func addRows(acc []float64, rows *Slices[float64], coef []float64) { addRowsGo(acc, rows, coef) }
