package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/engine/advisory"
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

// migrationLock is the mode of LOCK that lets others read and write, and makes those wait who
// ask for it, too: migrations exclude each other by it.
const migrationLock = "share update exclusive"

// prepareLock makes LOCK TABLE, which DuckDB does not have. Nothing that writes waits in it.
func (s *Session) prepareLock(c sqlfront.Class) (statement, error) {
	if !weakLocks[c.Value] && c.Value != migrationLock {
		return nil, sqlerr.At(sqlerr.FeatureNotSupported, 0, "LOCK TABLE in mode %s is not supported", strings.ToUpper(c.Value)).
			WithHint("Who writes does not wait for a lock here: a transaction sees one snapshot, and of two that change the same rows one fails with 40001. Leave the lock out and repeat what failed, or take an advisory lock. SHARE UPDATE EXCLUSIVE makes those wait who ask for it, too.")
	}
	return &utility{run: func(ctx context.Context) (string, error) {
		if s.tx.status == TxIdle && !s.block {
			return "", sqlerr.New(sqlerr.NoActiveTransaction, "LOCK TABLE can only be used in transaction blocks")
		}
		for _, parts := range c.Tables {
			if err := s.lockTable(ctx, parts, c); err != nil {
				return "", err
			}
		}
		return "LOCK TABLE", nil
	}}, nil
}

// lockTable locks a table until the transaction ends. The lock comes first, and the snapshot
// after it: who has waited sees what the other has committed.
func (s *Session) lockTable(ctx context.Context, parts []string, c sqlfront.Class) error {
	if c.Value == migrationLock {
		key := s.tableKey(parts)
		if err := s.lockKey(ctx, key, c.NoWait); err != nil {
			return err
		}
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	if _, err := s.Describe(ctx, "FROM "+quoteName(parts), nil); err != nil {
		e := *sqlerr.From(err)
		e.Offset = -1
		return &e
	}
	return nil
}

func (s *Session) lockKey(ctx context.Context, key advisory.Key, noWait bool) error {
	if !noWait {
		return s.lock(ctx, key, advisory.Exclusive, true)
	}
	granted, err := s.locks.TryLock(key, advisory.Exclusive, true)
	if err == nil && !granted {
		err = sqlerr.New(sqlerr.LockNotAvailable, "could not obtain lock on relation %q", key.Table)
	}
	return err
}

// tableKey is what stands for a table among locks: its name, and its schema, which without
// one is the first of the search path.
func (s *Session) tableKey(parts []string) advisory.Key {
	schema := ""
	if path := s.clientPath(); len(path) > 0 {
		schema = path[0]
	}
	if n := len(parts); n > 1 {
		schema = s.engine.clientSchema(parts[n-2])
	}
	return advisory.Key{Schema: strings.ToLower(schema), Table: strings.ToLower(parts[len(parts)-1])}
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
