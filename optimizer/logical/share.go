package logical

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// sharing finds steps that are computed already: two queries that are equal up
// to the names of indices and the order of commutative arguments are one.
type sharing struct {
	steps map[string]*shared // by canonical structure
	alias map[string]*alias  // queries that another step answers
}

// shared is a step that others may use.
type shared struct {
	q      *einsum.Query
	canon  canonical
	leaves map[string]string // leaf name by canonical expression
	at     int               // number of the step
	grows  bool              // leaves may be added
}

// alias says how to read a query that is computed under another name.
type alias struct {
	tensor string
	mode   []int // mode of the alias that is the tensor's m-th
	leaves map[string]string
}

func newSharing() *sharing {
	return &sharing{steps: map[string]*shared{}, alias: map[string]*alias{}}
}

func (s *sharing) clone() *sharing {
	return &sharing{steps: maps.Clone(s.steps), alias: maps.Clone(s.alias)}
}

// canonical is a query without its names.
type canonical struct {
	structure string         // the free indices and what leaf 0 computes
	order     []einsum.Index // all indices in canonical order
	leaves    []string
}

// remember makes a step available to later ones.
func (s *sharing) remember(q *einsum.Query, at int, grows bool) {
	c := canonicalize(q)
	if s.steps[c.structure] != nil {
		return
	}
	leaves := map[string]string{}
	for i, key := range c.leaves {
		leaves[key] = q.Leaves[i].Name
	}
	s.steps[c.structure] = &shared{q: q, canon: c, leaves: leaves, at: at, grows: grows}
}

// find returns a step with the structure of q and how its modes and leaves
// correspond; leaves that it lacks are added where that is possible.
func (s *sharing) find(pl *planner, q *einsum.Query) (*shared, *alias) {
	c := canonicalize(q)
	have := s.steps[c.structure]
	if have == nil {
		return nil, nil
	}
	to := map[einsum.Index]einsum.Index{} // of q to of the step
	for i, x := range c.order {
		to[x] = have.canon.order[i]
	}
	a := &alias{tensor: have.q.Name, mode: make([]int, len(q.Idxs)), leaves: map[string]string{}}
	for m, x := range q.Idxs {
		a.mode[slices.Index(have.q.Idxs, to[x])] = m
	}
	var added []einsum.Leaf
	for i, key := range c.leaves {
		name, ok := have.leaves[key]
		if !ok && !have.grows {
			return nil, nil
		}
		if !ok {
			name = fmt.Sprintf("x%d", len(have.q.Leaves)+len(added))
			expr := einsum.MapIndices(q.Leaves[i].Expr, func(x einsum.Index) einsum.Index { return to[x] })
			added = append(added, einsum.Leaf{Name: name, Expr: expr})
		}
		a.leaves[q.Leaves[i].Name] = name
	}
	if len(added) > 0 {
		have = pl.grow(have, added)
	}
	return have, a
}

// grow adds leaves to a step. The step and what is known of it are replaced, not
// changed: a trial may share them.
func (pl *planner) grow(have *shared, added []einsum.Leaf) *shared {
	next := *have
	next.q = &einsum.Query{Name: have.q.Name, Idxs: have.q.Idxs, Leaves: slices.Concat(have.q.Leaves, added)}
	next.canon = canonicalize(next.q)
	next.leaves = map[string]string{}
	for i, key := range next.canon.leaves {
		next.leaves[key] = next.q.Leaves[i].Name
	}
	pl.share.steps[next.canon.structure] = &next
	step := *pl.plan.Steps[have.at]
	step.Query = next.q
	pl.plan.Steps[have.at] = &step
	pl.cat.grow(next.q)
	return &next
}

// place returns the tensor that holds q's result, its arguments in terms of
// q's indices and its leaves by q's: an earlier step, or a new one.
func (pl *planner) place(q *einsum.Query) (string, []einsum.Arg, map[string]string, error) {
	var args []einsum.Arg
	if have, a := pl.share.find(pl, q); have != nil {
		for _, m := range a.mode {
			args = append(args, einsum.Arg{Index: q.Idxs[m]})
		}
		return a.tensor, args, a.leaves, nil
	}
	q.Name = pl.newName()
	leaves := map[string]string{}
	for _, l := range q.Leaves {
		leaves[l.Name] = l.Name
	}
	for _, x := range q.Idxs {
		args = append(args, einsum.Arg{Index: x})
	}
	return q.Name, args, leaves, pl.add(q, true)
}

// resolve makes a query read the steps that answer its tensors.
func (s *sharing) resolve(q *einsum.Query) *einsum.Query {
	if len(s.alias) == 0 {
		return q
	}
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		expr := einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			x, ok := e.(*einsum.Access)
			if !ok || s.alias[x.Tensor] == nil {
				return e
			}
			a := s.alias[x.Tensor]
			args := make([]einsum.Arg, len(a.mode))
			for m, from := range a.mode {
				args[m] = x.Args[from]
			}
			return &einsum.Access{Tensor: a.tensor, Leaf: a.leaves[x.Leaf], Args: args}
		})
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: expr})
	}
	return out
}

// canonicalize colours indices by where they occur, a few rounds, and names
// them in the order of their colours. Indices that stay tied are named in order
// of appearance: equal queries may then differ in form, never the reverse.
func canonicalize(q *einsum.Query) canonical {
	b, err := NewBody(q)
	invariant.Check(err == nil, "logical: step without a body: %v", err)
	colors := b.colors()
	order := make([]int, len(b.Indices))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case colors[x] < colors[y]:
			return -1
		case colors[x] > colors[y]:
			return 1
		}
		return 0
	})
	c := canonical{}
	names := map[einsum.Index]string{}
	free := make([]string, 0, len(q.Idxs))
	for i, x := range order {
		names[b.Indices[x]] = "#" + strconv.Itoa(i)
		c.order = append(c.order, b.Indices[x])
		if b.Free&(1<<x) != 0 {
			free = append(free, strconv.Itoa(i))
		}
	}
	for _, l := range q.Leaves {
		c.leaves = append(c.leaves, canonicalExpr(l.Expr, names))
	}
	c.structure = strings.Join(free, ",") + ":" + c.leaves[0]
	return c
}

const colorRounds = 3

func (b *Body) colors() []uint64 {
	colors := make([]uint64, len(b.Indices))
	for i, x := range b.Indices {
		colors[i] = mix("index", uint64(x.Domain), b.Free>>i&1)
	}
	for range colorRounds {
		next := slices.Clone(colors)
		for _, op := range b.Operands {
			parts := make([]uint64, len(op.Args))
			text := op.Tensor
			for m, a := range op.Args {
				if a.Const != nil {
					text += "\x00" + strconv.Itoa(m) + a.Const.String()
				} else {
					parts[m] = colors[b.index(a.Index)]
				}
			}
			for m, a := range op.Args {
				if a.Const == nil {
					// Sums make the order of the operands irrelevant.
					next[b.index(a.Index)] += mix(text, append(parts, uint64(m))...)
				}
			}
		}
		for _, m := range b.Masks {
			l, r := b.index(m.Compare.L), b.index(m.Compare.R)
			next[l] += mix(m.Compare.Op.String(), colors[l], colors[r])
			next[r] += mix(flipped(m.Compare.Op).String(), colors[r], colors[l])
		}
		colors = next
	}
	return colors
}

// flipped is the comparison with its sides exchanged.
func flipped(op semiring.Op) semiring.Op {
	switch op {
	case semiring.Lt:
		return semiring.Gt
	case semiring.Gt:
		return semiring.Lt
	case semiring.Le:
		return semiring.Ge
	case semiring.Ge:
		return semiring.Le
	}
	return op
}

func mix(text string, parts ...uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	sum := h.Sum64()
	for _, p := range parts {
		sum = bits.RotateLeft64((sum^p)*0x9E3779B97F4A7C15, 29) + p
	}
	return sum
}

// canonicalExpr prints e with the given index names and the arguments of
// commutative operators sorted.
func canonicalExpr(e einsum.Expr, names map[einsum.Index]string) string {
	switch e := e.(type) {
	case *einsum.Access:
		text := strconv.Quote(e.Tensor) + "." + strconv.Quote(e.Leaf)
		for _, a := range e.Args {
			if a.Const != nil {
				text += "," + a.Const.String()
			} else {
				text += "," + names[a.Index]
			}
		}
		return "[" + text + "]"
	case *einsum.Literal:
		return e.String()
	case *einsum.Compare:
		l, r, op := names[e.L], names[e.R], e.Op
		if r < l {
			l, r, op = r, l, flipped(op)
		}
		return "[" + l + op.String() + r + "]"
	case *einsum.Agg:
		var idxs []string
		for _, x := range e.Idxs {
			idxs = append(idxs, names[x])
		}
		slices.Sort(idxs)
		return e.Op.String() + "{" + strings.Join(idxs, ",") + "}" + canonicalExpr(e.Arg, names)
	case *einsum.Map:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = canonicalExpr(a, names)
		}
		switch {
		case e.Op.Info().Comm:
			slices.Sort(args)
		case e.Op == semiring.Guard:
			slices.Sort(args[1:])
		}
		return "(" + e.Op.String() + " " + strings.Join(args, " ") + ")"
	default:
		panic(invariant.Failed("logical: unknown Expr %T", e))
	}
}
