package paramtypes

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// callSite is a call of a function or an operator.
type callSite struct {
	name     string
	args     []node
	operator bool
}

func (c *callSite) settle(r *resolver, last bool, ask asked) (bool, error) {
	if !r.anyOpen(c.args) {
		return true, nil
	}
	args := make([]rows.Type, len(c.args))
	known, open := 0, 0
	for i, a := range c.args {
		t, s := r.typeOf(a, ask)
		switch {
		case s == pending && !last:
			return false, nil
		case s == typed:
			args[i] = t
			known++
		case r.open(a):
			open++
		}
	}
	if open == 0 {
		return true, nil
	}
	if !last && open > 1 && known == 0 {
		return false, nil
	}
	types, decided, err := r.arguments(c, args)
	if err != nil {
		return false, err
	}
	for i, a := range c.args {
		if n, ok := paramOf(a); ok && args[i].ID == rows.Invalid && !decided {
			r.undecided[n] = c.title()
		}
		if decided && args[i].ID == rows.Invalid {
			r.give(a, types[i])
		}
	}
	return true, nil
}

func (r *resolver) anyOpen(args []node) bool {
	for _, a := range args {
		if r.open(a) {
			return true
		}
	}
	return false
}

// title names what is called.
func (c *callSite) title() string {
	if c.operator {
		return "operator " + c.name
	}
	return c.name + "()"
}

// arguments are the types that a function takes where the given ones are Invalid, or such
// as any value has; decided: Postgres would choose one of the functions of the name.
func (r *resolver) arguments(c *callSite, given []rows.Type) (types []rows.Type, decided bool, err error) {
	if remainders[c.name] && !slices.ContainsFunc(given, func(t rows.Type) bool { return t.ID != rows.Invalid }) {
		return given, false, nil
	}
	isList := func(t rows.Type) bool { return t.ID == rows.List }
	if len(given) == 2 && (c.name == "||" || joinsLists[c.name] && slices.ContainsFunc(given, isList)) {
		return joined(given), true, nil
	}
	f, err := r.db.Function(r.ctx, c.name)
	if err != nil {
		return nil, false, err
	}
	if len(f.Overloads) == 0 || f.Macro {
		return given, true, nil // what a macro is made of is not known
	}
	choice := &choice{given: given, operator: c.operator}
	for _, o := range f.Overloads {
		if takesKeys[c.name] && len(o.Args) > 1 && o.Args[1] == "VARCHAR" {
			continue
		}
		choice.add(o)
	}
	takes := choice.choose()
	if takes == nil {
		return given, len(choice.all) == 0, nil // DuckDB has the error where none takes as many
	}
	types = make([]rows.Type, len(given))
	for i, name := range takes {
		if types[i], err = r.placeType(name, i, takes, given); err != nil {
			return nil, false, err
		}
	}
	return types, true, nil
}

// remainders are functions that Postgres has not for floats, which DuckDB's would be chosen for two
// operands without types.
var remainders = map[string]bool{"%": true, "mod": true}

// takesKeys are the functions of a list of keys, which take one that is written as a text, too.
var takesKeys = map[string]bool{
	"jsonb_at": true, "jsonb_text_at": true, "jsonb_delete_path": true, "jsonb_exists_any": true, "jsonb_exists_all": true, "jsonb_set": true, "jsonb_insert": true,
}

// joinsLists are the functions that are || for lists, of which DuckDB takes only lists of one type.
var joinsLists = map[string]bool{"list_concat": true, "list_cat": true, "array_concat": true, "array_cat": true}

// joined are the operands of ||: a list or bytes beside such, else a text.
func joined(given []rows.Type) []rows.Type {
	out := []rows.Type{{ID: rows.Varchar}, {ID: rows.Varchar}}
	for i, t := range given {
		if t.ID == rows.List || t.ID == rows.Array || t.ID == rows.Blob || t.ID == rows.Bit {
			out[1-i] = t
		}
	}
	return out
}

// placeType is the type of an argument that is declared by a name: T is what other
// arguments that are T have, T[] a list of it.
func (r *resolver) placeType(name string, at int, takes []string, given []rows.Type) (rows.Type, error) {
	element, isList := strings.CutSuffix(name, "[]")
	if !isPlace(element) {
		return typeNamed(name), nil
	}
	for i, other := range takes {
		if i == at || given[i].ID == rows.Invalid || element == "ANY" {
			continue
		}
		switch {
		case other == name:
			return given[i], nil
		case isList && other == element:
			return listOf(given[i]), nil
		case other == element+"[]" && given[i].ID == rows.List:
			return r.elementOf(given[i])
		}
	}
	return rows.Type{}, nil
}

// isPlace reports whether a type of an overload stands for any.
func isPlace(name string) bool { return name == "ANY" || name == "T" || name == "K" || name == "V" }

// choice chooses among overloads as Postgres does where arguments have no type.
type choice struct {
	given    []rows.Type
	operator bool
	all      [][]string // of as many arguments
	fit      [][]string // those that the given types are or become implicitly
}

// add adds an overload if it takes as many arguments.
func (c *choice) add(o sqlfront.Overload) {
	args := append([]string{}, o.Args...)
	for o.More != "" && len(args) < len(c.given) {
		args = append(args, o.More)
	}
	if len(args) != len(c.given) {
		return
	}
	c.all = append(c.all, args)
	for i, t := range c.given {
		if t.ID != rows.Invalid && !becomes(t, args[i]) {
			return
		}
	}
	c.fit = append(c.fit, args)
}

// choose returns what the chosen overload takes; nil: there are several.
func (c *choice) choose() []string {
	if same := c.sameType(); same != nil {
		return same
	}
	closest := c.closest(c.fit)
	best := closest
	for i, t := range c.given {
		if t.ID == rows.Invalid && len(best) > 1 {
			best = ofCategory(best, i)
		}
	}
	if len(best) == 0 {
		best = c.likeGiven(closest)
	}
	if len(best) == 1 || len(best) > 1 && c.agree(best) {
		return best[0]
	}
	return nil
}

// likeGiven are the overloads that would take the one type that is given in the other
// places, too: what Postgres tries last.
func (c *choice) likeGiven(overloads [][]string) (out [][]string) {
	var given rows.Type
	for _, t := range c.given {
		if t.ID != rows.Invalid && given.ID != rows.Invalid && t != given {
			return nil
		}
		if t.ID != rows.Invalid {
			given = t
		}
	}
	takes := func(name string) bool { return becomes(given, name) || given.ID == rows.Time && name == "INTERVAL" }
	for _, o := range overloads {
		if given.ID != rows.Invalid && !slices.ContainsFunc(o, func(name string) bool { return !takes(name) }) {
			out = append(out, o)
		}
	}
	return out
}

// agree reports whether overloads differ only where types are given.
func (c *choice) agree(overloads [][]string) bool {
	for _, o := range overloads[1:] {
		for i, t := range c.given {
			if t.ID == rows.Invalid && o[i] != overloads[0][i] {
				return false
			}
		}
	}
	return true
}

// sameType is the overload in which an operand without type has that of the other: the
// first that Postgres tries for an operator.
func (c *choice) sameType() []string {
	if !c.operator || len(c.given) != 2 || (c.given[0].ID == rows.Invalid) == (c.given[1].ID == rows.Invalid) {
		return nil
	}
	t := c.given[0]
	if t.ID == rows.Invalid {
		t = c.given[1]
	}
	for _, o := range c.fit {
		if o[0] == o[1] && (typeNamed(o[0]).ID == t.ID || o[0] == "T[]" && t.ID == rows.List) {
			return o
		}
	}
	// DuckDB divides DECIMALs as DOUBLEs; the operand keeps its digits.
	if t.ID == rows.Decimal && len(c.fit) > 0 && ofCategory(c.fit, 0) != nil {
		return []string{"DECIMAL", "DECIMAL"}
	}
	return nil
}

// closest are the overloads that take most of the given types as they are.
func (c *choice) closest(overloads [][]string) (best [][]string) {
	most := 0
	for _, o := range overloads {
		exact := 0
		for i, t := range c.given {
			if t.ID != rows.Invalid && typeNamed(o[i]).ID == t.ID {
				exact++
			}
		}
		if exact > most {
			most, best = exact, nil
		}
		if exact == most {
			best = append(best, o)
		}
	}
	return best
}

// ofCategory are the overloads whose argument i is of the category that Postgres assumes
// for a value without type: text if one takes text, else the category of all, of which
// the preferred type if one takes it; nil: they have several categories.
func ofCategory(overloads [][]string, i int) (out [][]string) {
	with := func(keep func(name string) bool) (kept [][]string) {
		for _, o := range overloads {
			if keep(o[i]) {
				kept = append(kept, o)
			}
		}
		return kept
	}
	if texts := with(func(name string) bool { return name == "VARCHAR" }); texts != nil {
		return texts
	}
	first := category(overloads[0][i])
	if len(with(func(name string) bool { return category(name) == first })) < len(overloads) {
		return nil
	}
	for _, preferred := range preferredTypes[first] {
		if kept := with(func(name string) bool { return name == preferred }); kept != nil {
			return kept
		}
	}
	return overloads
}

// preferredTypes are the types of a category that are chosen before others.
var preferredTypes = map[byte][]string{
	'N': {"DOUBLE", "BIGINT"},
	'D': {"TIMESTAMP WITH TIME ZONE", "TIMESTAMP"},
}

// category is Postgres' category of a type.
func category(name string) byte {
	switch t := typeNamed(name); {
	case numberRank[t.ID] > 0 || name == "BIGNUM":
		return 'N'
	case isTime(t) && t.ID != rows.Interval:
		return 'D'
	case t.ID == rows.Interval:
		return 'T'
	case t.ID == rows.Varchar:
		return 'S'
	case t.ID == rows.Boolean:
		return 'B'
	case strings.HasSuffix(name, "]"):
		return 'A'
	}
	return 'X'
}

func isTime(t rows.Type) bool { return t.ID >= rows.Date && t.ID <= rows.Interval }

// becomes reports whether a value of a type is one of the named type without a cast.
func becomes(t rows.Type, name string) bool {
	to := typeNamed(name)
	switch {
	case isPlace(name) || to.ID == t.ID && (to.ID != rows.List || to.Name == t.Name):
		return true
	case strings.HasSuffix(name, "]"):
		element, _ := strings.CutSuffix(name, "[]")
		return (t.ID == rows.List || t.ID == rows.Array) && isPlace(element)
	case numberRank[t.ID] > 0 && numberRank[to.ID] > 0:
		return numberRank[t.ID] < numberRank[to.ID]
	case t.ID == rows.Date:
		return to.ID == rows.Timestamp || to.ID == rows.TimestampTZ
	case t.ID == rows.Timestamp, t.ID == rows.TimestampS, t.ID == rows.TimestampMS, t.ID == rows.TimestampNS:
		return to.ID == rows.Timestamp || to.ID == rows.TimestampTZ
	}
	return to.ID == rows.Varchar
}

// typeIDs are the types by DuckDB's names.
var typeIDs = func() map[string]rows.TypeID {
	ids := map[string]rows.TypeID{"DECIMAL": rows.Decimal}
	for id := rows.Boolean; id <= rows.JSON; id++ {
		if name := (rows.Type{ID: id}).String(); id != rows.Decimal && name != "" {
			ids[name] = id
		}
	}
	return ids
}()

// typeNamed is the type of a name of an overload; Invalid: it is a place, or nested.
func typeNamed(name string) rows.Type {
	if id, ok := typeIDs[name]; ok {
		return rows.Type{ID: id}
	}
	if element, ok := strings.CutSuffix(name, "[]"); ok && !isPlace(element) {
		return rows.Type{ID: rows.List, Name: name}
	}
	return rows.Type{}
}
