//go:build !duckdb_use_lib

package duckbackend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Documents that are nested without end are errors of their statements, and not the end of
// the process; others are what they were.
func TestDeepJSON(t *testing.T) {
	conn := openConn(t, openMemory(t))
	if err := conn.Exec(ctx, "CREATE TABLE d AS SELECT n, repeat('[', n) || repeat(']', n) AS a, repeat('{\"a\":', n) || '1' || repeat('}', n) AS o FROM (VALUES (1000), (1001), (200000)) v(n)"); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{
		"json_structure(%s)", "json_contains(%s, '1')", "json_merge_patch(%s, %[1]s)", "json_pretty(%s)", "%s::JSON::VARIANT", "json_transform(%s, '{\"a\": \"JSON\"}')",
		"from_json(%s, '[\"JSON\"]')", "json_keys(%s)", "json_type(%s)", "json_array_length(%s)", "json_extract(%s, '$.a')", "json_deserialize_sql(%s::JSON)", "%s::JSON",
	} {
		for _, column := range []string{"a", "o"} {
			call := fmt.Sprintf(f, column)
			for _, n := range []string{"1001", "200000"} {
				if err := runs(ctx, conn, "SELECT "+call+" FROM d WHERE n = "+n); err == nil || !strings.Contains(err.Error(), "nested more than 1000 deep") {
					t.Errorf("%s of %s: %v", call, n, err)
				}
			}
			if err := runs(ctx, conn, "SELECT "+call+" FROM d WHERE n = 1000"); err != nil && strings.Contains(err.Error(), "nested") {
				t.Errorf("%s of 1000: %v", call, err)
			}
		}
	}
	for text, want := range map[string]string{
		`[1, "]]]\"[[", {"a": [2]}]`:                      "ARRAY",
		`"` + strings.Repeat("[", 5000) + `"`:             "VARCHAR",
		` [` + strings.Repeat("[],", 5000) + `[]]`:        "ARRAY",
		`{"` + strings.Repeat("{", 5000) + `": "\\\"[["}`: "OBJECT",
		`17`: "UBIGINT", `null`: "NULL", `-1.5e3`: "DOUBLE",
	} {
		if got, err := conn.oneText(ctx, "SELECT json_type("+quoteText(text)+")"); err != nil || got != want {
			t.Errorf("%.40s: %s, %v; want %s", text, got, err, want)
		}
	}
	// A file of many documents is read document by document.
	file := filepath.Join(t.TempDir(), "many.json")
	if err := os.WriteFile(file, []byte(strings.Repeat(`{"a": [[["x"]]], "b": "]"}`+"\n", 50000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.oneText(ctx, "SELECT count(a)::VARCHAR FROM read_json('"+file+"')"); err != nil || n != "50000" {
		t.Errorf("a file: %s, %v", n, err)
	}
}
