package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/engine/advisory"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Those who write a table's rows and those who alter, replace or drop the table exclude each
// other until their transactions end. Most tables are altered by copying the rows of a
// snapshot: what others committed after it would be lost, and DuckDB sees a conflict only with
// a writer that is still open at the end.

// anyTable is locked beside the tables: Shared by those of whom it is not known what they
// write, Counter by those who alter a table.
var anyTable = advisory.Key{Catalog: "*"}

// rowsOf stands for the rows of a table among locks.
func rowsOf(t load.Table) advisory.Key {
	return advisory.Key{Catalog: load.Fold(t.Catalog), Schema: load.Fold(t.Schema), Table: load.Fold(t.Name)}
}

// lockMode is how a statement locks the tables that it writes; false: not at all, or only
// once it knows them.
func (p *Prepared) lockMode(c sqlfront.Class) (mode advisory.Mode, locks bool) {
	switch c.Kind {
	case sqlfront.ClassCreate:
		return advisory.Exclusive, c.Object == "index" || c.Object == "table" && c.Replace
	case sqlfront.ClassAlter, sqlfront.ClassDrop:
		return advisory.Exclusive, c.Object == "table"
	case sqlfront.ClassComment, sqlfront.ClassAttach, sqlfront.ClassDetach:
		return 0, false
	case sqlfront.ClassDelete:
		if _, truncates := p.stmt.(*program); truncates { // and may let sequences begin anew
			return advisory.Exclusive, true
		}
	}
	return advisory.Shared, true
}

// lockTables locks what a statement is about to write, and returns it. Where it had to wait, and
// nothing would be lost by it, the transaction takes its snapshot anew, in which names may mean
// other tables.
func (s *Session) lockTables(ctx context.Context, p *Prepared) (catalog.Targets, error) {
	c := s.acting(p.class)
	mode, locks := p.lockMode(c)
	for {
		before, stable := s.engine.catalog.Versions.Schema()
		t, err := s.targets(ctx, c)
		if err != nil || !locks || t.None() {
			return t, err
		}
		waited, err := s.holdTables(ctx, t, mode)
		if err != nil {
			return t, err
		}
		settled := false
		if s.tx.status == TxActive {
			settled, err = s.settle(ctx, t, waited, mode)
		} else if now, still := s.engine.catalog.Versions.Schema(); stable && still && now == before {
			settled = true // names mean what they meant
		} else {
			settled, err = s.stillMeans(ctx, c, t)
		}
		if settled || err != nil {
			return t, err
		}
	}
}

// stillMeans reports whether the names of what a statement writes mean the tables that they meant.
func (s *Session) stillMeans(ctx context.Context, c sqlfront.Class, t catalog.Targets) (bool, error) {
	now, err := s.targets(ctx, c)
	return slices.Equal(now.Tables, t.Tables), err
}

// settle reports whether the transaction's snapshot may stay as it is now that tables are locked,
// and takes it anew where not.
func (s *Session) settle(ctx context.Context, t catalog.Targets, waited bool, mode advisory.Mode) (bool, error) {
	versions := s.engine.catalog.Versions
	switch {
	// DuckDB sees the conflict where another has changed the table, but lets rows be written to one
	// that has another name by now, which is not the one that is locked.
	case mode == advisory.Exclusive && versions.Moved(t.Tables, s.tx.pin), versions.Altered(t.Tables, s.tx.pin):
		if !s.mayRenew(0) {
			return false, errOutdatedTable(t.Tables[0].Name)
		}
	case !waited || !s.mayRenew(0): // DuckDB sees the conflict, if there is one
		return true, nil
	}
	return false, s.renew(ctx)
}

// holdTables locks tables for the transaction.
func (s *Session) holdTables(ctx context.Context, t catalog.Targets, mode advisory.Mode) (waited bool, err error) {
	hold := func(key advisory.Key, mode advisory.Mode) {
		if err != nil {
			return
		}
		var had bool
		err = s.waitForLock(ctx, func(ctx context.Context) (err error) {
			had, err = s.locks.Hold(ctx, key, mode)
			return err
		})
		waited = waited || had
	}
	switch {
	case mode == advisory.Exclusive && len(t.Tables) > 0: // not only temporary ones
		hold(anyTable, advisory.Counter)
	case t.Unknown:
		hold(anyTable, advisory.Shared)
	}
	for _, table := range t.Tables {
		hold(rowsOf(table), mode)
	}
	return waited, err
}

// lockAltered locks a table that is about to be altered. The error is errOutdated where the
// transaction's snapshot is older than what others have written to it.
func (s *Session) lockAltered(ctx context.Context, of relation) error {
	if of.database == catalog.Temporary {
		return nil
	}
	tables := []load.Table{{Catalog: of.database, Schema: of.schema, Name: of.name}}
	if _, err := s.holdTables(ctx, catalog.Targets{Tables: tables}, advisory.Exclusive); err != nil {
		return err
	}
	if s.engine.catalog.Versions.Moved(tables, s.tx.pin) {
		return errOutdatedTable(of.name)
	}
	return nil
}

// errOutdated says that a table cannot be altered in the transaction's snapshot.
var errOutdated = fmt.Errorf("the snapshot is older than the table")

func errOutdatedTable(name string) error {
	e := sqlerr.New(sqlerr.SerializationFailure, "table %q cannot be written, altered or dropped: another transaction has changed it since this one began", name).
		WithHint("Repeat the whole transaction.")
	e.Err = errOutdated
	return e
}

// mayRenew reports whether the transaction has nothing to lose if it begins again in DuckDB;
// open is how many statements that write are under way.
func (s *Session) mayRenew(open int) bool {
	log := s.tx.redo
	return len(log.entries) == 0 && log.sealed == nil && log.open == open && len(s.cursors) == 0 && (!s.tx.used || !s.tx.modes.strict)
}

// renew lets the transaction take its snapshot anew. What it has been told of the time stays.
func (s *Session) renew(ctx context.Context) error {
	if err := s.detachOpen(ctx); err != nil {
		return err
	}
	if s.tx.used {
		if err := s.bringUp(ctx); err != nil {
			return err
		}
	}
	if err := s.beginAgain(ctx); err != nil {
		return err
	}
	return s.freezeClock(ctx)
}
