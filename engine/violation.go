package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Programs read which constraint an error is about from its fields, and some from Postgres' words.
// DuckDB knows what it was checking, and the catalog what that is called. What is not certain is left
// out: the error is DuckDB's then.

// constrained is what the catalog shows of a table with constraints.
type constrained struct {
	constraints []shownConstraint
	// indexes are what the unique ones of CREATE INDEX are of, as DuckDB lists it, by their names.
	indexes map[string][]string
	// stored are the columns that are, by the number that DuckDB has for each.
	stored []string
}

// shownConstraint is a constraint, as duckdb_constraints() lists it, with the name that the catalog shows.
type shownConstraint struct {
	Kind, Name, Text string
	Columns          []string
	Referenced       string
	To               []string
}

// explainViolation says in the error of a constraint which one it is.
func (s *Session) explainViolation(ctx context.Context, err error) error {
	var e *sqlerr.Error
	var v *duckbackend.Violation
	if err == nil || !errors.As(err, &e) || !errors.As(err, &v) {
		return err
	}
	explained := *e
	explained.Schema, explained.Table = s.shownSchema(v.Database, v.Schema), v.Table
	x := violation{v, &explained}
	if e.Code == sqlerr.NotNullViolation {
		x.isNull()
		return &explained
	}
	known, failed := s.constrainedTable(ctx, relation{database: v.Database, schema: v.Schema, name: v.Table})
	var referring *constrained
	if failed == nil && v.Key != nil && e.Code == sqlerr.ForeignKeyViolation {
		referring, failed = s.constrainedTable(ctx, relation{database: v.Database, schema: v.Key.Schema, name: v.Key.Table})
	}
	if failed != nil { // what has failed is known without it
		s.engine.log.Warn("looking for the constraint that is violated", "error", failed)
		return &explained
	}
	switch e.Code {
	case sqlerr.CheckViolation:
		x.isUnchecked(known)
	case sqlerr.UniqueViolation:
		x.isDuplicate(known)
	case sqlerr.ForeignKeyViolation:
		x.hasNoPartner(known, referring)
	}
	return &explained
}

// shownSchema is the catalog's name of a schema of DuckDB's.
func (s *Session) shownSchema(database, schema string) string {
	switch {
	case database == catalog.Temporary:
		return pgcatalog.TemporarySchema
	case database == duckbackend.CatalogName && schema == catalog.DefaultSchema && !s.engine.ownsPublic:
		return publicSchema
	}
	return schema
}

// constrainedTable is what the catalog shows of a table; nil: not what the session's transaction
// sees. It is asked on another connection, since the transaction has failed, but for temporary tables.
func (s *Session) constrainedTable(ctx context.Context, of relation) (*constrained, error) {
	c := &constrained{indexes: map[string][]string{}}
	if of.database == catalog.Temporary && s.tx.status == TxIdle {
		if err := s.engine.readyViews(ctx); err != nil {
			return nil, err
		}
		err := c.read(ctx, s.conn, of)
		if err != nil && sqlerr.From(err).Code == sqlerr.FailedTransaction { // the statement has one to itself
			return nil, nil
		}
		return c, err
	}
	if of.database != duckbackend.CatalogName || s.tx.write != nil && s.tx.write.WroteSchema() {
		return nil, nil
	}
	version, stable := s.engine.catalog.Versions.Schema()
	key := of.sql()
	if c, ok := s.engine.constrained.Get(key, version); ok && stable {
		return c, nil
	}
	if err := s.engine.readyViews(ctx); err != nil {
		return nil, err
	}
	err := s.engine.workers.lend(ctx, func(conn *duckbackend.Conn) error { return c.read(ctx, conn, of) })
	if err != nil || c.stored == nil {
		return nil, err
	}
	if now, still := s.engine.catalog.Versions.Schema(); stable && still && now == version {
		s.engine.constrained.Keep(key, version, c)
	}
	return c, nil
}

// read asks the catalog: a row has what it is, and JSON.
func (c *constrained) read(ctx context.Context, conn *duckbackend.Conn, of relation) error {
	list, err := textRows(ctx, conn, fmt.Sprintf(`SELECT 'constraint', to_json({Kind: constraint_type, Name: constraint_name, Text: constraint_text, Columns: constraint_column_names,
  Referenced: referenced_table, "To": referenced_column_names})::VARCHAR FROM (FROM %[1]s WHERE %[2]s ORDER BY constraint_name)
UNION ALL SELECT 'index', to_json([index_name] || expressions::VARCHAR[])::VARCHAR FROM duckdb_indexes() WHERE %[2]s AND is_unique
UNION ALL SELECT 'table', sql FROM duckdb_tables() WHERE %[2]s`, tableConstraints, of.place()))
	for _, row := range list {
		switch row[0] {
		case "constraint":
			var k shownConstraint
			err = errors.Join(err, json.Unmarshal([]byte(row[1]), &k))
			c.constraints = append(c.constraints, k)
		case "index":
			var names []string
			if err = errors.Join(err, json.Unmarshal([]byte(row[1]), &names)); len(names) > 0 {
				c.indexes[names[0]] = names[1:]
			}
		case "table":
			if text, ok := sqlfront.ParseTableText(row[1]); ok {
				c.stored = text.Stored
			}
		}
	}
	return err
}

// names are those of columns by DuckDB's numbers; false: one is not there.
func (c *constrained) names(numbers []int) ([]string, bool) {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		if n >= len(c.stored) {
			return nil, false
		}
		names[i] = c.stored[n]
	}
	return names, true
}

// find is the first constraint by name of which is holds; nil: there is none.
func (c *constrained) find(is func(k shownConstraint) bool) *shownConstraint {
	if c == nil {
		return nil
	}
	if i := slices.IndexFunc(c.constraints, is); i >= 0 {
		return &c.constraints[i]
	}
	return nil
}

// errOfIndex is the error of making a unique index, by the name of that.
func (s *Session) errOfIndex(err error, of relation, name string) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.UniqueViolation {
		return err
	}
	explained := *e
	explained.Object = sqlerr.Object{Schema: s.shownSchema(of.database, of.schema), Table: of.name, Constraint: name}
	explained.Message, explained.Detail = fmt.Sprintf("could not create unique index %q", name), e.Message+"."
	return &explained
}

// violation is what DuckDB was checking, and the error that is to say so.
type violation struct {
	*duckbackend.Violation
	err *sqlerr.Error
}

// nullColumn is the column that DuckDB's message names; false: it is another message.
func nullColumn(message, table string) (string, bool) {
	return strings.CutPrefix(message, "NOT NULL constraint failed: "+table+".")
}

func (x violation) isNull() {
	column, ok := nullColumn(x.Message, x.Table)
	if !ok {
		return
	}
	x.err.Column = column
	x.err.Message = fmt.Sprintf("null value in column %q of relation %q violates not-null constraint", column, x.Table)
}

func (x violation) isUnchecked(known *constrained) {
	text, ok := strings.CutPrefix(x.Message, "CHECK constraint failed on table "+x.Table+" with expression ")
	if !ok {
		return
	}
	text, failure, _ := strings.Cut(text, " (Error: ")
	k := known.find(func(k shownConstraint) bool { return k.Text == text })
	switch {
	case k != nil && failure == "":
		x.err.Constraint = k.Name
		x.err.Message = fmt.Sprintf("new row for relation %q violates check constraint %q", x.Table, k.Name)
		x.err.Detail = "The constraint is " + text + "."
	case k != nil:
		x.err.Constraint = k.Name
	case x.err.Constraint != "": // which is being added
		x.err.Message = fmt.Sprintf("check constraint %q of relation %q is violated by some row", x.err.Constraint, x.Table)
		x.err.Detail = "The constraint is " + text + "."
	}
}

func (x violation) isDuplicate(known *constrained) {
	if x.Index == nil || known == nil {
		return
	}
	of, isIndex := known.indexes[x.Index.Name]
	columns, names := indexedNames(of)
	x.err.Constraint = x.Index.Name
	if !isIndex {
		kind := "UNIQUE"
		if x.Index.Primary {
			kind = "PRIMARY KEY"
		}
		var ok bool
		names, ok = known.names(x.Index.Columns)
		k := known.find(func(k shownConstraint) bool { return k.Kind == kind && slices.Equal(k.Columns, names) })
		x.err.Constraint = ""
		if !ok || k == nil {
			return
		}
		x.err.Constraint, columns = k.Name, quotedNames(names)
	}
	x.err.Message = fmt.Sprintf("duplicate key value violates unique constraint %q", x.err.Constraint)
	if values, ok := x.values(names); ok {
		x.err.Detail = fmt.Sprintf("Key (%s)=(%s) already exists.", strings.Join(columns, ", "), values)
	}
}

// hasNoPartner is the error of a foreign key. known is of the table whose rows are written.
func (x violation) hasNoPartner(known, other *constrained) {
	if x.err.Constraint != "" { // which is being added
		x.err.Message = fmt.Sprintf("insert or update on table %q violates foreign key constraint %q", x.Table, x.err.Constraint)
	}
	if x.Key == nil || known == nil || other == nil {
		return
	}
	from, to, referenced := known, other, x.Key.Table
	if x.Key.Deletes {
		from, to, referenced = other, known, x.Table
	}
	columns, ok := from.names(x.Key.From)
	referencedColumns, also := to.names(x.Key.To)
	k := from.find(func(k shownConstraint) bool {
		return k.Kind == "FOREIGN KEY" && slices.Equal(k.Columns, columns) && k.Referenced == referenced && slices.Equal(k.To, referencedColumns)
	})
	if !ok || !also || k == nil {
		return
	}
	x.err.Constraint = k.Name
	if x.Key.Deletes {
		x.err.Table = x.Key.Table // in the same schema: DuckDB has no foreign keys between schemas
		x.err.Message = fmt.Sprintf("update or delete on table %q violates foreign key constraint %q on table %q", x.Table, k.Name, x.Key.Table)
		if values, ok := x.values(columns); ok {
			x.err.Detail = fmt.Sprintf("Key (%s)=(%s) is still referenced from table %q.", strings.Join(quotedNames(referencedColumns), ", "), values, x.Key.Table)
		}
		return
	}
	x.err.Message = fmt.Sprintf("insert or update on table %q violates foreign key constraint %q", x.Table, k.Name)
	if values, ok := x.values(referencedColumns); ok {
		x.err.Detail = fmt.Sprintf("Key (%s)=(%s) is not present in table %q.", strings.Join(quotedNames(columns), ", "), values, x.Key.Table)
	}
}

// values are those of the key in DuckDB's message, which has names before them, but for rows of the
// same transaction; false: they cannot be told apart.
func (x violation) values(names []string) (string, bool) {
	first, last := strings.IndexByte(x.Message, '"'), strings.LastIndexByte(x.Message, '"')
	if first == last {
		return "", false
	}
	key := x.Message[first+1 : last]
	if strings.HasPrefix(x.Message, "PRIMARY KEY or UNIQUE constraint violation: ") {
		return key, true
	}
	var values []string
	for i, name := range names {
		value, ok := strings.CutPrefix(key, name+": ")
		if !ok {
			return "", false
		}
		if i+1 < len(names) {
			next := ", " + names[i+1] + ": "
			end := strings.Index(value, next)
			if end < 0 || end != strings.LastIndex(value, next) {
				return "", false
			}
			value, key = value[:end], value[end+len(", "):]
		}
		values = append(values, value)
	}
	return strings.Join(values, ", "), true
}

// plainName is a name that Postgres shows without quotes.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_$]*$`)

// quotedNames are the names as they are written in SQL.
func quotedNames(names []string) []string {
	quoted := slices.Clone(names)
	for i, name := range names {
		if !plainName.MatchString(name) {
			quoted[i] = load.Quote(name)
		}
	}
	return quoted
}

// indexedNames are what an index is of, as DuckDB lists it: as it is written in SQL, and as
// DuckDB's messages call it.
func indexedNames(list []string) (written, called []string) {
	for _, item := range list {
		name := item
		switch {
		case strings.HasPrefix(item, "((") && strings.HasSuffix(item, "))"):
			name = item[1 : len(item)-1]
			item = name
		case len(item) > 1 && item[0] == '"':
			name = strings.ReplaceAll(item[1:len(item)-1], `""`, `"`)
			item = quotedNames([]string{name})[0]
		}
		written, called = append(written, item), append(called, name)
	}
	return written, called
}
