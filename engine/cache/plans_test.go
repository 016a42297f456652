package cache

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// tableSource answers with figures per tensor and, where a mode is bound to a
// constant, per constant.
type tableSource struct {
	nnz map[string]float64
	dim float64
}

func (s *tableSource) Stats(a *einsum.Access) stats.TensorStats {
	name := a.Tensor
	for _, x := range a.Args {
		if x.Const != nil {
			name += "@" + x.Const.String()
		}
	}
	t := stats.TensorStats{NNZ: s.nnz[name], Exact: true}
	for _, x := range a.Args {
		if x.Const == nil {
			t.Dims = append(t.Dims, s.dim)
			t.Distinct = append(t.Distinct, min(s.dim, t.NNZ))
		}
	}
	return t
}

// planOf asks the cache for a program in the notation.
func planOf(t *testing.T, c *Plans, settings, text string, src stats.Source) (Plan, bool) {
	t.Helper()
	p, err := einsum.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	plan, hit, err := c.Get(settings, p, src, func(p *einsum.Program, src stats.Source) (Plan, error) {
		l, f, err := optimizer.Optimize(p, src, optimizer.Options{})
		return Plan{Logical: l, Physical: f}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan, hit
}

const declarations = "tensor E(0,0) { n i64 }\ntensor L(0,1) { n pattern }\n"

// path is two edges between vertices with the labels a and b.
func path(a, b string) string {
	return declarations + fmt.Sprintf("R() = n: sum(x,y,z) L.n(x,%s) * E.n(x,y) * E.n(y,z) * L.n(z,%s)\n", a, b)
}

func pathSource() *tableSource {
	return &tableSource{dim: 100, nnz: map[string]float64{"E": 1000, "L": 100, "L@5": 10, "L@6": 15, "L@7": 90, "L@8": 10, "L@'5'": 10}}
}

func TestPlansAreUsedForOtherConstants(t *testing.T) {
	c, src := NewPlans(), pathSource()
	first, hit := planOf(t, c, "s", path("5", "6"), src)
	if hit {
		t.Fatal("the first plan is from the cache")
	}
	same, hit := planOf(t, c, "s", path("5", "6"), src)
	if !hit || same != first {
		t.Error("the same program is planned again")
	}
	other, hit := planOf(t, c, "s", path("6", "8"), src)
	if !hit {
		t.Fatal("other constants of like frequency are planned again")
	}
	for _, text := range []string{other.Logical.String(), other.Physical.String()} {
		back := strings.NewReplacer(",6)", ",5)", ",8)", ",6)").Replace(text)
		if back != first.Logical.String() && back != first.Physical.String() {
			t.Errorf("not the first plan with other constants:\n%s", text)
		}
	}
	if text := first.Logical.String(); !strings.Contains(text, ",5)") {
		t.Errorf("using the plan changed the kept one:\n%s", text)
	}
}

func TestEqualAndDifferentConstantsAreTwoTemplates(t *testing.T) {
	c, src := NewPlans(), pathSource()
	planOf(t, c, "s", path("5", "5"), src)
	if _, hit := planOf(t, c, "s", path("5", "8"), src); hit {
		t.Error("a plan for one constant in two places is used for two constants")
	}
	if _, hit := planOf(t, c, "s", path("8", "8"), src); !hit {
		t.Error("another constant in two places is planned again")
	}
	if _, hit := planOf(t, c, "s", path("'5'", "5"), src); !hit {
		t.Error("a string and a number are two constants, as 5 and 8 are")
	}
	if _, hit := planOf(t, c, "s", path("NULL", "NULL"), src); hit {
		t.Error("a plan for a value is used for NULL")
	}
}

func TestPlansAreMadeAgain(t *testing.T) {
	c, src := NewPlans(), pathSource()
	base := path("5", "6")
	planOf(t, c, "s", base, src)
	if _, hit := planOf(t, c, "other settings", base, src); hit {
		t.Error("a plan of other settings is used")
	}
	if _, hit := planOf(t, c, "s", strings.Replace(base, "n i64", "n pattern", 1), src); hit {
		t.Error("a plan of other leaf types is used")
	}
	if _, hit := planOf(t, c, "s", strings.Replace(base, "n i64", "n i64 >=0", 1), src); hit {
		t.Error("a plan of other facts is used")
	}
	if _, hit := planOf(t, c, "s", path("7", "6"), src); hit {
		t.Error("a plan is used for a constant nine times as frequent")
	}
	if _, hit := planOf(t, c, "s", base, src); !hit {
		t.Error("the plan for the rare constant is gone")
	}
	src.nnz["E"] = 1999
	if _, hit := planOf(t, c, "s", base, src); !hit {
		t.Error("a plan is not used although the tensor has not doubled")
	}
	src.nnz["E"] = 2001
	if _, hit := planOf(t, c, "s", base, src); hit {
		t.Error("a plan is used although the tensor has more than doubled")
	}
	src.dim = 1e6
	if _, hit := planOf(t, c, "s", base, src); hit {
		t.Error("a plan is used although the domains have grown")
	}
}

func TestPlansStayBounded(t *testing.T) {
	c, src := NewPlans(), pathSource()
	for i := range 3 * plansPerKey {
		src.nnz["E"] *= 3
		planOf(t, c, "s", path("5", "6"), src)
		if i == 0 {
			planOf(t, c, "s", path("5", "5"), src)
		}
	}
	few := c.Bytes()
	if got := len(c.known); got != 2 {
		t.Fatalf("%d templates, want 2", got)
	}
	for i := 0; len(c.known) == i+2; i++ {
		planOf(t, c, strings.Repeat("long", 1<<18)+fmt.Sprint(i), path("5", "6"), src)
		if c.Bytes() > plansBytesMax {
			t.Fatalf("%d bytes of plans", c.Bytes())
		}
	}
	if c.Bytes() <= few {
		t.Error("keys do not count as bytes")
	}
	if _, hit := planOf(t, c, "s", path("5", "6"), src); hit {
		t.Error("the plans used least recently are kept")
	}
}

func TestPlansAreSharedByGoroutines(t *testing.T) {
	c := NewPlans()
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			src := pathSource()
			for i := range 50 {
				src.nnz["E"] = float64(int(1000) << (2 * ((i + g) % 6)))
				plan, _ := planOf(t, c, "s", path("5", []string{"6", "8", "7"}[i%3]), src)
				if want := []string{",6)", ",8)", ",7)"}[i%3]; !strings.Contains(plan.Logical.String(), want) {
					t.Errorf("no %s in\n%s", want, plan.Logical)
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkPlans is the time to come by the plans of a labelled pattern of eight
// vertices and eleven edges: planned, and from the cache with other constants.
func BenchmarkPlans(b *testing.B) {
	pattern := func(label string) *einsum.Program {
		edges := []string{"ab", "bc", "cd", "de", "ef", "fg", "gh", "ha", "ac", "eg", "bf"}
		text := declarations + "R() = n: sum(a,b,c,d,e,f,g,h) L.n(a," + label + ") * L.n(e,6)"
		for _, e := range edges {
			text += " * E.n(" + e[:1] + "," + e[1:] + ")"
		}
		p, err := einsum.Parse(text + "\n")
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	src, programs := pathSource(), []*einsum.Program{pattern("5"), pattern("8")}
	get := func(b *testing.B, c *Plans, p *einsum.Program) bool {
		_, hit, err := c.Get("s", p, src, func(p *einsum.Program, src stats.Source) (Plan, error) {
			l, f, err := optimizer.Optimize(p, src, optimizer.Options{Estimator: stats.Best{}})
			return Plan{Logical: l, Physical: f}, err
		})
		if err != nil {
			b.Fatal(err)
		}
		return hit
	}
	b.Run("plan=made", func(b *testing.B) {
		for b.Loop() {
			get(b, NewPlans(), programs[0])
		}
	})
	b.Run("plan=kept", func(b *testing.B) {
		c := NewPlans()
		get(b, c, programs[0])
		for i := 0; b.Loop(); i++ {
			if !get(b, c, programs[i%2]) {
				b.Fatal("planned again")
			}
		}
	})
}
