package bench

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// drawing is an SVG picture being written. Lengths are in pixels; y grows downwards.
type drawing struct{ body strings.Builder }

// The type of all text, in pixels, and the mean width of a letter in it.
const (
	fontSize   = 12.0
	titleSize  = 15.0
	letterEm   = 0.56
	gridColour = "#dddddd"
	textColour = "#222222"
)

// textWidth is about how wide a text is.
func textWidth(text string, size float64) float64 {
	return float64(utf8.RuneCountInString(text)) * size * letterEm
}

func (d *drawing) line(x1, y1, x2, y2 float64, colour string, width float64) {
	fmt.Fprintf(&d.body, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>`+"\n", x1, y1, x2, y2, colour, width)
}

func (d *drawing) rect(x, y, w, h float64, fill, stroke string, opacity float64) {
	fmt.Fprintf(&d.body, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="%.2f" stroke="%s"/>`+"\n", x, y, w, h, fill, opacity, stroke)
}

func (d *drawing) circle(x, y, r float64, fill string, opacity float64) {
	fmt.Fprintf(&d.body, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" fill-opacity="%.2f"/>`+"\n", x, y, r, fill, opacity)
}

// triangle points upwards: a value of which only a lower bound is known.
func (d *drawing) triangle(x, y, r float64, colour string) {
	fmt.Fprintf(&d.body, `<polygon points="%.1f,%.1f %.1f,%.1f %.1f,%.1f" fill="white" stroke="%s" stroke-width="1.5"/>`+"\n",
		x, y-r, x-r, y+r*0.8, x+r, y+r*0.8, colour)
}

// anchor says which part of a text is at its position.
type anchor string

const (
	atStart  anchor = "start"
	atMiddle anchor = "middle"
	atEnd    anchor = "end"
)

func (d *drawing) text(x, y float64, text string, size float64, a anchor) {
	fmt.Fprintf(&d.body, `<text x="%.1f" y="%.1f" font-size="%.0f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, size, a, textColour, xmlText(text))
}

// rotated is a text turned around its position, in degrees.
func (d *drawing) rotated(x, y float64, text string, size, degrees float64, a anchor) {
	fmt.Fprintf(&d.body, `<text transform="translate(%.1f,%.1f) rotate(%.0f)" font-size="%.0f" text-anchor="%s" fill="%s">%s</text>`+"\n",
		x, y, degrees, size, a, textColour, xmlText(text))
}

func xmlText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// svg is the whole picture.
func (d *drawing) svg(width, height float64) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="Helvetica, Arial, sans-serif">`+"\n"+
		`<rect width="100%%" height="100%%" fill="white"/>`+"\n%s</svg>\n", width, height, width, height, d.body.String())
}

// logAxis maps positive numbers to heights: from at bottom, to at top, both powers
// of ten.
type logAxis struct {
	from, to    float64 // exponents
	top, bottom float64 // pixels
}

// newLogAxis covers all values; ok is false without a positive one.
func newLogAxis(values []float64, top, bottom float64) (a logAxis, ok bool) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 {
			lo, hi = min(lo, math.Log10(v)), max(hi, math.Log10(v))
		}
	}
	if lo > hi {
		return logAxis{}, false
	}
	a = logAxis{from: math.Floor(lo), to: math.Ceil(hi), top: top, bottom: bottom}
	if a.from == a.to {
		a.to++
	}
	return a, true
}

// y is the height of a value; what is not positive is at the bottom.
func (a logAxis) y(v float64) float64 {
	at := a.from
	if v > 0 {
		at = max(a.from, math.Log10(v))
	}
	return a.bottom - (at-a.from)/(a.to-a.from)*(a.bottom-a.top)
}

// draw writes the powers of ten, with lines across the plot, and the title of the axis.
func (a logAxis) draw(d *drawing, left, right float64, title string, label func(float64) string) {
	for e := a.from; e <= a.to; e++ {
		y := a.y(math.Pow(10, e))
		d.line(left, y, right, y, gridColour, 1)
		d.text(left-6, y+fontSize/3, label(math.Pow(10, e)), fontSize, atEnd)
	}
	d.line(left, a.top, left, a.bottom, textColour, 1)
	d.line(left, a.bottom, right, a.bottom, textColour, 1)
	d.rotated(left-62, (a.top+a.bottom)/2, title, fontSize, -90, atMiddle)
}

// secondsLabel is 1e-3 as "1 ms".
func secondsLabel(s float64) string {
	switch {
	case s >= 0.999:
		return fmt.Sprintf("%.0f s", s)
	case s >= 0.999e-3:
		return fmt.Sprintf("%.0f ms", s*1e3)
	}
	return fmt.Sprintf("%.3g µs", s*1e6)
}

// countLabel is 1e4 as "10,000".
func countLabel(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
