package einsum

import (
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

const fillDecl = "tensor A(0) { n i64, x f64 }\ntensor P(0) { n i64, x f64 >=0 }\ntensor S() { n pattern, y i64 >=0, z i64 }\n"

func leafExpr(t *testing.T, text string) (*Program, Expr) {
	t.Helper()
	p := mustParse(t, fillDecl+"R() = n: S.n() | e: "+text)
	if err := p.Check(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p, p.Queries[0].Leaves[1].Expr
}

func fillText(f Fill) string {
	switch f.State {
	case FillAbsent:
		return "absent"
	case FillValue:
		return f.Value.String()
	case FillSome:
		return "some"
	default:
		return "unknown"
	}
}

// Where nothing is stored all leaves are absent but z, which is present with an
// unknown value.
func TestFill(t *testing.T) {
	for text, want := range map[string]string{
		"S.y()":                              "absent",
		"S.y() * S.z()":                      "absent",
		"S.y() + S.y()":                      "absent",
		"S.y() + S.z()":                      "some",
		"S.y() + 3":                          "3",
		"3 - S.y()":                          "3",
		"S.y() - 3":                          "-3",
		"S.y() * 3":                          "absent",
		"max(S.y(), 2, 5)":                   "5",
		"max(2, NaN)":                        "NaN",
		"min(2, NaN, 4.5)":                   "2.0",
		"or(S.y(), 0)":                       "0",
		"or(S.y(), 5)":                       "1",
		"and(3, 2h)":                         "1",
		"if0(S.y(), 7)":                      "7",
		"if0(0, 7)":                          "7",
		"if0(2, 7)":                          "2",
		"if0(2, S.z())":                      "2",
		"if0(S.z(), 7)":                      "some",
		"if0(S.z(), S.y())":                  "absent",
		"sqrt(S.y())":                        "absent",
		"sqrt(9)":                            "3.0",
		"sqrt(-9)":                           "some",
		"exp(S.z())":                         "some",
		"neg(S.y())":                         "absent",
		"neg(2 * 3 + 1)":                     "-7",
		"plus(1, 2.5)":                       "3.5",
		"9223372036854775807 + 1":            "9223372036854775808h",
		"sum() guard(3, S.y())":              "absent",
		"sum() guard(3, 1)":                  "3",
		"sum() guard(3, 0)":                  "some",
		"sum(i) A.x(i)":                      "absent",
		"sum(i,j) A.x(i) * P.x(j) * (i < j)": "absent",
		"or() 5":                             "1",
	} {
		_, e := leafExpr(t, text)
		got := FillOf(e, func(a *Access) Fill {
			if a.Leaf == "z" {
				return Fill{State: FillSome}
			}
			return Fill{}
		})
		if fillText(got) != want {
			t.Errorf("%s: %s, want %s", text, fillText(got), want)
		}
	}
}

// What no legal program says: a comparison alone, an aggregate over what is
// present everywhere.
func TestFillOfTrees(t *testing.T) {
	i := []Index{{"i", 0}}
	compare := &Compare{Op: semiring.Lt, L: Index{"i", 0}, R: Index{"j", 0}}
	for _, c := range []struct {
		e    Expr
		want string
	}{
		{compare, "unknown"},
		{Add(compare, A("S", "y")), "unknown"},
		{Add(compare, Int(1)), "some"},
		{Mul(compare, Int(1)), "unknown"},
		{Mul(compare, A("S", "y")), "absent"},
		{&Map{Op: semiring.If0, Args: []Expr{compare, Int(3)}}, "some"},
		{&Map{Op: semiring.If0, Args: []Expr{Int(3), compare}}, "unknown"},
		{&Agg{Op: semiring.Min, Idxs: i, Arg: Int(2)}, "2"},
		{&Agg{Op: semiring.Add, Idxs: i, Arg: Int(0)}, "0"},
		{&Agg{Op: semiring.Add, Idxs: i, Arg: Int(2)}, "some"},
		{&Agg{Op: semiring.Or, Idxs: i, Arg: Int(2)}, "1"},
	} {
		if got := FillOf(c.e, func(*Access) Fill { return Fill{} }); fillText(got) != c.want {
			t.Errorf("%s: %s, want %s", ExprString(c.e), fillText(got), c.want)
		}
	}
}

// An operator needs the arguments whose absence annihilates it, and the
// conjunctive ones need all.
func TestConjunctiveIsAbsenceAnnihilates(t *testing.T) {
	for op := semiring.Add; op <= semiring.If0; op++ {
		info, all := op.Info(), true
		for i := range info.ArgsMin {
			m := &Map{Op: op}
			for range info.ArgsMin {
				m.Args = append(m.Args, A("T", "some"))
			}
			m.Args[i] = A("T", "absent")
			got := FillOf(m, func(a *Access) Fill {
				if a.Leaf == "absent" {
					return Fill{}
				}
				return Fill{State: FillSome}
			}).State == FillAbsent
			if got != op.Needs(i) {
				t.Errorf("%s, argument %d absent: annihilated %t", op, i, got)
			}
			all = all && got
		}
		if all != info.Conjunctive {
			t.Errorf("%s: conjunctive is %t in the table", op, info.Conjunctive)
		}
	}
}

func TestNonNegative(t *testing.T) {
	for text, want := range map[string]bool{
		"sum(i) P.x(i)":                       true,
		"sum(i) A.x(i)":                       false,
		"sum(i) A.n(i) * P.x(i) * 2":          true,
		"sum(i) A.n(i) * P.x(i) * -2":         false,
		"sum(i) P.n(i) - P.x(i)":              false,
		"3 - 2":                               true,
		"2 - 3":                               false,
		"neg(S.y())":                          false,
		"neg(-2)":                             true,
		"max(S.z(), 0)":                       true,
		"max(S.z(), S.y())":                   false,
		"max(S.n(), S.y())":                   true,
		"min(S.z(), S.y())":                   false,
		"plus(S.n(), S.y(), 0.5)":             true,
		"if0(S.y(), 1)":                       true,
		"if0(S.y(), -1)":                      false,
		"abs(S.z()) + relu(S.z())":            true,
		"ln(S.y())":                           false,
		"sqrt(S.y()) * exp(S.z())":            true,
		"sigmoid(S.z()) * S.z()":              false,
		"or(S.z(), S.z())":                    true,
		"max(i) P.x(i)":                       true,
		"max(i) guard(P.x(i), P.n(i))":        false,
		"sum(i) guard(P.x(i), A.x(i))":        true,
		"sum(i,j) A.n(i) * P.n(j) * (i <> j)": true,
		"NaN * 1":                             true,
	} {
		p, e := leafExpr(t, text)
		decls := p.Elems()
		got := NonNegative(e, func(a *Access) LeafDecl {
			for _, l := range decls[a.Tensor] {
				if l.Name == a.Leaf {
					return l
				}
			}
			t.Fatal(a)
			return LeafDecl{}
		})
		if got != want || decls["R"][1].NonNegative != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
