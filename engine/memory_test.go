package engine

import (
	"errors"
	"sync"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestAccounts(t *testing.T) {
	all := &account{limitBytes: 100}
	a, b := all.part(80), all.part(0)
	step := a.part(0)
	if !step.Hold(50) || !b.Hold(50) {
		t.Error("refused within the limits")
	}
	if b.Hold(1) {
		t.Error("101 of 100 bytes")
	}
	b.Hold(-51)
	if err := step.take(40); !errors.Is(err, errBudget) || a.held.Load() != 50 {
		t.Errorf("90 of 80 bytes: %v, %d held", err, a.held.Load())
	}
	if got := [...]int64{a.left(), b.left(), step.left(), (&account{}).left()}; got != [...]int64{30, 50, 30, 0} {
		t.Errorf("left %v", got)
	}
	a.Hold(5)
	step.close()
	if a.held.Load() != 5 || all.held.Load() != 5 || a.peak.Load() != 55 || step.peak.Load() != 50 {
		t.Errorf("held %d, %d; peak %d, %d", a.held.Load(), all.held.Load(), a.peak.Load(), step.peak.Load())
	}
	step.close()
	a.close()
	if all.held.Load() != 0 {
		t.Errorf("%d bytes held at the end", all.held.Load())
	}
}

func TestAccountsAreConcurrent(t *testing.T) {
	all := &account{}
	var wg sync.WaitGroup
	for range 8 {
		a := all.part(0)
		wg.Go(func() {
			for range 1000 {
				a.Hold(10)
				a.Hold(-9)
			}
		})
	}
	wg.Wait()
	if all.held.Load() != 8000 || all.peak.Load() < 8000 || all.peak.Load() > 8080 {
		t.Errorf("held %d, peak %d", all.held.Load(), all.peak.Load())
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "1KiB": "1KiB", "1536 KiB": "1536KiB", "1GiB": "1GiB", "2048mib": "2GiB", "1kB": "1kB", "100GB": "100GB", "500MB": "500MB", "64 GiB": "64GiB", "1024000": "1000KiB", "1.5KB": "1500", "8b": "8",
	} {
		if got, err := checkMemoryLimit(text); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1MB", "1 potato", "NaN", "1e300TB"} {
		var e *sqlerr.Error
		if _, err := ParseBytes(text); !errors.As(err, &e) || e.Code != sqlerr.InvalidParameter {
			t.Errorf("%q: %v", text, err)
		}
	}
}
