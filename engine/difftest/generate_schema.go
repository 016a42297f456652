package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// colType is a column type of the generator.
type colType uint8

const (
	typeInteger colType = iota
	typeBigint
	typeSmallint
	typeVarchar
	typeDate
	typeDecimal
	typeDouble
	typeBoolean
	// The types of sums in derived tables.
	typeHugeint
	typeDecimal38
)

var typeSQL = []string{
	"INTEGER", "BIGINT", "SMALLINT", "VARCHAR", "DATE", "DECIMAL(9,2)", "DOUBLE", "BOOLEAN", "HUGEINT", "DECIMAL(38,2)",
}

var typeFeature = map[colType]string{
	typeBigint: "type_bigint", typeSmallint: "type_smallint", typeDate: "type_date", typeDecimal: "type_decimal",
	typeDouble: "type_double", typeBoolean: "type_boolean",
}

func (t colType) integer() bool {
	return t == typeInteger || t == typeBigint || t == typeSmallint || t == typeHugeint
}

func (t colType) numeric() bool {
	return t.integer() || t == typeDecimal || t == typeDecimal38 || t == typeDouble
}

// column is a column as later choices need it.
type column struct {
	name string
	typ  colType
	// key columns share their name and type between tables.
	key bool
	// hasNull is whether a value is NULL.
	hasNull bool
	// sum is set for a sum in a derived table: too large for a product.
	sum bool
	// absMax bounds the values of a numeric column.
	absMax float64
}

// table is a base table, a derived table or a common table expression.
type table struct {
	name    string // as written in FROM
	plain   string // usable as its own alias; empty when qualified
	columns []column
	rowsMax int
	// depth is how many aggregates are nested in it.
	depth     int
	qualified bool
	quoted    bool
	cte       bool
}

// database is a random schema.
type database struct {
	ddl    []string
	tables []*table
	floats bool
}

// quarters is the number of quarter steps on each side of zero of a random measure.
const quarters = 24

func newDatabase(rng *rand.Rand, floats bool) *database {
	db := &database{floats: floats, ddl: []string{"CREATE SCHEMA s"}}
	keyTypes := []colType{typeInteger, typeInteger, typeBigint, typeVarchar, typeDate, typeSmallint, typeDecimal, typeBoolean}
	if !floats {
		keyTypes = append(keyTypes, typeDouble)
	}
	keys := []column{{name: "k"}, {name: "j"}}
	for i := range keys {
		keys[i].typ, keys[i].key = pick(rng, keyTypes), true
	}
	for i := range 2 + rng.IntN(4) {
		db.addTable(rng, i, keys)
	}
	return db
}

func (db *database) addTable(rng *rand.Rand, number int, keys []column) {
	t := &table{name: fmt.Sprintf("t%d", number)}
	switch rng.IntN(10) {
	case 0:
		t.name, t.quoted = fmt.Sprintf(`"Table %d"`, number), true
	case 1, 2:
		t.name, t.qualified = fmt.Sprintf("s.t%d", number), true
	}
	if !t.qualified {
		t.plain = t.name
	}
	t.columns = append(t.columns, keys[0])
	if rng.IntN(3) > 0 {
		t.columns = append(t.columns, keys[1])
	}
	measures := []colType{
		typeInteger, typeInteger, typeBigint, typeSmallint, typeDecimal, typeDouble, typeDouble, typeVarchar, typeDate, typeBoolean,
	}
	for len(t.columns) < 4 && (len(t.columns) < 2 || rng.IntN(3) > 0) {
		name := fmt.Sprintf("m%d%c", number, 'a'+len(t.columns))
		if rng.IntN(12) == 0 {
			name = fmt.Sprintf(`"m %d %c"`, number, 'a'+len(t.columns))
		}
		t.columns = append(t.columns, column{name: name, typ: pick(rng, measures)})
	}
	if rng.IntN(14) > 0 {
		t.rowsMax = 1 + rng.IntN(12)
	}
	db.fill(rng, t)
	db.tables = append(db.tables, t)
}

// fill writes the table's DDL and rows and learns where the NULLs are.
func (db *database) fill(rng *rand.Rand, t *table) {
	var definitions, lines []string
	nullPercent := make([]int, len(t.columns))
	for i, c := range t.columns {
		definitions = append(definitions, c.name+" "+typeSQL[c.typ])
		nullPercent[i] = pick(rng, []int{0, 0, 10, 15, 40})
	}
	for range t.rowsMax {
		if len(lines) > 0 && rng.IntN(5) == 0 {
			lines = append(lines, pick(rng, lines)) // a duplicate row
			continue
		}
		var cells []string
		for i := range t.columns {
			cell := db.randomValue(rng, &t.columns[i])
			if rng.IntN(100) < nullPercent[i] {
				cell, t.columns[i].hasNull = "NULL", true
			}
			cells = append(cells, cell)
		}
		lines = append(lines, "("+strings.Join(cells, ", ")+")")
	}
	db.ddl = append(db.ddl, fmt.Sprintf("CREATE TABLE %s (%s)", t.name, strings.Join(definitions, ", ")))
	if len(lines) > 0 {
		db.ddl = append(db.ddl, fmt.Sprintf("INSERT INTO %s VALUES %s", t.name, strings.Join(lines, ", ")))
	}
}

// randomValue is a literal from the column's domain: few values for keys, so
// that joins meet; measures around zero, multiples of a quarter unless floats are arbitrary.
func (db *database) randomValue(rng *rand.Rand, c *column) string {
	c.absMax = 8
	switch {
	case c.typ == typeDouble && db.floats:
		return strconv.FormatFloat((rng.Float64()-0.5)*16, 'g', -1, 64) + "::DOUBLE"
	case c.key:
		return keyLiteral(rng, c.typ)
	case c.typ == typeDouble || c.typ == typeDecimal:
		return strconv.FormatFloat(float64(rng.IntN(2*quarters+1)-quarters)/4, 'f', 2, 64)
	case c.typ.integer():
		return strconv.Itoa(rng.IntN(13) - 6)
	default:
		return keyLiteral(rng, c.typ)
	}
}

var (
	textDomain = []string{"'a'", "'b'", "'A'", "''", "'it''s'", "'é'", "'a b'", "'🚣'"}
	dateDomain = []string{"DATE '2024-02-29'", "DATE '2024-03-01'", "DATE '1969-12-31'", "DATE '2023-01-15'"}
)

// keyLiteral is a literal from a small domain of the type.
func keyLiteral(rng *rand.Rand, t colType) string {
	switch t {
	case typeVarchar:
		return pick(rng, textDomain[:6])
	case typeDate:
		return pick(rng, dateDomain)
	case typeBoolean:
		return pick(rng, []string{"true", "false"})
	case typeDouble:
		return pick(rng, []string{"0.25", "-1.5", "0.0", "2.0"})
	case typeDecimal, typeDecimal38:
		return pick(rng, []string{"0.25", "-1.50", "0.00", "2.00"})
	default:
		return strconv.Itoa(rng.IntN(5) - 1)
	}
}
