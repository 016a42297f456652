package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/trireme-db/trireme/internal/rows"
)

// figures are the estimates of a plan as Postgres has them: what plans its own part of a
// query by EXPLAIN of ours, such as postgres_fdw, reads them in the first line.
type figures struct {
	ns, rows float64
	width    int // bytes of a row
}

// costNs is the time that is a cost of 1: Postgres' unit is a page that is read in order.
const costNs = 10_000.0

// figureMax bounds what is shown: nobody reads 300 digits.
const figureMax = 1e15

func (f figures) cost() float64 { return min(f.ns/costNs, figureMax) }

// count is the number of rows, which is 1 at least, as in Postgres.
func (f figures) count() float64 { return math.Round(min(max(f.rows, 1), figureMax)) }

func (f figures) String() string {
	return fmt.Sprintf("(cost=0.00..%.2f rows=%.0f width=%d)", f.cost(), f.count(), f.width)
}

// document is the member "Plan" of EXPLAIN's JSON.
func (f figures) document(node string) map[string]any {
	return map[string]any{"Node Type": node, "Startup Cost": 0.0, "Total Cost": math.Round(f.cost()*100) / 100, "Plan Rows": f.count(), "Plan Width": f.width}
}

// figures are those of the programs' first plans.
func (e *explanation) figures() figures {
	f := figures{ns: duckStartNs, width: e.width}
	for _, p := range e.trace.programs {
		for _, s := range p.plans[0].logical.Steps {
			f.ns += s.BodyNNZ * visitNs
			f.rows = s.OutNNZ
		}
		if top := p.result.Finish.Top; top != nil {
			f.rows = min(f.rows, float64(top.Rows))
		}
	}
	return f
}

// duckFigures are those of DuckDB's plan.
func (e *explain) duckFigures(ctx context.Context) (figures, error) {
	text, err := e.session.duckPlan(ctx, "EXPLAIN (FORMAT JSON) ", e.body)
	if err != nil {
		return figures{}, err
	}
	plan, err := parsePlan(text)
	if err != nil {
		return figures{}, err
	}
	unknown := func(string) (float64, bool) { return 0, false }
	untyped := func(string, string) rows.Type { return rows.Type{} }
	f := figures{ns: estimatePlan(plan, false, unknown, untyped).duck, width: e.opt.width}
	for _, n := range plan {
		f.rows += n.rows()
	}
	return f, nil
}

// typeBytes are the bytes of a value of the types that have as many in each.
var typeBytes = map[rows.TypeID]int{
	rows.Boolean: 1, rows.TinyInt: 2, rows.SmallInt: 2, rows.UTinyInt: 2, rows.Integer: 4, rows.USmallInt: 4, rows.BigInt: 8, rows.UInteger: 8, rows.OID: 4,
	rows.Float: 4, rows.Double: 8, rows.Date: 4, rows.Time: 8, rows.TimeTZ: 12, rows.Timestamp: 8, rows.TimestampS: 8, rows.TimestampMS: 8, rows.TimestampNS: 8,
	rows.TimestampTZ: 8, rows.Interval: 16, rows.UUID: 16, rows.HugeInt: 16, rows.UHugeInt: 16, rows.UBigInt: 16, rows.Decimal: 16,
}

// otherBytes is what a value of another type is thought to have, as in Postgres.
const otherBytes = 32

// rowWidth is how many bytes a row is thought to have.
func rowWidth(columns []rows.Column) int {
	n := 0
	for _, c := range columns {
		if bytes, ok := typeBytes[c.Type.ID]; ok {
			n += bytes
		} else {
			n += otherBytes
		}
	}
	return n
}
