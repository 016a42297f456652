package logical

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// ring is the pair of pointwise operators that the rewrites of a leaf use: its
// aggregate as a map, and the multiplication that goes with it. In presence
// both distribute, a and (b or c) = a and b or a and c, whatever the values.
type ring struct{ sum, mul semiring.Op }

// ringOf returns the ring of a leaf's aggregate; of a pointwise leaf that of
// sums. ok is false for aggregates without one.
func ringOf(agg *einsum.Agg) (r ring, ok bool) {
	op := semiring.Add
	if agg != nil {
		op = agg.Op
	}
	switch op {
	case semiring.Add, semiring.Or, semiring.Min, semiring.Max:
		return ring{op, combine(op)}, true
	default:
		return ring{}, false
	}
}

// addend is a product: literals, factors that are expressions (parts), factors
// that are sums, and under min and max the conditions of guards.
type addend struct {
	neg    bool
	coefs  []einsum.Expr
	parts  []einsum.Expr
	sums   [][]addend
	guards []einsum.Expr
}

// read takes an expression apart: a sum of products of sums, down to what is
// neither. Guards are taken apart under min and max only, where they hold for
// the whole product; elsewhere, as any function, they are parts.
func (r ring) read(e einsum.Expr) []addend {
	m, ok := e.(*einsum.Map)
	switch {
	case !ok:
		if _, ok := e.(*einsum.Literal); ok {
			return []addend{{coefs: []einsum.Expr{e}}}
		}
	case m.Op == r.sum:
		var out []addend
		for _, a := range m.Args {
			out = append(out, r.read(a)...)
		}
		return out
	case m.Op == semiring.Sub && r.sum == semiring.Add:
		return append(r.read(m.Args[0]), negateAll(r.read(m.Args[1]))...)
	case m.Op == semiring.Neg && r.sum == semiring.Add:
		return negateAll(r.read(m.Args[0]))
	case m.Op == r.mul:
		out := addend{}
		for _, a := range m.Args {
			out.times(r.read(a))
		}
		return []addend{out}
	case m.Op == semiring.Guard && (r.sum == semiring.Min || r.sum == semiring.Max):
		out := addend{}
		out.times(r.read(m.Args[0]))
		out.guards = append(out.guards, m.Args[1:]...)
		return []addend{out}
	}
	return []addend{{parts: []einsum.Expr{e}}}
}

// times multiplies by a sum: one addend is merged, more stay a factor.
func (a *addend) times(sum []addend) {
	if len(sum) != 1 {
		a.sums = append(a.sums, sum)
		return
	}
	b := sum[0]
	a.neg = a.neg != b.neg
	a.coefs = append(a.coefs, b.coefs...)
	a.parts = append(a.parts, b.parts...)
	a.sums = append(a.sums, b.sums...)
	a.guards = append(a.guards, b.guards...)
}

// clone copies the lists of an addend, so that it can be multiplied.
func (a *addend) clone() addend {
	return addend{
		neg: a.neg, coefs: slices.Clone(a.coefs), parts: slices.Clone(a.parts),
		sums: slices.Clone(a.sums), guards: slices.Clone(a.guards),
	}
}

func negateAll(sum []addend) []addend {
	out := slices.Clone(sum)
	for i := range out {
		out[i].neg = !out[i].neg
	}
	return out
}

// write is the inverse of read: literals first, then parts, then sums; what is
// subtracted after what is added.
func (r ring) write(sum []addend) einsum.Expr {
	var plus, minus []einsum.Expr
	for i := range sum {
		if e := r.product(&sum[i]); sum[i].neg {
			minus = append(minus, e)
		} else {
			plus = append(plus, e)
		}
	}
	switch {
	case len(minus) == 0:
		return product(r.sum, plus)
	case len(plus) == 0:
		return &einsum.Map{Op: semiring.Neg, Args: []einsum.Expr{product(r.sum, minus)}}
	default:
		return &einsum.Map{Op: semiring.Sub, Args: []einsum.Expr{product(r.sum, plus), product(r.sum, minus)}}
	}
}

// product is an addend without its sign.
func (r ring) product(a *addend) einsum.Expr {
	args := slices.Concat(a.coefs, a.parts)
	for _, s := range a.sums {
		args = append(args, r.write(s))
	}
	invariant.Check(len(args) > 0, "logical: an empty product")
	e := product(r.mul, args)
	if len(a.guards) > 0 {
		e = &einsum.Map{Op: semiring.Guard, Args: append([]einsum.Expr{e}, a.guards...)}
	}
	return e
}

// over multiplies an addend by the k-th of its sums: a * (b + c) = a*b + a*c.
func (a *addend) over(k int) []addend {
	rest := a.clone()
	rest.sums = slices.Delete(rest.sums, k, k+1)
	out := make([]addend, len(a.sums[k]))
	for i := range a.sums[k] {
		out[i] = rest.clone()
		out[i].times([]addend{a.sums[k][i].clone()})
	}
	return out
}

// expandAll multiplies a sum out down to products of parts, with like terms
// combined; nil when it grows beyond maxMonomials.
func (r ring) expandAll(sum []addend) []addend {
	var out []addend
	for i := range sum {
		if len(sum[i].sums) == 0 {
			out = append(out, sum[i])
			continue
		}
		part := r.expandAll(sum[i].over(0))
		if part == nil {
			return nil
		}
		out = append(out, part...)
		if len(out) > maxMonomials {
			return nil
		}
	}
	return r.likeTerms(out)
}

// likeTerms combines addends that differ in integer coefficients only: x + x =
// 2 * x, of any element type; under an idempotent sum equal addends are one. A
// term whose coefficients add up to 0 stays: it is present.
func (r ring) likeTerms(sum []addend) []addend {
	var out []addend
	at := map[string]int{}
	for i := range sum {
		a := &sum[i]
		key, coef, ok := r.likeness(a)
		if !ok {
			out = append(out, *a)
			continue
		}
		j, seen := at[key]
		switch {
		case !seen:
			at[key] = len(out)
			out = append(out, *a)
		case r.sum == semiring.Add:
			_, have, _ := r.likeness(&out[j])
			out[j] = a.withCoef(have + coef)
		}
	}
	return out
}

// likeness returns what is equal for addends that combine, and the coefficient,
// a small integer; ok is false when the coefficient is none.
func (r ring) likeness(a *addend) (key string, coef int64, ok bool) {
	if len(a.parts)+len(a.sums) == 0 {
		return "", 0, false
	}
	coef = 1
	for _, c := range a.coefs {
		v, small := smallInt(c)
		if !small || r.sum != semiring.Add || v > maxCoef || v < -maxCoef {
			return "", 0, false
		}
		if coef *= v; coef > maxCoef || coef < -maxCoef {
			return "", 0, false
		}
	}
	if a.neg {
		coef = -coef
	}
	texts := sortedStrings(a.parts)
	for _, s := range a.sums {
		texts = append(texts, einsum.ExprString(r.write(s)))
	}
	key = strings.Join(texts, "\x00") + "\x01" + strings.Join(sortedStrings(a.guards), "\x00")
	return key, coef, true
}

// maxCoef bounds coefficients that are combined, so that they never overflow.
const maxCoef = 1 << 20

// withCoef is the product with another integer coefficient.
func (a *addend) withCoef(v int64) addend {
	out := *a
	out.neg, out.coefs = v < 0, nil
	if v < 0 {
		v = -v
	}
	if v != 1 {
		out.coefs = []einsum.Expr{einsum.Int(v)}
	}
	return out
}
