package logical

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Rewrite searches for a cheaper program of the same meaning than a normal one:
// sums distributed or factored, aggregates split and pushed into sums, nested
// queries merged with what reads them, functions pushed past foreign keys. Every
// alternative is normalised and priced by planning it whole, a step that several
// queries share once. The search is hill climbing with plateaus (OPTIMIZER B-2):
// the cheapest alternative is taken as long as one is cheaper; where none is,
// those of about the same cost are followed to a small depth. It is bounded by a
// number of trials, so that plans do not depend on the machine, and keeps the
// best program when these are used up. They take no more time than the program as it
// is is estimated to take, so that one over small tensors is not searched for (with
// Search Exact it is).
//
// Programs that no rewrite applies to, as of nearly every SQL statement, come back
// as they are, at the cost of a look at their operators.
func Rewrite(p *einsum.Program, src stats.Source, opt Options) (*einsum.Program, error) {
	w := newRewriter(p.Inputs)
	for i, q := range p.Queries {
		if opt.Needed == nil || opt.Needed[q.Name] || i == len(p.Queries)-1 {
			w.needed[q.Name] = true
		}
	}
	if !w.applies(p.Queries) {
		return p, nil
	}
	w.thorough = opt.Search == Exact
	pl := newPlanner(p, src, opt)
	pl.todo = nil // nothing of the program is planned but in trials
	w.price = func(qs []*einsum.Query) (float64, error) { return programCost(pl, qs) }
	best, err := w.search(p.Queries)
	if err != nil {
		return nil, err
	}
	return &einsum.Program{Inputs: p.Inputs, Queries: best}, nil
}

// Bounds of the search. A trial plans the program once, a few hundred
// microseconds for a program of a few queries.
const (
	rewriteTrials = 80
	// rewriteQueries bounds how many queries the trials of a program plan together:
	// those of a few queries have all trials, one of fifty has eight.
	rewriteQueries = 400
	// trialCost is what a trial takes for each query of the program, in cells: some 60
	// us, read off profiles of random statements over tiny tables, of which the search
	// took a quarter of the time.
	trialCost = 1e4
	// plateau is by how much a program may be dearer and still be followed.
	plateau = 1.1
	// plateauDepth and plateauWidth bound how far and how many.
	plateauDepth, plateauWidth = 3, 4
	// gain is by how much a program must be cheaper to be taken.
	gain = 0.99
)

type rewriter struct {
	inputs []*einsum.Input
	needed map[string]bool
	elems  map[string][]einsum.LeafDecl
	price  func([]*einsum.Query) (float64, error)
	seen   map[string]bool        // programs priced
	known  map[*einsum.Query]bool // queries in normal form
	plain  map[*einsum.Query]bool // whether a query has nothing to distribute
	varied map[string]bool        // programs whose variants are listed, before and after normalising
	trials int                    // left
	// thorough: trials may take longer than they may save.
	thorough bool
}

func newRewriter(inputs []*einsum.Input) *rewriter {
	return &rewriter{
		inputs: inputs, needed: map[string]bool{}, trials: rewriteTrials, seen: map[string]bool{},
		known: map[*einsum.Query]bool{}, plain: map[*einsum.Query]bool{}, varied: map[string]bool{},
	}
}

// candidate is a program and its cost.
type candidate struct {
	queries []*einsum.Query
	cost    float64
}

func (w *rewriter) search(qs []*einsum.Query) ([]*einsum.Query, error) {
	cost, err := w.price(qs)
	if err != nil {
		return nil, err
	}
	best := candidate{qs, cost}
	w.trials = min(w.trials, rewriteQueries/max(len(qs), 1))
	if !w.thorough {
		w.trials = int(min(float64(w.trials), cost/(trialCost*float64(len(qs)))))
	}
	w.seen[programKey(qs)] = true
	frontier := []candidate{best}
	for depth := 0; depth < plateauDepth && len(frontier) > 0 && w.trials > 0; depth++ {
		var next []candidate
		for _, from := range frontier {
			next = append(next, w.neighbours(from.queries, best.cost)...)
		}
		slices.SortStableFunc(next, func(a, b candidate) int {
			switch {
			case a.cost < b.cost:
				return -1
			case a.cost > b.cost:
				return 1
			}
			return 0
		})
		frontier = next[:min(len(next), plateauWidth)]
		if len(next) > 0 && next[0].cost < best.cost*gain {
			best, depth = next[0], -1
		}
	}
	return best.queries, nil
}

// neighbours prices what one rewrite makes of a program and returns those that
// do not cost much more than the limit.
func (w *rewriter) neighbours(qs []*einsum.Query, limit float64) []candidate {
	var out []candidate
	alternatives, plain := w.alternatives(qs)
	most := limit * plateau
	if plain { // nothing to distribute that a dearer program could prepare for
		most = limit * gain
	}
	for _, raw := range alternatives {
		for _, alt := range w.variants(raw) {
			if w.trials == 0 {
				return out
			}
			key := programKey(alt)
			if w.seen[key] {
				continue
			}
			w.seen[key] = true
			w.trials--
			// What cannot be planned is no alternative: the program itself can.
			if cost, err := w.price(alt); err == nil && cost <= most {
				out = append(out, candidate{alt, cost})
				if plain { // the first that gains is as good: merging all comes before merging one
					return out
				}
			}
		}
	}
	return out
}

func (w *rewriter) program(qs []*einsum.Query) *einsum.Program {
	return &einsum.Program{Inputs: w.inputs, Queries: qs}
}

// view takes a query apart that has something to distribute; nil for others.
func (w *rewriter) view(q *einsum.Query) *view {
	if w.plain[q] {
		return nil
	}
	v, ok := newView(q)
	if !ok || v.uniform() {
		w.plain[q] = true
		return nil
	}
	v.decl = w.leafDecl
	return v
}

// alternatives lists what one rewrite makes of a program, in a fixed order. plain
// says that only unnesting applies.
func (w *rewriter) alternatives(qs []*einsum.Query) (out [][]*einsum.Query, plain bool) {
	w.elems = w.program(qs).Elems()
	replace := func(at int, q *einsum.Query) {
		if q != nil {
			alt := slices.Clone(qs)
			alt[at] = q
			out = append(out, alt)
		}
	}
	for i, q := range qs {
		if v := w.view(q); v != nil {
			replace(i, v.split())
			replace(i, v.descend())
			for _, d := range v.distributions() {
				replace(i, d)
			}
			replace(i, v.factor())
		}
	}
	for i := range qs {
		if alt := w.pushFunction(qs, i); alt != nil {
			out = append(out, alt)
		}
		out = append(out, w.choices(qs, i)...)
	}
	plain = len(out) == 0
	for i := range qs[:len(qs)-1] {
		if alt := w.unnest(qs, i); alt != nil {
			out = append(out, alt)
		}
	}
	if plain && len(out) > 1 {
		out = slices.Insert(out, 0, w.unnestAll(qs))
	}
	if alt := w.expandAll(qs); alt != nil {
		out = append(out, alt)
	}
	return out, plain
}

// expandAll unnests what merges and multiplies out every product of sums. A union
// that is read twice gains by both together only: merged but not multiplied out it
// is a product of unions, evaluated cell by cell. nil when nothing is nested or
// nothing is multiplied out.
func (w *rewriter) expandAll(qs []*einsum.Query) []*einsum.Query {
	merged := w.unnestAll(qs)
	if programKey(merged) == programKey(qs) {
		return nil
	}
	if merged = w.normal(merged); merged == nil {
		return nil
	}
	expanded := false
	w.elems = w.program(merged).Elems()
	out := slices.Clone(merged)
	for i, q := range merged {
		if v := w.view(q); v != nil {
			if ds := v.distributions(); len(ds) > 0 { // all of its products are the last
				out[i], expanded = ds[len(ds)-1], true
			}
		}
	}
	if !expanded {
		return nil
	}
	return out
}

// unnestAll unnests as long as a query merges with what reads it.
func (w *rewriter) unnestAll(qs []*einsum.Query) []*einsum.Query {
	for i := len(qs) - 2; i >= 0; i-- {
		if alt := w.unnest(qs, i); alt != nil {
			qs = alt
			i = min(i, len(qs)-1)
		}
	}
	return qs
}

// variants brings a rewritten program into normal form: as it is, with every sum
// split by what its addends need, and with every index where it descends to,
// since distribution pays through these. Nothing when they were listed before: two
// rewrites often lead to one program in either order.
func (w *rewriter) variants(qs []*einsum.Query) [][]*einsum.Query {
	if w.isVaried("raw", qs) {
		return nil
	}
	normal := w.normal(qs)
	if normal == nil || w.isVaried("normal", normal) {
		return nil
	}
	out := [][]*einsum.Query{normal}
	for _, step := range []func(*view) *einsum.Query{
		(*view).descend,
		(*view).split,
		func(v *view) *einsum.Query {
			if q := v.descend(); q != nil {
				return q
			}
			return v.split()
		},
	} {
		if alt := w.closure(normal, step); alt != nil {
			out = append(out, alt)
		}
	}
	if parted := out[len(out)-1]; len(out) > 1 {
		if alt := w.normal(w.unnestAll(parted)); alt != nil {
			out = append(out, alt)
		}
	}
	return out
}

// isVaried reports whether it was asked for a program in that form before.
func (w *rewriter) isVaried(form string, qs []*einsum.Query) bool {
	key := form + programKey(qs)
	before := w.varied[key]
	w.varied[key] = true
	return before
}

// closure applies a rewrite to all queries until it fires no more; nil when it
// does not fire at all.
func (w *rewriter) closure(qs []*einsum.Query, step func(*view) *einsum.Query) []*einsum.Query {
	const rounds = 4 // each goes one level deeper into sums of products of sums
	fired := false
	for range rounds {
		next := slices.Clone(qs)
		changed := false
		w.elems = w.program(qs).Elems()
		for i, q := range qs {
			if v := w.view(q); v != nil {
				if r := step(v); r != nil {
					next[i], changed = r, true
				}
			}
		}
		if !changed {
			break
		}
		if next = w.normal(next); next == nil {
			return nil
		}
		qs, fired = next, true
	}
	if !fired {
		return nil
	}
	return qs
}

// normal is the normal form of a program without the queries that nothing reads;
// nil when it has none.
func (w *rewriter) normal(qs []*einsum.Query) []*einsum.Query {
	p, err := normalized(w.program(qs), w.known)
	if err != nil {
		return nil
	}
	for _, q := range p.Queries {
		w.known[q] = true
	}
	return w.prune(p.Queries)
}

// prune drops queries that are not needed and that no later query reads.
func (w *rewriter) prune(qs []*einsum.Query) []*einsum.Query {
	read := map[string]bool{}
	var out []*einsum.Query
	for i := len(qs) - 1; i >= 0; i-- {
		q := qs[i]
		if !w.needed[q.Name] && !read[q.Name] {
			continue
		}
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				read[a.Tensor] = true
			}
		}
		out = append(out, q)
	}
	slices.Reverse(out)
	return out
}

// uniform reports a query all of whose addends need the same atoms: a product,
// or a sum like s_x*c_y + c_x*s_y. There is nothing to distribute in it that
// elimination does not distribute itself.
func (v *view) uniform() bool {
	all := v.body.Atoms()
	for i := range v.leaves {
		l := &v.leaves[i]
		for k := range l.sum {
			if v.atoms(l.ring, &l.sum[k]) != all || len(l.sum[k].sums) > 0 && !v.uniformSums(l.ring, &l.sum[k]) {
				return false
			}
		}
	}
	return true
}

func (v *view) uniformSums(r ring, a *addend) bool {
	for _, s := range a.sums {
		all := v.sumAtoms(r, s)
		for i := range s {
			if v.atoms(r, &s[i]) != all || !v.uniformSums(r, &s[i]) {
				return false
			}
		}
	}
	return true
}

// applies looks for what a rewrite could start from: a sum or a choice of what
// is not present together, a min or max of a product, a query that merges with a
// later one, a function of a query's result.
func (w *rewriter) applies(qs []*einsum.Query) bool {
	for i, q := range qs {
		sums, functions, products := false, false, false
		for _, l := range q.Leaves {
			if agg, _ := aggOf(l.Expr); agg != nil {
				products = products || isChoice(agg.Op)
			}
			einsum.Walk(l.Expr, func(e einsum.Expr) bool {
				if m, ok := e.(*einsum.Map); ok {
					info := m.Op.Info()
					functions = functions || m.Op.IsFunction()
					sums = sums || !info.Conjunctive && !info.FirstOptional
				}
				return true
			})
		}
		if sums {
			if v, ok := newView(q); ok && !v.uniform() {
				return true
			}
		}
		if functions && w.hasKeys() {
			return true
		}
		if products && w.hasSigns() {
			if v, ok := newView(q); ok && v.hasChoice() {
				return true
			}
		}
		for _, s := range qs[:i] {
			if !w.needed[s.Name] && readsTensor(q, s.Name) && mergesWith(q, s) {
				return true
			}
		}
	}
	return false
}

func (w *rewriter) hasSigns() bool {
	return slices.ContainsFunc(w.inputs, func(in *einsum.Input) bool {
		return slices.ContainsFunc(in.Leaves[1:], func(l einsum.LeafDecl) bool { return l.NonNegative })
	})
}

func (w *rewriter) hasKeys() bool {
	return slices.ContainsFunc(w.inputs, func(in *einsum.Input) bool { return len(in.Keys) > 0 })
}

// isNeeded reports whether a query must stay: by name, or as the result.
func (w *rewriter) isNeeded(qs []*einsum.Query, at int) bool {
	return at == len(qs)-1 || w.needed[qs[at].Name]
}

// input returns the input of that name; nil for a query.
func (w *rewriter) input(name string) *einsum.Input {
	for _, in := range w.inputs {
		if in.Name == name {
			return in
		}
	}
	return nil
}

// leafDecl is what is known of the leaf that an access reads.
func (w *rewriter) leafDecl(a *einsum.Access) einsum.LeafDecl {
	for _, l := range w.elems[a.Tensor] {
		if l.Name == a.Leaf {
			return l
		}
	}
	return einsum.LeafDecl{}
}

// newName returns a name that neither an input nor a query has.
func (w *rewriter) newName(qs []*einsum.Query) string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("F%d", i)
		taken := slices.ContainsFunc(qs, func(q *einsum.Query) bool { return q.Name == name })
		if !taken && w.input(name) == nil {
			return name
		}
	}
}

// programCost prices a program: its plan's steps, and the arithmetic of their leaves, which
// tells pointwise alternatives apart (OPTIMIZER B-4).
func programCost(pl *planner, qs []*einsum.Query) (float64, error) {
	steps, err := pl.trial(qs)
	if err != nil {
		return 0, err
	}
	return planCost(steps), nil
}

// planCost is the cost of steps and of their leaves' arithmetic.
func planCost(steps []*Step) float64 {
	cost := 0.0
	for _, s := range steps {
		cost += s.Cost + s.BodyNNZ*stats.ProductCells(s.Query)
	}
	return cost
}

// programKey is equal for programs that are the same text.
func programKey(qs []*einsum.Query) string {
	var text strings.Builder
	for _, q := range qs {
		text.WriteString(q.String())
		text.WriteByte('\n')
	}
	return text.String()
}
