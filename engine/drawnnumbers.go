package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// DuckDB logs how far a sequence has counted when the transaction that drew its numbers
// commits. Numbers of a transaction that is rolled back were told as well, and clients use them: a
// mapper draws the numbers of its next fifty rows in whatever transaction comes first. They are
// logged when the transaction ends, so that a crash does not give them again.

// takeDrawn notes the sequences of which DuckDB's transaction, which has been rolled back, has
// drawn numbers.
func (s *Session) takeDrawn() { s.tx.drawn = append(s.tx.drawn, s.conn.TakeDrawn()...) }

// logDrawn logs how far sequences have counted, by their oids: at once, or with the
// transaction that is open. Those that are not there any more have been made by what was
// rolled back.
func (s *Session) logDrawn(ctx context.Context, drawn []uint64) error {
	if len(drawn) == 0 {
		return nil
	}
	oids := strings.Trim(fmt.Sprint(drawn), "[]")
	// nextval cannot be told a name with a double quote.
	list, err := s.textRows(ctx, "SELECT database_name, schema_name, sequence_name FROM duckdb_sequences() WHERE NOT temporary AND sequence_oid IN ("+
		strings.ReplaceAll(oids, " ", ", ")+") AND NOT contains(schema_name || sequence_name, '\"')")
	if err != nil {
		return err
	}
	names := make([]string, len(list))
	for i, row := range list {
		names[i] = quoteText(quoteName(row))
	}
	if err := s.conn.LogSequences(ctx, names); err != nil {
		return withoutPlace(err)
	}
	return nil
}

// settleDrawn is logDrawn for a statement that has been a transaction; committed: DuckDB has
// logged all.
func (s *Session) settleDrawn(ctx context.Context, committed bool) error {
	drawn := s.conn.TakeDrawn()
	if committed {
		return nil
	}
	return s.logDrawn(ctx, drawn)
}

// closeTransaction rolls back what is open when the session ends, if numbers were drawn in it:
// otherwise closing the connection does.
func (s *Session) closeTransaction(ctx context.Context) error {
	if s.tx.status == TxIdle {
		return nil
	}
	s.takeDrawn()
	if len(s.tx.drawn) == 0 {
		return nil
	}
	return errors.Join(s.leaveAborted(ctx), s.logDrawn(ctx, s.tx.drawn))
}
