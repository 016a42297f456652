package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// constraintMark marks an index that is a UNIQUE constraint of ALTER TABLE, and has
// its name.
const constraintMark = "a constraint"

func (i tableIndex) isConstraint() bool {
	mark, _ := splitComment(i.comment)
	return mark == constraintMark
}

// addConstraint adds a constraint. A UNIQUE one is an index; DuckDB knows how to add a
// primary key, and has the others from the table's beginning.
func (a *altering) addConstraint(ctx context.Context, action sqlfront.AlterAction) error {
	if err := a.freeName(action.Name); err != nil {
		return err
	}
	text := sqlfront.WithoutDeferral(action.Rest)
	columns, unique, err := sqlfront.UniqueColumns(text)
	switch {
	case err != nil:
		return err
	case unique:
		a.addUnique(action.Name, columns)
		return nil
	case sqlfront.IsPrimaryKey(text):
		if err := a.loosen(ctx, nil); err != nil {
			return err
		}
		a.promise(action.Name, text)
		name := action.Name
		if name == "" {
			name = a.of.name + "_pkey"
		}
		return a.session.errOfIndex(a.exec(ctx, "ADD "+text), a.of, name)
	}
	a.promise(action.Name, text)
	return a.loosen(ctx, func(items []string) []string { return append(items, text) })
}

// promise notes that the table gets a constraint of a name, which may be empty.
func (a *altering) promise(name, text string) {
	a.constraints = append(a.constraints, constraint{kind: sqlfront.ConstraintKind(text), name: name})
}

// addColumn adds a column, the one thing that indexes do not mind. One with constraints
// or a default that is calculated comes with a copy of the table: DuckDB adds none with
// constraints, and changes rows to fill in the others, after which it alters nothing.
func (a *altering) addColumn(ctx context.Context, action sqlfront.AlterAction) error {
	if action.Conditional {
		n, err := oneNumber(ctx, a.session.conn, "SELECT count(*) FROM duckdb_columns() WHERE "+a.of.place()+" AND "+load.FoldedSQL("column_name")+" = "+quoteText(load.Fold(action.Column)))
		if n > 0 || err != nil {
			return err
		}
	}
	if err := a.addSequence(ctx, &action); err != nil {
		return err
	}
	column := sqlfront.ReadColumn(action)
	if column.Plain() {
		a.changed = true
		if err := a.exec(ctx, "ADD COLUMN "+column.Definition); err != nil || !column.Text {
			return err
		}
		return a.keepDefault(ctx, action.Column)
	}
	if strings.HasPrefix(action.Rest, ".") {
		return sqlerr.New(sqlerr.FeatureNotSupported, "a field can be added to column %q only without constraints, and with a constant as default", action.Column).
			WithHint("Add it without them, and UPDATE the column.")
	}
	added := []string{column.Definition}
	if column.NotNull {
		added[0] += " NOT NULL"
	}
	for _, c := range column.Constraints {
		text := sqlfront.WithoutDeferral(c.Rest)
		columns, unique, err := sqlfront.UniqueColumns(text)
		switch {
		case err != nil:
			return err
		case !unique:
			own, err := a.refersToItself(ctx, text)
			if err != nil {
				return err
			}
			if own { // when the rows have the column
				a.own = append(a.own, foreignKey{name: c.Name, text: text})
				continue
			}
			a.promise(c.Name, text)
			added = append(added, text)
			continue
		}
		a.addUnique(c.Name, columns)
	}
	return a.loosen(ctx, func(items []string) []string { return append(items, added...) })
}

// refersToItself reports whether a constraint is a foreign key of the table to itself.
func (a *altering) refersToItself(ctx context.Context, constraint string) (bool, error) {
	text, err := a.text(ctx)
	text.Items = append(slices.Clone(text.Items), constraint)
	return slices.ContainsFunc(text.KeysTo(a.of.schema, a.of.name), func(key sqlfront.ForeignKey) bool { return key.Text == constraint }), err
}

func (a *altering) addUnique(name string, columns []string) {
	if name == "" {
		name = a.of.name + "_" + strings.Join(columns, "_") + "_key"
	}
	index := tableIndex{name: name, comment: markedComment(constraintMark, ""), gone: true}
	index.sql = "CREATE UNIQUE INDEX " + load.Quote(name) + " ON " + a.of.sql() + " (" + quoteList(columns) + ")"
	a.indexes = append(a.indexes, index)
	a.changed = a.changed || a.session.tx.status == TxActive // who knows what was done before
}

// dropConstraint drops a constraint by the name that the catalog shows.
func (a *altering) dropConstraint(ctx context.Context, action sqlfront.AlterAction) error {
	if i := a.findUnique(action.Name); i >= 0 {
		index := a.indexes[i]
		a.indexes = slices.Delete(a.indexes, i, i+1)
		if index.gone {
			return nil
		}
		return a.session.conn.Exec(ctx, "DROP INDEX "+a.indexName(index.name))
	}
	i := a.findConstraint(action.Name)
	switch {
	case i >= 0:
		return a.dropListed(ctx, i)
	case action.Conditional:
		a.session.tell("00000", "constraint \""+action.Name+"\" of relation \""+a.of.name+"\" does not exist, skipping")
		return nil
	}
	return a.errNoConstraint(action.Name)
}

// dropListed drops the constraint at a place of those of the table.
func (a *altering) dropListed(ctx context.Context, i int) error {
	c := a.constraints[i]
	a.constraints = slices.Delete(a.constraints, i, i+1)
	item := sqlfront.InSchema(c.text, a.of.schema)
	if c.kind == "PRIMARY KEY" { // whose columns stay without NULL
		return a.loosen(ctx, func(items []string) []string { return sqlfront.WithoutPrimaryKey(items, item) })
	}
	if err := a.loosen(ctx, without(item)); err != nil {
		return err
	}
	a.own = slices.DeleteFunc(a.own, func(key foreignKey) bool { return key.text == item })
	return nil
}
