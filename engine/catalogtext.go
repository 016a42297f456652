package engine

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// chooseCatalog makes the statement for a text, with Postgres' catalog as DuckDB has it.
func (s *Session) chooseCatalog(ctx context.Context, p *Prepared) (statement, error) {
	if err := s.engine.permitChanges(p.class); err != nil {
		return nil, err
	}
	switch p.class.Kind {
	case sqlfront.ClassSelect, sqlfront.ClassExplain, sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge:
	case sqlfront.ClassCopy:
		if p.class.CopyStdio { // the query in it comes here by itself
			if err := p.writeDefinitions(ctx); err != nil {
				return nil, err
			}
			return s.choose(ctx, p)
		}
	case sqlfront.ClassCreate, sqlfront.ClassAlter:
		if err := p.writeDefinitions(ctx); err != nil {
			return nil, err
		}
		return s.choose(ctx, p)
	default:
		return s.choose(ctx, p)
	}
	var failed error
	text, err := s.engine.system.live.Rewrite(p.sql, s.catalogEnv(ctx, p.hints, &failed))
	if err == nil && failed == nil && text.Catalog {
		text, err = s.readCatalog(ctx, p, text, &failed)
	}
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case !text.Changed() && !text.Catalog:
		return s.choose(ctx, p)
	}
	own := *p
	own.sql, own.class = text.SQL, sqlfront.Classify(text.SQL)
	if n := sqlfront.ParamCount(p.sql); text.Answers && len(own.hints) > 0 {
		own.hints = append(slices.Clone(own.hints), make([]rows.Type, max(0, n+1-len(own.hints)))...)
		own.hints[n] = rows.Type{ID: rows.Varchar}
	}
	c := &catalogStatement{session: s, text: text, explains: p.class.Kind == sqlfront.ClassExplain}
	switch {
	case p.class.Kind == sqlfront.ClassSelect && (text.Catalog || len(text.Settings)+len(text.Calls) > 0):
		c.utility = true
		c.statement, err = s.prepareDuck(ctx, &own)
	default:
		c.statement, err = s.choose(ctx, &own)
	}
	if err != nil {
		return nil, c.explain(err)
	}
	return c, nil
}

// inCatalog is a text with DuckDB's names for what it has of the catalog, which is ready
// to be read.
func (s *Session) inCatalog(ctx context.Context, sql string, params []rows.Type) (pgcatalog.Text, error) {
	var failed error
	text, err := s.engine.system.live.Rewrite(sql, s.catalogEnv(ctx, params, &failed))
	if err = errors.Join(failed, err); err != nil {
		return text, err
	}
	if len(text.Settings)+len(text.Calls) > 0 && !text.Catalog { // what the session performs is no matter
		return pgcatalog.Text{SQL: sql}, nil
	}
	if !text.Catalog {
		return text, nil
	}
	return text, s.engine.readyViews(ctx)
}

// describeCatalog describes a statement, which may be one on the catalog.
func (s *Session) describeCatalog(ctx context.Context, sql string, params []rows.Type) (sqlfront.Description, error) {
	text, err := s.inCatalog(ctx, sql, params)
	if err != nil {
		return sqlfront.Description{}, err
	}
	d, err := s.Describe(ctx, text.SQL, params)
	if err != nil && text.Catalog {
		c := &catalogStatement{session: s, text: text}
		err = c.explain(err)
	}
	return d, err
}

// catalogEnv is what the session says of itself in statements on the catalog, and the
// client of its parameters. An error on the way is left in failed.
func (s *Session) catalogEnv(ctx context.Context, params []rows.Type, failed *error) *pgcatalog.Env {
	lastValue := ""
	if duckbackend.NotesDrawn {
		lastValue = duckbackend.LastValue
	}
	return &pgcatalog.Env{
		LastValue: lastValue,
		User:      s.user, Version: s.engine.versionText(), PID: s.pid, Path: s.clientPath(), MergeOnce: duckbackend.MergeOnce,
		Setting: s.settingValue,
		Relation: func(name string) (string, bool) {
			query, ok := s.sessionRelation(name)
			if ok && readsViews[name] {
				*failed = errors.Join(*failed, s.engine.readyViews(ctx))
			}
			return query, ok
		},
		Sequence: func(schema, name string) (string, bool) {
			in, err := s.sequenceSchema(ctx, schema, name)
			if err != nil {
				*failed = err
			}
			return in, in != ""
		},
		Owns: func(name string, function bool) bool {
			if function {
				f, err := s.catalogView().Function(ctx, name)
				if err != nil {
					*failed = err
				}
				return f.Redefined
			}
			_, ok, err := s.catalogView().Table(ctx, []string{name})
			if err != nil {
				*failed = err
			}
			return ok
		},
		Scalar: func(name string) bool {
			f, err := s.catalogView().Function(ctx, name)
			if err != nil {
				*failed = err
			}
			return (f.Scalar || f.Macro) && !f.Table && !f.Aggregate
		},
		HasColumn: func(table []string, column string) bool {
			t, ok, err := s.catalogView().Table(ctx, table)
			if err != nil {
				*failed = err
			}
			return ok && slices.ContainsFunc(t.Columns, func(c rows.Column) bool { return load.SameName(c.Name, column) })
		},
		TextParam: func(param string) (text, declared bool) {
			n, err := strconv.Atoi(param[1:])
			if err != nil || n < 1 || n > len(params) {
				return false, false
			}
			t := params[n-1].ID
			return t == rows.Varchar, t != rows.Invalid
		},
	}
}

// pathSchemas are the schemas of the session's search path. Those of other databases
// are not in the catalog.
func (s *Session) pathSchemas() []string {
	path := s.own.path
	if s.hasNoSchema() {
		return nil
	}
	if len(path) == 0 {
		path = catalog.DefaultPath()
	}
	var schemas []string
	for _, p := range path {
		if p.Catalog == duckbackend.CatalogName {
			schemas = append(schemas, p.Name)
		}
	}
	return schemas
}

// clientPath is the search path by the names that clients know.
func (s *Session) clientPath() []string {
	path := s.pathSchemas()
	if slices.Equal(path, emptyPath()) {
		return nil
	}
	for i := range path {
		path[i] = s.engine.clientSchema(path[i])
	}
	return path
}

// sequenceSchema is the schema of the sequence that a name means; empty: there is none.
func (s *Session) sequenceSchema(ctx context.Context, schema, name string) (in string, err error) {
	path := []string{schema}
	if schema == "" {
		path = s.pathSchemas()
	}
	if err := s.detachOpen(ctx); err != nil {
		return "", err
	}
	cur, err := s.conn.Query(ctx, "SELECT schema_name FROM duckdb_sequences() WHERE database_name = '"+duckbackend.CatalogName+
		"' AND "+load.FoldedSQL("sequence_name")+" = "+quoteText(load.Fold(name)))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	b, err := cur.Next(ctx)
	if err != nil || b == nil {
		return "", err
	}
	for _, want := range path {
		for _, found := range b.Cols[0].Str {
			if strings.EqualFold(found, want) {
				return found, nil
			}
		}
	}
	return "", nil
}

// settingValue is the value of a setting that the session keeps.
func (s *Session) settingValue(name string) (string, bool) {
	_, known := variables[name]
	_, set := s.settings.values[name]
	_, started := s.settings.initial[name]
	if !known && !set && !started {
		return "", false
	}
	return s.show(name), true
}

// catalogStatement is a statement that has been rewritten.
type catalogStatement struct {
	statement
	session *Session
	text    pgcatalog.Text
	// explains: the statement is EXPLAIN, which performs nothing.
	explains bool
	// utility: as with SHOW, nobody had a choice of who answers.
	utility bool
}

// params are those of the statement, OIDs among them.
func (c *catalogStatement) params() []rows.Type {
	types := slices.Clone(c.statement.params())
	if c.text.Answers {
		types = types[:len(types)-1]
	}
	if c.text.Catalog {
		for i := range types {
			types[i] = objectType(types[i])
		}
	}
	return types
}

// columns are those of the statement, OIDs among them.
func (c *catalogStatement) columns() []rows.Column {
	if !c.text.Catalog {
		return c.statement.columns()
	}
	return objectColumns(c.statement.columns(), &c.text)
}

// objectColumns are the columns of a statement on the catalog with Postgres' types.
func objectColumns(columns []rows.Column, text *pgcatalog.Text) []rows.Column {
	columns = slices.Clone(columns)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	types := text.Types(names)
	for i, c := range columns {
		columns[i].Type = objectType(c.Type)
		if t := (rows.Type{ID: textTypes[types[i]]}); t.ID != rows.Invalid && t.String() == c.Type.String() {
			columns[i].Type = t
		}
	}
	return columns
}

// textTypes are the types of Postgres' catalog by name that are texts or lists in DuckDB.
var textTypes = map[string]rows.TypeID{
	"name": rows.Name, "char": rows.Char, "pg_node_tree": rows.NodeTree, "aclitem[]": rows.ACL, "name[]": rows.NameList, "regproc": rows.RegProc, "regclass": rows.RegClass,
	"regtype": rows.RegType, "regnamespace": rows.RegNamespace, "regrole": rows.RegRole, "int2vector": rows.Int2Vector, "oidvector": rows.OIDVector,
}

// objectType is a type in a statement on the catalog, in which UINTEGER is the type of
// OIDs: clients treat them otherwise than other numbers.
func objectType(t rows.Type) rows.Type {
	switch {
	case t.ID == rows.UInteger:
		return rows.Type{ID: rows.OID}
	case t.ID == rows.List && t.Name == "UINTEGER[]":
		return rows.Type{ID: rows.List, Name: "OID[]"}
	}
	return t
}

// execute sets what the statement sets, then runs it.
func (c *catalogStatement) execute(ctx context.Context, args []Arg) (outcome, error) {
	s := c.session
	for _, called := range c.text.Settings {
		sets, err := c.evaluate(ctx, called, args)
		if err != nil {
			return outcome{}, c.explain(err)
		}
		for _, set := range sets {
			class := sqlfront.Class{Kind: sqlfront.ClassSet, Name: set.Name, Value: set.Value}
			if set.Local {
				class.Scope = "local"
			}
			if err := s.runSet(ctx, class, set.Name); err != nil {
				return outcome{}, err
			}
		}
	}
	answers := ""
	if !c.explains {
		var err error
		if answers, err = c.perform(ctx, args); err != nil {
			return outcome{}, err
		}
	}
	if c.text.Answers {
		args = append(slices.Clone(args), Arg{Text: answers})
	}
	last := s.lastBackend
	out, err := c.statement.execute(ctx, args)
	if err != nil {
		return out, c.explain(err)
	}
	if c.utility {
		s.lastBackend = last
	}
	if out.cursor != nil {
		out.cursor = &describedCursor{Cursor: &explainedCursor{out.cursor, c.explain}, list: c.columns()}
	}
	return out, nil
}

// evaluate finds the names and the values of a call's settings: one for each row.
func (c *catalogStatement) evaluate(ctx context.Context, called pgcatalog.Setting, args []Arg) ([]pgcatalog.Setting, error) {
	if called.Expression == "" {
		return []pgcatalog.Setting{called}, nil
	}
	list, err := c.evaluateRows(ctx, called.Expression, called.From, args)
	if err != nil {
		return nil, err
	}
	var sets []pgcatalog.Setting
	for _, row := range list {
		if row[0] == "" {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "set_config needs the name of a setting")
		}
		sets = append(sets, pgcatalog.Setting{Name: row[0], Value: row[1], Local: called.Local})
	}
	return sets, nil
}

// evaluateRows are the values of expressions, which are texts, over the rows of from; NULL
// is empty.
func (c *catalogStatement) evaluateRows(ctx context.Context, expressions, from string, args []Arg) ([][]string, error) {
	values := make([]string, len(args))
	for i, a := range args {
		if values[i] = quoteText(a.Text); a.Null {
			values[i] = "NULL"
		}
	}
	s := c.session
	var failed error
	text, err := s.engine.system.live.Rewrite(sqlfront.WithParams("SELECT "+expressions+" "+from, values), s.catalogEnv(ctx, nil, &failed))
	if err = errors.Join(err, failed); err != nil {
		return nil, withoutPlace(err)
	}
	if text.Catalog {
		if err := s.engine.readyViews(ctx); err != nil {
			return nil, err
		}
	}
	return s.textRows(ctx, text.SQL)
}

var codedMessage = regexp.MustCompile(`^([0-9A-Z]{5}): `)

// explain makes an error of the rewritten text one of the user's text.
func (c *catalogStatement) explain(err error) error {
	e := *sqlerr.From(err)
	if m := codedMessage.FindStringSubmatch(e.Message); m != nil {
		e.Code, e.Message = m[1], e.Message[len(m[0]):]
		e.Offset = -1
	}
	for _, database := range []string{pgcatalog.Database, pgcatalog.KeptDatabase} {
		e.Message = strings.ReplaceAll(e.Message, database+".pg.", "")
		e.Message = strings.ReplaceAll(e.Message, database+".info.", "information_schema.")
	}
	if e.Offset >= 0 {
		e.Offset = c.text.Offset(e.Offset)
	}
	return &e
}

// explainedCursor explains the errors of rows.
type explainedCursor struct {
	rows.Cursor
	explain func(error) error
}

// Next returns the next batch.
func (c *explainedCursor) Next(ctx context.Context) (*rows.Batch, error) {
	b, err := c.Cursor.Next(ctx)
	if err != nil {
		return nil, c.explain(err)
	}
	return b, nil
}

// describedCursor has the columns that its statement was described with.
type describedCursor struct {
	rows.Cursor
	list []rows.Column
}

// Columns returns them.
func (c *describedCursor) Columns() []rows.Column { return c.list }
