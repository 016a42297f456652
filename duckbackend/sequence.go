package duckbackend

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TakeDrawn returns the sequences of which the connection has drawn numbers since the last call, by
// their oids. DuckDB logs those numbers when the transaction commits, and only then. It is nil
// where that is not known (NotesDrawn).
func (c *Conn) TakeDrawn() (sequences []uint64) { return c.takeDrawn() }

// LogSequences logs how far sequences have counted, without drawing a number. The names are
// texts of SQL, as nextval takes them. It is done when the transaction of the connection commits, or, where
// there is none, at once.
func (c *Conn) LogSequences(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	done, err := c.logging(func() error { return c.ExecOwn(ctx, "SELECT nextval("+strings.Join(names, "), nextval(")+")") })
	if !done {
		return errNoMemoryForSequence()
	}
	return err
}

// NoteDrawn makes a number the one that currval of a sequence says on the connection.
func (c *Conn) NoteDrawn(sequence uint64, number int64) error {
	if !c.noteDrawn(sequence, number) {
		return errNoMemoryForSequence()
	}
	return nil
}

// ForgetNumbers lets currval say that the connection has drawn no numbers.
func (c *Conn) ForgetNumbers() { c.forgetNumbers() }

func errNoMemoryForSequence() error {
	return sqlerr.New(sqlerr.OutOfMemory, "there is no memory for what is noted of a sequence")
}
