package slt

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// shown is how many rows of either side a mismatch quotes.
const shown = 8

// checker compares results with what files want.
type checker struct {
	dialect       Dialect
	toleranceRel  float64
	hashThreshold int // values; 0: none
	expand        func(string) string
	labels        func(label, hash string) (first string, known bool)
}

// result compares a query's result. The error says what differs.
func (c *checker) result(r *Record, got Result) error {
	if len(got.Columns) == 0 {
		return fmt.Errorf("the text has no statement")
	}
	values := c.render(r, got)
	sortValues(values, r.Sort, len(got.Columns))
	hash, isHash := "", len(r.Want) == 1 && hashLine.MatchString(r.Want[0])
	if isHash || r.Label != "" || c.hashThreshold > 0 && len(values) > c.hashThreshold {
		hash = hashOf(values, got)
	}
	if r.Label != "" {
		if first, known := c.labels(r.Label, hash); known && first != hash {
			return fmt.Errorf("%s, but the first query labelled %s gave %s", hash, r.Label, first)
		}
		if !isHash && c.dialect == DuckDB {
			return nil // its files may list the rows of such queries in any order
		}
	}
	if isHash {
		if r.Want[0] != hash {
			return fmt.Errorf("%s, want %s", hash, r.Want[0])
		}
		return nil
	}
	if hash != "" && len(r.Want) == 0 {
		return nil // only the hashes of queries with one label are compared
	}
	if len(r.Want) == 1 && strings.HasPrefix(r.Want[0], "<FILE>:") {
		return errSkip("expected rows in a file")
	}
	want, err := splitRows(r.Want, len(got.Columns), len(got.Rows))
	if err != nil {
		return fmt.Errorf("%w\ngot\n%s", err, rowsText(values, len(got.Columns)))
	}
	if len(r.Types) != len(got.Columns) {
		return fmt.Errorf("%d columns, want %d", len(got.Columns), len(r.Types))
	}
	return c.values(r, want, values, got.Columns)
}

// values compares cell by cell.
func (c *checker) values(r *Record, want, got []string, columns []Column) error {
	width := len(columns)
	for i := range got {
		if c.same(want[i], got[i], columns[i%width].OID) {
			continue
		}
		if r.Sort != NoSort { // the file's rows may be in another order of sorting
			sorted := slices.Clone(want)
			sortValues(sorted, r.Sort, width)
			if !slices.Equal(sorted, want) {
				again := *r
				again.Sort = NoSort
				return c.values(&again, sorted, got, columns)
			}
		}
		return fmt.Errorf("row %d, column %s: %q, want %q\ngot\n%s\nwant\n%s", i/width+1, columns[i%width].Name,
			got[i], want[i], rowsText(got, width), rowsText(want, width))
	}
	return nil
}

func (c *checker) render(r *Record, got Result) []string {
	values := make([]string, 0, len(got.Rows)*len(got.Columns))
	for _, row := range got.Rows {
		for i, cell := range row {
			letter := byte('T')
			if i < len(r.Types) {
				letter = r.Types[i]
			}
			values = append(values, render(cell, got.Columns[i].OID, c.dialect, letter))
		}
	}
	return values
}

// same compares two values in a type.
func (c *checker) same(want, got string, oid uint32) bool {
	if want == got {
		return true
	}
	if expanded := c.expand(want); expanded != want && expanded == got {
		return true
	}
	if pattern, ok := strings.CutPrefix(want, "<REGEX>:"); ok {
		return matches(pattern, got)
	}
	if pattern, ok := strings.CutPrefix(want, "<!REGEX>:"); ok {
		return !matches(pattern, got)
	}
	switch {
	case oid == pgtype.BoolOID:
		return boolDigit(want) == boolDigit(got)
	case isFloat(oid):
		return closeFloats(strings.TrimSpace(want), got, c.toleranceRel)
	case isNumeric(oid):
		return sameNumber(strings.TrimSpace(want), got, oid)
	}
	return false
}

// sameNumber compares exactly, after the cast of what is wanted to the type of
// an integer column, which rounds.
func sameNumber(want, got string, oid uint32) bool {
	a, okA := new(big.Rat).SetString(want)
	b, okB := new(big.Rat).SetString(got)
	if !okA || !okB {
		return false
	}
	if oid != pgtype.NumericOID {
		f, _ := a.Float64()
		if rounded, err := strconv.ParseInt(got, 10, 64); err == nil && !a.IsInt() {
			return math.RoundToEven(f) == float64(rounded)
		}
	}
	return a.Cmp(b) == 0
}

// matches reports whether all of text matches a pattern, in which a point is any
// character; a pattern that cannot be read matches nothing.
func matches(pattern, text string) bool {
	re, err := regexp.Compile(`(?s)\A(?:` + pattern + `)\z`)
	return err == nil && re.MatchString(text)
}

func boolDigit(text string) string {
	switch strings.ToLower(text) {
	case "true":
		return "1"
	case "false":
		return "0"
	}
	return text
}

func closeFloats(want, got string, tolerance float64) bool {
	a, errA := strconv.ParseFloat(want, 64)
	b, errB := strconv.ParseFloat(got, 64)
	switch {
	case errA != nil || errB != nil:
		return false
	case math.IsNaN(a) || math.IsNaN(b):
		return math.IsNaN(a) && math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// sortValues sorts the values of rows of a width in place.
func sortValues(values []string, sort Sort, width int) {
	switch sort {
	case NoSort:
	case ValueSort:
		slices.Sort(values)
	case RowSort:
		rows := make([][]string, 0, len(values)/width)
		for row := range slices.Chunk(slices.Clone(values), width) {
			rows = append(rows, row)
		}
		slices.SortFunc(rows, slices.Compare[[]string])
		copy(values, slices.Concat(rows...))
	}
}

var hashLine = regexp.MustCompile(`^[0-9]+ values hashing to [0-9a-f]{32}$`)

// hashOf is the line that stands for many values.
func hashOf(values []string, got Result) string {
	sum := md5.New()
	for i, v := range values {
		if got.Columns[i%len(got.Columns)].OID == pgtype.BoolOID {
			v = boolDigit(v)
		}
		sum.Write([]byte(v + "\n"))
	}
	return fmt.Sprintf("%d values hashing to %s", len(values), hex.EncodeToString(sum.Sum(nil)))
}

// splitRows makes a list of values of the lines that a file wants: one value a
// line, or one row of values between tabs.
func splitRows(lines []string, width, rows int) ([]string, error) {
	byRow := width > 1 && len(lines) == rows
	if !byRow {
		byRow = len(lines) > 0 && !slices.ContainsFunc(lines, func(l string) bool { return !strings.Contains(l, "\t") })
	}
	values := lines
	if byRow {
		values = nil
		for i, line := range lines {
			cells := strings.Split(line, "\t")
			if len(cells) != width { // tabs may stand together
				cells = slices.DeleteFunc(cells, func(c string) bool { return c == "" })
			}
			if len(cells) != width {
				return nil, fmt.Errorf("line %d of the expected rows has %d values for %d columns", i+1, len(cells), width)
			}
			values = append(values, cells...)
		}
	}
	if len(values) != width*rows {
		return nil, fmt.Errorf("%d rows of %d columns, want %d values", rows, width, len(values))
	}
	return values, nil
}

func rowsText(values []string, width int) string {
	var lines []string
	for row := range slices.Chunk(values, width) {
		if len(lines) == shown {
			lines = append(lines, fmt.Sprintf("... %d rows", len(values)/width))
			break
		}
		lines = append(lines, strings.Join(row, "\t"))
	}
	return strings.Join(lines, "\n")
}
