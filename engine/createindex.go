package engine

import (
	"context"
	"fmt"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// prepareCreateIndex makes the statement for a CREATE INDEX; nil: it is something else, or DuckDB has the
// error.
func (s *Session) prepareCreateIndex(p *Prepared) (statement, error) {
	if p.class.Object != "index" {
		return nil, nil
	}
	index, ok := sqlfront.ParseCreateIndex(p.sql)
	if !ok {
		index = sqlfront.CreateIndex{SQL: p.sql, NameAt: -1, Table: p.class.Target}
	}
	if index.Wrong != nil || len(index.Table) == 0 {
		return nil, index.Wrong
	}
	return &program{session: s, tag: "CREATE INDEX", run: func(ctx context.Context) error {
		of, err := s.relationOf(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: index.Table})
		if err != nil {
			return err
		}
		if of == nil { // DuckDB has the error
			of = &relation{}
		}
		sql, name := index.SQL, index.Name
		if index.NameAt >= 0 {
			if name, err = s.freeIndex(ctx, *of, name); err != nil {
				return err
			}
			sql = sql[:index.NameAt] + load.Quote(name) + " " + sql[index.NameAt:]
		}
		if err := s.createIndex(ctx, *of, name, sql); err != nil {
			return err
		}
		for _, word := range index.LeftOut {
			s.tell("00000", word+" is left out of CREATE INDEX: the index is of all rows, in ascending order and of its keys alone, and answers are the same")
		}
		return nil
	}}, nil
}

// createIndex makes an index. DuckDB makes none of a table whose rows the transaction has changed: it is
// written anew first.
func (s *Session) createIndex(ctx context.Context, of relation, name, sql string) error {
	if err := s.mustBeSteady(ctx, of, sql); err != nil {
		return err
	}
	if !s.tx.changes[of.table()].hinderIndex() {
		return s.errOfIndex(s.conn.Exec(ctx, sql), of, name)
	}
	a, err := s.beginAltering(ctx, of)
	if err == nil {
		err = a.rewrite(ctx)
	}
	if err != nil {
		return err
	}
	a.indexes = append(a.indexes, tableIndex{name: name, sql: sql, gone: true})
	return a.fasten(ctx)
}

// freeIndex is the first of name, name1, name2, ... that no index of the table's schema
// has.
func (s *Session) freeIndex(ctx context.Context, of relation, name string) (string, error) {
	for n := 0; ; n++ {
		candidate := name
		if n > 0 {
			candidate = fmt.Sprint(name, n)
		}
		taken, err := oneNumber(ctx, s.conn, "SELECT count(*) FROM duckdb_indexes() WHERE database_name = "+quoteText(of.database)+
			" AND schema_name = "+quoteText(of.schema)+" AND "+load.FoldedSQL("index_name")+" = "+quoteText(load.Fold(candidate)))
		if err != nil || taken == 0 {
			return candidate, err
		}
	}
}
