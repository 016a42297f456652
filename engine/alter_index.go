package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// prepareAlterIndex makes the statement for ALTER INDEX .. RENAME TO, which DuckDB does
// not have, and which Postgres lets ALTER TABLE do as well; nil: it is something else.
func (s *Session) prepareAlterIndex(ctx context.Context, p *Prepared) (statement, error) {
	to := sqlfront.ParseRename(p.sql)
	if len(p.class.Target) == 0 || to == "" {
		return nil, nil
	}
	if p.class.Object == "table" {
		if of, err := s.tableOfIndex(ctx, p.class); of == nil || err != nil {
			return nil, err
		}
	}
	return &program{session: s, tag: "ALTER " + strings.ToUpper(p.class.Object), run: func(ctx context.Context) error {
		name := p.class.Target[len(p.class.Target)-1]
		of, err := s.tableOfIndex(ctx, p.class)
		switch {
		case err != nil:
			return err
		case of == nil && p.class.Conditional:
			s.tell("00000", fmt.Sprintf("relation %q does not exist, skipping", name))
			return nil
		case of == nil:
			return sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", name).WithHint("pg_indexes lists the names of indexes.")
		}
		return s.renameIndex(ctx, *of, name, to)
	}}, nil
}

// tableOfIndex is the table of the index that a statement speaks of; nil: there is none.
func (s *Session) tableOfIndex(ctx context.Context, c sqlfront.Class) (*relation, error) {
	list, err := s.textRows(ctx, "SELECT database_name, schema_name, table_name FROM duckdb_indexes() WHERE "+load.FoldedSQL("index_name")+" = "+quoteText(load.Fold(c.Target[len(c.Target)-1]))+" AND sql IS NOT NULL AND "+s.placeOf(c)+
		" ORDER BY "+s.firstPlace(c)+" LIMIT 1")
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &relation{database: list[0][0], schema: list[0][1], name: list[0][2]}, nil
}

// renameIndex makes an index of a table again under another name. One that is a
// constraint has that name as well.
func (s *Session) renameIndex(ctx context.Context, of relation, name, to string) error {
	taken, err := oneNumber(ctx, s.conn, "SELECT count(*) FROM duckdb_indexes() WHERE database_name = "+quoteText(of.database)+
		" AND schema_name = "+quoteText(of.schema)+" AND "+load.FoldedSQL("index_name")+" = "+quoteText(load.Fold(to)))
	if err != nil {
		return err
	}
	if taken > 0 {
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", to)
	}
	a, err := s.beginAltering(ctx, of)
	if err != nil {
		return err
	}
	i := &a.indexes[slices.IndexFunc(a.indexes, func(i tableIndex) bool { return load.SameName(i.name, name) })]
	if err := s.conn.Exec(ctx, "DROP INDEX "+a.indexName(i.name)); err != nil {
		return err
	}
	i.name, i.sql, i.gone = to, sqlfront.RenamedIndex(i.sql, to), true
	a.changed = s.tx.status == TxActive // who knows what was done before
	return a.fasten(ctx)
}
