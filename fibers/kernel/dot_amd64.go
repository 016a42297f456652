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
