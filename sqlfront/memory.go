package sqlfront

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// InMemory is a set of tables that are in the memory of whoever executes a query, not
// in the database.
type InMemory uint8

// WorkingTable is the rows that the step before in a Recursion has found, or all of
// them to the statement around it; RecurringTable is all rows so far. SessionTables are
// what a text names itself and the session's connection reads anew for each execution: its
// temporary tables, and files.
const (
	WorkingTable InMemory = 1 << iota
	RecurringTable
	SessionTables
)

// Name is the temporary table that a text reads one of these as.
func (m InMemory) Name() string {
	if m == RecurringTable {
		return "trireme_recurring"
	}
	return "trireme_working"
}

// SQL selects the rows of one of these.
func (m InMemory) SQL() string {
	return "SELECT * FROM " + load.Table{Catalog: "temp", Schema: "main", Name: m.Name()}.SQL()
}

// Held is a statement that may read tables in memory. For DuckDB, which is to describe
// it, common table expressions without rows stand for them.
type Held struct {
	SQL     string // empty: there is none
	Columns []rows.Column
	names   map[string]InMemory // of the common table expressions, folded
}

// Key tells statements apart: equal texts may read a table in memory or not.
func (h *Held) Key() string {
	if len(h.names) == 0 {
		return h.SQL
	}
	return fmt.Sprintf("%q\x00%s", h.names, h.SQL) // no text that is bound has a zero byte
}

// standIn is a common table expression in the place of rows that are in memory.
func standIn(name string, columns []rows.Column) cteText {
	var b strings.Builder
	b.WriteString(name + " AS (")
	writeNulls(&b, columns)
	b.WriteString(" LIMIT 0)")
	return cteText{name: NameOf(name), text: b.String(), names: namesOf(b.String())}
}

// mark says which common table expressions of a parsed statement stand for tables in
// memory.
func (h *Held) mark(sel *selectNode) {
	for i := range sel.with {
		if c := &sel.with[i]; h.names[fold(c.name)] != 0 {
			c.memory, c.held = h.names[fold(c.name)], h.Columns
		}
	}
}

// source is the rows in memory that a common table expression stands for.
func (c *cteNode) source(alias string) Source {
	return Source{Alias: alias, Text: c.memory.SQL(), Memory: c.memory, Columns: c.held}
}

// IsTable reports whether the rows of a source are those of one table in memory, as they
// are.
func (s *Source) IsTable(m InMemory) bool { return s.Memory == m && s.Text == m.SQL() }

// Memory are the tables in memory that a query reads.
func (q *Query) Memory() (m InMemory) {
	q.Walk(func(q *Query) {
		for _, s := range q.From {
			m |= s.Memory
		}
	})
	return m
}

// BaseTables appends the base tables that a query reads, those of texts among them, to
// others, each once.
func (q *Query) BaseTables(have []load.Table) []load.Table {
	q.Walk(func(q *Query) {
		for _, s := range q.From {
			tables := s.TextTables
			if s.Table != nil {
				tables = []load.Table{s.Table.Name}
			}
			for _, t := range tables {
				if !slices.Contains(have, t) {
					have = append(have, t)
				}
			}
		}
	})
	return have
}

// temporary is a source that reads a temporary table.
func temporary(t *Table, alias string) Source {
	return Source{Alias: alias, Text: "SELECT * FROM " + t.Name.SQL(), Memory: SessionTables, Columns: t.Columns}
}
