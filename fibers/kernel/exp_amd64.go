//go:build amd64 && !checked

package kernel

import "golang.org/x/sys/cpu"

// expBlocks writes e to the power of the first numbers of src, of equal length, to dst
// and returns how many: it ends where few are left or one is large.
func expBlocks(dst, src []float64) int {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || len(src) < expLanes {
		return 0
	}
	_ = dst[len(src)-1]
	return expAVX2(&dst[0], &src[0], len(src)/expLanes)
}
