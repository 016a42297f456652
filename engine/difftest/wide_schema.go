package difftest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// domain is what columns of comparable types have in common: values of two
// domains never meet in a comparison.
type domain uint8

const (
	numbers domain = iota
	texts
	instants
	booleans
	zoned
	clocks
	spans
	identifiers
	octets
	moods
)

// wideType is a column type of the wide generator, with literals of a few values
// that all types of its domain can have.
type wideType struct {
	sql      string
	domain   domain
	integer  bool
	float    bool
	literals []string
}

var (
	naturalLiterals = []string{"0", "1", "2", "3"}
	signedLiterals  = []string{"-1", "0", "1", "2", "3"}
	decimalLiterals = []string{"-1.50", "0.00", "0.25", "1.00", "2.00"}
	doubleLiterals  = []string{"-1.5", "0.0", "-0.0", "0.25", "1.0", "2.0"}
	specialLiterals = []string{"'NaN'::DOUBLE", "'inf'::DOUBLE", "'-inf'::DOUBLE", "1.0", "-0.0", "0.25"}
)

// wideTypes are all types, those of one domain next to each other.
var wideTypes = []wideType{
	{sql: "TINYINT", integer: true, literals: signedLiterals},
	{sql: "SMALLINT", integer: true, literals: signedLiterals},
	{sql: "INTEGER", integer: true, literals: signedLiterals},
	{sql: "BIGINT", integer: true, literals: signedLiterals},
	{sql: "HUGEINT", integer: true, literals: signedLiterals},
	{sql: "UTINYINT", integer: true, literals: naturalLiterals},
	{sql: "USMALLINT", integer: true, literals: naturalLiterals},
	{sql: "UINTEGER", integer: true, literals: naturalLiterals},
	{sql: "UBIGINT", integer: true, literals: naturalLiterals},
	{sql: "DECIMAL(4,1)", literals: []string{"-1.5", "0.0", "1.0", "2.0"}},
	{sql: "DECIMAL(9,2)", literals: decimalLiterals},
	{sql: "DECIMAL(18,4)", literals: decimalLiterals},
	{sql: "DECIMAL(38,6)", literals: decimalLiterals},
	{sql: "DOUBLE", float: true, literals: doubleLiterals},
	{sql: "FLOAT", float: true, literals: doubleLiterals},
	{sql: "VARCHAR", domain: texts, literals: []string{"'a'", "'b'", "'A'", "''", "'it''s'", "'é'"}},
	{sql: "DATE", domain: instants, literals: []string{"DATE '2024-02-29'", "DATE '1969-12-31'", "DATE '2023-01-15'"}},
	{sql: "TIMESTAMP", domain: instants, literals: []string{"TIMESTAMP '2024-02-29 00:00:00'", "TIMESTAMP '1969-12-31 23:59:59.5'", "TIMESTAMP '2023-01-15 00:00:00'"}},
	{sql: "BOOLEAN", domain: booleans, literals: []string{"true", "false"}},
	{sql: "TIMESTAMPTZ", domain: zoned, literals: []string{"TIMESTAMPTZ '2024-02-29 00:00:00+00'", "TIMESTAMPTZ '1969-12-31 23:00:00+01'"}},
	{sql: "TIME", domain: clocks, literals: []string{"TIME '00:00:00'", "TIME '12:30:00.25'", "TIME '23:59:59'"}},
	{sql: "INTERVAL", domain: spans, literals: []string{"INTERVAL '1 month'", "INTERVAL '30 days'", "INTERVAL '2 hours'"}},
	{sql: "UUID", domain: identifiers, literals: []string{"'00000000-0000-0000-0000-000000000001'::UUID", "'ffffffff-0000-0000-0000-000000000001'::UUID"}},
	{sql: "BLOB", domain: octets, literals: []string{`'\x00a'::BLOB`, `'\xFF'::BLOB`, "''::BLOB"}},
	{sql: "mood", domain: moods, literals: []string{"'sad'::mood", "'ok'::mood", "'glad'::mood"}},
}

// farLiterals are values at the ends of the types, and texts that are longer than the
// storage of short ones. Those of 128 bits are far enough from the ends for sums of all
// rows, and to be compared with DECIMAL(38,6): whether DuckDB's own sum overflows
// depends on the order of the rows, and which keys it casts on its plan.
var farLiterals = map[string][]string{
	"TINYINT":       {"-128", "127", "0", "1"},
	"SMALLINT":      {"-32768", "32767", "0", "1"},
	"INTEGER":       {"-2147483648", "2147483647", "0", "1", "2"},
	"BIGINT":        {"-9223372036854775808", "9223372036854775807", "9223372036854775806", "9007199254740993", "0", "1"},
	"HUGEINT":       {"-10000000000000000000000000000000", "10000000000000000000000000000001", "9223372036854775808", "0", "1"},
	"UTINYINT":      {"255", "0", "1"},
	"USMALLINT":     {"65535", "0", "1"},
	"UINTEGER":      {"4294967295", "0", "1"},
	"UBIGINT":       {"18446744073709551615", "9223372036854775808", "0", "1"},
	"DECIMAL(4,1)":  {"999.9", "-999.9", "0.1"},
	"DECIMAL(9,2)":  {"9999999.99", "-9999999.99", "0.01", "1.00"},
	"DECIMAL(18,4)": {"99999999999999.9999", "-99999999999999.9999", "0.0001", "1.0000"},
	"DECIMAL(38,6)": {"999999999999999999999999999.999999", "-999999999999999999999999999.999999", "0.000001", "1.000000"},
	"DOUBLE":        {"9007199254740992.0", "9223372036854775807.0", "0.1", "1e-300", "-1e300", "1.0"},
	"FLOAT":         {"16777216.0", "0.1", "1e-30", "-1e30", "1.0"},
	"VARCHAR":       {"'the quick brown fox jumps'", "'the quick brown fox jumped'", "'the quick bro'", "'é'", "'é'", "'😀'", "' a '", "'a'"},
	"DATE":          {"DATE '0044-03-15 (BC)'", "DATE '9999-12-31'", "DATE '1582-10-15'", "DATE '2024-02-29'", "DATE '1970-01-01'"},
	"TIMESTAMP":     {"TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59.999999'", "TIMESTAMP '2024-02-29 00:00:00'", "TIMESTAMP '1970-01-01 00:00:00.000001'"},
	"TIME":          {"TIME '24:00:00'", "TIME '00:00:00.000001'", "TIME '12:30:00.25'"},
	"INTERVAL":      {"INTERVAL '-1 month'", "INTERVAL '1 month -30 days'", "INTERVAL '1 microsecond'", "INTERVAL '720 hours'"},
	"BLOB":          {`'\x00\x00'::BLOB`, `'\x00'::BLOB`, `'\xFF\xFE\xFD\xFC\xFB\xFA\x00\x01\x02\x03\x04\x05\x06\x07'::BLOB`},
}

// farMax bounds the values at the ends of a type of numbers.
func farMax(typ *wideType) float64 {
	most := 0.0
	for _, literal := range farLiterals[typ.sql] {
		v, err := strconv.ParseFloat(literalText(literal), 64)
		if err == nil {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

// wideColumn is a column of a relation, or an expression that stands for one.
type wideColumn struct {
	sql string
	typ *wideType
	// near: typ is only close to DuckDB's, and of its domain.
	near bool
	key  bool
	// nullable: a value may be NULL, or the column is padded.
	nullable bool
	// absMax bounds the values of a numeric column.
	absMax float64
	// rounded: the last bits of the values depend on the order of evaluation.
	rounded bool
	// source tells the elements of a FROM apart.
	source int
}

// wideTable is a base table.
type wideTable struct {
	name    string
	columns []wideColumn // sql is the bare name
	rowsMax int
}

// wideDatabase is a random schema of the wide generator.
type wideDatabase struct {
	ddl    []string
	tables []*wideTable
	// special: DOUBLE columns have NaN and infinities.
	special bool
	// far: columns have values at the ends of their types.
	far bool
}

// wideRowsMax is the most rows of a base table: small, so that products of four
// tables stay small for every backend and the interpreter.
const wideRowsMax = 7

func typeNamed(sql string) *wideType {
	for i := range wideTypes {
		if wideTypes[i].sql == sql {
			return &wideTypes[i]
		}
	}
	return nil
}

// keyTypeFor is a type for one table's key column: mostly the given one, now
// and then another of its domain.
func keyTypeFor(rng *rand.Rand, first *wideType) *wideType {
	if rng.IntN(4) > 0 {
		return first
	}
	var same []*wideType
	for i := range wideTypes {
		if wideTypes[i].domain == first.domain {
			same = append(same, &wideTypes[i])
		}
	}
	return pick(rng, same)
}

// keyTypes are drawn more often than the other types are.
var keyTypes = []string{"INTEGER", "INTEGER", "BIGINT", "VARCHAR", "DATE", "DOUBLE", "DECIMAL(9,2)"}

func newWideDatabase(rng *rand.Rand) *wideDatabase {
	db := &wideDatabase{special: rng.IntN(5) == 0, far: rng.IntN(5) == 0, ddl: []string{"CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad')"}}
	var keys [2]*wideType
	for i := range keys {
		keys[i] = typeNamed(pick(rng, keyTypes))
		if rng.IntN(3) == 0 {
			keys[i] = &wideTypes[rng.IntN(len(wideTypes))]
		}
	}
	if rng.IntN(5) < 2 {
		keys[1] = keys[0] // edges
	}
	for i := range 2 + rng.IntN(3) {
		db.addTable(rng, i, keys)
	}
	return db
}

func (db *wideDatabase) addTable(rng *rand.Rand, number int, keys [2]*wideType) {
	t := &wideTable{name: fmt.Sprintf("t%d", number)}
	for i, name := range []string{"k", "j"} {
		if i == 0 || rng.IntN(3) > 0 {
			t.columns = append(t.columns, wideColumn{sql: name, typ: keyTypeFor(rng, keys[i]), key: true, absMax: 3})
		}
	}
	measures := []string{"INTEGER", "INTEGER", "BIGINT", "SMALLINT", "DECIMAL(9,2)", "DOUBLE", "DOUBLE", "VARCHAR", "DATE", "BOOLEAN", "FLOAT"}
	for n := range 1 + rng.IntN(2) {
		typ := typeNamed(pick(rng, measures))
		if rng.IntN(4) == 0 {
			typ = &wideTypes[rng.IntN(len(wideTypes))]
		}
		t.columns = append(t.columns, wideColumn{sql: fmt.Sprintf("m%d%c", number, 'a'+n), typ: typ, absMax: 3})
	}
	if db.far {
		for i := range t.columns {
			t.columns[i].absMax = max(t.columns[i].absMax, farMax(t.columns[i].typ))
		}
	}
	if rng.IntN(12) > 0 {
		t.rowsMax = 1 + rng.IntN(wideRowsMax)
	}
	db.fill(rng, t)
	db.tables = append(db.tables, t)
}

// fill writes the table's DDL and rows and learns where the NULLs are.
func (db *wideDatabase) fill(rng *rand.Rand, t *wideTable) {
	var definitions, lines []string
	nullPercent := make([]int, len(t.columns))
	for i, c := range t.columns {
		definitions = append(definitions, c.sql+" "+c.typ.sql)
		nullPercent[i] = pick(rng, []int{0, 0, 15, 40})
	}
	for range t.rowsMax {
		if len(lines) > 0 && rng.IntN(5) == 0 {
			lines = append(lines, pick(rng, lines))
			continue
		}
		lines = append(lines, db.row(rng, t, nullPercent))
	}
	db.ddl = append(db.ddl, fmt.Sprintf("CREATE TABLE %s (%s)", t.name, strings.Join(definitions, ", ")))
	if len(lines) > 0 {
		db.ddl = append(db.ddl, fmt.Sprintf("INSERT INTO %s VALUES %s", t.name, strings.Join(lines, ", ")))
	}
}

// row is a row of a table, as VALUES has it; columns are NULL by chance.
func (db *wideDatabase) row(rng *rand.Rand, t *wideTable, nullPercent []int) string {
	cells := make([]string, len(t.columns))
	for i := range t.columns {
		cells[i] = db.cell(rng, &t.columns[i], nullPercent[i])
	}
	return "(" + strings.Join(cells, ", ") + ")"
}

func (db *wideDatabase) cell(rng *rand.Rand, c *wideColumn, nullPercent int) string {
	literals := c.typ.literals
	switch {
	case db.special && c.typ.sql == "DOUBLE":
		literals = specialLiterals
	case db.far && len(farLiterals[c.typ.sql]) > 0 && rng.IntN(2) == 0:
		literals = farLiterals[c.typ.sql]
	}
	if rng.IntN(100) < nullPercent {
		c.nullable = true
		return "NULL"
	}
	return pick(rng, literals)
}
