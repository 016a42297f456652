package sqlfront

import (
	"strings"
	"testing"
)

// FuzzText feeds any text to what reads text: no panic but a refusal, no hang,
// and statements that are pieces of the text.
func FuzzText(f *testing.F) {
	for _, dir := range []string{"accept", "reject"} {
		for _, text := range corpus(f, dir) {
			f.Add(text)
		}
	}
	for _, text := range []string{
		"", ";", "'", `"`, "$$", "/*", "--", "E'\\", "U&", "explain explain analyze", "with with with",
		"copy (copy (", "((((", "case case", "a::b::c", "cast(cast(", "$1$2", "1e", "1.2.3", "\x00", "\xff", "select 1 limit offset",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkText(t, text) })
}

// checkText reads a text as FuzzText says, and reports whether it is a statement that
// is printed.
func checkText(t *testing.T, text string) bool {
	t.Helper()
	Classify(text)
	stmts, err := Split(text)
	if err != nil {
		return false
	}
	end := 0
	for _, s := range stmts {
		if s.Offset < end || text[s.Offset:s.Offset+len(s.Text)] != s.Text || strings.Trim(s.Text, " \t\n\r\f\v") == "" {
			t.Errorf("Split(%q) gives %+v", text, s)
		}
		end = s.Offset + len(s.Text)
		if again, err := Split(s.Text); err != nil || len(again) != 1 || again[0].Text != s.Text {
			t.Errorf("Split(%q) gives %+v, %v", s.Text, again, err)
		}
	}
	sel, reason := parsed(text)
	if (sel == nil) == (reason == "") {
		t.Errorf("%q: tree %v, reason %q", text, sel, reason)
	}
	if sel == nil {
		return false
	}
	// The printed tree is read as the same tree.
	printed := printSelect(sel)
	again, reason := parsed(printed)
	if reason != "" {
		t.Errorf("%q is printed as %q and refused: %s", text, printed, reason)
	} else if twice := printSelect(again); twice != printed {
		t.Errorf("%q is printed as %q, then as %q", text, printed, twice)
	}
	return true
}

// TestLongTexts: time grows with the text, not faster.
func TestLongTexts(t *testing.T) {
	const n = 20_000
	for _, text := range []string{
		strings.Repeat("(", n), strings.Repeat("explain ", n), strings.Repeat("with a as (", n), strings.Repeat("copy (", n),
		strings.Repeat("/*", n), "select " + strings.Repeat("-", n), "select " + strings.Repeat("- ", n) + "1",
		"select " + strings.Repeat("not ", n) + "a", "select " + strings.Repeat("case when ", n), "select a" + strings.Repeat("::int", n),
		"select a" + strings.Repeat(".a", n), "select " + strings.Repeat("a+", n) + "a from t", "select count(*) from t where " + strings.Repeat("a = 1 and ", n/4) + "b = 2",
		strings.Repeat("$a", n), strings.Repeat("$a$", n), strings.Repeat("'", n+1), strings.Repeat("with () ", n),
	} {
		Classify(text)
		if _, err := Split(text); err != nil {
			continue
		}
		parsed(text)
	}
}
