package semiring

// Info is an operator's row in the algebra table. What it says of arithmetic
// holds of integers without bound and of finite floats up to rounding; a
// program in which Inf or NaN meets Mul, Add or Plus must not be rearranged
// (whoever writes it sees to that). The order of Min and Max is total: NaN is
// greatest.
type Info struct {
	Name    string // in the notation
	AggName string // in the notation, as an aggregate; "" where it is none
	Infix   bool
	// ArgsMin and ArgsMax bound the number of arguments of a map; ArgsMax is 0
	// for what is no pointwise operator.
	ArgsMin, ArgsMax int
	Mask             bool // comparison of indices

	Assoc, Comm bool
	// Idempotent: f(x, x) = x. Of Or and And this and Repeat hold of the values 0
	// and 1, which is what their arguments count as.
	Idempotent bool
	// Identity is the value that any other argument survives, Annihilator the one
	// that none does. Mul's annihilator needs every other argument finite.
	Identity, Annihilator Const
	// Repeat is the reduction of a value over indices that it does not mention.
	Repeat Repeat
	// Distributes lists what the operator distributes over, with conditions.
	Distributes []Distribution
	// Blocking: nothing is known of the operator and aggregates or other
	// operators; it is evaluated where it stands, once its arguments are known.
	Blocking bool

	// Conjunctive: present where all arguments are, an absent one annihilates. With
	// FirstOptional that holds of all but the first. Else the operator is
	// disjunctive: present where at least one argument is, an absent one counts as
	// the identity.
	Conjunctive, FirstOptional bool
	// Domain is where a function of one number has a value.
	Domain Domain
}

// Many is the ArgsMax of operators without a bound.
const Many = 1 << 30

// Const is a constant of the algebra, whatever the element type.
type Const uint8

// Constants. Least and Most are the type's extremes; over F64 -Inf and NaN.
const (
	NoConst Const = iota
	Zero
	One
	Least
	Most
)

// Repeat is how an aggregate of n >= 1 equal values x is written.
type Repeat uint8

// Repeats. RepeatSelf is x, but of no value (n = 0) it would be absent: a plan
// must know that some assignment exists, not how many.
const (
	NoRepeat    Repeat = iota // not valid
	RepeatTimes               // x times n
	RepeatPower               // x to the power of n
	RepeatSelf                // x
)

// Domain is a set of numbers; NaN is in all of them.
type Domain uint8

// Domains.
const (
	Everywhere  Domain = iota
	NotNegative        // x >= 0
	Positive           // x > 0
	Finite             // no infinity
	Unit               // -1 <= x <= 1
)

// Facts is a set of facts about the arguments of a map and the place where it
// stands: what is known, or what a distribution asks for.
type Facts uint8

const (
	// OthersNonNegative: every argument but the one in question is >= 0. Counter-
	// example without it: -1 * max(2, 3) = -3, max(-1*2, -1*3) = -2.
	OthersNonNegative Facts = 1 << iota
	// SamePresence: all arguments are present at the same cells, and so are those
	// of the operator below. Without it an absent cell is taken for the identity:
	// with a=1, b=5, c absent, max(a, min(b, c)) is 5 and min(max(a, b), max(a, c))
	// is 1. Of an aggregate it is never known: its indices do not restrict the
	// other arguments.
	SamePresence
	// SameAround: the innermost aggregate around the map is of the operator
	// distributed over. Without it a masked cell changes its meaning: where c is 0,
	// sum(j) guard(max(i) x, c) gets 0 from the cell, and sum(j) max(i) guard(x, c)
	// the identity of max.
	SameAround
)

// Distribution says that f(.., g(x, y), ..) = g(f(.., x, ..), f(.., y, ..)), g
// being Over as a map or, over indices that no other argument mentions, as an
// aggregate.
type Distribution struct {
	Over  Op
	If    Facts
	First bool // in the first argument only
}

// table is the algebra of OPTIMIZER section A. All that is known is here: a
// combination that it does not list is not valid.
var table = [opCount]Info{
	NoOp: {Name: "noop"},
	Add: {
		Name: "+", AggName: "sum", Infix: true, ArgsMin: 2, ArgsMax: Many, Assoc: true, Comm: true,
		Identity: Zero, Repeat: RepeatTimes,
		Distributes: []Distribution{{Over: Min, If: SamePresence}, {Over: Max, If: SamePresence}},
	},
	Mul: {
		Name: "*", Infix: true, ArgsMin: 2, ArgsMax: Many, Assoc: true, Comm: true, Conjunctive: true,
		Identity: One, Annihilator: Zero, Repeat: RepeatPower,
		Distributes: []Distribution{
			{Over: Add},
			{Over: Sub},
			{Over: Neg},
			{Over: Plus},
			{Over: Min, If: OthersNonNegative},
			{Over: Max, If: OthersNonNegative},
		},
	},
	Sub: {Name: "-", Infix: true, ArgsMin: 2, ArgsMax: 2},
	Neg: {
		Name: "neg", ArgsMin: 1, ArgsMax: 1, Conjunctive: true,
		Distributes: []Distribution{{Over: Add}, {Over: Sub}, {Over: Neg}, {Over: Plus}},
	},
	Plus: {
		Name: "plus", ArgsMin: 2, ArgsMax: Many, Assoc: true, Comm: true, Conjunctive: true,
		Identity: Zero, Repeat: RepeatTimes,
		Distributes: []Distribution{{Over: Min}, {Over: Max}},
	},
	Min: {
		Name: "min", AggName: "min", ArgsMin: 2, ArgsMax: Many, Assoc: true, Comm: true, Idempotent: true,
		Identity: Most, Annihilator: Least, Repeat: RepeatSelf,
		Distributes: []Distribution{{Over: Max, If: SamePresence}},
	},
	Max: {
		Name: "max", AggName: "max", ArgsMin: 2, ArgsMax: Many, Assoc: true, Comm: true, Idempotent: true,
		Identity: Least, Annihilator: Most, Repeat: RepeatSelf,
		Distributes: []Distribution{{Over: Min, If: SamePresence}},
	},
	Or: {
		Name: "or", AggName: "or", ArgsMin: 2, ArgsMax: Many, Assoc: true, Comm: true, Idempotent: true,
		Identity: Zero, Annihilator: One, Repeat: RepeatSelf,
		Distributes: []Distribution{{Over: And, If: SamePresence}},
	},
	And: {
		Name: "and", AggName: "and", ArgsMin: 2, ArgsMax: Many, Assoc: true, Comm: true, Idempotent: true, Conjunctive: true,
		Identity: One, Annihilator: Zero, Repeat: RepeatSelf,
		Distributes: []Distribution{{Over: Or}},
	},
	Guard: {
		Name: "guard", ArgsMin: 2, ArgsMax: Many, Conjunctive: true,
		Distributes: []Distribution{
			{Over: Add, If: SameAround, First: true}, {Over: Min, If: SameAround, First: true}, {Over: Max, If: SameAround, First: true},
		},
	},
	Sqrt:    function("sqrt", NotNegative),
	Exp:     function("exp", Everywhere),
	Ln:      function("ln", Positive),
	Abs:     function("abs", Everywhere),
	Sigmoid: function("sigmoid", Everywhere),
	Relu:    function("relu", Everywhere),
	Floor:   function("floor", Everywhere),
	Ceil:    function("ceil", Everywhere),
	Trunc:   function("trunc", Everywhere),
	Round:   function("round", Everywhere),
	Cbrt:    function("cbrt", Everywhere),
	Log10:   function("log10", Positive),
	Log2:    function("log2", Positive),
	Sin:     function("sin", Finite),
	Cos:     function("cos", Finite),
	Tan:     function("tan", Finite),
	Asin:    function("asin", Unit),
	Acos:    function("acos", Unit),
	Atan:    function("atan", Everywhere),
	Less:    pair("less"),
	AtMost:  pair("atmost"),
	Equal:   pair("equal"),
	Differ:  pair("differ"),
	Div:     pair("div"),
	Power:   pair("power"),
	Quot:    pair("quot"),
	Rem:     pair("rem"),
	Select:  {Name: "select", ArgsMin: 3, ArgsMax: 3, Conjunctive: true, Blocking: true},
	If0:     {Name: "if0", ArgsMin: 2, ArgsMax: 2, Blocking: true, FirstOptional: true},
	Eq:      {Name: "=", Infix: true, Comm: true, Mask: true, Conjunctive: true},
	Ne:      {Name: "<>", Infix: true, Comm: true, Mask: true, Conjunctive: true},
	Lt:      {Name: "<", Infix: true, Mask: true, Conjunctive: true},
	Le:      {Name: "<=", Infix: true, Mask: true, Conjunctive: true},
	Gt:      {Name: ">", Infix: true, Mask: true, Conjunctive: true},
	Ge:      {Name: ">=", Infix: true, Mask: true, Conjunctive: true},
}

func function(name string, domain Domain) Info {
	return Info{Name: name, ArgsMin: 1, ArgsMax: 1, Conjunctive: true, Blocking: true, Domain: domain}
}

func pair(name string) Info {
	return Info{Name: name, ArgsMin: 2, ArgsMax: 2, Conjunctive: true, Blocking: true}
}

// Info returns the operator's algebra.
func (o Op) Info() *Info { return &table[o] }

// String returns the operator's name in the notation.
func (o Op) String() string { return table[o].Name }

// ByName returns the operator with that name in the notation.
func ByName(name string) (Op, bool) {
	for o := Add; o < opCount; o++ {
		if table[o].Name == name {
			return o, true
		}
	}
	return NoOp, false
}

// AggByName returns the operator with that name as an aggregate.
func AggByName(name string) (Op, bool) {
	for o := Add; o < opCount; o++ {
		if table[o].AggName == name && name != "" {
			return o, true
		}
	}
	return NoOp, false
}

// DistributesOver reports whether a map of o distributes over the operator, a
// map or an aggregate, in argument number arg, given what is known.
func (o Op) DistributesOver(over Op, arg int, known Facts) bool {
	for _, d := range table[o].Distributes {
		if d.Over == over && d.If&^known == 0 && (arg == 0 || !d.First) {
			return true
		}
	}
	return false
}

// Needs reports whether a map of o is absent wherever argument number arg is.
func (o Op) Needs(arg int) bool {
	return table[o].Conjunctive || table[o].FirstOptional && arg > 0
}
