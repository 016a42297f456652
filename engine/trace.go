package engine

import (
	"fmt"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/translate"
)

// trace gathers what EXPLAIN shows: the objects that execute and, with ANALYZE,
// what they did. All methods work on nil, when nobody asks.
type trace struct {
	programs []*programTrace
	account  *account // of the statement; nil until it runs
}

// programTrace is one program: the statement's, or a derived table's that is
// executed on its own.
type programTrace struct {
	name       string // of the relation; empty for the statement
	result     *translate.Result
	loads      []loadTrace
	plans      []*planTrace // the first, then those made on the way
	decomposed []duckbackend.Step
	begins     []duckbackend.Step // what a first step of a recursion reads
	preload    bool               // estimates are from before loading
	handed     bool               // native had no memory for it
	iterations []*iterationTrace
	classes    []string // what the plan reads by class
}

// planTrace is a plan and what became of it.
type planTrace struct {
	logical  *logical.Plan
	physical *physical.Plan
	by       planning
	cached   bool // from the plan cache
	// took is the time of planning, estimating included; tookLogical the part of
	// it up to the logical plan, 0 where a plan was taken or made again.
	took, tookLogical time.Duration
	because           *surprise // why it was made; nil for the first plan
	ran               []*stepTrace
}

type loadTrace struct {
	spec    *load.Spec
	entries int
	cached  bool
	took    time.Duration
	done    bool
}

type stepTrace struct {
	step   *physical.Step
	stats  exec.StepStats
	took   time.Duration
	slices int // in which it ran; 0: as a whole
}

// peak is the most that the statement held, beside tensors that the cache keeps.
func (t *trace) peak() int64 {
	if t.account == nil {
		return 0
	}
	return t.account.peak.Load()
}

// limit is how much the statement might have held, beside other statements.
func (t *trace) limit() int64 {
	if t.account == nil {
		return 0
	}
	return t.account.limit()
}

// program starts the record of a program.
func (t *trace) program(name string, tr *translate.Result) *programTrace {
	if t == nil {
		return nil
	}
	p := &programTrace{name: name, result: tr}
	t.programs = append(t.programs, p)
	return p
}

// count is how many programs there are.
func (t *trace) count() int {
	if t == nil {
		return 0
	}
	return len(t.programs)
}

// begin records what the n-th program, the first of a recursion's step, reads to begin with.
func (t *trace) begin(n int, r *recursion) {
	if n < t.count() {
		t.programs[n].begins = r.begins()
	}
}

func (p *programTrace) loaded(spec *load.Spec, entries int, cached bool, took time.Duration) {
	if p != nil {
		p.loads = append(p.loads, loadTrace{spec: spec, entries: entries, cached: cached, took: took, done: true})
	}
}

func (p *programTrace) planned(t *planTrace) {
	if p != nil {
		p.plans = append(p.plans, t)
	}
}

func (p *programTrace) decomposedInto(t *planTrace, steps []duckbackend.Step) {
	if p != nil {
		p.plans, p.decomposed, p.preload = []*planTrace{t}, steps, true
	}
}

// handedOver notes that what follows is because native had no memory.
func (p *programTrace) handedOver() {
	if p != nil {
		p.handed = true
	}
}

// ran records a step of the present plan; nil when nobody asks.
func (p *programTrace) ran(step *physical.Step, stats exec.StepStats, took time.Duration) *stepTrace {
	if p == nil {
		return nil
	}
	t := &stepTrace{step: step, stats: stats, took: took}
	last := p.plans[len(p.plans)-1]
	last.ran = append(last.ran, t)
	return t
}

// classified records that the program is planned over classes.
func (p *programTrace) classified(c *fibers.Classes, q *logical.Quotient) {
	if p == nil {
		return
	}
	members := int64(0)
	for _, m := range c.Members {
		members += m
	}
	p.classes = append(p.classes, fmt.Sprintf("%s: %d classes of %d coordinates", q.Members, len(c.First), members))
}
