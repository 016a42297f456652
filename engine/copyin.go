package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/copyfmt"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// copyRelation is the temporary table in which a batch of rows stands, as text or as
// values (plainBatch), until one INSERT has cast it; copyTable is its name in full, as SQL.
const (
	copyRelation = duckbackend.RelationPrefix + "copy"
	copyTable    = `temp.main."` + copyRelation + `"`
)

// copyInsert is what COPY FROM STDIN does with each batch.
type copyInsert struct {
	session *Session
	plan    *copyfmt.Plan
	// insert is the INSERT .. SELECT from copyRelation; fits the condition that all
	// values of a row fit, for ON_ERROR ignore, else empty.
	insert, fits string
}

// copyColumn names the column of copyRelation for the i-th column; copyDefault the
// one that is not NULL where the default is asked for.
func copyColumn(i int) string  { return fmt.Sprintf("c%d", i) }
func copyDefault(i int) string { return fmt.Sprintf("d%d", i) }

// prepareFrom finds the columns and writes the INSERT.
func (c *copyStatement) prepareFrom(ctx context.Context, parsed *sqlfront.Copy) error {
	table := quoteName(parsed.Table)
	if err := checkTwice(parsed.Columns); err != nil {
		return err
	}
	if parsed.Columns == nil {
		columns, err := c.session.writable(ctx, table)
		if err != nil {
			return err
		}
		c.plan.Columns = columns
	} else {
		d, err := c.session.Describe(ctx, "SELECT "+quoteList(parsed.Columns)+" FROM "+table, nil)
		if err != nil {
			return withoutPlace(err)
		}
		c.plan.Columns = d.Columns
	}
	if err := c.session.accepts(ctx, table, c.plan.Columns); err != nil { // also where it is a view
		return withoutPlace(err)
	}
	c.insert = &copyInsert{session: c.session, plan: &c.plan}
	return c.insert.write(ctx, table, parsed)
}

// write makes the INSERT.
func (in *copyInsert) write(ctx context.Context, table string, parsed *sqlfront.Copy) error {
	defaults, err := in.defaults(ctx, table)
	if err != nil {
		return err
	}
	var names, items, fits []string
	for i, col := range in.plan.Columns {
		value := copyColumn(i)
		cast := "CAST("
		if in.plan.Options.IgnoreErrors {
			cast = "TRY_CAST("
		}
		if col.Type.IsJSONList() { // a text that is cast to it at once is JSON itself
			value = cast + value + " AS VARCHAR[])"
		}
		if col.Type.ID != rows.Varchar {
			value = cast + value + " AS " + col.Type.String() + ")"
		}
		if in.plan.Options.IgnoreErrors && col.Type.ID != rows.Varchar {
			fits = append(fits, "("+copyColumn(i)+" IS NULL OR "+value+" IS NOT NULL)")
		}
		if in.plan.Options.HasDefault {
			value = "CASE WHEN " + copyDefault(i) + " IS NOT NULL THEN " + defaults[load.Fold(col.Name)] + " ELSE " + value + " END"
		}
		names = append(names, col.Name)
		items = append(items, value+" AS "+load.Quote(col.Name))
	}
	in.fits = strings.Join(fits, " AND ")
	source := "SELECT " + strings.Join(items, ", ") + " FROM " + copyTable
	if in.fits != "" {
		source += " WHERE " + in.fits
	}
	in.insert = "INSERT INTO " + table + " (" + quoteList(names) + ") " + source
	if parsed.Where == "" {
		return nil
	}
	if err := refuseParams(parsed.Where); err != nil {
		return shift(err, parsed.WhereOffset)
	}
	if err := mustBeWhole(parsed.Where); err != nil {
		return shift(err, parsed.WhereOffset)
	}
	// LIMIT keeps the condition out of the casts: a value that does not fit is an
	// error also in a row that the condition rejects.
	in.insert = "INSERT INTO " + table + " (" + quoteList(names) + ") SELECT * FROM (" + source + " LIMIT 9223372036854775807) AS " +
		load.Quote(in.plan.Table) + " WHERE (" + parsed.Where + "\n)"
	_, err = in.session.Describe(ctx, "SELECT 1 FROM "+table+" AS "+load.Quote(in.plan.Table)+" WHERE ("+parsed.Where+"\n)", nil)
	if err != nil {
		return withoutPlace(err)
	}
	return nil
}

// mustBeWhole is the error for a condition whose parentheses end what it is put into.
func mustBeWhole(condition string) error {
	tokens, err := sqlfront.Tokens(condition)
	if err != nil {
		return err
	}
	depth := 0
	for _, t := range tokens {
		switch condition[t.Start:t.End] {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth < 0 {
			return sqlerr.At(sqlerr.SyntaxError, t.Start, "syntax error at or near %q", ")")
		}
	}
	if depth > 0 {
		return sqlerr.At(sqlerr.SyntaxError, len(condition), "syntax error at end of input")
	}
	return nil
}

// defaults are the defaults of the table's columns as SQL, by lower-case name.
func (in *copyInsert) defaults(ctx context.Context, table string) (map[string]string, error) {
	if !in.plan.Options.HasDefault {
		return nil, nil
	}
	found := map[string]string{}
	err := in.session.access()(ctx, func(conn *duckbackend.Conn) error {
		cur, err := conn.Query(ctx, "SELECT name, coalesce(dflt_value, 'NULL') FROM pragma_table_info("+quoteText(table)+")")
		if err != nil {
			return withoutPlace(err)
		}
		for {
			b, err := cur.Next(ctx)
			if err != nil || b == nil {
				return errors.Join(err, cur.Close())
			}
			for i := range b.N {
				found[load.Fold(b.Cols[0].Str[i])] = "(" + b.Cols[1].Str[i] + ")"
			}
		}
	})
	return found, err
}

// open begins the transaction of the statement's own, if the session has none.
func (in *copyInsert) open(ctx context.Context) (*copyIn, error) {
	c := &copyIn{copyInsert: in}
	if in.session.tx.status == TxActive {
		return c, nil
	}
	if err := in.session.conn.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return nil, err
	}
	c.begun = true
	return c, nil
}

// copyIn is a COPY FROM STDIN under way: a cursor without rows whose Next ends it.
// Whoever closes it before has given it up.
type copyIn struct {
	*copyInsert
	begun   bool // the transaction is the statement's own, and open
	failed  bool
	written int64
	skipped int64
	// plain is the batch at hand as it is stored, in memory of the one before.
	plain rows.Batch
}

// Receive takes rows for COPY FROM STDIN, as text that is cast to the columns'
// types; skipped is how many rows the reader has left out. The statement has no
// effect before Next has returned nil. An error ends it.
func (r *Result) Receive(ctx context.Context, b *rows.Batch, skipped int64) (err error) {
	defer r.session.guard(&err)
	in, ok := r.out.cursor.(*copyIn)
	if !ok || r.done {
		return sqlerr.New(sqlerr.InternalError, "engine: rows for a statement that takes none")
	}
	stop := context.AfterFunc(ctx, func() { r.run.cancel(context.Cause(ctx)) })
	defer stop()
	in.skipped += skipped
	err = in.receive(r.run.ctx, b)
	if err == nil {
		return nil
	}
	err = r.session.fail(r.run.explain(err))
	r.failed = err
	r.finish(err)
	return err
}

// Running ends when the statement is cancelled or its time is up, which may be while
// nobody calls it; Stopped is the error then, with which it ends.
func (r *Result) Running() context.Context { return r.run.ctx }

// Stopped ends a statement whose Running has ended.
func (r *Result) Stopped() error {
	err := r.session.fail(r.run.explain(r.run.ctx.Err()))
	r.failed = err
	r.finish(err)
	return err
}

// receive inserts a batch.
func (c *copyIn) receive(ctx context.Context, b *rows.Batch) error {
	if b.N == 0 {
		return nil
	}
	err := c.insertBatch(ctx, b)
	if err != nil {
		c.failed = true
		err = c.locate(ctx, b, err)
	}
	return err
}

func (c *copyIn) insertBatch(ctx context.Context, b *rows.Batch) error {
	conn := c.session.conn
	if err := conn.MakeRelation(ctx, copyRelation, c.cursor(c.plainBatch(b))); err != nil {
		return err
	}
	if c.fits != "" {
		fitting, err := oneNumber(ctx, conn, "SELECT count(*) FROM "+copyTable+" WHERE "+c.fits)
		if err != nil {
			return err
		}
		c.skipped += int64(b.N) - fitting
	}
	cur, err := conn.Query(ctx, c.insert)
	if err != nil {
		return withoutPlace(err)
	}
	c.written += cur.Changed()
	if err := cur.Close(); err != nil {
		return err
	}
	return conn.DropRelation(ctx, copyRelation)
}

// oneNumber runs a query that returns one number, -1 for NULL.
func oneNumber(ctx context.Context, conn *duckbackend.Conn, sql string) (int64, error) {
	cur, err := conn.Query(ctx, sql)
	if err != nil {
		return 0, withoutPlace(err)
	}
	n := int64(-1)
	b, err := cur.Next(ctx)
	if b != nil && err == nil && !b.Cols[0].IsNull(0) {
		n = b.Cols[0].I64[0]
	}
	for b != nil && err == nil { // DuckDB rolls back what is not read to its end: numbers that were drawn
		b, err = cur.Next(ctx)
	}
	return n, errors.Join(err, cur.Close())
}

// cursor reads the batch once.
func (c *copyIn) cursor(b *rows.Batch) rows.Cursor {
	columns := make([]rows.Column, len(b.Cols))
	for i := range columns {
		name := copyColumn(i)
		if n := len(c.plan.Columns); i >= n {
			name = copyDefault(i - n)
		}
		columns[i] = rows.Column{Name: name, Type: b.Cols[i].Type}
	}
	return &oneBatch{cols: columns, batch: b}
}

// Columns are none: the client gets no rows.
func (c *copyIn) Columns() []rows.Column { return nil }

// Next commits what has been received.
func (c *copyIn) Next(ctx context.Context) (*rows.Batch, error) {
	if c.failed {
		return nil, sqlerr.New(sqlerr.FailedTransaction, "COPY has failed")
	}
	if c.skipped > 0 {
		were := "rows were"
		if c.skipped == 1 {
			were = "row was"
		}
		c.session.tell("00000", fmt.Sprintf("%d %s skipped due to data type incompatibility", c.skipped, were))
	}
	if !c.begun {
		return nil, nil
	}
	c.begun = false
	ctx = context.WithoutCancel(ctx) // only the answer to COMMIT tells what happened
	if err := c.session.conn.Exec(ctx, "COMMIT"); err != nil {
		return nil, errors.Join(err, c.session.leaveAborted(ctx))
	}
	return nil, nil
}

// Close rolls back what Next has not committed.
func (c *copyIn) Close() error {
	if !c.begun {
		return nil
	}
	c.begun = false
	return c.session.leaveAborted(context.Background())
}
