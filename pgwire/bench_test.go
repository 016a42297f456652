package pgwire

import (
	"bufio"
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/rows"
)

// intsResult is n rows of two BIGINTs in batches of DuckDB's size.
func intsResult(n int) fakeResult {
	res := fakeResult{cols: []rows.Column{{Name: "a", Type: rows.Type{ID: rows.BigInt}}, {Name: "b", Type: rows.Type{ID: rows.BigInt}}}}
	b := &rows.Batch{N: fakeBatchRows, Cols: []rows.Vector{*vecI(rows.BigInt), *vecI(rows.BigInt)}}
	for i := range int64(fakeBatchRows) {
		b.Cols[0].I64 = append(b.Cols[0].I64, i*7919)
		b.Cols[1].I64 = append(b.Cols[1].I64, 1_000_000_007-i)
	}
	for ; n > 0; n -= fakeBatchRows {
		if n < fakeBatchRows {
			last := *b
			last.N = n
			b = &last
		}
		res.batches = append(res.batches, b)
	}
	return res
}

// BenchmarkStream sends a million rows of two BIGINTs over TCP to a client that
// only counts bytes, and to pgx.
func BenchmarkStream(b *testing.B) {
	const n = 1_000_000
	ts := startServer(b, Options{})
	ts.fake.results["ints"] = intsResult(n)
	for _, format := range []int16{formatText, formatBinary} {
		b.Run(fmt.Sprintf("client=raw/format=%d/rows=1e6", format), func(b *testing.B) {
			d := ts.talk(b)
			defer d.nc.Close()
			in := bufio.NewReaderSize(d.nc, 1<<16)
			for b.Loop() {
				d.send(&pgproto3.Parse{Query: "values ints"}, &pgproto3.Bind{ResultFormatCodes: []int16{format}},
					&pgproto3.Execute{}, &pgproto3.Sync{})
				b.SetBytes(countUntilReady(b, in))
			}
		})
	}
	b.Run("client=pgx/rows=1e6", func(b *testing.B) {
		c := ts.connect(b)
		defer c.Close(context.Background())
		for b.Loop() {
			r, err := c.Query(context.Background(), "values ints")
			if err != nil {
				b.Fatal(err)
			}
			var sum, x, y int64
			for r.Next() {
				if err := r.Scan(&x, &y); err != nil {
					b.Fatal(err)
				}
				sum += x
			}
			if r.Err() != nil {
				b.Fatal(r.Err())
			}
		}
	})
}

// countUntilReady reads messages up to ReadyForQuery and returns their length.
func countUntilReady(b *testing.B, in *bufio.Reader) int64 {
	total := int64(0)
	for {
		head, err := in.Peek(5)
		if err != nil {
			b.Fatal(err)
		}
		kind, n := head[0], dataRowLen(head)
		if _, err := in.Discard(n); err != nil {
			b.Fatal(err)
		}
		if total += int64(n); kind == 'Z' {
			return total
		}
	}
}

// BenchmarkOneRow is the time of a one-row query, there and back.
func BenchmarkOneRow(b *testing.B) {
	ts := startServer(b, Options{})
	ts.fake.results["ints"] = intsResult(1)
	for _, mode := range queryModes {
		b.Run("mode="+mode.String(), func(b *testing.B) {
			c := ts.connect(b)
			defer c.Close(context.Background())
			var x, y int64
			for b.Loop() {
				if err := c.QueryRow(context.Background(), "values ints", mode).Scan(&x, &y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
