package engine

import (
	"math"
	"math/big"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// sums are the sums of one group, exact: n rows, of x, y, x*x, y*y and x*y, each
// an integer with the digits that its variables have.
type sums struct {
	n, x, y, xx, yy, xy *big.Int
	scaleX, scaleY      int
}

// moments computes the column of a variance, covariance or regression.
func (a *answer) moments(nth int, in *rows.Batch) rows.Vector {
	g := &a.tr.Aggs[nth]
	a.own[nth] = vectorOn(&a.own[nth], g.Type, in.N)
	out := a.own[nth]
	valid := &in.Cols[a.leaves[g.Valid]]
	at := func(leaf string, i int) *big.Int {
		if leaf == "" {
			return nil
		}
		return asInt128(&in.Cols[a.leaves[leaf]], i).Big()
	}
	for i := range in.N {
		if isZero(valid, i) {
			out.SetNull(i, in.N)
			continue
		}
		m := g.Moments
		if m.Spread != nil {
			v, ok := a.spread(m.Spread, in, i).value(m.Func)
			if out.F64[i] = v; !ok {
				out.SetNull(i, in.N)
			}
			continue
		}
		s := sums{
			n: asInt128(valid, i).Big(), x: at(m.X, i), y: at(m.Y, i), xx: at(m.XX, i), yy: at(m.YY, i), xy: at(m.XY, i),
			scaleX: m.ScaleX, scaleY: m.ScaleY,
		}
		v, ok := s.value(m.Func)
		if !ok {
			out.SetNull(i, in.N)
			continue
		}
		out.F64[i] = v
	}
	return out
}

// spread is n*ab - a*b: n squared times the covariance of two variables.
func (s *sums) spread(a, b, ab *big.Int) *big.Int {
	left, right := new(big.Int).Mul(s.n, ab), new(big.Int).Mul(a, b)
	return left.Sub(left, right)
}

// value is a function of the group; false: it is NULL.
func (s *sums) value(name string) (float64, bool) {
	less := new(big.Int).Sub(s.n, big.NewInt(1))
	switch name {
	case "var_pop":
		return s.over(s.spread(s.x, s.x, s.xx), s.n, 2*s.scaleX), true
	case "stddev_pop":
		return math.Sqrt(s.over(s.spread(s.x, s.x, s.xx), s.n, 2*s.scaleX)), true
	case "covar_pop":
		return s.over(s.spread(s.x, s.y, s.xy), s.n, s.scaleX+s.scaleY), true
	case "var_samp", "stddev_samp", "covar_samp":
		if less.Sign() == 0 {
			return 0, false
		}
	}
	one := big.NewInt(1)
	switch name {
	case "var_samp":
		return s.over(s.spread(s.x, s.x, s.xx), less, 2*s.scaleX), true
	case "stddev_samp":
		return math.Sqrt(s.over(s.spread(s.x, s.x, s.xx), less, 2*s.scaleX)), true
	case "covar_samp":
		return s.over(s.spread(s.x, s.y, s.xy), less, s.scaleX+s.scaleY), true
	case "regr_sxx":
		return s.over(s.spread(s.x, s.x, s.xx), one, 2*s.scaleX), true
	case "regr_syy":
		return s.over(s.spread(s.y, s.y, s.yy), one, 2*s.scaleY), true
	case "regr_sxy":
		return s.over(s.spread(s.x, s.y, s.xy), one, s.scaleX+s.scaleY), true
	}
	return s.regression(name)
}

// over is a/(n*d*10^scale), rounded once.
func (s *sums) over(a, d *big.Int, scale int) float64 {
	den := new(big.Int).Mul(s.n, d)
	f, _ := new(big.Rat).SetFrac(a, den.Mul(den, pow10(scale))).Float64()
	return f
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// rootBits is the precision of the root in a correlation, which is rounded to a
// float64 after it.
const rootBits = 256

// regression is the part of value about two variables. SEMANTICS section 2 has
// what they are where a variance is zero.
func (s *sums) regression(name string) (float64, bool) {
	varX, cov := s.spread(s.x, s.x, s.xx), s.spread(s.x, s.y, s.xy)
	switch name {
	case "regr_slope":
		if varX.Sign() == 0 {
			return math.NaN(), true
		}
		f, _ := s.slope(cov, varX).Float64()
		return f, true
	case "regr_intercept":
		if varX.Sign() == 0 {
			return 0, false
		}
		meanX := new(big.Rat).SetFrac(s.x, new(big.Int).Mul(s.n, pow10(s.scaleX)))
		meanY := new(big.Rat).SetFrac(s.y, new(big.Int).Mul(s.n, pow10(s.scaleY)))
		f, _ := meanY.Sub(meanY, meanX.Mul(meanX, s.slope(cov, varX))).Float64()
		return f, true
	}
	varY := s.spread(s.y, s.y, s.yy)
	both := new(big.Int).Mul(varX, varY)
	switch name {
	case "regr_r2":
		switch {
		case varX.Sign() == 0:
			return 0, false
		case varY.Sign() == 0:
			return 1, true
		}
		f, _ := new(big.Rat).SetFrac(new(big.Int).Mul(cov, cov), both).Float64()
		return f, true
	case "corr":
		if both.Sign() == 0 {
			return math.NaN(), true
		}
		root := new(big.Float).SetPrec(rootBits).SetInt(both)
		root.Sqrt(root)
		f, _ := new(big.Float).SetPrec(rootBits).Quo(new(big.Float).SetPrec(rootBits).SetInt(cov), root).Float64()
		return f, true
	default:
		panic(invariant.Failed("engine: aggregate %s of moments", name))
	}
}

// slope is the covariance over the variance of x, in units of y over x.
func (s *sums) slope(cov, varX *big.Int) *big.Rat {
	r := new(big.Rat).SetFrac(cov, varX)
	r.Mul(r, new(big.Rat).SetInt(pow10(s.scaleX)))
	return r.Quo(r, new(big.Rat).SetInt(pow10(s.scaleY)))
}
