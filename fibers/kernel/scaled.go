package kernel

// AddScaled adds c times vals to acc, which is as long: acc[i] += c*vals[i], O(n).
func AddScaled(acc, vals []float64, c float64) { axpy(acc, vals, c) }
