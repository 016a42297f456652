package advisory

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func key(n uint32) Key { return Key{Object: n, Sub: 1} }

func mustTry(t *testing.T, o *Owner, n uint32, mode Mode, tx, want bool) {
	t.Helper()
	if got, err := o.TryLock(key(n), mode, tx); got != want || err != nil {
		t.Errorf("owner %d, key %d: %v, %v, want %v", o.pid, n, got, err, want)
	}
}

func TestModesAndCounts(t *testing.T) {
	var l Locks
	a, b := l.Owner(1), l.Owner(2)
	mustTry(t, a, 1, Shared, false, true)
	mustTry(t, b, 1, Shared, false, true)
	mustTry(t, a, 1, Exclusive, false, false)
	if !b.Unlock(key(1), Shared) || b.Unlock(key(1), Shared) {
		t.Error("a lock is given back once")
	}
	mustTry(t, a, 1, Exclusive, false, true)
	mustTry(t, a, 1, Exclusive, false, true)
	mustTry(t, b, 1, Shared, false, false)
	if b.Unlock(key(1), Shared) || b.Unlock(key(7), Shared) {
		t.Error("a lock that is not held was given back")
	}
	a.Unlock(key(1), Exclusive)
	mustTry(t, b, 1, Shared, false, false)
	a.Unlock(key(1), Exclusive)
	mustTry(t, b, 1, Shared, false, true)
	mustTry(t, a, 2, Exclusive, true, true)
	mustTry(t, a, 3, Exclusive, true, true)
	mustTry(t, a, 3, Exclusive, false, true)
	a.UnlockAll()
	mustTry(t, b, 3, Exclusive, false, false) // the transaction's stays
	if a.Unlock(key(2), Exclusive) {
		t.Error("a transaction's lock was given back")
	}
	a.ReleaseTo(1)
	mustTry(t, b, 3, Exclusive, false, true)
	mustTry(t, b, 2, Exclusive, false, false)
	if got := len(l.List()); got != 3 {
		t.Errorf("%d entries, want 3: %v", got, l.List())
	}
	a.Close()
	b.Close()
	if len(l.locks) != 0 || a.held+b.held != 0 {
		t.Errorf("left: %v", l.List())
	}
}

// waits starts to lock, and returns when the owner waits.
func waits(ctx context.Context, l *Locks, o *Owner, n uint32, mode Mode) <-chan error {
	done := make(chan error, 1)
	go func() { done <- o.Lock(ctx, key(n), mode, false) }()
	for {
		l.mu.Lock()
		waiting := o.waits != nil
		l.mu.Unlock()
		if waiting {
			return done
		}
		runtime.Gosched()
	}
}

func TestWaitInOrder(t *testing.T) {
	var l Locks
	a, b, c, d := l.Owner(1), l.Owner(2), l.Owner(3), l.Owner(4)
	ctx := context.Background()
	mustTry(t, a, 1, Shared, false, true)
	second := waits(ctx, &l, b, 1, Exclusive)
	mustTry(t, c, 1, Shared, false, false) // b comes first
	third := waits(ctx, &l, c, 1, Shared)
	stopped, stop := context.WithCancelCause(ctx)
	gone := waits(stopped, &l, d, 1, Exclusive)
	why := errors.New("stopped")
	stop(why)
	if err := <-gone; !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	mustTry(t, a, 1, Shared, false, true) // who holds it need not wait
	a.Unlock(key(1), Shared)
	a.Unlock(key(1), Shared)
	if err := <-second; err != nil {
		t.Error(err)
	}
	b.Close()
	if err := <-third; err != nil {
		t.Error(err)
	}
	c.Close()
	if len(l.locks) != 0 {
		t.Errorf("left: %v", l.List())
	}
}

func TestDeadlock(t *testing.T) {
	var l Locks
	a, b, c := l.Owner(1), l.Owner(2), l.Owner(3)
	ctx := context.Background()
	for i, o := range []*Owner{a, b, c} {
		mustTry(t, o, uint32(i+1), Exclusive, false, true)
	}
	first := waits(ctx, &l, a, 2, Exclusive)
	second := waits(ctx, &l, b, 3, Exclusive)
	var e *sqlerr.Error
	if err := c.Lock(ctx, key(1), Shared, true); !errors.As(err, &e) || e.Code != sqlerr.DeadlockDetected {
		t.Errorf("error %v", err)
	}
	c.Close()
	if err := <-second; err != nil {
		t.Error(err)
	}
	b.Close()
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// A transaction holds a lock once, waits where others have it in a mode that conflicts, and
// two sides share it among themselves.
func TestHold(t *testing.T) {
	var l Locks
	a, b, c := l.Owner(1), l.Owner(2), l.Owner(3)
	ctx := context.Background()
	hold := func(o *Owner, mode Mode) {
		t.Helper()
		if waited, err := o.Hold(ctx, key(1), mode); waited || err != nil {
			t.Errorf("waited %v, error %v", waited, err)
		}
	}
	for range 3 {
		hold(a, Shared)
	}
	hold(b, Shared)
	if a.Taken() != 1 {
		t.Errorf("%d locks taken, want 1", a.Taken())
	}
	mustTry(t, c, 1, Counter, true, false)
	b.ReleaseTo(0)
	hold(a, Exclusive) // more than it has
	hold(a, Shared)
	a.ReleaseTo(0)
	hold(a, Counter)
	hold(b, Counter)
	mustTry(t, c, 1, Shared, true, false)
	a.ReleaseTo(0)
	done := waits(ctx, &l, c, 1, Shared)
	b.ReleaseTo(0)
	if err := <-done; err != nil {
		t.Error(err)
	}
	c.Close()
	if len(l.locks) != 0 {
		t.Errorf("left: %v", l.List())
	}
}

func TestHeldMax(t *testing.T) {
	var l Locks
	a := l.Owner(1)
	for n := range uint32(heldMax) {
		mustTry(t, a, n, Exclusive, n%2 == 0, true)
	}
	mustTry(t, a, 5, Exclusive, true, true)
	var e *sqlerr.Error
	if err := a.Lock(context.Background(), key(heldMax), Exclusive, false); !errors.As(err, &e) || e.Code != sqlerr.OutOfMemory {
		t.Errorf("error %v", err)
	}
	a.Close()
	if len(l.locks) != 0 {
		t.Errorf("%d locks are left", len(l.locks))
	}
}

// Owners that lock at random end, and leave nothing.
func TestRandomOwners(t *testing.T) {
	var l Locks
	var wg sync.WaitGroup
	exclusive := [4]int{} // guarded by the locks
	for n := range 8 {
		wg.Go(func() {
			o, random := l.Owner(n), rand.New(rand.NewPCG(1, uint64(n)))
			for range 2000 {
				k, mode := random.IntN(len(exclusive)), Mode(random.IntN(2))
				err := o.Lock(context.Background(), key(uint32(k)), mode, random.IntN(2) == 0)
				if err == nil && mode == Exclusive {
					exclusive[k]++
				}
				if err != nil || random.IntN(3) == 0 {
					o.Close()
				}
			}
			o.Close()
		})
	}
	wg.Wait()
	if len(l.locks) != 0 {
		t.Errorf("left: %v", l.List())
	}
}
