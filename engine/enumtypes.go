package engine

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// enumTypes are the user's enumerations of one version of the catalog.
type enumTypes struct {
	mu      sync.Mutex
	known   bool
	version uint64
	found   enumsFound
}

// enumsFound are enumerations that all sessions see.
type enumsFound struct {
	// named are the types by DuckDB's spelling. Of those with the same labels, which DuckDB
	// does not tell apart, it is the first by schema and name.
	named map[string]enumType
	// sources are the names, in lower case, of what may have values of these types: of tables
	// with such columns, of views and functions, and of the types themselves.
	sources map[string]bool
}

// enumType is the name of an enumeration.
type enumType struct{ schema, name string }

// oid is the type's OID in pg_type.
func (t enumType) oid() uint32 { return nameOID("t." + t.schema + "." + t.name) }

// enumQuery lists the enumerations as pgcatalog's view _enum does.
const enumQuery = "SELECT schema_name, type_name, 'ENUM(' || array_to_string(list_transform(labels, lambda e: '''' || replace(e, '''', '''''') || ''''), ', ') || ')'" +
	" FROM duckdb_types() WHERE database_name = '" + duckbackend.CatalogName + "' AND logical_type = 'ENUM' AND NOT internal ORDER BY schema_name, type_name"

// enumSourceQuery lists the names of tables with columns of enumerations, of views and functions;
// Postgres' catalog has none of these types.
const enumSourceQuery = "SELECT DISTINCT lower(table_name) FROM duckdb_columns() WHERE contains(data_type, 'ENUM(')" + byUsers +
	" UNION SELECT lower(view_name) FROM duckdb_views() WHERE true" + byUsers +
	" UNION SELECT lower(function_name) FROM duckdb_functions() WHERE true" + byUsers

const byUsers = " AND NOT internal AND database_name NOT IN (" + pgcatalog.DatabaseList + ")"

// enumerations are the enumerations that all sessions see. They are read once per version of the
// catalog; stable is false while DDL is in flight, when there may be others.
func (e *Engine) enumerations(ctx context.Context) (found enumsFound, stable bool, err error) {
	t := &e.enums
	t.mu.Lock()
	defer t.mu.Unlock()
	version, stable := e.catalog.Versions.Schema()
	if t.known && t.version == version {
		return t.found, stable, nil
	}
	if !stable {
		return enumsFound{}, false, nil
	}
	err = e.workers.lend(ctx, func(c *duckbackend.Conn) (err error) {
		found, err = readEnumerations(ctx, c)
		return err
	})
	if err != nil {
		return enumsFound{}, false, err
	}
	if after, stable := e.catalog.Versions.Schema(); !stable || after != version {
		return enumsFound{}, false, nil
	}
	t.known, t.version, t.found = true, version, found
	return found, true, nil
}

func readEnumerations(ctx context.Context, c *duckbackend.Conn) (enumsFound, error) {
	found := enumsFound{named: map[string]enumType{}, sources: map[string]bool{}}
	types, err := textRows(ctx, c, enumQuery)
	if err != nil || len(types) == 0 {
		return found, err
	}
	for _, row := range types {
		if _, ok := found.named[row[2]]; !ok {
			found.named[row[2]] = enumType{row[0], row[1]}
		}
		found.sources[strings.ToLower(row[1])] = true
	}
	sources, err := textRows(ctx, c, enumSourceQuery)
	for _, row := range sources {
		found.sources[row[0]] = true
	}
	return found, err
}

// mayHaveEnums reports whether a statement may have values of enumerations: whether it names
// something that has them, as far as that is known.
func (s *Session) mayHaveEnums(found enumsFound, stable bool, sql string) bool {
	if !stable || s.own.objects {
		return true
	}
	if len(found.named) == 0 {
		return false
	}
	tokens, err := sqlfront.Tokens(sql)
	return err == nil && slices.ContainsFunc(tokens, func(t sqlfront.Token) bool {
		return (t.Kind == sqlfront.TokenWord || t.Kind == sqlfront.TokenQuoted) && found.sources[strings.ToLower(sqlfront.NameOf(sql[t.Start:t.End]))]
	})
}

// enumName is SQL for an enumeration: its name where all sessions know it, or its labels.
func (s *Session) enumName(found enumsFound, t rows.Type) string {
	named, ok := found.named[t.Name]
	switch {
	case !ok:
		return t.Name
	case named.schema == catalog.DefaultSchema && !s.own.otherPath && !s.own.objects:
		return load.Quote(named.name)
	}
	return load.Quote(named.schema) + "." + load.Quote(named.name)
}

// inferEnums gives the literals of a statement that stand where values of an enumeration are
// expected its type. DuckDB would compare their texts, and not by the order of the labels.
func (p *Prepared) inferEnums(ctx context.Context, literals []*literal) error {
	if !slices.ContainsFunc(literals, func(l *literal) bool { return l.Untyped && !l.Row }) {
		return nil
	}
	found, stable, err := p.session.engine.enumerations(ctx)
	if err != nil || !p.session.mayHaveEnums(found, stable, p.sql) {
		return onlyFatal(ctx, err)
	}
	for _, place := range p.literalPlaces(literals) {
		place.literals = slices.DeleteFunc(place.literals, func(l *literal) bool { return l.Row || l.Type != rows.Invalid || l.cast != "" })
		if len(place.literals) == 0 {
			continue
		}
		if err := p.session.enter(ctx); err != nil {
			return err
		}
		for chunk := range slices.Chunk(place.literals, describedMax) {
			if err := p.castEnums(ctx, found, literalPlace{place.Definition, chunk}); err != nil {
				return err
			}
		}
	}
	return nil
}

// splitMax is how many literals are asked about in parts where the statement does not bind with
// parameters in the places of all.
const splitMax = 32

// castEnums casts the literals of a place that are values of enumerations.
func (p *Prepared) castEnums(ctx context.Context, found enumsFound, place literalPlace) error {
	types, err := p.literalTypes(ctx, place)
	if err != nil {
		return onlyFatal(ctx, err) // the statement has the error
	}
	n := len(place.literals)
	if types == nil && n > 1 && n <= splitMax {
		for _, part := range [][]*literal{place.literals[:n/2], place.literals[n/2:]} {
			if err := p.castEnums(ctx, found, literalPlace{place.Definition, part}); err != nil {
				return err
			}
		}
	}
	for i, t := range types {
		if t.ID != rows.Enum {
			continue
		}
		l := place.literals[i]
		if !slices.ContainsFunc(sqlfront.TextLiterals(t.Name), func(label sqlfront.TextLiteral) bool { return label.Text == l.Text }) {
			return l.placed(errNoLabel(found, t, l.Text))
		}
		l.cast = p.session.enumName(found, t)
	}
	return nil
}

// errNoLabel is Postgres' error for a text that is not one of an enumeration's labels.
func errNoLabel(found enumsFound, t rows.Type, text string) error {
	name := t.Name
	if named, ok := found.named[t.Name]; ok {
		name = named.name
	}
	return sqlerr.New(sqlerr.InvalidText, "invalid input value for enum %s: %q", name, text)
}
