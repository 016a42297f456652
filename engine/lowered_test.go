package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

var (
	loweredQueries = flag.Int("lowered.queries", 60, "random lowered queries that TestLoweredQueries compares")
	loweredSeed    = flag.Uint64("lowered.seed", 1, "seed of TestLoweredQueries")
)

// TestLoweredQueries compares random queries in the lowered dialect (bags, anti
// joins, texts, null-safe and other equalities, predicates over several sources)
// on every backend with DuckDB's answer for the text that they print to.
func TestLoweredQueries(t *testing.T) {
	r := newRig(t)
	reasons, answered := map[string]int{}, 0
	used := map[string]int{}
	for n := 0; n < *loweredQueries && !t.Failed(); n++ {
		rng := rand.New(rand.NewPCG(*loweredSeed, uint64(n)))
		if n%20 == 0 {
			r.dropTables()
			r.script(loweredSchema(rng))
		}
		g := &loweredGenerator{rng: rng, tables: r.loweredTables(), used: map[string]bool{}}
		q := g.statement()
		refused, err := r.compareLowered(q)
		if err != nil {
			t.Fatalf("seed %d query %d: %v\n%s", *loweredSeed, n, err, sqlfront.PrintQuery(q))
		}
		if refused != "" {
			reasons[refused]++
			continue
		}
		answered++
		for feature := range g.used {
			used[feature]++
		}
	}
	t.Logf("native answered %d of %d; refusals: %v; features: %v", answered, *loweredQueries, sortedCounts(reasons), sortedCounts(used))
	if answered*100 < *loweredQueries*90 {
		t.Errorf("native answered %d of %d", answered, *loweredQueries)
	}
	for _, f := range []string{"bag", "anti", "null safe", "text", "distinct", "mask", "types", "constant group", "predicate over several", "group over several"} {
		if used[f]*100 < answered {
			t.Errorf("%d answered queries have %s", used[f], f)
		}
	}
}

func (r *rig) compareLowered(q *sqlfront.Query) (refused string, err error) {
	ctx := context.Background()
	sql := sqlfront.PrintQuery(q)
	d, err := r.oracle.Describe(ctx, sql, nil)
	if err != nil {
		return "", fmt.Errorf("oracle: %w", err)
	}
	q.Columns = d.Columns
	want, err := r.want(sql, nil)
	if err != nil && sqlerr.From(err).Code == sqlerr.InternalError {
		return "(oracle) INTERNAL error of DuckDB, which is no answer", nil
	}
	if err != nil {
		return "", fmt.Errorf("oracle: %w", err)
	}
	route := r.engine.tensor.(*route)
	schema, _ := r.engine.catalog.Versions.Schema()
	stmt := &tensorSelect{route: route, sql: sql, query: q, desc: sqlfront.Description{Columns: q.Columns}, schema: schema, tables: q.BaseTables(nil)}
	opts := difftest.CompareOptions{}
	for _, s := range settings4 {
		r.set(s)
		cur, _, reason, err := stmt.Execute(ctx, r.session, nil)
		if reason != "" && s.backend == Native {
			return reason, nil
		}
		if reason != "" {
			return "", fmt.Errorf("%s refused what native answered: %s", s.name, reason)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.name, err)
		}
		got, err := difftest.Collect(ctx, cur)
		if err = errors.Join(err, cur.Close()); err == nil {
			err = difftest.Compare(want, got, opts)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.name, err)
		}
	}
	got, err := interpStatement(r.t, r.session, stmt, nil)
	var no *translate.Ineligible
	if errors.As(err, &no) {
		return "", fmt.Errorf("interp: %w", err)
	}
	if err == nil {
		err = difftest.Compare(want, got, opts)
	}
	if err != nil {
		return "", fmt.Errorf("interp: %w", err)
	}
	return "", nil
}

// loweredSchema makes three tables of a few rows.
func loweredSchema(rng *rand.Rand) string {
	var b strings.Builder
	for i := range 3 {
		fmt.Fprintf(&b, "CREATE TABLE t%d(k INT, j BIGINT, x INT, d DOUBLE, s VARCHAR, e DECIMAL(6,2));\n", i)
		value := func(of string, n int) string {
			if rng.IntN(5) == 0 {
				return "NULL"
			}
			return fmt.Sprintf(of, rng.IntN(n)-1)
		}
		for range rng.IntN(6) {
			fmt.Fprintf(&b, "INSERT INTO t%d VALUES (%s, %s, %s, %s, %s, %s);\n", i,
				value("%d", 4), value("%d", 4), value("%d", 5), value("%d.25", 3), value("'v%d'", 3), value("%d.50", 3))
		}
	}
	return b.String()
}

func (r *rig) loweredTables() []*sqlfront.Table {
	r.t.Helper()
	var out []*sqlfront.Table
	for i := range 3 {
		table, ok, err := r.session.catalogView().Table(context.Background(), []string{fmt.Sprintf("t%d", i)})
		if err != nil || !ok {
			r.t.Fatal(ok, err)
		}
		out = append(out, table)
	}
	return out
}

// loweredGenerator makes queries of nested sources.
type loweredGenerator struct {
	rng     *rand.Rand
	tables  []*sqlfront.Table
	used    map[string]bool
	aliases int
}

var (
	boolean = rows.Type{ID: rows.Boolean}
	integer = rows.Type{ID: rows.Integer}
	bigType = rows.Type{ID: rows.BigInt}
)

func (g *loweredGenerator) chance(percent int) bool { return g.rng.IntN(100) < percent }

func call(t rows.Type, name string, args ...sqlfront.Expr) sqlfront.Expr {
	return &sqlfront.Call{Name: name, Args: args, T: t}
}

func (g *loweredGenerator) alias() string {
	g.aliases++
	return fmt.Sprintf("a%d", g.aliases)
}

// statement is a grouped query with aggregates.
func (g *loweredGenerator) statement() *sqlfront.Query {
	q := g.block(2)
	q.Grouped = g.chance(80)
	if q.Grouped {
		for range g.rng.IntN(3) {
			q.GroupBy = append(q.GroupBy, g.anyColumn(q))
		}
		if g.chance(15) {
			g.used["group over several"] = true
			q.GroupBy = append(q.GroupBy, g.sum(q))
		}
		if g.chance(10) {
			g.used["constant group"] = true
			q.GroupBy = append(q.GroupBy, &sqlfront.Cast{Arg: &sqlfront.Literal{SQL: "7", T: integer}, T: integer})
		}
		q.Grouped = len(q.GroupBy) > 0
	}
	g.aggregates(q)
	for i, e := range q.GroupBy {
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: i, T: e.Type()}, Name: fmt.Sprintf("g%d", i)})
	}
	for i, a := range q.Aggs {
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: &sqlfront.AggRef{N: i, T: a.T}, Name: fmt.Sprintf("f%d", i)})
	}
	return q
}

func (g *loweredGenerator) aggregates(q *sqlfront.Query) {
	q.Aggs = []*sqlfront.AggCall{{Func: "count", T: bigType}}
	for range g.rng.IntN(4) {
		c := g.anyColumn(q)
		call := &sqlfront.AggCall{Func: []string{"count", "sum", "min", "max"}[g.rng.IntN(4)], Args: []sqlfront.Expr{c}, T: c.Type()}
		switch {
		case call.Func == "count":
			call.T = bigType
		case call.Func == "sum" && !c.Type().IsExact() && !c.Type().IsFloat():
			call.Func = "max"
		case call.Func == "sum" && c.Type().IsFloat():
			call.T = rows.Type{ID: rows.Double}
		case call.Func == "sum" && c.Type().ID == rows.Decimal:
			call.T = rows.Type{ID: rows.Decimal, Width: 38, Scale: c.Type().Scale}
		case call.Func == "sum":
			call.T = rows.Type{ID: rows.HugeInt}
		}
		if other := g.anyColumn(q); call.Func == "sum" && c.Type() == integer && other.Type() == integer && g.chance(50) {
			g.used["product"] = true
			call.Args[0] = &sqlfront.Call{Name: "*", Args: []sqlfront.Expr{c, other}, T: integer}
		}
		q.Aggs = append(q.Aggs, call)
	}
}

// block joins one to three sources.
func (g *loweredGenerator) block(depth int) *sqlfront.Query {
	q := &sqlfront.Query{}
	for range 1 + g.rng.IntN(3) {
		q.From = append(q.From, g.source(depth))
	}
	for i := 1; i < len(q.From); i++ {
		if l, r, ok := g.pair(q, g.rng.IntN(i), i); ok {
			q.Where = append(q.Where, g.link(l, r))
		}
	}
	for range g.rng.IntN(2) {
		q.Where = append(q.Where, g.predicate(g.anyColumn(q)))
	}
	if g.chance(25) {
		g.used["predicate over several"] = true
		q.Where = append(q.Where, g.several(q))
	}
	if g.chance(30) {
		g.anti(q, depth)
	}
	return q
}

func (g *loweredGenerator) source(depth int) sqlfront.Source {
	alias := g.alias()
	pick := g.rng.IntN(10)
	switch {
	case depth == 0 || pick < 5:
		t := g.tables[g.rng.IntN(len(g.tables))]
		return sqlfront.Source{Alias: alias, Table: t, Columns: t.Columns}
	case pick < 8:
		return g.bag(alias, depth)
	case pick < 9:
		g.used["text"] = true
		cols := g.columns()
		var items []string
		for _, c := range cols {
			items = append(items, fmt.Sprintf("CAST(NULL AS %s) AS %s", c.Type, c.Name))
		}
		return sqlfront.Source{Alias: alias, Text: "SELECT " + strings.Join(items, ", "), Columns: cols}
	}
	g.used["distinct"] = true
	q := g.block(depth - 1)
	q.Distinct = true
	for i, c := range g.columns() {
		e := g.columnOf(q, c.Type)
		q.GroupBy = append(q.GroupBy, e)
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: i, T: e.Type()}, Name: c.Name})
	}
	q.Columns = g.columns()
	return sqlfront.Source{Alias: alias, Query: q, Columns: q.Columns}
}

// columns are those of all sources but base tables.
func (g *loweredGenerator) columns() []rows.Column {
	return []rows.Column{
		{Name: "c0", Type: integer}, {Name: "c1", Type: bigType}, {Name: "c2", Type: integer}, {Name: "c3", Type: rows.Type{ID: rows.Varchar}},
	}
}

func (g *loweredGenerator) bag(alias string, depth int) sqlfront.Source {
	g.used["bag"] = true
	s := sqlfront.Source{Alias: alias, Columns: g.columns()}
	for range 1 + g.rng.IntN(3) {
		q := g.block(depth - 1)
		for _, c := range s.Columns {
			q.Select = append(q.Select, sqlfront.SelectItem{Expr: g.columnOf(q, c.Type), Name: c.Name})
		}
		q.Columns = s.Columns
		s.Bag = append(s.Bag, q)
	}
	return s
}

// anti adds an anti join on one or two keys, or on none.
func (g *loweredGenerator) anti(q *sqlfront.Query, depth int) {
	g.used["anti"] = true
	inner := g.block(max(0, depth-1))
	inner.Distinct = true
	a := sqlfront.Anti{Query: inner}
	for i := range g.rng.IntN(3) {
		key := g.anyColumn(q)
		e := g.columnOf(inner, key.Type())
		a.Keys = append(a.Keys, key)
		a.NullSafe = append(a.NullSafe, g.chance(40))
		inner.GroupBy = append(inner.GroupBy, e)
		inner.Select = append(inner.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: i, T: e.Type()}, Name: fmt.Sprintf("h%d", i)})
		inner.Columns = append(inner.Columns, rows.Column{Name: fmt.Sprintf("h%d", i), Type: e.Type()})
	}
	if len(a.Keys) == 0 {
		g.used["anti without key"] = true
		inner.GroupBy = []sqlfront.Expr{&sqlfront.Cast{Arg: &sqlfront.Literal{SQL: "1", T: integer}, T: integer}}
		inner.Select = []sqlfront.SelectItem{{Expr: &sqlfront.GroupRef{T: integer}, Name: "one"}}
		inner.Columns = []rows.Column{{Name: "one", Type: integer}}
	}
	q.Anti = append(q.Anti, a)
}

func (g *loweredGenerator) anyColumn(q *sqlfront.Query) sqlfront.Expr {
	return g.column(q, g.rng.IntN(len(q.From)))
}

func (g *loweredGenerator) column(q *sqlfront.Query, n int) sqlfront.Expr {
	cols := q.From[n].Columns
	i := g.rng.IntN(len(cols))
	return &sqlfront.ColumnRef{Source: n, Column: i, Name: cols[i].Name, T: cols[i].Type}
}

// columnOf is a column of a type, or a constant.
func (g *loweredGenerator) columnOf(q *sqlfront.Query, t rows.Type) sqlfront.Expr {
	for range 8 {
		if c := g.anyColumn(q); c.Type() == t {
			return c
		}
	}
	g.used["constant column"] = true
	if g.chance(30) || t.ID == rows.Varchar {
		return &sqlfront.Cast{Arg: &sqlfront.Literal{SQL: "NULL", T: rows.Type{ID: rows.SQLNull}}, T: t}
	}
	return &sqlfront.Cast{Arg: &sqlfront.Literal{SQL: fmt.Sprint(g.rng.IntN(3)), T: integer}, T: t}
}

// pair finds columns of two sources that compare.
func (g *loweredGenerator) pair(q *sqlfront.Query, i, j int) (l, r sqlfront.Expr, ok bool) {
	for range 20 {
		l, r = g.column(q, i), g.column(q, j)
		if l.Type() == r.Type() {
			return l, r, true
		}
		number := func(t rows.Type) bool { return t.IsExact() || t.IsFloat() }
		if number(l.Type()) && number(r.Type()) && g.chance(30) {
			g.used["types"] = true
			return l, r, true
		}
	}
	return nil, nil, false
}

func (g *loweredGenerator) link(l, r sqlfront.Expr) sqlfront.Expr {
	switch n := g.rng.IntN(10); {
	case n < 5:
		return call(boolean, "=", l, r)
	case n < 8:
		g.used["null safe"] = true
		return call(boolean, "is not distinct from", l, r)
	default:
		g.used["mask"] = true
		return call(boolean, []string{"<", "<=", "<>", ">"}[g.rng.IntN(4)], l, r)
	}
}

// several is a predicate over any columns of the block.
func (g *loweredGenerator) several(q *sqlfront.Query) sqlfront.Expr {
	switch g.rng.IntN(4) {
	case 0:
		return call(boolean, "or", g.predicate(g.anyColumn(q)), g.predicate(g.anyColumn(q)))
	case 1:
		either := call(boolean, "and", g.predicate(g.anyColumn(q)), g.predicate(g.anyColumn(q)))
		return call(boolean, "not", call(boolean, "or", either, g.predicate(g.anyColumn(q))))
	case 2:
		return call(boolean, []string{"<", "<=", "=", "<>"}[g.rng.IntN(4)], g.sum(q), g.columnOf(q, integer))
	}
	c := g.anyColumn(q)
	return call(boolean, "is distinct from", c, g.columnOf(q, c.Type()))
}

// sum is an expression over any two columns.
func (g *loweredGenerator) sum(q *sqlfront.Query) sqlfront.Expr {
	return call(integer, "+", g.columnOf(q, integer), g.columnOf(q, integer))
}

func (g *loweredGenerator) predicate(c sqlfront.Expr) sqlfront.Expr {
	switch {
	case g.chance(30):
		return call(boolean, "is null", c)
	case c.Type().ID == rows.Varchar:
		return call(boolean, "=", c, &sqlfront.Literal{SQL: "'v1'", T: c.Type()})
	case c.Type().IsInteger():
		return call(boolean, []string{"=", "<", ">="}[g.rng.IntN(3)], c, &sqlfront.Literal{SQL: "1", T: integer})
	}
	return call(boolean, "is not null", c)
}
