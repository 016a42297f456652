package coverage

import (
	"embed"
	"fmt"
	"hash/fnv"
	"path"
	"strconv"
	"strings"
)

//go:embed queries/*.sql data/*.sql
var files embed.FS

// Query is one statement of the corpus.
type Query struct {
	Name   string // unique in the corpus
	Family string // "tpch", "graph", "bi", ...
	Data   string // the data set, a name that Script knows
	SQL    string // without the semicolon; {file} stands for the name of a file
	// Ordered: ORDER BY is total, so that the order of rows counts.
	Ordered bool
	// TermsMax bounds the sum of |term| of float results that may cancel; 0: they
	// do not, and their own size is the bound.
	TermsMax float64
	// Check is the SELECT over what a statement without rows has made, Undo the
	// statement that removes it; both empty for a SELECT.
	Check, Undo string
}

// HeldOut reports whether the query is kept from those who tune rules: one of
// three, by its name.
func (q *Query) HeldOut() bool {
	h := fnv.New32a()
	h.Write([]byte(q.Name))
	return h.Sum32()%3 == 0
}

// Queries returns the corpus: files in alphabetical order, queries as they stand
// in them. It fails on a malformed file and on a name that occurs twice.
func Queries() ([]Query, error) {
	entries, err := files.ReadDir("queries")
	if err != nil {
		return nil, err
	}
	var all []Query
	seen := map[string]bool{}
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("queries", e.Name()))
		if err != nil {
			return nil, err
		}
		queries, err := parse(e.Name(), string(text))
		if err != nil {
			return nil, err
		}
		for _, q := range queries {
			if seen[q.Name] {
				return nil, fmt.Errorf("%s: the name %s is taken", e.Name(), q.Name)
			}
			seen[q.Name] = true
		}
		all = append(all, queries...)
	}
	return all, nil
}

// parse reads a file: lines "-- key: value" of the file, then of each query its
// own after "-- name: NAME", and its statement up to a line that ends with a
// semicolon. Other comment lines are for people.
func parse(file, text string) ([]Query, error) {
	var out []Query
	var whole, current Query // what holds for the file; the query being read
	var sql []string
	for number, line := range strings.Split(text, "\n") {
		comment, isComment := strings.CutPrefix(line, "-- ")
		key, value, isKey := strings.Cut(comment, ": ")
		var err error
		switch {
		case len(sql) > 0 || !isComment && strings.TrimSpace(line) != "":
			if current.Name == "" {
				return nil, fmt.Errorf("%s:%d: a statement without a name", file, number+1)
			}
			body, last := strings.CutSuffix(line, ";")
			sql = append(sql, body)
			if last {
				current.SQL = strings.Join(sql, "\n")
				out, current, sql = append(out, current), Query{}, nil
			}
		case !isKey || strings.Contains(key, " "):
		case key == "name" && current.Name != "":
			err = fmt.Errorf("query %s has no statement", current.Name)
		case key == "name":
			current = whole
			current.Name = value
		case current.Name == "":
			err = whole.ofFile(key, value)
		default:
			err = current.ofQuery(key, value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number+1, err)
		}
	}
	if current.Name != "" {
		return nil, fmt.Errorf("%s: query %s has no end", file, current.Name)
	}
	if whole.Family == "" || whole.Data == "" {
		return nil, fmt.Errorf("%s: no family or no data", file)
	}
	return out, nil
}

func (q *Query) ofFile(key, value string) error {
	switch key {
	case "family":
		q.Family = value
	case "data":
		q.Data = value
	default:
		return fmt.Errorf("unknown key %q of a file", key)
	}
	return nil
}

func (q *Query) ofQuery(key, value string) (err error) {
	switch key {
	case "order":
		q.Ordered = true
		if value != "total" {
			err = fmt.Errorf("order is %q, want total", value)
		}
	case "float":
		if q.TermsMax, err = strconv.ParseFloat(value, 64); err == nil && q.TermsMax <= 0 {
			err = fmt.Errorf("float is %q, want a bound on the sum of terms", value)
		}
	case "check":
		q.Check = value
	case "undo":
		q.Undo = value
	default:
		err = fmt.Errorf("unknown key %q of a query", key)
	}
	return err
}
