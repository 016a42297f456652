package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// acting is the class of the statement that a statement executes.
func (s *Session) acting(c sqlfront.Class) sqlfront.Class {
	if named := s.statementNamed(c.Name); c.Kind == sqlfront.ClassExecute && named != nil {
		c = named.class
	}
	if c.Kind == sqlfront.ClassExplain && (c.WritesUnknown || len(c.Writes) > 0) {
		unknown := c.WritesUnknown
		c = sqlfront.Classify(c.Body)
		c.WritesUnknown = unknown
	}
	return c
}

// targets is what a statement may write, as acting has it. Temporary tables need no versions: a
// statement that reads one reads it anew.
func (s *Session) targets(ctx context.Context, c sqlfront.Class) (catalog.Targets, error) {
	switch c.Kind {
	case sqlfront.ClassUse, sqlfront.ClassSet, sqlfront.ClassReset, sqlfront.ClassShow:
		return catalog.Targets{}, nil
	case sqlfront.ClassDiscard: // what is temporary has no version
		return catalog.Targets{}, nil
	}
	if c.Temp {
		return catalog.Targets{}, nil
	}
	t := catalog.Targets{Unknown: c.WritesUnknown, Schema: c.Schema, Functions: c.Schema && !keepsFunctions(c)}
	for i, parts := range c.Writes {
		named, err := s.written(ctx, c, parts)
		if err != nil {
			return t, err
		}
		t.Tables = append(t.Tables, named...)
		if i > 0 || len(c.RenamedTo) == 0 {
			continue
		}
		for _, old := range named {
			old.Name = c.RenamedTo[len(c.RenamedTo)-1]
			t.Tables = append(t.Tables, old)
		}
	}
	return t, nil
}

// announce adds what the statement that runs turns out to write to what it has announced.
func (s *Session) announce(t catalog.Targets) {
	write := s.tx.write
	if s.tx.status != TxActive {
		write = s.intent.Write()
	}
	write.Add(t)
}

// keepsFunctions reports whether DDL is of a kind that leaves functions alone.
func keepsFunctions(c sqlfront.Class) bool {
	switch c.Kind {
	case sqlfront.ClassComment:
		return true
	case sqlfront.ClassCreate, sqlfront.ClassDrop, sqlfront.ClassAlter:
	default:
		return false
	}
	switch c.Object {
	case "table", "view", "index", "sequence":
		return true
	case "schema":
		return !c.Cascades && !c.WritesUnknown
	}
	return false
}

// written are the tables that a name means to a statement that writes them: that in which DuckDB
// finds it, and those where it looks before. None is found where it is temporary.
func (s *Session) written(ctx context.Context, c sqlfront.Class, parts []string) ([]load.Table, error) {
	if c.Object == "index" { // of a table that is there
		c.Kind = sqlfront.ClassAlter
	}
	name := parts[len(parts)-1]
	inSchema, inDatabase := placesOn(s.own.path, c, parts[:len(parts)-1])
	if !s.own.objects && !s.own.otherPath {
		inSchema = slices.DeleteFunc(inSchema, func(p catalog.Schema) bool { return p.Catalog == catalog.Temporary })
	}
	var tables []load.Table
	for i, p := range inSchema {
		t := load.Table{Catalog: p.Catalog, Schema: p.Name, Name: name}
		temporary := p.Catalog == catalog.Temporary
		there := false
		if temporary || i < len(inSchema)-1 {
			var err error
			if there, err = s.isThere(ctx, t); err != nil {
				return nil, err
			}
		}
		if !temporary {
			tables = append(tables, t)
		}
		if there && temporary {
			return tables, nil
		}
		if there {
			break
		}
	}
	for _, p := range inDatabase {
		if p.Catalog != catalog.Temporary {
			tables = append(tables, load.Table{Catalog: p.Catalog, Schema: p.Name, Name: name})
		}
	}
	return tables, nil
}

// isThere reports whether the session is known to see a table or view: where it cannot tell, as of a view
// that cannot be bound, what is behind it may be meant as well.
func (s *Session) isThere(ctx context.Context, t load.Table) (bool, error) {
	_, err := s.conn.Describe(ctx, "SELECT 1 FROM "+t.SQL(), nil)
	if err != nil && ctx.Err() != nil {
		return false, err
	}
	return err == nil, nil
}
