package einsum

import "github.com/trireme-db/trireme/internal/invariant"

// Children returns the expressions directly below e. The caller must not
// change the slice.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Map:
		return e.Args
	case *Agg:
		return []Expr{e.Arg}
	case *Access, *Literal, *Compare:
		return nil
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

// Walk calls visit for e and, as long as visit returns true, for what is
// below it, parents first and left to right.
func Walk(e Expr, visit func(Expr) bool) {
	if !visit(e) {
		return
	}
	for _, c := range Children(e) {
		Walk(c, visit)
	}
}

// Rewrite returns e with every node replaced by what change makes of it,
// children first. Nodes below which nothing changed are shared with e.
func Rewrite(e Expr, change func(Expr) Expr) Expr {
	switch n := e.(type) {
	case *Map:
		if args, changed := rewriteAll(n.Args, change); changed {
			e = &Map{Op: n.Op, Args: args}
		}
	case *Agg:
		if arg := Rewrite(n.Arg, change); arg != n.Arg {
			e = &Agg{Op: n.Op, Idxs: n.Idxs, Arg: arg}
		}
	case *Access, *Literal, *Compare:
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
	return change(e)
}

func rewriteAll(args []Expr, change func(Expr) Expr) ([]Expr, bool) {
	out := make([]Expr, len(args))
	changed := false
	for i, a := range args {
		out[i] = Rewrite(a, change)
		changed = changed || out[i] != a
	}
	return out, changed
}

// MapIndices returns a copy of e in which every index, free or bound, is
// replaced. It knows nothing of scopes: Rename does.
func MapIndices(e Expr, f func(Index) Index) Expr {
	return Rewrite(e, func(e Expr) Expr {
		switch n := e.(type) {
		case *Access:
			args := make([]Arg, len(n.Args))
			for i, a := range n.Args {
				args[i] = a
				if a.Const == nil {
					args[i].Index = f(a.Index)
				}
			}
			return &Access{Tensor: n.Tensor, Leaf: n.Leaf, Args: args}
		case *Compare:
			return &Compare{Op: n.Op, L: f(n.L), R: f(n.R)}
		case *Agg:
			idxs := make([]Index, len(n.Idxs))
			for i, x := range n.Idxs {
				idxs[i] = f(x)
			}
			return &Agg{Op: n.Op, Idxs: idxs, Arg: n.Arg}
		case *Map, *Literal:
			return e
		default:
			panic(invariant.Failed("einsum: unknown Expr %T", e))
		}
	})
}
