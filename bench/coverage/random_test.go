package coverage

import (
	"slices"
	"strings"
	"testing"
)

// TestRandomJoins: the same seed gives the same statements, which have all kinds of joins.
func TestRandomJoins(t *testing.T) {
	text := func(seed uint64) (out []string) {
		for _, q := range RandomJoins(seed, 300) {
			out = append(out, q.SQL)
		}
		return out
	}
	if !slices.Equal(text(1), text(1)) || slices.Equal(text(1), text(2)) {
		t.Error("statements do not depend on the seed alone")
	}
	all := strings.Join(text(1), "\n")
	for _, word := range []string{"BETWEEN", " OR ", "abs(", "LEFT JOIN", "FULL JOIN", "RECURSIVE", "GROUP BY", "IS NOT NULL"} {
		if strings.Count(all, word) < 5 {
			t.Errorf("few statements with %s", word)
		}
	}
}
