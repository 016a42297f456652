package kernel

import "github.com/trireme-db/trireme/einsum/semiring"

// expLanes is the number of values of exp that are computed at a time.
const expLanes = 4

// exps writes e to the power of every number of src to dst, which may be src: those of
// semiring.Exp, to the last bit.
func exps(dst, src []float64) {
	dst = dst[:len(src)]
	for len(src) > 0 {
		done := expBlocks(dst, src)
		next := min(done+expLanes, len(src))
		for i := done; i < next; i++ {
			dst[i] = semiring.Exp.Of(src[i])
		}
		dst, src = dst[next:], src[next:]
	}
}
