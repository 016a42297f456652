package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// missing are statements of Postgres that have no counterpart here: what they are
// for, and what to do instead.
var missing = map[sqlfront.ClassKind][2]string{
	sqlfront.ClassTwoPhase: {
		"transactions in two phases are not supported", "Use COMMIT and ROLLBACK: DuckDB cannot prepare a transaction.",
	},
	sqlfront.ClassListen: {"LISTEN is not supported", "No session is told of another's events: ask for changes by a query."},
	sqlfront.ClassNotify: {"NOTIFY is not supported", "No session is told of another's events: write to a table that others ask."},
}

func errMissing(c sqlfront.Class) error {
	why := missing[c.Kind]
	return sqlerr.At(sqlerr.FeatureNotSupported, 0, "%s", why[0]).WithHint("%s", why[1])
}

// prepareOwner makes the statement for OWNER TO the one owner that there is.
func prepareOwner(c sqlfront.Class) (statement, error) {
	if c.Value != ownerRole {
		return nil, sqlerr.At(sqlerr.FeatureNotSupported, 0, "OWNER TO is not supported: all objects belong to %s", ownerRole).
			WithHint("Every role that may write may change them. Leave the statement out.")
	}
	return &utility{run: func(context.Context) (string, error) { return c.Name, nil }}, nil
}

// weakLocks are the modes of LOCK that only keep others from changing the table's
// definition or from locking all of it: a transaction's snapshot does as much.
var weakLocks = map[string]bool{"access share": true, "row share": true, "row exclusive": true}

// prepareLock makes LOCK TABLE, which DuckDB does not have: nothing waits in it.
func (s *Session) prepareLock(ctx context.Context, c sqlfront.Class) (statement, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	for _, parts := range c.Tables {
		quoted := make([]string, len(parts))
		for i, part := range parts {
			quoted[i] = load.Quote(part)
		}
		if _, err := s.Describe(ctx, "FROM "+strings.Join(quoted, "."), nil); err != nil {
			e := *sqlerr.From(err)
			e.Offset = -1
			return nil, &e
		}
	}
	if !weakLocks[c.Value] {
		return nil, sqlerr.At(sqlerr.FeatureNotSupported, 0, "LOCK TABLE in mode %s is not supported", strings.ToUpper(c.Value)).
			WithHint("Nobody waits for a lock here: a transaction sees one snapshot, and of two that change the same rows one fails with 40001. Leave the lock out and repeat what failed.")
	}
	return &utility{keeps: true, run: func(context.Context) (string, error) {
		if s.tx.status == TxIdle && !s.block {
			return "", sqlerr.New(sqlerr.NoActiveTransaction, "LOCK TABLE can only be used in transaction blocks")
		}
		return "LOCK TABLE", nil
	}}, nil
}

// modesNamed reads SET transaction_read_only and the like, which are SET TRANSACTION.
func modesNamed(name, value string) *sqlfront.TransactionModes {
	on, err := checkBool(value)
	if err != nil {
		return nil
	}
	yes := on == "on"
	switch name {
	case "transaction_read_only":
		return &sqlfront.TransactionModes{ReadOnly: &yes}
	case "transaction_deferrable":
		return &sqlfront.TransactionModes{Deferrable: &yes}
	}
	return nil
}
