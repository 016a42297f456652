package kernel

import "bytes"

// countMarkedChecked is CountMarked with bounds checks.
func countMarkedChecked(ks []int32, marks []uint8) int {
	n0, n1, n2, n3 := 0, 0, 0, 0
	for len(ks) >= 4 {
		q := ks[:4:4]
		n0 += int(marks[q[0]])
		n1 += int(marks[q[1]])
		n2 += int(marks[q[2]])
		n3 += int(marks[q[3]])
		ks = ks[4:]
	}
	for _, k := range ks {
		n0 += int(marks[k])
	}
	return n0 + n1 + n2 + n3
}

// countFreshChecked is CountFresh with bounds checks.
func countFreshChecked(acc []int64, ks, touched []int32, n int) int {
	for _, k := range ks {
		touched[n] = k
		n += int(uint64(acc[k]-1) >> 63)
		acc[k]++
	}
	return n
}

// CountSlots is CountMarked for slots.
func CountSlots(ks []int32, at []int32) int {
	n := 0
	for _, k := range ks {
		// A slot is not negative, so this is 1 where it is not zero.
		n += int(uint32(-at[k]) >> 31)
	}
	return n
}

// Selection is the entries of a batch that passed: entry Es[s] of the batch has
// coordinate Ks[s]. Es nil: all entries.
type Selection struct {
	Ks []int32
	Es []int32
}

// KeepMarked narrows a selection to marked coordinates. ks and es are buffers
// for the result, at least as long as the selection; they may be its own.
func KeepMarked(s Selection, marks []uint8, ks, es []int32) Selection {
	if s.Es == nil {
		n := selectMarked(s.Ks, marks, ks, es)
		return Selection{Ks: ks[:n], Es: es[:n]}
	}
	n := 0
	for i, k := range s.Ks {
		ks[n], es[n] = k, s.Es[i]
		n += int(marks[k])
	}
	return Selection{Ks: ks[:n], Es: es[:n]}
}

// DropMarked narrows a selection to coordinates that are not marked, as KeepMarked
// does to those that are.
func DropMarked(s Selection, marks []uint8, ks, es []int32) Selection {
	n := 0
	for i, k := range s.Ks {
		e := int32(i)
		if s.Es != nil {
			e = s.Es[i]
		}
		ks[n], es[n] = k, e
		n += int(1 - marks[k])
	}
	return Selection{Ks: ks[:n], Es: es[:n]}
}

// selectMarkedChecked is selectMarked with bounds checks.
func selectMarkedChecked(from []int32, marks []uint8, ks, es []int32) int {
	n := 0
	for e, k := range from {
		ks[n], es[n] = k, int32(e)
		n += int(marks[k])
	}
	return n
}

// KeepSlots is KeepMarked for slots.
func KeepSlots(s Selection, at []int32, ks, es []int32) Selection {
	n := 0
	for i, k := range s.Ks {
		e := int32(i)
		if s.Es != nil {
			e = s.Es[i]
		}
		ks[n], es[n] = k, e
		n += int(uint32(-at[k]) >> 31)
	}
	return Selection{Ks: ks[:n], Es: es[:n]}
}

// Marked keeps the coordinates that are marked, in place.
func Marked(ks []int32, marks []uint8) []int32 {
	n := 0
	for _, k := range ks {
		ks[n] = k
		n += int(marks[k])
	}
	return ks[:n]
}

// Positions writes the positions that slots give for marked coordinates.
func Positions(ks []int32, at []int32, pos []int32) {
	pos = pos[:len(ks)]
	for s, k := range ks {
		pos[s] = at[k] - 1
	}
}

// Touch adds coordinates to a touched list of n entries, without branches, and
// returns its new length. touched has one place more than there are coordinates.
func Touch(ks []int32, flags []uint8, touched []int32, n int) int {
	if n == len(flags) {
		return n
	}
	if first, ok := Run(ks); ok && bytes.IndexByte(flags[first:][:len(ks)], 0) < 0 {
		return n
	}
	for _, k := range ks {
		touched[n] = k
		n += int(1 - flags[k])
		flags[k] = 1
	}
	return n
}

// PlacesMarked writes base+k for every coordinate k that is marked, and -1 for the
// others. Coordinates from len(marks) on are not.
func PlacesMarked(ks []int32, marks []uint8, base int32, dst []int32) {
	dst = dst[:len(ks)]
	for i, k := range ks {
		at := int32(-1)
		if int(k) < len(marks) && marks[k] != 0 {
			at = base + k
		}
		dst[i] = at
	}
}
