package spill

import (
	"errors"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestRoomIsBounded(t *testing.T) {
	space := NewSpace(400)
	full := func(err error) bool {
		var e *sqlerr.Error
		return errors.As(err, &e) && e.Code == sqlerr.ProgramLimit
	}
	shares := make([]*Share, 5)
	for i := range shares {
		shares[i] = space.NewShare()
		if err := shares[i].Take(90); (err != nil) != (i == 4) || i == 4 && !full(err) {
			t.Errorf("share %d: %v", i, err)
		}
	}
	if err := shares[0].Take(11); !full(err) {
		t.Errorf("more than a quarter: %v", err)
	}
	if err := shares[0].Take(10); err != nil {
		t.Error(err)
	}
	shares[0].Give(100)
	if err := shares[4].Take(100); err != nil {
		t.Error(err)
	}
	if space.Used() != 370 {
		t.Errorf("%d bytes are taken", space.Used())
	}
}
