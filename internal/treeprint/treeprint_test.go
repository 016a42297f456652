package treeprint

import "testing"

func TestString(t *testing.T) {
	root := New("plan", New("one line"), New("two\nlines", New("below"), New("a\nb")))
	root.Children[0].Add("child").Add("grandchild\nsecond line")
	root.Add("last")
	const want = `plan
 ├── one line
 │    └── child
 │         └── grandchild
 │             second line
 ├── two
 │   lines
 │    ├── below
 │    └── a
 │        b
 └── last
`
	if got := root.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := New("alone").String(); got != "alone\n" {
		t.Errorf("got %q", got)
	}
}
