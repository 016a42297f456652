package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// Conflict is the ON CONFLICT of an INSERT in a form that only Postgres has: of a constraint by its
// name, or DO NOTHING of any.
type Conflict struct {
	// Table are the parts of the table's name.
	Table []string
	// Constraint is the name behind ON CONSTRAINT; empty: the clause is ON CONFLICT DO NOTHING.
	Constraint string
	// at is where the target stands, or the whole clause.
	at [2]int
}

// ParseConflict reads an INSERT; false: its ON CONFLICT names columns, or does something without them,
// or it has none.
func ParseConflict(sql string) (c Conflict, ok bool) {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	insert := f.next(0, f.end, "insert")
	into := f.next(insert, f.end, "into")
	for i := into + 1; ; i += 2 {
		if i >= f.end {
			return c, false
		}
		part, named := tokenName(sql, f.tokens[i])
		if !named {
			return c, false
		}
		if c.Table = append(c.Table, part); !f.is(i+1, ".") {
			break
		}
	}
	on := f.next(into, f.end, "on")
	switch {
	case on+5 < f.end && f.is(on+2, "on") && f.is(on+3, "constraint"):
		c.Constraint, ok = tokenName(sql, f.tokens[on+4])
		c.at = [2]int{f.tokens[on+2].start, f.tokens[on+4].end}
	case f.is(on+2, "do") && f.is(on+3, "nothing"):
		ok = true
		c.at = [2]int{f.tokens[on].start, f.tokens[on+3].end}
	}
	return c, ok
}

// OnColumns names the constraint's columns instead of it.
func (c Conflict) OnColumns(columns []string) Edits {
	names := slices.Clone(columns)
	for i, name := range names {
		names[i] = load.Quote(name)
	}
	return Edits{{Start: c.at[0], End: c.at[1], Place: c.at[0], Text: "(" + strings.Join(names, ", ") + ")"}}
}

// Without leaves the clause out.
func (c Conflict) Without() Edits { return Edits{{Start: c.at[0], End: c.at[1], Place: c.at[0]}} }
