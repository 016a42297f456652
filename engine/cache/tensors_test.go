package cache

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/trireme-db/trireme/fibers"
)

// base is a tensor of n entries in one mode.
func base(n int) *Base {
	return &Base{COO: &fibers.COO{Dims: []int{n}, N: n, Coords: [][]fibers.Coord{make([]fibers.Coord, n)}}}
}

func keep(b *Base) func(context.Context) (*Base, bool, error) {
	return func(context.Context) (*Base, bool, error) { return b, true, nil }
}

func TestTensorsAreBuiltOnce(t *testing.T) {
	c := NewTensors(0)
	var builds atomic.Int32
	release := make(chan struct{})
	build := func(context.Context) (*Base, bool, error) {
		builds.Add(1)
		<-release
		return base(3), true, nil
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, _, err := c.Get(context.Background(), "k", build); err != nil {
				t.Error(err)
			}
		})
	}
	close(release)
	wg.Wait()
	if n := builds.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
	if _, hit, err := c.Get(context.Background(), "k", build); !hit || err != nil {
		t.Errorf("hit %v, error %v", hit, err)
	}
}

// A builder that is cancelled hands over to one that waits (C3).
func TestCancelledBuilderHandsOver(t *testing.T) {
	c := NewTensors(0)
	started, release := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		_, _, err := c.Get(context.Background(), "k", func(context.Context) (*Base, bool, error) {
			close(started)
			<-release
			return nil, false, context.Canceled
		})
		first <- err
	}()
	<-started
	second := make(chan error, 1)
	go func() {
		b, _, err := c.Get(context.Background(), "k", keep(base(5)))
		if err == nil && b.COO.N != 5 {
			err = errors.New("the wrong tensor")
		}
		second <- err
	}()
	close(release)
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled builder got %v", err)
	}
	if err := <-second; err != nil {
		t.Errorf("the one that waited got %v", err)
	}
}

// A panic in a builder must not leave others waiting.
func TestPanickingBuilderFreesTheKey(t *testing.T) {
	c := NewTensors(0)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, _, err := c.Get(context.Background(), "k", func(context.Context) (*Base, bool, error) { panic("bug") })
		t.Errorf("returned %v", err)
	}()
	if _, hit, err := c.Get(context.Background(), "k", keep(base(1))); hit || err != nil {
		t.Errorf("hit %v, error %v", hit, err)
	}
}

func TestLeastRecentlyUsedLeave(t *testing.T) {
	c := NewTensors(3 * 400) // three tensors of 100 entries of 4 bytes
	get := func(key string) (hit bool) {
		t.Helper()
		_, hit, err := c.Get(context.Background(), key, keep(base(100)))
		if err != nil {
			t.Fatal(err)
		}
		return hit
	}
	get("a")
	get("b")
	get("c")
	get("a") // b is now the oldest
	get("d")
	if !get("a") || !get("c") || !get("d") {
		t.Error("a tensor in use lately was dropped")
	}
	if get("b") {
		t.Error("the oldest tensor stayed")
	}
	if c.Bytes() > 1200 {
		t.Errorf("%d bytes held", c.Bytes())
	}
	c.Grow("b", 2000)
	if c.Bytes() > 1200 {
		t.Errorf("%d bytes held after a layout was added", c.Bytes())
	}
}

// What is not published serves its own request only.
func TestUnpublishedIsNotKept(t *testing.T) {
	c := NewTensors(0)
	build := func(context.Context) (*Base, bool, error) { return base(1), false, nil }
	for range 2 {
		if _, hit, err := c.Get(context.Background(), "k", build); hit || err != nil {
			t.Errorf("hit %v, error %v", hit, err)
		}
	}
}

func TestDomainsMeet(t *testing.T) {
	ds := NewDomains()
	small := ds.Resolve(fibers.StringValues, []string{"t.a"})
	large := ds.Resolve(fibers.StringValues, []string{"u.b"})
	if small == large {
		t.Fatal("columns that never met share a domain")
	}
	for d, values := range map[*Domain][]string{small: {"x"}, large: {"x", "y", "z"}} {
		if err := d.make(fibers.DomainHint{}, nil).EncodeString(values, make([]fibers.Coord, len(values))); err != nil {
			t.Fatal(err)
		}
	}
	if met := ds.Resolve(fibers.StringValues, []string{"t.a", "u.b"}); met != large {
		t.Error("the smaller domain stayed")
	}
	if ds.Resolve(fibers.StringValues, []string{"t.a"}) != large {
		t.Error("the column went back to its own domain")
	}
	if own := ds.Resolve(fibers.StringValues, nil); own == large {
		t.Error("a domain without columns is shared")
	}
}
