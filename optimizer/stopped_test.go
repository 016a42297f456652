package optimizer_test

import (
	"errors"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer"
)

// TestStopped: planning asks whether it is to go on, and ends with the error that it is told
// from then on; asking changes no plan.
func TestStopped(t *testing.T) {
	p, err := einsum.Parse(`tensor E(0,0) { n pattern }
tensor W(0,0) { n pattern, x f64 }
out(i) = n: or(j,k,l) and(E.n(i,j), E.n(j,k), E.n(k,l), W.n(l,i)) | x: sum(j,k,l) E.n(i,j) * E.n(j,k) * E.n(k,l) * W.x(l,i)
`)
	if err != nil {
		t.Fatal(err)
	}
	src := goldenSource{"E": figures(1e5, 1e3, 1e3), "W": figures(1e5, 1e3, 1e3)}
	want, physical, err := optimizer.Optimize(p, src, optimizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	got, stored, err := optimizer.Optimize(p, src, optimizer.Options{Stopped: func() error {
		asked++
		return nil
	}})
	if err != nil || got.String() != want.String() || stored.String() != physical.String() {
		t.Errorf("another plan: %v\n%s\nwant\n%s", err, got, want)
	}
	if asked < 8 {
		t.Errorf("asked %d times", asked)
	}
	stop := errors.New("stop")
	for last := range asked {
		n := 0
		_, _, err := optimizer.Optimize(p, src, optimizer.Options{Stopped: func() error {
			if n++; n > last {
				return stop
			}
			return nil
		}})
		if !errors.Is(err, stop) {
			t.Errorf("stopped after %d: %v", last, err)
		}
	}
}
