// Package invariant holds checks of the program's own assumptions. Cheap ones
// always run and panic; expensive ones run under the build tag "invariants".
// Only a session recovers such a panic.
package invariant

import "fmt"

// Violation is the value of a panic raised by this package.
type Violation struct{ Message string }

// Error returns the message, marked as a bug of Trireme.
func (v *Violation) Error() string { return "internal error: " + v.Message }

// Failed makes the value to panic with when an assumption does not hold.
func Failed(format string, args ...any) *Violation {
	return &Violation{Message: fmt.Sprintf(format, args...)}
}

// Check panics with the message unless ok.
func Check(ok bool, format string, args ...any) {
	if !ok {
		panic(Failed(format, args...))
	}
}
