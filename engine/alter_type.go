package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB's log has of a column's new type the expression, not the values: whoever opens the file
// after a crash evaluates it again, without the session's settings, temporary objects and
// search path, and with other random numbers and sequences that have counted on. So the
// rows are written anew, but where types are converted in one way only.

// plainTypes are those between which values are converted in one way only.
const plainTypes = `('BOOLEAN', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT', 'FLOAT', 'DOUBLE', 'DECIMAL',
 'VARCHAR', 'BLOB', 'BIT', 'UUID', 'DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'INTERVAL', 'JSON')`

// isPlain is the condition that the type of a name is one of plainTypes.
func isPlain(name string) string { return "split_part(" + name + ", '(', 1) IN " + plainTypes }

// keepDefault writes the rows of a table anew to which a column has been added, where the text
// that is its default means what the session's settings say.
func (a *altering) keepDefault(ctx context.Context, column string) error {
	n, err := oneNumber(ctx, a.session.conn, "SELECT count(*) FROM duckdb_columns() WHERE "+a.of.place()+" AND "+load.FoldedSQL("column_name")+" = "+quoteText(load.Fold(column))+
		" AND NOT ("+isPlain("data_type")+" OR starts_with(data_type, 'ENUM('))")
	if n == 0 || err != nil {
		return err
	}
	return a.loosen(ctx, func(items []string) []string { return items })
}

// retype gives a column another type if that is not left to DuckDB, which changes none of
// a column with constraints; false: it is, or the action does something else.
func (a *altering) retype(ctx context.Context, action sqlfront.AlterAction) (done bool, err error) {
	altered, ok := sqlfront.TypeOfAlter(action.Rest)
	if !ok || altered.Collates {
		return false, nil
	}
	column, err := a.storedColumn(ctx, action.Column)
	if column == "" || err != nil {
		return false, err
	}
	if strings.EqualFold(altered.Type, "jsonb") {
		altered.Type = "JSON"
	}
	if altered.Using == "" {
		altered.Using = load.Quote(column)
		if same, plain, err := a.conversion(ctx, column, altered.Type); same || plain || err != nil {
			return same, err
		}
	}
	if err := a.checkUsing(ctx, &altered); err != nil {
		return false, err
	}
	a.computed = map[string]string{column: "CAST((" + altered.Using + ") AS " + altered.Type + ")"}
	defer func() { a.computed = nil }()
	return true, a.loosen(ctx, func(items []string) []string { return sqlfront.Retyped(items, column, altered.Type) })
}

// storedColumn is the table's name of a column; empty: there is none, or it is calculated.
func (a *altering) storedColumn(ctx context.Context, name string) (string, error) {
	text, err := a.text(ctx)
	if i := slices.IndexFunc(text.Stored, func(stored string) bool { return load.SameName(stored, name) }); i >= 0 {
		return text.Stored[i], err
	}
	return "", err
}

// conversion says whether a column has a type already, and whether DuckDB may give it that type.
func (a *altering) conversion(ctx context.Context, column, typ string) (same, plain bool, err error) {
	list, err := a.session.textRows(ctx, "SELECT (data_type = made)::VARCHAR, ("+isPlain("data_type")+" AND "+isPlain("made")+")::VARCHAR"+
		" FROM duckdb_columns(), (SELECT typeof(CAST(NULL AS "+typ+")) AS made) WHERE "+a.of.place()+" AND column_name = "+quoteText(column))
	if err != nil || len(list) == 0 {
		return false, false, err
	}
	same, plain = list[0][0] == "true", list[0][1] == "true"
	if same || !plain {
		return same, false, nil
	}
	n, err := a.constraintsOn(ctx, column, "list_contains(constraint_column_indexes, place)")
	return false, n == 0, err
}

// checkUsing has the error of an expression that has no value for a row alone, and finds out
// what type is meant where none is said.
func (a *altering) checkUsing(ctx context.Context, altered *sqlfront.AlteredType) error {
	err := a.session.conn.Exec(ctx, "SELECT NULL FROM "+a.of.sql()+" WHERE ("+altered.Using+") IS NULL LIMIT 0")
	if err != nil {
		e := *sqlerr.From(withoutPlace(err))
		e.Message = strings.ReplaceAll(e.Message, "WHERE clause", "USING")
		return &e
	}
	if altered.Type != "" {
		return nil
	}
	list, err := a.session.textRows(ctx, "SELECT column_type FROM (DESCRIBE SELECT "+altered.Using+" FROM "+a.of.sql()+")")
	if err == nil {
		altered.Type = list[0][0]
	}
	return err
}
