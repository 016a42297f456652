package engine

import (
	"context"
	"math"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// fetch is FETCH or MOVE.
type fetch struct {
	session *Session
	name    string
	how     sqlfront.Cursor
	cols    []rows.Column
	binary  bool
}

// prepareFetch describes the rows of the cursor, if it is there already.
func (s *Session) prepareFetch(c sqlfront.Class) statement {
	f := &fetch{session: s, name: c.Name, how: *c.Cursor}
	if cur := s.cursors[c.Name]; cur != nil && !f.how.Move {
		f.cols, f.binary = cur.columns, cur.declared.Binary
	}
	return f
}

func (*fetch) params() []rows.Type      { return nil }
func (f *fetch) columns() []rows.Column { return f.cols }
func (*fetch) close() error             { return nil }

func (f *fetch) execute(ctx context.Context, _ []Arg) (outcome, error) {
	c, err := f.session.cursorNamed(f.name)
	if err != nil {
		return outcome{}, err
	}
	if err := c.finishPending(ctx); err != nil {
		return outcome{}, err
	}
	if f.how.Move && f.how.All && f.how.Count < 0 && !c.declared.Scroll {
		passed, err := c.rewind(ctx)
		return outcome{tag: "MOVE", affected: passed}, err
	}
	plan, err := f.plan(ctx, c)
	if err != nil {
		return outcome{}, err
	}
	if !f.how.Move {
		return outcome{cursor: plan, tag: "FETCH", countRows: true, affected: -1}, nil
	}
	if f.how.Count == 0 && f.how.From == sqlfront.FromHere && !f.how.All {
		return outcome{tag: "MOVE", affected: plan.left}, nil
	}
	moved, err := plan.passOver(ctx)
	return outcome{tag: "MOVE", affected: moved}, err
}

// plan moves the cursor to where the rows begin, and says how many follow.
func (f *fetch) plan(ctx context.Context, c *sqlCursor) (*fetching, error) {
	how, from := f.how, c.position
	switch {
	case how.From == sqlfront.FromStart:
		return c.planRow(ctx, how.Count, how.Count < 0)
	case how.From == sqlfront.FromHereOne:
		if how.Count == 0 {
			return c.planHere(ctx, f.how.Move)
		}
		return c.planRow(ctx, max(0, saturated(from, how.Count)), false)
	case how.All:
		how.Count = math.MaxInt64 * how.Count
	case how.Count == 0:
		return c.planHere(ctx, f.how.Move)
	}
	if how.Count < 0 {
		if err := c.mustScroll(); err != nil {
			return nil, err
		}
		return &fetching{of: c, left: -how.Count, back: true}, nil
	}
	return &fetching{of: c, left: how.Count}, nil
}

// saturated is a sum of two numbers, the first of which is not negative.
func saturated(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

func (c *sqlCursor) mustScroll() error {
	if c.declared.Scroll {
		return nil
	}
	return sqlerr.New(sqlerr.NotInState, "cursor can only scan forward").
		WithHint("Declare it with SCROLL option to enable backward scan.")
}

// planHere delivers the present row again.
func (c *sqlCursor) planHere(ctx context.Context, move bool) (*fetching, error) {
	none := &fetching{of: c}
	if c.position == 0 {
		return none, nil
	}
	if !c.declared.Scroll && !move && !c.isAfterLast() {
		return nil, c.mustScroll()
	}
	if c.isAfterLast() {
		return none, nil
	}
	if !move {
		c.position--
	}
	return &fetching{of: c, left: 1}, ctx.Err()
}

// isAfterLast reports whether the cursor has passed its last row.
func (c *sqlCursor) isAfterLast() bool {
	return c.stream == nil && c.position > c.storeFirst+c.store.rows
}

// planRow goes to one row and delivers it: row n from the start, or from the end
// where n is negative.
func (c *sqlCursor) planRow(ctx context.Context, n int64, fromEnd bool) (*fetching, error) {
	if fromEnd || n <= c.position && c.position > 0 {
		if err := c.mustScroll(); err != nil {
			return nil, err
		}
	}
	if fromEnd {
		count, err := c.count(ctx)
		if err != nil {
			return nil, err
		}
		n += count + 1
	}
	if n <= 0 {
		c.position = 0
		return &fetching{of: c}, nil
	}
	if n <= c.position {
		c.position = n - 1
	}
	skip := &fetching{of: c, left: n - 1 - c.position}
	if _, err := skip.passOver(ctx); err != nil {
		return nil, err
	}
	if c.position < n-1 || c.isAfterLast() {
		return &fetching{of: c}, nil
	}
	return &fetching{of: c, left: 1}, nil
}

// fetching delivers the rows of one FETCH; it is a rows.Cursor.
type fetching struct {
	of   *sqlCursor
	left int64
	back bool
}

// Columns returns the cursor's columns.
func (f *fetching) Columns() []rows.Column { return f.of.columns }

// Next returns the next rows.
func (f *fetching) Next(ctx context.Context) (*rows.Batch, error) {
	if f.left <= 0 {
		return nil, nil
	}
	if f.of.session.cursors[f.of.name] != f.of {
		return nil, sqlerr.New(sqlerr.UndefinedPortal, "cursor %q was closed while its rows were being fetched", f.of.name)
	}
	var b *rows.Batch
	var err error
	if f.back {
		b, err = f.of.backward(ctx, f.left)
	} else {
		b, err = f.of.forward(ctx, f.left)
	}
	if b == nil || err != nil {
		f.left = 0
		return nil, err
	}
	f.left -= int64(b.N)
	return b, nil
}

// Close leaves the rows that nobody read to the next FETCH, which passes them over.
func (f *fetching) Close() error {
	if f.left > 0 {
		f.of.pending = f
	}
	return nil
}

// passOver counts the rows without delivering them.
func (f *fetching) passOver(ctx context.Context) (int64, error) {
	passed := int64(0)
	for {
		b, err := f.Next(ctx)
		if b == nil || err != nil {
			return passed, err
		}
		passed += int64(b.N)
	}
}

// finishPending moves to where the last FETCH would have ended.
func (c *sqlCursor) finishPending(ctx context.Context) error {
	f := c.pending
	if f == nil {
		return nil
	}
	c.pending = nil
	_, err := f.passOver(ctx)
	return err
}
