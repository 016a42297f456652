package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// explainOther is EXPLAIN of a statement that is not ours, with DuckDB's plan as it is
// shown for ours. DuckDB does not know Postgres' options.
type explainOther struct {
	*duckStatement
	json bool
	// shift is how far the explained text stands before its place in the user's.
	shift int
}

func (s *Session) prepareExplainOther(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	head := "EXPLAIN "
	switch {
	case c.Analyze && c.JSON:
		head = "EXPLAIN (ANALYZE, FORMAT JSON) "
	case c.Analyze:
		head = "EXPLAIN ANALYZE "
	case c.JSON:
		head = "EXPLAIN (FORMAT JSON) "
	}
	own := *p
	own.sql = head + c.Body
	own.class = sqlfront.Classify(own.sql)
	moved := c.Offset - len(head)
	stmt, err := s.prepareDuck(ctx, &own)
	if err != nil {
		return nil, shift(err, moved)
	}
	return &explainOther{stmt.(*duckStatement), c.JSON, moved}, nil
}

func (e *explainOther) columns() []rows.Column { return planColumns(e.json) }

func (e *explainOther) execute(ctx context.Context, args []Arg) (out outcome, err error) {
	out, err = e.duckStatement.execute(ctx, args)
	if err != nil {
		return outcome{}, shift(err, e.shift)
	}
	var plans []string
	for {
		b, err := out.cursor.Next(ctx)
		if err != nil {
			return outcome{}, errors.Join(shift(err, e.shift), out.cursor.Close())
		}
		if b == nil {
			break
		}
		for i := range b.N {
			plans = append(plans, b.Cols[len(b.Cols)-1].Str[i])
		}
	}
	if err := out.cursor.Close(); err != nil {
		return outcome{}, err
	}
	return planOutcome(strings.Join(plans, "\n"), e.json), nil
}

// planColumns is the one column of a plan.
func planColumns(isJSON bool) []rows.Column {
	t := rows.Varchar
	if isJSON {
		t = rows.JSON
	}
	return []rows.Column{{Name: "QUERY PLAN", Type: rows.Type{ID: t}}}
}

// planOutcome is a plan as rows: one of JSON, or one for each line.
func planOutcome(text string, isJSON bool) outcome {
	lines := []string{text}
	if !isJSON {
		lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	return outcome{cursor: &textCursor{cols: planColumns(isJSON), lines: lines}, tag: "EXPLAIN", affected: -1}
}

// planDocuments is JSON as EXPLAIN gives it: a list with a document for each statement.
func planDocuments(doc string) string { return "[\n  " + strings.ReplaceAll(doc, "\n", "\n  ") + "\n]" }
