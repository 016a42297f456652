package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum/semiring"
)

var operatorInputs = flag.Int("operators.inputs", 20000, "random inputs on which every operator of the notation is compared with DuckDB's")

// numbersSQL makes n numbers of every magnitude, and the special ones.
func numbersSQL(n int) string {
	return fmt.Sprintf(`CREATE TABLE numbers AS
		SELECT (hash(i)::DOUBLE / 9223372036854775808 - 1) * pow(2, (hash(i + %[1]d) %% 400)::INTEGER - 200) AS x,
			round((hash(i + 2 * %[1]d)::DOUBLE / 9223372036854775808 - 1) * pow(2, (hash(i) %% 40)::INTEGER)) / 4 AS y,
			(hash(i + 3 * %[1]d) %% 2001)::BIGINT - 1000 AS a, (hash(i + 4 * %[1]d) %% 41)::BIGINT - 20 AS b
		FROM range(%[1]d) r(i)
		UNION ALL SELECT u.v, w.v, 9223372036854775807, -1 FROM (%[2]s) u, (%[2]s) w`, n, specialsSQL)
}

const specialsSQL = `SELECT unnest(['nan', 'inf', '-inf', '0', '-0', '0.5', '-0.5', '1', '-1', '1.5', '2.5', '-2.5',
	'0.49999999999999994', '4503599627370497.5', '1e308', '-1e308', '5e-324', '1e-300', '9007199254740993'])::DOUBLE AS v`

// operatorCase is an operator and the SQL that must give the same number.
type operatorCase struct {
	sql   string
	value func(x, y float64, a, b int64) float64
	// relative is how far the values may be apart; 0: not at all.
	relative float64
}

func operatorCases() []operatorCase {
	var out []operatorCase
	for _, op := range []semiring.Op{semiring.Floor, semiring.Ceil, semiring.Trunc, semiring.Round, semiring.Sqrt, semiring.Abs} {
		out = append(out, functionCase(op, 0))
	}
	for _, op := range []semiring.Op{
		semiring.Exp, semiring.Ln, semiring.Cbrt, semiring.Log10, semiring.Log2, semiring.Sin, semiring.Cos, semiring.Tan,
		semiring.Asin, semiring.Acos, semiring.Atan,
	} {
		out = append(out, functionCase(op, 1e-12))
	}
	pairs := map[string]semiring.Op{
		"(x < y)::INTEGER": semiring.Less, "(x <= y)::INTEGER": semiring.AtMost, "(x = y)::INTEGER": semiring.Equal,
		"(x <> y)::INTEGER": semiring.Differ, "x / y": semiring.Div, "x % y": semiring.Rem,
	}
	for sql, op := range pairs {
		out = append(out, operatorCase{sql: sql, value: func(x, y float64, _, _ int64) float64 { return op.OfFloats(x, y) }})
	}
	out = append(out, operatorCase{sql: "pow(x, y)", relative: 1e-10, value: func(x, y float64, _, _ int64) float64 {
		return semiring.Power.OfFloats(x, y)
	}})
	for sql, op := range map[string]semiring.Op{"a // b": semiring.Quot, "a % b": semiring.Rem} {
		out = append(out, operatorCase{sql: "coalesce(" + sql + ", 0)", value: func(_, _ float64, a, b int64) float64 {
			v, _ := op.OfIntegers(semiring.FromInt64(a), semiring.FromInt64(b))
			return v.Float64()
		}})
	}
	return out
}

// functionCase compares a function where it has a value.
func functionCase(op semiring.Op, relative float64) operatorCase {
	domain := map[semiring.Domain]string{
		semiring.Everywhere: "true", semiring.NotNegative: "x >= 0", semiring.Positive: "x > 0",
		semiring.Finite: "isfinite(x) AND abs(x) < 1e15", semiring.Unit: "abs(x) <= 1",
	}[op.Info().Domain]
	return operatorCase{
		sql: fmt.Sprintf("CASE WHEN isnan(x) THEN x WHEN %s THEN %s(x) ELSE 0 END", domain, op), relative: relative,
		value: func(x, _ float64, _, _ int64) float64 {
			in := op.Info().Domain.Contains(x)
			if op.Info().Domain == semiring.Finite {
				in = in && !(math.Abs(x) >= 1e15)
			}
			if !in {
				return 0
			}
			return op.Of(x)
		},
	}
}

func TestOperatorsAreDuckDBs(t *testing.T) {
	r := newRig(t)
	ctx := context.Background()
	if err := r.oracle.Exec(ctx, numbersSQL(*operatorInputs)); err != nil {
		t.Fatal(err)
	}
	cases := operatorCases()
	columns := make([]string, len(cases))
	for i, c := range cases {
		columns[i] = "(" + c.sql + ")::DOUBLE"
	}
	cur, err := r.oracle.Query(ctx, "SELECT x, y, a, b, "+strings.Join(columns, ", ")+" FROM numbers")
	if err != nil {
		t.Fatal(err)
	}
	wrong := make([]int, len(cases))
	err = eachNumber(ctx, cur, func(x, y float64, a, b int64, want []float64) {
		for i, c := range cases {
			if got := c.value(x, y, a, b); !near(got, want[i], c.relative) {
				if wrong[i]++; wrong[i] <= 3 {
					t.Errorf("%s of %v, %v, %d, %d is %v, DuckDB says %v", c.sql, x, y, a, b, got, want[i])
				}
			}
		}
	})
	if err := errors.Join(err, cur.Close()); err != nil {
		t.Fatal(err)
	}
}

func near(a, b, relative float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return a == b || math.IsNaN(a) && math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b))
}

func eachNumber(ctx context.Context, cur *duckbackend.Cursor, f func(x, y float64, a, b int64, rest []float64)) error {
	for {
		batch, err := cur.Next(ctx)
		if err != nil || batch == nil {
			return err
		}
		rest := make([]float64, len(batch.Cols)-4)
		for i := range batch.N {
			for c := range rest {
				rest[c] = batch.Cols[c+4].F64[i]
			}
			f(batch.Cols[0].F64[i], batch.Cols[1].F64[i], batch.Cols[2].I64[i], batch.Cols[3].I64[i], rest)
		}
	}
}
