package sqlfront

import "testing"

func TestLastPart(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "own": "own", "c.main.own": "own", `c."main"."own"`: "own", `"a.b"`: "a.b", `c."a.b"`: "a.b", `c."a""b".d`: "d", `c."a"".b"`: `a".b`, `"open`: "open", "c.": "", `""""`: `"`,
	} {
		if got := lastPart(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
