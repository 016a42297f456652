package sqlerr

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestFrom(t *testing.T) {
	e := At(SyntaxError, 7, "near %q", "x")
	if e.Code != SyntaxError || e.Offset != 7 || e.Error() != `near "x"` {
		t.Errorf("At: %+v", e)
	}
	if got := From(fmt.Errorf("outer: %w", e)); got != e {
		t.Errorf("From lost the error in the chain: %+v", got)
	}
	if got := From(io.EOF); got.Code != InternalError || !errors.Is(got, io.EOF) || got.Offset != -1 {
		t.Errorf("From of another error: %+v", got)
	}
}

func TestWrap(t *testing.T) {
	e := Wrap(IOError, io.ErrUnexpectedEOF)
	if e.Code != IOError || e.Message != io.ErrUnexpectedEOF.Error() || e.Offset != -1 || !errors.Is(e, io.ErrUnexpectedEOF) {
		t.Errorf("Wrap: %+v", e)
	}
}

func TestWithHint(t *testing.T) {
	e := New(OutOfMemory, "full")
	h := e.WithHint("raise %s", "the limit")
	if h.Hint != "raise the limit" || h.Message != "full" || h.Code != OutOfMemory || h.Offset != -1 {
		t.Errorf("WithHint: %+v", h)
	}
	if e.Hint != "" {
		t.Error("WithHint changed the original")
	}
}
