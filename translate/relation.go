package translate

import (
	"fmt"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Relation is what is executed on its own: a derived table, as a statement of
// this fragment, or SQL that DuckDB executes as it is.
type Relation struct {
	Table   load.Table // Catalog is RelationCatalog, Name is unique in the Result
	Query   *sqlfront.Query
	SQL     string            // with Query nil; may have the statement's parameters
	Memory  sqlfront.InMemory // tables in memory that SQL or Query reads
	Tables  []load.Table      // other tables that SQL reads, each once
	Columns []rows.Column
}

// IsTable reports whether its rows are those of a table in memory.
func (r *Relation) IsTable(m sqlfront.InMemory) bool {
	return r.Query == nil && r.Memory == m && r.SQL == m.SQL()
}

// RelationCatalog marks the tables that are Relations.
const RelationCatalog = "trireme_relation"

// Lasting reports whether the relation has the same rows as long as its tables do: it is SQL
// that reads nothing else.
func (r *Relation) Lasting() bool {
	return r.Query == nil && r.Memory == 0 && !load.UsesParams(r.SQL)
}

// relation registers a source that is executed on its own.
func (t *translator) relation(f sqlfront.Source) load.Table {
	rel := Relation{Query: f.Query, SQL: f.Text, Memory: wholeSource(f).Memory(), Columns: f.Columns}
	var id any = f.Query
	switch {
	case f.Program != nil:
		rel.Query, rel.SQL, id = f.Program, "", f.Program
	case f.Text != "":
		id = f.Text
	case len(f.Bag) > 0 || f.Query.Plain():
		rel.Query, rel.SQL = nil, sqlfront.PrintQuery(wholeSource(f))
		id = rel.SQL
	}
	if rel.Query == nil {
		rel.Tables = wholeSource(f).BaseTables(nil)
	}
	rel.Table = t.relationTable(id)
	for _, known := range t.relations {
		if known.Table == rel.Table {
			return rel.Table
		}
	}
	t.relations = append(t.relations, rel)
	return rel.Table
}

// relationTable is the name of the relation that id stands for.
func (t *translator) relationTable(id any) load.Table {
	name, ok := t.relationNames[id]
	if !ok {
		name = fmt.Sprintf("relation_%d", len(t.relationNames)+1)
		t.relationNames[id] = name
	}
	return load.Table{Catalog: RelationCatalog, Name: name}
}

// wholeSource selects all columns of a source.
func wholeSource(f sqlfront.Source) *sqlfront.Query {
	q := &sqlfront.Query{From: []sqlfront.Source{f}, Columns: f.Columns}
	for i, c := range f.Columns {
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: &sqlfront.ColumnRef{Column: i, Name: c.Name, T: c.Type}, Name: c.Name})
	}
	return q
}
