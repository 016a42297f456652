package copyfmt

import "github.com/trireme-db/trireme/internal/rows"

// Plan is what the wire has to know of a COPY whose bytes it reads or writes.
type Plan struct {
	From bool
	// Path is the server's file that is copied; empty: STDIN or STDOUT.
	Path    string
	Options Options
	// Table is the name that errors give.
	Table   string
	Columns []rows.Column
}

// Names are the columns' names.
func (p *Plan) Names() []string {
	names := make([]string, len(p.Columns))
	for i, col := range p.Columns {
		names[i] = col.Name
	}
	return names
}

// RowError is an error in a row of a batch. Row and Column are negative where it
// is not known.
type RowError struct {
	Row, Column int
	Err         error
}

// Error returns the error's text.
func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *RowError) Unwrap() error { return e.Err }
