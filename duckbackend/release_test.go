package duckbackend

import (
	"strings"
	"testing"
)

// What is known of DuckDB's objects holds for one release.
func TestAnotherReleaseIsRefused(t *testing.T) {
	if knownRelease != "" && knownRelease != LibraryVersion() {
		t.Errorf("the objects of %s are known, %s is linked", knownRelease, LibraryVersion())
	}
	for _, linked := range []string{"v1.5.7", "v1.5.6-dev12", "v1.5", ""} {
		wantCode(t, checkRelease("v1.5.6", linked), "XX000")
	}
	for _, known := range []string{"", "v1.5.6"} {
		if err := checkRelease(known, "v1.5.6"); err != nil {
			t.Errorf("%q: %v", known, err)
		}
	}
}

// TestDifferingFunctions says what release 2 of DuckDB answers otherwise than release
// 1: the reason why those functions are in DifferingFunctions.
func TestDifferingFunctions(t *testing.T) {
	c := openConn(t, openMemory(t))
	for _, tt := range []struct{ query, release1, release2 string }{
		{"SELECT sqrt(-1)", "error", "NaN"},
		{"SELECT ln(0)", "error", "-Inf"},
		{"SELECT log(-1)", "error", "NaN"},
		{"SELECT log10(0)", "error", "-Inf"},
		{"SELECT log2(0)", "error", "-Inf"},
		{"SELECT acos(2)", "error", "NaN"},
		{"SELECT asin(2)", "error", "NaN"},
		{"SELECT cot(0)", "error", "+Inf"},
		{"SELECT lgamma(0)", "error", "+Inf"},
		{"SELECT 1 % 0", "NULL", "error"},
		{"SELECT mod(1, 0)", "NULL", "error"},
		{"SELECT 1 // 0", "NULL", "error"},
		{"SELECT divide(1, 0)", "NULL", "error"},
		{"SELECT 'abc' ~ 'b'", "0", "1"},
		{"SELECT stddev_pop(x) FROM (VALUES (1e200), (-1e200)) t(x)", "error", "+Inf"},
		{"SELECT corr(x, x) FROM (VALUES (1e200), (-1e200)) t(x)", "error", "NaN"},
		{"SELECT sum(x) FROM (VALUES (99999999999999999999999999999999999999::DECIMAL(38, 0)), (1)) t(x)", "100000000000000000000000000000000000000", "error"},
	} {
		want := tt.release2
		if isRelease1() {
			want = tt.release1
		}
		got := "error"
		if err := c.Exec(ctx, tt.query); err == nil {
			got = strings.TrimSpace(query(t, c, tt.query))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", tt.query, got, want)
		}
	}
}
