package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// columnsOfSeveral are the columns of a query of which DuckDB makes several statements, such as PIVOT of all values
// of a column: they are known when the statements before it have run.
func (s *Session) columnsOfSeveral(ctx context.Context, p *Prepared) (_ []rows.Column, err error) {
	stmt, err := s.prepareClassed(ctx, p.class, "SELECT * FROM ("+strings.TrimRight(p.sql, "; \t\r\n")+"\n) LIMIT 0")
	if err != nil {
		return nil, onlyFatal(ctx, err) // the query itself has it when it runs
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	cursor, err := stmt.Execute(ctx, nil)
	if err != nil {
		return nil, err
	}
	return cursor.Columns(), cursor.Close()
}
