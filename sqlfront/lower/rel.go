package lower

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// rel is joined rows: sources with the conjuncts and anti joins over them.
// Numbers of sources are positions in from, and stay what they are (L3).
type rel struct {
	from  []sqlfront.Source
	where []sqlfront.Expr
	anti  []sqlfront.Anti
	// matched are conjuncts that also read the outer side: those of a correlated
	// subquery, or of an outer join.
	matched []sqlfront.Expr
	// cols is what the columns of a bound block's sources are here; around is the
	// same for columns of the block around that subqueries of this one read.
	cols, around map[column]sqlfront.Expr
}

// column is a column of a bound block: source and position.
type column struct{ source, column int }

func columnID(c *sqlfront.ColumnRef) column { return column{c.Source, c.Column} }

// clone returns joined rows that can grow on their own.
func (r *rel) clone() *rel {
	c := &rel{
		from: append([]sqlfront.Source{}, r.from...), where: append([]sqlfront.Expr{}, r.where...),
		anti: append([]sqlfront.Anti{}, r.anti...), matched: append([]sqlfront.Expr{}, r.matched...),
		cols: map[column]sqlfront.Expr{}, around: r.around,
	}
	for id, e := range r.cols {
		c.cols[id] = e
	}
	return c
}

// join adds the rows of another, as a cross product. What was over the other is
// over r when it is shifted by the number that join returns.
func (r *rel) join(o *rel) int {
	by := len(r.from)
	r.from = append(r.from, o.from...)
	for _, e := range o.where {
		r.where = append(r.where, shift(e, by))
	}
	for _, e := range o.matched {
		r.matched = append(r.matched, shift(e, by))
	}
	for _, a := range o.anti {
		r.anti = append(r.anti, sqlfront.Anti{Query: a.Query, Keys: shifted(a.Keys, by), NullSafe: a.NullSafe})
	}
	for id, e := range o.cols {
		if r.cols == nil {
			r.cols = map[column]sqlfront.Expr{}
		}
		r.cols[id] = shift(e, by)
	}
	return by
}

func shifted(es []sqlfront.Expr, by int) []sqlfront.Expr {
	out := make([]sqlfront.Expr, len(es))
	for i, e := range es {
		out[i] = shift(e, by)
	}
	return out
}

// add adds a source and returns its columns.
func (r *rel) add(s sqlfront.Source) []sqlfront.Expr {
	r.from = append(r.from, s)
	out := make([]sqlfront.Expr, len(s.Columns))
	for i, c := range s.Columns {
		out[i] = columnOf(len(r.from)-1, i, c.Name, c.Type)
	}
	return out
}

// filter keeps the rows for which a predicate is TRUE.
func (r *rel) filter(e sqlfront.Expr) {
	for _, c := range bounds(e) {
		if readsOuter(c) {
			r.matched = append(r.matched, c)
		} else {
			r.where = append(r.where, c)
		}
	}
}

// closed refuses rows that depend on an outer row where that is not possible.
func (r *rel) closed(place string) {
	if len(r.matched) > 0 {
		refuse("correlation in %s", place)
	}
}

// part is the rows of the sources that some expressions read, with the
// conjuncts on just these: at least the values that the expressions have in r.
// The expressions are returned over it.
func (r *rel) part(es []sqlfront.Expr) (*rel, []sqlfront.Expr) {
	in := map[int]bool{}
	for _, e := range es {
		for _, s := range sourcesIn(e) {
			in[s] = true
		}
	}
	if len(in) > 1 && !r.connected(in) {
		for i := range r.from {
			in[i] = true
		}
	}
	out, over := r.only(in)
	mapped := make([]sqlfront.Expr, len(es))
	for i, e := range es {
		mapped[i] = over(e)
	}
	return out, mapped
}

// only is the rows of the sources of a set, with the conjuncts on just these; over makes an
// expression over them of one over r.
func (r *rel) only(in map[int]bool) (out *rel, over func(sqlfront.Expr) sqlfront.Expr) {
	out = &rel{}
	number := map[int]int{}
	for i, s := range r.from {
		if in[i] {
			number[i] = len(out.from)
			out.from = append(out.from, s)
		}
	}
	over = func(e sqlfront.Expr) sqlfront.Expr {
		return mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
			n, ok := number[c.Source]
			invariant.Check(ok, "lower: source %d is not part", c.Source)
			return columnOf(n, c.Column, c.Name, c.T)
		})
	}
	for _, e := range r.where {
		if covered(e, in) {
			out.where = append(out.where, over(e))
		}
	}
	return out, over
}

// covered reports whether an expression reads sources of the set only, and one
// at least.
func covered(e sqlfront.Expr, in map[int]bool) bool {
	srcs := sourcesIn(e)
	for _, s := range srcs {
		if !in[s] {
			return false
		}
	}
	return len(srcs) > 0
}

// connected reports whether the conjuncts over just these sources join them all.
func (r *rel) connected(in map[int]bool) bool {
	var reached map[int]bool
	for s := range in {
		reached = map[int]bool{s: true}
		break
	}
	for grown := true; grown; {
		grown = false
		for _, e := range r.where {
			if !covered(e, in) {
				continue
			}
			srcs := sourcesIn(e)
			touched, missing := false, false
			for _, s := range srcs {
				touched = touched || reached[s]
				missing = missing || !reached[s]
			}
			if touched && missing {
				grown = true
				for _, s := range srcs {
					reached[s] = true
				}
			}
		}
	}
	return len(reached) == len(in)
}

// query begins a block over the rows.
func (r *rel) query() *sqlfront.Query {
	invariant.Check(len(r.matched) == 0, "lower: a block with conjuncts over an outer row")
	from := append([]sqlfront.Source{}, r.from...)
	names := nameSet{}
	for i := range from {
		from[i].Alias = names.unique(from[i].Alias)
	}
	return &sqlfront.Query{
		From: from, Where: append([]sqlfront.Expr{}, r.where...), Anti: append([]sqlfront.Anti{}, r.anti...),
	}
}

// nameSet makes names unique, letter case aside.
type nameSet map[string]bool

func (s nameSet) unique(name string) string {
	out := name
	for n := 2; s[strings.ToLower(out)]; n++ {
		out = name + "_" + strconv.Itoa(n)
	}
	s[strings.ToLower(out)] = true
	return out
}

// columns names and types a list of expressions.
func columns(es []sqlfront.Expr) []rows.Column {
	out := make([]rows.Column, len(es))
	names := nameSet{}
	for i, e := range es {
		name := "c" + strconv.Itoa(i)
		if c, ok := e.(*sqlfront.ColumnRef); ok {
			name = c.Name
		}
		out[i] = rows.Column{Name: names.unique(name), Type: e.Type()}
	}
	return out
}

// plain is the block that selects expressions over the rows.
func (r *rel) plain(es []sqlfront.Expr, cols []rows.Column) *sqlfront.Query {
	q := r.query()
	q.Columns = cols
	for i, e := range es {
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: settled(e), Name: cols[i].Name})
	}
	return q
}

// distinct is the block of the different values of expressions over the rows.
func (r *rel) distinct(es []sqlfront.Expr, cols []rows.Column) *sqlfront.Query {
	q := r.query()
	q.Columns, q.Distinct = cols, true
	for i, e := range es {
		q.GroupBy = append(q.GroupBy, settled(e))
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: i, T: e.Type()}, Name: cols[i].Name})
	}
	return q
}

// values is a source of the different values of expressions over the rows.
func (r *rel) values(alias string, es []sqlfront.Expr) sqlfront.Source {
	q := r.distinct(es, columns(es))
	return sqlfront.Source{Alias: alias, Query: q, Columns: q.Columns}
}

// number is a source of one row: the number of rows.
func (r *rel) number() sqlfront.Source {
	q := r.query()
	q.Aggs = []*sqlfront.AggCall{{Func: "count", T: bigint}}
	q.Columns = []rows.Column{{Name: "n", Type: bigint}}
	q.Select = []sqlfront.SelectItem{{Expr: &sqlfront.AggRef{N: 0, T: bigint}, Name: "n"}}
	return sqlfront.Source{Alias: "number", Query: q, Columns: q.Columns}
}

// nulls is a source of one row of NULLs.
func nulls(cols []rows.Column) sqlfront.Source {
	var b strings.Builder
	out := make([]rows.Column, len(cols))
	for i, c := range cols {
		b.WriteString(map[bool]string{true: "SELECT ", false: ", "}[i == 0])
		out[i] = rows.Column{Name: "p" + strconv.Itoa(i), Type: c.Type}
		b.WriteString("CAST(NULL AS " + c.Type.String() + ") AS " + out[i].Name)
	}
	return sqlfront.Source{Alias: "pad", Text: b.String(), Columns: out}
}
