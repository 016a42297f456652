package bench

import (
	"context"
	"strings"
	"testing"
)

func TestAnswers(t *testing.T) {
	ctx := context.Background()
	db, err := openDatabase(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	answerTo := func(sql string) *answer {
		t.Helper()
		a, _, err := db.query(ctx, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return a
	}
	for sql, want := range map[string]string{
		"SELECT 7": "7", "SELECT -0.05": "-0.05", "SELECT 123456789012345678901234567890": "123456789012345678901234567890",
		"SELECT 0.1::DOUBLE": "0.1", "SELECT 'ä'": "ä", "SELECT NULL::INTEGER": "NULL", "SELECT 1, 2": "1 rows", "SELECT i FROM range(5000) r(i)": "5000 rows",
	} {
		if got := answerTo(sql).String(); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	for _, c := range []struct{ a, b, diff string }{
		{"SELECT i FROM range(5000) r(i)", "SELECT i FROM range(5000) r(i) ORDER BY i DESC", ""},
		{"SELECT i, i * 0.1::DOUBLE FROM range(5) r(i)", "SELECT i, i * 0.1::DOUBLE * (1 + 1e-12) FROM range(5) r(i) ORDER BY i DESC", ""},
		{"SELECT 1e10::DOUBLE", "SELECT 1e10::DOUBLE + 1000", "want 1e+10"},
		{"SELECT 'nan'::DOUBLE", "SELECT 'nan'::DOUBLE", ""},
		{"SELECT 'nan'::DOUBLE", "SELECT 1::DOUBLE", "want NaN"},
		{"SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 2", "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 2", "want 1"},
		{"SELECT 1", "SELECT 1 UNION ALL SELECT 1", "2 rows, want 1"},
		{"SELECT 1", "SELECT 1::BIGINT", "columns [BIGINT], want [INTEGER]"},
		{"SELECT NULL::DOUBLE", "SELECT 0::DOUBLE", "want NULL"},
		{"SELECT nullif(i, 4999) FROM range(5000) r(i)", "SELECT i FROM range(5000) r(i)", "want"},
		{"SELECT nullif(i, 4999) FROM range(5000) r(i)", "SELECT nullif(i, 4999) FROM range(5000) r(i) ORDER BY 1 DESC NULLS FIRST", ""},
		{"SELECT i::VARCHAR, i::HUGEINT, to_days(i::INT) FROM range(5000) r(i)", "SELECT i::VARCHAR, i::HUGEINT, to_days(i::INT) FROM range(5000) r(i) ORDER BY i DESC", ""},
		{"SELECT to_days(i::INT) FROM range(5000) r(i)", "SELECT to_days(least(i, 4998)::INT) FROM range(5000) r(i)", "want"},
	} {
		got := answerTo(c.a).diff(answerTo(c.b))
		if (got == "") != (c.diff == "") || !strings.Contains(got, c.diff) {
			t.Errorf("%s and %s: %q, want %q", c.a, c.b, got, c.diff)
		}
	}
}
