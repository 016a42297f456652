package kernel

// KeepPlaced narrows a selection to coordinates for which at has one of the n
// positions from lo on, plus 1. ks and es are as of KeepMarked.
func KeepPlaced(s Selection, at []int32, lo, n int32, ks, es []int32) Selection {
	kept := 0
	for i, k := range s.Ks {
		e := int32(i)
		if s.Es != nil {
			e = s.Es[i]
		}
		ks[kept], es[kept] = k, e
		kept += int(placed(at[k], lo, n))
	}
	return Selection{Ks: ks[:kept], Es: es[:kept]}
}

// PlacesPlaced writes the positions of coordinates to dst, -1 for those that
// KeepPlaced leaves out.
func PlacesPlaced(ks, at []int32, lo, n int32, dst []int32) {
	dst = dst[:len(ks)]
	for i, k := range ks {
		in := int32(placed(at[k], lo, n))
		dst[i] = (at[k]-1)&-in | (in - 1)
	}
}

// placed is 1 where p-1 is one of the n positions from lo on, else 0.
func placed(p, lo, n int32) uint64 {
	return (uint64(uint32(p-1-lo)) - uint64(n)) >> 63
}
