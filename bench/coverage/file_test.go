package coverage

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

var someEntries = []Entry{
	{Name: "a", Family: "f", Native: true, Auto: "native"},
	{Name: "b", Family: "f", HeldOut: true, Auto: "duckdb", Reason: "window function"},
	{Name: "c", Family: "g", Native: true, Auto: "duckdb", Reason: "auto: no join"},
	{Name: "d", Family: "g", Auto: "duckdb", Reason: "window function"},
	{Name: "e", Family: "g", Auto: "duckdb", Reason: "syntax"},
}

func TestFileRoundTrip(t *testing.T) {
	text := Format(someEntries)
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, someEntries) {
		t.Errorf("read %+v, written %+v", got, someEntries)
	}
	for _, line := range []string{"# f: native 1 of 2 (50%), under auto 1", "# all: native 2 of 5 (40%), under auto 1"} {
		if !slices.Contains(strings.Split(text, "\n"), line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	for _, bad := range []string{"a\tf\ttune\tyes\tnative\t\n", header + "\na\tf\n"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestCompare(t *testing.T) {
	now := slices.Clone(someEntries[1:]) // a is gone
	now[1].Native = false
	now[2].Native = true
	now = append(now, Entry{Name: "new", Family: "g", Native: true})
	want := Change{Lost: []string{"a", "c"}, Won: []string{"d", "new"}}
	if got := Compare(someEntries, now); !reflect.DeepEqual(got, want) {
		t.Errorf("change %+v, want %+v", got, want)
	}
}

func TestReasons(t *testing.T) {
	want := []Reason{{"window function", 2}, {"syntax", 1}}
	if got := Reasons(someEntries); !reflect.DeepEqual(got, want) {
		t.Errorf("reasons %v, want %v", got, want)
	}
}
