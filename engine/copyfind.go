package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// castColumns are the batch's columns as a relation with the names and types of the
// table's, and rowid.
func (c *copyIn) castColumns() string {
	items := []string{"rowid AS trireme_row"}
	for i, col := range c.plan.Columns {
		items = append(items, "TRY_CAST("+copyColumn(i)+" AS "+col.Type.String()+") AS "+load.Quote(col.Name))
	}
	return "(SELECT " + strings.Join(items, ", ") + " FROM " + copyTable + ")"
}

// findKey finds the row whose key is there already. DuckDB's message has the key as
// text: with the names of its columns where it stood before, without where a row of
// the same transaction has it.
func (c *copyIn) findKey(ctx context.Context, conn *duckbackend.Conn, message string) (int, error) {
	first, last := strings.IndexByte(message, '"'), strings.LastIndexByte(message, '"')
	if first == last {
		return -1, nil
	}
	key, named := message[first+1:last], strings.HasPrefix(message, "Duplicate key")
	keys, err := c.uniqueKeys(ctx, conn)
	if err != nil {
		return -1, err
	}
	for _, columns := range keys {
		text, ok := c.keyText(columns, named)
		if !ok {
			continue
		}
		// Of several rows without the key before them the second is the first that fails.
		offset := "0"
		if !named {
			offset = "least(1, (SELECT count(*) - 1 FROM m))"
		}
		row, err := oneNumber(ctx, conn, "WITH m AS MATERIALIZED (SELECT trireme_row AS r FROM "+c.castColumns()+" WHERE "+text+" = "+quoteText(key)+
			") SELECT min(r) FROM (SELECT r, row_number() OVER (ORDER BY r) AS n FROM m) WHERE n > "+offset)
		if err != nil || row >= 0 {
			return int(row), err
		}
	}
	return -1, nil
}

// keyText is SQL for the text that DuckDB's message has for a key; false: not all of
// its columns are copied.
func (c *copyIn) keyText(columns []string, named bool) (string, bool) {
	var parts []string
	for i, name := range columns {
		if !c.copies(name) {
			return "", false
		}
		label := ""
		if i > 0 {
			label = ", "
		}
		if named {
			label += name + ": "
		}
		parts = append(parts, quoteText(label)+" || CAST("+load.Quote(name)+" AS VARCHAR)")
	}
	return strings.Join(parts, " || "), true
}

func (c *copyIn) copies(name string) bool {
	for _, col := range c.plan.Columns {
		if load.SameName(col.Name, name) {
			return true
		}
	}
	return false
}

// uniqueKeys are the columns of each primary key and unique constraint of the tables
// of the name that COPY has.
func (c *copyIn) uniqueKeys(ctx context.Context, conn *duckbackend.Conn) (keys [][]string, err error) {
	cur, err := conn.Query(ctx, "SELECT array_to_string(constraint_column_names, chr(31)) FROM duckdb_constraints() "+
		"WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE') AND "+load.FoldedSQL("table_name")+" = "+quoteText(load.Fold(c.plan.Table))+" ORDER BY 1")
	if err != nil {
		return nil, withoutPlace(err)
	}
	for {
		b, err := cur.Next(ctx)
		if err != nil || b == nil {
			return keys, errors.Join(err, cur.Close())
		}
		for i := range b.N {
			keys = append(keys, strings.Split(b.Cols[0].Str[i], "\x1f"))
		}
	}
}

// findUnchecked finds the first row that breaks the CHECK whose expression DuckDB's
// message has at its end.
func (c *copyIn) findUnchecked(ctx context.Context, conn *duckbackend.Conn, message string) (int, error) {
	_, check, ok := strings.Cut(message, " with expression CHECK")
	if !ok {
		return -1, nil
	}
	row, err := oneNumber(ctx, conn, "SELECT min(trireme_row) FROM "+c.castColumns()+" WHERE NOT "+check)
	return int(row), err
}

// findNested finds the first value of a column of lists and the like that does not
// fit, by casting ever smaller parts of the batch; -1: all fit.
func (c *copyIn) findNested(ctx context.Context, conn *duckbackend.Conn, col int, n int) (int, error) {
	fits := func(to int) (bool, error) {
		_, err := oneNumber(ctx, conn, fmt.Sprintf("SELECT count(CAST(%s AS %s)) FROM %s WHERE rowid < %d",
			copyColumn(col), c.plan.Columns[col].Type, copyTable, to))
		var e *sqlerr.Error
		if errors.As(err, &e) && strings.HasPrefix(e.Code, "22") {
			return false, nil
		}
		return err == nil, err
	}
	if all, err := fits(n); all || err != nil {
		return -1, err
	}
	low, high := 0, n // the rows before low fit, those before high do not
	for high-low > 1 {
		middle := (low + high) / 2
		ok, err := fits(middle)
		if err != nil {
			return -1, err
		}
		if ok {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}
