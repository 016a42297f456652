package engine

import (
	"time"

	"github.com/trireme-db/trireme/duckbackend"
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
}

// programTrace is one program: the statement's, or a derived table's that is
// executed on its own.
type programTrace struct {
	name       string // of the relation; empty for the statement
	result     *translate.Result
	loads      []loadTrace
	logical    *logical.Plan
	physical   *physical.Plan
	decomposed []duckbackend.Step
	preload    bool // estimates are from before loading
	planTime   time.Duration
	steps      map[string]stepTrace
}

type loadTrace struct {
	spec    *load.Spec
	entries int
	cached  bool
	took    time.Duration
	done    bool
}

type stepTrace struct {
	stats exec.StepStats
	took  time.Duration
}

// program starts the record of a program.
func (t *trace) program(name string, tr *translate.Result) *programTrace {
	if t == nil {
		return nil
	}
	p := &programTrace{name: name, result: tr, steps: map[string]stepTrace{}}
	t.programs = append(t.programs, p)
	return p
}

func (p *programTrace) loaded(spec *load.Spec, entries int, cached bool, took time.Duration) {
	if p != nil {
		p.loads = append(p.loads, loadTrace{spec: spec, entries: entries, cached: cached, took: took, done: true})
	}
}

func (p *programTrace) planned(l *logical.Plan, f *physical.Plan, took time.Duration) {
	if p != nil {
		p.logical, p.physical, p.planTime = l, f, took
	}
}

func (p *programTrace) decomposedInto(l *logical.Plan, steps []duckbackend.Step) {
	if p != nil {
		p.logical, p.decomposed, p.preload = l, steps, true
	}
}

func (p *programTrace) ran(step *physical.Step, stats exec.StepStats, took time.Duration) {
	if p != nil {
		p.steps[step.Query.Name] = stepTrace{stats: stats, took: took}
	}
}
