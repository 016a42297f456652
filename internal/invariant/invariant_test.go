package invariant

import (
	"errors"
	"testing"
)

func TestCheck(t *testing.T) {
	Check(true, "fine")
	defer func() {
		v, ok := recover().(*Violation)
		if !ok || v.Error() != "internal error: 2 is not 3" {
			t.Errorf("panicked with %v", v)
		}
		var target *Violation
		if !errors.As(error(v), &target) {
			t.Error("a violation is no error")
		}
	}()
	Check(false, "%d is not %d", 2, 3)
	t.Error("a failed check went on")
}
