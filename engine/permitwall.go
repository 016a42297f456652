package engine

import (
	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Texts tell early, and where, what a statement may not call. What it calls in fact DuckDB
// finds out when it binds the statement, whatever names it by whatever way: there the walls
// stand.

// refusal is the error for calling a function, with whatever arguments and by whatever way, with
// some rights; nil: it may be called.
func (e *Engine) refusal(function string, r roles.Rights) error {
	hint := ""
	switch {
	case function == duckbackend.MergeOnce:
		return sqlerr.New(insufficientPrivilege, "function %s is the server's own", function)
	case closedFunctions[function]:
		return sqlerr.New(insufficientPrivilege, "function %s is not available on this server", function)
	case e.cfg.Confined && fileFunctions[function] && len(e.cfg.Directories) == 0: // DuckDB lets everybody read the files of attached databases
		return sqlerr.From(closed("function " + function)).WithHint(hintFiles)
	case serverFunctions[function] && !seesPaths(r):
		hint = hintAdmin
	case r.ReadOnly && writingFunctions[function]:
		hint = hintReadOnly
	default:
		return nil
	}
	return sqlerr.New(insufficientPrivilege, "permission denied for function %s", function).WithHint("%s", hint)
}

// statementFunctions are called by what DuckDB makes of a statement that is looked at by
// itself: COPY FROM DATABASE, whose changes permitChange permits. Nothing that is defined can
// call them.
var statementFunctions = map[string]bool{"copy_database": true}

// makeWalls makes the walls before all that some rights refuse.
func (e *Engine) makeWalls() map[roles.Rights]*duckbackend.Wall {
	walls := map[roles.Rights]*duckbackend.Wall{}
	for _, r := range []roles.Rights{{}, {Admin: true}, {ReadOnly: true}, {Admin: true, ReadOnly: true}} {
		if r == (roles.Rights{Admin: true}) && !e.cfg.Confined {
			continue
		}
		refused := map[string]error{}
		for _, functions := range []map[string]bool{closedFunctions, serverFunctions, writingFunctions, fileFunctions} {
			for function := range functions {
				if err := e.refusal(function, r); err != nil && !statementFunctions[function] {
					refused[function] = err
				}
			}
		}
		var hidden error
		if !seesPaths(r) {
			hidden = sqlerr.New(insufficientPrivilege, "permission denied to examine a setting that is a path or a secret").WithHint("%s", hintPaths)
			for pragma := range serverPragmas {
				refused[pragma] = sqlerr.New(insufficientPrivilege, "permission denied for PRAGMA %s, which concerns all sessions", pragma).WithHint("%s", hintAdmin)
			}
		}
		walls[r] = duckbackend.NewWall(refused, hidden)
	}
	return walls
}

// wall is what stands before a statement of the session that begins now. What was bound
// with other rights is bound again. A role that is gone has the least.
func (s *Session) wall() *duckbackend.Wall {
	r, err := s.rights()
	if err != nil {
		r = roles.Rights{ReadOnly: true}
	}
	if r != s.behind {
		s.behind = r
		s.generation++
	}
	return s.engine.walls[r]
}
