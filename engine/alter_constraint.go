package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// constraintComment marks an index that is a UNIQUE constraint of ALTER TABLE, and has
// its name.
const constraintComment = "trireme: a constraint"

// addConstraint adds a constraint. A UNIQUE one is an index; DuckDB knows how to add a
// primary key, and has the others from the table's beginning.
func (a *altering) addConstraint(ctx context.Context, action sqlfront.AlterAction) error {
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
		return a.exec(ctx, "ADD "+text)
	}
	return a.loosen(ctx, func(items []string) []string { return append(items, text) })
}

// addColumn adds a column, the one thing that indexes do not mind. One with constraints
// or a default that is calculated comes with a copy of the table: DuckDB adds none with
// constraints, and changes rows to fill in the others, after which it alters nothing.
func (a *altering) addColumn(ctx context.Context, action sqlfront.AlterAction) error {
	column := sqlfront.ReadColumn(action)
	if action.Conditional {
		n, err := oneNumber(ctx, a.session.conn, "SELECT count(*) FROM duckdb_columns() WHERE "+a.of.place()+" AND lower(column_name) = lower("+quoteText(action.Column)+")")
		if n > 0 || err != nil {
			return err
		}
	}
	if column.Plain() {
		a.changed = true
		return a.exec(ctx, "ADD COLUMN "+column.Definition)
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
			added = append(added, text)
			continue
		}
		a.addUnique(c.Name, columns)
	}
	return a.loosen(ctx, func(items []string) []string { return append(items, added...) })
}

func (a *altering) addUnique(name string, columns []string) {
	if name == "" {
		name = a.of.name + "_" + strings.Join(columns, "_") + "_key"
	}
	index := tableIndex{name: name, comment: constraintComment, gone: true}
	index.sql = "CREATE UNIQUE INDEX " + load.Quote(name) + " ON " + a.of.sql() + " (" + quoteList(columns) + ")"
	a.indexes = append(a.indexes, index)
	a.changed = a.changed || a.session.tx.status == TxActive // who knows what was done before
}

// dropConstraint drops a constraint by the name that the catalog shows.
func (a *altering) dropConstraint(ctx context.Context, action sqlfront.AlterAction) error {
	i := slices.IndexFunc(a.indexes, func(i tableIndex) bool {
		return i.comment == constraintComment && strings.EqualFold(i.name, action.Name)
	})
	if i >= 0 {
		index := a.indexes[i]
		a.indexes = slices.Delete(a.indexes, i, i+1)
		if index.gone {
			return nil
		}
		return a.session.conn.Exec(ctx, "DROP INDEX "+a.indexName(index.name))
	}
	list, err := a.session.textRows(ctx, "SELECT constraint_text FROM duckdb_constraints() WHERE "+a.of.place()+
		" AND constraint_type <> 'NOT NULL' AND lower(constraint_name) = lower("+quoteText(action.Name)+")")
	switch {
	case err != nil:
		return err
	case len(list) > 0:
		return a.loosen(ctx, without(sqlfront.InSchema(list[0][0], a.of.schema)))
	case action.Conditional:
		a.session.tell("00000", "constraint \""+action.Name+"\" of relation \""+a.of.name+"\" does not exist, skipping")
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedObject, "constraint %q of relation %q does not exist", action.Name, a.of.name).
		WithHint("DuckDB names constraints itself, but for UNIQUE ones that ALTER TABLE has added: pg_constraint lists them.")
}

// hasType reports whether an action gives a column the type that it has.
func (a *altering) hasType(ctx context.Context, action sqlfront.AlterAction) (bool, error) {
	typeText, ok := sqlfront.TypeOfAlter(action.Rest)
	if !ok {
		return false, nil
	}
	if strings.EqualFold(typeText, "jsonb") {
		typeText = "JSON"
	}
	n, err := oneNumber(ctx, a.session.conn, "SELECT count(*) FROM duckdb_columns() WHERE "+a.of.place()+" AND lower(column_name) = lower("+quoteText(action.Column)+
		") AND data_type = typeof(CAST(NULL AS "+typeText+"))")
	return n > 0, err
}
