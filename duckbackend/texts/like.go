package texts

import (
	"bytes"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// NoEscape is the escape character of LIKE without ESCAPE.
const NoEscape = -1

// Like reports whether a text matches a pattern: % stands for any bytes, _ for one
// character, and what follows the byte escape for itself. A pattern that ends with the
// escape is a syntax error where the text reaches it.
//
// Of the parts between two %, each is looked for from where the one before it ended: the
// first place that fits leaves most to the others, so only the last % is tried again.
func Like(stop *Stop, text, pattern []byte, escape int) (bool, error) {
	m := like{text: text, pattern: pattern, escape: escape, again: -1, steps: steps{stop, askEvery}}
	for m.at < len(text) {
		ended, err := m.step()
		if ended || err != nil {
			return m.matches, err
		}
	}
	return len(bytes.Trim(m.pattern[m.next:], "%")) == 0, nil
}

// like is a match under way: text[:at] is matched by pattern[:next].
type like struct {
	text, pattern []byte
	escape        int
	at, next      int
	// again is where the pattern goes on behind the last %, which text[:from] is
	// matched with; below 0: there was none. plain is what stands there for itself.
	again, from int
	plain       []byte
	matches     bool
	steps       steps
}

// step matches one more part of the pattern, or tries the last % again; ended: matches is
// the answer.
func (m *like) step() (ended bool, err error) {
	if err := m.steps.take(1); err != nil {
		return false, err
	}
	if m.next == len(m.pattern) {
		return m.retry()
	}
	switch c := m.pattern[m.next]; {
	case int(c) == m.escape:
		if m.next+1 == len(m.pattern) {
			return false, sqlerr.New(sqlerr.InvalidEscape, "Like pattern must not end with escape character!")
		}
		if m.pattern[m.next+1] != m.text[m.at] {
			return m.retry()
		}
		m.next += 2
		m.at++
	case c == '_':
		m.next++
		for m.at++; m.at < len(m.text) && m.text[m.at]&0xc0 == 0x80; m.at++ {
		}
	case c == '%':
		for m.next < len(m.pattern) && m.pattern[m.next] == '%' {
			m.next++
		}
		if m.next == len(m.pattern) {
			m.matches = true
			return true, nil
		}
		m.again, m.from = m.next, m.at
		m.plain = m.plainFrom(m.next)
		return m.find()
	case c == m.text[m.at]:
		m.next++
		m.at++
	default:
		return m.retry()
	}
	return false, nil
}

// plainFrom is what stands for itself from a place in the pattern on.
func (m *like) plainFrom(start int) []byte {
	end := start
	for end < len(m.pattern) && m.pattern[end] != '%' && m.pattern[end] != '_' && int(m.pattern[end]) != m.escape {
		end++
	}
	return m.pattern[start:end]
}

// retry lets the last % stand for one more byte.
func (m *like) retry() (ended bool, err error) {
	if m.again < 0 {
		return true, nil
	}
	m.from++
	return m.find()
}

// find goes on behind the last % where what follows it stands.
func (m *like) find() (ended bool, err error) {
	found := bytes.Index(m.text[m.from:], m.plain)
	if found < 0 {
		return true, nil
	}
	m.from += found
	m.at, m.next = m.from+len(m.plain), m.again+len(m.plain)
	return false, m.steps.take(found/64 + len(m.plain)/64)
}
