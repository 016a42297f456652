package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
	"github.com/trireme-db/trireme/translate"
)

// The values of trireme.estimator and trireme.optimizer, the default first.
var (
	estimatorNames = []string{"best", "chain", "uniform"}
	searchNames    = []string{"auto", "greedy", "exact"}
)

// planning is how a session's statements are planned: the values of
// trireme.estimator and trireme.optimizer. uncached (trireme.plan_cache off):
// every execution binds and plans, and neither is kept.
type planning struct {
	estimator, search string
	uncached          bool
	// budgetBytes is the memory that the statement has when it runs alone, so that
	// plans do not depend on what others hold; 0: no limit.
	budgetBytes int64
	// settled: programs are the steps of an earlier plan (optimizer.Options).
	settled bool
	// classes: programs are planned over classes of coordinates wherever they can be,
	// for tests.
	classes bool
}

// options are the planner's options for the settings and a program, of which
// the queries that checks read must be computed. Planning ends with ctx.
func (p planning) options(ctx context.Context, tr *translate.Result) optimizer.Options {
	needed := map[string]bool{}
	for _, b := range tr.Bounds() {
		needed[b.Tensor] = true
	}
	outputs := map[string]bool{}
	for _, arm := range tr.Arms {
		outputs[arm.Output] = true
	}
	return optimizer.Options{
		Estimator: estimatorByName(p.estimator), Search: searchByName(p.search), Needed: needed, Outputs: outputs, BudgetBytes: float64(p.budgetBytes), Settled: p.settled,
		Stopped: ctx.Err,
	}
}

// estimatorByName returns the estimator that a value of trireme.estimator names.
func estimatorByName(name string) stats.Estimator {
	switch name {
	case "chain":
		return stats.Chain{}
	case "uniform":
		return stats.Uniform{}
	default:
		return stats.Best{}
	}
}

// searchByName returns the search that a value of trireme.optimizer names.
func searchByName(name string) logical.Search {
	switch name {
	case "greedy":
		return logical.Greedy
	case "exact":
		return logical.Exact
	default:
		return logical.Auto
	}
}

// oneOf accepts the given values in any case; 22023 for others.
func oneOf(values []string) func(string) (string, error) {
	return func(value string) (string, error) {
		if v := strings.ToLower(value); slices.Contains(values, v) {
			return v, nil
		}
		return "", sqlerr.New(sqlerr.InvalidParameter, "value %q is not valid", value).
			WithHint("The values are %s.", strings.Join(values, ", "))
	}
}

// plan plans a program to the end, or takes a plan from the cache.
func (q *queryRun) plan(ctx context.Context, tr *translate.Result, p *einsum.Program, src stats.Source) (*planTrace, error) {
	return q.planCached(ctx, tr, "physical", p, src, true)
}

// planLogical plans the steps of a program, or takes them from the cache.
func (q *queryRun) planLogical(ctx context.Context, tr *translate.Result, p *einsum.Program, src stats.Source) (*planTrace, error) {
	return q.planCached(ctx, tr, "logical", p, src, false)
}

// planCached asks the plan cache. A key says which plan is wanted, how it is
// searched for, and which leaves its checks read and which queries are answers.
func (q *queryRun) planCached(ctx context.Context, tr *translate.Result, kind string, p *einsum.Program, src stats.Source, physical bool) (*planTrace, error) {
	key := []string{kind, q.planning.estimator, q.planning.search, strconv.FormatInt(q.planning.budgetBytes, 10), strconv.FormatBool(q.planning.settled)}
	for _, b := range tr.Bounds() {
		key = append(key, b.Tensor, b.Lo, b.Hi, b.Valid)
	}
	for _, arm := range tr.Arms {
		key = append(key, "output", arm.Output)
	}
	begun := time.Now()
	defer func() { q.notes.add(activity.Plan, time.Since(begun)) }()
	made := &planTrace{by: q.planning}
	if q.planning.uncached {
		if err := made.make(ctx, tr, p, src, physical); err != nil {
			return nil, unplanned(err)
		}
		return made, nil
	}
	started := time.Now()
	plan, hit, err := q.plans.Get(strings.Join(key, "\x00"), p, src, func(p *einsum.Program, src stats.Source) (cache.Plan, error) {
		err := made.make(ctx, tr, p, src, physical)
		return cache.Plan{Logical: made.logical, Physical: made.physical}, err
	})
	if err != nil {
		return nil, unplanned(err)
	}
	made.logical, made.physical, made.cached, made.took = plan.Logical, plan.Physical, hit, time.Since(started)
	return made, nil
}

// make plans a program; physical: to the end. Estimating is part of the times.
func (t *planTrace) make(ctx context.Context, tr *translate.Result, p *einsum.Program, src stats.Source, physical bool) (err error) {
	opt, started := t.by.options(ctx, tr), time.Now()
	t.logical, err = optimizer.Logical(p, src, opt)
	t.tookLogical = time.Since(started)
	t.took = t.tookLogical
	if err != nil || !physical {
		return err
	}
	t.physical, err = optimizer.Physical(t.logical, src, opt)
	t.took = time.Since(started)
	return err
}
