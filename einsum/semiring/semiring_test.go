package semiring

import "testing"

func TestByName(t *testing.T) {
	for o := Add; o < opCount; o++ {
		if got, ok := ByName(o.String()); !ok || got != o {
			t.Errorf("%s is found as %s", o, got)
		}
	}
	for _, name := range []string{"", "noop", "sum"} {
		if o, ok := ByName(name); ok {
			t.Errorf("%q is %d", name, o)
		}
	}
}

func TestElemNames(t *testing.T) {
	for e, want := range map[Elem]string{Pattern: "pattern", I64: "i64", I128: "i128", F64: "f64"} {
		if e.String() != want {
			t.Errorf("%d is %s", e, e)
		}
	}
}

// The algebra table against arithmetic: what it claims holds on small numbers
// (0 and 1 for or and and), and distribution that it does not claim fails
// somewhere.
func TestAlgebra(t *testing.T) {
	eval := map[Op]func(a, b int) int{
		Add: func(a, b int) int { return a + b }, Mul: func(a, b int) int { return a * b },
		Sub: func(a, b int) int { return a - b }, Plus: func(a, b int) int { return a + b },
		Min: func(a, b int) int { return min(a, b) }, Max: func(a, b int) int { return max(a, b) },
		Or: func(a, b int) int { return a | b }, And: func(a, b int) int { return a & b },
	}
	for op, f := range eval {
		info := op.Info()
		values := []int{-2, -1, 0, 1, 3}
		if op == Or || op == And {
			values = []int{0, 1}
		}
		assoc, comm, idem := true, true, true
		for _, a := range values {
			idem = idem && f(a, a) == a
			for _, b := range values {
				comm = comm && f(a, b) == f(b, a)
				for _, c := range values {
					assoc = assoc && f(f(a, b), c) == f(a, f(b, c))
				}
			}
		}
		if info.Assoc != assoc || info.Comm != comm || info.Idempotent != idem {
			t.Errorf("%s: the table says associative %t, commutative %t, idempotent %t", op, info.Assoc, info.Comm, info.Idempotent)
		}
		for agg, g := range eval {
			if !op.Distributes(agg) {
				continue
			}
			for _, a := range values {
				for _, b := range values {
					for _, c := range values {
						if f(a, g(b, c)) != g(f(a, b), f(a, c)) {
							t.Errorf("%s does not distribute over %s: %d, %d, %d", op, agg, a, b, c)
						}
					}
				}
			}
		}
	}
	for _, wrong := range [][2]Op{{Mul, Min}, {Mul, Max}, {Add, Add}, {Add, Min}, {Guard, Add}, {Sub, Add}} {
		if wrong[0].Distributes(wrong[1]) {
			t.Errorf("%s is said to distribute over %s", wrong[0], wrong[1])
		}
	}
}

func TestMasks(t *testing.T) {
	for o := Add; o < opCount; o++ {
		info := o.Info()
		if want := o >= Eq && o <= Ge; info.Mask != want || want && (!info.Conjunctive || !info.Infix) {
			t.Errorf("%s: mask %t, conjunctive %t, infix %t", o, info.Mask, info.Conjunctive, info.Infix)
		}
	}
}
