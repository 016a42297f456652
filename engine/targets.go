package engine

import (
	"github.com/trireme-db/trireme/duckbackend"
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

// candidates are the tables of all databases that name parts may stand for.
func (s *Session) candidates(parts []string) []load.Table {
	const served, main = duckbackend.CatalogName, catalog.DefaultSchema
	table := func(catalog, schema, name string) load.Table {
		return load.Table{Catalog: catalog, Schema: schema, Name: name}
	}
	switch len(parts) {
	case 1:
		found := []load.Table{table(served, main, parts[0])}
		for _, p := range s.own.path {
			found = append(found, table(p.Catalog, p.Name, parts[0]))
			if p.Catalog != served {
				found = append(found, table(served, p.Name, parts[0]))
			}
		}
		return found
	case 2:
		return []load.Table{table(served, parts[0], parts[1]), table(served, main, parts[1]), table(parts[0], main, parts[1])}
	case 3:
		return []load.Table{table(served, parts[1], parts[2]), table(parts[0], parts[1], parts[2])}
	default:
		return nil
	}
}
