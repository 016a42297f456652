package engine

import (
	"math"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// spread is what a variance, covariance or regression of one group is read off
// where its variables are DOUBLE: n rows, the means, and the sums of the products
// of the distances from the means.
type spread struct{ n, meanX, meanY, xx, yy, xy float64 }

// spread reads row i. The sums of the distances, which would be 0 of exact means,
// say by how much the means are rounded: that is taken out of the products. Of
// equal values the products are 0, whatever the mean became.
func (a *answer) spread(leaves map[string]string, in *rows.Batch, i int) spread {
	at := func(word string) float64 {
		leaf, ok := leaves[word]
		if !ok {
			return 0
		}
		return asFloat(&in.Cols[a.leaves[leaf]], i, 0)
	}
	s := spread{n: at("n")}
	dx, dy := at("dx"), at("dy")
	s.meanX, s.meanY = at("mx")+dx/s.n, at("my")+dy/s.n
	constX, constY := at("minx") == at("maxx"), at("miny") == at("maxy")
	if !constX {
		s.xx = math.Max(at("dxx")-dx*dx/s.n, 0)
	}
	if !constY {
		s.yy = math.Max(at("dyy")-dy*dy/s.n, 0)
	}
	if !constX && !constY {
		s.xy = at("dxy") - dx*dy/s.n
	}
	return s
}

// value is a function of the group; false: it is NULL.
func (s spread) value(name string) (float64, bool) {
	switch name {
	case "var_pop":
		return s.xx / s.n, true
	case "stddev_pop":
		return math.Sqrt(s.xx / s.n), true
	case "covar_pop":
		return s.xy / s.n, true
	case "var_samp":
		return s.xx / (s.n - 1), s.n > 1
	case "stddev_samp":
		return math.Sqrt(s.xx / (s.n - 1)), s.n > 1
	case "covar_samp":
		return s.xy / (s.n - 1), s.n > 1
	case "regr_sxx":
		return s.xx, true
	case "regr_syy":
		return s.yy, true
	case "regr_sxy":
		return s.xy, true
	case "regr_slope":
		return s.xy / s.xx, true // NaN where x is constant
	case "regr_intercept":
		return s.meanY - s.xy/s.xx*s.meanX, s.xx != 0
	case "regr_r2":
		if s.xx != 0 && s.yy == 0 {
			return 1, true
		}
		r := s.xy / math.Sqrt(s.xx) / math.Sqrt(s.yy)
		return r * r, s.xx != 0
	case "corr":
		return s.xy / math.Sqrt(s.xx) / math.Sqrt(s.yy), true // NaN where one is constant
	default:
		panic(invariant.Failed("engine: aggregate %s of DOUBLE", name))
	}
}
