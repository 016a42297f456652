package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// foreignKey is a table that refers to the one that is altered, and how.
type foreignKey struct {
	table *altering
	text  string // as DuckDB lists it
	name  string
}

// loosen takes from the table what DuckDB lets nothing be altered under: its indexes,
// and the foreign keys that refer to it. edit changes the table's columns and constraints.
func (a *altering) loosen(ctx context.Context, edit func(items []string) []string) error {
	if a.loose && edit == nil {
		return nil
	}
	if !a.loose {
		if err := a.loosenOthers(ctx); err != nil {
			return err
		}
		edit = a.evenIfOwn(edit)
	}
	// What has been dropped in a transaction stands in the way until its end, but not with
	// another table.
	if edit != nil || slices.ContainsFunc(a.indexes, func(i tableIndex) bool { return !i.gone }) {
		return a.copy(ctx, a.of.name, edit)
	}
	return nil
}

// rewrite puts a table that is the transaction's own in the place of one whose rows it has changed, which
// DuckDB alters and then cannot commit, or refuses to alter or to index.
func (a *altering) rewrite(ctx context.Context) error {
	if err := a.loosen(ctx, func(items []string) []string { return items }); err != nil {
		return err
	}
	a.session.tx.note(a.of.table(), madeTable)
	return nil
}

// isReferred is the condition that DuckDB lists a foreign key to the table.
func (r relation) isReferred() string {
	return "database_name = " + quoteText(r.database) + " AND schema_name = " + quoteText(r.schema) +
		" AND " + load.FoldedSQL("referenced_table") + " = " + quoteText(load.Fold(r.name))
}

// loosenOthers drops the foreign keys that refer to the table; DuckDB has none from other
// schemas. Those of the table itself are only noted.
func (a *altering) loosenOthers(ctx context.Context) error {
	a.loose = true
	list, err := a.session.textRows(ctx, "SELECT schema_name, table_name, constraint_text FROM "+tableConstraints+" WHERE constraint_type = 'FOREIGN KEY'"+
		" AND "+a.of.isReferred()+" ORDER BY ALL")
	if err != nil {
		return err
	}
	for _, row := range list {
		child, err := a.child(ctx, relation{database: a.of.database, schema: row[0], name: row[1]})
		if err != nil {
			return err
		}
		key := foreignKey{table: child, text: sqlfront.InSchema(row[2], row[0]), name: child.forget(row[2])}
		if child == a {
			a.own = append(a.own, key)
			continue
		}
		if err := child.loosen(ctx, without(key.text)); err != nil {
			return err
		}
		child.missing++
		a.keys = append(a.keys, key)
	}
	return nil
}

// child is a table that refers to this one, which is altered along with it.
func (a *altering) child(ctx context.Context, of relation) (*altering, error) {
	for up := a.parent; up != nil; up = up.parent {
		if up.of == of {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "table %q cannot be altered: its foreign keys lead back to it", of.name)
		}
	}
	if known := a.all[of]; known != nil {
		return known, nil
	}
	child, err := a.session.beginAltering(ctx, of)
	child.parent, child.all = a, a.all
	a.all[of] = child
	return child, err
}

// forget takes the constraint of a text out of those of the table, and returns its name.
func (a *altering) forget(text string) (name string) {
	i := slices.IndexFunc(a.constraints, func(c constraint) bool { return c.text == text })
	if i >= 0 {
		name = a.constraints[i].name
		a.constraints = slices.Delete(a.constraints, i, i+1)
	}
	return name
}

// without is an edit that takes one item out.
func without(item string) func([]string) []string {
	return func(items []string) []string {
		if i := slices.Index(items, item); i >= 0 {
			return slices.Delete(items, i, i+1)
		}
		return items
	}
}

// evenIfOwn is an edit that takes the foreign keys to the table itself out, which DuckDB
// does not write.
func (a *altering) evenIfOwn(edit func(items []string) []string) func(items []string) []string {
	if edit == nil && len(a.own) > 0 {
		return func(items []string) []string { return items }
	}
	return edit
}

// fasten gives the table its indexes and the foreign keys that refer to it again.
func (a *altering) fasten(ctx context.Context) error {
	if err := a.fastenOwn(ctx); err != nil {
		return err
	}
	if a.changed && slices.ContainsFunc(a.indexes, func(i tableIndex) bool { return i.gone }) {
		if err := a.loosen(ctx, func(items []string) []string { return items }); err != nil {
			return err
		}
	}
	for n, i := range a.indexes {
		if !i.gone {
			continue
		}
		if err := a.makeIndex(ctx, i); err != nil {
			return err
		}
		a.indexes[n].gone = false
	}
	for _, key := range a.keys {
		if err := key.table.addKey(ctx, key); err != nil {
			return err
		}
		if key.table.missing--; key.table.missing > 0 { // it is to be copied again, and nothing may refer to it
			continue
		}
		if err := key.table.fasten(ctx); err != nil {
			return err
		}
	}
	a.keys = nil
	return a.session.nameConstraints(ctx, a.of, a.constraints)
}

// addKey gives the table a foreign key again.
func (a *altering) addKey(ctx context.Context, key foreignKey) error {
	a.promise(key.name, key.text)
	return a.copy(ctx, a.of.name, func(items []string) []string { return append(items, key.text) })
}

// copy puts a table with the same rows in the table's place, under the name, without
// indexes. edit changes its columns and constraints.
func (a *altering) copy(ctx context.Context, name string, edit func(items []string) []string) error {
	text, err := a.text(ctx)
	if err != nil {
		return err
	}
	comments, err := a.session.textRows(ctx, "SELECT 'TABLE', '', comment FROM duckdb_tables() WHERE "+a.of.place()+" AND comment IS NOT NULL"+
		" UNION ALL SELECT 'COLUMN', column_name, comment FROM duckdb_columns() WHERE "+a.of.place()+" AND comment IS NOT NULL")
	if err != nil {
		return err
	}
	columns := text.Stored
	if edit != nil {
		text = text.With(edit(text.Items))
		columns = slices.DeleteFunc(columns, func(name string) bool { return !slices.Contains(text.Stored, name) })
	}
	old := a.of
	a.of.name = name
	if err := a.move(ctx, old, text, a.moved(columns)); err != nil {
		return a.errOfTable(old, err)
	}
	var statements []string
	for _, c := range comments {
		of := a.of.sql()
		if c[0] == "COLUMN" {
			if !slices.Contains(text.Columns, c[1]) {
				continue
			}
			of += "." + quoteName(c[1:2])
		}
		statements = append(statements, "COMMENT ON "+c[0]+" "+of+" IS "+quoteText(c[2]))
	}
	for n := range a.indexes {
		a.indexes[n].gone = true
	}
	return execAll(ctx, a.session.conn, statements...)
}

// movedColumns are columns of a copy, and what they are made of in the table that there is.
type movedColumns struct{ names, from string }

func (a *altering) moved(columns []string) movedColumns {
	from := make([]string, len(columns))
	for i, name := range columns {
		from[i] = load.Quote(name)
		if expr, ok := a.computed[name]; ok {
			from[i] = expr + " AS " + from[i]
		}
	}
	return movedColumns{names: quoteList(columns), from: strings.Join(from, ", ")}
}

// between are the columns of the table in between.
func (m movedColumns) between() movedColumns { return movedColumns{names: m.names, from: m.names} }

// move puts the rows of a table that there is into the one of now, which is made.
func (a *altering) move(ctx context.Context, old relation, text sqlfront.TableText, columns movedColumns) error {
	if keys := text.KeysTo(a.of.schema, a.of.name); len(keys) > 0 {
		return a.moveLevels(ctx, old, text, columns, keys)
	}
	between := old.between()
	switch {
	case a.of.name != old.name:
		return a.fill(ctx, a.of, text, columns, old)
	case text.Refers(): // DuckDB keeps the first name of a table with foreign keys in those that it refers to
		if err := execAll(ctx, a.session.conn, "CREATE TABLE "+between.sql()+" AS SELECT "+columns.from+" FROM "+old.sql(), "DROP TABLE "+old.sql()); err != nil {
			return err
		}
		return a.fill(ctx, a.of, text, columns.between(), between)
	}
	if err := a.fill(ctx, between, text, columns, old); err != nil {
		return err
	}
	return a.session.conn.Exec(ctx, "ALTER TABLE "+between.sql()+" RENAME TO "+quoteName([]string{a.of.name}))
}

// fill makes a table with the rows of another, which is dropped; columns are those that both have.
func (a *altering) fill(ctx context.Context, made relation, text sqlfront.TableText, columns movedColumns, from relation) error {
	if err := a.make(ctx, made, text); err != nil {
		return err
	}
	return execAll(ctx, a.session.conn, "INSERT INTO "+made.sql()+" ("+columns.names+") SELECT "+columns.from+" FROM "+from.sql(), "DROP TABLE "+from.sql())
}

func (a *altering) make(ctx context.Context, made relation, text sqlfront.TableText) error {
	return a.session.define(ctx, text.Head+" "+made.sql()+"("+strings.Join(text.Items, ", ")+")")
}

// between is the table that holds the rows in between.
func (r relation) between() relation {
	r.name = "trireme: altered " + r.name
	return r
}

// errOfTable is an error of the table in between as one of the table.
func (a *altering) errOfTable(r relation, err error) error {
	e := *sqlerr.From(err)
	e.Message = strings.ReplaceAll(e.Message, r.between().name, r.name)
	var v *duckbackend.Violation
	if errors.As(err, &v) {
		of := *v
		of.Table, of.Message = r.name, e.Message
		e.Err = &of
		e.Constraint = a.promised(e.Code)
	}
	return &e
}

// promised is the name of the one constraint that the table gets which an error may be of; empty: there
// are others, or it is not known yet.
func (a *altering) promised(code string) string {
	kind := map[string]string{sqlerr.CheckViolation: "CHECK", sqlerr.ForeignKeyViolation: "FOREIGN KEY"}[code]
	var names []string
	for _, c := range a.constraints {
		if c.kind == kind && c.text == "" {
			names = append(names, c.name)
		}
	}
	if len(names) != 1 {
		return ""
	}
	return names[0]
}

// text is the table's definition.
func (a *altering) text(ctx context.Context) (sqlfront.TableText, error) {
	list, err := a.session.textRows(ctx, "SELECT sql FROM duckdb_tables() WHERE "+a.of.place())
	if err != nil {
		return sqlfront.TableText{}, err
	}
	if len(list) == 0 {
		return sqlfront.TableText{}, sqlerr.New(sqlerr.UndefinedTable, "Table with name %s does not exist!", a.of.name)
	}
	text, ok := sqlfront.ParseTableText(list[0][0])
	if !ok {
		return text, sqlerr.New(sqlerr.InternalError, "the definition of table %q is not understood: %s", a.of.name, list[0][0])
	}
	for i, item := range text.Items {
		text.Items[i] = sqlfront.InSchema(item, a.of.schema)
	}
	return text, nil
}

// rename gives the table another name. One with foreign keys or indexes is made anew:
// DuckDB keeps its first name in the tables that it refers to, and names the indexes'
// table otherwise for transactions that do not see the change, which fail over it.
func (a *altering) rename(ctx context.Context, action sqlfront.AlterAction) error {
	text, err := a.text(ctx)
	var edit func([]string) []string
	if err == nil && !a.loose {
		err = a.loosenOthers(ctx)
		edit = a.evenIfOwn(nil)
	}
	if err != nil {
		return err
	}
	if text.Refers() || len(a.indexes)+len(a.own) > 0 {
		err = a.copy(ctx, action.To, edit)
	} else {
		err = a.exec(ctx, action.Text)
	}
	a.of.name = action.To
	for i := range a.keys {
		a.keys[i].text = sqlfront.ReferencesTo(a.keys[i].text, a.of.reference(), nil)
	}
	for i := range a.own {
		a.own[i].text = sqlfront.ReferencesTo(a.own[i].text, a.of.reference(), nil)
	}
	return err
}
