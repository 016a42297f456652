package duckbackend

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// sized estimates from the data of a random program.
type sized map[string]*interp.Tensor

func (s sized) Stats(a *einsum.Access) stats.TensorStats {
	t := stats.TensorStats{NNZ: float64(len(s[a.Tensor].Entries))}
	for _, arg := range a.Args {
		if arg.Const == nil {
			t.Dims = append(t.Dims, 6)
			t.Distinct = append(t.Distinct, min(6, t.NNZ))
		}
	}
	return t
}

// storeTensor makes a table with one row per entry and the load that reads it
// back: leaves are the minimum of one value.
func storeTensor(t *testing.T, c *Conn, in *einsum.Input, data *interp.Tensor) *load.Spec {
	spec := &load.Spec{Name: in.Name, Table: table("data_" + in.Name)}
	var defs []string
	for m, domain := range in.Domains {
		typ := rows.Type{ID: []rows.TypeID{rows.Integer, rows.Varchar}[domain%2]}
		if domain == 0 && m == 1 {
			typ.ID = rows.BigInt // equal values of different types meet
		}
		spec.Keys = append(spec.Keys, load.Key{Expr: fmt.Sprintf(`"m%d"`, m), Type: typ, Null: load.KeepNull})
		defs = append(defs, fmt.Sprintf("m%d %s", m, typ))
	}
	for i, l := range in.Leaves {
		typ := rows.Type{ID: rows.BigInt}
		if l.Elem == semiring.F64 {
			typ.ID = rows.Double
		}
		spec.Leaves = append(spec.Leaves, load.Leaf{Name: l.Name, Moment: load.Min, Expr: fmt.Sprintf(`"l%d"`, i), Type: typ})
		defs = append(defs, fmt.Sprintf("l%d %s", i, typ))
	}
	mustExec(t, c, "CREATE OR REPLACE TABLE "+spec.Table.SQL()+" ("+strings.Join(defs, ", ")+")")
	var tuples []string
	for _, e := range data.Entries {
		var values []string
		for _, v := range e.Coord {
			values = append(values, v.String())
		}
		for _, n := range e.Leaves {
			values = append(values, numText(n))
		}
		tuples = append(tuples, "("+strings.Join(values, ", ")+")")
	}
	if len(tuples) > 0 {
		mustExec(t, c, "INSERT INTO "+spec.Table.SQL()+" VALUES "+strings.Join(tuples, ", "))
	}
	return spec
}

// numText prints a leaf as cellText prints its column; an identity is NULL.
func numText(n interp.Num) string {
	if b, ok := n.Big(); ok {
		return b.String()
	}
	if f := n.Float64(); f-f == 0 {
		return fmt.Sprint(f + 0) // -0 is 0
	}
	return "NULL"
}

func entriesText(t *interp.Tensor) []string {
	var out []string
	for _, e := range t.Entries {
		var cells []string
		for _, v := range e.Coord {
			cells = append(cells, v.Text())
		}
		for _, n := range e.Leaves {
			cells = append(cells, numText(n))
		}
		out = append(out, strings.Join(cells, "|"))
	}
	slices.Sort(out)
	return out
}

func sortedLines(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		return nil
	}
	slices.Sort(lines)
	return lines
}

// sameRow compares the texts of two rows, numbers up to the last digits that
// functions of DOUBLE leave open.
func sameRow(got, want string) bool {
	return slices.EqualFunc(strings.Split(got, "|"), strings.Split(want, "|"), func(g, w string) bool {
		x, errX := strconv.ParseFloat(g, 64)
		y, errY := strconv.ParseFloat(w, 64)
		return g == w || errX == nil && errY == nil && math.Abs(x-y) <= 1e-9*max(1, math.Abs(x), math.Abs(y))
	})
}

// TestDecomposeRandom holds the SQL of random plans against the meaning of
// their programs.
func TestDecomposeRandom(t *testing.T) {
	programs := uint64(250)
	if testing.Short() {
		programs = 40
	}
	db := openMemory(t)
	c, err := db.PlainConn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ran, split, nonEmpty := 0, 0, 0
	for seed := range programs {
		p, data := interp.RandomProgram(rand.New(rand.NewPCG(seed, 11)), interp.RandomOptions{NoUnions: seed%4 != 0, Wide: seed%2 == 0})
		normal, err := logical.Normalize(p)
		if err != nil {
			t.Fatal(err)
		}
		plan := logical.FromProgram(normal)
		if seed%2 == 0 {
			if plan, err = logical.Eliminate(normal, sized(data), logical.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		var loads []*load.Spec
		for _, in := range p.Inputs {
			loads = append(loads, storeTensor(t, c, in, data[in.Name]))
		}
		steps, err := Decompose(plan, loads)
		var unsupported *sqlerr.Error
		if errors.As(err, &unsupported) && unsupported.Code == sqlerr.FeatureNotSupported {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect := entriesText(want[p.Queries[len(p.Queries)-1].Name])
		for _, conn := range []*Conn{c, nil}[:1+seed%8/7] { // without DuckDB's optimizer, and with it
			cur, err := db.RunDecomposed(ctx, conn, Run{Steps: steps})
			var got string
			if err == nil {
				got, err = drainErr(cur)
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s\n%s", seed, err, plan, printSteps(steps))
			}
			if lines := sortedLines(got); !slices.EqualFunc(lines, expect, sameRow) {
				t.Fatalf("seed %d: got\n%s\nwant\n%s\n%s\n%s", seed, strings.Join(lines, "\n"), strings.Join(expect, "\n"), plan, printSteps(steps))
			}
		}
		ran++
		if len(plan.Steps) > len(normal.Queries) {
			split++
		}
		if len(expect) > 0 {
			nonEmpty++
		}
	}
	t.Logf("%d of %d programs ran, %d with eliminated indices, %d not empty", ran, programs, split, nonEmpty)
	if uint64(ran) < programs*6/10 || uint64(split) < programs/20 || uint64(nonEmpty) < programs/4 {
		t.Error("too few programs prove anything")
	}
	if got := query(t, c, "SELECT count(*) FROM duckdb_tables() WHERE temporary"); got != "0\n" {
		t.Errorf("%s temporary tables left", got)
	}
}

func printSteps(steps []Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "-- %s\n%s;\n", s.Name, s.SQL)
	}
	return b.String()
}
