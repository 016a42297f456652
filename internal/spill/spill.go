// Package spill bounds what files of rows that wait for their reader take.
//
// In go the bytes that a file gets and loses; out comes an error where there is no room.
package spill

import (
	"sync/atomic"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// DefaultBytes is the room of a Space that is not told another one.
const DefaultBytes = 16 << 30

// shares is what part of the room one share may have: a client alone does not take it from all.
const shares = 4

// Space is the room of all files together. It is safe for concurrent use.
type Space struct {
	max  int64
	used atomic.Int64
}

// NewSpace returns a room of a number of bytes; 0: DefaultBytes.
func NewSpace(maxBytes int64) *Space {
	if maxBytes == 0 {
		maxBytes = DefaultBytes
	}
	return &Space{max: maxBytes}
}

// Used is how many bytes are taken.
func (s *Space) Used() int64 { return s.used.Load() }

// NewShare is the part of it for the files of one client, a quarter at most.
func (s *Space) NewShare() *Share { return &Share{space: s} }

// Share is what one client's files take of a Space. It is used by one goroutine at a time.
type Share struct {
	space *Space
	used  int64
}

// Take asks for room for bytes that are about to be written (54000: there is not so much).
func (s *Share) Take(n int64) error {
	if own := s.space.max / shares; s.used+n > own {
		return errFull("of this session", own)
	}
	if s.space.used.Add(n) > s.space.max {
		s.space.used.Add(-n)
		return errFull("of all sessions", s.space.max)
	}
	s.used += n
	return nil
}

// Give gives room back.
func (s *Share) Give(n int64) {
	s.used -= n
	s.space.used.Add(-n)
}

func errFull(of string, maxBytes int64) error {
	return sqlerr.New(sqlerr.ProgramLimit, "rows %s that wait to be fetched take more than %d bytes", of, maxBytes).
		WithHint("Fetch the rows of a portal or a cursor to its end, or close it, before the next statement; LIMIT makes them fewer. The server's --max-spill is the room of all sessions, a quarter of it that of one.")
}
