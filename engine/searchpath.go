package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// setPath sets the search path. As in Postgres it may name schemas that are not there yet,
// of which DuckDB knows nothing.
func (s *Session) setPath(ctx context.Context, value string) error {
	entries, err := splitNames(value)
	if err != nil {
		return err
	}
	found, err := s.existing(ctx, entries)
	if err != nil {
		return err
	}
	s.own.wished, s.own.found, s.own.applied = "", found, ""
	path := emptyPath()
	if len(found) > 0 {
		path = found
	}
	if len(found) < len(entries) {
		s.own.wished = value
	}
	return s.setDuckValue(ctx, variables["search_path"], strings.Join(path, ","))
}

// hasNoSchema reports whether no schema of the search path is there.
func (s *Session) hasNoSchema() bool { return s.own.wished != "" && len(s.own.found) == 0 }

// madeInPath are the objects that are made in the first schema of the path, where their
// names do not say another one.
var madeInPath = map[string]bool{"table": true, "view": true, "sequence": true, "type": true, "macro": true, "function": true}

// mustHaveSchema refuses to make an object where there is no schema for it.
func (s *Session) mustHaveSchema(c sqlfront.Class) error {
	if c.Kind != sqlfront.ClassCreate || !madeInPath[c.Object] || c.Temp || len(c.Target) != 1 || !s.hasNoSchema() {
		return nil
	}
	return sqlerr.New("3F000", "no schema has been selected to create in"). // invalid schema name
										WithHint("The search path is %s: none of its schemas exists.", s.shownPath())
}

// existing are the entries of a search path that are there, as SQL: a schema of the served
// database, whatever database is used now, a database, a schema of one, or what is for
// DuckDB to judge. It is asked in words that are found where the path names nothing any more.
func (s *Session) existing(ctx context.Context, entries []string) (found []string, err error) {
	list, err := s.textRows(ctx, "SELECT schema_name, '"+duckbackend.CatalogName+"', schema_name FROM system.main.duckdb_schemas() WHERE database_name = '"+duckbackend.CatalogName+
		"' UNION ALL SELECT 'pg_catalog', '', 'pg_catalog' UNION ALL SELECT database_name, '', database_name FROM system.main.duckdb_databases()"+
		" UNION ALL SELECT system.main.concat(database_name, '.', schema_name), database_name, schema_name FROM system.main.duckdb_schemas()")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		i := slices.IndexFunc(list, func(row []string) bool { return load.SameName(row[0], entry) })
		switch {
		case i >= 0 && list[i][1] != "":
			found = append(found, load.Quote(list[i][1])+"."+load.Quote(list[i][2]))
		case i >= 0 || strings.Contains(entry, "."):
			found = append(found, quoteIfNeeded(entry))
		}
	}
	return found, nil
}

// awaitPath sets the search path again if other schemas of it are there now.
func (s *Session) awaitPath(ctx context.Context) error {
	if err := s.detachOpen(ctx); err != nil {
		return err
	}
	if s.tx.status == TxActive {
		if err := s.enter(ctx); err != nil {
			return err
		}
	}
	entries, err := splitNames(s.own.wished)
	if err != nil {
		return err
	}
	found, err := s.existing(ctx, entries)
	if err != nil || slices.Equal(found, s.own.found) {
		return err
	}
	return s.setPath(ctx, s.own.wished)
}

// keepPath keeps the search path that DuckDB says it has: what was wished for, unless
// another one was set since.
func (s *Session) keepPath(path string) {
	if s.own.applied == "" {
		s.own.applied = path
	}
	if s.own.wished != "" && s.own.applied == path {
		s.keepDuckValue("search_path", s.own.wished)
		return
	}
	s.own.wished = ""
	s.keepDuckValue("search_path", strings.ReplaceAll(path, duckbackend.CatalogName+".", ""))
}
