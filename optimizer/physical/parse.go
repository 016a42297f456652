package physical

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// Parse reads what Plan.String prints: estimates come back with the digits that
// were printed. Errors are *sqlerr.Error 42601.
func Parse(text string) (*Plan, error) {
	var code strings.Builder
	var details []string
	for _, line := range logical.Lines(text) {
		if isDetail(line) {
			details = append(details, line)
		} else {
			code.WriteString(line + "\n")
		}
	}
	prog, err := einsum.Parse(code.String())
	if err != nil {
		return nil, err
	}
	p := &planReader{lines: details}
	plan := &Plan{Inputs: prog.Inputs}
	for _, q := range prog.Queries {
		s, err := p.step(q)
		if err != nil {
			return nil, err
		}
		plan.Steps = append(plan.Steps, s)
	}
	if len(p.lines) > 0 {
		return nil, malformed(p.lines[0], "line of a step")
	}
	return plan, nil
}

func isDetail(line string) bool {
	for _, word := range []string{wordLoops, wordRead, wordStore, wordEstimate} {
		if strings.HasPrefix(line, word) {
			return true
		}
	}
	return false
}

func malformed(line, want string) error {
	return sqlerr.New(sqlerr.SyntaxError, "physical plan: %q where a %s should be", line, want)
}

// planReader hands out the lines below the queries, in order. Since a query
// tells its operands, indices and comparisons, their texts are compared with
// what the lines say rather than parsed.
type planReader struct {
	lines []string
	rest  string // of the line at hand
	line  string
}

// open starts the next line, which begins with the prefix.
func (p *planReader) open(prefix string) error {
	p.line = ""
	if len(p.lines) > 0 {
		p.line, p.lines = p.lines[0], p.lines[1:]
	}
	p.rest = p.line
	return p.skip(prefix)
}

func (p *planReader) skip(text string) error {
	rest, ok := strings.CutPrefix(p.rest, text)
	if !ok {
		return malformed(p.line, fmt.Sprintf("line with %q", text))
	}
	p.rest = rest
	return nil
}

// word takes what comes before the first of the stops, or all of the rest.
func (p *planReader) word(stops string) string {
	at := strings.IndexAny(p.rest, stops)
	if at < 0 {
		at = len(p.rest)
	}
	w := p.rest[:at]
	p.rest = p.rest[at:]
	return w
}

func (p *planReader) number() (int, error) {
	n, err := strconv.Atoi(p.word(" ,;"))
	if err != nil {
		return 0, malformed(p.line, "number")
	}
	return n, nil
}

func (p *planReader) figure() (float64, error) {
	if err := p.skip(" ~"); err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(p.word(" ,"), 64)
	if err != nil {
		return 0, malformed(p.line, "figure")
	}
	return f, nil
}

func (p *planReader) step(q *einsum.Query) (*Step, error) {
	body, err := logical.NewBody(q)
	if err != nil {
		return nil, err
	}
	s := &Step{Query: q}
	if err := p.loops(s, body); err != nil {
		return nil, err
	}
	for _, op := range body.Operands {
		o := Operand{Tensor: op.Tensor, Args: op.Args}
		if err := p.operand(&o); err != nil {
			return nil, err
		}
		s.Operands = append(s.Operands, o)
	}
	if err := p.output(s); err != nil {
		return nil, err
	}
	if err := p.open(wordEstimate); err != nil {
		return nil, err
	}
	if s.BodyNNZ, err = p.figure(); err != nil {
		return nil, err
	}
	if err := p.skip(" cells,"); err != nil {
		return nil, err
	}
	if s.OutNNZ, err = p.figure(); err != nil {
		return nil, err
	}
	return s, p.skip(" entries")
}

func (p *planReader) loops(s *Step, body *logical.Body) error {
	if err := p.open(wordLoops); err != nil {
		return err
	}
	var outer uint64
	for range body.Indices {
		if len(s.Loops) > 0 {
			if err := p.skip(","); err != nil {
				return err
			}
		}
		x, err := p.index(" ", body, outer)
		if err != nil {
			return err
		}
		iterations, err := p.figure()
		if err != nil {
			return err
		}
		outer |= 1 << x
		l := Loop{Index: body.Indices[x], Iterations: iterations, Masks: masksAt(body, outer, x)}
		if err := p.skip(masksString(l.Masks)); err != nil {
			return err
		}
		s.Loops = append(s.Loops, l)
	}
	return nil
}

// index takes the name, after before, of an index that is not in the set.
func (p *planReader) index(before string, body *logical.Body, set uint64) (int, error) {
	best, length := -1, 0
	for i, x := range body.Indices {
		text := before + indexString(x)
		if set&(1<<i) == 0 && strings.HasPrefix(p.rest, text) && len(text) > length {
			best, length = i, len(text)
		}
	}
	if best < 0 {
		return 0, malformed(p.line, "list of the query's indices")
	}
	p.rest = p.rest[length:]
	return best, nil
}

func (p *planReader) operand(o *Operand) error {
	if err := p.open(wordRead + o.access() + ":"); err != nil {
		return err
	}
	for l := range o.Args {
		if l > 0 {
			if err := p.skip(","); err != nil {
				return err
			}
		}
		if err := p.skip(" "); err != nil {
			return err
		}
		mode, err := p.number()
		if err != nil {
			return err
		}
		if mode < 0 || mode >= len(o.Args) {
			return malformed(p.line, "mode")
		}
		if err := p.skip(" "); err != nil {
			return err
		}
		kind, err := lookUp(p, "level kind", format.Dense, format.Kinds-1)
		if err != nil {
			return err
		}
		o.Order, o.Formats = append(o.Order, mode), append(o.Formats, kind)
		if err := p.skip(" "); err != nil {
			return err
		}
		if o.Args[mode].Const != nil {
			if err := p.skip(wordConst); err != nil {
				return err
			}
			continue
		}
		protocol, err := lookUp(p, "protocol", format.Walk, format.Lookup)
		if err != nil {
			return err
		}
		o.Protocols = append(o.Protocols, protocol)
	}
	return nil
}

// lookUp takes a word that is the name of one of the values first to last.
func lookUp[T interface {
	~uint8
	String() string
}](p *planReader, what string, first, last T) (T, error) {
	w := p.word(" ,;")
	for v := first; v <= last; v++ {
		if v.String() == w {
			return v, nil
		}
	}
	return first, malformed(p.line, what)
}

func (p *planReader) output(s *Step) error {
	body := &logical.Body{Indices: s.Query.Idxs}
	if err := p.open(wordStore + "("); err != nil {
		return err
	}
	var set uint64
	before := ""
	for range s.Query.Idxs {
		x, err := p.index(before, body, set)
		if err != nil {
			return err
		}
		set |= 1 << x
		before = ","
		s.Output.Order = append(s.Output.Order, s.Query.Idxs[x])
	}
	if err := p.skip("):"); err != nil {
		return err
	}
	if err := p.stored(s); err != nil {
		return err
	}
	for i := range s.Query.Leaves {
		if i > 0 {
			if err := p.skip(","); err != nil {
				return err
			}
		}
		if err := p.skip(" "); err != nil {
			return err
		}
		elem, err := lookUp(p, "element type", semiring.Pattern, semiring.F64)
		if err != nil {
			return err
		}
		s.Output.Elems = append(s.Output.Elems, elem)
	}
	return nil
}

// stored reads the level kinds, the prefix and the workspace.
func (p *planReader) stored(s *Step) (err error) {
	for i := range s.Query.Idxs {
		if i > 0 {
			if err = p.skip(","); err != nil {
				return err
			}
		}
		if err = p.skip(" "); err != nil {
			return err
		}
		kind, err := lookUp(p, "level kind", format.Dense, format.Kinds-1)
		if err != nil {
			return err
		}
		s.Output.Formats = append(s.Output.Formats, kind)
	}
	if err = p.skip("; prefix "); err != nil {
		return err
	}
	if s.Output.Prefix, err = p.number(); err != nil {
		return err
	}
	if err = p.skip("; workspace "); err != nil {
		return err
	}
	if s.Output.Workspace, err = lookUp(p, "workspace", format.None, format.Workspaces-1); err != nil {
		return err
	}
	if err = p.skip(";"); err != nil {
		return err
	}
	p.rest, s.Output.Fused = strings.CutPrefix(p.rest, wordFused)
	p.rest, s.Output.Lockstep = strings.CutPrefix(p.rest, wordLockstep)
	p.rest, s.Output.Flat = strings.CutPrefix(p.rest, wordFlat)
	return nil
}
