package einsum

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
)

func (p *parser) expr() (Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, p.errorf(p.tok(), "nested more than %d deep", maxDepth)
	}
	if p.atAggregate() {
		return p.aggregate()
	}
	return p.sum()
}

// atAggregate tells sum(i,j) from min(a, b): a list of bare names, or an empty
// list, is a list of indices.
func (p *parser) atAggregate() bool {
	if p.tok().kind != tokenName || !isSymbol(p.ahead(1), "(") {
		return false
	}
	if isSymbol(p.ahead(2), ")") {
		return true
	}
	first := p.ahead(2)
	if !first.isName() || first.kind == tokenName && isFloatWord(first.text) {
		return false
	}
	return isSymbol(p.ahead(3), ",") || isSymbol(p.ahead(3), ")")
}

func (p *parser) aggregate() (Expr, error) {
	t := p.next()
	op, ok := semiring.AggByName(t.text)
	if !ok {
		return nil, p.expected("an aggregate (sum, min, max, or, and)", t)
	}
	idxs, err := p.indices()
	if err != nil {
		return nil, err
	}
	arg, err := p.expr()
	if err != nil {
		return nil, err
	}
	return &Agg{Op: op, Idxs: idxs, Arg: arg}, nil
}

func (p *parser) sum() (Expr, error) {
	left, err := p.product()
	if err != nil {
		return nil, err
	}
	var chain *Map // the sum that left is, if it was made here
	for {
		var op semiring.Op
		switch {
		case p.accept("+"):
			op = semiring.Add
		case p.accept("-"):
			op = semiring.Sub
		default:
			return left, nil
		}
		right, err := p.product()
		if err != nil {
			return nil, err
		}
		if op == semiring.Add && chain != nil {
			chain.Args = append(chain.Args, right)
			continue
		}
		m := &Map{Op: op, Args: []Expr{left, right}}
		left, chain = m, nil
		if op == semiring.Add {
			chain = m
		}
	}
}

func (p *parser) product() (Expr, error) {
	first, err := p.factor()
	if err != nil {
		return nil, err
	}
	args := []Expr{first}
	for p.accept("*") {
		e, err := p.factor()
		if err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	if len(args) == 1 {
		return first, nil
	}
	return &Map{Op: semiring.Mul, Args: args}, nil
}

func (p *parser) factor() (Expr, error) {
	t := p.tok()
	switch {
	case t.kind == tokenNumber, isSymbol(t, "-"):
		return p.literal()
	case t.isName() && isSymbol(p.ahead(1), "."):
		return p.access()
	case p.atAggregate():
		return nil, p.errorf(t, "%s over indices is an operand: put it in parentheses", t.text)
	case t.kind == tokenName && isSymbol(p.ahead(1), "("):
		return p.function()
	case t.kind == tokenName && isFloatWord(t.text):
		return p.literal()
	case isSymbol(t, "(") && p.ahead(1).isName() && isComparison(p.ahead(2)):
		return p.compare()
	case p.accept("("):
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		return e, p.symbol(")")
	}
	return nil, p.expected("an expression", t)
}

// function reads op(expr, ...) for the operators that are no infix.
func (p *parser) function() (Expr, error) {
	t := p.next()
	op, ok := semiring.ByName(t.text)
	if !ok {
		return nil, p.errorf(t, "there is no operator %s", t.text)
	}
	m := &Map{Op: op}
	err := p.list(func() error {
		e, err := p.expr()
		m.Args = append(m.Args, e)
		return err
	})
	return m, err
}

func isComparison(t token) bool {
	op, ok := semiring.ByName(t.text)
	return ok && t.kind == tokenSymbol && op.Info().Mask
}

func (p *parser) compare() (Expr, error) {
	p.next()
	l, err := p.index()
	if err != nil {
		return nil, err
	}
	op, _ := semiring.ByName(p.next().text) // isComparison has looked
	r, err := p.index()
	if err != nil {
		return nil, err
	}
	return &Compare{Op: op, L: l, R: r}, p.symbol(")")
}

func (p *parser) access() (Expr, error) {
	at := p.tok()
	tensor, err := p.name("a tensor")
	if err != nil {
		return nil, err
	}
	p.next() // the point that factor has seen
	leaf, err := p.name("a leaf")
	if err != nil {
		return nil, err
	}
	domains, ok := p.modes[tensor]
	if !ok {
		return nil, p.errorf(at, "tensor %s is not defined here", nameString(tensor))
	}
	a := &Access{Tensor: tensor, Leaf: leaf}
	err = p.list(func() error {
		if len(a.Args) == len(domains) {
			return p.errorf(at, "tensor %s has %d modes", nameString(tensor), len(domains))
		}
		arg, err := p.arg(domains[len(a.Args)])
		a.Args = append(a.Args, arg)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(a.Args) != len(domains) {
		return nil, p.errorf(at, "tensor %s has %d modes", nameString(tensor), len(domains))
	}
	return a, nil
}

func (p *parser) arg(domain int) (Arg, error) {
	t := p.tok()
	switch {
	case t.kind == tokenString:
		p.next()
		return Arg{Const: &Const{Text: t.text, Quoted: true}}, nil
	case t.kind == tokenParam:
		p.next()
		n, err := strconv.Atoi(t.text)
		if err != nil || n == 0 {
			return Arg{}, p.errorf(t, "bad parameter number $%s", t.text)
		}
		return Arg{Const: &Const{Param: n}}, nil
	case t.kind == tokenName && t.text == wordNull:
		p.next()
		return Arg{Const: &Const{Null: true}}, nil
	case t.kind == tokenNumber, isSymbol(t, "-"):
		number, err := p.number()
		if err == nil && strings.HasSuffix(number, "h") {
			err = p.errorf(t, "a constant has no element type")
		}
		return Arg{Const: &Const{Text: number}}, err
	}
	x, err := p.index()
	if err != nil {
		return Arg{}, err
	}
	return Arg{Index: x}, p.scope.bind(p, x.Name, domain, t)
}

// number reads [ "-" ] number.
func (p *parser) number() (string, error) {
	sign := ""
	if p.accept("-") {
		sign = "-"
	}
	t := p.next()
	if t.kind != tokenNumber {
		return "", p.expected("a number", t)
	}
	return sign + t.text, nil
}

func (p *parser) literal() (Expr, error) {
	t := p.tok()
	if word := p.ahead(1); t.kind == tokenName || isSymbol(t, "-") && word.kind == tokenName && word.text == wordInf {
		return p.namedFloat(), nil
	}
	s, err := p.number()
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(s, ".eE") && !strings.HasSuffix(s, "h") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, p.errorf(t, "number %s is out of range", s)
		}
		return &Literal{Elem: semiring.F64, F: f}, nil
	}
	elem, digits := semiring.I64, s
	if d, ok := strings.CutSuffix(s, "h"); ok {
		elem, digits = semiring.I128, d
	}
	b, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return nil, p.errorf(t, "bad number %s", s)
	}
	v, ok := semiring.FromBig(b)
	if !ok || elem == semiring.I64 && !b.IsInt64() {
		return nil, p.errorf(t, "number %s is out of range", s)
	}
	return &Literal{Elem: elem, I: v}, nil
}

// namedFloat reads NaN, Inf or -Inf; the caller has looked.
func (p *parser) namedFloat() Expr {
	sign := 1
	if p.accept("-") {
		sign = -1
	}
	f := math.Inf(sign)
	if p.next().text == wordNaN {
		f = math.NaN()
	}
	return &Literal{Elem: semiring.F64, F: f}
}
