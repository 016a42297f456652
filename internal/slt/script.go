package slt

import (
	"fmt"
	"strconv"
	"strings"
)

// Dialect is a flavour of the format.
type Dialect uint8

// DuckDB prints values as DuckDB casts them to text. SQLite prints them by the
// query's type letters: integers cut off, reals with three decimals.
const (
	DuckDB Dialect = iota
	SQLite
)

// ParseDialect reads "duckdb" or "sqlite".
func ParseDialect(name string) (Dialect, error) {
	switch name {
	case "duckdb":
		return DuckDB, nil
	case "sqlite":
		return SQLite, nil
	}
	return 0, fmt.Errorf("unknown dialect %q, want duckdb or sqlite", name)
}

// engines are the names under which skipif and onlyif mean us.
func (d Dialect) engines() []string {
	if d == SQLite {
		return []string{"duckdb", "postgresql"}
	}
	return []string{"duckdb"}
}

// Kind is what a record asks for.
type Kind uint8

// The kinds of records. Halt, mode skip and skipif with an engine's name are
// resolved by the reader.
const (
	Statement Kind = iota
	Query
	Loop
	Continue
	Restart
	Reconnect
	Load
	Sleep
	Unzip
	Mode
	HashThreshold
	ResetLabel
	Require
	RequireEnv
	TestEnv
	SetIgnored
	SetSeed
)

// Expect is how a statement must end.
type Expect uint8

// Maybe and Debug statements may end either way.
const (
	OK Expect = iota
	Fails
	Maybe
	Debug
)

// Sort is how the rows of a query are brought into an order before they are compared.
type Sort uint8

// RowSort orders rows, ValueSort all values on their own.
const (
	NoSort Sort = iota
	RowSort
	ValueSort
)

// Record is one directive of a file with what belongs to it.
type Record struct {
	Kind Kind
	Line int      // 1-based, of the directive
	Args []string // the directive's words after the first
	// Statement and Query.
	SQL        string
	Expect     Expect // of a Statement
	Connection string // "": the file's own
	Types      string // a letter per column of a Query
	Sort       Sort
	Label      string
	Want       []string // the lines after "----": values, rows or an error's text
	Params     []string // SQL literals for $1.., nil: none
	Conditions []Condition
	// want is the range of lines, 0-based and half open, which Rewrite replaces:
	// from "----" to the blank line.
	want [2]int
	// types is the line, 0-based, with the type letters of a Query.
	types int
	// Loop: Body runs once for each of Values, which replace Variable; both may
	// hold several with commas between.
	Variable   string
	Values     []string
	Concurrent bool
	Body       []Record
}

// Condition makes a record of a loop's body depend on the loop's variable.
type Condition struct {
	Variable string
	Op       string // = <> < <= > >=
	Value    string
	Skip     bool // skipif: the record is left out where the condition holds
}

// holds evaluates the condition for the variable's present value.
func (c *Condition) holds(value string) (bool, error) {
	switch c.Op {
	case "=":
		return value == c.Value, nil
	case "<>":
		return value != c.Value, nil
	}
	a, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return false, err
	}
	b, err := strconv.ParseInt(c.Value, 10, 64)
	if err != nil {
		return false, err
	}
	switch c.Op {
	case "<":
		return a < b, nil
	case "<=":
		return a <= b, nil
	case ">":
		return a > b, nil
	case ">=":
		return a >= b, nil
	}
	return false, fmt.Errorf("unknown comparison %q", c.Op)
}

// parseCondition reads "x=1&&y>2"; ok is false for a name without comparison.
func parseCondition(text string, skip bool) (conditions []Condition, ok bool, err error) {
	if !strings.ContainsAny(text, "=<>") {
		return nil, false, nil
	}
	for _, part := range strings.Split(text, "&&") {
		found := false
		for _, op := range []string{"<>", ">=", "<=", "=", ">", "<"} {
			variable, value, cut := strings.Cut(part, op)
			if cut {
				conditions = append(conditions, Condition{strings.TrimSpace(variable), op, strings.TrimSpace(value), skip})
				found = true
				break
			}
		}
		if !found {
			return nil, true, fmt.Errorf("%q is no condition", part)
		}
	}
	return conditions, true, nil
}
