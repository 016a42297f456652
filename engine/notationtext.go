package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/notation"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// chooseText makes the statement for a text, with SQL in place of Einstein
// summations.
func (s *Session) chooseText(ctx context.Context, p *Prepared) (statement, error) {
	env, err := p.notationEnv(ctx)
	if err != nil {
		return nil, err
	}
	if env == nil {
		return s.chooseCatalog(ctx, p)
	}
	text, err := notation.Expand(ctx, p.sql, *env)
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

// notationEnv is what the text of a statement is expanded with; nil: there is nothing
// in it to be expanded. Statements inside others come here by themselves.
func (p *Prepared) notationEnv(ctx context.Context) (*notation.Env, error) {
	switch p.class.Kind {
	case sqlfront.ClassSelect, sqlfront.ClassExplain, sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge, sqlfront.ClassCreate:
	case sqlfront.ClassCopy:
		if p.class.CopyStdio {
			return nil, nil
		}
	default:
		return nil, nil
	}
	s := p.session
	mayHave := notation.MayHave(p.sql)
	if !mayHave && !readsTable(p.sql) {
		return nil, nil
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	views, err := s.catalogView().Programs(ctx)
	if err != nil || len(views) == 0 && !mayHave {
		return nil, err
	}
	env := s.notationOf(p.hints)
	if len(views) > 0 && (p.class.Kind != sqlfront.ClassCreate || p.class.Object != "view") { // a view goes on reading others
		env.View = func(ctx context.Context, parts []string) (string, []string, error) {
			return s.programView(ctx, views, parts)
		}
	}
	return &env, nil
}

// readsTable reports whether a text may read a table: a quick look for FROM and USING.
func readsTable(sql string) bool {
	for i := range sql {
		switch sql[i] | 0x20 {
		case 'f':
			if len(sql)-i >= len("from") && strings.EqualFold(sql[i:i+len("from")], "from") {
				return true
			}
		case 'u':
			if len(sql)-i >= len("using") && strings.EqualFold(sql[i:i+len("using")], "using") {
				return true
			}
		}
	}
	return false
}

// programView is the SELECT of a view with programs in it. In another schema its names
// may mean something else than here.
func (s *Session) programView(ctx context.Context, views map[load.Table]bool, parts []string) (body string, columns []string, err error) {
	t, ok, err := s.catalogView().Table(ctx, parts)
	if err != nil || !ok || !views[t.Name.Folded()] || t.Name.Schema != catalog.DefaultSchema || s.isPrivate() && !slices.Equal(s.own.path, catalog.DefaultPath()) {
		return "", nil, err
	}
	for _, c := range t.Columns {
		columns = append(columns, c.Name)
	}
	return t.ViewSQL, columns, nil
}

// notationOf is what calls are expanded with, given the types of the parameters.
func (s *Session) notationOf(hints []rows.Type) notation.Env {
	return notation.Env{
		Columns: func(ctx context.Context, query string) ([]rows.Column, error) {
			asked := &Prepared{session: s, sql: query, class: sqlfront.Classify(query)}
			if err := asked.permit(ctx); err != nil {
				return nil, err
			}
			if err := s.enter(ctx); err != nil {
				return nil, err
			}
			d, err := s.Describe(ctx, query, hints)
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

// describe describes a form of the statement with SQL in place of its calls, which
// DuckDB does not know.
func (p *Prepared) describe(ctx context.Context, sql string, params []rows.Type) (sqlfront.Description, error) {
	if !notation.MayHave(sql) {
		return p.session.describeCatalog(ctx, sql, params)
	}
	text, err := notation.Expand(ctx, sql, p.session.notationOf(p.hints))
	if err != nil {
		return sqlfront.Description{}, err
	}
	d, err := p.session.describeCatalog(ctx, text.SQL, params)
	if err != nil {
		err = placedBy(text, err)
	}
	return d, err
}

// expanded is a form of the statement as DuckDB knows all of it.
func (p *Prepared) expanded(ctx context.Context, sql string) (string, error) {
	if notation.MayHave(sql) {
		text, err := notation.Expand(ctx, sql, p.session.notationOf(p.hints))
		if err != nil {
			return "", err
		}
		sql = text.SQL
	}
	sql, err := p.session.withJSON(ctx, sql)
	if err != nil {
		return "", err
	}
	text, err := p.session.inCatalog(ctx, sql, p.hints)
	return text.SQL, err
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
