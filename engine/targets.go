package engine

import (
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// targets is what a statement may write. Every table that a name may stand for
// is a target: naming one too many only costs a reload. Temporary tables need no versions:
// a statement that reads one reads it anew.
func (s *Session) targets(c sqlfront.Class) catalog.Targets {
	switch c.Kind {
	case sqlfront.ClassExecute:
		if n := s.named[c.Name]; n != nil {
			c = n.class
		}
	case sqlfront.ClassUse, sqlfront.ClassSet, sqlfront.ClassReset, sqlfront.ClassShow:
		return catalog.Targets{}
	case sqlfront.ClassDiscard: // what is temporary has no version
		return catalog.Targets{}
	}
	if c.Temp {
		return catalog.Targets{}
	}
	t := catalog.Targets{Unknown: c.WritesUnknown, Schema: c.Schema, Functions: c.Schema && !ofRelations(c)}
	for _, parts := range c.Writes {
		named := s.candidates(parts)
		t.Tables = append(t.Tables, named...)
		t.Unknown = t.Unknown || len(named) == 0
	}
	return t
}

// ofRelations reports whether DDL is of a kind that leaves functions alone.
func ofRelations(c sqlfront.Class) bool {
	switch c.Kind {
	case sqlfront.ClassCreate, sqlfront.ClassDrop, sqlfront.ClassAlter, sqlfront.ClassComment:
		return c.Object == "table" || c.Object == "view" || c.Object == "index"
	}
	return false
}

// candidates are the tables that name parts may stand for. Whether the search path is the
// served database's is not looked at twice: its default schema is among them always.
func (s *Session) candidates(parts []string) []load.Table {
	found := catalog.Candidates(s.own.path, parts)
	return append(found, catalog.Candidates(catalog.DefaultPath(), parts)...)
}
