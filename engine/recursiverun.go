package engine

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// stateRun is a recursion whose rows stay in memory as coordinates between its
// steps. The step's program is translated once, the tensors of all tables are
// loaded once; of the inputs only those that read the working table are made
// again for every step, and the plan only when these leave their class of size.
type stateRun struct {
	*nativeRun // of the step
	of         *recursion
	state      []*cache.Domain // of the columns
	loads      []*stateLoad    // per load of the program; nil: another way
	fixed      []bool          // per load: the same for all steps
	// pick is, per column, the key of the last query that it is; nil: the rows come
	// by way of the answer. occurs is the leaf that says how often each row occurs.
	pick   []int
	occurs string
	// home is, per column, the domain of the program that the step gives its values in;
	// -1: none. nil: it is not known.
	home []int

	held  *account // what is found
	seen  *seenRows
	keyed *keyedRows
	found []*stateRows

	push     *pushStep  // nil: every step is a program
	first    *planTrace // the present plan
	classes  []int      // of the inputs that it was made for
	declared []*einsum.Input
	record   *iterationTrace
	// iterations is where records are kept; nil when nobody asks.
	iterations *programTrace
	pinned     int // pins that are kept for all steps
}

// errNoState says that a recursion is iterated on rows instead.
var errNoState = errors.New("the recursion's state is no tensor")

// newStateRun translates the step, again where its rows are taken to have no NULLs
// in what is aggregated; errNoState where its program does not stand for all of it.
func (a *hosting) newStateRun(ctx context.Context, r *recursion, noNulls bool) (*stateRun, error) {
	q := a.newRun(r.step)
	switch u, err := translate.SplitUnion(r.step.query); {
	case err != nil:
		return nil, err
	case u != nil:
		return nil, errNoState
	}
	tr, err := translate.Translate(ctx, r.step.query, q)
	if err != nil {
		return nil, err
	}
	q.working = &workingTable{columns: r.columns}
	if noNulls && r.step.query.Grouped && len(r.step.query.Aggs) > 0 {
		for _, rel := range tr.Relations {
			if rel.IsTable(sqlfront.WorkingTable) || rel.IsTable(sqlfront.RecurringTable) {
				q.working.without = append(q.working.without, rel.Table)
			}
		}
		if tr, err = translate.Translate(ctx, r.step.query, q); err != nil {
			return nil, err
		}
	}
	tr = q.bind(tr)
	s := &stateRun{
		nativeRun: &nativeRun{queryRun: q, tr: tr, account: q.account.part(0), joined: map[int]int{}},
		of:        r, held: a.route.memory.part(a.session.settings.memoryLimitBytes),
		loads: make([]*stateLoad, len(tr.Loads)), fixed: make([]bool, len(tr.Loads)),
	}
	s.pool = exec.NewPool(s.account)
	s.trace = q.trace.program("of a step", tr)
	s.iterations = s.trace
	s.choosePick()
	if !s.sort() {
		return nil, errNoState
	}
	return s, nil
}

// choosePick says which keys of the program the columns are.
func (s *stateRun) choosePick() {
	f := &s.tr.Finish
	n := len(s.of.columns)
	if f.SQL != "" || s.tr.Scalar || len(f.Project) < n {
		return
	}
	for _, p := range f.Project[:n] {
		if p < len(s.tr.Groups) {
			s.home = append(s.home, s.tr.Keys[s.tr.Groups[p].Key].Domain)
		} else {
			s.home = append(s.home, -1)
		}
	}
	if s.of.key != nil || slices.Contains(s.home, -1) {
		return
	}
	var pick []int
	for _, p := range f.Project[:n] {
		pick = append(pick, s.tr.Groups[p].Key)
	}
	if s.of.counted {
		if len(f.Project) == n {
			return
		}
		p := f.Project[n] - len(s.tr.Groups)
		if p < 0 || s.tr.Aggs[p].Func != translate.CountValue {
			return
		}
		s.occurs = s.tr.Aggs[p].Value
	}
	s.pick = pick
}

// sort divides the loads: what is the same for all steps, what is made of the rows
// in memory, and the rest; ok is false where that needs all rows so far as values, or
// auto would have DuckDB make something of the rows found last in every step.
func (s *stateRun) sort() (ok bool) {
	ok = true
	for i, spec := range s.tr.Loads {
		if spec.Table.Catalog != translate.RelationCatalog {
			s.fixed[i] = true
			continue
		}
		rel := s.relationOf(s.tr, spec.Table)
		switch {
		case rel.IsTable(sqlfront.WorkingTable):
			s.loads[i] = newStateLoad(spec, s.of.columns, !s.of.counted)
		case rel.IsTable(sqlfront.RecurringTable):
			s.loads[i] = newStateLoad(spec, s.of.columns, true)
			ok = ok && s.loads[i] != nil
		default:
			s.fixed[i] = rel.Memory&sqlfront.WorkingTable == 0
			ok = ok && rel.Memory&sqlfront.RecurringTable == 0 && (s.fixed[i] || !s.auto || rel.Query != nil)
		}
		if s.loads[i] != nil {
			s.loads[i].all = rel.IsTable(sqlfront.RecurringTable)
		}
	}
	return ok
}

// share lets the columns have the domains that the step reads and writes them in,
// so that rows go from one step to the next as they are.
func (s *stateRun) share() {
	home := s.home
	if home == nil {
		home = slices.Repeat([]int{-1}, len(s.of.columns))
	}
	root := func(d int) int {
		for {
			next, ok := s.joined[d]
			if !ok {
				return d
			}
			d = next
		}
	}
	for i, l := range s.loads {
		if l == nil {
			continue
		}
		for k, e := range l.keys {
			d := s.tr.Program.Inputs[i].Domains[k]
			switch {
			case e.op != "column":
			case home[e.col] < 0:
				home[e.col] = d
			case root(d) != root(home[e.col]):
				s.joined[root(d)] = root(home[e.col])
			}
		}
	}
	for d := range s.joined {
		s.joined[d] = root(d)
	}
	s.resolveDomains()
	for c, d := range home {
		if d >= 0 && s.domains[d] != nil {
			s.state = append(s.state, s.domains[d])
			continue
		}
		kind, _ := cache.KindOf(s.of.columns[c].Type) // comparable says that there is one
		own := s.route.domains.Resolve(kind, nil)
		s.using = append(s.using, own)
		s.state = append(s.state, own)
	}
	for i, l := range s.loads {
		if l == nil {
			continue
		}
		for k := range l.keys {
			l.domains = append(l.domains, s.domains[s.tr.Program.Inputs[i].Domains[k]])
		}
	}
}

// begin loads what is the same for all steps.
func (s *stateRun) begin(ctx context.Context) error {
	s.share()
	s.bases = map[string]*loaded{}
	for i := range s.tr.Loads {
		if !s.fixed[i] {
			continue
		}
		if err := s.loadOne(ctx, i); err != nil {
			return err
		}
		s.pinned = len(s.pins)
	}
	if s.push = newPushStep(s); s.push != nil {
		ok, err := s.push.open(ctx)
		if err != nil {
			return err
		}
		if !ok {
			s.push = nil
		}
	}
	return s.takeDomains()
}

// loadOne makes one input as every statement does.
func (s *stateRun) loadOne(ctx context.Context, i int) error {
	spec, started := s.tr.Loads[i], time.Now()
	l, hit, err := s.load(ctx, spec, s.tr.Program.Inputs[i])
	if err != nil {
		return err
	}
	s.trace.loaded(spec, l.base.COO.N, hit, time.Since(started))
	s.bases[spec.Name] = l
	return nil
}

// iterate finds all rows. Even where there are none to begin with, a step finds those of its
// outer joins and its groups.
func (s *stateRun) iterate(ctx context.Context, first rows.Cursor) error {
	next, err := s.take(ctx, first)
	if err == nil {
		s.startState()
		next, err = s.admitFirst(next)
	}
	if err == nil {
		err = s.fits(next)
	}
	for n := 0; err == nil && (n == 0 || next.n > 0); n++ {
		if err = ctx.Err(); err == nil {
			next, err = s.step(ctx, next)
		}
	}
	return err
}

// admitFirst takes the rows to begin with.
func (s *stateRun) admitFirst(got *stateRows) (*stateRows, error) {
	if s.keyed == nil {
		return s.admitAll(got)
	}
	if !s.keyed.begin(&stateView{stateRows: got, domains: s.state}) {
		return nil, errNoState
	}
	return got, s.held.take(int64(got.n) * s.keyedBytes())
}

// keyedBytes is what a row with a key costs, the place of its key included.
func (s *stateRun) keyedBytes() int64 { return int64(rowBytesMin + 4*len(s.state)) }

// startState makes the sets of what is found, once the domains have the values to
// begin with.
func (s *stateRun) startState() {
	for c, d := range s.state {
		prepared(d, &rows.Vector{Type: s.of.columns[c].Type}, 0)
	}
	switch {
	case s.of.key != nil:
		s.keyed = newKeyedRows(s.of)
	case s.of.distinct:
		s.seen = newSeenRows(s.state, s.push.wide())
	}
}

// step runs the program on the rows found last and returns the new ones.
func (s *stateRun) step(ctx context.Context, frontier *stateRows) (*stateRows, error) {
	started := time.Now()
	all := s.account
	s.account = s.queryRun.account.part(0)
	defer func() {
		for _, p := range s.pins[s.pinned:] {
			p.Release()
		}
		s.pins = s.pins[:s.pinned]
		s.account.close()
		s.account = all
		s.trace = nil // of the first step only
	}()
	if s.iterations != nil {
		s.record = &iterationTrace{rows: frontier.n}
	}
	next, err := s.newRows(ctx, frontier)
	if err == nil {
		err = s.fits(next)
	}
	if err == nil && s.record != nil {
		s.record.took, s.record.found = time.Since(started), next.n
		s.recordFormats()
	}
	return next, err
}

// newRows finds the new rows of a step: by looking up what the rows found last lead to,
// where that is all there is to it, else by its program.
func (s *stateRun) newRows(ctx context.Context, frontier *stateRows) (*stateRows, error) {
	if s.push != nil {
		if s.trace != nil { // which shows the plan that other steps have
			if err := s.prepare(ctx, frontier); err != nil {
				return nil, err
			}
		}
		next, err := s.pushed(ctx, frontier)
		if !errors.Is(err, errNotPushed) {
			return next, err
		}
		s.push.forget()
	}
	if err := s.prepare(ctx, frontier); err != nil {
		return nil, err
	}
	for next := 0; next < len(s.physical.Steps); {
		ran, err := s.advance(ctx, next)
		if err != nil {
			return nil, err
		}
		next += ran
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.outcome(ctx)
}

// prepare makes the inputs of a step and its plan.
func (s *stateRun) prepare(ctx context.Context, frontier *stateRows) error {
	if err := s.read(ctx, frontier); err != nil {
		return err
	}
	return s.choosePlan(ctx)
}

// read makes the inputs that depend on the rows found last.
func (s *stateRun) read(ctx context.Context, frontier *stateRows) error {
	view := &stateView{stateRows: frontier, domains: s.state}
	var all *stateView
	if s.keyed != nil {
		all = &stateView{stateRows: s.keyed.stateRows, domains: s.state}
	}
	s.working.batches = nil
	s.program = &einsum.Program{Queries: s.tr.Program.Queries}
	for i, spec := range s.tr.Loads {
		decl := s.tr.Program.Inputs[i]
		switch {
		case s.fixed[i]:
		case s.loads[i] != nil:
			of := view
			if s.loads[i].all {
				of = all
			}
			base, err := s.loads[i].base(ctx, of, s.threads)
			if errors.Is(err, errStateExpr) {
				return errNoState // DuckDB raises an error
			}
			if err == nil {
				err = s.account.take(base.Bytes())
			}
			if err != nil {
				return err
			}
			s.bases[spec.Name] = &loaded{Pin: cache.Pinned(base), base: base, spec: spec, decl: decl}
			s.trace.loaded(spec, base.COO.N, false, 0)
		default:
			if err := s.decodeWorking(ctx, frontier); err != nil {
				return err
			}
			if err := s.loadOne(ctx, i); err != nil {
				return err
			}
		}
		s.program.Inputs = append(s.program.Inputs, s.bases[spec.Name].base.Declare(decl))
	}
	return nil
}

// decodeWorking gives the rows found last as values to what reads them so.
func (s *stateRun) decodeWorking(ctx context.Context, frontier *stateRows) error {
	if s.working.batches != nil {
		return nil
	}
	cur := &stateCursor{columns: s.of.columns, domains: s.state, parts: []*stateRows{frontier}}
	for {
		b, err := cur.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		own := *b
		s.working.batches = append(s.working.batches, &own)
		cur.batch = rows.Batch{} // the next one has its own memory
	}
}

// classOf is the class of a number of entries: a plan serves up to four times as
// many.
func classOf(entries int) int { return bits.Len(uint(entries)) / 2 }

// choosePlan takes the present plan again where the inputs are of the classes and
// have the properties that it was made for.
func (s *stateRun) choosePlan(ctx context.Context) error {
	var classes []int
	var declared []*einsum.Input
	for i, spec := range s.tr.Loads {
		if !s.fixed[i] {
			classes = append(classes, classOf(s.bases[spec.Name].base.COO.N))
			declared = append(declared, s.program.Inputs[i])
		}
	}
	same := s.first != nil && slices.Equal(classes, s.classes) && slices.EqualFunc(declared, s.declared, sameInput)
	if !same {
		made, err := s.plan(ctx, s.tr, s.program, s.nativeRun)
		if err != nil {
			return err
		}
		s.first, s.classes, s.declared = made, classes, declared
	}
	if s.record != nil {
		s.record.planned = !same
	}
	s.restart(s.first)
	return nil
}

// sameInput reports whether a plan may take one input for the other.
func sameInput(a, b *einsum.Input) bool {
	return slices.Equal(a.Leaves, b.Leaves) && slices.EqualFunc(a.Keys, b.Keys, slices.Equal[[]int])
}

// outcome takes the new rows from what the steps gave.
func (s *stateRun) outcome(ctx context.Context) (*stateRows, error) {
	last := s.physical.Steps[len(s.physical.Steps)-1]
	r := s.results[last.Query.Name]
	if s.pick != nil {
		return s.entries(ctx, r)
	}
	c := &tensorCursor{tensor: r.tensor}
	for m, x := range r.idxs {
		c.modes = append(c.modes, slices.Index(r.order, m))
		c.domains = append(c.domains, s.domains[x.Domain].Values())
	}
	cur, err := s.finish(ctx, s.tr, newAnswer(c, s.tr, s.dict))
	if err != nil {
		return nil, err
	}
	next, err := s.take(ctx, cur)
	if err == nil {
		next, err = s.admitAll(next)
	}
	return next, err
}

// entries are the new rows among the entries of a result: those that are not in
// the set of what has been found.
func (s *stateRun) entries(ctx context.Context, r *stepResult) (*stateRows, error) {
	var walk entryWalk
	next := newStateRows(len(s.pick), 0)
	coords := make([][]fibers.Coord, len(s.pick))
	var count *fibers.Leaf
	if s.occurs != "" {
		count = &r.tensor.Leaves[slices.IndexFunc(r.tensor.Leaves, func(l fibers.Leaf) bool { return l.Name == s.occurs })]
	}
	for n := walk.next(r.tensor); n > 0; n = walk.next(r.tensor) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for c, k := range s.pick {
			coords[c] = walk.coords[slices.Index(r.order, k)]
		}
		if err := s.admit(next, coords, n, func(i int) (int64, bool) {
			if count == nil || count.Elem == semiring.Pattern {
				return 1, true
			}
			pos := walk.first + int32(i)
			if walk.pos != nil {
				pos = walk.pos[i]
			}
			return count.Int128(pos).Int64()
		}); err != nil {
			return nil, err
		}
	}
	s.keep(next)
	return next, nil
}

// admitAll are those of rows that are new, which are kept.
func (s *stateRun) admitAll(got *stateRows) (*stateRows, error) {
	if s.keyed != nil {
		had := s.keyed.n
		next := s.keyed.upsert(&stateView{stateRows: got, domains: s.state})
		return next, s.held.take(int64(s.keyed.n-had) * s.keyedBytes())
	}
	next := newStateRows(len(s.state), got.n)
	err := s.admit(next, got.coords, got.n, func(i int) (int64, bool) { return got.occurrences(i), true })
	s.keep(next)
	return next, err
}

// keep adds rows to what is found.
func (s *stateRun) keep(next *stateRows) {
	if next.n > 0 {
		s.found = append(s.found, next)
	}
}

// admit appends those of n rows that are new to next.
func (s *stateRun) admit(next *stateRows, coords [][]fibers.Coord, n int, occurs func(i int) (int64, bool)) error {
	if s.seen != nil {
		return s.admitUnseen(next, coords, n)
	}
	bytes := int64(0)
	for i := range n {
		times, ok := occurs(i)
		if !ok || times > occursMost || bytes > occursMost*rowBytesMin {
			return errBudget
		}
		if times > 0 {
			next.add(coords, i)
			next.occurs(times)
			bytes += times * (rowBytesMin + 16*int64(len(coords)))
		}
	}
	return s.held.take(bytes)
}

// occursMost is more rows than memory can hold.
const occursMost = 1 << 40

// admitUnseen appends those of n rows to next that are not in the set of what is
// found, to which it adds them.
func (s *stateRun) admitUnseen(next *stateRows, coords [][]fibers.Coord, n int) error {
	had, bytes := next.n, s.seen.bytes
	for i := range n {
		if s.seen.add(coords, i) {
			next.add(coords, i)
		}
	}
	return s.held.take(s.seen.bytes - bytes + 4*int64(len(coords))*int64(next.n-had))
}

// take reads rows to their end and gives them coordinates.
func (s *stateRun) take(ctx context.Context, cur rows.Cursor) (*stateRows, error) {
	out := newStateRows(len(s.state), 0)
	for {
		b, err := cur.Next(ctx)
		if b == nil || err != nil {
			return out, errors.Join(err, cur.Close())
		}
		for c, d := range s.state {
			have := out.coords[c]
			out.coords[c] = slices.Grow(have, b.N)[:out.n+b.N]
			if err := cache.Encode(prepared(d, &b.Cols[c], b.N), &b.Cols[c], b.N, out.coords[c][out.n:]); err != nil {
				return nil, errors.Join(err, cur.Close())
			}
		}
		if len(b.Cols) > len(s.state) {
			for i := range b.N {
				out.n++
				out.occurs(b.Cols[len(s.state)].I64[i])
			}
		} else {
			out.n += b.N
		}
	}
}

// close gives up all that is held.
func (s *stateRun) close() {
	s.release()
	s.held.close()
}
