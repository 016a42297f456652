package cache

import (
	"context"
	"fmt"
	"sync"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Lend gives one DuckDB connection for the time of a call.
type Lend func(ctx context.Context, use func(*duckbackend.Conn) error) error

// Facts keeps statistics of expressions, loads and constraints per version of a
// table, as they are in one time zone. It is safe for concurrent use.
type Facts struct {
	*knownFacts
	zone string // empty: the engine's
}

// knownFacts are the facts of all zones.
type knownFacts struct {
	mu       sync.Mutex
	known    map[factKey]Fact
	loads    map[string]LoadFacts
	common   map[string]CommonFacts
	declared map[string][]duckbackend.DeclaredKey
	unique   map[string]bool
}

type factKey struct {
	table   load.Table
	version uint64
	expr    string
	zone    string
}

// Fact is what is known of an expression, or why nothing is.
type Fact struct {
	duckbackend.ColumnStats
	Err error // DuckDB could not evaluate the expression on every row
}

// factsMax bounds the number of facts of a kind; on reaching it all are forgotten.
const factsMax = 10_000

// NewFacts returns an empty store.
func NewFacts() *Facts {
	return &Facts{knownFacts: &knownFacts{
		known: map[factKey]Fact{}, loads: map[string]LoadFacts{}, common: map[string]CommonFacts{},
		declared: map[string][]duckbackend.DeclaredKey{}, unique: map[string]bool{},
	}}
}

// In are the facts that hold in a time zone; Lend must then lend connections in it.
func (f *Facts) In(zone string) *Facts { return &Facts{knownFacts: f.knownFacts, zone: zone} }

// Column returns the statistics of an expression over all rows of a table.
// publish says after the scan whether the version still stood.
func (f *Facts) Column(ctx context.Context, lend Lend, t load.Table, version uint64, expr string, typ rows.Type, publish func() bool) (Fact, error) {
	all, err := f.Columns(ctx, lend, t, version, []string{expr}, []rows.Type{typ}, publish)
	if err != nil {
		return Fact{}, err
	}
	return all[0], nil
}

// Columns is Column for several expressions, those unknown in one scan. With no
// expression it returns one Fact that has the number of rows only.
func (f *Facts) Columns(ctx context.Context, lend Lend, t load.Table, version uint64, exprs []string, types []rows.Type, publish func() bool) ([]Fact, error) {
	countOnly := len(exprs) == 0
	if countOnly {
		exprs, types = []string{""}, []rows.Type{{}}
	}
	out := make([]Fact, len(exprs))
	var missing []int
	f.mu.Lock()
	for i, x := range exprs {
		fact, ok := f.known[f.key(t, version, x)]
		if !ok {
			missing = append(missing, i)
		}
		out[i] = fact
	}
	f.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	if err := f.measure(ctx, lend, t, exprs, types, missing, out); err != nil {
		return nil, err
	}
	if publish() {
		f.mu.Lock()
		if len(f.known) > factsMax {
			clear(f.known)
		}
		for _, i := range missing {
			f.known[f.key(t, version, exprs[i])] = out[i]
		}
		f.mu.Unlock()
	}
	return out, nil
}

func (f *Facts) key(t load.Table, version uint64, expr string) factKey {
	return factKey{table: t, version: version, expr: expr, zone: f.zone}
}

// measure fills out at the missing positions. An expression that DuckDB cannot
// evaluate on some row is a Fact with Err: such a row may not survive the join.
func (f *Facts) measure(ctx context.Context, lend Lend, t load.Table, exprs []string, types []rows.Type, missing []int, out []Fact) error {
	var xs []string
	var ts []rows.Type
	for _, i := range missing {
		if exprs[i] != "" {
			xs, ts = append(xs, exprs[i]), append(ts, types[i])
		}
	}
	return lend(ctx, func(c *duckbackend.Conn) error {
		n, stats, err := c.ColumnStats(ctx, t, xs, ts)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil && len(xs) > 1 {
			return f.oneByOne(ctx, c, t, exprs, types, missing, out)
		}
		at := 0
		for _, i := range missing {
			switch {
			case err != nil:
				out[i] = Fact{Err: fmt.Errorf("statistics of %s: %w", exprs[i], err)}
			case exprs[i] == "":
				out[i] = Fact{ColumnStats: duckbackend.ColumnStats{Rows: n}}
			default:
				out[i] = Fact{ColumnStats: stats[at]}
				at++
			}
		}
		return nil
	})
}

func (f *Facts) oneByOne(ctx context.Context, c *duckbackend.Conn, t load.Table, exprs []string, types []rows.Type, missing []int, out []Fact) error {
	for _, i := range missing {
		_, stats, err := c.ColumnStats(ctx, t, []string{exprs[i]}, []rows.Type{types[i]})
		switch {
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			out[i] = Fact{Err: fmt.Errorf("statistics of %s: %w", exprs[i], err)}
		default:
			out[i] = Fact{ColumnStats: stats[0]}
		}
	}
	return nil
}
