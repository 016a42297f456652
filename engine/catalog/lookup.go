package catalog

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Access lends one DuckDB connection for the time of a call.
type Access func(ctx context.Context, use func(*duckbackend.Conn) error) error

// Schema is one entry of a search path.
type Schema struct{ Catalog, Name string }

// DefaultPath is the search path of a session that has not changed it.
func DefaultPath() []Schema {
	return []Schema{{Catalog: duckbackend.CatalogName, Name: DefaultSchema}}
}

// DefaultSchema is DuckDB's default schema, which stands for Postgres's public.
const DefaultSchema = "main"

// Catalog keeps what DuckDB said about its catalog, per version of it. It is
// safe for concurrent use and shared by all sessions.
type Catalog struct {
	Versions *Versions

	mu        sync.Mutex
	kept      *listing
	functions *functions // nil: not read yet
}

// functions is what functions there are in one version. They are kept apart from
// the listing of tables, because there are thousands and few statements change
// them: to read them takes 10 ms (BenchmarkFunctionsAfterDDL).
type functions struct {
	version uint64
	byName  map[string]sqlfront.Function
}

// New returns an empty Catalog over versions.
func New(versions *Versions) *Catalog { return &Catalog{Versions: versions} }

// listing is the catalog as one or several reads of one version saw it.
type listing struct {
	version uint64

	mu        sync.Mutex
	relations map[load.Table]relation // nil: not read yet
	programs  map[load.Table]bool     // the views with tensor programs; nil: not looked
	columns   map[load.Table][]rows.Column
}

type relation struct {
	name load.Table // as written at creation
	view bool
	sql  string // CREATE VIEW; CREATE TABLE, of tables with a collation or generated columns
	// generated: the text of the table may have generated columns.
	generated bool
	// foreign: it is in a database that others may write to.
	foreign bool
}

// View is the catalog as one session sees it. It implements sqlfront.Catalog
// and is used by one goroutine at a time.
type View struct {
	catalog *Catalog
	access  Access
	path    []Schema
	private *listing // nil: the shared listings
	// own: functions are read for this view and kept in it alone.
	own          bool
	ownFunctions map[string]sqlfront.Function // nil: not read yet
}

// Shared returns a view for sessions without objects or settings of their own;
// access must lend connections that see committed objects only.
func (c *Catalog) Shared(access Access) *View {
	return &View{catalog: c, access: access, path: DefaultPath()}
}

// Private returns a view through a session's own connection, under its search
// path. What it reads is kept in the view and nowhere else: the session drops
// the view when it changes the catalog. Functions are those of all sessions
// unless ownFunctions, which a session needs that may have made some, or whose
// snapshot may be older than some.
func (c *Catalog) Private(access Access, path []Schema, ownFunctions bool) *View {
	return &View{catalog: c, access: access, path: path, private: &listing{}, own: ownFunctions}
}

// listing returns the listing to read from, and whether what is read from
// DuckDB after this call may be kept in it (see keep).
func (v *View) listing() *listing {
	if v.private != nil {
		return v.private
	}
	c := v.catalog
	version, stable := c.Versions.Schema()
	c.mu.Lock()
	defer c.mu.Unlock()
	// DDL in flight does not make a kept listing wrong: until it commits, others
	// see the old catalog, and its tables have a writer in flight.
	if c.kept != nil && c.kept.version == version {
		return c.kept
	}
	l := &listing{version: version}
	if stable {
		c.kept = l
	}
	return l
}

// keep reports whether what was read for l since it was obtained belongs to
// its version.
func (v *View) keep(l *listing) bool {
	if v.private != nil {
		return true
	}
	version, stable := v.catalog.Versions.Schema()
	return stable && version == l.version
}

// Table resolves a name under the search path; see sqlfront.Catalog. Tables of attached
// databases that are not DuckDB's are not found: they have no versions.
func (v *View) Table(ctx context.Context, parts []string) (*sqlfront.Table, bool, error) {
	return v.table(ctx, v.path, parts)
}

// TableIn resolves a name inside a view; see sqlfront.Catalog. DuckDB looks in
// the view's schema, then in the session's search path, then elsewhere; beyond the view's
// database nothing is found here, nor where the path may come first.
func (v *View) TableIn(ctx context.Context, catalog, schema string, parts []string) (*sqlfront.Table, bool, error) {
	if catalog == Temporary { // its text is read as a statement of the session's
		return v.table(ctx, v.path, parts)
	}
	if len(parts) == 2 && !load.SameName(parts[0], schema) && slices.ContainsFunc(v.path, func(s Schema) bool {
		return load.SameName(s.Name, parts[0]) && !load.SameName(s.Catalog, catalog)
	}) {
		return nil, false, nil
	}
	t, ok, err := v.table(ctx, []Schema{{Catalog: catalog, Name: schema}}, parts)
	if ok && len(parts) == 1 && !t.Temporary && !load.SameName(t.Name.Schema, schema) {
		return nil, false, nil // the path comes before the database's default schema
	}
	return t, ok, err
}

func (v *View) table(ctx context.Context, path []Schema, parts []string) (*sqlfront.Table, bool, error) {
	l := v.listing()
	relations, err := v.relations(ctx, l)
	if err != nil {
		return nil, false, err
	}
	r, ok := resolve(relations, path, parts)
	if !ok {
		return nil, false, nil
	}
	columns, err := v.columns(ctx, l, r.name)
	if r.view {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if err != nil { // of the view: DuckDB has it for the statement as well
			return &sqlfront.Table{Name: r.name, View: true, Temporary: r.temporary()}, true, nil
		}
		body, err := sqlfront.ViewBody(r.sql)
		return &sqlfront.Table{Name: r.name, Columns: columns, View: true, ViewSQL: body, Temporary: r.temporary()}, err == nil, err
	}
	if err != nil {
		return nil, false, err
	}
	collated, err := sqlfront.CollatedColumns(r.sql, columns)
	if err != nil {
		return nil, false, err
	}
	return &sqlfront.Table{Name: r.name, Columns: columns, Collated: collated, Generated: r.generated, Temporary: r.temporary()}, true, nil
}

// Temporary is DuckDB's name of the database of a session's temporary objects.
const Temporary = "temp"

func (r relation) temporary() bool { return r.name.Catalog == Temporary }

// Function says how DuckDB knows a function; the zero Function when it does not.
func (v *View) Function(ctx context.Context, name string) (sqlfront.Function, error) {
	known, err := v.functions(ctx)
	return known[load.Fold(name)], err
}

// functions are those of the view's session, or those that all share.
func (v *View) functions(ctx context.Context) (known map[string]sqlfront.Function, err error) {
	if v.own {
		if v.ownFunctions == nil {
			v.ownFunctions, err = v.readFunctions(ctx)
		}
		return v.ownFunctions, err
	}
	c := v.catalog
	version, _ := c.Versions.Functions()
	c.mu.Lock()
	kept := c.functions
	c.mu.Unlock()
	// As with listings, DDL in flight does not make what is kept wrong.
	if kept != nil && kept.version == version {
		return kept.byName, nil
	}
	if known, err = v.readFunctions(ctx); err != nil {
		return nil, err
	}
	if now, stable := c.Versions.Functions(); stable && now == version {
		c.mu.Lock()
		c.functions = &functions{version: version, byName: known}
		c.mu.Unlock()
	}
	return known, nil
}

// resolve finds a name as DuckDB does, or nothing where DuckDB would find an object of a
// database that is not DuckDB's, or an ambiguity.
func resolve(relations map[load.Table]relation, path []Schema, parts []string) (relation, bool) {
	first := func(tables []load.Table) (relation, bool) {
		for _, t := range tables {
			if r, ok := relations[t.Folded()]; ok {
				return r, true
			}
		}
		return relation{}, false
	}
	inSchema, inDatabase := meant(path, parts)
	found, ok := first(inSchema)
	if other, also := first(inDatabase); also {
		if ok && !found.temporary() {
			return relation{}, false
		}
		if !ok {
			found, ok = other, true
		}
	}
	return found, ok && !found.foreign
}

// Candidates are the tables that a name may mean under a search path.
func Candidates(path []Schema, parts []string) []load.Table {
	inSchema, inDatabase := meant(path, parts)
	return append(inSchema, inDatabase...)
}

// meant are the tables that a name may mean under a search path, as Places has their schemas.
func meant(path []Schema, parts []string) (inSchema, inDatabase []load.Table) {
	if len(parts) == 0 {
		return nil, nil
	}
	last := len(parts) - 1
	tables := func(places []Schema) []load.Table {
		list := make([]load.Table, len(places))
		for i, s := range places {
			list[i] = load.Table{Catalog: s.Catalog, Schema: s.Name, Name: parts[last]}
		}
		return list
	}
	schemas, databases := Places(path, parts[:last])
	return tables(schemas), tables(databases)
}

// Places are the schemas that the qualifiers of a name may mean under a search path, in the
// order in which DuckDB looks through them; inDatabase are those where a single qualifier is
// the name of a database. The schema of temporary objects is meant without qualifiers only: main is
// another one's name.
func Places(path []Schema, qualifiers []string) (inSchema, inDatabase []Schema) {
	database := duckbackend.CatalogName // where schemas are that the path does not name
	if len(path) > 0 {
		database = path[0].Catalog
	}
	whole := append(append([]Schema{{Temporary, DefaultSchema}}, path...), Schema{database, DefaultSchema})
	switch len(qualifiers) {
	case 0:
		return whole, nil
	case 1:
		for _, s := range append(whole[1:], Schema{database, qualifiers[0]}) {
			if load.SameName(s.Name, qualifiers[0]) {
				inSchema = append(inSchema, s)
			}
		}
		for _, s := range append(path[:len(path):len(path)], Schema{qualifiers[0], DefaultSchema}) {
			if load.SameName(s.Catalog, qualifiers[0]) {
				inDatabase = append(inDatabase, s)
			}
		}
	case 2:
		inSchema = []Schema{{qualifiers[0], qualifiers[1]}}
	}
	return inSchema, inDatabase
}

func (v *View) relations(ctx context.Context, l *listing) (map[load.Table]relation, error) {
	l.mu.Lock()
	known := l.relations
	l.mu.Unlock()
	if known != nil {
		return known, nil
	}
	read := map[load.Table]relation{}
	err := v.query(ctx, relationsSQL, func(b *rows.Batch, i int) {
		name := load.Table{Catalog: b.Cols[0].Str[i], Schema: b.Cols[1].Str[i], Name: b.Cols[2].Str[i]}
		read[name.Folded()] = relation{name: name, view: b.Cols[3].I64[i] != 0, sql: b.Cols[4].Str[i], generated: b.Cols[5].I64[i] != 0, foreign: b.Cols[6].I64[i] == 0}
	})
	if err != nil {
		return nil, err
	}
	if v.keep(l) {
		l.mu.Lock()
		l.relations = read
		l.mu.Unlock()
	}
	return read, nil
}

// Definitions are the texts of views, of macros and of tables with generated columns, by
// their names in lower case, in whatever schemas.
func (v *View) Definitions(ctx context.Context) (map[string][]string, error) {
	relations, err := v.relations(ctx, v.listing())
	if err != nil {
		return nil, err
	}
	functions, err := v.functions(ctx)
	if err != nil {
		return nil, err
	}
	texts := map[string][]string{}
	for k, r := range relations {
		if r.view || r.generated {
			texts[k.Name] = append(texts[k.Name], r.sql)
		}
	}
	for name, f := range functions {
		if !f.Redefined {
			continue
		}
		for _, m := range f.Macros {
			texts[name] = append(texts[name], m.Body)
		}
	}
	return texts, nil
}

// Programs are the views with tensor programs in them, which DuckDB does not run, and
// those that mention the name of such a view, by their names as load.Table.Folded has them.
func (v *View) Programs(ctx context.Context) (map[load.Table]bool, error) {
	l := v.listing()
	relations, err := v.relations(ctx, l)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.programs != nil {
		return l.programs, nil
	}
	found := programs(relations)
	if l.relations != nil {
		l.programs = found
	}
	return found, nil
}

func programs(relations map[load.Table]relation) map[load.Table]bool {
	found := map[load.Table]bool{}
	var names []string // whose mention is to be looked for
	for k, r := range relations {
		if r.view && sqlfront.HasProgram(r.sql) {
			found[k] = true
			names = append(names, k.Name)
		}
	}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		for k, r := range relations {
			if r.view && !found[k] && strings.Contains(load.Fold(r.sql), name) {
				found[k] = true
				names = append(names, k.Name)
			}
		}
	}
	return found
}

func (v *View) columns(ctx context.Context, l *listing, name load.Table) ([]rows.Column, error) {
	k := name.Folded()
	l.mu.Lock()
	known, ok := l.columns[k]
	l.mu.Unlock()
	if ok {
		return known, nil
	}
	var d duckbackend.Description
	err := v.access(ctx, func(c *duckbackend.Conn) (err error) {
		d, err = c.Describe(ctx, "SELECT * FROM "+name.SQL(), nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.keep(l) {
		l.mu.Lock()
		if l.columns == nil {
			l.columns = map[load.Table][]rows.Column{}
		}
		l.columns[k] = d.Columns
		l.mu.Unlock()
	}
	return d.Columns, nil
}

// Only the text of a table tells that a column has a collation, and what it is generated by.
const relationsSQL = `WITH own AS (SELECT database_name FROM system.main.duckdb_databases() WHERE type = 'duckdb')
SELECT database_name, schema_name, table_name, false,
	CASE WHEN contains(lower(sql), 'collate') OR contains(lower(sql), 'generated') THEN sql ELSE '' END, contains(lower(sql), 'generated'), database_name IN (FROM own)
FROM system.main.duckdb_tables() WHERE database_name NOT IN (` + pgcatalog.DatabaseList + `)
UNION ALL SELECT database_name, schema_name, view_name, true, sql, false, database_name IN (FROM own) FROM system.main.duckdb_views() WHERE NOT internal AND database_name NOT IN (` + pgcatalog.DatabaseList + `)`

// Some functions that DuckDB calls CONSISTENT read the session's state or the clock,
// so their value is no function of their arguments. So does age of one argument
// (sqlfront, readsClock).
var functionsSQL = `SELECT folded,
	bool_or(function_type = 'scalar'),
	bool_or(function_type = 'aggregate'),
	bool_or(function_type IN ('macro', 'table_macro')),
	bool_or(function_type IN ('table', 'table_macro')),
	bool_or(NOT internal AND function_type IN ('macro', 'table_macro')),
	bool_and(coalesce(stability, 'VOLATILE') = 'CONSISTENT')
		AND folded NOT IN ('current_setting', 'getvariable', 'current_localtime', 'current_localtimestamp'),
	bool_or(contains(concat(parameter_types::VARCHAR, return_type), 'TIME ZONE')),
	coalesce(bool_or(stability = 'VOLATILE'), false) OR folded IN ('txid_current', 'current_setting', 'getvariable'),
	string_agg(concat(array_to_string(parameter_types, chr(31)), chr(30), varargs), chr(29))
		FILTER (WHERE function_type IN ('scalar', 'aggregate', 'table')),
	string_agg(concat(array_to_string(parameters, chr(31)), chr(30), macro_definition, chr(30), function_type = 'table_macro', chr(30), NOT internal), chr(29))
		FILTER (WHERE function_type IN ('macro', 'table_macro'))
FROM (SELECT *, ` + load.FoldedSQL("function_name") + ` AS folded FROM system.main.duckdb_functions()) WHERE database_name NOT IN (` + pgcatalog.DatabaseList + `) GROUP BY folded`

func (v *View) readFunctions(ctx context.Context) (map[string]sqlfront.Function, error) {
	read := map[string]sqlfront.Function{}
	err := v.query(ctx, functionsSQL, func(b *rows.Batch, i int) {
		read[b.Cols[0].Str[i]] = sqlfront.Function{
			Scalar: b.Cols[1].I64[i] != 0, Aggregate: b.Cols[2].I64[i] != 0,
			Macro: b.Cols[3].I64[i] != 0, Table: b.Cols[4].I64[i] != 0, Redefined: b.Cols[5].I64[i] != 0, Consistent: b.Cols[6].I64[i] != 0,
			Zoned: b.Cols[7].I64[i] != 0, Volatile: b.Cols[8].I64[i] != 0,
			Overloads: overloads(&b.Cols[9], i), Macros: macros(&b.Cols[10], i),
		}
	})
	for _, name := range duckbackend.DifferingFunctions() {
		f := read[name]
		f.Differs = true
		read[name] = f
	}
	return read, err
}

// overloads reads what functionsSQL has gathered of the arguments.
func overloads(texts *rows.Vector, i int) (out []sqlfront.Overload) {
	if texts.IsNull(i) {
		return nil
	}
	for text := range strings.SplitSeq(texts.Str[i], "\x1d") {
		args, more, _ := strings.Cut(text, "\x1e")
		o := sqlfront.Overload{More: more}
		if args != "" {
			o.Args = strings.Split(args, "\x1f")
		}
		out = append(out, o)
	}
	return out
}

// macros reads what functionsSQL has gathered of macros: the user's, or if there are none
// those of DuckDB.
func macros(texts *rows.Vector, i int) (out []sqlfront.Macro) {
	if texts.IsNull(i) {
		return nil
	}
	own := false
	for text := range strings.SplitSeq(texts.Str[i], "\x1d") {
		part := strings.Split(text, "\x1e")
		m := sqlfront.Macro{Body: part[1], Table: part[2] == "true"}
		if part[0] != "" {
			m.Params = strings.Split(part[0], "\x1f")
		}
		if part[3] == "true" && !own {
			own, out = true, nil
		}
		if own == (part[3] == "true") {
			out = append(out, m)
		}
	}
	return out
}

// query calls row for every row of a query.
func (v *View) query(ctx context.Context, sql string, row func(b *rows.Batch, i int)) error {
	return v.access(ctx, func(c *duckbackend.Conn) (err error) {
		cursor, err := c.Query(ctx, sql)
		if err != nil {
			return err
		}
		defer func() {
			if cerr := cursor.Close(); err == nil {
				err = cerr
			}
		}()
		for {
			b, err := cursor.Next(ctx)
			if err != nil || b == nil {
				return err
			}
			for i := range b.N {
				row(b, i)
			}
		}
	})
}
