package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// cells is an answer computed in Go: the float in the last column by the other
// columns, joined with commas.
type cells map[string]float64

func (c cells) add(x float64, keys ...int) { c[keyOf(keys...)] += x }

func keyOf(keys ...int) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = strconv.Itoa(k)
	}
	return strings.Join(parts, ",")
}

// loaded opens the only data set of a suite.
func loaded(t *testing.T, s *Suite) *Database {
	t.Helper()
	db, err := openDatabase(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Data[0].Load(context.Background(), db); err != nil {
		t.Fatal(err)
	}
	return db
}

// texts is the rows of a query as text.
func texts(t *testing.T, db *Database, sql string) [][]string {
	t.Helper()
	a, _, err := db.query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]string, a.rows)
	for r := range out {
		for c := range a.columns {
			out[r] = append(out[r], a.cell(c, r))
		}
	}
	return out
}

func integer(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// checkCells compares every case of a suite on every backend with what was computed
// in Go; cases and computations must be the same.
func checkCells(t *testing.T, s *Suite, db *Database, want map[string]cells) {
	t.Helper()
	var computed []string
	for name := range want {
		computed = append(computed, name)
	}
	slices.Sort(computed)
	if names := s.caseNames(); !slices.Equal(names, computed) {
		t.Fatalf("cases %v, computed are %v", names, computed)
	}
	for _, c := range s.Cases {
		for _, b := range []engine.Backend{engine.Native, engine.Decomposed, engine.DuckDB} {
			out, err := db.measure(context.Background(), Variant{Backend: b, Threads: 2}, c.SQL, 2*time.Minute)
			if err != nil || out.answer == nil {
				t.Errorf("%s on %s: %+v, error %v", c.Name, b, out, err)
				continue
			}
			if diff := want[c.Name].diff(t, out.answer); diff != "" {
				t.Errorf("%s on %s: %s", c.Name, b, diff)
			}
		}
	}
}

// diff says how an answer is not c; floats may differ by their last digits, those of
// sums of both signs by that part of the largest.
func (c cells) diff(t *testing.T, a *answer) string {
	t.Helper()
	if a.rows != len(c) {
		return fmt.Sprintf("%d rows, want %d", a.rows, len(c))
	}
	largest := 0.0
	for _, x := range c {
		largest = max(largest, math.Abs(x))
	}
	last := len(a.columns) - 1
	for r := range a.rows {
		var keys []string
		for k := range last {
			keys = append(keys, a.cell(k, r))
		}
		key := strings.Join(keys, ",")
		x, ok := c[key]
		if got := float(t, a.cell(last, r)); !ok || math.Abs(got-x) > 1e-9*largest {
			return fmt.Sprintf("%s: %v, want %v (%t)", key, got, x, ok)
		}
	}
	return ""
}
