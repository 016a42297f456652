package engine

import (
	"context"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

// timed notes the time of an outcome that took so long to begin, when its last
// row has been delivered, or when it is cancelled. The time between rows is the client's.
func (d *decision) timed(out outcome, started time.Time, note, stopped func(time.Duration)) outcome {
	if d == nil || d.entry == nil && d.bind == nil {
		return out
	}
	return timedBy(out, started, note, stopped)
}

// timedBy is timed for an outcome that is noted in any case; stopped may be nil.
func timedBy(out outcome, started time.Time, note, stopped func(time.Duration)) outcome {
	took := time.Since(started)
	if out.cursor == nil {
		note(took)
	} else {
		out.cursor = &timedCursor{Cursor: out.cursor, took: took, note: note, stopped: stopped}
	}
	return out
}

// timedCursor measures the time in Next.
type timedCursor struct {
	rows.Cursor
	took          time.Duration
	note, stopped func(time.Duration) // nil: done
}

// Next returns the next batch.
func (c *timedCursor) Next(ctx context.Context) (*rows.Batch, error) {
	started := time.Now()
	b, err := c.Cursor.Next(ctx)
	c.took += time.Since(started)
	switch {
	case b == nil && err == nil && c.note != nil:
		c.note(c.took)
		c.note, c.stopped = nil, nil
	case err != nil && c.stopped != nil && isCanceled(err):
		c.stopped(c.took)
		c.note, c.stopped = nil, nil
	}
	return b, err
}

// begunCursor is a cursor whose first batch has been read.
type begunCursor struct {
	rows.Cursor
	first *rows.Batch
	held  bool
}

// Next returns the next batch, the one that is held first.
func (c *begunCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if c.held {
		c.held = false
		return c.first, nil
	}
	return c.Cursor.Next(ctx)
}
