package translate

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// checking are cells whose values nobody needs: they only tell whether an
// expression over several sources can be evaluated on one, and see its parts over
// base tables.
func (s *splitter) checking(x sqlfront.Expr, see func(part sqlfront.Expr)) *cells {
	return &cells{
		base: s.reader(x),
		part: func(_ int, x sqlfront.Expr) cellValue {
			see(x)
			return cellValue{v: einsum.Int(1), known: []einsum.Expr{einsum.Int(1)}}
		},
		column: func(c *sqlfront.ColumnRef) (cellValue, error) {
			_, err := s.innerCall(c)
			return cellValue{v: einsum.Int(1), known: []einsum.Expr{einsum.Int(1)}}, err
		},
	}
}

// reader returns the base table that alone a part of x reads; what reads none is
// evaluated with the first that x reads.
func (s *splitter) reader(x sqlfront.Expr) func(part sqlfront.Expr) (int, bool) {
	srcs := sourcesOf(x)
	first := slices.IndexFunc(srcs, func(src int) bool { return s.inner(src) == nil })
	return func(part sqlfront.Expr) (int, bool) {
		if len(sourcesOf(part)) == 0 && first >= 0 {
			return srcs[first], true
		}
		return s.base(part)
	}
}

// onCells fails where an expression of q cannot be evaluated on one cell. It asks
// which of its parts over base tables are never NULL.
func (s *splitter) onCells(q *sqlfront.Query, x sqlfront.Expr) error {
	var parts []sqlfront.Expr
	w := s.checking(x, func(part sqlfront.Expr) { parts = append(parts, part) })
	w.value(x)
	if w.err != nil {
		return w.err
	}
	for _, part := range parts {
		if src, ok := s.base(part); !ok || q.From[src].Table == nil {
			continue
		}
		never, err := s.t.neverNull(q, part)
		if err != nil {
			return err
		}
		if never {
			s.t.neverNulls[partOfTable(q, part)] = true
		}
	}
	return nil
}

// tablePart is an expression over a base table.
type tablePart struct {
	table load.Table
	sql   string
}

// partOfTable names an expression over one source of a block, by its table.
func partOfTable(q *sqlfront.Query, part sqlfront.Expr) tablePart {
	out := tablePart{sql: columnSQL(part)}
	for _, src := range sourcesOf(part) {
		if q.From[src].Table != nil {
			out.table = q.From[src].Table.Name
		}
	}
	return out
}

// cellArgument is an argument that is evaluated on one cell, if it can be.
func (p *predicates) cellArgument(s *splitter, call *sqlfront.AggCall, x sqlfront.Expr) (*argument, error) {
	switch {
	case (call.Func == "min" || call.Func == "max") && lastBitOpen(x), call.Func == "count" && mayRaise(x):
		return nil, errPoint
	case len(sourcesOf(x)) == 0:
		return nil, errPoint
	}
	if err := s.onCells(p.b.q, x); err != nil {
		return nil, err
	}
	if _, err := s.bounds(x, p.b, &p.b.checks); err != nil {
		return nil, err
	}
	return &argument{
		expr: x, cell: true, float: x.Type().ID == rows.Double, scale: int(x.Type().Scale), sources: sourcesOf(x),
		factors: map[int][]factor{},
	}, nil
}

// cellCondition fails where a predicate cannot be a condition on the cells of its
// sources. The base tables that it reads get row indices.
func (p *predicates) cellCondition(s *splitter, x sqlfront.Expr) error {
	if x.Type().ID != rows.Boolean {
		return errPoint
	}
	if err := s.onCells(p.b.q, x); err != nil {
		return err
	}
	if _, err := s.bounds(x, p.b, &p.b.checks); err != nil {
		return err
	}
	for _, src := range sourcesOf(x) {
		if p.inners[src] == nil {
			p.rowIndex(p.b.sources[src])
		}
	}
	if p.b.cellConds == nil {
		p.b.cellConds = map[sqlfront.Expr]bool{}
	}
	p.b.cellConds[x] = true
	return nil
}

// mayRaise reports whether an expression has a function that has no value for
// some arguments.
func mayRaise(e sqlfront.Expr) bool {
	found := false
	sqlfront.WalkExpr(e, func(e sqlfront.Expr) {
		if c, ok := e.(*sqlfront.Call); ok {
			op, known := functions[c.Name]
			found = found || known && op.Info().Domain != semiring.Everywhere
		}
	})
	return found
}

// cells writes expressions on the cells of the block's sources.
func (e *emitter) cells(x sqlfront.Expr) *cells {
	s := e.splitter()
	return &cells{
		base: s.reader(x),
		part: func(n int, x sqlfront.Expr) cellValue {
			src := e.b.sources[n]
			out := always(e.access(src, src.input.momentOf(load.Sum, x)))
			if c, ok := x.(*sqlfront.Case); !e.t.neverNulls[partOfTable(e.b.q, x)] && (!ok || c.Else == nil || !isOneWhere(c)) {
				out.known = []einsum.Expr{e.access(src, src.input.momentOf(load.Count, x))}
			}
			return out
		},
		column: func(c *sqlfront.ColumnRef) (cellValue, error) {
			src := e.b.sources[c.Source]
			g := e.innerAgg(src, c)
			out := always(e.extremeOrZero(src, g, e.point(c, false)))
			if g.Valid != "" && g.Valid != einsum.CountLeaf {
				out.known = []einsum.Expr{e.access(src, g.Valid)}
			}
			return out, nil
		},
	}
}

func (e *emitter) splitter() *splitter {
	return &splitter{t: e.t, inner: func(src int) *sqlfront.Query {
		if inner := e.b.sources[src].inner; inner != nil {
			return inner.q
		}
		return nil
	}}
}

// isOneWhere recognises oneWhere, which is never NULL.
func isOneWhere(c *sqlfront.Case) bool {
	one, isLiteral := c.Whens[0].Then.(*sqlfront.Literal)
	zero, isToo := c.Else.(*sqlfront.Literal)
	return len(c.Whens) == 1 && c.Operand == nil && isLiteral && isToo && one.SQL == "1" && zero.SQL == "0"
}

// onCell is the argument's value, where the rows of one cell have one.
func (e *emitter) onCell(a *argument) cellValue {
	var out cellValue
	if p := e.partOf(a); p != nil {
		out = e.partCell(p)
	} else {
		out = e.cells(a.expr).value(a.expr)
	}
	if a.product != nil {
		out.v = einsum.Mul(out.v, out.v)
	}
	for _, src := range a.sources {
		if s := e.b.sources[src]; s.inner == nil {
			out.known = append(out.known[:len(out.known):len(out.known)], e.valid(s, a)) // one that a FILTER drops is 0
		}
	}
	return out
}

// cellTotal sums an argument over the cells; cellValidity counts those that have
// a value, and cellExtreme takes the least or greatest.
func (e *emitter) cellTotal(a *argument) einsum.Expr {
	cell := e.onCell(a)
	cell.known = append(cell.known, e.kept(a)...)
	return e.aggregate(semiring.Add, einsum.Guarded(einsum.Mul(append([]einsum.Expr{cell.v}, e.countsOf(a, e.rowsOf(a))...)...), cell.known...))
}

func (e *emitter) cellValidity(a *argument) einsum.Expr {
	cell := e.onCell(a)
	xs := e.countsOf(a, e.rowsOf(a))
	if len(xs) == 0 {
		xs = []einsum.Expr{einsum.Int(1)}
	}
	return e.aggregate(semiring.Add, einsum.Guarded(einsum.Mul(xs...), cell.known...))
}

func (e *emitter) cellExtreme(op semiring.Op, a *argument) einsum.Expr {
	cell := e.onCell(a)
	return e.aggregate(op, einsum.Guarded(cell.v, append(cell.known, e.countsOf(a, e.rowsOf(a))...)...))
}

// rowsOf are the base tables of which a cell is one row.
func (e *emitter) rowsOf(a *argument) map[int]bool {
	out := map[int]bool{}
	for _, src := range a.sources {
		out[src] = e.b.sources[src].inner == nil
	}
	return out
}
