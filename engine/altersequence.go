package engine

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// prepareAlterSequence makes the statement for an ALTER SEQUENCE that changes how a sequence counts, or whose it
// is; nil: it is something else.
func (s *Session) prepareAlterSequence(p *Prepared) statement {
	change, ok := sqlfront.ParseAlterSequence(p.sql)
	if !ok {
		return nil
	}
	return &program{session: s, tag: "ALTER SEQUENCE", run: func(ctx context.Context) error {
		found, err := s.sequencesIn(ctx, p.class)
		name := change.Name[len(change.Name)-1]
		switch {
		case err != nil:
			return err
		case len(found) == 0 && change.Conditional:
			s.tell("00000", fmt.Sprintf("relation %q does not exist, skipping", name))
			return nil
		case len(found) == 0:
			return sqlerr.New(sqlerr.UndefinedTable, "Sequence with name %s does not exist!", name)
		}
		if change.Counts() {
			if err := s.changeSequence(ctx, found[0], &change); err != nil {
				return err
			}
		}
		if !change.Owned {
			return nil
		}
		return s.ownSequence(ctx, change.Name, change.Owner)
	}}
}

// counting is how a sequence counts. At is its last number if it is called, otherwise the next one.
type counting struct {
	step, min, max, start, at int64
	called, cycles            bool
}

// changeSequence makes a sequence anew as it is changed, DuckDB has no other way.
func (s *Session) changeSequence(ctx context.Context, parts []string, change *sqlfront.SequenceChange) error {
	list, err := s.textRows(ctx, "SELECT increment_by::VARCHAR, min_value::VARCHAR, max_value::VARCHAR, "+markedStart+"::VARCHAR, coalesce("+lastNumber+", start_value)::VARCHAR, ("+
		lastNumber+" IS NOT NULL)::VARCHAR, cycle::VARCHAR, coalesce(comment, '') FROM duckdb_sequences() WHERE "+placeOfSequence(parts))
	if err != nil {
		return err
	}
	row := list[0]
	q := counting{called: row[5] == "true", cycles: row[6] == "true"}
	for i, field := range []*int64{&q.step, &q.min, &q.max, &q.start, &q.at} {
		if *field, err = strconv.ParseInt(row[i], 10, 64); err != nil {
			return sqlerr.Wrap(sqlerr.InternalError, err)
		}
	}
	if err := q.change(change); err != nil {
		return err
	}
	cycle := "NO CYCLE"
	if q.cycles {
		cycle = "CYCLE"
	}
	options := fmt.Sprintf("INCREMENT BY %d MINVALUE %d MAXVALUE %d START %d %s", q.step, q.min, q.max, q.at, cycle)
	mark, text := splitComment(row[7])
	if mark, err = startMark(mark, strconv.FormatInt(q.start, 10)); err != nil {
		return err
	}
	if err := s.remakeSequence(ctx, parts, options, markedComment(mark, text)); err != nil || !q.called {
		return err
	}
	return s.advance(ctx, parts, 1)
}

// change changes how a sequence counts.
func (q *counting) change(c *sqlfront.SequenceChange) error {
	for _, set := range []struct {
		to   *int64
		from *int64
	}{{&q.step, c.Step}, {&q.min, c.Min}, {&q.max, c.Max}, {&q.start, c.Start}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	if c.NoMin {
		q.min = 1
		if q.step < 0 {
			q.min = math.MinInt64
		}
	}
	if c.NoMax {
		q.max = math.MaxInt64
		if q.step < 0 {
			q.max = -1
		}
	}
	if c.Cycle != nil {
		q.cycles = *c.Cycle
	}
	if c.Restarts {
		q.called, q.at = false, q.start
		if c.Restart != nil {
			q.at = *c.Restart
		}
	}
	return q.check()
}

// check is the error of a sequence that could not count.
func (q *counting) check() error {
	switch {
	case q.step == 0:
		return sqlerr.New(sqlerr.InvalidParameter, "INCREMENT must not be zero")
	case q.min >= q.max:
		return sqlerr.New(sqlerr.InvalidParameter, "MINVALUE (%d) must be less than MAXVALUE (%d)", q.min, q.max)
	}
	for _, place := range []struct {
		name string
		at   int64
	}{{"START", q.start}, {"RESTART", q.at}} {
		switch {
		case place.at < q.min:
			return sqlerr.New(sqlerr.InvalidParameter, "%s value (%d) cannot be less than MINVALUE (%d)", place.name, place.at, q.min)
		case place.at > q.max:
			return sqlerr.New(sqlerr.InvalidParameter, "%s value (%d) cannot be greater than MAXVALUE (%d)", place.name, place.at, q.max)
		}
	}
	return nil
}
