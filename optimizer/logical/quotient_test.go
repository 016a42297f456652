package logical_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// TestQuotient prints a program over classes, for every domain that it can read by
// class; outputs are queries that are answers beside the last.
func TestQuotient(t *testing.T) {
	datadriven.RunTest(t, "testdata/quotient", func(t *testing.T, d *datadriven.TestData) string {
		p, err := einsum.Parse(d.Input)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		outputs := map[string]bool{}
		if arg, ok := d.Arg("outputs"); ok {
			for _, name := range arg.Vals {
				outputs[name] = true
			}
		}
		var b strings.Builder
		for _, q := range logical.Quotients(p) {
			by := q.Apply(p, outputs, declared(q))
			if err := by.Check(); err != nil {
				t.Errorf("domain %d: %v\n%s", q.Domain, err, by)
			}
			fmt.Fprintf(&b, "domain %d by %d:\n%s", q.Domain, q.Classes, by)
		}
		if b.Len() == 0 {
			return "nothing by class\n"
		}
		return b.String()
	})
}

// declared are the inputs of a quotient as nobody has seen them yet.
func declared(q *logical.Quotient) []*einsum.Input {
	count := []einsum.LeafDecl{{Name: einsum.CountLeaf, Elem: semiring.I64}}
	out := []*einsum.Input{
		{Name: q.Members, Domains: []int{q.Domain, q.Classes}, Leaves: count},
		{Name: q.Sizes, Domains: []int{q.Classes}, Leaves: count},
	}
	for _, in := range q.Inputs {
		decl := &einsum.Input{Name: in.Name, Domains: append([]int(nil), in.Input.Domains...), Leaves: in.Input.Leaves}
		decl.Domains[in.Mode] = q.Classes
		out = append(out, decl)
	}
	return out
}
