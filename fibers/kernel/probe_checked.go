//go:build checked

package kernel

// CountMarked counts the coordinates that are marked.
func CountMarked(ks []int32, marks []uint8) int { return countMarkedChecked(ks, marks) }

// CountInside counts the coordinates whose bit is set.
func CountInside(ks []int32, words []uint64) int { return countInsideChecked(ks, words) }

// CountFresh adds 1 to the counts of coordinates and to the touched list those
// whose count was 0; it returns the list's new length.
func CountFresh(acc []int64, ks, touched []int32, n int) int {
	return countFreshChecked(acc, ks, touched, n)
}

// TallyFresh is CountFresh in 32 bits.
func TallyFresh(acc []uint32, ks, touched []int32, n int) int {
	return tallyFreshChecked(acc, ks, touched, n)
}

// selectMarked writes the marked coordinates and their entries to ks and es.
func selectMarked(from []int32, marks []uint8, ks, es []int32) int {
	return selectMarkedChecked(from, marks, ks, es)
}
