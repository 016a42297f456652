package sqlfront

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// The blanks are DuckDB's, rune by rune: what it separates tokens at, and nothing else.
func TestBlanksAreDuckDBs(t *testing.T) {
	d := newDuck(t)
	for r := rune(1); r < utf8.RuneSelf; r++ {
		want := !isOperator(byte(r)) && d.runs("SELECT"+string(r)+"x FROM (SELECT 1 AS x)")
		if got := isBlank(r); got != want {
			t.Errorf("%U is a blank: %t, DuckDB: %t", r, got, want)
		}
	}
	var all []rune
	for r := rune(utf8.RuneSelf); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all = append(all, r)
		}
	}
	for len(all) > 0 {
		n := min(len(all), 2000)
		d.compareBlanks(t, all[:n])
		all = all[n:]
	}
}

// compareBlanks compares isBlank with DuckDB for many runes at once: inside a name
// every one is a letter, or it ends the name and the statement is wrong.
func (d *duck) compareBlanks(t *testing.T, runes []rune) {
	t.Helper()
	var b strings.Builder
	blanks := 0
	for i, r := range runes {
		if isBlank(r) {
			blanks++
		}
		fmt.Fprintf(&b, ", 1 AS a%cb%d", r, i)
	}
	runs := d.runs("SELECT 0" + b.String() + " ")
	switch {
	case blanks == 0 && runs, len(runes) == 1 && blanks == 1 && !runs:
	case len(runes) == 1:
		t.Errorf("%U is a blank: %t, DuckDB: %t", runes[0], blanks == 1, !runs)
	default:
		d.compareBlanks(t, runes[:len(runes)/2])
		d.compareBlanks(t, runes[len(runes)/2:])
	}
}

// runs reports whether DuckDB runs a statement.
func (d *duck) runs(sql string) bool {
	r, err := d.conn.QueryContext(context.Background(), sql)
	return err == nil && r.Close() == nil
}

// What Split hands on means to DuckDB what it means here, and has the offsets of what
// was written.
func TestBlanksOfUnicodeBecomeSpaces(t *testing.T) {
	for in, want := range map[string]string{
		"SELECT\u00a01":                               "SELECT  1",
		"SELECT\u2003/* ' */\u200b1\u00a0":            "SELECT             1",
		"SELECT 1 --\u00a0'\n+\u00a02":                "SELECT 1      \n+  2",
		"SELECT\u00a0'\u00a0', \"\u00a0\"":            "SELECT  '\u00a0', \"\u00a0\"",
		"SELECT\u00a0E'\\'\u00a0\\\\'":                "SELECT  E'''\u00a0\\\\'",
		"SELECT $$\u00a0$$, $a\u00a0$\u2003$a\u00a0$": "SELECT $$\u00a0$$, $a\u00a0$\u2003$a\u00a0$",
		"SELECT a$b\u00a0":                            "SELECT a$b",
		"SELECT a\u200c, b\u200d":                     "SELECT a\u200c, b\u200d", // joiners are letters
		"\ufeffSELECT 1":                              "SELECT 1",
	} {
		got, err := Split(in)
		if err != nil || len(got) != 1 || got[0].Text != want {
			t.Errorf("Split(%q) = %+v, %v; want %q", in, got, err, want)
		}
	}
	if got, err := Split("SELECT a$b$, '\u00a0'"); err == nil {
		t.Errorf("DuckDB would read another string: %+v", got)
	}
	if got := Classify("CALL\u00a0enable_logging\u2003()"); got.Kind != ClassCall {
		t.Errorf("%v", got.Kind)
	}
}
