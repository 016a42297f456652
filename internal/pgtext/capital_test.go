package pgtext

import "testing"

func TestCapitalized(t *testing.T) {
	for text, want := range map[string]string{ // PostgreSQL's in a UTF-8 locale
		"": "", "ab CD": "Ab Cd", "o'neil 3RD x_y": "O'Neil 3rd X_Y", "élan ÉLAN": "Élan Élan", "-a": "-A",
	} {
		if got := Capitalized(text); got != want {
			t.Errorf("%q gives %q", text, got)
		}
	}
}
