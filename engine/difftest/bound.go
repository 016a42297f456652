package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Bound is a query with constants of its text bound as parameters.
type Bound struct {
	// Declared has a type for every parameter; its Written has casts to these. SQL is
	// empty where the query has no constant to bind.
	Declared Query
	// Open leaves types to the places of the parameters; its Written has the constants as
	// they were. SQL is empty where no constant of the query can be left open.
	Open Query
}

// Bind makes parameters of some constants of a query's text.
func Bind(rng *rand.Rand, q Query) (Bound, error) {
	tokens, err := sqlfront.Tokens(q.SQL)
	if err != nil {
		return Bound{}, err
	}
	constants := findConstants(rng, q.SQL, tokens)
	b := binder{rng: rng, query: q, shares: sharesConstants(q.SQL, tokens) || rng.IntN(2) == 0, chosen: map[string]*boundConstant{}}
	for _, c := range constants {
		b.add(c)
	}
	if len(b.parameters) == 0 {
		return Bound{}, nil
	}
	b.closeOpen()
	b.values = make([][]Arg, 1+rng.IntN(3))
	for n := range b.values {
		for _, p := range b.parameters {
			b.values[n] = append(b.values[n], b.value(p, n))
		}
	}
	out := Bound{Declared: b.make(false)}
	if slices.ContainsFunc(b.parameters, func(p *boundConstant) bool { return p.open }) {
		out.Open = b.make(true)
	}
	return out, nil
}

// closeOpen gives parameters that stand at several places types: these places may have
// different ones. So have all where a NULL has a type, which may be that of a column then.
func (b *binder) closeOpen() {
	places := make([]int, len(b.parameters))
	for _, place := range b.places {
		places[place.parameter]++
	}
	typed := slices.ContainsFunc(b.parameters, func(p *boundConstant) bool { return p.isNull })
	for i, p := range b.parameters {
		p.open = p.open && places[i] == 1 && !typed
	}
}

// sharesConstants reports whether the text has parts in which the same expressions have to
// be written with the same parameters.
func sharesConstants(sql string, tokens []sqlfront.Token) bool {
	return slices.ContainsFunc(tokens, func(t sqlfront.Token) bool {
		return slices.Contains([]string{"by", "distinct", "order"}, strings.ToLower(sql[t.Start:t.End]))
	})
}

// boundConstant is a parameter.
type boundConstant struct {
	textConstant
	typ rows.Type
	// sql is the type with which the written statement has the value: of a number the one
	// with as many digits as the value has.
	sql  string
	open bool
}

// binder makes parameters of the constants of one text.
type binder struct {
	rng        *rand.Rand
	query      Query
	shares     bool // equal constants are one parameter
	chosen     map[string]*boundConstant
	parameters []*boundConstant
	// places are the constants that are bound, in the order of the text.
	places []boundPlace
	// values are the values of the parameters in each execution.
	values [][]Arg
}

// boundPlace is a part of the text where a parameter stands.
type boundPlace struct {
	start, end, parameter int
	wrap                  string // what stands around the parameter: %s
}

func (b *binder) add(c textConstant) {
	key := c.key()
	p, seen := b.chosen[key]
	if !seen || !b.shares {
		p = nil
		if b.rng.IntN(100) < 75 {
			p = b.parameter(c)
		}
		b.chosen[key] = p
	}
	if p == nil {
		return
	}
	at := slices.Index(b.parameters, p)
	if at < 0 {
		at = len(b.parameters)
		b.parameters = append(b.parameters, p)
	}
	b.places = append(b.places, boundPlace{c.start, c.end, at, c.wrap})
}

// parameter is a parameter for a constant, of a type that has its value.
func (b *binder) parameter(c textConstant) *boundConstant {
	p := &boundConstant{textConstant: c}
	p.sql = pick(b.rng, c.types)
	if p.open = b.rng.IntN(2) == 0 && c.mayStayOpen; p.open && p.isNumber {
		p.sql = "INTEGER" // the place may be an integer's
	}
	p.typ = boundTypes[p.sql]
	if len(c.list) > 0 {
		p.typ = rows.Type{ID: rows.List, Name: p.typ.String() + "[]"}
	}
	return p
}

// value is the n-th value of a parameter: first the constant itself.
func (b *binder) value(p *boundConstant, n int) Arg {
	switch {
	case p.isNull || b.rng.IntN(12) == 0 && !p.counts && len(p.list) == 0:
		return Arg{Null: true}
	case n == 0 || !p.varies || len(p.list) > 0:
		return Arg{Text: p.text}
	}
	switch p.sql {
	case "SMALLINT", "INTEGER", "BIGINT":
		return Arg{Text: pick(b.rng, naturalLiterals)}
	case numeric:
		return Arg{Text: pick(b.rng, []string{"0.25", "2", "1.50", "3.000"})}
	case "REAL", "DOUBLE":
		return Arg{Text: pick(b.rng, []string{"0.25", "2.0", "1.0"})}
	}
	return Arg{Text: literalText(pick(b.rng, typeNamed(typeAliases(p.sql)).literals))}
}

func typeAliases(sql string) string {
	if sql == "REAL" {
		return "FLOAT"
	}
	return sql
}

// make is the query with parameters, of which those that may are left open.
func (b *binder) make(open bool) Query {
	q := b.query
	q.Args, q.Written, q.Types = nil, nil, nil
	q.SQL = b.text(func(place boundPlace) string { return fmt.Sprintf(place.wrap, "$"+strconv.Itoa(place.parameter+1)) })
	for _, p := range b.parameters {
		typ := p.typ
		if open && p.open {
			typ = rows.Type{}
		}
		q.Types = append(q.Types, typ)
	}
	for _, values := range b.values {
		args := slices.Clone(values)
		for i, p := range b.parameters {
			if len(p.list) > 0 {
				args[i] = Arg{Text: p.listText()}
			}
		}
		q.Args = append(q.Args, args)
		q.Written = append(q.Written, b.text(func(place boundPlace) string {
			p, v := b.parameters[place.parameter], values[place.parameter]
			return fmt.Sprintf(place.wrap, p.written(v, open && p.open))
		}))
	}
	return q
}

// text is the query's text with something else at the places.
func (b *binder) text(at func(boundPlace) string) string {
	var out strings.Builder
	from := 0
	for _, place := range b.places {
		out.WriteString(b.query.SQL[from:place.start])
		out.WriteString(at(place))
		from = place.end
	}
	return out.String() + b.query.SQL[from:]
}

// listText is a list in DuckDB's text form.
func (p *boundConstant) listText() string {
	texts := slices.Clone(p.list)
	for i, text := range texts {
		if !p.isNumber {
			texts[i] = "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
		}
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// written is a value in the text of a statement without parameters: with its type or, where the type
// is left open, as people write it.
func (p *boundConstant) written(value Arg, open bool) string {
	plain := value.String()
	if p.isNumber && !value.Null {
		plain = value.Text
	}
	switch {
	case len(p.list) > 0:
		texts := slices.Clone(p.list)
		for i, text := range texts {
			if !p.isNumber {
				texts[i] = Arg{Text: text}.String()
			}
		}
		return fmt.Sprintf("CAST([%s] AS %s)", strings.Join(texts, ", "), p.typ)
	case open && !value.Null && p.sql == "BOOLEAN":
		return value.Text
	case open && !value.Null && p.word != "":
		return p.word + " " + plain
	case open:
		return plain
	}
	return fmt.Sprintf("CAST(%s AS %s)", plain, p.width(value.Text))
}

// numeric is the type of numbers that have as many digits as their values.
const numeric = "NUMERIC"

// width is the SQL type of a value.
func (p *boundConstant) width(value string) string {
	if p.sql != numeric {
		return p.sql
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(value, "-0"), ".")
	for _, width := range []int{4, 9, 18} {
		if len(whole)+len(fraction) <= width {
			return fmt.Sprintf("DECIMAL(%d,%d)", width, len(fraction))
		}
	}
	return fmt.Sprintf("DECIMAL(38,%d)", len(fraction))
}

// boundTypes are the types with which constants are bound.
var boundTypes = map[string]rows.Type{
	"SMALLINT": {ID: rows.SmallInt}, "INTEGER": {ID: rows.Integer}, "BIGINT": {ID: rows.BigInt}, numeric: {ID: rows.Decimal},
	"REAL": {ID: rows.Float}, "DOUBLE": {ID: rows.Double}, "VARCHAR": {ID: rows.Varchar}, "BOOLEAN": {ID: rows.Boolean}, "BLOB": {ID: rows.Blob},
	"DATE": {ID: rows.Date}, "TIME": {ID: rows.Time}, "TIMESTAMP": {ID: rows.Timestamp}, "TIMESTAMPTZ": {ID: rows.TimestampTZ},
	"INTERVAL": {ID: rows.Interval}, "UUID": {ID: rows.UUID},
}
