package kernel

//go:generate sh -c "cd _gen/simd && go run . -out ../../zdot_amd64.s -stubs ../../zdot_amd64.go -pkg kernel"

// dotLanesMany is the number of partial sums of a dot product of floats: entry i
// of a whole block of so many goes to lane i, on every machine, so that sums do
// not depend on what the machine can do (K6).
const dotLanesMany = 16

// dotF64 adds up the products of two slices of one length: lanes over whole
// blocks, the lanes pairwise, then the rest in order.
func dotF64(a, b []float64) float64 {
	b = b[:len(a)]
	s := 0.0
	if blocks := len(a) / dotLanesMany; blocks > 0 {
		var sums [dotLanesMany]float64
		dotLanes(a, b, blocks, &sums)
		for half := dotLanesMany / 2; half > 0; half /= 2 {
			for l := range half {
				sums[l] += sums[l+half]
			}
		}
		s = sums[0]
		a, b = a[blocks*dotLanesMany:], b[blocks*dotLanesMany:]
	}
	for i, v := range a {
		s += float64(v * b[i])
	}
	return s
}

// dotLanesGo is dotLanes for every machine. The conversions keep compilers from
// fusing the multiplication with the addition.
func dotLanesGo(a, b []float64, blocks int, sums *[dotLanesMany]float64) {
	for range blocks {
		x, y := (*[dotLanesMany]float64)(a), (*[dotLanesMany]float64)(b)
		for l := range sums {
			sums[l] += float64(x[l] * y[l])
		}
		a, b = a[dotLanesMany:], b[dotLanesMany:]
	}
}
