package engine

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Of two that write the same rows, or insert the same key, DuckDB lets one fail, which in Postgres
// would wait for the other. A statement that is a transaction of its own is executed again once the other has
// ended: all that it has done has been undone, and its client knows of none of it. In a transaction of
// several statements the client has to repeat it.

// againMax bounds how often a statement is executed again. Each time another has got on.
const againMax = 100

// again reports whether a statement that has failed, the try-th time, is to be executed again, after waiting for those that
// it lost against. pin is from before its snapshot. Otherwise the error is the client's.
func (p *Prepared) again(ctx context.Context, res *Result, targets catalog.Targets, pin catalog.Pin, try int, err error) (bool, error) {
	s := p.session
	switch {
	case err == nil || !p.lost(err):
		return false, err
	case s.tx.status == TxActive:
		if s.othersChanged(targets.Tables) {
			err = errUnseen(err)
		}
		return false, err
	case res.write == nil || try >= againMax || !p.repeats():
		return false, err
	}
	res.write.Rollback() // who waits is not waited for
	s.locks.ReleaseTo(0)
	ended := false
	failed := s.waitForLock(ctx, func(ctx context.Context) (err error) {
		ended, err = s.engine.catalog.Versions.AwaitEnding(ctx, targets.Tables, pin)
		return err
	})
	if failed != nil {
		return false, failed
	}
	return ended, err
}

// lost reports whether an error of the statement may be another's doing: a conflict, or a key that was
// not there when it looked.
func (p *Prepared) lost(err error) bool {
	var e *sqlerr.Error
	if !errors.As(err, &e) || errors.Is(err, errMoved) {
		return false
	}
	return e.Code == sqlerr.SerializationFailure || e.Code == sqlerr.UniqueViolation && p.upserts()
}

// upserts reports whether the statement heeds rows that are in its way.
func (p *Prepared) upserts() bool {
	if e, ok := p.stmt.(*execution); ok {
		p = e.query
	}
	return !p.updates && upserts(p.class, p.sql)
}

func upserts(c sqlfront.Class, sql string) bool {
	return c.Kind == sqlfront.ClassMerge || c.Kind == sqlfront.ClassInsert && sqlfront.Upserts(sql)
}

// repeats reports whether all that the statement does is undone where it fails.
func (p *Prepared) repeats() bool {
	switch stmt := p.stmt.(type) {
	case *program:
		return false
	case *catalogStatement: // which may perform calls
		if len(stmt.text.Calls) > 0 || len(stmt.text.Settings) > 0 {
			return false
		}
	}
	return returning[p.session.acting(p.class).Kind]
}

// othersChanged reports whether others have changed one of the tables, or may have, since the transaction took its
// snapshot.
func (s *Session) othersChanged(tables []load.Table) bool {
	rows := map[load.Table]bool{}
	for _, t := range tables {
		rows[t.Folded()] = true
	}
	_, changed := s.engine.catalog.Versions.ChangedSince(s.tx.pin, catalog.Uses{Rows: rows})
	return changed
}

// errUnseen is the error of a key that a statement with ON CONFLICT or a MERGE could not see, since another
// transaction has committed it meanwhile. Other errors stay.
func errUnseen(err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.UniqueViolation {
		return err
	}
	unseen := *e
	unseen.Code, unseen.Message, unseen.Detail = sqlerr.SerializationFailure, "another transaction has committed a row with the same key meanwhile", e.Message
	return unseen.WithHint("Repeat the whole transaction: its snapshot does not have that row.")
}
