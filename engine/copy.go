package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/copyfmt"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// copyStatement is COPY FROM STDIN or TO STDOUT, or of a file in Postgres' formats. The
// bytes are the wire's business: here rows come in as text (Result.Receive) or go out
// as those of any statement.
type copyStatement struct {
	session  *Session
	prepared *Prepared
	plan     copyfmt.Plan
	query    *Prepared // of COPY TO: what it reads
	insert   *copyInsert
}

// Copy is the plan of a COPY whose bytes the wire reads or writes; nil for other
// statements.
func (p *Prepared) Copy() *copyfmt.Plan {
	if c, ok := p.stmt.(*copyStatement); ok {
		return &c.plan
	}
	return nil
}

// ExecuteCopy starts a COPY with a plan: the Result of COPY FROM takes rows by Receive,
// that of COPY TO delivers them. Execute refuses both, for callers that know of neither.
func (p *Prepared) ExecuteCopy(ctx context.Context) (*Result, error) {
	p.streams = true
	defer func() { p.streams = false }()
	return p.Execute(ctx, nil)
}

func (c *copyStatement) params() []rows.Type    { return nil }
func (c *copyStatement) columns() []rows.Column { return nil }

func (c *copyStatement) close() error {
	if c.query != nil {
		return c.query.Close()
	}
	return nil
}

// prepareCopy makes the statement for COPY FROM STDIN and TO STDOUT and for files in
// Postgres' formats; nil: the file is one that DuckDB reads or writes.
func (s *Session) prepareCopy(ctx context.Context, p *Prepared) (statement, error) {
	parsed, err := sqlfront.ParseCopy(p.sql)
	if err != nil {
		return nil, err
	}
	switch {
	case parsed == nil:
		return nil, nil
	case parsed.Program:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "COPY to or from a program is not supported").
			WithHint(`Run the program on the client: psql's \copy and COPY .. FROM STDIN take its output.`)
	case !parsed.Stdio:
		if ours, err := s.copiesFile(parsed); !ours || err != nil {
			p.sql = asPostgresCSV(p.sql, parsed)
			return nil, err
		}
	}
	options, err := copyfmt.ParseOptions(parsed.Options, parsed.From)
	if err != nil {
		return nil, err
	}
	c := &copyStatement{session: s, prepared: p, plan: copyfmt.Plan{From: parsed.From, Path: parsed.Path, Options: options}}
	if n := len(parsed.Table); n > 0 {
		c.plan.Table = parsed.Table[n-1]
	}
	if parsed.From {
		err = c.prepareFrom(ctx, parsed)
	} else {
		err = c.prepareTo(ctx, parsed)
	}
	if err != nil {
		return nil, err
	}
	if err := options.Check(c.plan.Names()); err != nil {
		return nil, closeAfter(err, c.close)
	}
	return c, nil
}

// quoteName is a name of parts as SQL.
func quoteName(parts []string) string {
	quoted := make([]string, len(parts))
	for i, part := range parts {
		quoted[i] = load.Quote(part)
	}
	return strings.Join(quoted, ".")
}

// quoteList are names as a list in SQL.
func quoteList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = load.Quote(name)
	}
	return strings.Join(quoted, ", ")
}

// prepareTo prepares the query that is copied, as if it stood alone.
func (c *copyStatement) prepareTo(ctx context.Context, parsed *sqlfront.Copy) error {
	inner := &Prepared{session: c.session, sql: parsed.Query}
	offset := parsed.QueryOffset
	if parsed.Table != nil {
		list, err := c.readColumns(ctx, parsed)
		if err != nil {
			return err
		}
		inner.sql = "SELECT " + list + " FROM " + quoteName(parsed.Table)
		offset = -1
	}
	if err := refuseParams(inner.sql); err != nil {
		return shift(err, max(offset, 0))
	}
	inner.class = sqlfront.Classify(inner.sql)
	switch inner.class.Kind {
	case sqlfront.ClassSelect, sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge:
	default:
		return sqlerr.At(sqlerr.SyntaxError, parsed.QueryOffset, "COPY query must be a SELECT, INSERT, UPDATE or DELETE")
	}
	stmt, err := c.session.chooseText(ctx, inner)
	if err != nil {
		if offset < 0 {
			e := *sqlerr.From(err)
			e.Offset = -1
			return &e
		}
		return shift(err, offset)
	}
	inner.stmt, inner.stamp = stmt, c.session.stamp()
	c.query = inner
	if inner.cols, err = inner.withJSONB(ctx, stmt.columns()); err != nil {
		return closeAfter(err, c.close)
	}
	c.plan.Columns = inner.cols
	if len(c.plan.Columns) == 0 {
		err = sqlerr.New(sqlerr.FeatureNotSupported, "COPY query must have a RETURNING clause")
		return closeAfter(err, c.close)
	}
	return nil
}

// refuseParams is the error for the first parameter in a text of COPY, which has none.
func refuseParams(sql string) error {
	tokens, err := sqlfront.Tokens(sql)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if t.Kind == sqlfront.TokenParam {
			return sqlerr.At("42P02", t.Start, "there is no parameter %s", sql[t.Start:t.End]).WithHint("COPY takes no parameters.")
		}
	}
	return nil
}

// readColumns is the list of columns of COPY table TO: those named, or those that
// COPY FROM would take.
func (c *copyStatement) readColumns(ctx context.Context, parsed *sqlfront.Copy) (string, error) {
	if parsed.Columns != nil {
		return quoteList(parsed.Columns), checkTwice(parsed.Columns)
	}
	table, found, err := c.session.catalogView().Table(ctx, parsed.Table)
	if err != nil || !found || table.View || !table.Generated {
		return "*", err
	}
	columns, err := c.session.writable(ctx, quoteName(parsed.Table))
	if err != nil {
		return "", err
	}
	names := make([]string, len(columns))
	for i, col := range columns {
		names[i] = col.Name
	}
	return quoteList(names), nil
}

// checkTwice refuses a column that is named twice.
func checkTwice(names []string) error {
	for i, name := range names {
		for _, before := range names[:i] {
			if load.SameName(name, before) {
				return sqlerr.New("42701", "column %q specified more than once", name)
			}
		}
	}
	return nil
}

// execute starts the query, or opens the table for rows.
func (c *copyStatement) execute(ctx context.Context, _ []Arg) (outcome, error) {
	if !c.prepared.streams {
		return outcome{}, sqlerr.New(sqlerr.FeatureNotSupported, "COPY of STDIN and STDOUT, and of files in Postgres' formats, is only available over the wire").
			WithHint("In process, name a file with FORMAT csv or parquet, or use INSERT and SELECT.")
	}
	if c.plan.From {
		in, err := c.insert.open(ctx)
		if err != nil {
			return outcome{}, err
		}
		return outcome{cursor: in, tag: "COPY", affected: -1}, nil
	}
	out, err := c.query.stmt.execute(ctx, nil)
	out.cursor, out.tag, out.affected, out.countRows = c.query.described(out.cursor), "COPY", -1, true
	return out, err
}

// writable are the columns of a table that values can be given for.
func (s *Session) writable(ctx context.Context, table string) ([]rows.Column, error) {
	d, err := s.Describe(ctx, "SELECT * FROM "+table, nil)
	if err != nil {
		return nil, withoutPlace(err)
	}
	if s.accepts(ctx, table, d.Columns) == nil {
		return d.Columns, nil
	}
	var out []rows.Column
	for _, col := range d.Columns {
		err := s.accepts(ctx, table, []rows.Column{col})
		if err == nil {
			out = append(out, col)
		} else if !strings.Contains(err.Error(), "generated column") {
			return nil, withoutPlace(err)
		}
	}
	return out, nil
}

// accepts asks DuckDB whether rows of the columns can be inserted.
func (s *Session) accepts(ctx context.Context, table string, columns []rows.Column) error {
	names, nulls := make([]string, len(columns)), make([]string, len(columns))
	for i, col := range columns {
		names[i], nulls[i] = col.Name, "CAST(NULL AS "+col.Type.String()+")"
	}
	_, err := s.Describe(ctx, "INSERT INTO "+table+" ("+quoteList(names)+") SELECT "+strings.Join(nulls, ", "), nil)
	return err
}

// withoutPlace drops an error's offset, which counts in a text of ours.
func withoutPlace(err error) error {
	e := *sqlerr.From(err)
	e.Offset = -1
	return &e
}
