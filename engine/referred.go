package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB deletes a row and adds it again where an UPDATE sets a column with an index, even
// to the value that it has, and refuses that for a row to which others refer. Mappers set
// all columns of a row. Such an UPDATE becomes a MERGE in which a row that keeps the values of
// its indexed columns has only the others set, which DuckDB does in place.

// referredTable is a table to which others refer, or the table itself.
type referredTable struct {
	// kept are the types of the columns whose values DuckDB does not change in place, by names
	// in lower case; spare is another column. Empty: nothing refers to the table, or all columns
	// are kept.
	kept  map[string]string
	spare string
}

func (t referredTable) keptType(column string) (typeText string, ok bool) {
	typeText, ok = t.kept[load.Fold(column)]
	return typeText, ok
}

func (t referredTable) keeps(column string) bool {
	_, ok := t.keptType(column)
	return ok
}

// keepReferred makes a MERGE of an UPDATE that sets indexed columns of a table to which
// others refer.
func (p *Prepared) keepReferred(ctx context.Context) error {
	if p.class.Kind != sqlfront.ClassUpdate {
		return nil
	}
	update, ok := sqlfront.ParseUpdate(p.sql)
	if !ok {
		return nil
	}
	table, err := p.session.referredNamed(ctx, update.Table)
	if err != nil || table.spare == "" || !slices.ContainsFunc(update.Columns, table.keeps) {
		return err
	}
	edits := update.Keeping(table.keptType, table.spare)
	if len(edits) == 0 {
		return nil
	}
	return p.bindInstead(ctx, edits, func() { p.updates = true })
}

// bindInstead binds another text in the place of one that is bound, which stays if that fails.
func (p *Prepared) bindInstead(ctx context.Context, edits sqlfront.Edits, note func()) error {
	before := *p
	err := p.edit(ctx, edits)
	if err == nil {
		note()
		err = p.bindTyped(ctx)
	}
	var e *sqlerr.Error
	if err == nil || !errors.As(err, &e) || e.Code == sqlerr.QueryCanceled {
		return errors.Join(err, before.Close())
	}
	*p = before // which has been bound
	return nil
}

// explainReferred says in the error for a row to which others refer what may be done.
func (p *Prepared) explainReferred(ctx context.Context, err error) error {
	var e *sqlerr.Error
	changes := p.updates || changesRows[p.class.Kind]
	if err == nil || !changes && p.class.Kind != sqlfront.ClassDelete || !errors.As(err, &e) || e.Code != sqlerr.ForeignKeyViolation || e.Hint != "" ||
		!strings.Contains(e.Message, "still referenced") {
		return err
	}
	var hints []string
	by, failed := p.session.referringWritten(ctx)
	if failed != nil {
		return errors.Join(err, failed)
	}
	if by != "" {
		hints = append(hints, "This transaction has written table "+strconv.Quote(by)+", which refers to it, and DuckDB finds rows that it has deleted or changed there until it commits: COMMIT between the two statements.")
	}
	if changes {
		hints = append(hints, "DuckDB deletes a row and adds it again where a column with an index gets another value, by ON CONFLICT, and with RETURNING. "+
			"Leave RETURNING out, drop the index, or change the rows that refer to it first.")
	}
	if len(hints) == 0 {
		return err
	}
	explained := *e
	return explained.WithHint("%s", strings.Join(hints, " "))
}

// referringWritten is a table with a foreign key to what the session's statement writes that an earlier
// statement of the transaction has written; empty: there is none. It is asked on another connection, since
// the transaction has failed.
func (s *Session) referringWritten(ctx context.Context) (name string, err error) {
	if s.intent == nil || s.tx.status != TxActive {
		return "", nil
	}
	err = s.engine.workers.lend(ctx, func(c *duckbackend.Conn) error {
		keys, err := textRows(ctx, c, "SELECT database_name, schema_name, table_name, referenced_table FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' ORDER BY ALL")
		for _, k := range keys {
			by := load.Table{Catalog: k[0], Schema: k[1], Name: k[2]}
			to := load.Table{Catalog: k[0], Schema: k[1], Name: k[3]}
			isTo := func(t load.Table) bool { return t.Folded() == to.Folded() }
			if slices.ContainsFunc(s.intent.Targets(), isTo) && s.intent.WroteBefore(by) {
				name = by.Name
				return nil
			}
		}
		return err
	})
	return name, err
}

// changesRows are the statements that change rows that are there.
var changesRows = map[sqlfront.ClassKind]bool{sqlfront.ClassUpdate: true, sqlfront.ClassInsert: true, sqlfront.ClassMerge: true}

// referredNamed is what is known of a table by its name as written.
func (s *Session) referredNamed(ctx context.Context, name []string) (t referredTable, err error) {
	version, stable := s.engine.catalog.Versions.Schema()
	key := quoteName(name)
	shared := stable && !s.isPrivate()
	if shared {
		if t, ok := s.engine.referred.Get(key, version); ok {
			return t, nil
		}
	}
	if err := errors.Join(s.detachOpen(ctx), s.enter(ctx)); err != nil {
		return t, err
	}
	of, err := s.relationOf(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: name})
	if err == nil && of != nil && !of.view {
		t, err = s.referredTable(ctx, *of)
	}
	if now, still := s.engine.catalog.Versions.Schema(); err == nil && shared && still && now == version {
		s.engine.referred.Keep(key, version, t)
	}
	return t, err
}

func (s *Session) referredTable(ctx context.Context, of relation) (t referredTable, err error) {
	columns, err := s.textRows(ctx, `SELECT `+load.FoldedSQL("column_name")+`, (data_type SIMILAR TO '.*\]|(MAP|UNION|STRUCT).*' OR `+load.FoldedSQL("column_name")+` IN (
SELECT `+load.FoldedSQL("unnest(constraint_column_names)")+` FROM duckdb_constraints() WHERE `+of.place()+` AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')))::VARCHAR, data_type
FROM duckdb_columns() WHERE `+of.place()+` AND EXISTS (FROM duckdb_constraints() k WHERE k.constraint_type = 'FOREIGN KEY'
AND k.database_name = `+quoteText(of.database)+" AND k.schema_name = "+quoteText(of.schema)+" AND "+load.FoldedSQL("k.referenced_table")+" = "+quoteText(load.Fold(of.name))+") ORDER BY column_index")
	if err != nil || len(columns) == 0 {
		return t, err
	}
	indexes, err := s.indexesOf(ctx, of)
	t.kept = map[string]string{}
	for _, c := range columns {
		switch {
		case c[1] == "true" || slices.ContainsFunc(indexes, func(i tableIndex) bool { return sqlfront.IndexMentions(i.sql, c[0]) }):
			t.kept[c[0]] = c[2]
		case t.spare == "":
			t.spare = c[0]
		}
	}
	return t, err
}
