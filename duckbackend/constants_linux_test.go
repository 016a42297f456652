//go:build !duckdb_use_lib

package duckbackend

import "testing"

// Constants that compare as equal and are not the same are two: intervals, zeros of either sign, and
// lists and structs of them.
func TestEqualConstants(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE e AS SELECT * FROM (VALUES (TIMESTAMP '2024-01-31 10:00', 1.0::DOUBLE)) v(t, f)")
	for _, q := range []struct{ sql, want string }{
		{"SELECT (t + INTERVAL '1 month')::DATE::VARCHAR, (t + INTERVAL '30 days')::DATE::VARCHAR FROM e", "2024-02-29|2024-03-01\n"},
		{"SELECT max(t + INTERVAL '1 month')::DATE::VARCHAR, max(t + INTERVAL '30 days')::DATE::VARCHAR FROM e", "2024-02-29|2024-03-01\n"},
		{"SELECT count(*) FROM e WHERE t + INTERVAL '1 month' < '2024-03-01' AND t + INTERVAL '30 days' < '2024-03-01'", "0\n"},
		{"SELECT count(*) FROM e WHERE t + INTERVAL '30 days' < '2024-03-01' OR t + INTERVAL '1 month' < '2024-03-01'", "1\n"},
		{"SELECT (max(t + INTERVAL '1 month') OVER ())::DATE::VARCHAR, (max(t + INTERVAL '30 days') OVER ())::DATE::VARCHAR FROM e", "2024-02-29|2024-03-01\n"},
		{"SELECT 1 / (f * '-0'::DOUBLE), 1 / (f * '0'::DOUBLE) FROM e", "-Inf|+Inf\n"},
		{"SELECT list_concat([t::VARCHAR], [INTERVAL '1 month'::VARCHAR])[2], (t + [INTERVAL '1 month'][1])::DATE::VARCHAR, (t + [INTERVAL '30 days'][1])::DATE::VARCHAR FROM e", "1 month|2024-02-29|2024-03-01\n"},
		{"SELECT list_value(f, [INTERVAL '1 month'])::VARCHAR = list_value(f, [INTERVAL '30 days'])::VARCHAR FROM (SELECT [INTERVAL '7 days'] AS f)", "0\n"},
		{"SELECT t + INTERVAL '1 month' = t + INTERVAL '1 month', count(*) FROM e GROUP BY t + INTERVAL '1 month'", "1|1\n"}, // the same is one
	} {
		if got := query(t, c, q.sql); got != q.want {
			t.Errorf("%s: %q, want %q", q.sql, got, q.want)
		}
	}
}
