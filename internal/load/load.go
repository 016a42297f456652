// Package load says what must be scanned from a table to make one tensor.
//
// A Spec is data: translate makes it, duckbackend.Scan executes it, the tensor
// cache is keyed by it, and the decomposed backend renders it as a common
// table expression. All expressions are SQL printed by the one SQL printer
// over the columns of the table, unqualified, names quoted.
package load

import (
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// Table is a resolved table name.
type Table struct {
	Catalog, Schema, Name string
}

// SQL returns the quoted, fully qualified name.
func (t Table) SQL() string {
	return Quote(t.Catalog) + "." + Quote(t.Schema) + "." + Quote(t.Name)
}

// Folded is the name as DuckDB compares names: that of another table is different.
func (t Table) Folded() Table {
	return Table{Catalog: Fold(t.Catalog), Schema: Fold(t.Schema), Name: Fold(t.Name)}
}

// Quote returns a name as a quoted SQL identifier.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Fold returns a name as DuckDB compares names: letters of ASCII in lower case, all others
// as they are, so that "É" and "é" are two tables.
func Fold(name string) string {
	for i := 0; i < len(name); i++ {
		if isCapital(name[i]) {
			b := []byte(name)
			for ; i < len(b); i++ {
				if isCapital(b[i]) {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return name
}

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// SameName reports whether two names are one to DuckDB.
func SameName(a, b string) bool { return len(a) == len(b) && Fold(a) == Fold(b) }

// FoldedSQL is SQL that folds the name that an expression has. lower() changes letters that
// Fold does not.
func FoldedSQL(expr string) string {
	return "system.main.translate(" + expr + ", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"
}

// NullRule says what becomes of a row whose key is NULL (SEMANTICS section 3).
type NullRule uint8

const (
	// DropNull: the row is dropped; inner equality.
	DropNull NullRule = iota
	// KeepNull: NULL is one coordinate that equals itself; GROUP BY, DISTINCT.
	KeepNull
)

// Key is one mode of the tensor.
type Key struct {
	// Expr is the SQL of the key; empty when RowIndex is set.
	Expr string
	Type rows.Type
	Null NullRule
	// RowIndex makes the key the number of the row in the scan (0, 1, ...), so
	// that one cell is one row.
	RowIndex bool
}

// Moment is how the rows that share a coordinate are summarised in a leaf
// (SEMANTICS section 2).
type Moment uint8

const (
	// Rows is the number of rows; no Expr. Always leaf 0, named "n".
	Rows Moment = iota
	// Sum is the sum of non-null values of Expr.
	Sum
	// Count is the number of non-null values of Expr.
	Count
	// Min is the least of the non-null values of Expr; the identity of MIN when
	// there is none.
	Min
	// Max is the greatest of them; the identity of MAX when there is none.
	Max
	// Product is the product of the non-null values of Expr, a DOUBLE; 1 when there
	// is none.
	Product
)

// Leaf is one value array on the tensor's structure.
type Leaf struct {
	Name   string
	Moment Moment
	Expr   string
	Type   rows.Type // type of Expr
}

// Param is a bound parameter value that Where and expressions use as $1, $2, ...
// Its value is in text form, cast to its type where it is used.
type Param struct {
	Type rows.Type
	Null bool
	Text string
}

// Spec is one load.
type Spec struct {
	Name   string // the tensor's name in the program; no part of the cache key
	Table  Table
	Keys   []Key
	Leaves []Leaf
	Where  string // predicate over the table's columns; empty: all rows
	Params []Param
}

// TypeError says that a column of a table, or an expression over it, is not of the type
// it had when the statement was bound: the table is another by now.
type TypeError struct {
	Expr       string
	Have, Want rows.Type
}

// Error names both types.
func (e *TypeError) Error() string {
	return fmt.Sprintf("%s is %s, but was %s when the statement was bound", e.Expr, e.Have, e.Want)
}

// CheckType returns a TypeError where values of a type cannot be read as those of
// another.
func CheckType(expr string, have, want rows.Type) error {
	if have.Physical() == want.Physical() {
		return nil
	}
	return &TypeError{Expr: expr, Have: have, Want: want}
}
