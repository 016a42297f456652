package tensor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/einsum/interp"
)

// show writes a tensor as one line per entry: coordinates, then the value.
func show(t *Tensor) string {
	var b strings.Builder
	v := t.Values()
	for e := range t.Len() {
		for m := range t.Modes() {
			fmt.Fprintf(&b, "%d ", t.Coord(m, e))
		}
		if v.IsFloat() {
			fmt.Fprintf(&b, "= %v\n", v.Float64(e))
		} else {
			fmt.Fprintf(&b, "= %v\n", v.Big(e))
		}
	}
	return b.String()
}

// ints makes a tensor of rows of coordinates, the value last.
func ints(t *testing.T, rows ...[]int) *Tensor {
	t.Helper()
	modes := len(rows[0]) - 1
	coords, values := make([][]int, modes), []int64{}
	for _, r := range rows {
		for m := range modes {
			coords[m] = append(coords[m], r[m])
		}
		values = append(values, int64(r[modes]))
	}
	out, err := Ints(coords, values)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func scalar(t *testing.T, v int64) *Tensor {
	t.Helper()
	out, err := Ints(nil, []int64{v})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// interpreted computes an expression by enumeration.
func interpreted(t *testing.T, text string, operands []*Tensor, s expr.Semiring) *interp.Tensor {
	t.Helper()
	modes := make([]int, len(operands))
	for i, o := range operands {
		modes[i] = o.Modes()
	}
	e, err := expr.Parse(text, modes)
	if err != nil {
		t.Fatal(err)
	}
	program, tensors := programOf(e, operands, s)
	inputs := map[string]*interp.Tensor{}
	for name, in := range tensors {
		inputs[name] = asInterp(in)
	}
	out, err := interp.Run(program, inputs, nil)
	if err != nil {
		t.Fatalf("%s: %v\n%s", text, err, program)
	}
	return out[program.Queries[len(program.Queries)-1].Name]
}

func asInterp(t *Tensor) *interp.Tensor {
	out := &interp.Tensor{Leaves: t.Leaves()}
	for e := range t.Len() {
		entry := interp.Entry{}
		for m := range t.Modes() {
			entry.Coord = append(entry.Coord, interp.Int(int64(t.Coord(m, e))))
		}
		for _, name := range out.Leaves {
			c, err := t.Column(name)
			if err != nil {
				panic(err)
			}
			if c.IsFloat() {
				entry.Leaves = append(entry.Leaves, interp.NumFloat(c.Float64(e)))
			} else {
				entry.Leaves = append(entry.Leaves, interp.NumBig(c.Big(e)))
			}
		}
		out.Entries = append(out.Entries, entry)
	}
	return out
}

var semirings = []expr.Semiring{expr.SumProduct, expr.MaxPlus, expr.MinPlus, expr.OrAnd, expr.Count}

// randomExpression makes an expression of a few terms: indices that terms share, that
// one has alone or twice, scalars, with and without an arrow, and its operands, of
// which some are the same tensor, and some are empty.
func randomExpression(rng *rand.Rand) (string, []*Tensor) {
	letters := []rune("ijklΣж")
	letters = letters[:2+rng.IntN(len(letters)-1)]
	var terms []string
	var operands []*Tensor
	for range 1 + rng.IntN(4) {
		var term []rune
		for range rng.IntN(4) {
			term = append(term, letters[rng.IntN(len(letters))])
		}
		o := randomTensor(rng, len(term))
		for _, had := range operands {
			if had.Modes() == len(term) && rng.IntN(3) == 0 {
				o = had
			}
		}
		terms, operands = append(terms, string(term)), append(operands, o)
	}
	text := strings.Join(terms, ",")
	if rng.IntN(5) == 0 {
		return text, operands
	}
	used := []rune(strings.ReplaceAll(text, ",", ""))
	rng.Shuffle(len(used), func(i, j int) { used[i], used[j] = used[j], used[i] })
	var out []rune
	for _, x := range used {
		if rng.IntN(2) == 0 && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return text + "->" + string(out), operands
}

func randomTensor(rng *rand.Rand, modes int) *Tensor {
	n := rng.IntN(12)
	if modes == 0 {
		n = min(n, 1)
	}
	coords, values := make([][]int, modes), make([]int64, n)
	for m := range coords {
		coords[m] = make([]int, n)
		for e := range n {
			coords[m][e] = rng.IntN(4)
		}
	}
	for e := range values {
		values[e] = int64(rng.IntN(9) - 4)
	}
	t, err := Ints(coords, values)
	if err != nil {
		panic(err)
	}
	return t
}

// TestRandomEinsum holds random expressions in every semiring against enumeration.
func TestRandomEinsum(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 22))
	for i := range 1500 {
		text, operands := randomExpression(rng)
		s := semirings[i%len(semirings)]
		got, err := Einsum(context.Background(), text, operands, Options{Semiring: s, Threads: 1 + i%2})
		if err != nil {
			t.Fatalf("%s, %s: %v", text, s, err)
		}
		want := interpreted(t, text, operands, s)
		if diff := interp.Diff(asInterp(got), want, 0); diff != "" {
			for k, o := range operands {
				t.Logf("operand %d\n%s", k+1, show(o))
			}
			t.Fatalf("%s, %s: %s", text, s, diff)
		}
	}
}
