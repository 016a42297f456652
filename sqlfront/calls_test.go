package sqlfront

import (
	"slices"
	"testing"
)

// The paths of a call are its first argument if that is written in full.
func TestPathsOfCalls(t *testing.T) {
	for text, want := range map[string][]string{
		"f('a')": {"a"}, "f('a''b', x = 1)": {"a'b"}, "f(['a', 'b'])": {"a", "b"}, `"F" (['a'], 1)`: {"a"}, "f(/* c */ 'a' -- d\n)": {"a"},
		"f()": nil, "f(": nil, "f('a'": nil, "f('a' || 'b')": nil, "f('a' 'b')": nil, "f(E'a')": nil, "f($$a$$)": nil, "f(a)": nil, "f(1)": nil, "f($1)": nil,
		"f([])": nil, "f(['a', b])": nil, "f(['a',])": nil, "f(['a'] || ['b'])": nil, "f(['a'][1])": nil, "f(('a'))": nil, "f(x = 'a')": nil, "f(['a', 'b'": nil,
		"f('a'::VARCHAR)": nil, "f('a'[1:])": nil,
	} {
		calls := NamedCalls(text)
		if len(calls) != 1 || !slices.Equal(calls[0].Paths, want) {
			t.Errorf("%s: %v, want %q", text, calls, want)
		}
	}
}
