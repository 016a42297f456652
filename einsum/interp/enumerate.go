package interp

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// search is an assigner that walks the entries of e's accesses: an expression
// is present only where accesses that restrict its indices are (E5). It may
// propose assignments under which e is absent, never misses one.
func (ev *evaluator) search(e einsum.Expr, idxs []einsum.Index, at env, yield func()) {
	seen := map[string]bool{}
	coord := make([]Value, len(idxs))
	ev.extend(e, at, func() {
		for i, x := range idxs {
			v, ok := at[x.Name]
			invariant.Check(ok, "interp: index %s is not restricted", x.Name)
			coord[i] = v
		}
		if k := coordKey(coord); !seen[k] {
			seen[k] = true
			yield()
		}
	})
}

// extend calls next under every extension of at to indices of e under which e
// can be present; indices that e does not restrict may stay unassigned.
func (ev *evaluator) extend(e einsum.Expr, at env, next func()) {
	switch e := e.(type) {
	case *einsum.Access:
		ev.extendAccess(e, at, next)
	case *einsum.Literal, *einsum.Compare:
		next()
	case *einsum.Map:
		if e.Op.Info().Conjunctive {
			ev.extendAll(e.Args, at, next)
			return
		}
		if e.Op == semiring.If0 {
			ev.extend(e.Args[1], at, next)
			return
		}
		for _, a := range e.Args {
			ev.extend(a, at, next)
		}
	case *einsum.Agg:
		// The indices bound here are out of scope for next.
		ev.extend(e.Arg, at, func() {
			inner := make([]Value, len(e.Idxs))
			for i, x := range e.Idxs {
				inner[i] = at[x.Name]
				delete(at, x.Name)
			}
			next()
			for i, x := range e.Idxs {
				at[x.Name] = inner[i]
			}
		})
	default:
		panic(invariant.Failed("interp: unknown Expr %T", e))
	}
}

// extendAll extends by all arguments, at each turn by the one with the fewest
// unassigned indices.
func (ev *evaluator) extendAll(args []einsum.Expr, at env, next func()) {
	if len(args) == 0 {
		next()
		return
	}
	best, least := 0, -1
	for i, a := range args {
		n := 0
		for _, x := range einsum.Free(a) {
			if _, ok := at[x.Name]; !ok {
				n++
			}
		}
		if _, ok := a.(*einsum.Access); !ok {
			n += 100 // what is no access restricts less
		}
		if least < 0 || n < least {
			best, least = i, n
		}
	}
	rest := slices.Delete(slices.Clone(args), best, best+1)
	ev.extend(args[best], at, func() { ev.extendAll(rest, at, next) })
}

func (ev *evaluator) extendAccess(a *einsum.Access, at env, next func()) {
	t := ev.tables[a.Tensor]
	want := make([]Value, len(a.Args))
	var modes uint64
	var unbound []string
	for m, arg := range a.Args {
		if arg.Const != nil {
			continue
		}
		if v, ok := at[arg.Index.Name]; ok {
			want[m], modes = v, modes|1<<m
		} else {
			unbound = append(unbound, arg.Index.Name)
		}
	}
	for _, e := range t.find(modes, want) {
		coord := t.Entries[e].Coord
		if ev.matchConsts(a, coord) && assignArgs(a, coord, at) {
			next()
		}
		for _, name := range unbound {
			delete(at, name)
		}
	}
}

// assignArgs assigns the access's indices from an entry's coordinates; false
// when an index that stands twice would have two values.
func assignArgs(a *einsum.Access, coord []Value, at env) bool {
	for m, arg := range a.Args {
		if arg.Const != nil {
			continue
		}
		if v, ok := at[arg.Index.Name]; ok && v != coord[m] {
			return false
		}
		at[arg.Index.Name] = coord[m]
	}
	return true
}
