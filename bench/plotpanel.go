package bench

import (
	"fmt"
	"slices"
	"sort"
)

// plot is a picture made of panels below one another.
type plot struct {
	drawing
	y float64 // where the next panel begins
}

// The places of a panel, in pixels.
const (
	panelLeft   = 96.0
	panelRight  = plotWidth - 24
	panelHeight = 250.0
	legendLine  = 20.0
	dotRadius   = 3.2
	boxesFrom   = 5 // values from which on a box is drawn around dots
)

// legendEntry is a mark with its meaning.
type legendEntry struct{ colour, text string }

// head writes the title and legend of a panel and returns where its plot begins.
func (p *plot) head(title string, legend []legendEntry, bound bool) (top float64) {
	p.y += 26
	p.text(20, p.y, title, titleSize, atStart)
	x, y := panelLeft, p.y+legendLine
	step := func(text string) {
		if width := textWidth(text, fontSize) + 34; x+width > panelRight {
			x, y = panelLeft, y+legendLine
		}
	}
	for _, e := range legend {
		step(e.text)
		p.circle(x+6, y-4, 5, e.colour, 1)
		p.text(x+16, y, e.text, fontSize, atStart)
		x += textWidth(e.text, fontSize) + 34
	}
	if bound {
		const text = "timeout: a lower bound"
		step(text)
		p.triangle(x+6, y-4, 5, textColour)
		p.text(x+16, y, text, fontSize, atStart)
	}
	return y + 16
}

// legendOf names the variants of groups, each once.
func legendOf(groups []group, variants func(*Report) []Variant) []legendEntry {
	var out []legendEntry
	for _, g := range groups {
		for _, v := range variants(g.report) {
			if e := (legendEntry{g.report.colour(v), v.String()}); !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// points are the values of a variant in a group, in increasing order.
func (g group) points(v Variant, value func(*Measure) (plotted, bool)) []plotted {
	var out []plotted
	for _, c := range g.cases {
		if m := c.of(v); m != nil {
			if x, ok := value(m); ok && x.seconds > 0 {
				out = append(out, x)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].seconds < out[j].seconds })
	return out
}

// boxes is a panel of groups with a column of sorted dots per variant and, around
// enough of them, a box from quartile to quartile with a line at the median.
func (p *plot) boxes(title, axis string, groups []group, variants func(*Report) []Variant, value func(*Measure) (plotted, bool)) {
	var all []float64
	bound := false
	for _, g := range groups {
		for _, v := range variants(g.report) {
			for _, x := range g.points(v, value) {
				all, bound = append(all, x.seconds), bound || x.bound
			}
		}
	}
	if len(all) == 0 {
		return
	}
	top := p.head(title, legendOf(groups, variants), bound)
	a, _ := newLogAxis(all, top, top+panelHeight)
	a.draw(&p.drawing, panelLeft, panelRight, axis, secondsLabel)
	width := (panelRight - panelLeft) / float64(len(groups))
	var names []string
	for i, g := range groups {
		left := panelLeft + float64(i)*width
		if i > 0 {
			p.line(left, top, left, a.bottom, gridColour, 1)
		}
		vs := variants(g.report)
		column := min(90, width*0.92/float64(max(1, len(vs))))
		from := left + (width-column*float64(len(vs)))/2
		for k, v := range vs {
			p.column(a, g.points(v, value), from+float64(k)*column, column, g.report.colour(v))
		}
		names = append(names, fmt.Sprintf("%s (%d)", g.name, len(g.cases)))
	}
	p.below(names, a.bottom, width)
}

// below writes the names of what stands above them, each in its width, all slanted
// where one is too wide; the next panel begins below them.
func (p *plot) below(names []string, y, width float64) {
	widest := 0.0
	for _, name := range names {
		widest = max(widest, textWidth(name, fontSize))
	}
	for i, name := range names {
		x := panelLeft + (float64(i)+0.5)*width
		if widest < width-6 {
			p.text(x, y+18, name, fontSize, atMiddle)
		} else {
			p.rotated(x+4, y+14, name, fontSize, -35, atEnd)
		}
	}
	p.y = y + 26
	if widest >= width-6 {
		p.y += widest * 0.6 // the sine of the slant, and some more
	}
}

// column draws the values of one variant.
func (p *plot) column(a logAxis, points []plotted, left, width float64, colour string) {
	if len(points) == 0 {
		return
	}
	quantile := func(q float64) float64 { return a.y(points[int(q*float64(len(points)-1)+0.5)].seconds) }
	inner, room := left+width*0.14, width*0.72
	if len(points) >= boxesFrom {
		p.rect(inner, quantile(0.75), room, max(1, quantile(0.25)-quantile(0.75)), colour, colour, 0.18)
	}
	for i, x := range points {
		at := left + width/2
		if len(points) > 1 {
			at = inner + room*(0.1+0.8*float64(i)/float64(len(points)-1))
		}
		if x.bound {
			p.triangle(at, a.y(x.seconds), dotRadius+1, colour)
			continue
		}
		p.circle(at, a.y(x.seconds), min(dotRadius, max(1.6, room/12)), colour, 0.8)
	}
	p.line(inner, quantile(0.5), inner+room, quantile(0.5), colour, 2.5)
}

// dots is a panel of one suite with a place for every case.
func (p *plot) dots(r *Report) {
	cases, vs := r.measured(), r.plainVariants()
	whole := []group{{r.Suite, r, cases}}
	var all []float64
	bound := false
	for _, v := range vs {
		for _, x := range whole[0].points(v, timeOf) {
			all, bound = append(all, x.seconds), bound || x.bound
		}
	}
	if len(all) == 0 {
		return
	}
	top := p.head(r.Suite+": time of every case", legendOf(whole, (*Report).plainVariants), bound)
	a, _ := newLogAxis(all, top, top+panelHeight)
	a.draw(&p.drawing, panelLeft, panelRight, "time", secondsLabel)
	width := (panelRight - panelLeft) / float64(len(cases))
	var names []string
	for i, c := range cases {
		middle := panelLeft + (float64(i)+0.5)*width
		p.line(middle, top, middle, a.bottom, "#eeeeee", 1)
		apart := min(9, width*0.8/float64(len(vs)))
		for k, v := range vs {
			m := c.of(v)
			if m == nil {
				continue
			}
			x, ok := timeOf(m)
			at := middle + (float64(k)-float64(len(vs)-1)/2)*apart
			switch {
			case !ok:
			case x.bound:
				p.triangle(at, a.y(x.seconds), 5, r.colour(v))
			default:
				p.circle(at, a.y(x.seconds), 4.5, r.colour(v), 0.95)
			}
		}
		names = append(names, c.Name)
	}
	p.below(names, a.bottom, width)
}
