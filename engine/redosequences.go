package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
)

// sequencePlaces are how far sequences have counted, by their names as SQL.
type sequencePlaces map[string]sequencePlace

// sequencePlace is where a sequence is. One that is made anew has another oid.
type sequencePlace struct{ oid, start, step, last int64 }

// lastNumber is the last number of a sequence, NULL where it has not counted, as SQL over DuckDB's list:
// what that shows is another one once the database has been opened again. The next number is in the text.
const lastNumber = `CASE WHEN last_value IS NOT NULL AND ` + nextNumber + ` - increment_by BETWEEN min_value AND max_value
THEN (` + nextNumber + ` - increment_by)::BIGINT ELSE last_value END`

const nextNumber = `regexp_extract(sql, ' START (-?\d+) (NO )?CYCLE;$', 1)::HUGEINT`

// readPlaces reads how far all sequences have counted; one that has not comes before its
// start.
func (s *Session) readPlaces(ctx context.Context) (_ sequencePlaces, err error) {
	cur, err := s.conn.Query(ctx, "SELECT database_name, schema_name, sequence_name, sequence_oid::BIGINT, start_value::BIGINT, increment_by::BIGINT, "+lastNumber+" FROM duckdb_sequences()")
	if err != nil {
		return nil, withoutPlace(err)
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	places := sequencePlaces{}
	for {
		b, err := cur.Next(ctx)
		if err != nil || b == nil {
			return places, err
		}
		for i := range b.N {
			p := sequencePlace{oid: b.Cols[3].I64[i], start: b.Cols[4].I64[i], step: b.Cols[5].I64[i], last: b.Cols[6].I64[i]}
			if b.Cols[6].IsNull(i) {
				p.last = p.start - p.step
			}
			places[quoteName([]string{b.Cols[0].Str[i], b.Cols[1].Str[i], b.Cols[2].Str[i]})] = p
		}
	}
}

// readSequences notes how far sequences have counted, where the transaction has made some:
// those begin anew when it is brought back, and numbers are never undone. Any statement
// may count, and after an error it is too late to ask.
func (s *Session) readSequences(ctx context.Context) (err error) {
	if log := s.tx.redo; log.makesSequences {
		log.sequences, err = s.readPlaces(ctx)
	}
	return err
}

// sequencesAt are how far the sequences from before a place of the log have counted: one
// that a statement since has made anew is where it was before that.
func (l *redoLog) sequencesAt(place int) sequencePlaces {
	at := l.sequences
	for _, e := range slices.Backward(l.entries[place:]) {
		if !e.makesSequence {
			continue
		}
		before := maps.Clone(e.sequences)
		for name, was := range before {
			if is, ok := at[name]; ok && is.oid == was.oid {
				before[name] = is
			}
		}
		at = before
	}
	return at
}

// renewSequences gives the sequences of before an entry that is about to be done again the
// identities that they have now.
func (s *Session) renewSequences(ctx context.Context, e *redoEntry) error {
	if !e.makesSequence || len(e.sequences) == 0 {
		return nil
	}
	now, err := s.readPlaces(ctx)
	if err != nil {
		return err
	}
	e.sequences = maps.Clone(e.sequences)
	for name, was := range e.sequences {
		was.oid = now[name].oid
		e.sequences[name] = was
	}
	return nil
}

// advanceSequences brings sequences that count anew to where they were.
func (s *Session) advanceSequences(ctx context.Context, to sequencePlaces) error {
	if len(to) == 0 {
		return nil
	}
	places, err := s.readPlaces(ctx)
	if err != nil {
		return err
	}
	for name, was := range to {
		is, there := places[name]
		if !there {
			continue
		}
		if n := (was.last - is.last) / is.step; n > 0 {
			if _, err := oneNumber(ctx, s.conn, "SELECT max(nextval("+quoteText(name)+")) FROM range("+strconv.FormatInt(n, 10)+")"); err != nil {
				return err
			}
		}
	}
	return nil
}
