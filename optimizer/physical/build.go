package physical

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Options are what the planner goes by beside the figures.
type Options struct {
	// Estimator estimates sizes.
	Estimator stats.Estimator
	// BudgetBytes is the memory of the execution; 0: no bound. A level or workspace
	// that is expected to take too much of it is not chosen.
	BudgetBytes float64
	// Outputs are steps beside the last whose results are stored: they are read when
	// the program has run.
	Outputs map[string]bool
	// Any, when not nil, chooses loop orders, workspaces and formats at random among
	// those that are legal: for tests.
	Any *rand.Rand
}

// Build chooses how every step of a logical plan runs. Steps are looked at from
// the last to the first, so that a step knows in which order its consumers read
// its result; where they disagree, reorder steps are added, or all of them read
// one order, whichever costs less.
func Build(lp *logical.Plan, src stats.Source, opt Options) (*Plan, error) {
	b := &builder{
		opt: opt, est: opt.Estimator, steps: lp.Steps,
		cat: logical.NewCatalog(lp.Inputs, src, opt.Estimator), sparing: lp.Sparing || len(lp.Steps) > manySteps,
		names: map[string]bool{}, readers: map[string]int{}, keys: map[string][][]int{},
	}
	for _, in := range lp.Inputs {
		b.names[in.Name], b.keys[in.Name] = true, in.Keys
	}
	for _, s := range lp.Steps {
		b.names[s.Query.Name] = true
		b.count(s.Query)
		if _, _, err := b.cat.Add(s.Query); err != nil {
			return nil, err
		}
	}
	best, err := b.draftAll(nil)
	if err != nil {
		return nil, err
	}
	if best, err = b.agree(best); err != nil {
		return nil, err
	}
	return b.plan(lp.Inputs, best), nil
}

// plan completes the steps of drafts.
func (b *builder) plan(inputs []*einsum.Input, made *drafts) *Plan {
	out := &Plan{Inputs: inputs}
	stored := map[string]*Step{}
	b.drafts = made
	for _, d := range made.steps {
		for _, s := range b.finish(d) {
			b.readStored(s, stored)
			stored[s.Query.Name] = s
			out.Steps = append(out.Steps, s)
		}
	}
	return out
}

// builder is the state of one Build.
type builder struct {
	opt   Options
	cat   *logical.Catalog
	est   stats.Estimator
	steps []*logical.Step
	names map[string]bool
	// readers is the number of steps that read a tensor.
	readers map[string]int
	// keys are those of inputs, as sets of modes.
	keys map[string][][]int
	// sparing: steps are decided once (manySteps).
	sparing bool
	*drafts
}

// count makes a step's reads known.
func (b *builder) count(q *einsum.Query) {
	read := map[string]bool{}
	for _, l := range q.Leaves {
		for _, a := range einsum.Accesses(l.Expr) {
			if !read[a.Tensor] {
				read[a.Tensor] = true
				b.readers[a.Tensor]++
			}
		}
	}
}

// drafts are all steps with decided loops.
type drafts struct {
	steps  []*draft
	cost   float64
	wanted map[string]*variants // by step
	inputs map[string][][]int   // the layouts of an input that the plan uses already
}

// draftAll decides all steps. Consumers of a step in first keep to that layout of
// its result where they can.
func (b *builder) draftAll(first map[string][]int) (*drafts, error) {
	b.drafts = &drafts{steps: make([]*draft, len(b.steps)), wanted: map[string]*variants{}, inputs: map[string][][]int{}}
	for _, s := range b.steps {
		v := &variants{}
		if order := first[s.Query.Name]; order != nil {
			v.add(order, nil)
		}
		b.wanted[s.Query.Name] = v
	}
	for i := len(b.steps) - 1; i >= 0; i-- {
		var err error
		if b.drafts.steps[i], err = b.draft(b.steps[i]); err != nil {
			return nil, err
		}
		b.cost += b.drafts.steps[i].cost
	}
	return b.drafts, nil
}

const (
	// maxAgreements bounds how often the steps are decided again.
	maxAgreements = 8
	// manySteps is the number of steps beyond which they are decided once, and loop
	// orders searched only where that saves more than it takes: a plan of a thousand
	// steps has small ones, and what one costs to plan counts a thousand times.
	manySteps = 24
)

// agree tries, for every step that is wanted in several layouts or in another one
// than is best for itself, to have all consumers keep to each of them: they were
// decided one after the other, without regard to the others and to the step.
func (b *builder) agree(best *drafts) (*drafts, error) {
	if b.opt.Any != nil || b.sparing {
		return best, nil
	}
	first, tries := map[string][]int{}, 0
	for i, s := range b.steps {
		name := s.Query.Name
		for _, order := range best.candidates(i, name) {
			if tries++; tries > maxAgreements {
				return best, nil
			}
			trial := maps.Clone(first)
			trial[name] = order
			made, err := b.draftAll(trial)
			if err != nil {
				return nil, err
			}
			if made.cost < best.cost && made.usesAll() {
				best, first = made, trial
			}
		}
	}
	return best, nil
}

// candidates are the layouts of step i, of that name, that all its consumers might
// keep to.
func (d *drafts) candidates(i int, name string) [][]int {
	var out [][]int
	if natural := d.steps[i].natural; natural != nil {
		out = append(out, natural)
	}
	if orders := d.wanted[name].orders; len(orders) > 1 {
		out = append(out, orders...)
	}
	return out
}

// usesAll reports whether every layout of a result that is stored is read.
func (d *drafts) usesAll() bool {
	for _, v := range d.wanted {
		if slices.Contains(v.read, false) {
			return false
		}
	}
	return true
}

// draft is a step whose loops are decided. variant is, per operand, which
// layout of a step's result it reads.
type draft struct {
	step    *logical.Step
	body    *logical.Body
	nest    *stats.Nest
	loops   []int
	matched int
	order   []einsum.Index // of the result
	gather  gathering
	flat    bool
	cost    float64
	// natural is the order of the result's modes that would make the step cheaper
	// than the ones wanted; nil: none.
	natural []int
	out     Step
	variant []int
}

func (b *builder) draft(s *logical.Step) (*draft, error) {
	body, err := logical.NewBody(s.Query)
	if err != nil {
		return nil, err
	}
	for _, op := range body.Operands {
		if bits.OnesCount64(op.Set) != indexCount(op.Args) {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "an access with a repeated index")
		}
	}
	d := &draft{step: s, body: body, nest: stats.NewNest(b.est, b.terms(s.Query, body))}
	d.out = Step{Query: s.Query, BodyNNZ: s.BodyNNZ, OutNNZ: s.OutNNZ}
	d.flat = b.flat(d)
	b.order(d)
	b.operands(d)
	return d, nil
}

// terms describes a step's operands for its loops: those that no alternative of its
// structure has are optional. Of several alternatives the one with the most cells
// tells how often loops run: the operands of all of them together have the cells that
// all share, if they were independent, which parts of one union are not.
func (b *builder) terms(q *einsum.Query, body *logical.Body) []stats.Term {
	terms := b.cat.Terms(body)
	alternatives := body.Presence(q.Leaves[0].Expr)
	var needed uint64
	for _, set := range alternatives {
		needed |= set
	}
	if len(alternatives) > 1 {
		if set, ok := b.largest(terms, alternatives, body.All()); ok {
			needed = set
		}
	}
	for i := range body.Operands {
		terms[i].Optional = needed&(1<<i) == 0
	}
	return terms
}

// largest is the alternative with the most cells of those that have all indices; ok
// is false where none has.
func (b *builder) largest(terms []stats.Term, alternatives []uint64, all uint64) (best uint64, ok bool) {
	most := 0.0
	for _, set := range alternatives {
		var nest []stats.Term
		var has uint64
		for i := range terms {
			if set&(1<<i) != 0 {
				nest = append(nest, terms[i])
				has |= terms[i].Set
			}
		}
		if has != all {
			continue
		}
		if size := stats.NewNest(b.est, nest).Size(all); !ok || size > most {
			best, most, ok = set, size, true
		}
	}
	return best, ok
}

func indexCount(args []einsum.Arg) int {
	n := 0
	for _, a := range args {
		if a.Const == nil {
			n++
		}
	}
	return n
}

// masksAt returns the comparisons that can be tested once x, the last loop of
// the outer set, is bound.
func masksAt(body *logical.Body, outer uint64, x int) []*einsum.Compare {
	var out []*einsum.Compare
	for _, m := range body.Masks {
		if m.Set&^outer == 0 && m.Set&(1<<x) != 0 {
			out = append(out, m.Compare)
		}
	}
	return out
}

// operands settles layout and protocols of every operand and tells the steps
// that it reads which order it wants.
func (b *builder) operands(d *draft) {
	loops := make([]einsum.Index, len(d.loops))
	for i, x := range d.loops {
		loops[i] = d.body.Indices[x]
	}
	protocols := b.protocols(d)
	for i, op := range d.body.Operands {
		o := Operand{Tensor: op.Tensor, Args: op.Args, Order: layoutOf(op.Args, loops)}
		var uses []use
		for _, m := range o.Order {
			if op.Args[m].Const != nil {
				uses = append(uses, use{constant: true})
				continue
			}
			x := slices.Index(d.body.Indices, op.Args[m].Index)
			o.Protocols = append(o.Protocols, protocols[i][x])
			uses = append(uses, use{protocol: protocols[i][x], lookups: d.visits(op, x)})
		}
		t := b.cat.Tensor(op.Tensor)
		variant := 0
		if t.Input {
			o.Formats = b.inputFormats(t, &o)
			if used := b.inputs[op.Tensor]; !slices.ContainsFunc(used, func(l []int) bool { return slices.Equal(l, o.Order) }) {
				b.inputs[op.Tensor] = append(used, o.Order)
			}
		} else {
			variant = b.wanted[op.Tensor].add(o.Order, uses)
		}
		d.variant = append(d.variant, variant)
		d.out.Operands = append(d.out.Operands, o)
	}
}

// visits estimates how often loop x asks the operand for an entry between two
// moves of its fiber: the iterations of the loops inside the one that binds the
// index above.
func (d *draft) visits(op logical.Operand, x int) float64 {
	if d.flat {
		return d.step.BodyNNZ
	}
	var outer, fixed uint64
	for _, y := range d.loops {
		if y == x {
			break
		}
		outer |= 1 << y
		if op.Set&(1<<y) != 0 {
			fixed = outer
		}
	}
	_, entries := d.nest.Leader(1<<x, outer)
	return d.nest.Size(outer) * entries / max(d.nest.Size(fixed), 1)
}

// leaderSlack is how many times more entries than the shortest fiber a leader
// may have. Within it the operand whose fiber moves most often leads: the
// others' fibers stay while it does, and are marked once for many lookups
// (KERNELS section 3, rule 1).
const leaderSlack = 2.0

// protocols returns, per operand and index, how the loop over that index reads
// the operand: one leads by a walk and the others are looked up. Where no
// operand is required, because the structure is a union, all walk.
func (b *builder) protocols(d *draft) []map[int]format.Protocol {
	out := make([]map[int]format.Protocol, len(d.body.Operands))
	for i := range out {
		out[i] = map[int]format.Protocol{}
	}
	required := d.required()
	for at, x := range d.loops {
		leader := d.leader(at, required)
		for i, op := range d.body.Operands {
			switch {
			case op.Set&(1<<x) == 0:
			case leader < 0 || i == leader:
				out[i][x] = format.Walk
			default:
				out[i][x] = format.Lookup
			}
		}
	}
	return out
}

// leader returns the operand that leads loop number at; -1 when none of the
// required ones has its index.
func (d *draft) leader(at int, required uint64) int {
	x := d.loops[at]
	if d.flat {
		return slices.IndexFunc(d.body.Operands, func(op logical.Operand) bool { return op.Set&(1<<x) != 0 })
	}
	var outer uint64
	for _, y := range d.loops[:at] {
		outer |= 1 << y
	}
	least := math.Inf(1)
	entries := make([]float64, len(d.body.Operands))
	for i, op := range d.body.Operands {
		entries[i] = math.Inf(1)
		if op.Set&(1<<x) != 0 && required&(1<<i) != 0 {
			entries[i] = d.nest.Fiber(i, 1<<x, outer)
			least = min(least, entries[i])
		}
	}
	best, deepest := -1, -1
	for i, op := range d.body.Operands {
		if math.IsInf(entries[i], 1) || entries[i] > least*leaderSlack {
			continue
		}
		// The loop that moves the operand's fiber; -1 when it never moves.
		moves := -1
		for k, y := range d.loops[:at] {
			if op.Set&(1<<y) != 0 {
				moves = k
			}
		}
		if best < 0 || moves > deepest {
			best, deepest = i, moves
		}
	}
	return best
}

// required returns the operands that are present wherever leaf 0 is.
func (d *draft) required() uint64 {
	expr := d.step.Query.Leaves[0].Expr
	set := ^uint64(0)
	for _, s := range d.body.Presence(expr) {
		set &= s
	}
	return set
}

// finish returns the finished step, followed by one reorder step for every
// further layout that consumers want.
func (b *builder) finish(d *draft) []*Step {
	s := &d.out
	for i := range s.Operands {
		if from := b.wanted[s.Operands[i].Tensor]; from != nil {
			to := b.variantName(s.Operands[i].Tensor, from.rank(d.variant[i]))
			s.Query = renameOperand(s.Query, s.Operands[i], to)
			s.Operands[i].Tensor = to
		}
	}
	wanted := b.wanted[d.step.Query.Name]
	s.Output = b.output(d.step.Query, d.order, d.matched, wanted, wanted.first, &d.gather)
	s.Output.Flat = d.flat
	steps := []*Step{s}
	for k := range wanted.orders {
		if k != wanted.first {
			steps = append(steps, b.reorder(d, s.Output, wanted, k))
		}
	}
	return steps
}

// output describes how a result is stored in the given order.
func (b *builder) output(q *einsum.Query, order []einsum.Index, matched int, wanted *variants, k int, g *gathering) Output {
	o := Output{Order: order, Prefix: matched, Elems: b.cat.Elems(q)}
	t := b.cat.Tensor(q.Name)
	s := b.est.FromTensor(&t.Stats, modes(q))
	uses := make([][]use, len(order))
	if len(wanted.orders) > k {
		uses = wanted.uses[k]
	}
	var sizes, dims []float64
	var prefix uint64
	for _, x := range order {
		prefix |= 1 << slices.Index(q.Idxs, x)
		sizes = append(sizes, b.est.Estimate(s, prefix, 0))
		dims = append(dims, b.cat.Dim(x))
	}
	o.Formats = b.resultFormats(sizes, dims, uses, valueBytes(o.Elems))
	o.Workspace = b.workspace(g)
	return o
}

// modes numbers the indices of a query's result.
func modes(q *einsum.Query) []int {
	out := make([]int, len(q.Idxs))
	for i := range out {
		out[i] = i
	}
	return out
}

// reorder returns the step that stores a result in its k-th wanted order: all
// leaves, entry by entry.
func (b *builder) reorder(d *draft, from Output, wanted *variants, k int) *Step {
	q := d.step.Query
	args := einsum.Ixs(q.Idxs...)
	out := &einsum.Query{Name: b.variantName(q.Name, wanted.rank(k)), Idxs: q.Idxs}
	for _, l := range q.Leaves {
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: einsum.A(q.Name, l.Name, args...)})
	}
	order := make([]einsum.Index, len(q.Idxs))
	for i, m := range wanted.orders[k] {
		order[i] = q.Idxs[m]
	}
	matched := 0
	for matched < len(order) && order[matched] == from.Order[matched] {
		matched++
	}
	s := &Step{Query: out, BodyNNZ: d.step.OutNNZ, OutNNZ: d.step.OutNNZ}
	o := Operand{Tensor: q.Name, Args: args, Order: layoutOf(args, from.Order)}
	t := b.cat.Tensor(q.Name)
	stored := b.est.FromTensor(&t.Stats, modes(q))
	var prefix uint64
	for _, x := range from.Order {
		prefix |= 1 << slices.Index(q.Idxs, x)
		s.Loops = append(s.Loops, Loop{Index: x, Iterations: b.est.Estimate(stored, prefix, 0)})
		o.Protocols = append(o.Protocols, format.Walk)
	}
	s.Operands = []Operand{o}
	g := gathering{
		modes: len(order) - matched, slots: 1, entries: t.Stats.NNZ, writes: t.Stats.NNZ, group: t.Stats.NNZ, once: true,
		slotBytes: valueBytes(b.cat.Elems(q)),
	}
	for _, x := range order[matched:] {
		g.slots *= b.cat.Dim(x)
	}
	if matched > 0 {
		g.group /= max(s.Loops[matched-1].Iterations, 1)
	}
	s.Output = b.output(q, order, matched, wanted, k, &g)
	return s
}

// variantName names the k-th layout of a step's result, the one first stored being
// number 0.
func (b *builder) variantName(name string, k int) string {
	if k == 0 {
		return name
	}
	name = fmt.Sprintf("%s_r%d", name, k)
	for b.names[name] {
		name += "_"
	}
	return name
}

// renameOperand makes the accesses of one operand read another tensor.
func renameOperand(q *einsum.Query, o Operand, to string) *einsum.Query {
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		expr := einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			a, ok := e.(*einsum.Access)
			if !ok || !o.reads(a) {
				return e
			}
			return einsum.A(to, a.Leaf, a.Args...)
		})
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: expr})
	}
	return out
}

// reads reports whether the access belongs to the operand.
func (o *Operand) reads(a *einsum.Access) bool {
	return a.Tensor == o.Tensor && slices.EqualFunc(a.Args, o.Args, einsum.Arg.Equal)
}

// readStored gives operands that are steps' results the formats in which those
// steps store them (P5).
func (b *builder) readStored(s *Step, stored map[string]*Step) {
	for i := range s.Operands {
		if from := stored[s.Operands[i].Tensor]; from != nil {
			s.Operands[i].Formats = from.Output.Formats
		}
	}
}
