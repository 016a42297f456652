package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/translate"
)

// interpAnswer evaluates a SELECT by the meaning of its tensor program alone:
// loads summarised in Go maps, the program run by einsum/interp. It shares
// translate and finish with the engine, and neither planner nor kernels.
func interpAnswer(t *testing.T, s *Session, sql string, args []Arg) (difftest.Table, error) {
	t.Helper()
	ctx := context.Background()
	r := s.engine.tensor.(*route)
	types := make([]rows.Type, len(args))
	stmt, reason, err := r.analyze(ctx, s, sql, types)
	if err != nil {
		return difftest.Table{}, err
	}
	if stmt == nil {
		return difftest.Table{}, fmt.Errorf("%w: %s", errParts, reason)
	}
	if u, err := translate.SplitUnion(stmt.query); u != nil && u.Sets == nil || err != nil {
		return difftest.Table{}, errors.Join(err, errParts)
	}
	return interpStatement(t, s, stmt, args)
}

// errParts says that a statement is not one program: a union, or blocks of a
// statement of DuckDB's.
var errParts = errors.New("the statement is answered in parts")

// interpStatement is interpAnswer for a bound statement.
func interpStatement(t *testing.T, s *Session, stmt *tensorSelect, args []Arg) (difftest.Table, error) {
	t.Helper()
	ctx := context.Background()
	snap, reason := s.engine.catalog.Versions.Snapshot(stmt.tables, s.tx.pin)
	if reason != "" {
		return difftest.Table{}, &translate.Ineligible{Reason: reason}
	}
	q := stmt.newRun(s, snap, args, Native)
	cur, err := interpCursorOf(ctx, q, stmt)
	if err != nil {
		return difftest.Table{}, err
	}
	defer func() {
		if err := cur.Close(); err != nil {
			t.Error(err)
		}
	}()
	return difftest.Collect(ctx, cur)
}

// interpCursorOf runs a statement's program, of grouping sets one with several
// answers.
func interpCursorOf(ctx context.Context, q *queryRun, stmt *tensorSelect) (rows.Cursor, error) {
	u, err := translate.SplitUnion(stmt.query)
	if err != nil {
		return nil, err
	}
	var tr *translate.Result
	if u == nil {
		tr, err = translate.Translate(ctx, stmt.query, q)
	} else {
		tr, err = translate.TranslateSets(ctx, u, q)
	}
	if err != nil {
		return nil, err
	}
	tr = q.bind(tr)
	i := &interpreter{q: q, tr: tr, dicts: map[translate.LeafRef][]string{}}
	entries, err := i.run(ctx)
	if err != nil {
		return nil, err
	}
	answers := relations(entries, tr, func(l translate.LeafRef) []string { return i.dicts[l] })
	if u == nil {
		return q.finish(ctx, tr, answers[0])
	}
	all := &unionCursor{columns: u.Columns}
	for n, a := range tr.Arms {
		cur, err := q.finish(ctx, a, answers[n])
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		all.arms = append(all.arms, cur)
	}
	return q.finish(ctx, &translate.Result{Finish: u.Finish}, all)
}

type interpreter struct {
	q     *queryRun
	tr    *translate.Result
	dicts map[translate.LeafRef][]string
}

func (i *interpreter) run(ctx context.Context) ([]rows.Cursor, error) {
	inputs := map[string]*interp.Tensor{}
	for _, spec := range i.tr.Loads {
		in, err := i.input(ctx, spec)
		if err != nil {
			return nil, err
		}
		inputs[spec.Name] = in
	}
	results, err := interp.Run(i.program(), inputs, i.params())
	if err != nil {
		return nil, err
	}
	if err := i.check(inputs, results); err != nil {
		return nil, err
	}
	var out []rows.Cursor
	for _, a := range i.tr.Answers() {
		out = append(out, &interpCursor{tensor: results[a.Output], tr: a, elems: i.program().Elems()[a.Output]})
	}
	return out, nil
}

func (i *interpreter) check(inputs, results map[string]*interp.Tensor) error {
	for k := range i.tr.Checks {
		fits := i.tr.Checks[k].Fits(func(b *translate.LeafBound) *translate.Interval {
			if in, ok := inputs[b.Tensor]; ok {
				return leafInterval(in, b)
			}
			return leafInterval(results[b.Tensor], b)
		})
		if !fits {
			return &translate.Ineligible{Reason: "may overflow"}
		}
	}
	return nil
}

func leafInterval(t *interp.Tensor, b *translate.LeafBound) *translate.Interval {
	var out *translate.Interval
	for _, e := range t.Entries {
		if b.Valid != "" && e.Leaves[slices.Index(t.Leaves, b.Valid)].Float64() == 0 {
			continue
		}
		lo, _ := e.Leaves[slices.Index(t.Leaves, b.Lo)].Big()
		hi, _ := e.Leaves[slices.Index(t.Leaves, b.Hi)].Big()
		if out == nil {
			out = &translate.Interval{Lo: lo, Hi: hi}
			continue
		}
		if lo.Cmp(out.Lo) < 0 {
			out.Lo = lo
		}
		if hi.Cmp(out.Hi) > 0 {
			out.Hi = hi
		}
	}
	return out
}

// program is the program with wide integer leaves, so that no sum overflows.
func (i *interpreter) program() *einsum.Program {
	p := &einsum.Program{Queries: i.tr.Program.Queries}
	for _, in := range i.tr.Program.Inputs {
		c := &einsum.Input{Name: in.Name, Domains: in.Domains}
		for _, l := range in.Leaves {
			if l.Elem == semiring.I64 {
				l.Elem = semiring.I128
			}
			c.Leaves = append(c.Leaves, l)
		}
		p.Inputs = append(p.Inputs, c)
	}
	return p
}

func (i *interpreter) params() []interp.Value {
	var out []interp.Value
	for _, p := range i.q.params {
		v := interp.String(p.Text)
		if n, ok := new(big.Int).SetString(p.Text, 10); ok && p.Type.IsInteger() && n.IsInt64() {
			v = interp.Int(n.Int64())
		}
		if p.Null {
			v = interp.Null()
		}
		out = append(out, v)
	}
	return out
}

// input scans a load and summarises the rows of each coordinate.
func (i *interpreter) input(ctx context.Context, spec *load.Spec) (*interp.Tensor, error) {
	if spec.Table.Catalog == translate.RelationCatalog {
		return i.relation(ctx, spec)
	}
	var out *interp.Tensor
	err := i.q.workers.lend(ctx, func(c *duckbackend.Conn) error {
		cur, err := c.Scan(ctx, spec)
		if err != nil {
			return err
		}
		out, err = i.summarise(ctx, spec, cur)
		if cerr := cur.Close(); err == nil {
			err = cerr
		}
		return err
	})
	return out, i.q.scanError(ctx, err)
}

func (i *interpreter) relation(ctx context.Context, spec *load.Spec) (*interp.Tensor, error) {
	rel, err := i.q.relationRows(ctx, i.tr, spec.Table)
	if err != nil {
		return nil, err
	}
	var out *interp.Tensor
	err = i.q.workers.lend(ctx, func(c *duckbackend.Conn) error {
		cur, err := c.QueryRelation(ctx, spec.Table.Name, rel, duckbackend.ScanSQL(temporary(spec)), nil)
		if err != nil {
			return err
		}
		out, err = i.summarise(ctx, spec, cur)
		if cerr := cur.Close(); err == nil {
			err = cerr
		}
		return err
	})
	if cerr := rel.Close(); err == nil {
		err = cerr
	}
	return out, err
}

// summarise groups rows by key and folds every moment, one row at a time.
func (i *interpreter) summarise(ctx context.Context, spec *load.Spec, cur rows.Cursor) (*interp.Tensor, error) {
	table, err := difftest.Collect(ctx, cur)
	if err != nil {
		return nil, err
	}
	i.rankStrings(spec, table)
	out := &interp.Tensor{}
	for _, l := range spec.Leaves {
		out.Leaves = append(out.Leaves, l.Name)
	}
	at := map[string]int{}
	for r, row := range table.Rows {
		coord, next := keyValues(spec, row, r)
		id := fmt.Sprint(coord)
		e, ok := at[id]
		if !ok {
			e = len(out.Entries)
			at[id] = e
			out.Entries = append(out.Entries, interp.Entry{Coord: coord, Leaves: i.identities(spec)})
		}
		for l, leaf := range spec.Leaves {
			cell := difftest.Cell(nil)
			if leaf.Expr != "" {
				cell = row[next]
				next++
			}
			out.Entries[e].Leaves[l] = i.fold(spec, leaf, out.Entries[e].Leaves[l], cell)
		}
	}
	return out, nil
}

func keyValues(spec *load.Spec, row []difftest.Cell, r int) (coord []interp.Value, next int) {
	for _, k := range spec.Keys {
		if k.RowIndex {
			coord = append(coord, interp.Int(int64(r)))
			continue
		}
		coord = append(coord, keyValue(row[next]))
		next++
	}
	return coord, next
}

func keyValue(c difftest.Cell) interp.Value {
	switch c := c.(type) {
	case nil:
		return interp.Null()
	case int64:
		return interp.Int(c)
	case semiring.Int128:
		return interp.Decimal(c, 0)
	case float64:
		return interp.Float(c)
	case string:
		return interp.String(c)
	}
	panic(fmt.Sprintf("a key of %T", c))
}

// rankStrings collects the strings of MIN and MAX leaves in order.
func (i *interpreter) rankStrings(spec *load.Spec, table difftest.Table) {
	col := 0
	for _, k := range spec.Keys {
		if !k.RowIndex {
			col++
		}
	}
	for _, l := range spec.Leaves {
		if l.Expr == "" {
			continue
		}
		if (l.Moment == load.Min || l.Moment == load.Max) && l.Type.Physical() == rows.PhysString {
			var all []string
			for _, row := range table.Rows {
				if s, ok := row[col].(string); ok {
					all = append(all, s)
				}
			}
			slices.SortFunc(all, strings.Compare)
			i.dicts[translate.LeafRef{Input: spec.Name, Leaf: l.Name}] = slices.Compact(all)
		}
		col++
	}
}

func (i *interpreter) identities(spec *load.Spec) []interp.Num {
	var out []interp.Num
	for _, l := range spec.Leaves {
		float := l.Type.IsFloat() && l.Moment != load.Count && l.Moment != load.Rows
		wideMax := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 127), big.NewInt(1))
		switch {
		case l.Moment == load.Min && float:
			out = append(out, interp.NumFloat(math.NaN()))
		case l.Moment == load.Max && float:
			out = append(out, interp.NumFloat(math.Inf(-1)))
		case l.Moment == load.Min:
			out = append(out, interp.NumBig(wideMax))
		case l.Moment == load.Max:
			out = append(out, interp.NumBig(new(big.Int).Not(wideMax)))
		case l.Moment == load.Product:
			out = append(out, interp.NumFloat(1))
		case float:
			out = append(out, interp.NumFloat(0))
		default:
			out = append(out, interp.NumInt(0))
		}
	}
	return out
}

// fold adds one row's value to a moment; NULL adds nothing.
func (i *interpreter) fold(spec *load.Spec, l load.Leaf, acc interp.Num, cell difftest.Cell) interp.Num {
	if l.Moment == load.Rows || l.Moment == load.Count {
		if l.Moment == load.Count && cell == nil {
			return acc
		}
		n, _ := acc.Big()
		return interp.NumBig(new(big.Int).Add(n, big.NewInt(1)))
	}
	if cell == nil {
		return acc
	}
	if f, ok := cell.(float64); ok {
		return foldFloat(l.Moment, acc.Float64(), f)
	}
	n, _ := acc.Big()
	x := i.number(spec, l, cell)
	switch {
	case l.Moment == load.Sum:
		return interp.NumBig(new(big.Int).Add(n, x))
	case (l.Moment == load.Min) == (x.Cmp(n) < 0):
		return interp.NumBig(x)
	}
	return acc
}

func foldFloat(m load.Moment, acc, f float64) interp.Num {
	above := func(a, b float64) bool { return a > b || math.IsNaN(a) && !math.IsNaN(b) }
	switch {
	case m == load.Sum:
		return interp.NumFloat(acc + f)
	case m == load.Product:
		return interp.NumFloat(acc * f)
	case m == load.Min && above(acc, f), m == load.Max && above(f, acc):
		return interp.NumFloat(f)
	}
	return interp.NumFloat(acc)
}

func (i *interpreter) number(spec *load.Spec, l load.Leaf, cell difftest.Cell) *big.Int {
	switch c := cell.(type) {
	case int64:
		return big.NewInt(c)
	case semiring.Int128:
		return c.Big()
	case string:
		r, _ := slices.BinarySearch(i.dicts[translate.LeafRef{Input: spec.Name, Leaf: l.Name}], c)
		return big.NewInt(int64(r))
	}
	panic(fmt.Sprintf("a measure of %T", cell))
}

// interpCursor delivers an interpreted tensor in one batch.
type interpCursor struct {
	tensor *interp.Tensor
	tr     *translate.Result
	elems  []einsum.LeafDecl
	done   bool
}

func (c *interpCursor) Columns() []rows.Column { return nil }
func (c *interpCursor) Close() error           { return nil }

func (c *interpCursor) Next(context.Context) (*rows.Batch, error) {
	n := len(c.tensor.Entries)
	if c.done || n == 0 {
		return nil, nil
	}
	c.done = true
	b := &rows.Batch{N: n}
	for k := range c.tr.Keys {
		b.Cols = append(b.Cols, c.keyColumn(k, n))
	}
	for l := range c.tensor.Leaves {
		v := rows.Vector{}
		if c.elems[l].Elem == semiring.F64 {
			v.F64 = make([]float64, n)
		} else {
			v.I128 = make([]semiring.Int128, n)
		}
		for i, e := range c.tensor.Entries {
			if v.F64 != nil {
				v.F64[i] = e.Leaves[l].Float64()
			} else if x, ok := e.Leaves[l].Big(); ok {
				if v.I128[i], ok = semiring.FromBig(x); !ok {
					return nil, errOverflow
				}
			}
		}
		if c.rank(c.tensor.Leaves[l]) {
			v = narrow(v)
		}
		b.Cols = append(b.Cols, v)
	}
	return b, nil
}

// rank reports whether a leaf holds ranks of strings.
func (c *interpCursor) rank(leaf string) bool {
	return slices.ContainsFunc(c.tr.Aggs, func(a translate.Agg) bool { return a.Dict != nil && a.Value == leaf })
}

func narrow(v rows.Vector) rows.Vector {
	out := rows.Vector{I64: make([]int64, len(v.I128))}
	for i, x := range v.I128 {
		out.I64[i] = int64(x.Lo)
	}
	return out
}

// keyColumn decodes a key by the type of its first GROUP BY expression.
func (c *interpCursor) keyColumn(k, n int) rows.Vector {
	g := slices.IndexFunc(c.tr.Groups, func(g translate.GroupKey) bool { return g.Key == k })
	v := newVector(c.tr.Groups[g].Type, n)
	for i, e := range c.tensor.Entries {
		x := e.Coord[k]
		if x.IsNull() {
			v.SetNull(i, n)
			continue
		}
		switch v.Type.Physical() {
		case rows.PhysString:
			v.Str[i] = x.Text()
		case rows.PhysFloat64:
			v.F64[i] = floatOf(x.Text())
		case rows.PhysInt128:
			n, _ := new(big.Int).SetString(x.Text(), 10)
			v.I128[i], _ = semiring.FromBig(n)
		default:
			n, _ := new(big.Int).SetString(x.Text(), 10)
			v.I64[i] = n.Int64()
		}
	}
	return v
}

func floatOf(text string) float64 {
	var f float64
	if _, err := fmt.Sscan(text, &f); err != nil {
		panic(err)
	}
	return f
}
