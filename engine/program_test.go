package engine

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
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// storedProgram is a random program over tables that have its data.
type storedProgram struct {
	*einsum.Program
	data map[string]*interp.Tensor // without entries that have a NULL
}

// store makes the tables: an entry of n rows is n rows, of which one has the values.
func (p *storedProgram) store(s testSession) {
	for _, in := range p.Inputs {
		var columns, tuples []string
		for m := range in.Domains {
			columns = append(columns, fmt.Sprintf("c%d %s", m, p.coordinateType(in.Domains[m], m)))
		}
		for _, l := range in.Leaves[1:] {
			columns = append(columns, l.Name+" "+map[semiring.Elem]string{semiring.F64: "DOUBLE", semiring.I128: "HUGEINT"}[l.Elem])
			if l.Elem != semiring.F64 && l.Elem != semiring.I128 {
				columns[len(columns)-1] += "BIGINT"
			}
		}
		kept := &interp.Tensor{Leaves: p.data[in.Name].Leaves}
		for _, e := range p.data[in.Name].Entries {
			if n, ok := e.Leaves[0].Big(); !ok || n.Sign() <= 0 {
				e.Leaves[0] = interp.NumInt(1)
			}
			var coords, values, zeros []string
			null := false
			for _, c := range e.Coord {
				null = null || c.IsNull()
				coords = append(coords, c.String())
			}
			for _, v := range e.Leaves[1:] {
				values, zeros = append(values, v.String()), append(zeros, "0")
			}
			for r := range int(e.Leaves[0].Float64()) {
				if r > 0 {
					values = zeros
				}
				tuples = append(tuples, "("+strings.Join(slices.Concat(coords, values), ", ")+")")
			}
			if !null {
				kept.Entries = append(kept.Entries, e)
			}
		}
		p.data[in.Name] = kept
		if len(columns) == 0 {
			columns = []string{"unused INTEGER"}
		}
		s.run("CREATE OR REPLACE TABLE " + in.Name + " (" + strings.Join(columns, ", ") + ")")
		if len(tuples) > 0 {
			s.run("INSERT INTO " + in.Name + " VALUES " + strings.Join(tuples, ", "))
		}
	}
}

// coordinateType is the type of the values along a mode: strings, where an entry or a
// constant of the domain is one, else integers of some width.
func (p *storedProgram) coordinateType(domain, m int) string {
	domains := map[string][]int{}
	for _, in := range p.Inputs {
		domains[in.Name] = in.Domains
		for _, e := range p.data[in.Name].Entries {
			for at, c := range e.Coord {
				if in.Domains[at] == domain && !c.IsNull() && strings.Trim(c.String(), "-0123456789") != "" {
					return "VARCHAR"
				}
			}
		}
	}
	for _, q := range p.Queries {
		for _, x := range q.Idxs {
			domains[q.Name] = append(domains[q.Name], x.Domain)
		}
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				for at, arg := range a.Args {
					if domains[a.Tensor][at] == domain && arg.Const != nil && arg.Const.Quoted {
						return "VARCHAR"
					}
				}
			}
		}
	}
	return []string{"BIGINT", "INTEGER", "SMALLINT"}[m%3]
}

// compare holds the rows of a call against the last query of the program.
func (p *storedProgram) compare(want *interp.Tensor, got string) error {
	q := p.Queries[len(p.Queries)-1]
	first := min(1, len(q.Leaves)-1)
	var lines []string
	if got != "" {
		lines = strings.Split(got, ";")
	}
	if len(lines) != len(want.Entries) {
		return fmt.Errorf("%d rows, want %d", len(lines), len(want.Entries))
	}
	byKey := map[string][]string{}
	for _, l := range lines {
		cells := strings.Split(l, "|")
		byKey[strings.Join(cells[:len(q.Idxs)], "|")] = cells[len(q.Idxs):]
	}
	for _, e := range want.Entries {
		var key []string
		for _, c := range e.Coord {
			key = append(key, c.Text())
		}
		cells, ok := byKey[strings.Join(key, "|")]
		if !ok {
			return fmt.Errorf("no row %v", key)
		}
		for l, v := range e.Leaves[first:] {
			if v.Identity() != 0 {
				continue // of min or max, which is no number
			}
			got, err := strconv.ParseFloat(cells[l], 64)
			if want := v.Float64(); err != nil || math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
				return fmt.Errorf("row %v: leaf %s is %s, want %s", key, q.Leaves[first+l].Name, cells[l], v)
			}
		}
	}
	return nil
}

// TestTensorRandom holds random programs in SQL against enumeration: nested aggregates,
// unions, masks, constants and functions among them, over integers and strings, with
// NULLs.
func TestTensorRandom(t *testing.T) {
	s := openSession(t, openEngine(t))
	rng := rand.New(rand.NewPCG(15, 4))
	ran := map[string]int{}
	for i := range 150 {
		made, data := interp.RandomProgram(rng, interp.RandomOptions{Wide: i%2 == 0})
		p := &storedProgram{made, data}
		p.store(s)
		want, err := interp.Run(unstated(p.Program), p.data, nil)
		if err != nil {
			continue // a function outside of its domain
		}
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			got, _, err := s.try("SELECT * FROM tensor('" + strings.ReplaceAll(p.String(), "'", "''") + "')")
			var e *sqlerr.Error
			if errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported {
				ran[e.Message]++
				continue
			}
			if err == nil {
				err = p.compare(want[p.Queries[len(p.Queries)-1].Name], got)
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", backend, err, p)
			}
			ran[backend]++
		}
	}
	t.Log(ran)
	if ran["native"] < 100 || ran["decomposed"] < 80 || ran["auto"] < 100 {
		t.Errorf("only %v ran", ran)
	}
}

// unstated is a program without what it says of its inputs' data.
func unstated(p *einsum.Program) *einsum.Program {
	out := &einsum.Program{Queries: p.Queries}
	for _, in := range p.Inputs {
		own := &einsum.Input{Name: in.Name, Domains: in.Domains}
		for _, l := range in.Leaves {
			if l.NonNegative = false; l.Elem == semiring.Pattern {
				l.Elem = semiring.I64
			}
			own.Leaves = append(own.Leaves, l)
		}
		out.Inputs = append(out.Inputs, own)
	}
	return out
}
