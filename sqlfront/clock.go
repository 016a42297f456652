package sqlfront

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
)

// Clock is a value that is the same for all of a transaction: the time at which that
// began, or its day.
type Clock struct {
	SQL string
	T   rows.Type
}

// clocks are the calls without arguments, and the names where no column has them, that
// give such a value, by what DuckDB is asked for it.
var (
	clockCalls = map[string]string{
		"now": "now()", "get_current_timestamp": "now()", "transaction_timestamp": "now()", "current_timestamp": "now()",
		"today": "current_date", "current_date": "current_date",
		// Of a session; in definitions.
		"trireme_current_user": "trireme_current_user()", "trireme_session_user": "trireme_session_user()", "trireme_current_role": "trireme_current_role()",
		"trireme_version": "trireme_version()", "trireme_backend_pid": "trireme_backend_pid()",
	}
	clockNames = map[string]string{"current_timestamp": "now()", "current_date": "current_date", "localtimestamp": "localtimestamp", "user": "trireme_current_user()"}
)

// clock is such a value: a parameter beyond those that the statement has, which whoever
// executes it has to give.
func (b *block) clock(sql string, cl clause) Expr {
	if cl == clauseGroup || cl == clauseOrder {
		refuse("volatile function ", sql)
	}
	first := len(b.description().Params) + 1
	n := slices.IndexFunc(b.clocks, func(c Clock) bool { return c.SQL == sql })
	if n < 0 {
		n = len(b.clocks)
		b.binder.clocks = append(b.clocks, Clock{SQL: sql, T: b.describeTypes("SELECT "+sql, 1)[0]})
	}
	return &Param{N: first + n, T: b.clocks[n].T}
}

// clockOrOuter is the clock of a name, or a column of a block around: DuckDB looks there last.
func (b *block) clockOrOuter(name string, cl clause, find func(*scope) *scopeColumn) Expr {
	if sql := clockNames[fold(name)]; sql != "" {
		return b.clock(sql, cl)
	}
	return b.outerColumn(name, find)
}
