package jsonb

import (
	"errors"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// ErrStopped is the error of a function that was stopped.
var ErrStopped = errors.New("stopped")

// work is the work of one call, which may be stopped. Of nil nothing is.
type work struct {
	stopped func() bool
	left    int
}

// askEvery is how many steps are taken between two looks at whether to stop.
const askEvery = 1 << 14

// resultMax is how many bytes the text of a result may have.
const resultMax = 64 << 20

// halt travels as a panic from take to heeding, which alone recovers it.
type halt struct{ err error }

// take notes n steps.
func (w *work) take(n int) {
	if w == nil {
		return
	}
	if w.left -= n; w.left > 0 {
		return
	}
	w.left = askEvery
	if w.stopped() {
		panic(halt{ErrStopped})
	}
}

// made notes that the text of a result has so many bytes by now.
func (w *work) made(bytes int) {
	w.take(1)
	if bytes > resultMax {
		panic(halt{sqlerr.New(sqlerr.ProgramLimit, "the text of a JSON value has more than %d bytes", resultMax)})
	}
}

// heeding calls a function for a work of its own.
func heeding(call func(*work, []any) (any, error)) func(func() bool, []any) (any, error) {
	return func(stopped func() bool, args []any) (answer any, err error) {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case halt:
				answer, err = nil, p.err
			default:
				panic(p)
			}
		}()
		return call(&work{stopped: stopped, left: askEvery}, args)
	}
}
