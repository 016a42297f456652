package duckbackend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Undetermined is the cause of the error for a statement with a parameter whose type
// neither DuckDB infers nor the caller knows.
type Undetermined struct{}

// Error says what is missing.
func (*Undetermined) Error() string { return "DuckDB does not infer the type of a parameter" }

func errUndetermined(n int) error {
	e := sqlerr.New(sqlerr.IndeterminateType, "could not determine data type of parameter $%d", n).
		WithHint("Say which type it has: $%d::type.", n)
	e.Err = &Undetermined{}
	return e
}

// Infer returns the types that DuckDB gives the parameters of a statement, nil where it
// cannot give all, and the columns of its result.
func (c *Conn) Infer(ctx context.Context, sql string) (params []rows.Type, columns []rows.Column, err error) {
	stmt, err := c.Prepare(ctx, sql)
	if err != nil {
		return nil, nil, err
	}
	d := stmt.Describe()
	if !stmt.unresolved && !slices.ContainsFunc(d.Params, isInvalid) {
		params = d.Params
	}
	return params, d.Columns, stmt.Close()
}

func isInvalid(t rows.Type) bool { return t.ID == rows.Invalid }

// Describe says what a statement would return and which parameters it takes,
// without running it. Parameters have the types in params (by number), but where that is
// Invalid, or VARCHAR, the type that DuckDB infers, if it does; Undetermined is the cause
// of the error where it does not. One that the text does not use is a VARCHAR.
func (c *Conn) Describe(ctx context.Context, sql string, params []rows.Type) (Description, error) {
	stmt, err := c.Prepare(ctx, sql)
	if err != nil {
		return Description{}, err
	}
	d, err := stmt.Resolve(ctx, params)
	return d, errors.Join(err, stmt.Close())
}

// Resolve is Conn.Describe of the statement, which it does not prepare again as it is:
// of a long one that takes as long as of any other until DuckDB finds that it cannot type
// a parameter.
func (s *Stmt) Resolve(ctx context.Context, params []rows.Type) (Description, error) {
	d := s.Describe()
	d.Params = slices.Clone(d.Params)
	inferred := !s.unresolved
	for i, t := range d.Params {
		if i >= len(params) || params[i].ID == rows.Invalid || params[i].ID == rows.Varchar && t.ID != rows.Invalid {
			continue
		}
		inferred = inferred && t == params[i]
		d.Params[i] = params[i]
	}
	for i, t := range d.Params {
		if t.ID != rows.Invalid {
			continue
		}
		if _, used := s.paramIndex(i + 1); used {
			return Description{}, errUndetermined(i + 1)
		}
		d.Params[i].ID = rows.Varchar
	}
	switch {
	case inferred:
		return d, nil
	case s.refused != nil:
		return s.resolveValued(ctx, d)
	}
	return s.conn.describeWith(ctx, s.sql, d)
}

// describeWith prepares sql with every parameter cast to its type in d.Params.
func (c *Conn) describeWith(ctx context.Context, sql string, d Description) (Description, error) {
	places := findParams(sql)
	stmt, err := c.Prepare(ctx, castParams(sql, places, d.Params))
	if err != nil {
		if isCancel(err) {
			return Description{}, err
		}
		return Description{}, withoutOffset(err)
	}
	if stmt.unresolved {
		if err := stmt.Close(); err != nil {
			return Description{}, err
		}
		described, err := c.describeValues(ctx, sql, places, d)
		if err == nil || isCancel(err) {
			return described, err
		}
		return d, nil // execution says what is wrong with the statement, if anything is
	}
	d.Columns = namedByParams(stmt.Describe().Columns, d.Params, castParam)
	return d, stmt.Close()
}

// describeValues prepares sql with a value of its type for each parameter: some
// functions (json_object, quantile_cont) bind nothing while an argument has a parameter in it, cast
// or not. The error is for a statement that does not take those values.
func (c *Conn) describeValues(ctx context.Context, sql string, places []paramPlace, d Description) (Description, error) {
	var failed error
	for _, sample := range []sampling{anyValue, nullText, nullValue} {
		value := func(n int, typ string) string { return sampleFor(n, d.Params[n-1], typ, sample) }
		stmt, err := c.Prepare(ctx, replaceParams(sql, places, func(n int) string { return value(n, d.Params[n-1].String()) }))
		switch {
		case isCancel(err):
			return Description{}, err
		case err == nil:
			d.Kind, d.Columns = stmt.desc.Kind, namedByParams(namedAsWritten(stmt.desc.Columns, d.Params, sample), d.Params, value)
			return d, stmt.Close()
		}
		failed = err
	}
	return Description{}, failed
}

// sampling says which values stand for parameters. DuckDB evaluates VALUES and looks for
// sequences while it prepares: no text is the right one for all, and quantiles take no NULL.
type sampling uint8

const (
	anyValue  sampling = iota
	nullText           // NULL for texts
	nullValue          // NULL for all
)

// sampleFor is a value for parameter n of a type, in SQL that tells n where DuckDB names a column after
// the expression. typ is the type as it is written.
func sampleFor(n int, t rows.Type, typ string, by sampling) string {
	return fmt.Sprintf("CAST(substr(%s, 1, %d) AS %s)", sampleText(t, by), valueEnd+n, typ)
}

func sampleText(t rows.Type, by sampling) string {
	if text, ok := t.SampleText(); ok && by != nullValue && (by != nullText || t.ID != rows.Varchar) {
		return quoteText(text)
	}
	return "NULL"
}

// namedAsWritten names columns after samples as they are written where DuckDB names them as it
// has bound them: those of RETURNING.
func namedAsWritten(columns []rows.Column, params []rows.Type, by sampling) []rows.Column {
	for i := range columns {
		for n, t := range params {
			bound := fmt.Sprintf("substr(%s, CAST(1 AS BIGINT), CAST(%d AS BIGINT))", sampleText(t, by), valueEnd+n+1)
			written := fmt.Sprintf("substr(%s, 1, %d)", sampleText(t, by), valueEnd+n+1)
			if t.ID == rows.Varchar { // which it casts no text to
				written = sampleFor(n+1, t, t.String(), by)
			}
			columns[i].Name = strings.ReplaceAll(columns[i].Name, bound, written)
		}
	}
	return columns
}

// valueEnd is behind the end of every text that stands for a parameter: the sum with its
// number tells the parameter where DuckDB names a column after the expression.
const valueEnd = 1_000_000

// namedByParams names columns after the parameters again that were written in another way, by the
// type of each, so that they are named as when the statement runs.
func namedByParams(columns []rows.Column, params []rows.Type, written func(n int, typ string) string) []rows.Column {
	for i := range columns {
		for n, t := range params {
			printed := strings.Replace(t.String(), ",", ", ", 1)                      // of a DECIMAL
			for _, name := range []string{t.String(), printed, load.Quote(printed)} { // of a DOUBLE
				columns[i].Name = strings.ReplaceAll(columns[i].Name, written(n+1, name), "$"+strconv.Itoa(n+1))
			}
		}
	}
	return columns
}

// paramPlace is one occurrence of parameter n: sql[start:end].
type paramPlace struct{ n, start, end int }

// denseParams renumbers the parameters of a text that leaves some out, which DuckDB
// cannot bind, as $1, $2, .. without moving anything else; numbers are what these were
// in order, nil where nothing is left out.
func denseParams(sql string) (text string, numbers []int) {
	places := findParams(sql)
	for _, p := range places {
		numbers = append(numbers, p.n)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	if len(numbers) == 0 || numbers[len(numbers)-1] == len(numbers) {
		return sql, nil
	}
	out := []byte(sql)
	for _, p := range places {
		at, _ := slices.BinarySearch(numbers, p.n)
		number := strconv.Itoa(at + 1)
		for i := p.start + 1; i < p.end; i++ {
			out[i] = ' '
		}
		copy(out[p.start+1:p.end], number)
	}
	return string(out), numbers
}

// castParams replaces every parameter by a cast of it.
func castParams(sql string, places []paramPlace, types []rows.Type) string {
	return replaceParams(sql, places, func(n int) string { return castParam(n, types[n-1].String()) })
}

func castParam(n int, typ string) string { return "CAST($" + strconv.Itoa(n) + " AS " + typ + ")" }

// replaceParams writes what by says in the place of every parameter.
func replaceParams(sql string, places []paramPlace, by func(n int) string) string {
	var b strings.Builder
	last := 0
	for _, p := range places {
		b.WriteString(sql[last:p.start])
		b.WriteString(by(p.n))
		last = p.end
	}
	b.WriteString(sql[last:])
	return b.String()
}

// findParams returns the parameters of a statement in the order of the text,
// skipping strings, quoted names and comments. A `?` is numbered by position.
func findParams(sql string) []paramPlace {
	var places []paramPlace
	questions := 0
	for i := 0; i < len(sql); {
		if end := skipOpaque(sql, i); end > i {
			i = end
			continue
		}
		end := i + 1
		switch {
		case sql[i] == '?':
			questions++
			places = append(places, paramPlace{questions, i, end})
		case sql[i] == '$':
			for end < len(sql) && sql[end] >= '0' && sql[end] <= '9' {
				end++
			}
			if n, err := strconv.Atoi(sql[i+1 : end]); err == nil && n > 0 && n <= maxParam {
				places = append(places, paramPlace{n, i, end})
			}
		}
		i = end
	}
	return places
}

// skipOpaque returns the end of the string, quoted name or comment that starts
// at i, or i when none does. An unterminated one extends to the end.
func skipOpaque(sql string, i int) int {
	switch rest := sql[i:]; {
	case sql[i] == '\'':
		escapes := i > 0 && (sql[i-1] == 'e' || sql[i-1] == 'E') && (i == 1 || !isWordByte(sql[i-2]))
		return skipQuoted(sql, i, escapes)
	case sql[i] == '"':
		return skipQuoted(sql, i, false)
	case strings.HasPrefix(rest, "--"):
		return i + len(rest[:lineLen(rest)])
	case strings.HasPrefix(rest, "/*"):
		return skipComment(sql, i)
	case sql[i] == '$':
		return skipDollar(sql, i)
	case isWordByte(sql[i]): // so that a$1 is a name
		for i < len(sql) && (isWordByte(sql[i]) || sql[i] == '$') {
			i++
		}
		return i
	}
	return i
}

func lineLen(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

func skipQuoted(sql string, i int, escapes bool) int {
	quote := sql[i]
	for i++; i < len(sql); i++ {
		switch {
		case escapes && sql[i] == '\\':
			i++
		case sql[i] == quote:
			if i+1 < len(sql) && sql[i+1] == quote {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(sql)
}

func skipComment(sql string, i int) int {
	depth := 0
	for i < len(sql) {
		switch {
		case strings.HasPrefix(sql[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(sql[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(sql)
}

// skipDollar skips $tag$ .. $tag$; a parameter is not one.
func skipDollar(sql string, i int) int {
	end := i + 1
	for end < len(sql) && isWordByte(sql[end]) {
		end++
	}
	if end >= len(sql) || sql[end] != '$' || (end > i+1 && sql[i+1] >= '0' && sql[i+1] <= '9') {
		return i
	}
	tag := sql[i : end+1]
	if n := strings.Index(sql[end+1:], tag); n >= 0 {
		return end + 1 + n + len(tag)
	}
	return len(sql)
}

func isWordByte(b byte) bool {
	return b == '_' || b >= 0x80 || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}
