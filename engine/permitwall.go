package engine

import (
	"maps"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/roles"
)

// Texts tell early, and where, what a statement may not call. What it calls in fact DuckDB
// finds out when it binds the statement, whatever names it by whatever way: there the walls
// stand.

// calling says whether those with some rights may call a function with any arguments, or why not.
type calling uint8

const (
	callable calling = iota
	unavailable
	forAdmins
	forWriters
	opensFiles
)

func (e *Engine) calling(function string, r roles.Rights) calling {
	switch {
	case closedFunctions[function]:
		return unavailable
	case serverFunctions[function] && !seesPaths(r):
		return forAdmins
	case r.ReadOnly && writingFunctions[function]:
		return forWriters
	case e.cfg.Confined && fileFunctions[function] && len(e.cfg.Directories) == 0:
		return opensFiles // DuckDB lets everybody read the files of attached databases
	}
	return callable
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
		var refused []string
		for _, functions := range []map[string]bool{closedFunctions, serverFunctions, writingFunctions, fileFunctions} {
			for function := range functions {
				if e.calling(function, r) != callable && !statementFunctions[function] {
					refused = append(refused, function)
				}
			}
		}
		if !seesPaths(r) {
			refused = slices.AppendSeq(refused, maps.Keys(serverPragmas))
		}
		walls[r] = duckbackend.NewWall(refused, !seesPaths(r))
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
