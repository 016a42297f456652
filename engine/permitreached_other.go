//go:build !linux || duckdb_use_lib

package engine

import (
	"context"

	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// permitReached refuses what a statement would call through the views, macros and generated
// columns that it names, since no wall stands before that here. Those that a session makes are
// looked at as statements of its own; but others made them who may do more, and a database may
// have been written without the server. A name may mean something else, a column for example,
// which is refused as well.
func (s *Session) permitReached(ctx context.Context, sql string, r roles.Rights) error {
	definitions, err := s.engine.catalog.Shared(s.engine.withBinder).Definitions(ctx)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for texts := []definition{{text: sql}}; len(texts) > 0; texts = texts[1:] {
		if texts[0].name != "" {
			inner, err := s.permitDefinition(ctx, texts[0], r)
			if err != nil {
				return err
			}
			texts = append(texts, inner...)
		}
		for name := range sqlfront.MentionsOf(texts[0].text).Names {
			if named[name] {
				continue
			}
			named[name] = true
			for _, text := range definitions[name] {
				texts = append(texts, definition{name, text})
			}
		}
	}
	return nil
}

// definition is the text of what has a name.
type definition struct{ name, text string }

// permitDefinition is permitNamed of the calls in a definition, but for the texts that they run,
// which it returns. What a view reads is its maker's, and what a macro reads does not depend
// on who calls it.
func (s *Session) permitDefinition(ctx context.Context, d definition, r roles.Rights) (runs []definition, err error) {
	for _, call := range sqlfront.NamedCalls(d.text) {
		switch {
		case textFunctions[call.Name] && call.Literal:
			runs = append(runs, definition{d.name, call.Text})
			continue
		case nameFunctions[call.Name] && call.Paths == nil && s.engine.cfg.Confined && s.reachesFiles():
			err = sqlerr.New(insufficientPrivilege, "function %s takes only a plain string literal as the name of a table here", call.Name)
		default:
			err = s.permitNamed(ctx, call, r)
		}
		if err != nil {
			e := *sqlerr.From(err)
			e.Offset = -1
			e.Detail = "The definition of \"" + d.name + "\", which the statement names or reaches, calls it."
			return nil, &e
		}
	}
	return runs, nil
}
