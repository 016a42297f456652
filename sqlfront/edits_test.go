package sqlfront

import "testing"

func TestEdits(t *testing.T) {
	const src = "SELECT a, b FROM t"
	es := Edits{{Start: 7, End: 8, Text: "first", Place: 7}, {Start: 8, End: 8, Text: " AS a", Place: 8}, {Start: 10, End: 11, Text: "", Place: 10}}
	after := es.Apply(src, 0, len(src))
	if want := "SELECT first AS a,  FROM t"; after != want {
		t.Fatalf("%q, want %q", after, want)
	}
	if part := es.Apply(src, 8, len(src)); part != " AS a,  FROM t" {
		t.Errorf("%q", part)
	}
	for at, want := range map[int]int{0: 0, 7: 7, 11: 7, 13: 8, 17: 8, 18: 9, 20: 12, len(after): len(src)} {
		if got := es.Offset(at); got != want {
			t.Errorf("%d is at %d, want %d", at, got, want)
		}
	}
}
