package difftest

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Expect is who must answer a statement of the corpus.
type Expect uint8

// Tensor: the tensor engine, forced or not. DuckDB: outside the tensor
// fragment, so forced native refuses. Error: DuckDB and everybody else fails.
// Any: a border case that the front end may accept or refuse; whoever answers
// must give DuckDB's rows.
const (
	Tensor Expect = iota
	DuckDB
	Error
	Any
)

// Case is one statement of the corpus.
type Case struct {
	File string // base name, "joins.sql"
	Line int    // 1-based line of the name directive
	Name string // unique in the corpus
	SQL  string // without the semicolon
	// Expect and Detail: the words in parentheses of "duckdb (..)" and "any (..)",
	// the SQLSTATE class of "error ..".
	Expect Expect
	Detail string
	// Params are the values of $1.. as SQL literals.
	Params []string
	// Ordered is set when ORDER BY is total, so that the order of rows is compared too.
	Ordered bool
	// ToleranceAbs is how far float results may be apart: toleranceRel times the
	// bound on the sum of |term| that the float directive gives; 0: exact.
	ToleranceAbs float64
}

// toleranceRel is the tolerance of float sums per unit of the sum of |term|.
const toleranceRel = 1e-9

// SchemaFile is the corpus file with the tables.
const SchemaFile = "schema.sql"

// LoadCorpus reads the schema's text and all cases of a corpus folder, files in
// alphabetical order. It fails on a malformed or repeated directive, a repeated
// name and a statement without a name.
func LoadCorpus(folder fs.FS) (schema string, cases []Case, err error) {
	text, err := fs.ReadFile(folder, SchemaFile)
	if err != nil {
		return "", nil, err
	}
	files, err := fs.Glob(folder, "*.sql")
	if err != nil {
		return "", nil, err
	}
	seen := map[string]string{}
	for _, file := range files {
		if file == SchemaFile {
			continue
		}
		content, err := fs.ReadFile(folder, file)
		if err != nil {
			return "", nil, err
		}
		parsed, err := parseCases(path.Base(file), string(content))
		if err != nil {
			return "", nil, err
		}
		for _, c := range parsed {
			if other, dup := seen[c.Name]; dup {
				return "", nil, fmt.Errorf("%s:%d: name %s is also in %s", c.File, c.Line, c.Name, other)
			}
			seen[c.Name] = c.File
		}
		cases = append(cases, parsed...)
	}
	return string(text), cases, nil
}

// parseCases reads one file: directive lines, then the statement's lines up to
// one that ends with a semicolon.
func parseCases(file, content string) ([]Case, error) {
	var cases []Case
	var current *Case
	var expected bool
	var sql []string
	for number, line := range strings.Split(content, "\n") {
		fail := func(format string, args ...any) ([]Case, error) {
			return nil, fmt.Errorf("%s:%d: %s", file, number+1, fmt.Sprintf(format, args...))
		}
		directive, isComment := strings.CutPrefix(line, "-- ")
		switch {
		case isComment && len(sql) == 0:
			key, value, ok := strings.Cut(directive, ": ")
			if ok && key == "name" {
				if current != nil {
					return fail("case %s has no statement", current.Name)
				}
				current, expected = &Case{File: file, Line: number + 1, Name: value}, false
				continue
			}
			if current == nil {
				continue // a comment of the file
			}
			if err := current.directive(key, value); err != nil {
				return fail("%v", err)
			}
			expected = expected || key == "expect"
		case strings.TrimSpace(line) == "" && len(sql) == 0:
		case current == nil || !expected:
			return fail("statement without name and expect: %s", line)
		default:
			text, last := strings.CutSuffix(line, ";")
			sql = append(sql, text)
			if last {
				current.SQL = strings.Join(sql, "\n")
				cases = append(cases, *current)
				current, sql = nil, nil
			}
		}
	}
	if current != nil {
		return nil, fmt.Errorf("%s: case %s has no end", file, current.Name)
	}
	return cases, nil
}

// directive applies one "-- key: value" line.
func (c *Case) directive(key, value string) error {
	switch key {
	case "expect":
		return c.expect(value)
	case "params":
		c.Params = strings.Split(value, " ;; ")
		return nil
	case "order":
		c.Ordered = true
		if value != "total" {
			return fmt.Errorf("order is %q, want total", value)
		}
		return nil
	case "float":
		number, ok := strings.CutPrefix(value, "terms up to ")
		terms, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil || terms <= 0 {
			return fmt.Errorf("float is %q, want terms up to NUMBER", value)
		}
		c.ToleranceAbs = toleranceRel * terms
		return nil
	}
	return fmt.Errorf("unknown directive %q", key)
}

// expect parses the value of an expect directive.
func (c *Case) expect(value string) error {
	kind, detail, _ := strings.Cut(value, " ")
	reason, opened := strings.CutPrefix(detail, "(")
	reason, closed := strings.CutSuffix(reason, ")")
	reasoned := opened && closed && reason != ""
	switch {
	case kind == "tensor" && detail == "":
		c.Expect = Tensor
	case kind == "duckdb" && reasoned:
		c.Expect, c.Detail = DuckDB, reason
	case kind == "any" && reasoned:
		c.Expect, c.Detail = Any, reason
	case kind == "error" && len(detail) == 2:
		c.Expect, c.Detail = Error, detail
	default:
		return fmt.Errorf("cannot read expect: %q", value)
	}
	return nil
}
