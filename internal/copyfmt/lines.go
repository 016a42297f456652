package copyfmt

import (
	"bytes"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// eol is how lines end; the first line decides.
type eol uint8

const (
	eolUnknown eol = iota
	eolNL
	eolCR
	eolCRNL
)

// lineScan is how far the search for the end of the row at hand has come.
type lineScan struct {
	at      int
	quoted  bool // inside quotes of CSV
	escaped bool // behind an escape inside quotes
	lines   int64
}

// nextLine returns the row that begins at pos, without its end, and where the
// next one begins; ok is false while its end has not come.
func (r *Reader) nextLine() (line []byte, next int, ok bool, err error) {
	s := &r.scan
	s.at = max(s.at, r.pos)
	i := r.lineBreak()
	if i < 0 {
		return r.lastLine()
	}
	if r.buf[i] == '\r' && i+1 == len(r.buf) && !r.last {
		s.at = i
		return nil, 0, false, nil // \n may follow
	}
	kind, width := eolNL, 1
	if r.buf[i] == '\r' {
		kind = eolCR
		if i+1 < len(r.buf) && r.buf[i+1] == '\n' && r.eol != eolCR {
			kind, width = eolCRNL, 2
		}
	}
	if r.eol == eolUnknown {
		r.eol = kind
	}
	if r.eol != kind {
		r.line++
		return nil, 0, false, r.literalBreak(r.buf[i])
	}
	r.line += 1 + s.lines
	return r.buf[r.pos:i:i], i + width, true, nil
}

// lineBreak finds the next \n or \r that ends a row, from scan.at on; -1: none yet.
func (r *Reader) lineBreak() int {
	if r.opt.Format == CSV {
		return r.breakCSV()
	}
	return r.breakText()
}

// breakText passes over breaks behind a backslash, which are data.
func (r *Reader) breakText() int {
	s := &r.scan
	for s.at < len(r.buf) {
		rest := r.buf[s.at:]
		i := bytes.IndexByte(rest, '\n')
		within := rest
		if i >= 0 {
			within = rest[:i]
		}
		if j := bytes.IndexByte(within, '\r'); j >= 0 {
			i = j
		}
		if i < 0 {
			s.at = len(r.buf)
			return -1
		}
		i += s.at
		if !r.behindBackslash(i) {
			return i
		}
		s.lines++
		s.at = i + 1
	}
	return -1
}

func (r *Reader) behindBackslash(i int) bool {
	odd := false
	for i--; i >= r.pos && r.buf[i] == '\\'; i-- {
		odd = !odd
	}
	return odd
}

// breakCSV passes over breaks in quotes.
func (r *Reader) breakCSV() int {
	s := &r.scan
	quote, escape := r.opt.Quote, r.opt.Escape
	for i := s.at; i < len(r.buf); i++ {
		c := r.buf[i]
		switch {
		case s.quoted && c == escape && escape != quote:
			s.escaped = !s.escaped
			continue
		case c == quote && !s.escaped:
			s.quoted = !s.quoted
		case !s.quoted && (c == '\n' || c == '\r'):
			s.at = i
			return i
		case c == '\n':
			s.lines++
		}
		s.escaped = false
	}
	s.at = len(r.buf)
	return -1
}

// lastLine is what is left when the stream has ended.
func (r *Reader) lastLine() (line []byte, next int, ok bool, err error) {
	if !r.last || r.pos == len(r.buf) {
		return nil, 0, false, nil
	}
	r.line += 1 + r.scan.lines
	if r.scan.quoted {
		return nil, 0, false, sqlerr.New(CodeBadCopy, "unterminated CSV quoted field")
	}
	return r.buf[r.pos:len(r.buf):len(r.buf)], len(r.buf), true, nil
}

// literalBreak is the error of a line that ends otherwise than the first one.
func (r *Reader) literalBreak(c byte) error {
	name, spelled := "newline", `"\n"`
	if c == '\r' {
		name, spelled = "carriage return", `"\r"`
	}
	if r.opt.Format == CSV {
		return sqlerr.New(CodeBadCopy, "unquoted %s found in data", name).WithHint("Use quoted CSV field to represent %s.", name)
	}
	return sqlerr.New(CodeBadCopy, "literal %s found in data", name).WithHint("Use %s to represent %s.", spelled, name)
}
