package texts

// Jaro is the similarity of two texts after Jaro, of their bytes: 0 where they have
// nothing in common, 1 where they are the same.
func Jaro(a, b []byte) float64 {
	common, moved := jaroCommon(a, b)
	if common == 0 {
		return 0
	}
	c := float64(common)
	return (c/float64(len(a)) + c/float64(len(b)) + float64(common-moved/2)/c) / 3
}

// JaroWinkler is Jaro for texts that are alike, with more for up to four bytes with which
// both begin.
func JaroWinkler(a, b []byte) float64 {
	s := Jaro(a, b)
	if s <= 0.7 {
		return s
	}
	prefix := 0
	for prefix < min(4, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return s + float64(prefix)*0.1*(1-s)
}

// stackTexts is how many bytes a text may have for which nothing is allocated.
const stackTexts = 128

// jaroCommon counts the bytes that both have, not too far apart, and how many of them
// stand in another order. A byte of b is paired with the first of a that it can have: what
// comes before that can be paired no more, so that each byte has a queue of its places.
func jaroCommon(a, b []byte) (common, moved int) {
	reach := max(max(len(a), len(b))/2-1, 0)
	var first [256]int32 // the next place of a byte in a, and 1
	var few [stackTexts]int32
	var fewPaired [stackTexts]bool
	next, paired := few[:], fewPaired[:]
	if len(a) > stackTexts {
		next, paired = make([]int32, len(a)), make([]bool, len(a))
	}
	for i := len(a) - 1; i >= 0; i-- {
		next[i], first[a[i]] = first[a[i]], int32(i+1)
	}
	var fewOrder [stackTexts]byte
	order := fewOrder[:0] // those of b
	for j, c := range b {
		for first[c] != 0 && int(first[c]-1) < j-reach {
			first[c] = next[first[c]-1]
		}
		if i := int(first[c] - 1); i >= 0 && i <= j+reach {
			first[c] = next[i]
			paired[i] = true
			order = append(order, c)
		}
	}
	k := 0
	for i := range a {
		if !paired[i] {
			continue
		}
		if a[i] != order[k] {
			moved++
		}
		k++
	}
	return len(order), moved
}
