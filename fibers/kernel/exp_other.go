//go:build !amd64 || checked

package kernel

func expBlocks([]float64, []float64) int { return 0 }
