package engine

import (
	"context"

	"github.com/trireme-db/trireme/internal/rows"
)

// utility is a statement that the session answers itself: transaction control
// and settings. It binds nothing, so it never needs to be bound again.
type utility struct {
	run func(ctx context.Context) (tag string, err error)
	// show gives the value of the one row; nil: no rows.
	show func() string
	name string // of the column, with show
	// keeps: it does not use the connection, or sees to cursors itself, so that their
	// streams may stay as they are.
	keeps bool
}

func (u *utility) params() []rows.Type { return nil }
func (u *utility) close() error        { return nil }

func (u *utility) columns() []rows.Column {
	if u.show == nil {
		return nil
	}
	return textColumn(u.name)
}

func (u *utility) execute(ctx context.Context, _ []Arg) (outcome, error) {
	if u.show != nil {
		return outcome{cursor: newTextCursor(u.name, []string{u.show()}), tag: "SHOW", affected: -1}, nil
	}
	tag, err := u.run(ctx)
	return outcome{tag: tag, affected: -1}, err
}

func textColumn(name string) []rows.Column {
	return []rows.Column{{Name: name, Type: rows.Type{ID: rows.Varchar}}}
}

// textCursor delivers one column of text.
type textCursor struct {
	cols  []rows.Column
	lines []string
}

func newTextCursor(name string, lines []string) *textCursor {
	return &textCursor{cols: textColumn(name), lines: lines}
}

// Columns returns the one column.
func (c *textCursor) Columns() []rows.Column { return c.cols }

// Next returns all rows at once.
func (c *textCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if len(c.lines) == 0 {
		return nil, ctx.Err()
	}
	b := &rows.Batch{N: len(c.lines), Cols: []rows.Vector{{Type: c.cols[0].Type, Str: c.lines}}}
	c.lines = nil
	return b, ctx.Err()
}

// Close does nothing.
func (c *textCursor) Close() error { return nil }
