package sqlfront

// TokenKind is what a Token is.
type TokenKind uint8

// The kinds of tokens.
const (
	TokenWord    TokenKind = iota + 1 // an unquoted name or keyword
	TokenQuoted                       // "name"
	TokenString                       // 'text' without escapes
	TokenSpecial                      // a string with a prefix or in dollars
	TokenNumber
	TokenParam // $1, $name
	TokenOp
	TokenPunct // one of ( ) [ ] { } , ; . : ?
	TokenCast  // ::
)

// Token is src[Start:End] of the text that was cut.
type Token struct {
	Kind       TokenKind
	Start, End int
}

var tokenKinds = map[tokenKind]TokenKind{
	tokWord: TokenWord, tokQuoted: TokenQuoted, tokString: TokenString, tokSpecial: TokenSpecial, tokNumber: TokenNumber,
	tokParam: TokenParam, tokOp: TokenOp, tokPunct: TokenPunct, tokCast: TokenCast,
}

// Tokens cuts a text by the rules of Split, without comments and blanks. Errors are
// those of Split.
func Tokens(sql string) ([]Token, error) {
	l := lexer{src: sql}
	tokens := make([]Token, 0, len(sql)/4)
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		if t.kind == tokEOF {
			return tokens, nil
		}
		tokens = append(tokens, Token{tokenKinds[t.kind], t.start, t.end})
	}
}
