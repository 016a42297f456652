package engine

import (
	"context"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB finds no row of the same statement when it checks a foreign key of a table to
// itself. The rows of such a table are moved in levels: first those that refer to none,
// then those that refer to rows of the levels before.

// levelColumn has the level of a row in the table in between.
const levelColumn = `"trireme: level"`

// levelRow and levelOther are rows of it, by names that no column has: r.a may be a field.
const levelRow, levelOther = `"trireme: row"`, `"trireme: other"`

// fastenOwn gives the table its foreign keys to itself again.
func (a *altering) fastenOwn(ctx context.Context) error {
	own := a.own
	a.own = nil
	if len(own) == 0 {
		return nil
	}
	return a.copy(ctx, a.of.name, func(items []string) []string {
		for _, key := range own {
			a.promise(key.name, key.text)
			items = append(items, key.text)
		}
		return items
	})
}

// moveLevels makes the table with foreign keys to itself of one without.
func (a *altering) moveLevels(ctx context.Context, old relation, text sqlfront.TableText, columns movedColumns, keys []sqlfront.ForeignKey) error {
	between, conn := old.between().sql(), a.session.conn
	if err := execAll(ctx, conn, "CREATE TABLE "+between+" AS SELECT "+columns.from+", NULL::INTEGER AS "+levelColumn+" FROM "+old.sql(),
		"DROP TABLE "+old.sql()); err != nil {
		return err
	}
	if err := a.make(ctx, a.of, text); err != nil {
		return err
	}
	for level := 0; ; level++ {
		err := execAll(ctx, conn, "UPDATE "+between+" "+levelRow+" SET "+levelColumn+" = "+strconv.Itoa(level)+" WHERE "+levelColumn+" IS NULL AND "+reached(between, keys),
			"INSERT INTO "+a.of.sql()+" ("+columns.names+") SELECT "+columns.names+" FROM "+between+" WHERE "+levelColumn+" = "+strconv.Itoa(level))
		if err != nil {
			return err
		}
		moved, err := oneNumber(ctx, conn, "SELECT count(*) FROM "+between+" WHERE "+levelColumn+" = "+strconv.Itoa(level))
		if err != nil {
			return err
		}
		if moved == 0 {
			break
		}
	}
	left, err := oneNumber(ctx, conn, "SELECT count(*) FROM "+between+" WHERE "+levelColumn+" IS NULL")
	if err != nil {
		return err
	}
	if left > 0 {
		return sqlerr.New(sqlerr.ForeignKeyViolation, "%d rows of table %q refer to none that is there, or to themselves, perhaps through others", left, a.of.name).
			WithHint("DuckDB keeps no row that refers to itself.")
	}
	return conn.Exec(ctx, "DROP TABLE "+between)
}

// reached is the condition that a row refers to rows of the levels before only.
func reached(between string, keys []sqlfront.ForeignKey) string {
	conditions := make([]string, len(keys))
	for i, key := range keys {
		var null, equal []string
		for n := range key.Columns {
			column := levelRow + "." + quoteName(key.Columns[n:n+1])
			null = append(null, column+" IS NULL")
			equal = append(equal, levelOther+"."+quoteName(key.Referred[n:n+1])+" = "+column)
		}
		conditions[i] = "(" + strings.Join(null, " OR ") + " OR EXISTS (SELECT 1 FROM " + between + " " + levelOther + " WHERE " + levelOther + "." + levelColumn + " IS NOT NULL AND " +
			strings.Join(equal, " AND ") + "))"
	}
	return strings.Join(conditions, " AND ")
}
