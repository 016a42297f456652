package engine

import (
	"context"

	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// definedCalls is which definitions, by their names, call functions that not everybody may use:
// views, macros and tables with generated columns, themselves or through others. It is
// that of one version of the catalog.
type definedCalls struct {
	schema, functions uint64
	calls             map[string][]reachedCall
}

// reachedCall is a call in the definition of that name.
type reachedCall struct {
	sqlfront.NamedCall
	in string
}

// guarded reports whether not everybody may use a function.
func guarded(name string) bool {
	return closedFunctions[name] || serverFunctions[name] || writingFunctions[name] || textFunctions[name] || fileFunctions[name] || nameFunctions[name]
}

// permitReached refuses what a statement would call through the definitions that it names.
// Those that a session makes are looked at as statements of its own; but others made them
// who may do more, and a database may have been written without the server. A name may
// mean something else, a column for example, which is refused as well.
func (s *Session) permitReached(ctx context.Context, sql string, r roles.Rights) error {
	reached, err := s.engine.reachedNow(ctx)
	if err != nil || len(reached) == 0 {
		return err
	}
	names := sqlfront.MentionsOf(sql)
	for name, calls := range reached {
		if !names.Names[name] {
			continue
		}
		for _, call := range calls {
			if err := s.permitCallIn(ctx, call, r); err != nil {
				e := *sqlerr.From(err)
				e.Offset = -1
				e.Detail = "The definition of \"" + call.in + "\", which the statement names or reaches, calls it."
				return &e
			}
		}
	}
	return nil
}

// permitCallIn is permitNamed of a call in a definition. What a view reads is its maker's,
// and what a macro reads does not depend on who calls it.
func (s *Session) permitCallIn(ctx context.Context, call reachedCall, r roles.Rights) error {
	if nameFunctions[call.Name] && call.Paths == nil && s.engine.cfg.Confined && s.reachesFiles() {
		return sqlerr.New(insufficientPrivilege, "function %s takes only a plain string literal as the name of a table here", call.Name)
	}
	return s.permitNamed(ctx, call.NamedCall, r)
}

// reachedNow is for the catalog as it is now, without what only one session sees: it has
// made that itself.
func (e *Engine) reachedNow(ctx context.Context) (map[string][]reachedCall, error) {
	schema, stable := e.catalog.Versions.Schema()
	functions, stableFunctions := e.catalog.Versions.Functions()
	if kept := e.reached.Load(); kept != nil && kept.schema == schema && kept.functions == functions {
		return kept.calls, nil
	}
	definitions, err := e.catalog.Shared(e.withBinder).Definitions(ctx)
	if err != nil {
		return nil, err
	}
	now := &definedCalls{schema: schema, functions: functions, calls: reachedIn(definitions)}
	if stable && stableFunctions {
		e.reached.Store(now)
	}
	return now.calls, nil
}

// reachedIn finds the guarded calls of definitions, texts by their names in lower case.
func reachedIn(definitions map[string][]string) map[string][]reachedCall {
	direct, inner := map[string][]reachedCall{}, map[string][]string{}
	for name, texts := range definitions {
		for _, text := range texts {
			for _, call := range sqlfront.NamedCalls(text) {
				if guarded(call.Name) {
					direct[name] = append(direct[name], reachedCall{call, name})
				}
			}
		}
	}
	if len(direct) == 0 {
		return nil
	}
	for name, texts := range definitions {
		for _, text := range texts {
			m := sqlfront.MentionsOf(text)
			for other := range definitions {
				if other != name && m.Names[other] {
					inner[name] = append(inner[name], other)
				}
			}
		}
	}
	calls := map[string][]reachedCall{}
	for name := range definitions {
		seen := map[string]bool{name: true}
		for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
			calls[name] = append(calls[name], direct[queue[0]]...)
			for _, other := range inner[queue[0]] {
				if !seen[other] {
					seen[other] = true
					queue = append(queue, other)
				}
			}
		}
		if len(calls[name]) == 0 {
			delete(calls, name)
		}
	}
	return calls
}
