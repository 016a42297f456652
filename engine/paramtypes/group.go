package paramtypes

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// group is a site of expressions that get one type: the operands of a comparison, the
// results of a CASE, a column of the arms of a UNION.
type group struct {
	members []node
	// into is the type of what they are assigned to; Invalid: nothing.
	into rows.Type
	// list: they are the elements of a list.
	list bool
	// assigns: the second member is assigned to the first.
	assigns bool
}

func (g *group) add(w *walker, e node) {
	mark(e, w.scopeKey())
	g.members = append(g.members, e)
}

// untyped reports whether no member has a type, or may come to have one otherwise than
// from around the group.
func (g *group) untyped(r *resolver, ask asked) bool {
	for _, m := range g.members {
		if _, s := r.typeOf(m, ask); s != unknown {
			return false
		}
	}
	return true
}

func (g *group) settle(r *resolver, last bool, ask asked) (bool, error) {
	if g.assigns && g.into.ID == rows.Invalid {
		t, s := r.typeOf(g.members[0], ask)
		if s == pending {
			return false, nil
		}
		g.into, g.members = t, g.members[1:]
	}
	if err := g.assign(r); err != nil {
		return false, err
	}
	if !slices.ContainsFunc(g.members, func(m node) bool { return r.open(m) }) {
		return true, nil
	}
	var types []rows.Type
	var open []node
	if g.into.ID != rows.Invalid {
		types = append(types, g.into)
	}
	for _, m := range g.members {
		switch t, s := r.typeOf(m, ask); s {
		case typed:
			if g.into.ID == rows.Invalid {
				types = append(types, t)
			}
		case pending:
			if !last {
				return false, nil
			}
		case unknown:
			open = append(open, m)
		}
	}
	switch {
	case len(open) == 0:
		return true, nil
	case len(types) == 0 && !last:
		return false, nil
	case len(types) == 0:
		types = []rows.Type{{ID: rows.Varchar}}
	}
	t, err := r.common(types)
	if err != nil {
		return false, err
	}
	for _, m := range open {
		r.give(m, t)
	}
	return true, nil
}

// assign reports a parameter that is assigned to columns of different types.
func (g *group) assign(r *resolver) error {
	for _, m := range g.members {
		n, ok := paramOf(m)
		if !ok || !g.assigns || g.into.ID == rows.Invalid {
			continue
		}
		if other, twice := r.assigned[n]; twice && other.ID != g.into.ID {
			e := sqlerr.New("42P08", "inconsistent types deduced for parameter $%d", n)
			e.Detail = other.String() + " versus " + g.into.String()
			return e.WithHint("Say which type it has: $%d::type.", n)
		}
		r.assigned[n] = g.into
	}
	return nil
}

// give gives a type to an expression that has none.
func (r *resolver) give(e node, t rows.Type) {
	if n, ok := paramOf(e); ok {
		r.set(n, t)
		return
	}
	if g, ok := e[groupField].(*group); ok {
		if g.list {
			t = elementNamed(t.Name)
		}
		for _, m := range g.members {
			r.give(m, t)
		}
	}
}

// numberRank orders the types of numbers: a value of one can be one of each that follows,
// perhaps not exactly where that is a FLOAT or DOUBLE.
var numberRank = map[rows.TypeID]int{
	rows.TinyInt: 1, rows.UTinyInt: 2, rows.SmallInt: 3, rows.USmallInt: 4, rows.Integer: 5, rows.UInteger: 6, rows.BigInt: 7, rows.UBigInt: 8,
	rows.HugeInt: 9, rows.UHugeInt: 10, rows.Decimal: 11, rows.Float: 12, rows.Double: 13,
}

// common is the one type for values of several types.
func (r *resolver) common(types []rows.Type) (rows.Type, error) {
	most := types[0]
	var values []string
	for _, t := range types {
		if !slices.Contains(values, valueOf(t)) {
			values = append(values, valueOf(t))
		}
		if numberRank[t.ID] > numberRank[most.ID] {
			most = t
		}
	}
	if len(values) == 1 || !slices.ContainsFunc(types, func(t rows.Type) bool { return numberRank[t.ID] == 0 }) {
		return most, nil
	}
	_, columns, err := r.db.Infer(r.ctx, "SELECT COALESCE("+strings.Join(values, ", ")+")")
	if err != nil || len(columns) != 1 {
		return rows.Type{}, fatal(err)
	}
	return columns[0].Type, nil
}

// castSite is a CAST, whose type its operand has.
type castSite struct{ cast node }

func (c *castSite) settle(r *resolver, _ bool, ask asked) (bool, error) {
	child := object(c.cast["child"])
	if !r.open(child) {
		return true, nil
	}
	if _, s := r.typeOf(child, ask); s != unknown {
		return true, nil
	}
	// The type is that of a value of it.
	key, _ := c.cast[keyField].(string)
	t, ok := r.types[key]
	if !ok {
		ask[key] = c.cast
		return false, nil
	}
	r.give(child, t.typ)
	return true, nil
}

// listSite is ANY(list) or ALL(list): elements have the type of what they are compared
// with.
type listSite struct{ element, list node }

func (l *listSite) settle(r *resolver, last bool, ask asked) (bool, error) {
	if !r.open(l.list) && !r.open(l.element) {
		return true, nil
	}
	list, listStanding := r.typeOf(l.list, ask)
	element, elementStanding := r.typeOf(l.element, ask)
	switch {
	case listStanding == typed && elementStanding == unknown:
		t, err := r.elementOf(list)
		if err != nil {
			return false, err
		}
		r.give(l.element, t)
	case listStanding == unknown && elementStanding == typed:
		r.give(l.list, listOf(element))
	case last && listStanding == unknown && elementStanding == unknown:
		r.give(l.element, rows.Type{ID: rows.Varchar})
		r.give(l.list, listOf(rows.Type{ID: rows.Varchar}))
	case !last:
		return false, nil
	}
	return true, nil
}

// listOf is the type of lists of an element; a list of numbers with any digits has those
// of its values.
func listOf(element rows.Type) rows.Type {
	if element.ID == rows.Decimal && element.Width == 0 {
		element.Width, element.Scale = 38, 9
	}
	return rows.Type{ID: rows.List, Name: element.String() + "[]"}
}

// elementNamed is the type of the elements of a list by the list's name; Invalid: it is not one whose
// elements a list in a statement gets a type from.
func elementNamed(list string) rows.Type {
	element, _ := strings.CutSuffix(list, "[]")
	if strings.HasPrefix(element, "DECIMAL(") {
		return rows.Type{ID: rows.Decimal}
	}
	return typeNamed(element)
}

// elementOf is the type of the elements of a list.
func (r *resolver) elementOf(list rows.Type) (rows.Type, error) {
	_, columns, err := r.db.Infer(r.ctx, "SELECT (CAST(NULL AS "+list.String()+"))[1]")
	if err != nil || len(columns) != 1 {
		return rows.Type{}, fatal(err)
	}
	return columns[0].Type, nil
}
