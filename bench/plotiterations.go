package bench

import (
	"fmt"
	"slices"
	"sort"

	"github.com/trireme-db/trireme/engine"
)

// formatColours are those of formats in the order of their names.
var formatColours = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7B3FA0", "#444444"}

// The places of the small plots of iterations, in pixels.
const (
	smallColumns = 3
	smallHeight  = 130.0
	smallGap     = 84.0
)

// recursion is a case with its iterations on native.
type recursion struct {
	name string
	its  []Iteration
}

// recursions are the cases of suites that iterate, with the most threads.
func recursions(suites []*Report) []recursion {
	var out []recursion
	for _, s := range suites {
		for i := range s.Cases {
			for _, m := range s.Cases[i].Measured {
				if len(m.Iterations) > 0 && m.Variant == (Variant{Backend: engine.Native, Threads: s.threads()}) {
					out = append(out, recursion{s.Suite + ": " + s.Cases[i].Name, m.Iterations})
				}
			}
		}
	}
	return out
}

// iterations is a panel of small plots, one per recursion: the rows that each step
// reads, in the colour of the format they are stored in.
func (p *plot) iterations(suites []*Report) {
	found := recursions(suites)
	if len(found) == 0 {
		return
	}
	colours := map[string]string{}
	var legend []legendEntry
	for _, r := range found {
		for _, it := range r.its {
			if _, known := colours[it.format()]; !known {
				colours[it.format()] = ""
				legend = append(legend, legendEntry{text: it.format()})
			}
		}
	}
	sort.Slice(legend, func(i, j int) bool { return legend[i].text < legend[j].text })
	for i := range legend {
		legend[i].colour = formatColours[i%len(formatColours)]
		colours[legend[i].text] = legend[i].colour
	}
	top := p.head("Recursions: rows that each iteration reads, and the format they are stored in", legend, false)
	width := (panelRight - panelLeft - (smallColumns-1)*smallGap) / smallColumns
	for i, r := range found {
		left := panelLeft + float64(i%smallColumns)*(width+smallGap)
		at := top + 14 + float64(i/smallColumns)*(smallHeight+62)
		p.recursion(r, left, at, width, colours)
		p.y = at + smallHeight + 44
	}
}

// recursion draws one of them.
func (p *plot) recursion(r recursion, left, top, width float64, colours map[string]string) {
	p.text(left, top-4, r.name, fontSize, atStart)
	var counts []float64
	for _, it := range r.its {
		counts = append(counts, float64(it.Rows))
	}
	a, ok := newLogAxis(counts, top+6, top+smallHeight)
	if !ok {
		a = logAxis{from: 0, to: 1, top: top + 6, bottom: top + smallHeight}
	}
	a.draw(&p.drawing, left, left+width, "rows", countLabel)
	step := width / float64(len(r.its))
	for i, it := range r.its {
		x := left + (float64(i)+0.5)*step
		if i > 0 {
			p.line(x-step, a.y(counts[i-1]), x, a.y(counts[i]), gridColour, 1.2)
		}
		p.circle(x, a.y(counts[i]), min(4.5, max(1.8, step/2)), colours[it.format()], 0.95)
	}
	for _, n := range slices.Compact([]int{1, (len(r.its) + 1) / 2, len(r.its)}) {
		p.text(left+(float64(n)-0.5)*step, a.bottom+15, fmt.Sprint(n), fontSize, atMiddle)
	}
	p.text(left+width/2, a.bottom+30, "iteration", fontSize, atMiddle)
}
