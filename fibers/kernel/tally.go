package kernel

// TakeCounts moves the counts of the touched coordinates to dst, which has a place
// for each, and puts them back to 0 (K5).
func TakeCounts(dst []int64, acc []uint32, touched []int32) {
	dst = dst[:len(touched)]
	for i, k := range touched {
		dst[i] = int64(acc[k])
		acc[k] = 0
	}
}

// tallyFreshChecked is TallyFresh with bounds checks.
func tallyFreshChecked(acc []uint32, ks, touched []int32, n int) int {
	for _, k := range ks {
		touched[n] = k
		if acc[k] == 0 {
			n++
		}
		acc[k]++
	}
	return n
}
