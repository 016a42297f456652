package einsum

import (
	"slices"

	"github.com/trireme-db/trireme/internal/invariant"
)

// Free returns the free indices of e in the order of their first occurrence.
func Free(e Expr) []Index {
	var out []Index
	free(e, nil, &out)
	return out
}

func free(e Expr, bound []Index, out *[]Index) {
	see := func(x Index) {
		if !containsName(bound, x.Name) && !containsName(*out, x.Name) {
			*out = append(*out, x)
		}
	}
	switch e := e.(type) {
	case *Access:
		for _, a := range e.Args {
			if a.Const == nil {
				see(a.Index)
			}
		}
	case *Compare:
		see(e.L)
		see(e.R)
	case *Literal:
	case *Map:
		for _, a := range e.Args {
			free(a, bound, out)
		}
	case *Agg:
		free(e.Arg, slices.Concat(bound, e.Idxs), out)
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

// Bound returns the indices that aggregates in e bind, outer ones first.
func Bound(e Expr) []Index {
	var out []Index
	Walk(e, func(e Expr) bool {
		if a, ok := e.(*Agg); ok {
			out = append(out, a.Idxs...)
		}
		return true
	})
	return out
}

// Indices returns all indices of e, each name once: the free, then the bound.
func Indices(e Expr) []Index {
	out := Free(e)
	for _, x := range Bound(e) {
		if !containsName(out, x.Name) {
			out = append(out, x)
		}
	}
	return out
}

// Accesses returns the accesses of e, left to right.
func Accesses(e Expr) []*Access {
	var out []*Access
	Walk(e, func(e Expr) bool {
		if a, ok := e.(*Access); ok {
			out = append(out, a)
		}
		return true
	})
	return out
}

func containsName(idxs []Index, name string) bool {
	return slices.ContainsFunc(idxs, func(x Index) bool { return x.Name == name })
}

// Rename returns e with its free indices replaced by name. Bound indices that
// would capture a new name get fresh ones.
func Rename(e Expr, to map[string]Index) Expr {
	names := NewNames()
	names.TakeIndices(e)
	targets := map[string]bool{}
	for _, x := range to {
		names.Take(x.Name)
		targets[x.Name] = true
	}
	return rename(e, to, targets, names)
}

func rename(e Expr, to map[string]Index, targets map[string]bool, names *Names) Expr {
	switch n := e.(type) {
	case *Access, *Compare:
		return MapIndices(e, func(x Index) Index {
			if y, ok := to[x.Name]; ok {
				return y
			}
			return x
		})
	case *Literal:
		return e
	case *Map:
		args := make([]Expr, len(n.Args))
		for i, a := range n.Args {
			args[i] = rename(a, to, targets, names)
		}
		return &Map{Op: n.Op, Args: args}
	case *Agg:
		inner := map[string]Index{}
		for name, x := range to {
			inner[name] = x
		}
		idxs := make([]Index, len(n.Idxs))
		for i, x := range n.Idxs {
			idxs[i] = x
			delete(inner, x.Name)
			if targets[x.Name] {
				idxs[i].Name = names.Fresh(x.Name)
				inner[x.Name] = idxs[i]
			}
		}
		return &Agg{Op: n.Op, Idxs: idxs, Arg: rename(n.Arg, inner, targets, names)}
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

// Freshen returns e with every bound index renamed to a name that names has
// not handed out, so that copies of one expression can stand in one leaf (E4).
func Freshen(e Expr, names *Names) Expr {
	return Rewrite(e, func(e Expr) Expr {
		a, ok := e.(*Agg)
		if !ok {
			return e
		}
		to := map[string]Index{}
		idxs := make([]Index, len(a.Idxs))
		for i, x := range a.Idxs {
			idxs[i] = Index{Name: names.Fresh(x.Name), Domain: x.Domain}
			to[x.Name] = idxs[i]
		}
		return &Agg{Op: a.Op, Idxs: idxs, Arg: Rename(a.Arg, to)}
	})
}
