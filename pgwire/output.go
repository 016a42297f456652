package pgwire

import (
	"context"
	"errors"
	"runtime/debug"
	"strconv"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// outputKeepBytes is the largest output buffer that a connection keeps.
const outputKeepBytes = 4 * flushBytes

// send appends a message to the output, and writes it where it is long: a client that does not
// read waits for itself, and the server holds no more for it. Where that fails, the connection
// ends as soon as what sends has returned (lost).
func (c *conn) send(msg pgproto3.BackendMessage) {
	out, err := msg.Encode(c.out)
	if err != nil {
		panic(invariant.Failed("pgwire: cannot encode %T: %v", msg, err))
	}
	c.out = out
	if len(c.out) >= flushBytes {
		_ = c.flush() // lost has it
	}
}

// flush writes the output to the socket, unless that has failed before.
func (c *conn) flush() error {
	if c.lost != nil {
		c.out = nil
	}
	if len(c.out) == 0 {
		return c.lost
	}
	c.writing.Lock()
	err := errGivenUp
	if !c.given {
		_, err = c.write(c.out)
	}
	c.writing.Unlock()
	if c.out = c.out[:0]; cap(c.out) > outputKeepBytes {
		c.out = nil
	}
	if err != nil {
		c.lost = &brokenError{err}
	}
	return c.lost
}

// errGivenUp ends the goroutine of a connection that another one has given up.
var errGivenUp = errors.New("the connection has been given up")

// sendNotices sends what the session has to say beside its results.
func (c *conn) sendNotices() {
	for _, n := range c.sess.Notices() {
		c.send(&pgproto3.NoticeResponse{
			Severity: n.Severity, SeverityUnlocalized: n.Severity, Code: n.Code, Message: cString(n.Message),
		})
	}
}

// ready says that the client may go on, and sends all output.
func (c *conn) ready() error {
	c.sendNotices()
	c.sendParameters(c.sess.Parameters())
	c.send(&pgproto3.ReadyForQuery{TxStatus: byte(c.sess.TxStatus())})
	c.idle = true
	return c.flush()
}

// enumBytes is the size of an enumeration's values in Postgres' tables.
const enumBytes = 4

// sendRowDescription describes columns; formats has one entry per column. Origins are
// as many or none.
func (c *conn) sendRowDescription(cols []rows.Column, formats []int16, origins []rows.Origin) {
	fields := make([]pgproto3.FieldDescription, len(cols))
	for i, col := range cols {
		w := wireTypeOf(col.Type)
		fields[i] = pgproto3.FieldDescription{
			Name: []byte(cString(col.Name)), DataTypeOID: w.oid, DataTypeSize: w.size, TypeModifier: w.typmod, Format: formats[i],
		}
		if origins != nil {
			fields[i].TableOID, fields[i].TableAttributeNumber = origins[i].Table, uint16(origins[i].Column)
			if origins[i].Type != 0 {
				fields[i].DataTypeOID, fields[i].DataTypeSize = origins[i].Type, enumBytes
			}
		}
	}
	c.send(&pgproto3.RowDescription{Fields: fields})
}

// originsOf are the origins of a statement's n columns, or none.
func originsOf(ctx context.Context, stmt Statement, n int) []rows.Origin {
	s, ok := stmt.(OriginStatement)
	if !ok {
		return nil
	}
	if origins := s.Origins(ctx); len(origins) == n {
		return origins
	}
	return nil
}

// sendComplete sends the command tag; affected is -1 where the tag has no count.
func (c *conn) sendComplete(tag string, affected int64) {
	text := []byte(tag)
	if affected >= 0 {
		text = strconv.AppendInt(append(text, ' '), affected, 10)
	}
	c.send(&pgproto3.CommandComplete{CommandTag: text})
}

func stack() string { return string(debug.Stack()) }
