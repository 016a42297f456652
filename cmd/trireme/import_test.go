package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func makeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text)) // into memory
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		text = b.String()
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const smallMatrix = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 3 4\n"

func TestImport(t *testing.T) {
	db := filepath.Join(t.TempDir(), "a.db")
	matrix, tensor, edges := makeFile(t, "m.mtx", smallMatrix), makeFile(t, "t.tns.gz", "1 2 3 0.5\n"), makeFile(t, "e.txt", "# c\n1\t2\n2\t3\n")
	out, err := trireme(t, "", "import", "--db", db, matrix, tensor, edges)
	if err != nil || !strings.Contains(out, `3 rows into "m"`) || !strings.Contains(out, "rows/s") {
		t.Fatalf("%q, %v", out, err)
	}
	want := func(sql, rows string) {
		t.Helper()
		got, err := trireme(t, "", "query", "--db", db, "--format", "csv", sql)
		if err != nil || got != rows {
			t.Errorf("%s gives %q, %v, want %q", sql, got, err, rows)
		}
	}
	want("SELECT * FROM m ORDER BY i, j", "i,j,value\n1,2,1.5\n2,1,1.5\n3,3,4\n")
	want("SELECT * FROM t", "i1,i2,i3,value\n1,2,3,0.5\n")
	want("SELECT a.src, b.dst, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src, b.dst", "src,dst,n\n1,3,1\n")
	marked := makeFile(t, "marked.mtx", "\ufeff"+smallMatrix)
	if out, err := trireme(t, "", "import", "--db", db, marked); err != nil {
		t.Errorf("a byte order mark: %q, %v", out, err)
	}
	want("SELECT count(*) AS n FROM marked", "n\n3\n")
	if out, err := trireme(t, "5 6\n7 8 9\n", "import", "--db", db, "--format", "edges", "--table", "piped", "-"); err == nil || !strings.Contains(err.Error(), "standard input:2") {
		t.Errorf("standard input with a bad line: %q, %v", out, err)
	}
	if out, err := trireme(t, "5 6\n7 8\n", "import", "--db", db, "--format", "edges", "--table", "piped", "-"); err != nil {
		t.Errorf("standard input: %q, %v", out, err)
	}
	want("SELECT * FROM piped", "src,dst\n5,6\n7,8\n")
	if _, err := trireme(t, "5 6\n", "import", "--db", db, "--format", "edges", "-"); err == nil || !strings.Contains(err.Error(), "no name") {
		t.Errorf("standard input without a table: %v", err)
	}
	if _, err := trireme(t, "", "import", "--db", db, edges); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a table that exists: %v", err)
	}
	for _, tt := range []struct {
		args []string
		rows string
	}{
		{[]string{"--append", edges}, "n\n4\n"},
		{[]string{"--replace", edges}, "n\n2\n"},
		{[]string{"--table", "e", "--replace", edges, edges}, "n\n4\n"},
	} {
		if _, err := trireme(t, "", append([]string{"import", "--db", db}, tt.args...)...); err != nil {
			t.Errorf("%v: %v", tt.args, err)
		}
		want("SELECT count(*) AS n FROM e", tt.rows)
	}
	if _, err := trireme(t, "", "import", "--db", db, "--append", "--table", "m", edges); err == nil || !strings.Contains(err.Error(), "has columns") {
		t.Errorf("edges into a matrix: %v", err)
	}
}

// Of a bad file, and of those imported with it, nothing stays.
func TestImportIsAllOrNothing(t *testing.T) {
	db := filepath.Join(t.TempDir(), "a.db")
	good := makeFile(t, "good.txt", "1 2\n")
	var long strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&long, "%d %d\n", i, i+1)
	}
	bad := makeFile(t, "bad.txt", long.String()+"1 two\n")
	_, err := trireme(t, "", "import", "--db", db, good, bad)
	if err == nil || !strings.Contains(err.Error(), `bad.txt:10001: the second vertex: an integer is expected, not "two"`) {
		t.Errorf("a bad file: %v", err)
	}
	got, err := trireme(t, "", "query", "--db", db, "--format", "csv", "SELECT count(*) AS n FROM duckdb_tables() WHERE schema_name = 'main' AND database_name = 'trireme'")
	if err != nil || got != "n\n0\n" {
		t.Errorf("%q tables stay, %v", got, err)
	}
	truncated := makeFile(t, "cut.txt.gz", long.String())
	text, err := os.ReadFile(truncated)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(truncated, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := trireme(t, "", "import", "--db", db, truncated); err == nil || !strings.Contains(err.Error(), "cannot read") {
		t.Errorf("half a compressed file: %v", err)
	}
}
