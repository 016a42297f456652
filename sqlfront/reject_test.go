package sqlfront

import (
	"context"
	"strings"
	"testing"
)

func TestRejected(t *testing.T) {
	d := newDuck(t)
	for _, line := range corpus(t, "reject") {
		want, text, ok := strings.Cut(line, " | SELECT ")
		verb := "SELECT "
		if !ok {
			want, text, ok = strings.Cut(line, " | ")
			verb = ""
		}
		text = verb + text
		if !ok {
			t.Fatalf("no reason: %s", line)
		}
		described := d.described
		a, err := Analyze(context.Background(), text, d, struct{ Preparer }{d}, nil) // without trees nothing is written anew
		switch {
		case err != nil:
			t.Errorf("%s\nerror %v, want reason %q", text, err, want)
		case a.Query != nil:
			t.Errorf("%s\naccepted, want reason %q", text, want)
		case a.Reason != want:
			t.Errorf("%s\n got reason %q\nwant reason %q", text, a.Reason, want)
		}
		if n := d.described - described; n > 2 {
			t.Errorf("%s\n%d calls of Describe before a refusal", text, n)
		}
	}
}
