package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// modes are the characteristics of a transaction. DuckDB has one isolation level,
// snapshot: the level asked for is noted and shown, no more.
type modes struct {
	isolation            string
	readOnly, deferrable bool
	// strict: the client has asked for a level at which the snapshot must not change.
	strict bool
}

// isStrict reports whether an isolation level that a client asks for excludes that a
// statement sees what has been committed since the transaction began.
func isStrict(isolation string) bool {
	return isolation == "repeatable read" || isolation == "serializable"
}

// defaultModes are those of a transaction that says nothing.
func (s *Session) defaultModes() modes {
	asked, started := s.settings.values["default_transaction_isolation"], s.settings.initial["default_transaction_isolation"]
	return modes{
		strict:     isStrict(cmp.Or(asked, started)),
		isolation:  s.settings.get("default_transaction_isolation"),
		readOnly:   s.settings.get("default_transaction_read_only") == "on",
		deferrable: s.settings.get("default_transaction_deferrable") == "on",
	}
}

// with returns m with what a statement says.
func (m modes) with(said *sqlfront.TransactionModes) modes {
	if said == nil {
		return m
	}
	if said.Isolation != "" {
		m.isolation, m.strict = said.Isolation, isStrict(said.Isolation)
	}
	if said.ReadOnly != nil {
		m.readOnly = *said.ReadOnly
	}
	if said.Deferrable != nil {
		m.deferrable = *said.Deferrable
	}
	return m
}

// currentModes are those of the open transaction, or of the next one.
func (s *Session) currentModes() modes {
	if s.tx.status == TxIdle {
		return s.defaultModes()
	}
	return s.tx.modes
}

// prepareModes makes SET TRANSACTION and SET SESSION CHARACTERISTICS.
func (s *Session) prepareModes(c sqlfront.Class) statement {
	if c.Scope == "session" {
		return &utility{keeps: true, run: func(ctx context.Context) (string, error) {
			if err := s.enterBlock(ctx); err != nil {
				return "", err
			}
			s.setDefaultModes(c.Modes)
			return "SET", nil
		}}
	}
	return &utility{keeps: true, run: func(ctx context.Context) (string, error) { return "SET", s.changeModes(ctx, c.Modes) }}
}

func (s *Session) setDefaultModes(said *sqlfront.TransactionModes) {
	m := s.defaultModes().with(said)
	for name, value := range map[string]string{
		"default_transaction_isolation":  m.isolation,
		"default_transaction_read_only":  onOff(m.readOnly),
		"default_transaction_deferrable": onOff(m.deferrable),
	} {
		if s.settings.get(name) == value {
			continue
		}
		if _, noted := s.tx.before[name]; s.tx.status == TxActive && !noted {
			s.tx.before[name] = s.settings.get(name)
		}
		s.settings.values[name] = value
	}
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// changeModes is SET TRANSACTION. DuckDB's transaction is read-only from its
// beginning or not at all, so a change is kept here, where it is enforced, too.
func (s *Session) changeModes(ctx context.Context, said *sqlfront.TransactionModes) error {
	if err := s.enterBlock(ctx); err != nil {
		return err
	}
	if s.tx.status == TxIdle {
		s.warn("SET TRANSACTION can only be used in transaction blocks", sqlerr.NoActiveTransaction)
		return nil
	}
	m := s.tx.modes.with(said)
	if s.tx.pin != 0 { // a statement has been run
		switch {
		case m.isolation != s.tx.modes.isolation:
			return sqlerr.New(sqlerr.ActiveTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
		case s.tx.modes.readOnly && !m.readOnly:
			return sqlerr.New(sqlerr.ActiveTransaction, "transaction read-write mode must be set before any query")
		}
	}
	s.tx.modes = m
	return nil
}

// admitWrite refuses what writes in a read-only transaction. Temporary tables may
// be written.
func (s *Session) admitWrite(ctx context.Context, c sqlfront.Class, sql string) error {
	if !s.currentModes().readOnly {
		return nil
	}
	word := s.writes(c)
	if word == "" && s.drawsNumbers(c, sql) {
		temporary, err := s.drawsTemporary(ctx, c, sql)
		if temporary || err != nil {
			return err
		}
		word = "nextval()"
	}
	if word != "" {
		return sqlerr.New(sqlerr.ReadOnlyTransaction, "cannot execute %s in a read-only transaction", word)
	}
	return nil
}

// temporarySchemas are Postgres' names of the schema of what is temporary.
var temporarySchemas = []string{"pg_temp", pgcatalog.TemporarySchema}

// drawsTemporary reports whether all sequences of which a statement draws numbers are temporary.
func (s *Session) drawsTemporary(ctx context.Context, c sqlfront.Class, sql string) (bool, error) {
	if named := s.statementNamed(c.Name); c.Kind == sqlfront.ClassExecute && named != nil {
		sql = named.sql
	}
	names := sqlfront.DrawnSequences(sql)
	if len(names) == 0 {
		return false, nil
	}
	list, err := s.textRows(ctx, "SELECT "+load.FoldedSQL("sequence_name")+" FROM duckdb_sequences() WHERE database_name = '"+catalog.Temporary+"'")
	if err != nil {
		return false, err
	}
	for _, name := range names {
		parts := splitOutsideQuotes(strings.TrimSpace(name), '.')
		for i := range parts {
			if parts[i], err = unquoteName(parts[i]); err != nil {
				return false, err
			}
		}
		last := len(parts) - 1
		inTemporary := last == 0 || load.SameName(parts[0], catalog.Temporary) || slices.Contains(temporarySchemas, load.Fold(parts[0]))
		if !inTemporary || !slices.ContainsFunc(list, func(row []string) bool { return row[0] == load.Fold(parts[last]) }) {
			return false, nil
		}
	}
	return true, nil
}

// drawsNumbers reports whether a statement calls nextval when it is executed.
func (s *Session) drawsNumbers(c sqlfront.Class, sql string) bool {
	m := sqlfront.MentionsOf(sql)
	switch c.Kind {
	case sqlfront.ClassExecute:
		named := s.statementNamed(c.Name)
		return named != nil && s.drawsNumbers(named.class, named.sql)
	case sqlfront.ClassPrepare, sqlfront.ClassAlter, sqlfront.ClassComment:
		return false
	case sqlfront.ClassExplain:
		return c.Analyze && m.Calls["nextval"]
	case sqlfront.ClassCreate: // without AS it is a default
		return m.As && m.Calls["nextval"]
	}
	return m.Calls["nextval"]
}

// writes names what a statement does to the database, "" if it only reads.
func (s *Session) writes(c sqlfront.Class) string {
	word := strings.ToUpper(c.Kind.String())
	switch c.Kind {
	case sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge:
		if s.isTemporary(c.Target) {
			return ""
		}
		return word
	case sqlfront.ClassCreate, sqlfront.ClassDrop, sqlfront.ClassAlter, sqlfront.ClassComment:
		if c.Temp || s.isTemporary(c.Target) {
			return ""
		}
		return strings.TrimSpace(word + " " + strings.ToUpper(c.Object))
	case sqlfront.ClassCopy:
		if c.CopyFrom && !s.isTemporary(c.Target) {
			return "COPY FROM"
		}
		if c.Body != "" {
			return s.writes(sqlfront.Classify(c.Body))
		}
	case sqlfront.ClassImport:
		return "IMPORT"
	case sqlfront.ClassSelect:
		if c.WritesUnknown {
			return "a data-modifying WITH"
		}
	case sqlfront.ClassExplain:
		if c.WritesUnknown || len(c.Writes) > 0 {
			return "EXPLAIN ANALYZE of what writes"
		}
	case sqlfront.ClassExecute:
		if named := s.statementNamed(c.Name); named != nil {
			return s.writes(named.class)
		}
	}
	return ""
}

// isTemporary reports whether a name is of a temporary object for certain.
func (s *Session) isTemporary(parts []string) bool {
	return len(parts) > 1 && strings.EqualFold(parts[0], "temp")
}
