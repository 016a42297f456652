package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
		p, _, err := c.Get(context.Background(), "k", keep(base(5)))
		if err == nil && p.Base.COO.N != 5 {
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

// costing is a tensor of 100 entries of 4 bytes that took so long to build.
func costing(ns float64) func(context.Context) (*Base, bool, error) {
	b := base(100)
	b.CostNs = ns
	return keep(b)
}

// use gets a tensor and releases it at once.
func use(t *testing.T, c *Tensors, key string, build func(context.Context) (*Base, bool, error)) (hit bool) {
	t.Helper()
	p, hit, err := c.Get(context.Background(), key, build)
	if err != nil {
		t.Fatal(err)
	}
	p.Release()
	p.Release() // does nothing
	return hit
}

func TestLeastRecentlyUsedLeave(t *testing.T) {
	c := NewTensors(3 * 400)
	get := func(key string) bool { return use(t, c, key, costing(1000)) }
	for _, key := range []string{"a", "b", "c", "d", "b", "e"} {
		get(key)
	}
	// a left for d, so what was asked for since is worth more than c.
	if !get("b") || !get("d") || !get("e") {
		t.Error("a tensor in use lately was dropped")
	}
	if get("c") {
		t.Error("the oldest tensor stayed")
	}
	if c.Bytes() > 1200 {
		t.Errorf("%d bytes held", c.Bytes())
	}
}

// TestCheapToBuildLeavesFirst: cost per byte counts, but not for ever.
func TestCheapToBuildLeavesFirst(t *testing.T) {
	c := NewTensors(3 * 400)
	use(t, c, "dear", costing(100_000))
	for i := range 20 {
		use(t, c, string(rune('a'+i)), costing(1000))
	}
	if !use(t, c, "dear", costing(100_000)) {
		t.Error("what is dear to build left before what is cheap")
	}
	for i := range 400 {
		use(t, c, fmt.Sprint(i), costing(1000))
	}
	if use(t, c, "dear", costing(100_000)) {
		t.Error("nobody asks for it, and it stays for ever")
	}
}

// TestTensorsInUseStay: neither a new tensor nor a layout drops what is in use,
// and the budget holds again once it is released.
func TestTensorsInUseStay(t *testing.T) {
	c := NewTensors(3 * 400)
	var pins []*Pin
	for _, key := range []string{"a", "b", "c"} {
		p, _, err := c.Get(context.Background(), key, costing(1))
		if err != nil || !p.Kept() {
			t.Fatalf("kept %v, error %v", p.Kept(), err)
		}
		pins = append(pins, p)
	}
	p, _, err := c.Get(context.Background(), "d", costing(1_000_000))
	if err != nil || p.Kept() || p.Base == nil {
		t.Errorf("kept a fourth beside three in use: %v", err)
	}
	if p.Grow(100) {
		t.Error("a layout of what is not kept is not the cache's")
	}
	p.Release()
	if pins[0].Grow(800) {
		t.Error("800 bytes more fit a cache that is full")
	}
	pins[1].Release()
	if c.Bytes() != 2000-400 || use(t, c, "b", costing(1)) {
		t.Errorf("%d bytes held, want b dropped", c.Bytes())
	}
	for _, p := range pins {
		p.Release()
	}
	if c.Bytes() > 1200 || c.InUse() != 0 {
		t.Errorf("%d bytes held, %d in use", c.Bytes(), c.InUse())
	}
}

// TestOneBuildServesAllWhoWait also when the cache has no room for it.
func TestOneBuildServesAllWhoWait(t *testing.T) {
	c := NewTensors(100)
	var builds atomic.Int32
	started, release := make(chan struct{}), make(chan struct{})
	build := func(context.Context) (*Base, bool, error) {
		builds.Add(1)
		close(started)
		<-release
		return base(1000), true, nil
	}
	var wg sync.WaitGroup
	get := func() {
		p, _, err := c.Get(context.Background(), "k", build)
		if err != nil || p.Base.COO.N != 1000 || p.Kept() {
			t.Errorf("%+v, error %v", p, err)
		}
	}
	wg.Go(get)
	<-started
	f := c.flights["k"]
	wg.Go(func() {
		<-f.done // as those that wait see it
		if p := c.landed("k", f); p == nil || p.Base.COO.N != 1000 {
			t.Errorf("landed %+v", p)
		}
	})
	close(release)
	wg.Wait()
	if builds.Load() != 1 || c.Bytes() != 0 {
		t.Errorf("built %d times, %d bytes kept", builds.Load(), c.Bytes())
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

// A dictionary is kept, and counted, as long as a statement or a tensor kept
// uses it.
func TestDomainsAreForgotten(t *testing.T) {
	ds := NewDomains()
	c := NewTensors(10_000)
	load := func(key, expr string, n int) (*Domain, *Pin) {
		t.Helper()
		d := ds.Resolve(fibers.StringValues, []string{expr})
		pin, _, err := c.Get(context.Background(), key, func(context.Context) (*Base, bool, error) {
			if err := d.make(fibers.DomainHint{}, nil).EncodeString([]string{key}, make([]fibers.Coord, 1)); err != nil {
				return nil, false, err
			}
			b := base(n)
			b.domains = []*Domain{d}
			return b, true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return d, pin
	}
	first, pin := load("a@1", "t.a", 100)
	if want := 4*100 + first.Bytes(); c.Bytes() != want || first.Bytes() == 0 {
		t.Errorf("%d bytes kept, want %d", c.Bytes(), want)
	}
	again, pin2 := load("a@2", "t.a", 100)
	if again != first {
		t.Error("a column in use got another domain")
	}
	if want := 2*4*100 + first.Bytes(); c.Bytes() != want {
		t.Errorf("%d bytes of two tensors of one domain, want %d", c.Bytes(), want)
	}
	pin.Release()
	pin2.Release()
	first.Release()
	again.Release()
	if again = ds.Resolve(fibers.StringValues, []string{"t.a"}); again != first {
		t.Error("the domain of a tensor kept was forgotten")
	}
	again.Release()
	other, pin := load("b@1", "t.b", 2450) // both others have to go
	pin.Release()
	other.Release()
	if want := 4*2450 + other.Bytes(); c.Bytes() != want {
		t.Errorf("%d bytes kept, want %d", c.Bytes(), want)
	}
	if again = ds.Resolve(fibers.StringValues, []string{"t.a"}); again == first {
		t.Error("a domain was kept for nobody")
	}
}

// A tensor whose dictionary does not fit is not kept.
func TestDictionariesCountTowardsTheBudget(t *testing.T) {
	ds := NewDomains()
	c := NewTensors(2000)
	d := ds.Resolve(fibers.StringValues, []string{"t.a"})
	defer d.Release()
	pin, _, err := c.Get(context.Background(), "k", func(context.Context) (*Base, bool, error) {
		long := []string{strings.Repeat("x", 4000)}
		if err := d.make(fibers.DomainHint{}, nil).EncodeString(long, make([]fibers.Coord, 1)); err != nil {
			return nil, false, err
		}
		b := base(1)
		b.domains = []*Domain{d}
		return b, true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pin.Kept() || c.Keeps(d) || c.Bytes() != 0 {
		t.Errorf("kept %v, domain kept %v, %d bytes", pin.Kept(), c.Keeps(d), c.Bytes())
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
