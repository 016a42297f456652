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

// Slices are rows of one array: row i begins at entry At[i]*Stride.
type Slices[T any] struct {
	Vals   []T
	At     []int32
	Stride int
}

// Row returns row i, width entries long.
func (r *Slices[T]) Row(i, width int) []T { return r.Vals[int(r.At[i])*r.Stride:][:width] }

// From returns the rows from row i on.
func (r *Slices[T]) From(i int) Slices[T] {
	return Slices[T]{Vals: r.Vals, At: r.At[i:], Stride: r.Stride}
}

// DotRowsF64 writes the dot product of every row of a with that of b, width
// entries long, to out: those of DotF64, to the last bit.
func DotRowsF64(a, b *Slices[float64], width int, out []float64) { dotRows(a, b, width, out) }

// dotRowsGo is DotRowsF64 for every machine.
func dotRowsGo(a, b *Slices[float64], width int, out []float64) {
	for i := range out {
		out[i] = dotF64(a.Row(i, width), b.Row(i, width))
	}
}

// DotRowsI64 is DotRowsF64 for integers; false when one may not fit.
func DotRowsI64(a, b *Slices[int64], width int, out []int64) bool {
	all := true
	for i := range out {
		v, ok := DotI64(a.Row(i, width), nil, b.Row(i, width), nil, width)
		out[i], all = v, all && ok
	}
	return all
}
