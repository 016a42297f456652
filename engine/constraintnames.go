package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB keeps no names of constraints. Those that a table's have, by its definition or
// from before it was altered, are kept in the table's mark: as JSON, a list of names for
// each text of a constraint, in DuckDB's spelling. The catalog names the others.

// tableConstraints is the catalog's view of constraints with their names.
const tableConstraints = pgcatalog.Database + ".pg._table_constraint"

// declaredConstraints has those that are indexes, too.
const declaredConstraints = pgcatalog.Database + ".pg._declared"

// constraint is one of a table's, but NOT NULL, and those that are indexes.
type constraint struct {
	kind, name string
	// text is DuckDB's; empty: it is not known before the constraint is made.
	text string
}

// constraintsOf are the constraints of a table with the names that the catalog shows, in
// DuckDB's order.
func (s *Session) constraintsOf(ctx context.Context, of relation) ([]constraint, error) {
	if err := s.engine.readyViews(ctx); err != nil {
		return nil, err
	}
	list, err := s.textRows(ctx, "SELECT constraint_type, constraint_name, constraint_text FROM "+tableConstraints+" WHERE "+
		of.place()+" ORDER BY constraint_index")
	constraints := make([]constraint, len(list))
	for i, row := range list {
		constraints[i] = constraint{kind: row[0], name: row[1], text: row[2]}
	}
	return constraints, err
}

// nameConstraints keeps the names of a table's constraints: the wanted ones are those that
// it has, in any order of texts; of a kind, those without a text are in DuckDB's order.
func (s *Session) nameConstraints(ctx context.Context, of relation, wanted []constraint) error {
	shown, err := s.constraintsOf(ctx, of)
	if err != nil {
		return err
	}
	named := slices.Clone(shown)
	wanted = slices.Clone(wanted)
	take := func(c *constraint, matches func(w constraint) bool) bool {
		i := slices.IndexFunc(wanted, matches)
		if i >= 0 {
			c.name = wanted[i].name
			wanted = slices.Delete(wanted, i, i+1)
		}
		return i >= 0
	}
	var rest []*constraint
	for i := range named {
		c := &named[i]
		if !take(c, func(w constraint) bool { return w.text == c.text }) {
			rest = append(rest, c)
		}
	}
	for _, c := range rest {
		if !take(c, func(w constraint) bool { return w.text == "" && w.kind == c.kind }) {
			return sqlerr.New(sqlerr.InternalError, "constraint %s of table %q has come from nowhere", c.text, of.name)
		}
	}
	names, changed := map[string][]string{}, false
	for i, c := range named {
		names[c.text] = append(names[c.text], c.name)
		changed = changed || c.name != "" && c.name != shown[i].name
	}
	if !changed {
		return nil
	}
	return s.setTableMark(ctx, of, names)
}

// setTableMark puts the names into the table's comment; an empty one is none.
func (s *Session) setTableMark(ctx context.Context, of relation, names map[string][]string) error {
	lists := make(map[string][]any, len(names))
	for text, list := range names {
		for _, name := range list {
			value := any(name)
			if name == "" {
				value = nil
			}
			lists[text] = append(lists[text], value)
		}
	}
	mark, err := json.Marshal(lists)
	if err != nil {
		return err
	}
	kept, err := s.commentOf(ctx, of, "")
	if err != nil || kept == nil {
		return err
	}
	_, text := splitComment(*kept)
	return s.conn.Exec(ctx, commentOn("TABLE", of.sql(), markedComment(string(mark), text)))
}

// nameCreated keeps the names that a CREATE TABLE has given to its constraints.
func (s *Session) nameCreated(ctx context.Context, of relation, created []sqlfront.Constraint) error {
	wanted := make([]constraint, len(created))
	for i, n := range created {
		wanted[i] = constraint{kind: n.Kind, name: n.Name}
	}
	return s.nameConstraints(ctx, of, wanted)
}

// givesNames reports whether a constraint has a name, which must be the only one of it.
func givesNames(created []sqlfront.Constraint) (bool, error) {
	seen := map[string]bool{}
	for _, c := range created {
		if seen[c.Name] && c.Name != "" {
			return false, errConstraintExists(c.Name)
		}
		seen[c.Name] = true
	}
	delete(seen, "")
	return len(seen) > 0, nil
}

func errConstraintExists(name string) error {
	return sqlerr.New(sqlerr.DuplicateObject, "constraint %q already exists", name)
}

// findConstraint is the place of a constraint of the table, but those that are indexes, by
// its name; -1: there is none.
func (a *altering) findConstraint(name string) int {
	return slices.IndexFunc(a.constraints, func(c constraint) bool { return c.name == name })
}

// findUnique is the place of an index that is a constraint.
func (a *altering) findUnique(name string) int {
	return slices.IndexFunc(a.indexes, func(i tableIndex) bool { return i.isConstraint() && i.name == name })
}

// freeName complains about a name that a constraint of the table has.
func (a *altering) freeName(name string) error {
	if name != "" && (a.findConstraint(name) >= 0 || a.findUnique(name) >= 0) {
		return sqlerr.New(sqlerr.DuplicateObject, "constraint %q for relation %q already exists", name, a.of.name)
	}
	return nil
}

// renameConstraint gives a constraint another name.
func (a *altering) renameConstraint(ctx context.Context, action sqlfront.AlterAction) error {
	if err := a.freeName(action.To); err != nil {
		return err
	}
	if i := a.findConstraint(action.Name); i >= 0 {
		a.constraints[i].name = action.To
		return nil
	}
	i := a.findUnique(action.Name)
	if i < 0 {
		return a.errNoConstraint(action.Name)
	}
	if err := a.loosen(ctx, nil); err != nil {
		return err
	}
	a.indexes[i].name, a.indexes[i].sql = action.To, sqlfront.RenamedIndex(a.indexes[i].sql, action.To)
	return nil
}

func (a *altering) errNoConstraint(name string) error {
	return sqlerr.New(sqlerr.UndefinedObject, "constraint %q of relation %q does not exist", name, a.of.name).
		WithHint("pg_constraint lists the names of constraints.")
}

// followColumns takes the texts of the constraints anew, whose columns have other names.
func (a *altering) followColumns(ctx context.Context) error {
	shown, err := a.session.constraintsOf(ctx, a.of)
	if err != nil {
		return err
	}
	// Those that are not made yet are not among them.
	at := 0
	for i := range a.constraints {
		if a.constraints[i].text == "" || at == len(shown) {
			continue
		}
		a.constraints[i].text = shown[at].text
		at++
	}
	return nil
}
