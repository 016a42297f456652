package pgwire

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// simpleQuery answers a Query message: each statement in turn, the first error
// ending the rest, then ReadyForQuery.
func (c *conn) simpleQuery(sql string) error {
	c.closePortal("", nil)
	c.dropStatement("")
	err := c.runOnce(func(ctx context.Context) error {
		return c.simpleStatements(ctx, sql)
	})
	if err != nil {
		if err := c.report(err); err != nil {
			return err
		}
	}
	c.endOfTransaction()
	return c.ready()
}

// runOnce runs f under a context that lives as long as the message.
func (c *conn) runOnce(f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	return c.run(ctx, cancel, f)
}

// endOfTransaction drops the portals that no explicit transaction keeps alive.
func (c *conn) endOfTransaction() {
	if c.sess.TxStatus() == TxIdle {
		c.closePortals(nil)
	}
}

func (c *conn) simpleStatements(ctx context.Context, sql string) error {
	if !utf8.ValidString(sql) {
		return badUTF8()
	}
	if err := c.drainActive(ctx); err != nil {
		return err
	}
	statements, err := c.sess.Split(sql)
	if err != nil {
		return &statementError{err, sql, 0}
	}
	if len(statements) == 0 {
		c.send(&pgproto3.EmptyQueryResponse{})
	}
	for _, s := range statements {
		text := sql[s.Start:s.End]
		if len(text) < len(sql)/2 {
			text = strings.Clone(text) // what is kept of the statement does not hold the others
		}
		if err := c.simpleStatement(ctx, text, len(statements) > 1); err != nil {
			return &statementError{err, sql, s.Start}
		}
	}
	return c.endGroup(ctx, true)
}

// simpleStatement runs one statement of a simple query and sends its result as
// text. With several statements it runs inside the implicit transaction.
func (c *conn) simpleStatement(ctx context.Context, text string, several bool) (err error) {
	if (several || c.group) && c.sess.TxStatus() == TxIdle {
		if err := c.beginGroup(ctx); err != nil {
			return err
		}
	}
	stmt, err := c.sess.Prepare(ctx, text, nil)
	if err != nil {
		return err
	}
	p := &portal{of: &prepared{stmt: stmt, refs: 1}, cancel: func() {}, drained: backlog{share: c.spilled}}
	defer func() { c.release(p, err) }()
	if stmt.Empty() {
		if !several {
			c.send(&pgproto3.EmptyQueryResponse{})
		}
		return nil
	}
	if n := len(stmt.Params()); n > 0 {
		return sqlerr.New(codeUndefinedParameter, "there is no parameter $%d", n).
			WithHint("A query that is sent as text alone has no parameters: bind them by the extended protocol, or PREPARE the statement.")
	}
	if plan := copyPlan(stmt); plan != nil {
		return c.copy(ctx, p, plan)
	}
	if err := c.start(ctx, p); err != nil {
		return err
	}
	if cols := p.res.Columns(); len(cols) > 0 {
		if err := checkWidth("columns", len(cols), columnsMax); err != nil {
			return err
		}
		b, ok := stmt.(BinaryStatement)
		p.formats = sameFormat(ok && b.Binary(), len(cols))
		p.enc = newRowEncoder(cols, p.formats, c.style())
		c.sendRowDescription(cols, p.formats, originsOf(ctx, stmt, len(cols)))
	}
	_, _, err = c.fetch(ctx, p, 0)
	if err != nil {
		return err
	}
	c.closeReturned(p)
	c.sendNotices()
	c.sendComplete(p.tag, p.affected)
	return c.lost
}
