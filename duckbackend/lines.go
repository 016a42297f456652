package duckbackend

import "strings"

// lines is SQL on several lines. A break inside of one is part of a literal or a quoted
// name of the user's, which no layout may change.
type lines []string

// String joins the lines.
func (l lines) String() string { return strings.Join(l, "\n") }

// indented is the text inside of another.
func (l lines) indented() lines {
	out := make(lines, len(l))
	for i, line := range l {
		out[i] = "  " + line
	}
	return out
}

// listed is a list after a word, an item a line.
func listed(word string, items []string) lines {
	out := make(lines, len(items))
	for i, item := range items {
		before, after := "  ", ","
		if i == 0 {
			before = word
		}
		if i == len(items)-1 {
			after = ""
		}
		out[i] = before + item + after
	}
	return out
}
