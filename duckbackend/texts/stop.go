package texts

import (
	"errors"
	"sync/atomic"
)

// ErrStopped is the error of a function whose Stop was set.
var ErrStopped = errors.New("stopped")

// Stop stops functions, from any goroutine.
type Stop struct{ set atomic.Bool }

// Set stops what runs, and what starts before Clear.
func (s *Stop) Set() { s.set.Store(true) }

// IsSet reports whether functions are to stop.
func (s *Stop) IsSet() bool { return s.set.Load() }

// Clear lets functions run again.
func (s *Stop) Clear() { s.set.Store(false) }

// askEvery is how many steps a function takes between two looks at its Stop.
const askEvery = 1 << 14

// steps counts those of one function.
type steps struct {
	stop *Stop
	left int
}

// take notes n steps.
func (s *steps) take(n int) error {
	if s.left -= n; s.left > 0 {
		return nil
	}
	s.left = askEvery
	if s.stop.IsSet() {
		return ErrStopped
	}
	return nil
}
