package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// paramType is the type of parameter i of the query, from 0 on: one of the statement's,
// or a clock.
func (t *tensorSelect) paramType(i int) rows.Type {
	if n := i - len(t.desc.Params); n >= 0 {
		return t.clocks[n].T
	}
	return t.desc.Params[i]
}

// timed appends the values of the query's clocks to the statement's arguments: those of
// the session's transaction, in its time zone.
func (t *tensorSelect) timed(ctx context.Context, s *Session, args []Arg) (_ []Arg, err error) {
	if len(t.clocks) == 0 {
		return args, nil
	}
	if err := s.detachOpen(ctx); err != nil {
		return nil, err
	}
	asked := make([]string, len(t.clocks))
	for i, c := range t.clocks {
		asked[i] = "CAST(" + c.SQL + " AS VARCHAR)"
	}
	cur, err := s.conn.Query(ctx, "SELECT "+strings.Join(asked, ", "))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	b, err := cur.Next(ctx)
	if err != nil {
		return nil, err
	}
	for i := range asked {
		args = append(args, Arg{Text: b.Cols[i].Str[0]})
	}
	return args, nil
}
