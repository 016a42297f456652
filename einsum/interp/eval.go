package interp

import (
	"cmp"
	"fmt"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Run computes every query of the program. params[k-1] is statement parameter
// $k. The result maps the queries' names to their tensors, entries in the
// order of their coordinates.
//
// An error means that the program is not legal or breaks E1, that an input
// does not fit its declaration, or that a parameter is missing. The time is
// at least the number of assignments under which a query's expression is
// present.
func Run(p *einsum.Program, inputs map[string]*Tensor, params []Value) (map[string]*Tensor, error) {
	return run(p, inputs, params, (*evaluator).search)
}

func run(p *einsum.Program, inputs map[string]*Tensor, params []Value, assign assigner) (map[string]*Tensor, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	ev := &evaluator{tables: map[string]*table{}, params: params, assign: assign}
	for _, in := range p.Inputs {
		t, err := newTable(in, inputs[in.Name])
		if err != nil {
			return nil, err
		}
		ev.tables[in.Name] = t
	}
	if err := ev.checkParams(p); err != nil {
		return nil, err
	}
	out := map[string]*Tensor{}
	for _, q := range p.Queries {
		t, err := ev.query(q)
		if err != nil {
			return nil, err
		}
		ev.tables[q.Name], out[q.Name] = t, t.Tensor
	}
	return out, nil
}

// env assigns values to indices by name.
type env map[string]Value

// assigner finds the assignments of idxs, added to env, under which e may be
// present, and calls yield under each of them once.
type assigner func(ev *evaluator, e einsum.Expr, idxs []einsum.Index, at env, yield func())

type evaluator struct {
	tables map[string]*table
	params []Value
	assign assigner
	bad    error // a function was evaluated outside its domain
}

func (ev *evaluator) checkParams(p *einsum.Program) error {
	for _, q := range p.Queries {
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				for _, arg := range a.Args {
					if arg.Const != nil && arg.Const.Param > len(ev.params) {
						return fmt.Errorf("interp: parameter $%d has no value", arg.Const.Param)
					}
				}
			}
		}
	}
	return nil
}

func (ev *evaluator) query(q *einsum.Query) (*table, error) {
	out := &table{Tensor: &Tensor{}, indexes: map[uint64]map[string][]int{}}
	at := map[string]int{} // key of coordinates -> entry
	for l, leaf := range q.Leaves {
		out.Leaves = append(out.Leaves, leaf.Name)
		out.elems = append(out.elems, ev.elem(leaf.Expr))
		var bad error
		count := 0
		here := env{}
		ev.assign(ev, leaf.Expr, q.Idxs, here, func() {
			v := ev.eval(leaf.Expr, here, semiring.NoOp)
			if v.presence == absent {
				return
			}
			invariant.Check(v.presence == present, "interp: a guard outside an aggregate")
			count++
			coord := make([]Value, len(q.Idxs))
			for m, x := range q.Idxs {
				coord[m] = here[x.Name]
			}
			k := coordKey(coord)
			if l == 0 {
				at[k] = len(out.Entries)
				out.Entries = append(out.Entries, Entry{Coord: coord})
			}
			e, ok := at[k]
			if !ok {
				bad = fmt.Errorf("interp: query %s: leaf %s is present at %s, leaf %s is not (E1)",
					q.Name, leaf.Name, coordString(coord), q.Leaves[0].Name)
				return
			}
			out.Entries[e].Leaves = append(out.Entries[e].Leaves, v.num)
		})
		if bad == nil && count != len(out.Entries) {
			bad = fmt.Errorf("interp: query %s: leaf %s is present at %d coordinates, leaf %s at %d (E1)",
				q.Name, leaf.Name, count, q.Leaves[0].Name, len(out.Entries))
		}
		if bad = cmp.Or(ev.bad, bad); bad != nil {
			return nil, bad
		}
	}
	out.Entries = out.sorted()
	return out, nil
}

// presence is the state of an expression under an assignment.
type presence uint8

const (
	absent presence = iota
	// masked: present, by a guard whose condition is zero; it stands for the
	// identity of the enclosing aggregate.
	masked
	present
)

type cell struct {
	presence presence
	num      Num // of a present cell
}

// eval is the meaning of e under an assignment of all its free indices; agg is
// the innermost aggregate around it.
func (ev *evaluator) eval(e einsum.Expr, at env, agg semiring.Op) cell {
	switch e := e.(type) {
	case *einsum.Access:
		return ev.access(e, at)
	case *einsum.Literal:
		if e.Elem == semiring.F64 {
			return cell{present, NumFloat(e.F)}
		}
		return cell{present, NumBig(e.I.Big())}
	case *einsum.Compare:
		if compareMask(e.Op, at[e.L.Name], at[e.R.Name]) {
			return cell{present, NumInt(1)}
		}
		return cell{}
	case *einsum.Agg:
		return ev.reduce(e, at)
	case *einsum.Map:
		if e.Op == semiring.Select {
			return ev.choose(e, at, agg)
		}
		bad := ev.bad
		args := make([]cell, len(e.Args))
		for i, a := range e.Args {
			args[i] = ev.eval(a, at, agg)
		}
		if e.Op.IsFunction() {
			return ev.function(e.Op, args[0])
		}
		out := apply(e.Op, args, agg)
		if e.Op == semiring.Guard && out.presence != present {
			ev.bad = bad // what is masked is not computed
		}
		return out
	default:
		panic(invariant.Failed("interp: unknown Expr %T", e))
	}
}

func (ev *evaluator) access(a *einsum.Access, at env) cell {
	t := ev.tables[a.Tensor]
	want := make([]Value, len(a.Args))
	var modes uint64
	for m, arg := range a.Args {
		if arg.Const == nil {
			want[m] = at[arg.Index.Name]
			modes |= 1 << m
		}
	}
	for _, e := range t.find(modes, want) {
		if ev.matchConsts(a, t.Entries[e].Coord) {
			return cell{present, t.Entries[e].Leaves[leafOf(t, a)]}
		}
	}
	return cell{}
}

func leafOf(t *table, a *einsum.Access) int {
	for l, name := range t.Leaves {
		if name == a.Leaf {
			return l
		}
	}
	panic(invariant.Failed("interp: %s passed Check", a))
}

// matchConsts reports whether an entry has the values that a's constants ask for.
func (ev *evaluator) matchConsts(a *einsum.Access, coord []Value) bool {
	for m, arg := range a.Args {
		c := arg.Const
		if c == nil {
			continue
		}
		if c.Param > 0 {
			v := ev.params[c.Param-1]
			if v.IsNull() || coord[m].IsNull() || v.Compare(coord[m]) != 0 {
				return false
			}
		} else if !coord[m].matches(c) {
			return false
		}
	}
	return true
}

func (ev *evaluator) reduce(a *einsum.Agg, at env) cell {
	var acc cell
	ev.assign(ev, a.Arg, a.Idxs, at, func() {
		v := ev.eval(a.Arg, at, a.Op)
		switch {
		case v.presence == absent:
		case v.presence == masked:
			acc.presence = max(acc.presence, masked)
		case acc.presence == present:
			acc.num = combine(a.Op, acc.num, v.num)
		default:
			acc = cell{present, v.num}
			if a.Op == semiring.Or || a.Op == semiring.And {
				acc.num = truth(!v.num.isZero())
			}
		}
	})
	if acc.presence == masked {
		return cell{present, identity(a.Op, ev.elem(a.Arg) == semiring.F64)}
	}
	return acc
}

// elem tells integers from floats: it decides what the identity of a min or
// max is where every cell is masked.
func (ev *evaluator) elem(e einsum.Expr) semiring.Elem {
	return einsum.ElemOf(e, func(a *einsum.Access) semiring.Elem {
		t := ev.tables[a.Tensor]
		return t.elems[leafOf(t, a)]
	})
}

// function is the meaning of a function of one number.
func (ev *evaluator) function(op semiring.Op, c cell) cell {
	if c.presence != present {
		return c
	}
	y, ok := function(op, c.num.Float64())
	if !ok && ev.bad == nil {
		ev.bad = fmt.Errorf("interp: %s of %s", op, c.num)
	}
	return cell{present, NumFloat(y)}
}

// choose is the meaning of select(c, x, y): the one that is not chosen only has
// to be present.
func (ev *evaluator) choose(e *einsum.Map, at env, agg semiring.Op) cell {
	c := ev.eval(e.Args[0], at, agg)
	chosen, other := 1, 2
	if c.presence == present && c.num.isZero() {
		chosen, other = 2, 1
	}
	bad := ev.bad
	unused := ev.eval(e.Args[other], at, agg)
	ev.bad = bad
	x := ev.eval(e.Args[chosen], at, agg)
	switch {
	case c.presence == absent || unused.presence == absent || x.presence == absent:
		return cell{}
	case c.presence == masked:
		ev.bad = bad
		return c
	}
	return x
}

// if0 is the meaning of if0(x, d).
func if0(x, d cell) cell {
	switch {
	case d.presence == absent:
		return cell{}
	case x.presence == masked, x.presence == present && !x.num.isZero():
		return x
	default:
		return d
	}
}

// apply is the meaning of a map that is no function.
func apply(op semiring.Op, args []cell, agg semiring.Op) cell {
	if op == semiring.If0 {
		return if0(args[0], args[1])
	}
	if op == semiring.Neg {
		if args[0].presence == present {
			args[0].num = args[0].num.neg()
		}
		return args[0]
	}
	if op.Info().Conjunctive {
		return conjunction(op, args)
	}
	if op == semiring.Sub {
		// a - b is a + (-b) also where only one of them is present.
		args, op = []cell{args[0], apply(semiring.Neg, args[1:], agg)}, semiring.Add
	}
	var acc cell
	for _, a := range args {
		switch {
		case a.presence == absent:
		case a.presence == masked:
			if op != agg {
				// The aggregate's identity is none of this operator's.
				return cell{presence: masked}
			}
			acc.presence = max(acc.presence, masked)
		case acc.presence == present:
			acc.num = combine(op, acc.num, a.num)
		default:
			acc = a
			if op == semiring.Or {
				acc.num = truth(!a.num.isZero())
			}
		}
	}
	return acc
}

// conjunction is the meaning of a map that is present where all arguments are.
func conjunction(op semiring.Op, args []cell) cell {
	state := present
	for _, a := range args {
		if a.presence == absent {
			return cell{}
		}
		state = min(state, a.presence)
	}
	if state == masked {
		return cell{presence: masked}
	}
	acc := args[0].num
	if op == semiring.And {
		acc = truth(!acc.isZero())
	}
	for _, a := range args[1:] {
		if op != semiring.Guard {
			acc = combine(op, acc, a.num)
		} else if a.num.isZero() {
			return cell{presence: masked}
		}
	}
	return cell{present, acc}
}
