package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// prepareSetting makes the statement for SET, SHOW, RESET, DISCARD and
// DEALLOCATE where the session answers; nil: DuckDB does.
func (s *Session) prepareSetting(c sqlfront.Class) statement {
	name := strings.ToLower(c.Name)
	if name == "names" {
		name = "client_encoding"
	}
	if what := roleSettings[name]; what != "" && (c.Kind == sqlfront.ClassSet || c.Kind == sqlfront.ClassReset) && c.Scope != "variable" && c.Scope != "global" {
		return s.prepareSetRole(c, what)
	}
	switch c.Kind {
	case sqlfront.ClassSet:
		return s.prepareSet(c, name)
	case sqlfront.ClassShow:
		return s.prepareShow(name)
	case sqlfront.ClassReset:
		return s.prepareReset(c, name)
	case sqlfront.ClassDeallocate:
		return s.prepareDeallocate(c)
	case sqlfront.ClassDiscard:
		return s.prepareDiscard(c)
	}
	return nil
}

// isOwn reports whether the session keeps the variable, or must refuse it.
func (s *Session) isOwn(name string) bool {
	if _, ok := variables[name]; ok {
		return true
	}
	return strings.Contains(name, ".")
}

// isFixed reports whether a variable is one that nobody may set.
func isFixed(name string) bool { return variables[name] != nil && variables[name].fixed }

func errFixed(name string) error {
	return sqlerr.New("55P02", "parameter %q cannot be changed", variables[name].name) // cannot change runtime parameter
}

func (s *Session) prepareSet(c sqlfront.Class, name string) statement {
	if c.Modes != nil {
		return s.prepareModes(c)
	}
	if m := modesNamed(name, c.Value); m != nil && c.Scope != "variable" {
		return &utility{keeps: true, run: func(ctx context.Context) (string, error) { return "SET", s.changeModes(ctx, m) }}
	}
	if c.Scope == "variable" || c.Scope == "global" && !isFixed(name) || !s.isOwn(name) {
		return nil
	}
	return &utility{run: func(ctx context.Context) (string, error) { return "SET", s.runSet(ctx, c, name) }}
}

func (s *Session) runSet(ctx context.Context, c sqlfront.Class, name string) error {
	if err := s.enterBlock(ctx); err != nil {
		return err
	}
	name = strings.Clone(name) // it may be a part of a long text
	old := s.settings.get(name)
	if c.Scope == "local" && s.tx.status == TxIdle {
		s.warn("SET LOCAL can only be used in transaction blocks", sqlerr.NoActiveTransaction)
		return nil
	}
	var err error
	if strings.EqualFold(c.Value, "default") {
		err = s.reset(ctx, name)
	} else {
		err = s.set(ctx, name, c.Value)
	}
	if err != nil || s.tx.status != TxActive {
		return err
	}
	if _, noted := s.tx.before[name]; !noted {
		s.tx.before[name] = old
	}
	if c.Scope != "local" {
		delete(s.tx.local, name)
	} else if _, noted := s.tx.local[name]; !noted {
		s.tx.local[name] = old
	}
	return nil
}

func (s *Session) prepareShow(name string) statement {
	switch name {
	case "all":
		return &showAll{s}
	case "session authorization":
		name = "session_authorization"
	}
	if v, ok := variables[name]; ok {
		return &utility{name: v.name, show: func() string { return s.show(name) }}
	}
	_, started := s.settings.initial[name]
	if _, set := s.settings.values[name]; set || started {
		return &utility{name: name, show: func() string { return s.show(name) }}
	}
	if strings.HasPrefix(name, "trireme.") && strings.Count(name, ".") == 1 { // otherwise it is a table of the database
		return &utility{run: func(context.Context) (string, error) { return "", unknownSetting(name) }}
	}
	return nil
}

// isDuckSetting reports whether DuckDB has a setting of that name.
func (s *Session) isDuckSetting(name string) bool {
	_, ok := s.engine.baseline[name]
	return ok
}

// prepareShowTable makes DuckDB's SHOW, of tables and of the columns of one. A name of
// neither is taken for that of a setting, as in Postgres.
func (s *Session) prepareShowTable(ctx context.Context, p *Prepared) (statement, error) {
	stmt, err := s.prepareDuck(ctx, p)
	if e := new(sqlerr.Error); errors.As(err, &e) && e.Code == sqlerr.UndefinedTable && !strings.Contains(p.class.Name, ".") {
		return nil, unknownSetting(p.class.Name)
	}
	return stmt, err
}

// prepareDuckShow shows a setting of DuckDB as Postgres does: one row, one
// column of its name. DuckDB's own SHOW would describe a table.
func (s *Session) prepareDuckShow(ctx context.Context, p *Prepared) (statement, error) {
	asked := *p
	asked.sql = "SELECT current_setting(" + quoteText(p.class.Name) + ")::VARCHAR AS " + load.Quote(p.class.Name)
	stmt, err := s.prepareDuck(ctx, &asked)
	if d, ok := stmt.(*duckStatement); ok {
		d.sql = p.sql
	}
	return stmt, err
}

func (s *Session) prepareReset(c sqlfront.Class, name string) statement {
	switch {
	case name == "all" && c.Scope == "":
		return &utility{run: func(ctx context.Context) (string, error) { return "RESET", s.resetAll(ctx) }}
	case c.Scope == "variable" || c.Scope == "global" && !isFixed(name) || !s.isOwn(name) && s.settings.began[name] == "":
		return nil
	}
	return &utility{run: func(ctx context.Context) (string, error) {
		if began := s.settings.began[name]; began != "" {
			return "RESET", errors.Join(s.conn.Exec(ctx, began), s.readOwn(ctx))
		}
		v, ok := variables[name]
		if strings.HasPrefix(name, "trireme.") && !ok {
			return "", unknownSetting(name)
		}
		if ok && v.fixed {
			return "", errFixed(name)
		}
		return "RESET", s.runSet(ctx, sqlfront.Class{Value: "default"}, name)
	}}
}

func (s *Session) resetAll(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(s.settings.values)) {
		if err := s.runSet(ctx, sqlfront.Class{Value: "default"}, name); err != nil {
			return err
		}
	}
	return s.returnDuck(ctx, s.settings.beganDuck)
}

// prepareDiscard makes DISCARD. Plans are kept by text and bound again where they
// must be, so that there are none to discard. Of sequences currval forgets its numbers.
func (s *Session) prepareDiscard(c sqlfront.Class) statement {
	tag := "DISCARD " + strings.ToUpper(c.Object)
	return &utility{run: func(ctx context.Context) (string, error) {
		switch c.Object {
		case "all":
			return tag, s.discardAll(ctx)
		case "temp":
			return tag, s.discardTemporary(ctx)
		case "sequences":
			s.conn.ForgetNumbers()
		}
		return tag, nil
	}}
}

// discardTemporary drops the session's temporary tables and views.
func (s *Session) discardTemporary(ctx context.Context) error {
	names, err := s.texts(ctx, "SELECT 'VIEW temp.' || '\"' || replace(schema_name, '\"', '\"\"') || '\".\"' || replace(view_name, '\"', '\"\"') || '\"'"+
		" FROM duckdb_views() WHERE temporary AND NOT internal AND database_name = 'temp'"+
		" UNION ALL SELECT 'TABLE temp.' || '\"' || replace(schema_name, '\"', '\"\"') || '\".\"' || replace(table_name, '\"', '\"\"') || '\"'"+
		" FROM duckdb_tables() WHERE temporary AND NOT internal AND database_name = 'temp'")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.conn.Exec(ctx, "DROP "+name); err != nil {
			return err
		}
	}
	s.generation++
	return nil
}

// texts reads a query's one column.
func (s *Session) texts(ctx context.Context, sql string) (out []string, err error) {
	list, err := s.textRows(ctx, sql)
	for _, row := range list {
		out = append(out, row[0])
	}
	return out, err
}

// discardAll gives the session a new connection, which has no temporary objects,
// variables or settings. The session keeps the one that it has where the new one cannot be
// given what the session began with.
func (s *Session) discardAll(ctx context.Context) error {
	if s.tx.status != TxIdle || s.block {
		return sqlerr.New(sqlerr.ActiveTransaction, "DISCARD ALL cannot run inside a transaction block")
	}
	if err := errors.Join(s.closeCursors(), s.deallocateAll(ctx)); err != nil {
		return err
	}
	fresh, err := s.engine.db.Conn(ctx)
	if err != nil {
		return err
	}
	s.locks.UnlockAll()
	old, own, values := s.conn, s.own, s.settings.values
	s.useConn(fresh, ownState{}, map[string]string{})
	if err := s.startAgain(ctx); err != nil {
		s.useConn(old, own, values)
		return closeAfter(err, fresh.Close)
	}
	return old.Close()
}

// useConn makes a connection the session's, with what DuckDB has set there and the values
// that the session keeps.
func (s *Session) useConn(conn *duckbackend.Conn, own ownState, values map[string]string) {
	s.conn, s.own, s.settings.values = conn, own, values
	s.activity.UseConn(conn.ID())
	s.settings.parse()
	s.generation++
}

// startAgain gives a fresh connection what the session began with.
func (s *Session) startAgain(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(s.settings.initial)) {
		v := variables[name]
		if v == nil || v.duck == "" {
			continue
		}
		if err := s.setDuck(ctx, v, s.settings.initial[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.settings.began)) {
		if err := s.conn.Exec(ctx, s.settings.began[name]); err != nil {
			return err
		}
	}
	return s.readOwn(ctx)
}
