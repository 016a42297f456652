package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/tensor"
)

type tensorOptions struct {
	databaseOptions
	format   string
	outputs  []string
	integers bool
	explain  bool
}

func newTensor() *cobra.Command {
	var o tensorOptions
	cmd := &cobra.Command{
		Use:   "tensor PROGRAM NAME=FILE...",
		Short: "Run a program in the tensor index notation over files of tensors",
		Long: `Run a program in the notation that EXPLAIN prints, given as text or on standard input when PROGRAM
is -, as in

  trireme tensor 'tensor E(0,0) { n pattern }
                  T() = n: or(i,j,k) and(E.n(i,j), E.n(j,k), E.n(k,i)) | v: sum(i,j,k) E.n(i,j) * E.n(j,k) * E.n(k,i)' E=edges.txt

Every tensor that the program declares is a file (as those of trireme einsum) or a table of --db: a
column of integers from 0 on for each mode, then one for each leaf but n, which counts rows. In SQL,
SELECT * FROM tensor('..') takes tables with any integers, strings or dates. The
result is that of the last query; --outputs names others to be printed before it. Leaf n is printed
where there is no other.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readSQL(cmd, args[0])
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), text, args[1:], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "table", "table, csv or json")
	f.StringSliceVar(&o.outputs, "outputs", nil, "queries whose results are printed before the last one's")
	f.BoolVar(&o.integers, "integers", false, "values of tns and edges files are BIGINT, not DOUBLE")
	f.BoolVar(&o.explain, "explain", false, "print the plan instead")
	return cmd
}

func (o *tensorOptions) run(ctx context.Context, text string, files []string, out, errOut io.Writer) error {
	printer, err := printerOf(o.format)
	if err != nil {
		return err
	}
	program, err := einsum.Parse(text)
	if err != nil {
		return err
	}
	return o.withSession(ctx, errOut, func(s *engine.Session) error { return o.compute(ctx, s, program, files, printer, out, errOut) })
}

// compute runs the program over the files in a session.
func (o *tensorOptions) compute(ctx context.Context, s *engine.Session, program *einsum.Program, files []string, print printer, out, errOut io.Writer) error {
	load := &tensorFiles{session: s, integers: o.integers, stored: o.path != ":memory:", errOut: errOut, tables: map[string]*tensorTable{}}
	tensors, err := load.tensors(ctx, program, files)
	if err != nil {
		return err
	}
	limitBytes, err := memoryLimit(o.memoryLimit)
	if err != nil {
		return err
	}
	threads := o.threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	plan, err := tensor.Prepare(ctx, program, tensors, tensor.Options{Threads: threads, MemoryLimitBytes: limitBytes, Outputs: o.outputs})
	if err != nil {
		return err
	}
	if o.explain {
		_, err := fmt.Fprintln(out, plan)
		return err
	}
	results, err := plan.RunAll(ctx)
	if err != nil {
		return err
	}
	last := program.Queries[len(program.Queries)-1].Name
	for _, name := range append(slices.Clone(o.outputs), last) {
		q := program.Queries[slices.IndexFunc(program.Queries, func(q *einsum.Query) bool { return q.Name == name })]
		cur, err := newEntries(q, results[name])
		if err != nil {
			return err
		}
		if err := print(ctx, cur, out); err != nil {
			return err
		}
	}
	return nil
}

// tensors are the program's inputs by name, read from the files that are given as
// NAME=FILE.
func (f *tensorFiles) tensors(ctx context.Context, program *einsum.Program, files []string) (map[string]*tensor.Tensor, error) {
	out := map[string]*tensor.Tensor{}
	for _, arg := range files {
		name, path, ok := strings.Cut(arg, "=")
		i := slices.IndexFunc(program.Inputs, func(in *einsum.Input) bool { return in.Name == name })
		switch {
		case !ok:
			return nil, sqlerr.New(sqlerr.InvalidParameter, "%q is not NAME=FILE", arg)
		case i < 0:
			return nil, sqlerr.New(sqlerr.InvalidParameter, "the program declares no tensor %s", name).
				WithHint("As in: tensor %s(0,1) { n pattern, v f64 }", name)
		}
		t, err := f.table(ctx, path)
		if err != nil {
			return nil, err
		}
		if out[name], err = t.tensor(ctx, f.session, program.Inputs[i]); err != nil {
			return nil, describedFile(path, err)
		}
	}
	for _, in := range program.Inputs {
		if out[in.Name] == nil {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "the tensor %s has no file", in.Name).WithHint("Give one: %s=FILE", in.Name)
		}
	}
	return out, nil
}

// tensor reads a table as a declared input.
func (t *tensorTable) tensor(ctx context.Context, s *engine.Session, in *einsum.Input) (*tensor.Tensor, error) {
	modes := len(in.Domains)
	if len(in.Leaves) == 0 || in.Leaves[0].Name != einsum.CountLeaf {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "the first leaf of %s is not %s", in.Name, einsum.CountLeaf)
	}
	values := in.Leaves[1:]
	if len(t.columns) != modes+len(values) {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "%d columns, but %s has %d modes and %d leaves beside %s", len(t.columns), in.Name, modes, len(values), einsum.CountLeaf)
	}
	coords := make([][]int, modes)
	leaves := make([]tensor.Leaf, len(values))
	for l, decl := range values {
		leaves[l] = tensor.Leaf{Name: decl.Name, Ints: []int64{}}
		if decl.Elem == semiring.F64 {
			leaves[l] = tensor.Leaf{Name: decl.Name, Floats: []float64{}}
		}
	}
	n := 0
	err := runOne(ctx, s, "SELECT * FROM "+quoteName(t.name), func(ctx context.Context, cur rows.Cursor, _ io.Writer) error {
		return eachRow(ctx, cur, func(b *rows.Batch, i int) error {
			n++
			for m := range coords {
				c, err := wholeNumber(&b.Cols[m], i, t.columns[m])
				if err != nil {
					return err
				}
				coords[m] = append(coords[m], int(c))
			}
			for l := range leaves {
				if err := appendLeaf(&leaves[l], &b.Cols[modes+l], i, t.columns[modes+l]); err != nil {
					return err
				}
			}
			return nil
		})
	}, io.Discard)
	if err != nil {
		return nil, err
	}
	return tensor.New(coords, n, leaves)
}

// wholeNumber is an integer of a column.
func wholeNumber(v *rows.Vector, i int, column string) (int64, error) {
	if !v.IsNull(i) && v.Type.IsInteger() && v.Type.Physical() == rows.PhysInt64 {
		return v.I64[i], nil
	}
	if !v.IsNull(i) && v.Type.Physical() == rows.PhysInt128 && v.Type.IsInteger() {
		if x, ok := v.I128[i].Int64(); ok {
			return x, nil
		}
	}
	return 0, sqlerr.New(sqlerr.DatatypeMismatch, "column %s: a value of type %s, or NULL, is no integer of 64 bits", column, v.Type)
}

func appendLeaf(l *tensor.Leaf, v *rows.Vector, i int, column string) error {
	if l.Floats != nil && v.Type.Physical() == rows.PhysFloat64 && !v.IsNull(i) {
		l.Floats = append(l.Floats, v.F64[i])
		return nil
	}
	x, err := wholeNumber(v, i, column)
	if err != nil {
		return err
	}
	if l.Floats != nil {
		l.Floats = append(l.Floats, float64(x))
		return nil
	}
	l.Ints = append(l.Ints, x)
	return nil
}

// entries is a cursor over a tensor: its coordinates, then its leaves.
type entries struct {
	columns []rows.Column
	batch   *rows.Batch
}

func newEntries(q *einsum.Query, t *tensor.Tensor) (*entries, error) {
	c := &entries{batch: &rows.Batch{N: t.Len()}}
	add := func(name string, v rows.Vector) {
		c.columns = append(c.columns, rows.Column{Name: name, Type: v.Type})
		c.batch.Cols = append(c.batch.Cols, v)
	}
	for m, x := range q.Idxs {
		v := rows.Vector{Type: rows.Type{ID: rows.BigInt}}
		for e := range t.Len() {
			v.I64 = append(v.I64, int64(t.Coord(m, e)))
		}
		add(x.Name, v)
	}
	for _, l := range q.Leaves {
		if l.Name == einsum.CountLeaf && len(q.Leaves) > 1 {
			continue
		}
		column, err := t.Column(l.Name)
		if err != nil {
			return nil, err
		}
		v := rows.Vector{Type: rows.Type{ID: rows.HugeInt}}
		if column.IsFloat() {
			v.Type.ID = rows.Double
		}
		for e := range t.Len() {
			if column.IsFloat() {
				v.F64 = append(v.F64, column.Float64(e))
				continue
			}
			x, ok := semiring.FromBig(column.Big(e))
			if !ok {
				return nil, sqlerr.New(sqlerr.NumericOutOfRange, "a value of %s does not fit 128 bits", l.Name)
			}
			v.I128 = append(v.I128, x)
		}
		add(l.Name, v)
	}
	return c, nil
}

// Columns are the indices and leaves.
func (c *entries) Columns() []rows.Column { return c.columns }

// Next delivers all entries at once.
func (c *entries) Next(context.Context) (*rows.Batch, error) {
	b := c.batch
	c.batch = nil
	if b == nil || b.N == 0 {
		return nil, nil
	}
	return b, nil
}

// Close does nothing.
func (c *entries) Close() error { return nil }
