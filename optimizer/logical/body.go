package logical

import (
	"math/bits"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Body is what a query's leaves read: its indices, the distinct (tensor,
// arguments) pairs and the comparisons, each known by a small number. Atoms are
// the operands followed by the masks; sets of indices and of atoms are bits.
type Body struct {
	Indices  []einsum.Index // the output's first, then the others by appearance
	Free     uint64         // the output's
	Operands []Operand
	Masks    []Mask
	operand  map[string]int
	mask     map[einsum.Compare]int
}

// Operand is a distinct (tensor, arguments) pair, whatever leaves are read.
type Operand struct {
	Tensor string
	Args   []einsum.Arg
	Set    uint64 // its indices
}

// Mask is a comparison of two indices.
type Mask struct {
	Compare *einsum.Compare
	Set     uint64
}

// maxBits bounds indices and atoms of one query.
const maxBits = 64

// NewBody collects the body of a query in order of appearance, leaf by leaf.
// A query with more than 64 indices or atoms, or with an index that no access
// has, is not supported.
func NewBody(q *einsum.Query) (*Body, error) {
	b := &Body{operand: map[string]int{}, mask: map[einsum.Compare]int{}}
	for _, x := range q.Idxs {
		b.index(x)
	}
	b.Free = uint64(1)<<len(q.Idxs) - 1
	for _, l := range q.Leaves {
		einsum.Walk(l.Expr, func(e einsum.Expr) bool {
			switch e := e.(type) {
			case *einsum.Agg:
				for _, x := range e.Idxs {
					b.index(x)
				}
			case *einsum.Access:
				b.addOperand(e)
			case *einsum.Compare:
				b.addMask(e)
			}
			return true
		})
	}
	if len(b.Indices) > maxBits || len(b.Operands)+len(b.Masks) > maxBits {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "a query of more than 64 indices or 64 operands")
	}
	var bound uint64
	for _, op := range b.Operands {
		bound |= op.Set
	}
	if bound != b.All() {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "an index of query %s occurs in no tensor", q.Name)
	}
	return b, nil
}

func (b *Body) index(x einsum.Index) int {
	for i, y := range b.Indices {
		if y == x {
			return i
		}
	}
	b.Indices = append(b.Indices, x)
	return len(b.Indices) - 1
}

func (b *Body) addOperand(a *einsum.Access) {
	key := operandKey(a)
	if _, ok := b.operand[key]; ok {
		return
	}
	op := Operand{Tensor: a.Tensor, Args: a.Args}
	for _, arg := range a.Args {
		if arg.Const != nil {
			continue
		}
		op.Set |= uint64(1) << (b.index(arg.Index) % maxBits)
	}
	b.operand[key] = len(b.Operands)
	b.Operands = append(b.Operands, op)
}

func (b *Body) addMask(c *einsum.Compare) {
	if _, ok := b.mask[*c]; ok {
		return
	}
	b.mask[*c] = len(b.Masks)
	set := uint64(1)<<(b.index(c.L)%maxBits) | uint64(1)<<(b.index(c.R)%maxBits)
	b.Masks = append(b.Masks, Mask{Compare: c, Set: set})
}

func operandKey(a *einsum.Access) string {
	var key strings.Builder
	key.WriteString(a.Tensor)
	for _, arg := range a.Args {
		key.WriteByte(0)
		key.WriteString(arg.String())
	}
	return key.String()
}

// OperandOf returns the number of the operand that an access reads.
func (b *Body) OperandOf(a *einsum.Access) int {
	i, ok := b.operand[operandKey(a)]
	invariant.Check(ok, "logical: access %s is no operand of the body", a)
	return i
}

// All returns the set of all indices.
func (b *Body) All() uint64 { return lowBits(len(b.Indices)) }

// Atoms returns the set of all atoms.
func (b *Body) Atoms() uint64 { return lowBits(len(b.Operands) + len(b.Masks)) }

func lowBits(n int) uint64 {
	if n >= maxBits {
		return ^uint64(0)
	}
	return uint64(1)<<n - 1
}

// atomsOf returns the atoms that occur in an expression.
func (b *Body) atomsOf(e einsum.Expr) uint64 {
	var set uint64
	einsum.Walk(e, func(e einsum.Expr) bool {
		switch e := e.(type) {
		case *einsum.Access:
			set |= 1 << b.OperandOf(e)
		case *einsum.Compare:
			set |= 1 << (len(b.Operands) + b.mask[*e])
		}
		return true
	})
	return set
}

// maxAlternatives bounds the presence of an expression; beyond it the
// remaining alternatives are merged into one that is present wherever any is.
const maxAlternatives = 64

// Presence returns where an aggregate-free expression is present: at the
// coordinates that all atoms of at least one of the returned sets have. A
// single set is a conjunctive structure.
func (b *Body) Presence(e einsum.Expr) []uint64 {
	p := presence{body: b}
	return p.of(e)
}

// ExactPresence is Presence; ok is false where alternatives have been merged, so
// that the sets have more coordinates than the expression.
func (b *Body) ExactPresence(e einsum.Expr) (sets []uint64, ok bool) {
	p := presence{body: b}
	sets = p.of(e)
	return sets, !p.merged
}

// presence collects the alternatives of one expression.
type presence struct {
	body   *Body
	merged bool
}

func (p *presence) of(e einsum.Expr) []uint64 {
	switch e := e.(type) {
	case *einsum.Access, *einsum.Compare:
		return []uint64{p.body.atomsOf(e)}
	case *einsum.Literal:
		return []uint64{0}
	case *einsum.Agg:
		return p.of(e.Arg)
	case *einsum.Map:
		if !e.Op.Info().Conjunctive && !e.Op.Info().FirstOptional {
			var sets []uint64
			for _, a := range e.Args {
				sets = p.absorb(append(sets, p.of(a)...))
			}
			return sets
		}
		sets := []uint64{0}
		for i, a := range e.Args {
			if e.Op.Needs(i) {
				sets = p.conjoin(sets, p.of(a))
			}
		}
		return sets
	default:
		panic(invariant.Failed("logical: unknown Expr %T", e))
	}
}

// conjoin returns the alternatives of two expressions that must both be present.
func (p *presence) conjoin(a, b []uint64) []uint64 {
	if len(a) == 1 && len(b) == 1 {
		return []uint64{a[0] | b[0]}
	}
	product := make([]uint64, 0, len(a)*len(b))
	for _, s := range b {
		for _, t := range a {
			product = append(product, s|t)
		}
	}
	return p.absorb(product)
}

// absorb drops sets that contain another one: what they require is required
// less strictly by that one.
func (p *presence) absorb(sets []uint64) []uint64 {
	var out []uint64
	for i, s := range sets {
		redundant := false
		for j, t := range sets {
			if i != j && t&^s == 0 && (t != s || j < i) {
				redundant = true
				break
			}
		}
		if !redundant {
			out = append(out, s)
		}
	}
	if len(out) > maxAlternatives {
		p.merged = true
		for _, s := range out[maxAlternatives:] {
			out[maxAlternatives-1] &= s
		}
		out = p.absorb(out[:maxAlternatives])
	}
	return out
}

// members lists the numbers in a set.
func members(set uint64) []int {
	out := make([]int, 0, bits.OnesCount64(set))
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros64(set))
	}
	return out
}

// pick returns the indices of a set in the body's order.
func (b *Body) pick(set uint64) []einsum.Index {
	out := make([]einsum.Index, 0, bits.OnesCount64(set))
	for _, i := range members(set) {
		out = append(out, b.Indices[i])
	}
	return out
}

// aggOf splits a leaf into its aggregate (nil when pointwise) and its body.
func aggOf(e einsum.Expr) (*einsum.Agg, einsum.Expr) {
	if a, ok := e.(*einsum.Agg); ok {
		return a, a.Arg
	}
	return nil, e
}

// hasGuard reports whether a guard occurs in e.
func hasGuard(e einsum.Expr) bool {
	found := false
	einsum.Walk(e, func(e einsum.Expr) bool {
		if m, ok := e.(*einsum.Map); ok && m.Op == semiring.Guard {
			found = true
		}
		return !found
	})
	return found
}
