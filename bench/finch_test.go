package bench

import (
	"context"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// matrix is the elements of a table of (i, j, v).
func (d *Database) matrix(t *testing.T, table string) map[[2]int64]float64 {
	t.Helper()
	a, _, err := d.query(context.Background(), "SELECT i, j, v FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	out := map[[2]int64]float64{}
	for r := range a.rows {
		out[[2]int64{a.vectors[0].I64[r], a.vectors[1].I64[r]}] = a.vectors[2].F64[r]
	}
	if len(out) != a.rows {
		t.Errorf("%s: %d rows, %d cells", table, a.rows, len(out))
	}
	return out
}

// checkFloats compares the total of the last column of a case's answer, and its
// number of rows, on every backend.
func checkFloats(t *testing.T, db *Database, c Case, total float64, rows int) {
	t.Helper()
	for _, b := range []engine.Backend{engine.Native, engine.Decomposed, engine.DuckDB} {
		out, err := db.measure(context.Background(), Variant{Backend: b, Threads: 2}, c.SQL, time.Minute)
		if err != nil || out.timeout || out.refused != "" {
			t.Errorf("%s on %s: %+v, error %v", c.Name, b, out, err)
			continue
		}
		got := 0.0
		for r := range out.answer.rows {
			x, err := strconv.ParseFloat(out.answer.cell(len(out.answer.vectors)-1, r), 64)
			if err != nil {
				t.Fatal(err)
			}
			got += x
		}
		if math.Abs(got-total) > 1e-9*math.Abs(total) || out.answer.rows != rows {
			t.Errorf("%s on %s: %v in %d rows, want %v in %d", c.Name, b, got, out.answer.rows, total, rows)
		}
	}
}

func TestFinch(t *testing.T) {
	s, err := Finch(FinchOptions{Scale: 6, Dimension: 100})
	if err != nil {
		t.Fatal(err)
	}
	graph := opened(t, s, "rmat")
	edges := graph.numbers(t, "SELECT src, dst FROM edge")
	sum, squares := sampled(edges)
	triangles := 0
	adjacent := map[[2]int64]bool{}
	for _, e := range edges {
		adjacent[[2]int64{e[0], e[1]}] = true
	}
	for _, e := range edges {
		for v := range int64(64) {
			if adjacent[[2]int64{e[1], v}] && adjacent[[2]int64{e[0], v}] {
				triangles++
			}
		}
	}
	for _, c := range s.Cases {
		switch c.Name {
		case "triangles_rmat":
			checkFloats(t, graph, c, float64(triangles), 1)
		case "sddmm_squares_rmat":
			checkFloats(t, graph, c, squares, 1)
		case "sddmm_matrix_rmat":
			checkFloats(t, graph, c, sum, len(edges))
		default:
			if len(c.Data) < len(sweptData) || c.Data[:len(sweptData)] != sweptData {
				t.Errorf("nothing is expected of %s", c.Name)
			}
		}
	}
	for _, density := range finchDensities {
		checkCombinations(t, s, density)
	}
}

// sampled is the sum of the sampled products over all edges, and that of squares.
func sampled(edges [][]int64) (sum, squares float64) {
	for _, e := range edges {
		dot := 0.0
		for f := range int64(embeddingDim) {
			dot += float64((e[0]*7+f*13)%23+1) / 23 * float64((e[1]*11+f*5)%19+1) / 19
		}
		sum, squares = sum+dot, squares+dot*dot
	}
	return sum, squares
}

func checkCombinations(t *testing.T, s *Suite, density string) {
	t.Helper()
	data := sweptData + " " + density
	db := opened(t, s, data)
	a, b, c := db.matrix(t, "a"), db.matrix(t, "b"), db.matrix(t, "c")
	share, err := strconv.ParseFloat(density, 64)
	if err != nil {
		t.Fatal(err)
	}
	if want := share * 100 * 100; float64(len(c)) > want || float64(len(c)) < want*0.9 {
		t.Errorf("density %s: %d elements of 10000", density, len(c))
	}
	product, sumTimes, plusProduct, rows := 0.0, 0.0, 0.0, map[int64]bool{}
	for at, x := range c {
		product += a[at] * b[at] * x
		sumTimes += (a[at] + b[at]) * x
		if a[at]+b[at] > 0 {
			rows[at[0]] = true
		}
		if _, ok := a[at]; !ok {
			plusProduct += math.Pow(b[at]*x, 2)
		}
	}
	for at, x := range a {
		plusProduct += math.Pow(x+b[at]*c[at], 2)
	}
	want := map[string]float64{"product": product, "sum_times": sumTimes, "sum_times_rows": sumTimes, "sum_times_full_join": sumTimes, "plus_product": plusProduct}
	checked := 0
	for _, k := range s.Cases {
		if k.Data != data {
			continue
		}
		name := k.Name[:len(k.Name)-len(density)-1]
		total, ok := want[name]
		if !ok {
			t.Errorf("nothing is expected of %s", k.Name)
		}
		n := 1
		if name == "sum_times_rows" {
			n = len(rows)
		}
		if total == 0 && n == 1 { // no element in common: NULL
			continue
		}
		checked++
		checkFloats(t, db, k, total, n)
	}
	if checked < 2 || density == finchDensity && checked < len(want) {
		t.Errorf("%d combinations at density %s", checked, density)
	}
}
