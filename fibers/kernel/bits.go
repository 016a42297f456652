package kernel

// SetBits sets the bits of coordinates, bit k%64 of word k/64; coordinates are
// below 64*len(words).
func SetBits(words []uint64, ks []int32) {
	for _, k := range ks {
		words[k>>6] |= 1 << (uint(k) & 63)
	}
}

// Inside keeps the coordinates whose bit is set, in place (K5).
func Inside(ks []int32, words []uint64) []int32 {
	n := 0
	for _, k := range ks {
		ks[n] = k
		n += int(words[k>>6] >> (uint(k) & 63) & 1)
	}
	return ks[:n]
}

// KeepInside narrows a selection to coordinates whose bit is set; ks and es are as
// in KeepMarked.
func KeepInside(s Selection, words []uint64, ks, es []int32) Selection {
	n := 0
	for i, k := range s.Ks {
		e := int32(i)
		if s.Es != nil {
			e = s.Es[i]
		}
		ks[n], es[n] = k, e
		n += int(words[k>>6] >> (uint(k) & 63) & 1)
	}
	return Selection{Ks: ks[:n], Es: es[:n]}
}

// countInsideChecked is CountInside with bounds checks.
func countInsideChecked(ks []int32, words []uint64) int {
	n := uint64(0)
	for _, k := range ks {
		n += words[k>>6] >> (uint(k) & 63) & 1
	}
	return int(n)
}

// CountFound counts the coordinates of ks that are in the sorted list in, which
// it searches from where the last search ended: both ascend.
func CountFound(ks, in []int32) int {
	n := 0
	for _, k := range ks {
		lo, hi := 0, 1
		for hi < len(in) && in[hi-1] < k {
			lo, hi = hi, 2*hi
		}
		hi = min(hi, len(in))
		for lo < hi {
			if mid := int(uint(lo+hi) >> 1); in[mid] < k {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if in = in[lo:]; len(in) == 0 {
			break
		}
		if in[0] == k {
			n++
		}
	}
	return n
}
