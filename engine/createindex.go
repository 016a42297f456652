package engine

import (
	"context"
	"fmt"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// prepareCreateIndex makes the statement for a CREATE INDEX that DuckDB does not read as
// it is written, or whose error it says too little of; nil: it has both.
func (s *Session) prepareCreateIndex(p *Prepared) (statement, error) {
	if p.class.Object != "index" {
		return nil, nil
	}
	index, ok := sqlfront.ParseCreateIndex(p.sql)
	if !ok || index.Wrong != nil || index.SQL == p.sql && index.NameAt < 0 && !index.Unique {
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
		if err := s.conn.Exec(ctx, sql); err != nil {
			return s.errOfIndex(err, *of, name)
		}
		for _, word := range index.LeftOut {
			s.tell("00000", word+" is left out of CREATE INDEX: the index is of all rows, in ascending order and of its keys alone, and answers are the same")
		}
		return nil
	}}, nil
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
