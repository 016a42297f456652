package einsum

import (
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/internal/invariant"
)

// Free returns the free indices of e in the order of their first occurrence.
func Free(e Expr) []Index {
	f := freeIndices{}
	f.add(e, nil)
	return f.out
}

// freeIndices collects free indices. Names are looked for in the list while it is
// short, in a set from there on: a product may have thousands.
type freeIndices struct {
	out  []Index
	seen map[string]bool
}

// shortList is the number of names up to which a list is searched from end to end.
const shortList = 16

func (f *freeIndices) see(x Index, bound nameSet) {
	if bound.has(x.Name) {
		return
	}
	if f.seen == nil && len(f.out) > shortList {
		f.seen = map[string]bool{}
		for _, y := range f.out {
			f.seen[y.Name] = true
		}
	}
	switch {
	case f.seen != nil && f.seen[x.Name], f.seen == nil && containsName(f.out, x.Name):
		return
	case f.seen != nil:
		f.seen[x.Name] = true
	}
	f.out = append(f.out, x)
}

func (f *freeIndices) add(e Expr, bound nameSet) {
	switch e := e.(type) {
	case *Access:
		for _, a := range e.Args {
			if a.Const == nil {
				f.see(a.Index, bound)
			}
		}
	case *Compare:
		f.see(e.L, bound)
		f.see(e.R, bound)
	case *Literal:
	case *Map:
		for _, a := range e.Args {
			f.add(a, bound)
		}
	case *Agg:
		f.add(e.Arg, append(bound[:len(bound):len(bound)], namesOf(e.Idxs)))
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

// nameSet is the indices that some aggregates bind.
type nameSet []boundNames

// boundNames is the indices of one aggregate; set is nil while they are few.
type boundNames struct {
	idxs []Index
	set  map[string]bool
}

func namesOf(idxs []Index) boundNames {
	b := boundNames{idxs: idxs}
	if len(idxs) > shortList {
		b.set = map[string]bool{}
		for _, x := range idxs {
			b.set[x.Name] = true
		}
	}
	return b
}

func (s nameSet) has(name string) bool {
	for _, b := range s {
		if b.set != nil && b.set[name] || b.set == nil && containsName(b.idxs, name) {
			return true
		}
	}
	return false
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
// not handed out, so that copies of one expression can stand in one leaf (E4). A new
// name is none of e's: an index of that name, free where it is bound, would be captured.
func Freshen(e Expr, names *Names) Expr {
	own := map[string]bool{}
	for _, x := range Indices(e) {
		own[x.Name] = true
	}
	fresh := func(base string) string {
		name := base
		for i := 1; name != base && own[name] || !names.Take(name); i++ {
			name = base + strconv.Itoa(i)
		}
		return name
	}
	return Rewrite(e, func(e Expr) Expr {
		a, ok := e.(*Agg)
		if !ok {
			return e
		}
		to := map[string]Index{}
		idxs := make([]Index, len(a.Idxs))
		for i, x := range a.Idxs {
			idxs[i] = Index{Name: fresh(x.Name), Domain: x.Domain}
			to[x.Name] = idxs[i]
		}
		return &Agg{Op: a.Op, Idxs: idxs, Arg: Rename(a.Arg, to)}
	})
}
