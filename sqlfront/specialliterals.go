package sqlfront

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// LiteralEdits write literals that DuckDB's parser reads as something else, or not at all, as ones that it
// reads: those with characters by their numbers, which are E'..' and U&'..', those of bits, B'..' and X'..', and
// numbers of other bases, 0x1F, of which DuckDB makes 0 with a name.
func LiteralEdits(sql string) (edits Edits, err error) {
	if !strings.Contains(sql, `\`) && !HasWord(sql, "b", "x", "u") && !basedNumber.MatchString(sql) {
		return nil, nil
	}
	tokens := tokensOf(sql)
	for i, t := range tokens {
		if t.kind == tokNumber && i+1 < len(tokens) && tokens[i+1].start == t.end {
			if n, ok := new(big.Int).SetString(sql[t.start:tokens[i+1].end], 0); ok && basedNumber.MatchString(sql[t.start:tokens[i+1].end]) {
				edits = append(edits, Edit{Start: t.start, End: tokens[i+1].end, Text: n.String(), Place: t.start})
			}
		}
		if t.kind != tokSpecial {
			continue
		}
		e := Edit{Start: t.start, End: t.end, Place: t.start}
		lit := sql[t.start:t.end]
		switch lit[0] {
		case 'e', 'E':
			e.Text, err = numberedLiteral(lit, t.start)
		case 'b', 'B', 'x', 'X':
			e.Text, err = bitLiteral(lit, t.start)
		case 'u', 'U':
			escape := byte('\\')
			if c, ok := uescape(sql, tokens[i+1:]); ok {
				escape, e.End = c, tokens[i+2].end
			}
			e.Text, err = unicodeLiteral(lit, escape, t.start)
		}
		switch {
		case err != nil:
			return nil, err
		case e.Text != "":
			edits = append(edits, e)
		}
	}
	return edits, nil
}

// basedNumber is how such a number begins.
var basedNumber = regexp.MustCompile(`\b0[xXbBoO]_?[0-9a-fA-F]`)

// numberedLiteral is E'..' that has the number of a character; empty: DuckDB reads it, or has the error.
func numberedLiteral(lit string, at int) (string, error) {
	text, ok := "", hasNumberEscape(lit)
	if ok {
		text, ok = valueBytes(lit)
	}
	switch {
	case !ok:
		return "", nil
	case strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text):
		return "", sqlerr.At(sqlerr.BadEncoding, at, "invalid byte sequence for encoding \"UTF8\"").WithHint("Bytes are written as '\\x0041'::bytea.")
	}
	return quoteLiteral(text), nil
}

// bitLiteral is B'..' or X'..' as a BIT, which DuckDB takes for a text that begins with the letter.
func bitLiteral(lit string, at int) (string, error) {
	text, ok := valueBytes(lit[1:])
	if !ok {
		return "", nil
	}
	base, kind := 2, "binary"
	if lit[0] == 'x' || lit[0] == 'X' {
		base, kind = 16, "hexadecimal"
	}
	var bits strings.Builder
	for _, digit := range text {
		n, err := strconv.ParseUint(string(digit), base, 8)
		switch {
		case err != nil:
			return "", sqlerr.At(sqlerr.InvalidText, at, "%q is not a valid %s digit", digit, kind).WithHint("Bytes are written as '\\x0041'::bytea.")
		case base == 2:
			bits.WriteRune(digit)
		default:
			bits.WriteString(strconv.FormatUint(n|16, 2)[1:])
		}
	}
	return "CAST('" + bits.String() + "' AS BIT)", nil
}

// uescape is the escape character that UESCAPE gives the literal before the tokens.
func uescape(sql string, tokens []token) (escape byte, ok bool) {
	if len(tokens) < 2 || !isWordOf(sql, tokens[0], "uescape") || tokens[1].kind != tokString {
		return 0, false
	}
	text := unquote(sql[tokens[1].start:tokens[1].end])
	if len(text) != 1 || strings.Contains("+'\" \t\n\r\f\v", text) || digitsOf(text, 16, 1) > 0 {
		return 0, false
	}
	return text[0], true
}

// unicodeLiteral is the text of U&'..', or the name of U&"..".
func unicodeLiteral(lit string, escape byte, at int) (string, error) {
	text, quote := "", quoteLiteral
	if lit[2] == '"' {
		text, quote = unquote(lit[2:]), load.Quote
	} else if value, ok := valueBytes(lit[2:]); ok {
		text = value
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != escape || i+1 < len(text) && text[i+1] == escape {
			if text[i] == escape {
				i++
			}
			b.WriteByte(text[i])
			continue
		}
		from, size := i+1, 4
		if from < len(text) && text[from] == '+' {
			from, size = from+1, 6
		}
		if digitsOf(text[from:], 16, size) != size {
			return "", sqlerr.At(sqlerr.SyntaxError, at, "invalid Unicode escape").WithHint(`Unicode escapes must be \XXXX or \+XXXXXX.`)
		}
		n, err := strconv.ParseInt(text[from:from+size], 16, 32)
		if err != nil {
			panic(err) // they are digits
		}
		r := rune(n)
		i = from + size - 1
		if utf16.IsSurrogate(r) { // the first half of a character, before the other
			if low := text[i+1:]; len(low) >= 5 && low[0] == escape && digitsOf(low[1:], 16, 4) == 4 {
				second, _ := strconv.ParseInt(low[1:5], 16, 32)
				r, i = utf16.DecodeRune(r, rune(second)), i+5
			}
		}
		if r == 0 || r == utf8.RuneError || !utf8.ValidRune(r) {
			return "", sqlerr.At(sqlerr.SyntaxError, at, "invalid Unicode escape value")
		}
		b.WriteRune(r)
	}
	return quote(b.String()), nil
}
