package einsum

import (
	"strconv"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// Parse reads a program in the notation:
//
//	program   = { input | query }
//	input     = "tensor" name numbers "{" leaf { "," leaf } "}" { "key" numbers } [ "symmetric" ] [ "hollow" ]
//	numbers   = "(" [ number { "," number } ] ")"
//	leaf      = name ( "pattern" | "i64" | "i128" | "f64" ) [ ">=" "0" ]
//	query     = name indices "=" name ":" expr { "|" name ":" expr }
//	indices   = "(" [ name { "," name } ] ")"
//	expr      = aggregate | sum
//	aggregate = ( "sum" | "min" | "max" | "or" | "and" ) indices expr
//	sum       = product { ( "+" | "-" ) product }
//	product   = factor { "*" factor }
//	factor    = literal | access | function | compare | "(" expr ")"
//	access    = name "." name "(" [ arg { "," arg } ] ")"
//	arg       = name | [ "-" ] number | string | "NULL" | "$" digits
//	function  = operator "(" expr { "," expr } ")"
//	compare   = "(" name ( "=" | "<>" | "<" | "<=" | ">" | ">=" ) name ")"
//
// An aggregate reaches as far as it can: to the end of the parentheses around
// it, the next argument, leaf or statement; as an operand it needs
// parentheses. a + b + c and a * b * c are one map of three arguments; - and
// mixed chains group to the left; parentheses make a node of their own.
// Literals: 3 is I64, 3h is I128, 2.5, 1e3, NaN and Inf are F64. Indices take
// their domains from the accesses of their query. The numbers of a tensor are
// its modes' domains, those of a key are modes; >=0, keys and the words after them
// are the facts of Input. Only as the start of a query, key() = .., is key() no
// key, and a word before "(" is one.
//
// Errors are *sqlerr.Error 42601 with line and column. Parse finds what it
// needs to resolve names; Check finds the rest.
func Parse(text string) (*Program, error) {
	prog, _, err := ParsePlaced(text)
	return prog, err
}

// Places are where the parts of a program stand in its text, in bytes.
type Places struct {
	Inputs, Queries []int
	// InputLeaves and QueryLeaves are the leaves of each of them.
	InputLeaves, QueryLeaves [][]int
}

// ParsePlaced is Parse, and says where the parts of the program stand.
func ParsePlaced(text string) (*Program, *Places, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, nil, err
	}
	p := &parser{text: text, tokens: tokens, modes: map[string][]int{}}
	prog, places := &Program{}, &Places{}
	for p.tok().kind != tokenEnd {
		p.leaves = nil
		if p.tok().kind == tokenName && p.tok().text == wordTensor {
			places.Inputs = append(places.Inputs, p.ahead(1).offset)
			in, err := p.input()
			if err != nil {
				return nil, nil, err
			}
			prog.Inputs = append(prog.Inputs, in)
			places.InputLeaves = append(places.InputLeaves, p.leaves)
			continue
		}
		places.Queries = append(places.Queries, p.tok().offset)
		q, err := p.query()
		if err != nil {
			return nil, nil, err
		}
		prog.Queries = append(prog.Queries, q)
		places.QueryLeaves = append(places.QueryLeaves, p.leaves)
	}
	return prog, places, nil
}

// parser is a recursive descent over the tokens. maxDepth bounds the nesting,
// so that hostile text cannot exhaust the stack.
type parser struct {
	text   string
	tokens []token
	at     int
	depth  int
	modes  map[string][]int // domains per mode of the tensors so far
	scope  scope            // of the query being read
	leaves []int            // where the leaves of the statement being read stand
}

const maxDepth = 1000

func (p *parser) tok() token { return p.tokens[p.at] }

// ahead returns the token n after the current one, or the end.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tok()
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

func (p *parser) errorf(t token, format string, args ...any) error {
	return syntaxError(p.text, t.offset, format, args...)
}

// expected says what should have been where t is.
func (p *parser) expected(what string, t token) error {
	if t.kind == tokenEnd {
		return p.errorf(t, "expected %s, found the end", what)
	}
	return p.errorf(t, "expected %s, found %q", what, t.text)
}

func isSymbol(t token, s string) bool { return t.kind == tokenSymbol && t.text == s }

// accept moves past the symbol s if it is next.
func (p *parser) accept(s string) bool {
	if !isSymbol(p.tok(), s) {
		return false
	}
	p.at++
	return true
}

func (p *parser) symbol(s string) error {
	if t := p.next(); !isSymbol(t, s) {
		return p.expected(strconv.Quote(s), t)
	}
	return nil
}

func (p *parser) name(what string) (string, error) {
	t := p.next()
	if !t.isName() || t.kind == tokenName && !isPlainName(t.text) {
		return "", p.expected(what, t)
	}
	return t.text, nil
}

// list reads "(" [ item { "," item } ] ")".
func (p *parser) list(item func() error) error {
	if err := p.symbol("("); err != nil {
		return err
	}
	if p.accept(")") {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if p.accept(")") {
			return nil
		}
		if err := p.symbol(","); err != nil {
			return err
		}
	}
}

func (p *parser) input() (*Input, error) {
	p.next()
	at := p.tok()
	name, err := p.name("the tensor's name")
	if err != nil {
		return nil, err
	}
	in := &Input{Name: name}
	if in.Domains, err = p.numbers("the number of a domain"); err != nil {
		return nil, err
	}
	if err := p.symbol("{"); err != nil {
		return nil, err
	}
	for more := true; more; more = p.accept(",") {
		leaf, err := p.leafDecl()
		if err != nil {
			return nil, err
		}
		in.Leaves = append(in.Leaves, leaf)
	}
	if err := p.define(at, name, in.Domains); err != nil {
		return nil, err
	}
	if err := p.symbol("}"); err != nil {
		return nil, err
	}
	for p.atKey() {
		p.next()
		key, err := p.numbers("the number of a mode")
		if err != nil {
			return nil, err
		}
		in.Keys = append(in.Keys, key)
	}
	in.Symmetric = p.acceptFact(wordSymmetric)
	in.Hollow = p.acceptFact(wordHollow)
	return in, nil
}

// acceptFact moves past a fact's word if it is next and starts no query.
func (p *parser) acceptFact(word string) bool {
	t := p.tok()
	if t.kind != tokenName || t.text != word || isSymbol(p.ahead(1), "(") {
		return false
	}
	p.at++
	return true
}

// atKey tells key(0,1) and key() from a query of that name.
func (p *parser) atKey() bool {
	t := p.tok()
	if t.kind != tokenName || t.text != wordKey || !isSymbol(p.ahead(1), "(") {
		return false
	}
	return p.ahead(2).kind == tokenNumber || isSymbol(p.ahead(2), ")") && !isSymbol(p.ahead(3), "=")
}

func (p *parser) numbers(what string) ([]int, error) {
	var out []int
	err := p.list(func() error {
		t := p.next()
		n, err := strconv.Atoi(t.text)
		if t.kind != tokenNumber || err != nil {
			return p.expected(what, t)
		}
		out = append(out, n)
		return nil
	})
	return out, err
}

func (p *parser) leafDecl() (LeafDecl, error) {
	p.leaves = append(p.leaves, p.tok().offset)
	name, err := p.name("a leaf's name")
	if err != nil {
		return LeafDecl{}, err
	}
	t := p.next()
	for e := semiring.Pattern; e <= semiring.F64; e++ {
		if t.kind == tokenName && t.text == e.String() {
			l := LeafDecl{Name: name, Elem: e}
			if p.accept(">=") {
				if t := p.next(); t.kind != tokenNumber || t.text != "0" {
					return LeafDecl{}, p.expected("0", t)
				}
				l.NonNegative = true
			}
			return l, nil
		}
	}
	return LeafDecl{}, p.expected("an element type (pattern, i64, i128, f64)", t)
}

// define makes a tensor known to the statements after it.
func (p *parser) define(at token, name string, domains []int) error {
	if _, ok := p.modes[name]; ok {
		return p.errorf(at, "tensor %s is defined twice", nameString(name))
	}
	p.modes[name] = domains
	return nil
}

func (p *parser) query() (*Query, error) {
	at := p.tok()
	name, err := p.name(`"tensor" or the name of a query`)
	if err != nil {
		return nil, err
	}
	p.scope = newScope()
	q := &Query{Name: name}
	if q.Idxs, err = p.indices(); err != nil {
		return nil, err
	}
	if err := p.symbol("="); err != nil {
		return nil, err
	}
	for more := true; more; more = p.accept("|") {
		p.leaves = append(p.leaves, p.tok().offset)
		leaf, err := p.name("a leaf's name")
		if err != nil {
			return nil, err
		}
		if err := p.symbol(":"); err != nil {
			return nil, err
		}
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		q.Leaves = append(q.Leaves, Leaf{Name: leaf, Expr: e})
	}
	if err := p.resolve(q); err != nil {
		return nil, err
	}
	domains := make([]int, len(q.Idxs))
	for i, x := range q.Idxs {
		domains[i] = x.Domain
	}
	return q, p.define(at, name, domains)
}

// indices reads a list of index names; their domains are not known yet.
func (p *parser) indices() ([]Index, error) {
	var idxs []Index
	err := p.list(func() error {
		x, err := p.index()
		idxs = append(idxs, x)
		return err
	})
	return idxs, err
}

func (p *parser) index() (Index, error) {
	t := p.tok()
	name, err := p.name("an index")
	if err != nil {
		return Index{}, err
	}
	p.scope.see(name, t.offset)
	return Index{Name: name, Domain: unknownDomain}, nil
}
