package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Statement is one statement of a text, without its semicolon and without the
// blanks and comments around it. Offset is where it begins in the text.
type Statement struct {
	Text   string
	Offset int
	// Blocks is how many times it says SELECT, or joins two such by UNION, INTERSECT or EXCEPT,
	// whichever is more, Nesting how deep its brackets stand in
	// one another.
	Blocks, Nesting int
}

// Bounds are how long a text may be: in tokens, of which everything that reads it keeps
// several times as many bytes as there are, and in the bytes of one token; 0: any length.
type Bounds struct{ Tokens, TokenBytes int }

// check is error 54001 for token t if it is too long, or the n-th where there may be fewer.
func (b Bounds) check(t token, n int) error {
	switch bytes := t.end - t.start; {
	case b.TokenBytes > 0 && bytes > b.TokenBytes:
		return sqlerr.At(sqlerr.StatementTooComplex, t.start, "a literal or name of %d bytes is too long", bytes).
			WithHint("The limit is %d bytes (--max-literal of the server). Pass long values as parameters, or by COPY.", b.TokenBytes)
	case b.Tokens > 0 && n > b.Tokens && t.kind != tokEOF:
		return sqlerr.At(sqlerr.StatementTooComplex, t.start, "the text has more than %d words, literals and signs", b.Tokens).
			WithHint("That is the limit (--max-tokens of the server). Pass many values as a list in one parameter, or by COPY.")
	}
	return nil
}

// Split is SplitWithin of texts of any length.
func Split(sql string) ([]Statement, error) { return SplitWithin(sql, Bounds{}) }

// SplitWithin cuts a text at its semicolons. Empty statements are left out. Blanks of
// Unicode are spaces in the statements (plainBlanks). A quote or comment that does
// not end is error 42601 with its offset, a text beyond the bounds 54001.
func SplitWithin(sql string, bounds Bounds) ([]Statement, error) {
	sql, err := plainBlanks(sql)
	if err != nil {
		return nil, err
	}
	var out []Statement
	l := lexer{src: sql}
	start, end := -1, -1
	var seen extent
	for n := 1; ; n++ {
		t, err := l.next()
		if err == nil {
			err = bounds.check(t, n)
		}
		if err != nil {
			return nil, err
		}
		if t.kind == tokEOF || t.kind == tokPunct && sql[t.start] == ';' {
			if start >= 0 {
				out = append(out, Statement{Text: sql[start:end], Offset: start, Blocks: max(seen.blocks, seen.sets), Nesting: seen.nesting})
			}
			if t.kind == tokEOF {
				return out, nil
			}
			start, seen = -1, extent{}
			continue
		}
		if start < 0 {
			start = t.start
		}
		end = t.end
		seen.see(t.kind, sql[t.start:t.end])
	}
}

// extent measures a statement by its tokens.
type extent struct{ blocks, sets, nesting, open int }

func (e *extent) see(kind tokenKind, text string) {
	switch {
	case kind == tokWord:
		switch strings.ToLower(text) {
		case "select":
			e.blocks++
		case "union", "intersect", "except": // also of VALUES, TABLE and FROM
			e.sets++
		}
	case kind != tokPunct:
	case strings.ContainsAny(text, "([{"):
		e.open++
		e.nesting = max(e.nesting, e.open)
	case strings.ContainsAny(text, ")]}"):
		e.open--
	}
}

// SplitList cuts a text at the commas that stand in no brackets, and trims the
// parts. Of an empty text there are none.
func SplitList(text string) []string {
	var out []string
	s := &scanner{lexer: lexer{src: text}}
	depth, start := 0, 0
	for s.advance(); s.tok.kind != tokEOF; s.advance() {
		switch {
		case s.isPunct("("), s.isPunct("["), s.isPunct("{"):
			depth++
		case s.isPunct(")"), s.isPunct("]"), s.isPunct("}"):
			depth--
		case s.isPunct(",") && depth == 0:
			out = append(out, strings.TrimSpace(text[start:s.tok.start]))
			start = s.tok.end
		}
	}
	if last := strings.TrimSpace(text[start:]); last != "" || len(out) > 0 {
		out = append(out, last)
	}
	return out
}
