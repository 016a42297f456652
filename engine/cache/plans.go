package cache

import (
	"container/list"
	"fmt"
	"slices"
	"sync"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Plan is what the planner made of a program. Physical is nil where only the
// logical plan is wanted.
type Plan struct {
	Logical  *logical.Plan
	Physical *physical.Plan
}

// Planner plans a program with the statistics of a source.
type Planner func(p *einsum.Program, src stats.Source) (Plan, error)

// Plans is the plan cache. It is safe for concurrent use; plans are immutable.
//
// A plan is found by the template of its program (declared facts and leaf types
// included, constants left out) and by what else the caller planned under, and
// is used again while every figure that the planner asked for is within a factor
// of similarFactor of what it was told. Otherwise the program is planned once
// more and the new plan is kept beside the old ones.
type Plans struct {
	mu    sync.Mutex
	known map[string]*plansOf
	order *list.List // of *plansOf, most recently used first
	bytes int64
}

// plansOf are the plans of one template, most recently made or used first.
type plansOf struct {
	key   string
	plans []*keptPlan
	bytes int64
	place *list.Element
}

// keptPlan is a plan with the constants that it was made for and what the
// planner was told; it is immutable.
type keptPlan struct {
	plan   Plan
	consts []einsum.Const
	asked  []answer
}

// answer is one answer that a source gave the planner.
type answer struct {
	access *einsum.Access
	stats  stats.TensorStats
}

const (
	// similarFactor is how far a figure may be from the one a plan was made with.
	similarFactor = 2
	// plansPerKey bounds the plans of one template: tables that shrink and grow
	// again, parameters that select few rows or many.
	plansPerKey = 4
	// plansBytesMax bounds the cache; it is no part of the tensor cache's budget.
	plansBytesMax = 16 << 20
	// The bytes of a step and of an operand, by the sizes of their nodes.
	stepBytes    = 1 << 10
	operandBytes = 1 << 9
)

// NewPlans returns an empty cache.
func NewPlans() *Plans { return &Plans{known: map[string]*plansOf{}, order: list.New()} }

// Get returns a plan of the program, calling build when none is kept that was
// made under the same settings for similar statistics. hit reports that nothing
// was planned. Two callers may plan the same at once; one of the plans is kept.
func (p *Plans) Get(settings string, prog *einsum.Program, src stats.Source, build Planner) (plan Plan, hit bool, err error) {
	text, consts := template(prog)
	key := settings + "\x00" + text
	for _, k := range p.candidates(key) {
		swap := between(k.consts, consts)
		if !k.suits(swap, src) {
			continue
		}
		p.used(key, k)
		if slices.Equal(k.consts, consts) {
			return k.plan, true, nil
		}
		plan := Plan{Logical: swap.logical(k.plan.Logical)}
		if k.plan.Physical != nil {
			plan.Physical = swap.physical(k.plan.Physical)
		}
		return plan, true, nil
	}
	r := &recorder{src: src, seen: map[string]bool{}}
	if plan, err = build(prog, r); err != nil {
		return Plan{}, false, err
	}
	p.keep(key, &keptPlan{plan: plan, consts: consts, asked: r.asked})
	return plan, false, nil
}

func (p *Plans) candidates(key string) []*keptPlan {
	p.mu.Lock()
	defer p.mu.Unlock()
	if of := p.known[key]; of != nil {
		return slices.Clone(of.plans)
	}
	return nil
}

// used moves a plan to the front of its template's, and these to the front of all.
func (p *Plans) used(key string, k *keptPlan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.known[key]
	if of == nil {
		return
	}
	p.order.MoveToFront(of.place)
	if i := slices.Index(of.plans, k); i > 0 {
		of.plans = slices.Insert(slices.Delete(of.plans, i, i+1), 0, k)
	}
}

// keep adds a plan; the oldest of its template's, then the templates least
// recently used, make room.
func (p *Plans) keep(key string, k *keptPlan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.known[key]
	if of == nil {
		of = &plansOf{key: key}
		of.place = p.order.PushFront(of)
		p.known[key] = of
	}
	p.order.MoveToFront(of.place)
	of.plans = slices.Insert(of.plans, 0, k)
	if len(of.plans) > plansPerKey {
		of.plans = slices.Delete(of.plans, plansPerKey, len(of.plans))
	}
	p.bytes -= of.bytes
	of.bytes = int64(len(key))
	for _, k := range of.plans {
		of.bytes += k.size()
	}
	p.bytes += of.bytes
	for p.bytes > plansBytesMax && p.order.Len() > 0 {
		last := p.order.Remove(p.order.Back()).(*plansOf)
		delete(p.known, last.key)
		p.bytes -= last.bytes
	}
}

// Bytes is the estimated memory of all plans kept.
func (p *Plans) Bytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// size estimates the bytes of a plan.
func (k *keptPlan) size() int64 {
	n := int64(len(k.asked)) * operandBytes
	n += int64(len(k.plan.Logical.Steps)) * stepBytes
	if k.plan.Physical != nil {
		for _, s := range k.plan.Physical.Steps {
			n += stepBytes + int64(len(s.Operands))*operandBytes
		}
	}
	return n
}

// suits reports whether the planner would be told much the same now.
func (k *keptPlan) suits(swap constants, src stats.Source) bool {
	for _, a := range k.asked {
		if !similarStats(a.stats, src.Stats(swap.access(a.access))) {
			return false
		}
	}
	return true
}

func similarStats(a, b stats.TensorStats) bool {
	return a.Exact == b.Exact && similar(a.NNZ, b.NNZ) &&
		slices.EqualFunc(a.Dims, b.Dims, similar) && slices.EqualFunc(a.Distinct, b.Distinct, similar) &&
		similarDegrees(a.Degrees, b.Degrees) && a.Full() == b.Full() && a.Shape.Alike(b.Shape, similar)
}

// similarDegrees compares the largest degrees, and the pairs of entries that
// meet in a coordinate: the sizes of joins.
func similarDegrees(a, b *stats.Degrees) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.EqualFunc(a.Modes, b.Modes, func(x, y stats.ModeDegrees) bool {
		return similar(x.Max, y.Max) && similar(x.Squares, y.Squares)
	})
}

// similar compares counts; below 1 there is nothing to tell apart.
func similar(a, b float64) bool {
	a, b = max(a, 1), max(b, 1)
	return a <= similarFactor*b && b <= similarFactor*a
}

// recorder notes what a planner asks of a source.
type recorder struct {
	src   stats.Source
	seen  map[string]bool
	asked []answer
}

// Stats implements stats.Source. Answers hang on the tensor and the constants
// only.
func (r *recorder) Stats(a *einsum.Access) stats.TensorStats {
	s := r.src.Stats(a)
	key := fmt.Sprintf("%q", a.Tensor)
	for m, x := range a.Args {
		if x.Const != nil {
			key += fmt.Sprintf(" %d=%s", m, x.Const)
		}
	}
	if !r.seen[key] {
		r.seen[key] = true
		r.asked = append(r.asked, answer{access: a, stats: s})
	}
	return s
}
