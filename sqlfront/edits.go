package sqlfront

import "strings"

// Edit replaces src[Start:End] with Text.
type Edit struct {
	Start, End int // bytes
	Text       string
	// Place is the place in src that stands for Text in errors.
	Place int
}

// Edits are changes of one text, in its order, none within another.
type Edits []Edit

// Apply is src[from:to] with the edits inside made. Time is linear in the text and
// the edits.
func (es Edits) Apply(src string, from, to int) string {
	var b strings.Builder
	for _, e := range es {
		if e.Start < from || e.End > to {
			continue
		}
		b.WriteString(src[from:e.Start])
		b.WriteString(e.Text)
		from = e.End
	}
	b.WriteString(src[from:to])
	return b.String()
}

// Offset is the place in src of a place in the whole text after the edits: of what
// stands for a replaced part, that part's Place.
func (es Edits) Offset(offset int) int {
	moved := 0
	for _, e := range es {
		start := e.Start + moved
		switch {
		case offset < start:
			return offset - moved
		case offset < start+len(e.Text):
			return e.Place
		}
		moved += len(e.Text) - (e.End - e.Start)
	}
	return offset - moved
}
