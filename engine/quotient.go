package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/translate"
)

// Bounds of planning over classes.
const (
	// quotientCost is the estimated work of a plan, in cells at 5.5 ns, below which
	// nothing is looked for: planning once more takes milliseconds.
	quotientCost = 2e6
	// quotientEntryCost is the work of finding classes, in cells per entry of the
	// inputs over the domain: some 150 ns the first time.
	quotientEntryCost = 30
	// quotientMembers is how many coordinates a class must have on average.
	quotientMembers = 2
	// quotientGain is by how much a plan over classes must be cheaper.
	quotientGain = 0.5
)

// quotient plans over classes of coordinates that nothing in the program tells
// apart, where the plan is dear and becomes much cheaper (logical.Quotient). What
// classes there are depends on the inputs as loaded; they are found once per
// versions of their tables, and kept with the tensors. The steps of the plan are
// what reads classes: the rewrites that made them are not searched for again.
// Programs with checks, which are on queries that steps may stand for, are left alone.
func (n *nativeRun) quotient(ctx context.Context, plan *planTrace) (*planTrace, error) {
	if planCost(plan.logical) < quotientCost && !n.planning.classes || len(n.tr.Bounds()) > 0 {
		return plan, nil
	}
	for again := true; again; {
		again = false
		cost, steps := planCost(plan.logical), stepsOf(n.program, plan.logical)
		for _, q := range logical.Quotients(steps) {
			if !n.quotientPays(q, cost) {
				continue
			}
			program, err := n.byClass(ctx, steps, q)
			if err != nil {
				return nil, err
			}
			if program == nil {
				continue
			}
			by, err := n.planSettled(ctx, program)
			if err != nil {
				return nil, err
			}
			if planCost(by.logical) < cost*quotientGain || n.planning.classes && !n.settled {
				n.program, n.settled, plan, again = program, true, by, true
				n.trace.classified(n.bases[q.Members].base.Classes, q)
				break
			}
		}
	}
	return plan, nil
}

// stepsOf is the program that a plan's steps are.
func stepsOf(p *einsum.Program, plan *logical.Plan) *einsum.Program {
	out := &einsum.Program{Inputs: p.Inputs}
	for _, s := range plan.Steps {
		out.Queries = append(out.Queries, s.Query)
	}
	return out
}

// planSettled plans a program to which rewrites have been applied.
func (n *nativeRun) planSettled(ctx context.Context, p *einsum.Program) (*planTrace, error) {
	q := *n.queryRun
	q.planning.settled = true
	return q.plan(ctx, n.tr, p, n)
}

// quotientPays reports whether it takes little of a plan's time to look for classes.
func (n *nativeRun) quotientPays(q *logical.Quotient, cost float64) bool {
	for d, same := range n.joined {
		if d == q.Domain || same == q.Domain {
			return false
		}
	}
	entries, dim := 0, 0
	for _, s := range n.slicesOf(q) {
		entries += s.COO.N
		dim = max(dim, s.COO.Dims[s.Mode])
	}
	return n.planning.classes || cost > quotientCost && cost > quotientEntryCost*float64(entries+dim)
}

// slicesOf are the inputs over the domain of a quotient.
func (n *nativeRun) slicesOf(q *logical.Quotient) []fibers.Slices {
	var out []fibers.Slices
	for _, in := range q.Inputs {
		out = append(out, fibers.Slices{COO: n.bases[in.Input.Name].base.COO, Mode: in.Mode})
	}
	return out
}

// byClass makes the tensors that a quotient reads and returns the steps over them;
// nil when there are too many classes, or is no memory to find them.
func (n *nativeRun) byClass(ctx context.Context, steps *einsum.Program, q *logical.Quotient) (*einsum.Program, error) {
	domain := n.route.domains.Resolve(fibers.RowValues, nil)
	n.using = append(n.using, domain)
	members, err := n.keepOrMake(ctx, q, "members", func(ctx context.Context) (*cache.Base, error) {
		return n.members(ctx, q, domain)
	})
	if err != nil || members == nil || members.base.Classes == nil {
		return nil, err
	}
	classes := members.base.Classes
	domain.Prepare(fibers.DomainHint{Rows: len(classes.First)})
	n.domains[q.Classes] = domain
	sizes, err := n.keepOrMake(ctx, q, "sizes", func(ctx context.Context) (*cache.Base, error) {
		return cache.ClassSizes(ctx, classes, einsum.CountLeaf, domain)
	})
	if err != nil {
		return nil, err
	}
	count := []einsum.LeafDecl{{Name: einsum.CountLeaf}}
	declared := []*einsum.Input{
		n.adopted(members, &einsum.Input{Name: q.Members, Domains: []int{q.Domain, q.Classes}, Leaves: count}),
		n.adopted(sizes, &einsum.Input{Name: q.Sizes, Domains: []int{q.Classes}, Leaves: count}),
	}
	for i, in := range q.Inputs {
		of := n.bases[in.Input.Name]
		decl := &einsum.Input{Name: in.Name, Domains: slices.Clone(in.Input.Domains), Leaves: in.Input.Leaves, Keys: in.Input.Keys}
		decl.Domains[in.Mode] = q.Classes
		l, err := n.keepOrMake(ctx, q, fmt.Sprintf("slices of input %d", i), func(ctx context.Context) (*cache.Base, error) {
			return of.base.ByClass(ctx, in.Mode, classes, n.domainsFor(decl))
		})
		if err != nil {
			return nil, err
		}
		declared = append(declared, n.adopted(l, decl))
	}
	outputs := map[string]bool{}
	for _, a := range n.tr.Answers() {
		outputs[a.Output] = true
	}
	return q.Apply(steps, outputs, declared), nil
}

// adopted makes a tensor an input of the run and returns what it shows.
func (n *nativeRun) adopted(l *loaded, decl *einsum.Input) *einsum.Input {
	l.decl = decl
	n.bases[decl.Name] = l
	return l.base.Declare(decl)
}

func (n *nativeRun) domainsFor(decl *einsum.Input) []*cache.Domain {
	var out []*cache.Domain
	for _, d := range decl.Domains {
		out = append(out, n.domains[d])
	}
	return out
}

// members finds the classes of a quotient, or that there are too many.
func (n *nativeRun) members(ctx context.Context, q *logical.Quotient, domain *cache.Domain) (*cache.Base, error) {
	of := n.slicesOf(q)
	dim, occur := 0, 0
	for i, s := range of {
		dim = max(dim, s.COO.Dims[s.Mode])
		occur = max(occur, n.bases[q.Inputs[i].Input.Name].base.Distinct[s.Mode])
	}
	finding := n.account.part(0)
	defer finding.close()
	if !finding.Hold(fibers.ClassesBytes(of, dim)) {
		return nil, errBudget
	}
	most := occur / quotientMembers
	if n.planning.classes {
		most = dim
	}
	classes, ok, err := fibers.FindClasses(ctx, of, dim, most)
	if err != nil {
		return nil, err
	}
	if !ok {
		classes = nil
	}
	return cache.Membership(ctx, classes, einsum.CountLeaf, []*cache.Domain{n.domains[q.Domain], domain})
}

// keepOrMake takes a tensor of a quotient from the cache, or makes it. Its key says
// which inputs the classes are of, and what it is: of which of these, and not under
// which name, that in another program may be another's. Those of a derived table's rows
// are not kept.
func (n *nativeRun) keepOrMake(ctx context.Context, q *logical.Quotient, what string, build func(context.Context) (*cache.Base, error)) (*loaded, error) {
	key, kept := []string{"classes", what, fmt.Sprint(n.planning.classes)}, true
	for _, in := range q.Inputs {
		l := n.bases[in.Input.Name]
		kept = kept && l.spec != nil && (l.spec.Table.Catalog != translate.RelationCatalog || n.relationOf(n.tr, l.spec.Table).Lasting())
		if kept {
			key = append(key, fmt.Sprint(in.Mode), n.cacheKey(l.spec, n.domainsFor(l.decl)))
		}
	}
	timed := func(ctx context.Context) (*cache.Base, bool, error) {
		started := time.Now()
		b, err := build(ctx)
		if err != nil {
			return nil, false, err
		}
		b.CostNs = float64(time.Since(started).Nanoseconds())
		return b, true, nil
	}
	var pin *cache.Pin
	if kept {
		var err error
		if pin, _, err = n.tensors.Get(ctx, strings.Join(key, "\x04"), timed); err != nil {
			return nil, err
		}
	} else {
		b, _, err := timed(ctx)
		if err != nil {
			return nil, err
		}
		pin = cache.Pinned(b)
	}
	n.pins = append(n.pins, pin)
	if !pin.Kept() {
		if err := n.account.take(pin.Base.Bytes()); err != nil {
			return nil, err
		}
	}
	return &loaded{Pin: pin, base: pin.Base}, nil
}
