package bench

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// clientLoop is a case whose SQL is several statements that a client executes one
// by one, some of them repeatedly: an iteration that is kept by the client. Two
// lines of its text are comments that say so:
//
//	statements that come first;
//	-- repeat
//	statements; the last of them is a query with one cell
//	-- end
//	the query whose rows are the answer
//
// The part in between is executed until its query gives the cell that it gave
// before.
type clientLoop struct {
	first, each []string
	last        string
}

// parseClientLoop reads the text of a case; nil: it is one statement.
func parseClientLoop(sql string) *clientLoop {
	first, rest, isLoop := strings.Cut(sql, "\n-- repeat\n")
	each, last, ended := strings.Cut(rest, "\n-- end\n")
	if !isLoop || !ended {
		return nil
	}
	return &clientLoop{first: statements(first), each: statements(each), last: strings.TrimSpace(last)}
}

// statements divides a text whose statements end with a semicolon at the end of a
// line.
func statements(text string) []string {
	var out []string
	for s := range strings.SplitSeq(text, ";\n") {
		if s = strings.TrimRight(strings.TrimSpace(s), ";"); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// run executes the text of a case: one statement, or a clientLoop.
func (d *Database) run(ctx context.Context, sql string, planFirst bool) (a *answer, planned, total time.Duration, err error) {
	l := parseClientLoop(sql)
	if l == nil {
		return d.conn.query(ctx, sql, planFirst)
	}
	i := iteration{Database: d, planFirst: planFirst}
	err = i.iterate(ctx, l)
	return i.answer, i.planned, i.total, err
}

// iteration is a clientLoop under way. The times are sums over its statements; what
// asks who answered is not in them.
type iteration struct {
	*Database
	planFirst      bool
	answer         *answer // of the last statement
	planned, total time.Duration
}

func (i *iteration) execute(ctx context.Context, sql string) error {
	a, planned, total, err := i.conn.query(ctx, sql, i.planFirst)
	i.answer, i.planned, i.total = a, i.planned+planned, i.total+total
	return err
}

// iterate executes a loop. It is an error when another backend than that of the
// variant has found the rows of a step.
func (i *iteration) iterate(ctx context.Context, l *clientLoop) error {
	for _, sql := range l.first {
		if err := i.execute(ctx, sql); err != nil {
			return err
		}
	}
	for before, now := "", " "; now != before; {
		before = now
		for n, sql := range l.each {
			if err := i.execute(ctx, sql); err != nil {
				return err
			}
			if n > 0 {
				continue
			}
			by, err := i.conn.answeredBy(ctx)
			if err != nil {
				return err
			}
			if want := i.now.Backend.String(); by != want {
				return fmt.Errorf("a step was answered by %s, not by %s", by, want)
			}
		}
		ok := false
		if now, ok = i.answer.scalar(); !ok {
			return fmt.Errorf("%d rows, not one cell: %s", i.answer.rows, l.each[len(l.each)-1])
		}
	}
	return i.execute(ctx, l.last)
}
