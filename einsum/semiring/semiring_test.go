package semiring

import (
	"math"
	"testing"
)

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

// arithmetic is what the operators of two arguments do to small numbers.
var arithmetic = map[Op]func(a, b int) int{
	Add: func(a, b int) int { return a + b }, Mul: func(a, b int) int { return a * b },
	Sub: func(a, b int) int { return a - b }, Plus: func(a, b int) int { return a + b },
	Min: func(a, b int) int { return min(a, b) }, Max: func(a, b int) int { return max(a, b) },
	Or: func(a, b int) int { return a | b }, And: func(a, b int) int { return a & b },
}

// valuesOf are numbers on which op is what it claims: 0 and 1 for or and and.
func valuesOf(op Op) []int {
	if op == Or || op == And {
		return []int{0, 1}
	}
	return []int{-100, -2, -1, 0, 1, 3, 100}
}

// constant reads a constant among valuesOf.
func constant(op Op, c Const) int {
	values := valuesOf(op)
	return map[Const]int{Zero: 0, One: 1, Least: values[0], Most: values[len(values)-1]}[c]
}

// The table claims neither too much nor too little of what numbers can show.
func TestAlgebra(t *testing.T) {
	for op, f := range arithmetic {
		info := op.Info()
		values := valuesOf(op)
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
		neutral, absorbing := NoConst, NoConst
		for c := Zero; c <= Most; c++ {
			k := constant(op, c)
			same, fixed := true, true
			for _, a := range values {
				same = same && f(a, k) == a && f(k, a) == a
				fixed = fixed && f(a, k) == k && f(k, a) == k
			}
			if same && neutral == NoConst {
				neutral = c
			}
			if fixed && absorbing == NoConst {
				absorbing = c
			}
		}
		if info.Identity != neutral || info.Annihilator != absorbing {
			t.Errorf("%s: identity %d, annihilator %d, want %d, %d", op, info.Identity, info.Annihilator, neutral, absorbing)
		}
	}
}

func TestRepeat(t *testing.T) {
	for op := Add; op < opCount; op++ {
		f, known := arithmetic[op]
		if !known || !op.Info().Assoc || !op.Info().Comm {
			if op.Info().Repeat != NoRepeat {
				t.Errorf("%s has a repeat function", op)
			}
			continue
		}
		for _, x := range valuesOf(op) {
			folded, power := x, x
			for n := 1; n <= 3; n++ {
				want, ok := map[Repeat]int{RepeatTimes: x * n, RepeatPower: power, RepeatSelf: x}[op.Info().Repeat]
				if !ok || folded != want {
					t.Errorf("%s: %d values %d make %d, the table says %d", op, n, x, folded, want)
				}
				folded, power = f(folded, x), power*x
			}
		}
	}
}

// Distribution that is claimed holds; what is not claimed, even under all
// facts, fails somewhere.
func TestDistribution(t *testing.T) {
	for op, f := range arithmetic {
		for over, g := range arithmetic {
			values := valuesOf(op)
			if over == Or || over == And {
				values = valuesOf(over)
			}
			always, nonNegative := true, true
			for _, a := range values {
				for _, b := range values {
					for _, c := range values {
						holds := f(a, g(b, c)) == g(f(a, b), f(a, c)) && f(g(b, c), a) == g(f(b, a), f(c, a))
						always = always && holds
						nonNegative = nonNegative && (holds || a < 0)
					}
				}
			}
			// min and max, or and and distribute over themselves too, but that is idempotence.
			if op == over || op == Or && over == Max || op == And && over == Min {
				continue
			}
			if (over == Or || over == And) != (op == Or || op == And) {
				continue // they do not mix
			}
			if got := op.DistributesOver(over, 0, ^OthersNonNegative); got != always {
				t.Errorf("%s over %s: the table says %t", op, over, got)
			}
			if got := op.DistributesOver(over, 0, ^Facts(0)); got != nonNegative {
				t.Errorf("%s over %s, the others not negative: the table says %t", op, over, got)
			}
		}
	}
}

func TestDistributionConditions(t *testing.T) {
	for _, c := range []struct {
		op, over Op
		arg      int
		known    Facts
		want     bool
	}{
		{Mul, Max, 1, 0, false},
		{Mul, Max, 1, OthersNonNegative, true},
		{Mul, Add, 1, 0, true},
		{Max, Min, 0, OthersNonNegative | SameAround, false},
		{Max, Min, 0, SamePresence, true},
		{Guard, Max, 0, 0, false},
		{Guard, Max, 0, SameAround, true},
		{Guard, Max, 1, ^Facts(0), false},
		{If0, Add, 0, ^Facts(0), false},
		{Relu, Max, 0, ^Facts(0), false},
	} {
		if got := c.op.DistributesOver(c.over, c.arg, c.known); got != c.want {
			t.Errorf("%s over %s in argument %d, known %d: %t", c.op, c.over, c.arg, c.known, got)
		}
	}
}

func TestFunctions(t *testing.T) {
	for o := Add; o < opCount; o++ {
		info := o.Info()
		if got := info.Blocking && info.ArgsMax == 1; got != o.IsFunction() {
			t.Errorf("%s: a function is a blocking operator of one number", o)
		}
		if info.Blocking && (info.Assoc || info.Comm || len(info.Distributes) > 0 || info.Identity != NoConst) {
			t.Errorf("%s blocks and has an algebra", o)
		}
		if a, ok := AggByName(info.AggName); ok != (info.AggName != "") || ok && a != o {
			t.Errorf("aggregate %q is found as %s", info.AggName, a)
		}
	}
	for x, want := range map[float64][3]bool{-1: {true, false, false}, 0: {true, true, false}, 1: {true, true, true}, math.NaN(): {true, true, true}} {
		if got := [3]bool{Everywhere.Contains(x), NotNegative.Contains(x), Positive.Contains(x)}; got != want {
			t.Errorf("%g: domains %v", x, got)
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
