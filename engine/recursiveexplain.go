package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/trireme-db/trireme/einsum/format"
)

// iterationTrace is one step of a recursion: the rows that it read, how these were
// stored, and the new rows that it found.
type iterationTrace struct {
	rows, found int
	formats     []string // per input that is made of the rows: its levels
	planned     bool     // not on the plan of the step before
	pushed      bool     // without a plan (pushStep)
	took        time.Duration
}

// recordFormats notes how the present plan, if there is one, has stored the rows
// that it read.
func (s *stateRun) recordFormats() {
	s.iterations.iterations = append(s.iterations.iterations, s.record)
	if s.record.pushed {
		return
	}
	for i, spec := range s.tr.Loads {
		if s.fixed[i] {
			continue
		}
		for _, step := range s.physical.Steps {
			for _, o := range step.Operands {
				if o.Tensor == spec.Name {
					s.record.formats = append(s.record.formats, formatText(o.Formats))
				}
			}
		}
	}
}

func formatText(kinds []format.Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = k.String()
	}
	return strings.Join(words, ",")
}

// iterationsText prints the steps of a recursion, one a line.
func (p *programTrace) iterationsText(b *strings.Builder) {
	for i, t := range p.iterations {
		if i == 0 {
			heading(b, "iterations")
		}
		plan := "same plan"
		switch {
		case t.pushed:
			plan = "looked up"
		case t.planned:
			plan = "planned"
		}
		fmt.Fprintf(b, "%d: %d rows as %s, %s, %d new rows, %s\n", i+1, t.rows, strings.Join(t.formats, " and "), plan, t.found, milliseconds(t.took))
	}
}

// iterationDocuments are the steps of a recursion for the JSON form; nil: none.
func (p *programTrace) iterationDocuments() []map[string]any {
	var out []map[string]any
	for _, t := range p.iterations {
		out = append(out, map[string]any{
			"rows": t.rows, "formats": t.formats, "planned": t.planned, "looked_up": t.pushed, "new_rows": t.found, "time_ms": inMilliseconds(t.took),
		})
	}
	return out
}
