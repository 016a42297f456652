package expr

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Expr is an Einstein summation. Indices are numbers from 0 on.
type Expr struct {
	Names  []string // of each index; distinct
	Terms  [][]int  // the indices of every operand, one per mode
	Output []int    // distinct
	// Offsets is where each term starts in the text.
	Offsets []int
}

// Parse reads an expression over operands of so many modes each. Nil says that
// the operands are not known: their number is that of the terms, and an ellipsis
// is refused.
func Parse(text string, modes []int) (*Expr, error) {
	s, err := scan(text)
	if err != nil {
		return nil, err
	}
	b := &binder{text: text, ids: map[string]int{}, e: &Expr{}}
	if err := b.count(s, modes); err != nil {
		return nil, err
	}
	for i, t := range s.terms {
		if err := b.term(t, i, modes); err != nil {
			return nil, err
		}
	}
	if s.output == nil {
		b.implicit(s)
		return b.e, nil
	}
	return b.e, b.output(s)
}

// binder gives indices their numbers.
type binder struct {
	text string
	ids  map[string]int // by name
	// ellipsis are the indices that ellipses stand for, the last mode first.
	ellipsis []int
	e        *Expr
}

func syntax(offset int, format string, args ...any) *sqlerr.Error {
	return sqlerr.At(sqlerr.SyntaxError, offset, "einsum: "+format, args...)
}

// count compares the number of terms with that of the operands.
func (b *binder) count(s *scanned, modes []int) error {
	if modes == nil || len(s.terms) == len(modes) {
		return nil
	}
	at := len(b.text)
	if len(s.terms) > len(modes) {
		at = s.terms[len(modes)].offset
	} else if s.output != nil {
		at = s.arrow
	}
	return syntax(at, "%s, but %s", plural(len(s.terms), "term"), plural(len(modes), "operand")).
		WithHint("There is one term for each operand, separated by commas.")
}

func plural(n int, what string) string {
	word := "s"
	if n == 1 {
		word = ""
	}
	return itoa(n) + " " + what + word
}

// index is the number of a name.
func (b *binder) index(name string) int {
	id, ok := b.ids[name]
	if !ok {
		id = len(b.e.Names)
		b.ids[name] = id
		b.e.Names = append(b.e.Names, name)
	}
	return id
}

func (b *binder) term(t term, i int, modes []int) error {
	spread := 0
	switch {
	case modes != nil:
		spread = modes[i] - len(t.indices)
		if spread < 0 || spread > 0 && t.ellipsis < 0 {
			return b.rank(t, i, modes[i])
		}
	case t.ellipsis >= 0:
		return syntax(t.ellipsisAt, "an ellipsis needs operands whose modes are known")
	}
	var ids []int
	for k, x := range t.indices {
		if k == t.ellipsis {
			ids = append(ids, b.spread(spread)...)
		}
		ids = append(ids, b.index(x.name))
	}
	if t.ellipsis == len(t.indices) {
		ids = append(ids, b.spread(spread)...)
	}
	b.e.Terms = append(b.e.Terms, ids)
	b.e.Offsets = append(b.e.Offsets, t.offset)
	return nil
}

// rank is the error of a term that does not fit its operand.
func (b *binder) rank(t term, i, modes int) error {
	at := t.offset
	if modes < len(t.indices) {
		at = t.indices[modes].offset
	}
	err := syntax(at, "term %d has %s, operand %d has %s", i+1, indices(len(t.indices)), i+1, plural(modes, "mode"))
	if len(t.indices) > modes && t.words {
		return err
	}
	return err.WithHint("Every letter is an index. Names of several letters are separated by spaces, or stand in brackets: [row]k,k->[row].")
}

func indices(n int) string {
	if n == 1 {
		return "1 index"
	}
	return itoa(n) + " indices"
}

// spread are n indices of an ellipsis: those that all ellipses share, from the last on.
func (b *binder) spread(n int) []int {
	for len(b.ellipsis) < n {
		name := "d" + itoa(len(b.ellipsis)+1)
		for b.taken(name) {
			name += "_"
		}
		b.ellipsis = append(b.ellipsis, b.index(name))
	}
	out := slices.Clone(b.ellipsis[:n])
	slices.Reverse(out)
	return out
}

// taken reports whether a name is one that the text has, so far or later.
func (b *binder) taken(name string) bool {
	_, ok := b.ids[name]
	return ok || strings.Contains(b.text, name)
}

// implicit is the output of an expression without an arrow.
func (b *binder) implicit(s *scanned) {
	times := make([]int, len(b.e.Names))
	for _, t := range s.terms {
		for _, x := range t.indices {
			times[b.ids[x.name]]++
		}
	}
	b.e.Output = b.spread(len(b.ellipsis))
	named := len(b.e.Output)
	for id, n := range times {
		if n == 1 {
			b.e.Output = append(b.e.Output, id)
		}
	}
	slices.SortFunc(b.e.Output[named:], func(x, y int) int { return strings.Compare(b.e.Names[x], b.e.Names[y]) })
}

func (b *binder) output(s *scanned) error {
	seen := map[int]bool{}
	for k, x := range s.output.indices {
		if k == s.output.ellipsis {
			b.e.Output = append(b.e.Output, b.spread(len(b.ellipsis))...)
		}
		id, ok := b.ids[x.name]
		if !ok {
			return syntax(x.offset, "index %q of the output is in no term", x.name)
		}
		if seen[id] {
			return syntax(x.offset, "index %q is twice in the output", x.name)
		}
		seen[id] = true
		b.e.Output = append(b.e.Output, id)
	}
	if s.output.ellipsis == len(s.output.indices) {
		b.e.Output = append(b.e.Output, b.spread(len(b.ellipsis))...)
	}
	return nil
}

// String writes the expression in the long notation, with brackets where a term of
// several letters stands alone. Parse reads it back.
func (e *Expr) String() string {
	var b strings.Builder
	write := func(ids []int) {
		for _, id := range ids {
			b.WriteString("[" + e.Names[id] + "]")
		}
	}
	for i, t := range e.Terms {
		if i > 0 {
			b.WriteString(",")
		}
		write(t)
	}
	b.WriteString("->")
	write(e.Output)
	return b.String()
}
