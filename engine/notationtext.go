package engine

import (
	"context"

	"github.com/trireme-db/trireme/engine/notation"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// chooseText makes the statement for a text, with SQL in place of Einstein
// summations.
func (s *Session) chooseText(ctx context.Context, p *Prepared) (statement, error) {
	if !p.mayHaveNotation() {
		return s.chooseCatalog(ctx, p)
	}
	text, err := notation.Expand(ctx, p.sql, s.notationEnv(p))
	if err != nil {
		return nil, err
	}
	if !text.Changed() {
		return s.chooseCatalog(ctx, p)
	}
	own := *p
	own.sql, own.class = text.SQL, sqlfront.Classify(text.SQL)
	if err := own.permit(ctx); err != nil {
		return nil, placedBy(text, err)
	}
	stmt, err := s.chooseCatalog(ctx, &own)
	if err != nil {
		return nil, placedBy(text, err)
	}
	return &expandedStatement{stmt, text}, nil
}

// mayHaveNotation: statements inside others come here by themselves.
func (p *Prepared) mayHaveNotation() bool {
	switch p.class.Kind {
	case sqlfront.ClassSelect, sqlfront.ClassExplain, sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge, sqlfront.ClassCreate:
	case sqlfront.ClassCopy:
		if p.class.CopyStdio {
			return false
		}
	default:
		return false
	}
	return notation.MayHave(p.sql)
}

func (s *Session) notationEnv(p *Prepared) notation.Env {
	return notation.Env{
		Columns: func(ctx context.Context, query string) ([]rows.Column, error) {
			asked := &Prepared{session: s, sql: query, class: sqlfront.Classify(query)}
			if err := asked.permit(ctx); err != nil {
				return nil, err
			}
			if err := s.enter(ctx); err != nil {
				return nil, err
			}
			d, err := s.Describe(ctx, query, p.hints)
			if err != nil {
				return nil, err
			}
			return d.Columns, nil
		},
		Owns: func(ctx context.Context, name string) (bool, error) {
			f, err := s.catalogView().Function(ctx, name)
			return f.Redefined, err
		},
	}
}

// placedBy moves an error to its place in the user's text.
func placedBy(text *notation.Text, err error) error {
	e := *sqlerr.From(err)
	if e.Offset >= 0 {
		e.Offset = text.Offset(e.Offset)
	}
	return &e
}

// expandedStatement is a statement whose summations have been replaced.
type expandedStatement struct {
	statement
	text *notation.Text
}

func (x *expandedStatement) execute(ctx context.Context, args []Arg) (outcome, error) {
	out, err := x.statement.execute(ctx, args)
	if err != nil {
		return out, placedBy(x.text, err)
	}
	if out.cursor != nil {
		out.cursor = &explainedCursor{out.cursor, func(err error) error { return placedBy(x.text, err) }}
	}
	return out, nil
}
