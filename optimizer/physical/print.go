package physical

import (
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// String prints the plan: the inputs, then every step's query in the einsum
// notation with lines below it that start with two blanks and a word:
//
//	loops: k ~900, l ~1e+04 where (k < l)
//	read V(85,l): 0 hash const, 1 sparse walk
//	store (k): sparse; prefix 1; workspace none; i64, f64
//	estimate: ~1e+04 cells, ~900 entries
//
// A loop shows the estimated iterations of its body and the comparisons tested
// there; an operand, per level, the mode, its kind and the protocol. Parse reads
// it back.
func (p *Plan) String() string {
	var b strings.Builder
	for _, in := range p.Inputs {
		b.WriteString(in.String())
		b.WriteByte('\n')
	}
	for _, s := range p.Steps {
		b.WriteString(s.String())
	}
	return b.String()
}

// String prints one step; every line ends with a newline.
func (s *Step) String() string {
	var b strings.Builder
	b.WriteString(s.Query.String())
	b.WriteByte('\n')
	b.WriteString(wordLoops)
	for i, l := range s.Loops {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(indexString(l.Index))
		b.WriteByte(' ')
		b.WriteString(logical.Figure(l.Iterations))
		b.WriteString(masksString(l.Masks))
	}
	b.WriteByte('\n')
	for i := range s.Operands {
		b.WriteString(s.Operands[i].line())
	}
	b.WriteString(s.Output.line())
	fmt.Fprintf(&b, "%s %s cells, %s entries\n", wordEstimate, logical.Figure(s.BodyNNZ), logical.Figure(s.OutNNZ))
	return b.String()
}

// Words at the start of the lines below a query.
const (
	wordLoops    = "  loops:"
	wordRead     = "  read "
	wordStore    = "  store "
	wordEstimate = "  estimate:"
	wordConst    = "const"
	wordFused    = " fused;"
	wordFlat     = " flat;"
	wordLockstep = " lockstep;"
)

func indexString(x einsum.Index) string { return einsum.Ix(x).String() }

func masksString(masks []*einsum.Compare) string {
	text := ""
	for i, m := range masks {
		if i == 0 {
			text = " where"
		}
		text += " " + m.String()
	}
	return text
}

func (o *Operand) line() string {
	var b strings.Builder
	b.WriteString(wordRead + o.access() + ":")
	constants := len(o.Args) - len(o.Protocols)
	for l, m := range o.Order {
		if l > 0 {
			b.WriteByte(',')
		}
		how := wordConst
		if l >= constants {
			how = o.Protocols[l-constants].String()
		}
		fmt.Fprintf(&b, " %d %s %s", m, o.Formats[l], how)
	}
	b.WriteByte('\n')
	return b.String()
}

func (o *Output) line() string {
	var b strings.Builder
	b.WriteString(wordStore + "(")
	for i, x := range o.Order {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(indexString(x))
	}
	b.WriteString("):")
	for i, f := range o.Formats {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + f.String())
	}
	fmt.Fprintf(&b, "; prefix %d; workspace %s;", o.Prefix, o.Workspace)
	if o.Fused {
		b.WriteString(wordFused)
	}
	if o.Lockstep {
		b.WriteString(wordLockstep)
	}
	if o.Flat {
		b.WriteString(wordFlat)
	}
	for i, e := range o.Elems {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + e.String())
	}
	b.WriteByte('\n')
	return b.String()
}
