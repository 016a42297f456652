package main

import (
	"strings"
	"testing"
)

// TestCopyJSONB: the binary format of jsonb begins with its version, that of json does not.
func TestCopyJSONB(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, `CREATE TABLE doc (a json, b jsonb); INSERT INTO doc VALUES ('[1]', '[2]')`)
	out := copyOut(t, conn, "COPY doc TO STDOUT (FORMAT binary)")
	if want := "\x00\x02\x00\x00\x00\x03[1]\x00\x00\x00\x04\x01[2]"; !strings.Contains(out, want) {
		t.Errorf("%q has not %q", out, want)
	}
	if _, err := copyText(conn, "COPY doc FROM STDIN (FORMAT binary)", out); err != nil {
		t.Fatal(err)
	}
	if n := value[int64](t, conn, "SELECT count(*) FROM doc WHERE a = '[1]' AND b = '[2]'"); n != 2 {
		t.Errorf("%d rows", n)
	}
}
