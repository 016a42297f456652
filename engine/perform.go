package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/engine/advisory"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// perform performs the calls of a statement, each for its rows, and returns which have said
// true.
func (c *catalogStatement) perform(ctx context.Context, args []Arg) (answers string, err error) {
	var said []string
	for n, call := range c.text.Calls {
		list := [][]string{nil}
		if call.Args != "" {
			if list, err = c.evaluateRows(ctx, call.Args, call.From, args); err != nil {
				return "", c.explain(err)
			}
		}
		for _, row := range list {
			if slices.Contains(row, "") { // of NULL it is not called
				continue
			}
			yes, err := c.session.perform(ctx, call.Func, row)
			if err != nil {
				return "", err
			}
			if yes {
				said = append(said, pgcatalog.Answer(n, row...))
			}
		}
	}
	return strings.Join(said, ";"), nil
}

// perform performs one call.
func (s *Session) perform(ctx context.Context, name string, args []string) (bool, error) {
	switch name {
	case "setval":
		value, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return false, sqlerr.Wrap(sqlerr.InternalError, err)
		}
		return true, s.setSequence(ctx, args[0], value, len(args) < 3 || args[2] == "true")
	case "pg_advisory_unlock_all":
		s.locks.UnlockAll()
		return true, nil
	}
	key, err := advisoryKey(args)
	if err != nil {
		return false, err
	}
	mode := advisory.Exclusive
	if strings.HasSuffix(name, "_shared") {
		mode = advisory.Shared
	}
	tx := strings.Contains(name, "_xact_")
	switch {
	case strings.Contains(name, "_unlock"):
		done := s.locks.Unlock(key, mode)
		if !done {
			s.warn("you don't own a lock of type "+lockModes[mode], "01000")
		}
		return done, nil
	case strings.Contains(name, "_try_"):
		return s.locks.TryLock(key, mode, tx)
	}
	return true, s.lock(ctx, key, mode, tx)
}

// advisoryKey is the key of one number or of two.
func advisoryKey(args []string) (advisory.Key, error) {
	numbers := make([]int64, len(args))
	for i, text := range args {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return advisory.Key{}, sqlerr.Wrap(sqlerr.InternalError, err)
		}
		numbers[i] = n
	}
	if len(numbers) == 2 {
		return advisory.Key{Class: uint32(numbers[0]), Object: uint32(numbers[1]), Sub: 2}, nil
	}
	return advisory.Key{Class: uint32(numbers[0] >> 32), Object: uint32(numbers[0]), Sub: 1}, nil
}

// lock waits for a lock, no longer than lock_timeout says.
func (s *Session) lock(ctx context.Context, key advisory.Key, mode advisory.Mode, tx bool) error {
	return s.waitForLock(ctx, func(ctx context.Context) error { return s.locks.Lock(ctx, key, mode, tx) })
}

// waitForLock takes a lock with a context that ends when lock_timeout says.
func (s *Session) waitForLock(ctx context.Context, take func(ctx context.Context) error) error {
	expired := sqlerr.New(sqlerr.LockNotAvailable, "canceling statement due to lock timeout")
	waits := ctx
	if limit := s.settings.timeout("lock_timeout"); limit > 0 {
		var stop context.CancelFunc
		waits, stop = context.WithTimeoutCause(ctx, limit, expired)
		defer stop()
	}
	err := take(waits)
	if err != nil && !errors.Is(err, expired) && ctx.Err() != nil {
		return sqlerr.Wrap(sqlerr.QueryCanceled, context.Cause(ctx))
	}
	return err
}

// lockModes are Postgres' names.
var lockModes = map[advisory.Mode]string{advisory.Shared: "ShareLock", advisory.Exclusive: "ExclusiveLock"}

// locksRelation is pg_locks: the advisory locks of all sessions, and those on tables.
func (s *Session) locksRelation() string {
	var list []string
	for _, e := range s.engine.locks.List() {
		of := []string{"'advisory'", "NULL", strconv.FormatUint(uint64(e.Class), 10), strconv.FormatUint(uint64(e.Object), 10), strconv.Itoa(e.Sub)}
		mode := lockModes[e.Mode]
		switch {
		case e.Key == anyTable:
			of = []string{"'object'", "NULL", "NULL", "NULL", "NULL"}
			mode = tableLockMode(e)
		case e.Table != "":
			of = []string{"'relation'", relationNumber(e.Key), "NULL", "NULL", "NULL"}
			mode = tableLockMode(e)
		}
		list = append(list, valuesRow(append(of, quoteText(fmt.Sprint(e.PID, "/0")), strconv.Itoa(e.PID), quoteText(mode), strconv.FormatBool(e.Granted))...))
	}
	return "SELECT locktype, " + strconv.Itoa(pgcatalog.FirstOID) + "::UINTEGER AS database, relation, NULL::INTEGER AS page, NULL::SMALLINT AS tuple, NULL::VARCHAR AS virtualxid, " +
		"NULL::BIGINT AS transactionid, * EXCLUDE (locktype, relation), false AS fastpath, NULL::TIMESTAMPTZ AS waitstart FROM (" +
		valuesQuery(list, "locktype VARCHAR", "relation UINTEGER", "classid UINTEGER", "objid UINTEGER", "objsubid SMALLINT", "virtualtransaction VARCHAR", "pid INTEGER", "mode VARCHAR", "granted BOOLEAN") + ")" +
		" WHERE locktype <> 'relation' OR relation IS NOT NULL" // of what a name may mean not all is there
}

// tableLockMode is Postgres' name for the mode of a lock on a table.
func tableLockMode(e advisory.Entry) string {
	switch {
	case e.Catalog == "":
		return "ShareUpdateExclusiveLock"
	case e.Mode == advisory.Exclusive:
		return "AccessExclusiveLock"
	case e.Mode == advisory.Counter:
		return "ShareRowExclusiveLock"
	}
	return "RowExclusiveLock"
}

// relationNumber is a query for the OID of a table that is locked.
func relationNumber(key advisory.Key) string {
	place := "nspname = " + quoteText(key.Schema)
	if key.Catalog != "" {
		place = load.FoldedSQL("database_name") + " = " + quoteText(key.Catalog) + " AND " + load.FoldedSQL("schema_name") + " = " + quoteText(key.Schema)
	}
	return "(SELECT oid FROM " + pgcatalog.Database + ".pg._relation WHERE relkind = 'r' AND " + place + " AND lower_name = " + quoteText(key.Table) + ")"
}
