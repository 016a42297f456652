package slt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const separator = "----"

// Parse reads the text of a file. name is for error messages and the base of
// the relative paths of include.
func Parse(name, text string, dialect Dialect) ([]Record, error) {
	p := &parser{name: name, dialect: dialect, lines: strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")}
	records, err := p.block(false)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.directive+1, err)
	}
	return records, nil
}

type parser struct {
	name      string
	dialect   Dialect
	lines     []string
	at        int // the next line
	directive int // the line of the directive being read
	skipping  int // how many "mode skip" are open
	halted    bool
}

func blankOrComment(line string) bool {
	return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")
}

// block reads records to the end of the file, or of the loop when inLoop.
func (p *parser) block(inLoop bool) ([]Record, error) {
	var records []Record
	for !p.halted {
		for p.at < len(p.lines) && blankOrComment(p.lines[p.at]) {
			p.at++
		}
		if p.at == len(p.lines) {
			break
		}
		words, conditions, skip, err := p.header()
		if err != nil {
			return nil, err
		}
		switch {
		case skip || p.skipping > 0 && words[0] != "mode":
			p.toBlank()
			continue
		case words[0] == "endloop":
			if !inLoop {
				return nil, fmt.Errorf("endloop without a loop")
			}
			return records, nil
		}
		more, err := p.record(words, conditions)
		if err != nil {
			return nil, err
		}
		records = append(records, more...)
	}
	if inLoop && !p.halted {
		return nil, fmt.Errorf("the loop has no endloop")
	}
	return records, nil
}

// header reads skipif and onlyif lines and the words of the directive that they
// belong to; skip says that it is not for us.
func (p *parser) header() (words []string, conditions []Condition, skip bool, err error) {
	for {
		p.directive = p.at
		if p.at == len(p.lines) || blankOrComment(p.lines[p.at]) {
			return nil, nil, false, fmt.Errorf("skipif or onlyif without a record")
		}
		words = strings.Fields(p.lines[p.at])
		p.at++
		if words[0] != "skipif" && words[0] != "onlyif" {
			return words, conditions, skip, nil
		}
		if len(words) < 2 {
			return nil, nil, false, fmt.Errorf("%s needs a name", words[0])
		}
		skipif, name := words[0] == "skipif", strings.ToLower(words[1])
		if p.dialect == DuckDB {
			more, ok, err := parseCondition(name, skipif)
			if err != nil {
				return nil, nil, false, err
			}
			if ok {
				conditions = append(conditions, more...)
				continue
			}
		}
		skip = skip || slices.Contains(p.dialect.engines(), name) == skipif
	}
}

// toBlank skips the rest of a record.
func (p *parser) toBlank() {
	for p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) != "" {
		p.at++
	}
}

// record reads one record whose directive is given; include gives several.
func (p *parser) record(words []string, conditions []Condition) ([]Record, error) {
	r := Record{Line: p.directive + 1, Args: words[1:], Conditions: conditions}
	if need := argsMin[words[0]]; len(r.Args) < need {
		return nil, fmt.Errorf("%s needs %d words", words[0], need)
	}
	switch words[0] {
	case "statement":
		err := p.statement(&r)
		return []Record{r}, err
	case "query", "params":
		err := p.query(&r, words[0] == "params")
		return []Record{r}, err
	case "loop", "concurrentloop", "foreach", "concurrentforeach":
		err := p.loop(&r, words[0])
		return []Record{r}, err
	case "halt":
		p.halted = true
		return nil, nil
	case "tags":
		return nil, nil
	case "mode":
		switch r.Args[0] {
		case "skip":
			p.skipping++
			return nil, nil
		case "unskip":
			p.skipping--
			return nil, nil
		}
		r.Kind = Mode
	case "include":
		return p.include(r.Args)
	case "set":
		switch r.Args[0] {
		case "ignore_error_messages", "always_fail_error_messages":
			r.Kind = SetIgnored
		case "seed":
			r.Kind = SetSeed
		default:
			return nil, fmt.Errorf("unknown set %q", r.Args[0])
		}
	case "reset":
		if r.Args[0] != "label" {
			return nil, fmt.Errorf("unknown reset %q", r.Args[0])
		}
		r.Kind = ResetLabel
	default:
		kind, ok := simpleKinds[words[0]]
		if !ok {
			return nil, fmt.Errorf("unknown directive %q", words[0])
		}
		r.Kind = kind
	}
	return []Record{r}, nil
}

// argsMin is how many words a directive needs.
var argsMin = map[string]int{
	"statement": 1, "query": 1, "params": 1, "loop": 3, "concurrentloop": 3, "foreach": 2, "concurrentforeach": 2,
	"mode": 1, "include": 1, "set": 1, "reset": 2, "sleep": 2, "unzip": 1, "hash-threshold": 1, "require": 1,
	"require-env": 1, "test-env": 2,
}

// simpleKinds are the directives of one line whose words the runner reads.
var simpleKinds = map[string]Kind{
	"continue": Continue, "restart": Restart, "reconnect": Reconnect, "load": Load, "sleep": Sleep, "unzip": Unzip,
	"hash-threshold": HashThreshold, "require": Require, "require-env": RequireEnv, "test-env": TestEnv,
}

// sql reads the lines of a statement, up to "----", a comment or a blank line.
func (p *parser) sql() (string, error) {
	start := p.at
	for p.at < len(p.lines) && !blankOrComment(p.lines[p.at]) && p.lines[p.at] != separator {
		p.at++
	}
	if start == p.at {
		return "", fmt.Errorf("the record has no SQL")
	}
	return strings.Join(p.lines[start:p.at], "\n"), nil
}

// expected reads what follows "----", if it is there, up to a blank line.
func (p *parser) expected(r *Record) {
	r.want = [2]int{p.at, p.at}
	if p.at == len(p.lines) || p.lines[p.at] != separator {
		return
	}
	p.at++
	start := p.at
	for p.at < len(p.lines) && p.lines[p.at] != "" {
		p.at++
	}
	r.Want, r.want[1] = p.lines[start:p.at], p.at
}

func (p *parser) statement(r *Record) (err error) {
	switch r.Args[0] {
	case "ok":
		r.Expect = OK
	case "error":
		r.Expect = Fails
	case "maybe":
		r.Expect = Maybe
	case "debug":
		r.Expect = Debug
	case "count": // "statement count N" of another dialect
		return fmt.Errorf("statement count is not supported")
	default:
		return fmt.Errorf("unknown statement %q", r.Args[0])
	}
	if len(r.Args) > 1 && p.dialect == DuckDB {
		r.Connection = r.Args[1]
	}
	if r.SQL, err = p.sql(); err != nil {
		return err
	}
	p.expected(r)
	return nil
}

// query reads a query, or the params line before one.
func (p *parser) query(r *Record, params bool) (err error) {
	r.Kind = Query
	if params {
		r.Params = strings.Split(strings.Join(r.Args, " "), " ;; ")
		r.Args = nil
		if p.at < len(p.lines) {
			r.Args = strings.Fields(p.lines[p.at])
			p.at++
		}
		if len(r.Args) < 2 || r.Args[0] != "query" {
			return fmt.Errorf("params without a query")
		}
		r.Args = r.Args[1:]
	}
	r.Types, r.types = r.Args[0], p.at-1
	if i := strings.IndexFunc(r.Types, func(c rune) bool { return c < 'A' || c > 'Z' }); i >= 0 {
		return fmt.Errorf("the types of the columns are %q, want capital letters", r.Types)
	}
	if len(r.Args) > 1 {
		sort, ok := sorts[r.Args[1]]
		if !ok {
			r.Connection = r.Args[1]
		}
		r.Sort = sort
	}
	if len(r.Args) > 2 {
		r.Label = r.Args[2]
	}
	if r.SQL, err = p.sql(); err != nil {
		return err
	}
	p.expected(r)
	return nil
}

var sorts = map[string]Sort{"none": NoSort, "nosort": NoSort, "rowsort": RowSort, "sort": RowSort, "valuesort": ValueSort}

// loop reads a loop with its body.
func (p *parser) loop(r *Record, word string) (err error) {
	r.Kind, r.Variable, r.Concurrent = Loop, r.Args[0], strings.HasPrefix(word, "concurrent")
	if strings.HasSuffix(word, "foreach") {
		r.Values = expandTokens(r.Args[1:])
	} else {
		from, err := strconv.Atoi(r.Args[1])
		if err != nil {
			return fmt.Errorf("the loop's start: %w", err)
		}
		to, err := strconv.Atoi(r.Args[2])
		if err != nil {
			return fmt.Errorf("the loop's end: %w", err)
		}
		for i := from; i < to; i++ {
			r.Values = append(r.Values, strconv.Itoa(i))
		}
	}
	start := p.directive
	if r.Body, err = p.block(true); err != nil {
		if p.at == len(p.lines) {
			p.directive = start
		}
		return err
	}
	return nil
}

// typeSets are the words of foreach that stand for several values.
var typeSets = map[string][]string{
	"<signed>":   {"tinyint", "smallint", "integer", "bigint", "hugeint"},
	"<unsigned>": {"utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"},
	"<integral>": {"<signed>", "<unsigned>"},
	"<numeric>":  {"<integral>", "float", "double"},
	"<alltypes>": {"<numeric>", "bool", "interval", "varchar"},
	"<compression>": {
		"none", "uncompressed", "rle", "bitpacking", "dictionary", "fsst", "dict_fsst", "alp",
		"alprd",
	},
	"<all_types_columns>": {
		"bool", "tinyint", "smallint", "int", "bigint", "hugeint", "uhugeint", "utinyint",
		"usmallint", "uint", "ubigint", "date", "time", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns",
		"time_tz", "timestamp_tz", "float", "double", "dec_4_1", "dec_9_4", "dec_18_6", "dec38_10", "uuid", "interval",
		"varchar", "blob", "bit", "small_enum", "medium_enum", "large_enum", "int_array", "double_array", "date_array",
		"timestamp_array", "timestamptz_array", "varchar_array", "nested_int_array", "struct", "struct_of_arrays",
		"array_of_structs", "map", "union", "fixed_int_array", "fixed_varchar_array", "fixed_nested_int_array",
		"fixed_nested_varchar_array", "fixed_struct_array", "struct_of_fixed_array", "fixed_array_of_int_list",
		"list_of_fixed_int_array",
	},
}

// expandTokens replaces the names of sets; "!x" takes x away again.
func expandTokens(words []string) []string {
	var out []string
	for _, w := range words {
		set, isSet := typeSets[strings.ToLower(w)]
		removed, minus := strings.CutPrefix(w, "!")
		at := slices.Index(out, removed)
		switch {
		case isSet:
			out = append(out, expandTokens(set)...)
		case minus && at >= 0:
			out = slices.Delete(out, at, at+1)
		default:
			out = append(out, w)
		}
	}
	return out
}

// include reads other files in the place of the directive.
func (p *parser) include(patterns []string) ([]Record, error) {
	var records []Record
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(filepath.Dir(p.name), pattern))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("include %s: no such file", pattern)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			more, err := Parse(name, string(text), p.dialect)
			if err != nil {
				return nil, err
			}
			records = append(records, more...)
		}
	}
	return records, nil
}
