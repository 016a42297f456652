package pgwire

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// extended answers one message of the extended protocol.
func (c *conn) extended(msg pgproto3.FrontendMessage) error {
	switch m := msg.(type) {
	case *pgproto3.Parse:
		return c.parse(m)
	case *pgproto3.Bind:
		return c.bind(m)
	case *pgproto3.Describe:
		return c.describe(m)
	case *pgproto3.Execute:
		return c.execute(m.Portal, int(int32(m.MaxRows)))
	case *pgproto3.Close:
		return c.close(m)
	default:
		return fatalf(sqlerr.ProtocolViolation, "unexpected message %T", msg)
	}
}

// parse prepares a statement under a name; the unnamed one may be replaced.
func (c *conn) parse(m *pgproto3.Parse) error {
	if m.Name == "" {
		c.dropStatement("")
	} else if err := c.mustBeNew(m.Name); err != nil {
		return err
	}
	if !utf8.ValidString(m.Query) || !utf8.ValidString(m.Name) {
		return badUTF8()
	}
	if m.Name != "" {
		if err := errors.Join(admitName(m.Name), c.admitStatement(len(m.Query))); err != nil {
			return err
		}
	}
	if err := c.claimTexts(len(m.Query)); err != nil {
		return err
	}
	var stmt Statement
	err := c.runOnce(func(ctx context.Context) (err error) {
		if err := c.drainActive(ctx); err != nil {
			return err
		}
		stmt, err = c.sess.Prepare(ctx, m.Query, typesOf(m.ParameterOIDs))
		return err
	})
	if err != nil {
		_ = c.claimTexts(-len(m.Query)) // never fails
		return &statementError{err, m.Query, 0}
	}
	s, err := c.newPrepared(stmt, m.Query, m.ParameterOIDs)
	if err != nil {
		_ = c.claimTexts(-len(m.Query)) // never fails
		return err
	}
	s.claimed = len(m.Query)
	if err = c.claimTexts(s.bytes() - len(m.Query)); err == nil {
		s.claimed = s.bytes()
	}
	if err == nil && m.Name != "" {
		err = c.admitStatement(s.bytes())
	}
	if err != nil {
		c.unref(s)
		return err
	}
	c.stmts[m.Name] = s
	c.stmtBytes += s.bytes()
	c.send(&pgproto3.ParseComplete{})
	return nil
}

// bind makes a portal of a statement and parameter values.
func (c *conn) bind(m *pgproto3.Bind) error {
	s, err := c.statement(m.PreparedStatement)
	if err != nil {
		return err
	}
	defer c.unref(s)
	if m.DestinationPortal != "" && c.portals[m.DestinationPortal] != nil {
		return sqlerr.New(codeDuplicatePortal, "portal %q already exists", m.DestinationPortal)
	}
	if len(m.Parameters) != len(s.paramOIDs) {
		return sqlerr.New(sqlerr.ProtocolViolation, "bind message supplies %d parameters, but prepared statement %q requires %d",
			len(m.Parameters), m.PreparedStatement, len(s.paramOIDs))
	}
	paramFormats, ok := formatsOf(m.ParameterFormatCodes, len(m.Parameters))
	if !ok {
		return sqlerr.New(sqlerr.ProtocolViolation, "bind message has %d bad parameter formats for %d parameters",
			len(m.ParameterFormatCodes), len(m.Parameters))
	}
	formats, ok := formatsOf(m.ResultFormatCodes, len(s.cols))
	if !ok {
		return sqlerr.New(sqlerr.ProtocolViolation, "bind message has %d bad result formats but query has %d columns",
			len(m.ResultFormatCodes), len(s.cols))
	}
	p := &portal{name: m.DestinationPortal, of: s, formats: formats, args: make([]Value, len(m.Parameters))}
	p.argBytes = portalArgumentBytes*len(m.Parameters) + portalColumnBytes*len(s.cols)
	for _, data := range m.Parameters {
		p.argBytes += len(data)
	}
	if err := c.admitPortal(p); err != nil {
		return err
	}
	p.claim.on = &c.srv.account
	if err := p.claim.set(p.argBytes); err != nil {
		return err
	}
	for i, data := range m.Parameters {
		format := paramFormats[i]
		if s.readOIDs[i] != s.paramOIDs[i] {
			format = formatText // of a text both formats are the same
		}
		v, err := decodeParam(i+1, s.readOIDs[i], format, data)
		if err != nil {
			p.claim.free()
			return err
		}
		p.args[i] = v
	}
	if len(s.cols) > 0 {
		p.enc = newRowEncoder(s.cols, formats, c.style())
	}
	c.addPortal(p)
	c.send(&pgproto3.BindComplete{})
	return nil
}

// formatsOf spreads the format codes of Bind over n values: none means text,
// one means all. It reports false for any other mismatch and for unknown codes.
func formatsOf(codes []int16, n int) ([]int16, bool) {
	if len(codes) > 1 && len(codes) != n {
		return nil, false
	}
	formats := make([]int16, n)
	for i := range formats {
		switch len(codes) {
		case 0:
		case 1:
			formats[i] = codes[0]
		default:
			formats[i] = codes[i]
		}
	}
	for _, f := range codes {
		if f != formatText && f != formatBinary {
			return nil, false
		}
	}
	return formats, true
}

func noStatement(name string) error {
	if name == "" {
		return sqlerr.New(sqlerr.UndefinedPrepared, "unnamed prepared statement does not exist")
	}
	return sqlerr.New(sqlerr.UndefinedPrepared, "prepared statement %q does not exist", name)
}

func noPortal(name string) error {
	return sqlerr.New(sqlerr.UndefinedPortal, "portal %q does not exist", name)
}

// describe tells the parameters and columns of a statement, or the columns of
// a portal.
func (c *conn) describe(m *pgproto3.Describe) error {
	switch m.ObjectType {
	case 'S':
		s, err := c.statement(m.Name)
		if err != nil {
			return err
		}
		defer c.unref(s)
		c.send(&pgproto3.ParameterDescription{ParameterOIDs: s.paramOIDs})
		c.sendColumns(s.cols, make([]int16, len(s.cols)), originsOf(c.ctx, s.stmt, len(s.cols)))
	case 'P':
		p := c.portals[m.Name]
		if p == nil {
			return c.describeCursor(m.Name)
		}
		c.sendColumns(p.of.cols, p.formats, originsOf(c.ctx, p.of.stmt, len(p.of.cols)))
	default:
		return fatalf(sqlerr.ProtocolViolation, "invalid DESCRIBE message subtype %d", m.ObjectType)
	}
	return nil
}

// describeCursor describes a cursor of SQL in place of a portal.
func (c *conn) describeCursor(name string) error {
	s, ok := c.sess.(CursorSharer)
	if !ok {
		return noPortal(name)
	}
	cols, binary, ok := s.Cursor(name)
	if !ok {
		return noPortal(name)
	}
	c.sendColumns(cols, sameFormat(binary, len(cols)), nil)
	return nil
}

// sameFormat is one format for n columns.
func sameFormat(binary bool, n int) []int16 {
	formats := make([]int16, n)
	for i := range formats {
		if binary {
			formats[i] = formatBinary
		}
	}
	return formats
}

func (c *conn) sendColumns(cols []rows.Column, formats []int16, origins []rows.Origin) {
	if len(cols) == 0 {
		c.send(&pgproto3.NoData{})
		return
	}
	c.sendRowDescription(cols, formats, origins)
}

// execute runs a portal, or goes on with it, for up to rowsMax rows (0: all).
func (c *conn) execute(name string, rowsMax int) error {
	p := c.portals[name]
	if p == nil {
		return noPortal(name)
	}
	if p.of.stmt.Empty() {
		c.send(&pgproto3.EmptyQueryResponse{})
		return nil
	}
	if p.started && p.enc == nil {
		return sqlerr.New(codeNotInState, "portal %q cannot be run", name)
	}
	before := c.sess.TxStatus()
	if p.started && before == TxFailed {
		return sqlerr.New(sqlerr.FailedTransaction, "current transaction is aborted, commands ignored until end of transaction block")
	}
	grouped, err := c.groups(p, before)
	if err != nil {
		return err
	}
	err = c.run(p.ctx, p.cancel, func(ctx context.Context) error {
		return c.executeIn(ctx, p, rowsMax, grouped)
	})
	if err != nil {
		p.broken = true
		return &statementError{err, p.of.text, 0}
	}
	c.closeReturned(p)
	if before != TxIdle && c.sess.TxStatus() == TxIdle {
		c.closeOtherPortals(p)
	}
	return nil
}

func (c *conn) executeIn(ctx context.Context, p *portal, rowsMax int, grouped bool) error {
	if grouped {
		if err := c.drainActive(ctx); err != nil {
			return err
		}
		if err := c.beginGroup(ctx); err != nil {
			return err
		}
	}
	if plan := copyPlan(p.of.stmt); plan != nil {
		return c.copy(ctx, p, plan)
	}
	if !p.started {
		if err := c.start(ctx, p); err != nil {
			return err
		}
		columns := p.res.Columns()
		if !sameTypes(p.of.cols, columns) {
			return sqlerr.OtherResult()
		}
		if p.enc != nil && !slices.Equal(p.of.cols, columns) {
			p.enc = newRowEncoder(columns, p.formats, c.style())
		}
	}
	sent, ended, err := c.fetch(ctx, p, rowsMax)
	if err != nil {
		return err
	}
	c.sendNotices()
	c.sendEnd(p, sent, ended)
	return nil
}

// groups reports whether the statement that p starts needs BeginImplicit: it
// does where the client pipelines more than this statement up to Sync. To see
// that, the messages after Execute are read, which a client that has sent
// neither Sync nor Flush may not mind. Of many messages some follow that are not Sync.
func (c *conn) groups(p *portal, status TxStatus) (bool, error) {
	if p.started || status != TxIdle {
		return false, nil
	}
	if c.group {
		return true, nil
	}
	for {
		msg, err := c.be.Receive()
		if err != nil {
			return false, c.readError(err)
		}
		if m, ok := msg.(*pgproto3.Close); ok && len(c.ahead) < closesAhead && len(m.Name) <= nameBytesMax {
			c.ahead = append(c.ahead, &pgproto3.Close{ObjectType: m.ObjectType, Name: m.Name})
			continue
		}
		c.ahead = append(c.ahead, msg)
		_, last := msg.(*pgproto3.Sync)
		return !last, nil
	}
}

// close closes a statement or a portal; what does not exist is closed already.
func (c *conn) close(m *pgproto3.Close) error {
	switch m.ObjectType {
	case 'S':
		if err := c.closeStatement(m.Name); err != nil {
			return err
		}
	case 'P':
		if err := c.closeCursor(m.Name); err != nil {
			return err
		}
		if err := c.settle(c.portals[m.Name]); err != nil {
			return err
		}
		c.closePortal(m.Name, nil)
	default:
		return fatalf(sqlerr.ProtocolViolation, "invalid CLOSE message subtype %d", m.ObjectType)
	}
	c.send(&pgproto3.CloseComplete{})
	return nil
}

// settle closes the result of a portal that the client has done with, if it is open: what the
// statement has written may be committed only now.
func (c *conn) settle(p *portal) error {
	if p == nil || p.res == nil {
		return nil
	}
	return c.runOnce(func(context.Context) error { return c.closeResult(p, nil) })
}

// closeCursor closes the cursor of SQL that has the name, if there is one and no
// portal has it.
func (c *conn) closeCursor(name string) error {
	s, ok := c.sess.(CursorSharer)
	if !ok || c.portals[name] != nil {
		return nil
	}
	if _, _, ok := s.Cursor(name); !ok {
		return nil
	}
	return s.CloseCursor(name)
}

// sync ends the group of messages and the implicit transaction with it.
func (c *conn) sync() error {
	if c.sess.TxStatus() == TxIdle && !c.group {
		if err := c.settle(c.active); err != nil {
			if err := c.report(err); err != nil {
				return err
			}
		}
	}
	c.endOfTransaction()
	if c.group {
		err := c.runOnce(func(ctx context.Context) error {
			// The group may have turned into an explicit transaction, which keeps
			// its portals.
			if err := c.drainActive(ctx); err != nil {
				return err
			}
			return c.endGroup(ctx, true)
		})
		if err != nil {
			if err := c.report(err); err != nil {
				return err
			}
		}
	}
	c.endOfTransaction()
	return c.ready()
}
