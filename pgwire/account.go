package pgwire

import (
	"sync/atomic"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// account counts bytes that the server holds for all clients together. One is for what
// they are sending: the bodies of long messages, the rows of COPY that are not complete,
// texts of prepared statements, arguments of portals. Another is for what they are to
// read, and may never read: the rows that each result has fetched last.
type account struct {
	bytesMax int64
	held     atomic.Int64
	// of and hint say in errors what is held, and what the client can do.
	of, hint string
}

// shareBytes is what a message, a COPY, a statement, a portal or a result may take without its being
// counted: much less than a connection takes.
const shareBytes = 64 << 10

// claim is a part of an account.
type claim struct {
	on    *account
	bytes int64
}

// set makes the claim one of n bytes, or fails with 53200 and leaves it as it is.
func (c *claim) set(n int) error {
	bytes := int64(n)
	if n <= shareBytes {
		bytes = 0
	}
	more := bytes - c.bytes
	if held := c.on.held.Add(more); more > 0 && held > c.on.bytesMax {
		c.on.held.Add(-more)
		return sqlerr.New(sqlerr.OutOfMemory, "the server has no memory for %d bytes %s: it holds %d of the %d that it may hold for all clients",
			n, c.on.of, held-more, c.on.bytesMax).WithHint("%s", c.on.hint)
	}
	c.bytes = bytes
	return nil
}

// free gives the claim up.
func (c *claim) free() {
	if c.bytes == 0 {
		return
	}
	c.on.held.Add(-c.bytes)
	c.bytes = 0
}
