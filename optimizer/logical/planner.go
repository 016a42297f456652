package logical

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Options choose how a program is planned. The zero value searches
// automatically with uniform statistics.
type Options struct {
	// Estimator defaults to stats.Uniform.
	Estimator stats.Estimator
	Search    Search
	// Budget bounds the search of one query, in units of work (kernels priced and
	// transitions tried, never time: a plan does not depend on the load of the
	// machine); 0 is a default.
	Budget int
	// Done are queries computed before; their results are inputs of the program
	// under their names, and equal steps read them.
	Done []*einsum.Query
	// Needed names the queries that the plan must have, as steps or as what
	// another step answers, because something beside the program reads them. Nil
	// says all.
	Needed map[string]bool
	// Outputs are needed queries that are steps of their own, as the result is, even
	// where another step computes the same.
	Outputs map[string]bool
	// Whole names queries that are one step as they are: nothing is searched for them.
	Whole map[string]bool
	// UniteAll unites parts that are only read together whatever that costs: for tests,
	// since answers do not depend on it.
	UniteAll bool
	// Stopped is asked before each query is planned: its error ends the planning. Nil:
	// nothing stops it.
	Stopped func() error
	// StoredMax bounds the entries that a step may be estimated to store, unless
	// the program names it; 0: no bound. A query stops being divided where that
	// would take a larger step: what is left of it is one kernel.
	StoredMax float64
}

// Eliminate turns a normalised program into a plan: query by query, reduced
// indices leave one after another, each with the kernel of everything that
// mentions it (Galley section 5.3), in the order that the search finds best.
func Eliminate(p *einsum.Program, src stats.Source, opt Options) (*Plan, error) {
	return newPlanner(p, src, opt).run()
}

func (pl *planner) run() (*Plan, error) {
	for len(pl.todo) > 0 {
		q := pl.todo[0]
		pl.todo = pl.todo[1:]
		if err := pl.commit([]*einsum.Query{q}); err != nil {
			return nil, err
		}
	}
	return pl.plan, nil
}

// planner is the state of one Eliminate.
type planner struct {
	cat    *Catalog
	est    stats.Estimator
	opt    Options
	plan   *Plan
	result string          // the program's result
	todo   []*einsum.Query // after the query at hand, in terms of what exists
	names  map[string]bool
	share  *sharing
	steps  int     // names given out
	cost   float64 // of the plan's steps
	trying bool    // nothing reads the remaining programs
	// perturb multiplies the costs of steps over a set of atoms; nil but in tests.
	perturb func(atoms uint64) float64
}

func newPlanner(p *einsum.Program, src stats.Source, opt Options) *planner {
	if opt.Estimator == nil {
		opt.Estimator = stats.Uniform{}
	}
	pl := &planner{
		cat: NewCatalog(p.Inputs, src, opt.Estimator), est: opt.Estimator, opt: opt,
		result: p.Queries[len(p.Queries)-1].Name, todo: slices.Clone(p.Queries),
		names: map[string]bool{}, share: newSharing(),
		plan: &Plan{Inputs: p.Inputs, Answered: map[string]Answered{}},
	}
	for _, in := range p.Inputs {
		pl.names[in.Name] = true
	}
	for _, q := range p.Queries {
		pl.names[q.Name] = true
	}
	for _, q := range opt.Done {
		pl.names[q.Name] = true
		pl.share.remember(q, -1, false)
	}
	return pl
}

// clone copies the state: what happens to the copy leaves the planner as it is.
// Queries, steps and tensors are values that both share.
func (pl *planner) clone() *planner {
	c := *pl
	c.cat = pl.cat.clone()
	c.names = maps.Clone(pl.names)
	c.share = pl.share.clone()
	c.plan = &Plan{Inputs: pl.plan.Inputs, Steps: slices.Clone(pl.plan.Steps), Answered: maps.Clone(pl.plan.Answered)}
	c.todo = slices.Clone(pl.todo)
	return &c
}

// trial plans queries next on a copy of the state and returns their steps: what
// they add to those that exist, a repeated step once.
func (pl *planner) trial(qs []*einsum.Query) ([]*Step, error) {
	c := pl.clone()
	c.trying = true
	if err := c.commit(qs); err != nil {
		return nil, err
	}
	return c.plan.Steps[len(pl.plan.Steps):], nil
}

// commit plans queries, in order; each may read those before it.
func (pl *planner) commit(qs []*einsum.Query) error {
	rest := pl.todo
	for i, q := range qs {
		pl.names[q.Name] = true
		if pl.todo = rest; i < len(qs)-1 {
			pl.todo = append(slices.Clone(qs[i+1:]), rest...)
		}
		q, err := pl.restrict(pl.share.resolve(q))
		if err != nil {
			return err
		}
		if err := pl.query(q); err != nil {
			return err
		}
		rest = pl.todo[len(qs)-i-1:]
	}
	pl.todo = rest
	return nil
}

// query plans one query.
func (pl *planner) query(q *einsum.Query) error {
	b, err := NewBody(q)
	if err != nil {
		return err
	}
	cost := -1.0
	if e, ok := pl.elimination(q, b); ok {
		if cost, err = e.run(); err != nil {
			return err
		}
		q = e.rest()
	}
	if !pl.isOutput(q) {
		if have, a := pl.share.find(pl, q); have != nil && !pl.isStoredAgain(q, have, a) {
			pl.share.alias[q.Name] = a
			pl.plan.Answered[q.Name] = Answered{Step: a.tensor, Leaves: a.leaves}
			pl.resolveTodo(q.Name)
			return nil
		}
	}
	if cost < 0 && pl.inlined(q) {
		return nil
	}
	return pl.add(q, false, cost, pl.todo[:len(pl.todo):len(pl.todo)])
}

// resolveTodo makes the queries that read a tensor read the step that answers it. The
// list may be part of a plan (Step.Rest): a changed one is another list.
func (pl *planner) resolveTodo(name string) {
	shared := true
	for i, q := range pl.todo {
		if !readsTensor(q, name) {
			continue
		}
		if shared {
			pl.todo, shared = slices.Clone(pl.todo), false
		}
		pl.todo[i] = pl.share.resolve(q)
	}
}

// isStoredAgain reports whether a step answers a part of a union with its modes in
// another order, and is as soon computed again as stored again: it reduces little, and
// has many entries, which a step of its own may not even store (UniteParts).
func (pl *planner) isStoredAgain(q *einsum.Query, have *shared, a *alias) bool {
	agg, _ := aggOf(q.Leaves[0].Expr)
	if agg == nil || agg.Op != semiring.Or || have.grows || have.at < 0 || slices.IsSorted(a.mode) {
		return false
	}
	s := pl.plan.Steps[have.at]
	return s.OutNNZ >= unitedEntries && s.BodyNNZ <= unitedCells*s.OutNNZ
}

// isOutput reports whether a query is a step of its own: the program's result, or
// read as it is beside that.
func (pl *planner) isOutput(q *einsum.Query) bool {
	return q.Name == pl.result || pl.opt.Outputs[q.Name]
}

// newName returns the next step name that the program does not use.
func (pl *planner) newName() string {
	for {
		pl.steps++
		if name := fmt.Sprintf("T%d", pl.steps); !pl.names[name] {
			pl.names[name] = true
			return name
		}
	}
}

// add appends a step. Leaves of one that grows may be added until the plan is
// done. A cost below 0 is not known.
func (pl *planner) add(q *einsum.Query, grows bool, cost float64, rest []*einsum.Query) error {
	b, err := NewBody(q)
	if err != nil {
		return err
	}
	body, out := pl.cat.add(q, b)
	switch {
	case cost >= 0:
	case pl.opt.Whole[q.Name]: // its loops are not compared with anything
		cost = body + outWeight*out
	default:
		cost = pl.cat.price(q, b, body, out)
	}
	pl.share.remember(q, len(pl.plan.Steps), grows)
	pl.plan.Steps = append(pl.plan.Steps, &Step{Query: q, BodyNNZ: body, OutNNZ: out, Cost: cost, Rest: rest})
	pl.cost += cost
	return nil
}

// price estimates the work of a query that is one step: a loop nest for each
// alternative of its presence.
func (c *Catalog) price(q *einsum.Query, b *Body, cells, out float64) float64 {
	perCell := 1 + leafWeight*float64(len(q.Leaves)-1)
	for _, l := range q.Leaves {
		perCell += stats.ColumnCells(l.Expr)
	}
	cost := cells*perCell + outWeight*out
	terms := c.Terms(b)
	_, arg := aggOf(q.Leaves[0].Expr)
	for _, set := range b.Presence(arg) {
		var nest []stats.Term
		var all uint64
		for _, i := range members(set) {
			nest = append(nest, terms[i])
			all |= terms[i].Set
		}
		connect(nest)
		cost += loops(stats.NewNest(c.est, nest), all, math.Inf(1)) + cells*factorWeight*float64(max(len(nest)-1, 0))
	}
	return cost
}

// elimination prepares the elimination of a query's indices; ok is false for one that is
// one step as it is, or should be.
func (pl *planner) elimination(q *einsum.Query, b *Body) (e *elimination, ok bool) {
	if pl.opt.Whole[q.Name] {
		return nil, false
	}
	return newElimination(pl, q, b)
}
