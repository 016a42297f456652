package exec

import (
	"context"
	"math/big"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// TestFits64 evaluates random integer expressions with 64 and with 128 bits: those that are
// said to fit are the same, and no value reaches its magnitude.
func TestFits64(t *testing.T) {
	narrow, wide := 0, 0
	for seed := range uint64(4000) {
		p := newColumnProblem(t, seed)
		b := newBinder(p.step, p.in, Options{})
		e := b.prepare(context.Background(), make([]bool, 2)).env
		einsum.Walk(p.step.Query.Leaves[1].Expr, func(x einsum.Expr) bool {
			m, ok := x.(*einsum.Map)
			switch {
			case !ok || b.elemOf(x) > semiring.I64:
			case b.fits64(x):
				narrow++
				compareWidths(t, seed, p, b, e, m)
			default:
				wide++
			}
			return true
		})
	}
	if narrow < 3000 || wide < 300 {
		t.Errorf("too little was seen: %d fit, %d do not", narrow, wide)
	}
}

func compareWidths(t *testing.T, seed uint64, p *columnProblem, b *binder, e *env, x *einsum.Map) {
	t.Helper()
	const leaf = 1
	in128 := (&compiler[semiring.Int128]{binder: b, arith: arithI128(), leaf: leaf, agg: semiring.Add}).value(x)
	in64 := (&compiler[int64]{binder: b, arith: arithI64(), leaf: leaf, agg: semiring.Add}).value(x)
	present := b.presentFunc(x)
	limit := new(big.Int).Lsh(big.NewInt(1), uint(b.magnitude(x)))
	for range 20 {
		for o := range b.operands {
			e.pos[b.operands[o].last()] = int32(p.IntN(p.entries))
			if !b.required.has(o) && p.IntN(3) == 0 {
				e.pos[b.operands[o].last()] = -1
			}
		}
		if !present(e) {
			continue
		}
		e.skip, e.err = false, nil
		clear(e.over)
		want := in128(e)
		skipped, failed := e.skip, e.err != nil
		e.skip, e.err = false, nil
		got := in64(e)
		text := einsum.ExprString(x)
		switch {
		case skipped != e.skip || failed != (e.err != nil):
			t.Fatalf("seed %d: skipped %t, failed %t, want %t and %t in %s", seed, e.skip, e.err != nil, skipped, failed, text)
		case skipped || failed:
		case e.over[leaf] || semiring.FromInt64(got) != want:
			t.Fatalf("seed %d: %d, want %s in %s", seed, got, want, text)
		case want.Big().CmpAbs(limit) >= 0:
			t.Fatalf("seed %d: %s has not the magnitude %d of %s", seed, want, b.magnitude(x), text)
		}
	}
	e.skip, e.err = false, nil
}
