package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/translate"
)

var (
	errBudget   = exec.ErrBudget
	errOverflow = exec.ErrOverflow
)

// nativeRun is one execution on fibertrees: loads, plan, steps.
type nativeRun struct {
	*queryRun
	tr      *translate.Result
	domains map[int]*cache.Domain // by domain number of the program
	joined  map[int]int           // domains that are one with another, which is not joined itself
	bases   map[string]*loaded    // by input name
	program *einsum.Program       // with the facts as loaded
	settled bool                  // program is the steps of an earlier plan
	// The present plan: the first, or that of what was left after a step.
	logical  *logical.Plan
	physical *physical.Plan
	replans  int             // how often what remains may still be planned again
	done     []*einsum.Query // steps of earlier plans that have run
	results  map[string]*stepResult
	unstored map[string]*physical.Step                   // fused steps that have run
	watched  map[translate.LeafBound]*translate.Interval // of steps that are not stored
	trace    *programTrace

	account *account // what the run holds: tensors that no cache keeps, steps at work, results
	pool    *exec.Pool
	pins    []*cache.Pin
	using   []*cache.Domain // until the run is released
	relief  relief
}

// loaded is an input in memory.
type loaded struct {
	*cache.Pin
	base *cache.Base
	spec *load.Spec    // nil: made of others (quotient.go)
	decl *einsum.Input // as the program has it
}

// release ends the use of tensors and gives back all memory.
func (n *nativeRun) release() {
	for _, p := range n.pins {
		p.Release()
	}
	for _, d := range n.using {
		d.Release()
	}
	n.using = nil
	n.account.close()
}

// run loads, plans and executes; the cursors deliver the entries of the answers.
func (n *nativeRun) run(ctx context.Context) ([]rows.Cursor, error) {
	if err := n.loadAll(ctx); err != nil {
		return nil, err
	}
	first, err := n.plan(ctx, n.tr, n.program, n)
	if err != nil {
		return nil, err
	}
	if first, err = n.quotient(ctx, first); err != nil {
		return nil, err
	}
	n.restart(first)
	for next := 0; next < len(n.physical.Steps); {
		ran, err := n.advance(ctx, next)
		if errors.Is(err, errBudget) {
			ran, err = n.relieve(ctx, next)
		}
		if err != nil {
			return nil, err
		}
		if next += ran; next == 0 {
			continue // another plan
		}
		again, err := n.replan(ctx, next)
		if err != nil {
			return nil, err
		}
		if again {
			next = 0
		}
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	return n.cursors(), nil
}

// restart begins with a plan: no step has run.
func (n *nativeRun) restart(t *planTrace) {
	n.adopt(t)
	n.replans, n.done = len(n.logical.Steps), nil
	n.results, n.unstored = map[string]*stepResult{}, map[string]*physical.Step{}
	n.watched = map[translate.LeafBound]*translate.Interval{}
}

// adopt makes a plan the present one.
func (n *nativeRun) adopt(t *planTrace) {
	n.logical, n.physical = t.logical, t.physical
	n.trace.planned(t)
}

// advance runs the step at next, with the one that takes its entries if it is
// fused, and returns how many that were.
// A step in lockstep with its reader waits for that.
func (n *nativeRun) advance(ctx context.Context, next int) (ran int, err error) {
	if step := n.physical.Steps[next]; step.Output.Lockstep {
		n.unstored[step.Query.Name] = step
		return 1, nil
	}
	w, err := n.work(ctx, next)
	if err != nil {
		return 0, err
	}
	t, err := w.run(ctx, nil)
	if errors.Is(err, exec.ErrNoLockstep) {
		if err := n.alone(ctx, next); err != nil {
			return 0, err
		}
		return n.advance(ctx, next)
	}
	if err == nil {
		err = n.store(w, t)
	}
	return w.steps(), err
}

// alone runs the steps that wait for the one at next, and stores what they give.
func (n *nativeRun) alone(ctx context.Context, next int) error {
	for _, part := range n.waiting(n.physical.Steps[next]) {
		w := &stepWork{of: n, step: part}
		var err error
		if w.in, err = n.inputs(ctx, part); err != nil {
			return err
		}
		t, err := w.run(ctx, nil)
		if err == nil {
			err = n.store(w, t)
		}
		if err != nil {
			return err
		}
		delete(n.unstored, part.Query.Name)
	}
	return nil
}

// waiting are the steps that are to run in lockstep with a step and have not.
func (n *nativeRun) waiting(step *physical.Step) []*physical.Step {
	return slices.DeleteFunc(n.physical.LockstepOf(step), func(s *physical.Step) bool { return n.results[s.Query.Name] != nil })
}

// store keeps what the work of a step, or of two, gave.
func (n *nativeRun) store(w *stepWork, t *fibers.Tensor) error {
	if err := n.account.take(t.Bytes()); err != nil {
		return err
	}
	w.record()
	if w.into != nil {
		n.unstored[w.step.Query.Name] = w.step
	}
	n.results[w.last().Query.Name] = newStepResult(w.last(), t)
	return nil
}

// loadAll makes the tensors of all inputs, from the cache where it has them.
func (n *nativeRun) loadAll(ctx context.Context) error {
	n.resolveDomains()
	n.bases = map[string]*loaded{}
	n.program = &einsum.Program{Queries: n.tr.Program.Queries}
	for i, spec := range n.tr.Loads {
		decl := n.tr.Program.Inputs[i]
		started := time.Now()
		l, hit, err := n.load(ctx, spec, decl)
		if err != nil {
			return err
		}
		n.trace.loaded(spec, l.base.COO.N, hit, time.Since(started))
		n.bases[spec.Name] = l
		n.program.Inputs = append(n.program.Inputs, l.base.Declare(decl))
	}
	if err := n.declareSymmetry(ctx); err != nil {
		return err
	}
	return n.takeDomains()
}

// resolveDomains gives every domain of the program its dictionary: the one that
// the columns behind it share.
func (n *nativeRun) resolveDomains() {
	exprs := map[int][]string{}
	kinds := map[int]fibers.ValueKind{}
	for i, spec := range n.tr.Loads {
		for k, key := range spec.Keys {
			d := n.tr.Program.Inputs[i].Domains[k]
			if same, ok := n.joined[d]; ok {
				d = same
			}
			if key.RowIndex {
				kinds[d] = fibers.RowValues
				continue
			}
			kind, ok := cache.KindOf(key.Type)
			invariant.Check(ok, "engine: a key of type %s", key.Type)
			kinds[d] = kind
			if spec.Table.Catalog != translate.RelationCatalog {
				exprs[d] = append(exprs[d], spec.Table.SQL()+"\x00"+key.Expr)
			}
		}
	}
	n.domains = map[int]*cache.Domain{}
	for d, kind := range kinds {
		if kind == fibers.RowValues {
			exprs[d] = append(exprs[d], "\x00row")
		}
		n.domains[d] = n.route.domains.Resolve(kind, exprs[d])
		n.using = append(n.using, n.domains[d])
	}
	for d, same := range n.joined {
		n.domains[d] = n.domains[same]
	}
}

// takeDomains accounts for the dictionaries that no tensor kept shares.
func (n *nativeRun) takeDomains() error {
	for i, d := range n.using {
		if slices.Contains(n.using[:i], d) || n.tensors.Keeps(d) {
			continue
		}
		if err := n.account.take(d.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// load makes one input. The rows of a derived table are kept where tables and its text say
// what they are.
func (n *nativeRun) load(ctx context.Context, spec *load.Spec, decl *einsum.Input) (*loaded, bool, error) {
	domains := make([]*cache.Domain, len(decl.Domains))
	for i, d := range decl.Domains {
		domains[i] = n.domains[d]
	}
	var pin *cache.Pin
	var hit bool
	var err error
	started := time.Now()
	defer func() {
		if hit {
			n.notes.add(activity.Queue, time.Since(started))
		}
	}()
	switch {
	case spec.Table.Catalog != translate.RelationCatalog:
		pin, hit, err = n.tensors.Get(ctx, n.cacheKey(spec, domains), func(ctx context.Context) (*cache.Base, bool, error) {
			begun := time.Now()
			defer func() { n.notes.add(activity.Load, time.Since(begun)) }()
			base, err := n.loadTable(ctx, spec, domains)
			return base, err == nil, err
		})
	case n.relationOf(n.tr, spec.Table).Lasting():
		pin, hit, err = n.tensors.Get(ctx, n.cacheKey(spec, domains), func(ctx context.Context) (*cache.Base, bool, error) {
			begun := time.Now()
			base, err := n.loadRelation(ctx, spec, domains)
			if err != nil {
				return nil, false, err
			}
			base.CostNs = float64(time.Since(begun).Nanoseconds())
			base.Origin = originOf(spec, 0)
			return base, true, nil
		})
	default:
		var base *cache.Base
		base, err = n.loadRelation(ctx, spec, domains)
		pin = cache.Pinned(base)
	}
	if err != nil {
		return nil, false, err
	}
	n.pins = append(n.pins, pin)
	if !pin.Kept() {
		err = n.account.take(pin.Base.Bytes())
	}
	return &loaded{Pin: pin, base: pin.Base, spec: spec, decl: decl}, hit, err
}

// loadTable builds the tensor of a base table.
func (n *nativeRun) loadTable(ctx context.Context, spec *load.Spec, domains []*cache.Domain) (*cache.Base, error) {
	started := time.Now()
	if err := n.admit(ctx, spec); err != nil {
		return nil, err
	}
	base, err := n.scan(ctx, spec, domains)
	if err != nil {
		return nil, err
	}
	if !n.unchanged() {
		return nil, errStale
	}
	base.CostNs = float64(time.Since(started).Nanoseconds())
	base.Origin = originOf(spec, n.version(spec.Table))
	return base, nil
}

// admit refuses a load whose rows would not fit the budget (ARCHITECTURE
// section 5): rows times the bytes of a row's coordinates and leaves. Where the
// table is too large, the rows that the predicate keeps are counted.
func (n *nativeRun) admit(ctx context.Context, spec *load.Spec) error {
	left := n.account.left()
	if left == 0 {
		return nil
	}
	facts, err := n.facts.Columns(ctx, n.workers.lend, spec.Table, n.version(spec.Table), nil, nil, n.unchanged)
	if err != nil || facts[0].Rows*rowBytes(spec) <= left {
		return err
	}
	if spec.Where == "" || spec.UsesParams() && len(n.params) == 0 {
		return errBudget
	}
	kept, err := n.facts.Load(ctx, n.workers.lend, spec, n.version(spec.Table), n.unchanged)
	if err == nil && (kept.Err != nil || kept.Rows*rowBytes(spec) > left) {
		err = errBudget
	}
	return err
}

// cacheKey says everything that the load means (cache C1).
func (n *nativeRun) cacheKey(spec *load.Spec, domains []*cache.Domain) string {
	var b strings.Builder
	if n.zone != "" {
		fmt.Fprintf(&b, "%q ", n.zone)
	}
	if spec.Table.Catalog == translate.RelationCatalog {
		rel := n.relationOf(n.tr, spec.Table)
		fmt.Fprintf(&b, "(%s)", rel.SQL)
		for _, t := range rel.Tables {
			fmt.Fprintf(&b, "@%d", n.version(t))
		}
		if len(rel.Tables) > 0 { // or views, macros and types
			fmt.Fprintf(&b, "/%d", n.snap.Schema())
		}
	} else {
		fmt.Fprintf(&b, "%s@%d", spec.Table.SQL(), n.version(spec.Table))
	}
	for i, k := range spec.Keys {
		fmt.Fprintf(&b, "\x00%q %s %d %v %d", k.Expr, k.Type, k.Null, k.RowIndex, domains[i].ID)
	}
	for _, l := range spec.Leaves {
		fmt.Fprintf(&b, "\x01%q %d %q %s", l.Name, l.Moment, l.Expr, l.Type)
	}
	fmt.Fprintf(&b, "\x02%q", spec.Where)
	if spec.UsesParams() {
		for _, p := range spec.Params {
			fmt.Fprintf(&b, "\x03%s %v %q", p.Type, p.Null, p.Text)
		}
	}
	return b.String()
}

// scan reads a base table's load. An error that some row raises makes the
// statement DuckDB's: that row may not survive the join.
func (n *nativeRun) scan(ctx context.Context, spec *load.Spec, domains []*cache.Domain) (base *cache.Base, err error) {
	err = n.workers.lend(ctx, func(c *duckbackend.Conn) error {
		cur, err := c.Scan(ctx, spec)
		if err != nil {
			return err
		}
		base, err = n.build(ctx, cur, spec, domains)
		return errors.Join(err, cur.Close())
	})
	return base, n.scanError(ctx, err)
}

// build makes a tensor of a scan's rows. While that lasts, the rows count
// towards the budget.
func (n *nativeRun) build(ctx context.Context, cur rows.Cursor, spec *load.Spec, domains []*cache.Domain) (*cache.Base, error) {
	building := n.account.part(0)
	defer building.close()
	return cache.Build(ctx, &chargedCursor{Cursor: cur, account: building, rowBytes: buildBytes(spec)}, spec, domains, n.threads)
}

// scanError makes an error that rows raise in a statement of the run's own a reason
// for DuckDB to take the user's, and an internal error of DuckDB's, which it may not
// make of the user's text. One that DuckDB does not prepare is a fault of ours, unless
// a table is another by now.
func (q *queryRun) scanError(ctx context.Context, err error) error {
	var other *load.TypeError
	if errors.As(err, &other) && !q.unchanged() {
		return errStale
	}
	var e *sqlerr.Error
	if err == nil || ctx.Err() != nil || !errors.As(err, &e) {
		return err
	}
	if errors.Is(err, duckbackend.ErrInternal) {
		return &translate.Ineligible{Reason: "DuckDB fails on a part of the statement that stands alone: " + e.Message}
	}
	switch e.Code {
	case sqlerr.QueryCanceled, sqlerr.OutOfMemory, sqlerr.IOError, sqlerr.InternalError, sqlerr.DataCorrupted:
		return err
	}
	var no *duckbackend.NotPrepared
	if errors.As(err, &no) && strings.HasPrefix(e.Code, sqlerr.ClassSyntax) {
		if !q.unchanged() {
			return errStale
		}
		return &sqlerr.Error{
			Code: sqlerr.InternalError, Message: "DuckDB does not take a statement of Trireme's", Offset: -1, Err: err,
			Detail: e.Message + "\n" + no.SQL, Hint: "SET trireme.backend = 'duckdb' lets DuckDB answer.",
		}
	}
	return &translate.Ineligible{Reason: "load scan raised: " + e.Message}
}

// loadRelation executes a derived table as a statement of its own and loads its rows.
func (n *nativeRun) loadRelation(ctx context.Context, spec *load.Spec, domains []*cache.Domain) (base *cache.Base, err error) {
	rel, err := n.relationRows(ctx, n.tr, spec.Table)
	if err != nil {
		return nil, err
	}
	err = n.workers.lend(ctx, func(c *duckbackend.Conn) error {
		cur, err := c.QueryRelation(ctx, spec.Table.Name, rel, duckbackend.ScanSQL(temporary(spec)), nil)
		if err != nil {
			return err
		}
		base, err = n.build(ctx, cur, spec, domains)
		return errors.Join(err, cur.Close())
	})
	if err = errors.Join(err, rel.Close()); err == nil && !n.unchanged() {
		err = errStale
	}
	return base, n.scanError(ctx, err)
}

// relationOf is the relation behind a table.
func (q *queryRun) relationOf(tr *translate.Result, t load.Table) *translate.Relation {
	i := slices.IndexFunc(tr.Relations, func(r translate.Relation) bool { return r.Table == t })
	invariant.Check(i >= 0, "engine: no relation %s", t.Name)
	return &tr.Relations[i]
}

// relationRows runs the derived table behind a relation.
func (q *queryRun) relationRows(ctx context.Context, tr *translate.Result, t load.Table) (rows.Cursor, error) {
	rel := q.relationOf(tr, t)
	if cur, ok, err := q.workingRows(ctx, rel); ok {
		return cur, err
	}
	if rel.Query == nil {
		return q.textRows(ctx, rel)
	}
	cur, err := q.answer(ctx, t.Name, rel.Query)
	if err != nil {
		return nil, err
	}
	return &renamed{Cursor: cur, columns: rel.Columns}, nil
}

// textRows runs a relation that DuckDB executes as it is. What a commit since the
// statement's snapshot has changed is seen when its rows have been read
// (unchanged).
func (q *queryRun) textRows(ctx context.Context, rel *translate.Relation) (rows.Cursor, error) {
	conn, err := q.workers.take(ctx)
	if err != nil {
		return nil, err
	}
	cur, err := conn.Query(ctx, rel.SQL, q.args(rel.SQL)...)
	if err != nil {
		q.workers.drop(conn)
		return nil, q.scanError(ctx, err)
	}
	out := &pooledCursor{Cursor: cur, pool: q.workers, conn: conn, columns: rel.Columns}
	if !slices.EqualFunc(cur.Columns(), rel.Columns, readAlike) {
		return nil, errors.Join(&translate.Ineligible{Reason: "DuckDB gives a part of the statement another type when it stands alone"}, out.Close())
	}
	return out, nil
}

// readAlike reports whether values of two columns are read as the same.
func readAlike(a, b rows.Column) bool {
	return a.Type.ID == b.Type.ID && a.Type.Scale == b.Type.Scale && a.Type.Physical() == b.Type.Physical()
}

// renamed is a cursor under other column names.
type renamed struct {
	rows.Cursor
	columns []rows.Column
}

// Columns returns the new names.
func (r *renamed) Columns() []rows.Column { return r.columns }

// inputs binds a step to the tensors that it reads.
func (n *nativeRun) inputs(ctx context.Context, step *physical.Step) (exec.Inputs, error) {
	return n.inputsBut(ctx, step, "")
}

// inputsBut is inputs without a tensor for operands that are the named step, whose
// entries come as they are made.
func (n *nativeRun) inputsBut(ctx context.Context, step *physical.Step, fused string) (exec.Inputs, error) {
	in := n.domainsOf(step)
	for i := range step.Operands {
		if fused != "" && step.Operands[i].Tensor == fused {
			in.Operands = append(in.Operands, nil)
			continue
		}
		t, err := n.operand(ctx, &step.Operands[i])
		if err != nil {
			return exec.Inputs{}, err
		}
		in.Operands = append(in.Operands, t)
	}
	return in, nil
}

// domainsOf gives the sizes and, where masks need them, the orders of a step's
// domains.
func (n *nativeRun) domainsOf(step *physical.Step) exec.Inputs {
	in := exec.Inputs{Dims: map[string]int{}, Ranks: map[int][]int32{}}
	for _, l := range step.Loops {
		d := n.domains[l.Index.Domain].Values()
		in.Dims[l.Index.Name] = d.Len()
		if len(l.Masks) > 0 {
			if r := d.Ranks(); r != nil {
				in.Ranks[l.Index.Domain] = r
			}
		}
	}
	return in
}

// operand returns the tensor that an operand reads, constants fixed.
func (n *nativeRun) operand(ctx context.Context, o *physical.Operand) (t *fibers.Tensor, err error) {
	domain := func(mode int) *fibers.Domain { return n.inputDomain(n.bases[o.Tensor], mode) }
	if r, ok := n.results[o.Tensor]; ok {
		t, err = r.layout(ctx, o.Order, o.Formats, n.account)
		domain = func(mode int) *fibers.Domain { return n.domains[r.idxs[mode].Domain].Values() }
	} else {
		t, err = n.inputLayout(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	for _, m := range o.Order {
		if o.Args[m].Const == nil {
			break
		}
		t = n.fix(t, domain(m), o.Args[m].Const)
	}
	return t, nil
}

// inputLayout returns an input in the layout that an operand asks for.
func (n *nativeRun) inputLayout(ctx context.Context, o *physical.Operand) (*fibers.Tensor, error) {
	l, ok := n.bases[o.Tensor]
	invariant.Check(ok, "engine: no tensor %s", o.Tensor)
	making := n.account.part(0)
	t, made, err := l.base.Layout(ctx, o.Order, o.Formats, making.Hold)
	making.close()
	switch {
	case errors.Is(err, cache.ErrRoom):
		return nil, errBudget
	case err != nil:
		return nil, err
	case !l.Grow(made):
		return t, n.account.take(made)
	}
	return t, nil
}

// fix binds the outermost mode to a constant; one that no row has gives the
// empty tensor.
func (n *nativeRun) fix(t *fibers.Tensor, d *fibers.Domain, c *einsum.Const) *fibers.Tensor {
	coord, ok := n.coordinate(d, c)
	if !ok {
		return fibers.Empty(t.Dims[1:], t.Leaves)
	}
	return t.Fix(coord)
}

func (n *nativeRun) inputDomain(l *loaded, mode int) *fibers.Domain {
	return n.domains[l.decl.Domains[mode]].Values()
}

// coordinate finds a constant in a domain.
func (n *nativeRun) coordinate(d *fibers.Domain, c *einsum.Const) (fibers.Coord, bool) {
	text, null := c.Text, c.Null
	if c.Param > 0 {
		text, null = n.params[c.Param-1].Text, n.params[c.Param-1].Null
	}
	if null {
		return 0, false
	}
	switch d.Kind() {
	case fibers.StringValues:
		return d.LookupString(text)
	case fibers.Int64Values:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, false // no value of a 64-bit column
		}
		return d.LookupInt64(v)
	}
	panic(invariant.Failed("engine: a constant in a %s domain", d.Kind()))
}

// check evaluates the program's checks on what the steps gave.
func (n *nativeRun) check() error {
	for i := range n.tr.Checks {
		c := &n.tr.Checks[i]
		if !c.Fits(n.leafRange) {
			return &translate.Ineligible{Reason: c.Refusal()}
		}
	}
	return nil
}

// planned is a bound by the names of the plan: a query may be answered by a step
// of another name.
func planned(plan *logical.Plan, b translate.LeafBound) translate.LeafBound {
	out := b
	out.Tensor, out.Lo = plan.Leaf(b.Tensor, b.Lo)
	_, out.Hi = plan.Leaf(b.Tensor, b.Hi)
	if b.Valid != "" {
		_, out.Valid = plan.Leaf(b.Tensor, b.Valid)
	}
	return out
}

// leafRange is the interval of a bound on a step's tensor or an input; nil
// without valid entries.
func (n *nativeRun) leafRange(asked *translate.LeafBound) *translate.Interval {
	bound := planned(n.logical, *asked)
	b := &bound
	if iv, ok := n.watched[bound]; ok {
		return iv
	}
	if l, ok := n.bases[b.Tensor]; ok {
		return inputInterval(l.base, b)
	}
	r, ok := n.results[b.Tensor]
	invariant.Check(ok, "engine: query %s has no tensor of its own", b.Tensor)
	return asInterval(leafRangeOf(r.tensor.Leaves, func(f func(int32)) {
		r.tensor.Each(func(_ []fibers.Coord, pos int32) bool {
			f(pos)
			return true
		})
	}, b))
}

// inputInterval is the interval of a bound on an input, which is looked through once
// as long as it is kept.
func inputInterval(base *cache.Base, b *translate.LeafBound) *translate.Interval {
	return asInterval(base.Range(cache.LeafRange{Lo: b.Lo, Hi: b.Hi, Valid: b.Valid}, func() cache.Range {
		return leafRangeOf(base.COO.Leaves, func(f func(int32)) {
			for pos := range base.COO.N {
				f(int32(pos))
			}
		}, b)
	}))
}

// asInterval is a range in the terms of checks; nil: there are no values.
func asInterval(r cache.Range) *translate.Interval {
	if !r.Found {
		return nil
	}
	return &translate.Interval{Lo: r.Lo.Big(), Hi: r.Hi.Big()}
}

// leafRangeOf is the interval of a bound over the positions that each goes through.
func leafRangeOf(leaves []fibers.Leaf, each func(func(pos int32)), b *translate.LeafBound) (out cache.Range) {
	find := func(name string) *fibers.Leaf {
		i := slices.IndexFunc(leaves, func(l fibers.Leaf) bool { return l.Name == name })
		invariant.Check(i >= 0, "engine: no leaf %s of %s", name, b.Tensor)
		return &leaves[i]
	}
	least, most := find(b.Lo), find(b.Hi)
	var valid *fibers.Leaf
	if b.Valid != "" {
		valid = find(b.Valid)
	}
	each(func(pos int32) {
		if valid != nil && valid.IsZero(pos) {
			return
		}
		if x := least.Int128(pos); !out.Found || x.Cmp(out.Lo) < 0 {
			out.Lo = x
		}
		if x := most.Int128(pos); !out.Found || x.Cmp(out.Hi) > 0 {
			out.Hi = x
		}
		out.Found = true
	})
	return out
}

// cursors deliver the entries of every answer with the keys in its query's order.
// Together they hold the answers and the inputs until the last one is closed; other
// results are given up.
func (n *nativeRun) cursors() []rows.Cursor {
	n.pool.Drop()
	answers := n.tr.Answers()
	open := len(answers)
	var out []rows.Cursor
	kept := map[*stepResult]bool{}
	for _, a := range answers {
		c := &tensorCursor{release: func() {
			if open--; open == 0 {
				n.release()
			}
		}}
		r := n.results[a.Output]
		last := n.physical.Steps[len(n.physical.Steps)-1]
		if stream := n.relief.stream; stream != nil && last.Query.Name == a.Output {
			r = newStepResult(last, stream.tensor)
			c.more = func(ctx context.Context) (*fibers.Tensor, error) {
				if err := stream.advance(ctx); err != nil {
					return nil, lateError(err)
				}
				return stream.tensor, nil
			}
		}
		kept[r] = true
		c.tensor = r.tensor
		for m, x := range r.idxs {
			c.modes = append(c.modes, slices.Index(r.order, m))
			c.domains = append(c.domains, n.domains[x.Domain].Values())
		}
		out = append(out, c)
	}
	if n.relief.stream == nil { // which may still read them
		for _, r := range n.results {
			if !kept[r] {
				r.release(n.account)
			}
		}
		n.results = nil
	}
	return out
}

// dict returns the strings that a leaf of an input ranks.
func (n *nativeRun) dict(l translate.LeafRef) []string {
	return n.bases[l.Input].base.Dicts[l.Leaf]
}
