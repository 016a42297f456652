package slt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// Oracle says what is right.
type Oracle interface {
	// Exec runs a statement without rows.
	Exec(sql string) error
	// Query returns rows whose cells are in DuckDB's text; params are SQL literals
	// for $1.. or nil.
	Query(sql string, params []string) (Result, error)
}

// hashedFrom is how many values a recorded result has before a hash stands for it.
const hashedFrom = 400

// Rewrite returns the text of a file with the rows of all queries, the letters
// of their types, and the texts of all errors, replaced by what the oracle says.
// Files with loops, several connections or restarts cannot be recorded.
func Rewrite(name, text string, oracle Oracle) (string, error) {
	records, err := Parse(name, text, DuckDB)
	if err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	var out []string
	var failed []error
	from := 0
	for i := range records {
		r := &records[i]
		want, err := recorded(r, oracle)
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("%s:%d: %w\n%s", name, r.Line, err, r.SQL))
			continue
		case want == nil:
			continue
		}
		if r.Kind == Query {
			typed := r.types
			lines[typed] = strings.Replace(lines[typed], "query "+r.Types, "query "+want.types, 1)
		}
		out = append(append(out, lines[from:r.want[0]]...), want.lines...)
		from = r.want[1]
	}
	return strings.Join(append(out, lines[from:]...), "\n"), errors.Join(failed...)
}

// recording is what takes the place of a record's types and of all from its "----" on.
type recording struct {
	types string
	lines []string
}

// recorded runs one record; nil: leave the record as it is.
func recorded(r *Record, oracle Oracle) (*recording, error) {
	switch {
	case r.Connection != "" || len(r.Conditions) > 0:
		return nil, fmt.Errorf("connections and conditions cannot be recorded")
	case r.Kind == Query:
		result, err := oracle.Query(r.SQL, r.Params)
		if err != nil {
			return nil, err
		}
		return recordingOf(r, result)
	case r.Kind == Statement && r.Expect == OK:
		return nil, oracle.Exec(r.SQL)
	case r.Kind == Statement && r.Expect == Fails:
		err := oracle.Exec(r.SQL)
		if err == nil {
			return nil, fmt.Errorf("the statement succeeds, an error is wanted")
		}
		message, _, _ := strings.Cut(err.Error(), "\n\nLINE ")
		return &recording{lines: []string{separator, squeeze(message)}}, nil
	case r.Kind == HashThreshold || r.Kind == Mode:
		return nil, nil
	}
	return nil, fmt.Errorf("a record of this kind cannot be recorded")
}

// recordingOf prints a result as a file holds it.
func recordingOf(r *Record, result Result) (*recording, error) {
	width := len(result.Columns)
	rec := &recording{lines: []string{separator}}
	for _, c := range result.Columns {
		rec.types += typeLetter(c.OID)
	}
	var values []string
	for _, row := range result.Rows {
		for i, cell := range row {
			switch {
			case cell.Null:
				values = append(values, nullText)
			case cell.Text == "":
				values = append(values, emptyText)
			case strings.ContainsAny(cell.Text, "\t\n\r"):
				return nil, fmt.Errorf("a value has a line break or a tab: %q", cell.Text)
			case isFloat(result.Columns[i].OID):
				values = append(values, unsigned(cell.Text))
			default:
				values = append(values, cell.Text)
			}
		}
	}
	sortValues(values, r.Sort, width)
	if len(values) > hashedFrom {
		rec.lines = append(rec.lines, hashOf(values, result))
		return rec, nil
	}
	for row := range slices.Chunk(values, width) {
		rec.lines = append(rec.lines, strings.Join(row, "\t"))
	}
	return rec, nil
}

// typeLetter is the letter of a column: integer, real or text.
func typeLetter(oid uint32) string {
	switch {
	case isFloat(oid), oid == pgtype.NumericOID:
		return "R"
	case isNumeric(oid):
		return "I"
	}
	return "T"
}
