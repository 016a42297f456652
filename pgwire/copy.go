package pgwire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/copyfmt"
	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// CopyStatement is a Statement that may be COPY FROM STDIN or TO STDOUT.
type CopyStatement interface {
	Statement
	// Copy is nil for other statements.
	Copy() *copyfmt.Plan
	// ExecuteCopy is Execute for one with a Plan. The Result of COPY TO delivers the
	// rows; that of COPY FROM is a CopyReceiver.
	ExecuteCopy(ctx context.Context) (Result, error)
}

// CopyReceiver is the Result of COPY FROM STDIN. Next, once, completes it; Close
// without Next gives it up.
type CopyReceiver interface {
	Result
	// Receive takes rows as text that is to be cast to the columns' types; a
	// *copyfmt.RowError says which one is wrong. Skipped is how many rows the reader
	// has left out for ON_ERROR ignore.
	Receive(ctx context.Context, b *rows.Batch, skipped int64) error
	// Running ends when the statement is cancelled or its time is up, also while the
	// client says nothing; Stopped ends the statement then, and is its error.
	Running() context.Context
	Stopped() error
}

// copyPlan is the plan of a COPY; nil for other statements.
func copyPlan(s Statement) *copyfmt.Plan {
	if c, ok := s.(CopyStatement); ok {
		return c.Copy()
	}
	return nil
}

// copy runs a COPY to its end.
func (c *conn) copy(ctx context.Context, p *portal, plan *copyfmt.Plan) error {
	if p.started {
		return sqlerr.New(codeNotInState, "portal %q cannot be run", p.name)
	}
	if err := c.drainActive(ctx); err != nil {
		return err
	}
	p.started = true
	res, err := p.of.stmt.(CopyStatement).ExecuteCopy(ctx)
	if err != nil {
		return err
	}
	p.res, c.active = res, p
	switch {
	case plan.From:
		err = c.copyIn(ctx, p, plan)
	case plan.Path != "":
		err = c.copyOutFile(ctx, p, plan)
	default:
		err = c.copyOut(ctx, p, plan)
	}
	if err != nil {
		return err
	}
	c.sendNotices()
	c.sendComplete(p.tag, p.affected)
	return nil
}

// copyFormats are the overall format and one format for each column, as
// CopyInResponse and CopyOutResponse state them.
func copyFormats(plan *copyfmt.Plan) (overall byte, codes []uint16) {
	codes = make([]uint16, len(plan.Columns))
	if plan.Options.Format != copyfmt.Binary {
		return 0, codes
	}
	for i := range codes {
		codes[i] = uint16(formatBinary)
	}
	return 1, codes
}

// copyIn reads rows from a file, or from the client up to CopyDone or CopyFail. What
// remains of the client's after an error is passed over by handle, like anything before
// Sync in the extended protocol.
func (c *conn) copyIn(ctx context.Context, p *portal, plan *copyfmt.Plan) error {
	to, ok := p.res.(CopyReceiver)
	if !ok {
		return sqlerr.New(sqlerr.InternalError, "a COPY FROM that takes no rows")
	}
	reader, err := copyfmt.NewReader(plan.Options, copyTarget(plan))
	if err != nil {
		return err
	}
	c.unwatch() // from here on the client's bytes are read, or watched a batch at a time
	in := &copyInput{conn: c, reader: reader, to: to, claim: claim{on: &c.srv.account}}
	defer in.claim.free()
	if plan.Path != "" {
		err = in.readFile(ctx, plan.Path)
	} else {
		err = in.readClient(ctx, plan)
	}
	if err != nil {
		return err
	}
	return c.watched(func() error {
		if _, err := to.Next(ctx); err != nil {
			return err
		}
		return c.finish(p)
	})
}

// watched runs f, during which nothing is read, and interrupts it when the client
// leaves.
func (c *conn) watched(f func() error) error {
	defer c.inbox.watch(c.interrupt)()
	return f()
}

// copyInput moves what the client sends, or a file holds, to a statement.
type copyInput struct {
	conn    *conn
	reader  *copyfmt.Reader
	to      CopyReceiver
	skipped int64 // told to the receiver
	claim   claim // for what the reader holds
}

func (in *copyInput) readClient(ctx context.Context, plan *copyfmt.Plan) error {
	overall, codes := copyFormats(plan)
	in.conn.send(&pgproto3.CopyInResponse{OverallFormat: overall, ColumnFormatCodes: codes})
	if err := in.conn.flush(); err != nil {
		return err
	}
	for {
		msg, err := in.conn.receiveUnless(in.to.Running())
		if err != nil {
			return in.interrupted(ctx, err)
		}
		switch m := msg.(type) {
		case *pgproto3.CopyData:
			if err := in.add(ctx, m.Data); err != nil {
				return err
			}
			forget(m)
		case *pgproto3.CopyDone:
			return in.end(ctx)
		case *pgproto3.CopyFail:
			return sqlerr.New(sqlerr.QueryCanceled, "COPY from stdin failed: %s", m.Message)
		case *pgproto3.Flush, *pgproto3.Sync: // clients may have sent them with Execute
		case *pgproto3.Terminate:
			return &brokenError{io.ErrUnexpectedEOF}
		default:
			return sqlerr.New(sqlerr.ProtocolViolation, "unexpected message %s during COPY from stdin", strings.TrimPrefix(fmt.Sprintf("%T", msg), "*pgproto3.")).
				WithHint("Only CopyData, CopyDone and CopyFail may be sent until the copying ends.")
		}
	}
}

// interrupted is the error of a COPY whose next message has not come: its statement's
// own where that ran out of time, and not the connection.
func (in *copyInput) interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil && in.to.Running().Err() != nil && errors.Is(err, context.Canceled) {
		return in.to.Stopped()
	}
	return err
}

func (in *copyInput) add(ctx context.Context, data []byte) error {
	if err := in.claim.set(in.reader.Held() + len(data)); err != nil {
		return err
	}
	if err := in.reader.Add(data); err != nil {
		return err
	}
	if err := in.move(ctx); err != nil {
		return err
	}
	return in.claim.set(in.reader.Held())
}

// end delivers what remains when nothing follows.
func (in *copyInput) end(ctx context.Context) error {
	in.reader.End()
	if err := in.move(ctx); err != nil {
		return err
	}
	return in.deliver(ctx)
}

// move delivers all full batches. The rows before one that cannot be read come
// first: they may have an error of their own.
func (in *copyInput) move(ctx context.Context) error {
	for {
		full, err := in.reader.Scan()
		if err != nil {
			if derr := in.deliver(ctx); derr != nil {
				return derr
			}
			return err
		}
		if !full {
			return nil
		}
		if err := in.deliver(ctx); err != nil {
			return err
		}
	}
}

// deliver gives the rows read to the statement.
func (in *copyInput) deliver(ctx context.Context) error {
	skipped := in.reader.Skipped() - in.skipped
	if in.reader.Rows() == 0 && skipped == 0 {
		return nil
	}
	in.skipped += skipped
	err := in.conn.watched(func() error { return in.to.Receive(ctx, in.reader.Batch(), skipped) })
	if err != nil {
		return in.placed(err)
	}
	in.reader.Reset()
	return nil
}

// placed says where the row stood that an error is about.
func (in *copyInput) placed(err error) error {
	var at *copyfmt.RowError
	if !errors.As(err, &at) {
		return err
	}
	e := *sqlerr.From(at.Err)
	if at.Row >= 0 {
		e.Context = in.reader.Context(at.Row, at.Column)
	} else {
		e.Context = in.reader.BatchContext()
	}
	return &e
}

// receiveUnless is receive, which the end of ctx interrupts.
func (c *conn) receiveUnless(ctx context.Context) (pgproto3.FrontendMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		c.inbox.interruptWatch(true)
	})
	msg, err := c.receive()
	if stop() {
		return msg, err
	}
	<-interrupted
	if c.inbox.isDraining() {
		return msg, err
	}
	c.inbox.interruptWatch(false)
	if err != nil && errors.Is(c.inbox.failed, os.ErrDeadlineExceeded) {
		c.inbox.failed = nil
		return nil, ctx.Err()
	}
	return msg, err
}

// copyTarget is what the reader has to know of the columns.
func copyTarget(plan *copyfmt.Plan) copyfmt.Target {
	t := copyfmt.Target{Table: plan.Table, Columns: plan.Names()}
	for _, col := range plan.Columns {
		if plan.Options.Format == copyfmt.Binary {
			t.Convert = append(t.Convert, binaryField(col.Type))
		} else {
			t.Convert = append(t.Convert, textField(col.Type))
		}
	}
	return t
}

// binaryField reads the binary format of a type as DuckDB's text.
func binaryField(t rows.Type) copyfmt.Convert {
	decode, known := binaryDecoder(wireTypeOf(t).oid)
	return func(dst, data []byte) ([]byte, error) {
		if !known {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "no binary format for type %s", t).WithHint("Use the text format.")
		}
		text, ok := data, true
		if t.ID != rows.Varchar {
			text, ok = decode(dst, data)
		}
		if !ok {
			return nil, sqlerr.New(sqlerr.InvalidBinary, "incorrect binary data format")
		}
		if !utf8.Valid(text) {
			return nil, copyfmt.BadEncoding(text)
		}
		return text, nil
	}
}

// textField spells a field as DuckDB does, where Postgres spells it otherwise; nil:
// nowhere.
func textField(t rows.Type) copyfmt.Convert {
	switch t.ID {
	case rows.Blob:
		return func(dst, data []byte) ([]byte, error) {
			raw, ok := pgtext.ParseBytea(string(data))
			if !ok {
				return nil, sqlerr.New(sqlerr.InvalidText, "invalid input syntax for type bytea")
			}
			return append(dst, pgtext.Blob(raw)...), nil
		}
	case rows.Boolean, rows.Interval:
		return spelled(t.ID)
	case rows.Date, rows.Timestamp, rows.TimestampS, rows.TimestampMS, rows.TimestampNS, rows.TimestampTZ:
		return spelled(rows.Timestamp)
	case rows.List, rows.Array:
		return arrayField(t)
	}
	return nil
}

// spelled spells the texts of a type.
func spelled(id rows.TypeID) copyfmt.Convert {
	return func(dst, data []byte) ([]byte, error) {
		if isSpelled(id, data) {
			return data, nil
		}
		text, _ := pgtext.Spell(id, string(data))
		return append(dst, text...), nil
	}
}

// isSpelled reports whether a text is known at a glance to be spelled as DuckDB does:
// most are.
func isSpelled(id rows.TypeID, data []byte) bool {
	switch id {
	case rows.Boolean:
		return string(data) == "t" || string(data) == "f"
	case rows.Timestamp: // what is before the common era ends otherwise
		return len(data) > 0 && data[len(data)-1]-'0' <= 9
	}
	return false
}

// arrayField spells Postgres's text of an array as DuckDB's of a list. What is no
// such array is left for DuckDB to read, as its own text of a list is.
func arrayField(t rows.Type) copyfmt.Convert {
	item, ok := elementType(t)
	if !ok {
		return nil
	}
	oid := arrayOIDs[wireTypeOf(item).oid]
	return func(dst, data []byte) ([]byte, error) {
		if list, ok := decodeArrayText(oid, string(data)); ok {
			return append(dst, list...), nil
		}
		return data, nil
	}
}

// eachRow calls do for every row of the portal's result, and stops at its first error.
func (p *portal) eachRow(ctx context.Context, do func(b *rows.Batch, row int) error) error {
	for {
		b, err := p.res.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		for row := range b.N {
			if err := do(b, row); err != nil {
				return err
			}
		}
	}
}

// copyOut sends a result as CopyData, one message a row.
func (c *conn) copyOut(ctx context.Context, p *portal, plan *copyfmt.Plan) error {
	w, err := newCopyWriter(plan, c.style())
	if err != nil {
		return err
	}
	head, own, err := w.Header(nil)
	if err != nil {
		return err
	}
	overall, codes := copyFormats(plan)
	c.send(&pgproto3.CopyOutResponse{OverallFormat: overall, ColumnFormatCodes: codes})
	if own {
		c.send(&pgproto3.CopyData{Data: head})
		head = nil
	}
	w.head = head
	err = p.eachRow(ctx, func(b *rows.Batch, row int) (err error) {
		if c.out, err = w.appendMessage(c.out, b, row); err == nil && len(c.out) >= flushBytes {
			err = c.flush()
		}
		return err
	})
	if err != nil {
		return err
	}
	if end := w.Trailer(w.head); len(end) > 0 {
		c.send(&pgproto3.CopyData{Data: end})
	}
	c.send(&pgproto3.CopyDone{})
	return c.finish(p)
}

// copyWriter appends rows as CopyData messages.
type copyWriter struct {
	*copyfmt.Writer
	cols []appender
	// plain: the values of a column never hold a byte that a format has to hide.
	plain []bool
	head  []byte // what the first message begins with
}

func newCopyWriter(plan *copyfmt.Plan, style textStyle) (*copyWriter, error) {
	inner, err := copyfmt.NewWriter(plan.Options, plan.Names())
	if err != nil {
		return nil, err
	}
	w := &copyWriter{Writer: inner, plain: make([]bool, len(plan.Columns))}
	style.keepsNanos = true // which what is read again must have
	for i, col := range plan.Columns {
		if plan.Options.Format == copyfmt.Binary {
			w.cols = append(w.cols, binaryAppender(col.Type))
			continue
		}
		w.cols = append(w.cols, textAppender(col.Type, style))
		w.plain[i] = (col.Type.IsInteger() || col.Type.ID == rows.Decimal) && inner.PlainNumbers(i)
	}
	return w, nil
}

// appendMessage appends a row as one message.
func (w *copyWriter) appendMessage(dst []byte, b *rows.Batch, row int) ([]byte, error) {
	start := len(dst)
	dst = append(dst, 'd', 0, 0, 0, 0)
	if w.head != nil {
		dst = append(dst, w.head...)
		w.head = nil
	}
	dst, err := w.appendRow(dst, b, row)
	if err != nil {
		return dst[:start], err
	}
	binary.BigEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-1))
	return dst, nil
}

// appendRow appends a row. After an error a part of it may be there.
func (w *copyWriter) appendRow(dst []byte, b *rows.Batch, row int) ([]byte, error) {
	begin := len(dst)
	dst = w.BeginRow(dst)
	var err error
	for i, add := range w.cols {
		dst = w.BeginField(dst, i)
		v := &b.Cols[i]
		if v.IsNull(row) {
			dst = w.NullField(dst)
			continue
		}
		at := len(dst)
		if dst, err = add(dst, v, row); err != nil {
			return dst, err
		}
		if !w.plain[i] {
			dst = w.EndField(dst, at, i)
		}
		if len(dst)-begin > rowBytesMax {
			return dst, sqlerr.New(codeLimitExceeded, "row is longer than %d bytes", rowBytesMax)
		}
	}
	return w.EndRow(dst, begin)
}
