package logical

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// String prints the plan in the einsum notation, each step after a comment line
// with its estimates. Parse reads it back.
func (p *Plan) String() string {
	var b strings.Builder
	for _, in := range p.Inputs {
		b.WriteString(in.String())
		b.WriteByte('\n')
	}
	for _, s := range p.Steps {
		b.WriteString(commentMark + " " + Figure(s.BodyNNZ) + " cells, " + Figure(s.OutNNZ) + " entries\n")
		b.WriteString(s.Query.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// commentMark starts a comment, which ends with the line.
const commentMark = "--"

// Figure prints an estimate with three digits: ~1.23e+06.
func Figure(x float64) string { return "~" + strconv.FormatFloat(x, 'g', 3, 64) }

// Parse reads what String prints; the estimates are lost.
func Parse(text string) (*Plan, error) {
	var code strings.Builder
	for _, line := range Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), commentMark) {
			code.WriteString(line)
			code.WriteByte('\n')
		}
	}
	p, err := einsum.Parse(code.String())
	if err != nil {
		return nil, err
	}
	return FromProgram(p), nil
}

// FromProgram takes the queries of a program as steps, without estimates.
func FromProgram(p *einsum.Program) *Plan {
	plan := &Plan{Inputs: p.Inputs}
	for _, q := range p.Queries {
		plan.Steps = append(plan.Steps, &Step{Query: q})
	}
	return plan
}

// Program returns the plan's steps as the queries of a program: a plan means
// what that program means.
func (p *Plan) Program() *einsum.Program {
	out := &einsum.Program{Inputs: p.Inputs}
	for _, s := range p.Steps {
		out.Queries = append(out.Queries, s.Query)
	}
	return out
}

// Estimate returns a copy of the plan with estimates filled in.
func (p *Plan) Estimate(src stats.Source, est stats.Estimator) (*Plan, error) {
	cat := NewCatalog(p.Inputs, src, est)
	out := &Plan{Inputs: p.Inputs}
	for _, s := range p.Steps {
		b, err := NewBody(s.Query)
		if err != nil {
			return nil, err
		}
		body, entries := cat.add(s.Query, b)
		cost := cat.price(s.Query, b, body, entries)
		out.Steps = append(out.Steps, &Step{Query: s.Query, BodyNNZ: body, OutNNZ: entries, Cost: cost})
	}
	return out, nil
}

// Lines splits a plan's text at line ends outside quoted names and strings.
func Lines(text string) []string {
	var lines []string
	var quote byte
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '\n':
			lines = append(lines, text[start:i])
			start = i + 1
		}
	}
	if start < len(text) {
		lines = append(lines, text[start:])
	}
	return lines
}
