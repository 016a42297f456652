package sqlerr

import (
	"errors"
	"strings"
	"testing"
)

// A value of any size is shortened wherever an error repeats it, and what follows it stays.
func TestLongTextsAreShortened(t *testing.T) {
	long := strings.Repeat("é", 5_000_000)
	const most = textMax + markMax
	for name, e := range map[string]*Error{
		"New": New(InvalidText, "not a number: %q", long), "At": At(InvalidText, 3, "not a number: %q", long),
		"an error": New(InvalidText, "not a number: %v: %q", errors.New(long), "x"), "Wrap": Wrap(IOError, errors.New(long)),
		"many": New(InvalidText, "%s%s%s%s%s", long, long, long, long, long),
		"hint": New(InvalidText, "x").WithHint("write %s", long), "a hint": New(InvalidText, "x").WithHint("%s and %s and %s", long, long, long),
	} {
		for _, text := range e.texts() {
			if len(*text) > most || strings.ToValidUTF8(*text, "") != *text {
				t.Errorf("%s has a text of %d bytes", name, len(*text))
			}
		}
	}
	if e := New(InvalidText, "not %q, but %q", long, "x"); !strings.HasSuffix(e.Message, ` (10000000 bytes)", but "x"`) {
		t.Errorf("what follows a value is %q", e.Message[len(e.Message)-40:])
	}
	made := &Error{Code: InvalidText, Message: long, Detail: long, Hint: long, Context: long, Object: Object{long, long, long, long}, Offset: 7}
	e := From(made)
	for _, text := range e.texts() {
		if len(*text) > most || len(*text) < textMax-4 {
			t.Errorf("a text of %d bytes", len(*text))
		}
	}
	if e.Offset != 7 || e.Code != InvalidText || made.Message != long {
		t.Errorf("From changed more than texts: %v %v", e.Offset, e.Code)
	}
	if again := From(e); again != e {
		t.Error("what is short is shortened again")
	}
}
