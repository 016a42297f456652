package advisory

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Key is what is locked, as pg_locks shows it: the halves of a number of 64 bits, with Sub
// 1, or two numbers, with Sub 2, or a table of a schema; with a database, the table's rows.
type Key struct {
	Class, Object          uint32
	Sub                    int
	Catalog, Schema, Table string
}

// isNumber reports whether a client has chosen the key.
func (k Key) isNumber() bool { return k.Sub > 0 }

// Mode is how a lock is held.
type Mode int

// The modes. Exclusive conflicts with all. Shared and Counter conflict with each other, not
// with themselves.
const (
	Shared Mode = iota
	Exclusive
	Counter
	modes
)

func conflicts(a, b Mode) bool { return a == Exclusive || b == Exclusive || a != b }

// heldMax bounds the numbers on which one owner has locks.
const heldMax = 10000

// Locks are those of all owners. The zero value is none.
type Locks struct {
	mu    sync.Mutex
	locks map[Key]*lock
}

type lock struct {
	holders map[*Owner]*hold
	waiters []*waiter // in the order in which they are granted
}

// hold is how often an owner holds a lock, by modes: for the session, and in all.
type hold struct{ session, all [modes]int }

func (h *hold) conflicts(m Mode) bool {
	if h == nil {
		return false
	}
	for held, n := range h.all {
		if n > 0 && conflicts(Mode(held), m) {
			return true
		}
	}
	return false
}

// covers reports whether the transaction needs no other hold to have the lock in a mode.
func (h *hold) covers(m Mode) bool {
	return h != nil && (h.all[m] > h.session[m] || h.all[Exclusive] > h.session[Exclusive])
}

type waiter struct {
	request
	owner   *Owner
	granted chan struct{} // closed
}

type request struct {
	key  Key
	mode Mode
	tx   bool
}

// Owner holds locks. Its methods are called by one goroutine at a time.
type Owner struct {
	locks *Locks
	pid   int
	held  int       // numbers
	tx    []request // granted for the transaction, in order
	waits *waiter   // under locks.mu
}

// Owner makes an owner, which pg_locks shows by its number.
func (l *Locks) Owner(pid int) *Owner { return &Owner{locks: l, pid: pid} }

// Lock takes a lock, for the transaction or for the session, and waits for it if it must.
// Errors are 40P01 for a wait that would never end, 53200 where the owner has too many,
// and the cause of ctx.
func (o *Owner) Lock(ctx context.Context, key Key, mode Mode, tx bool) error {
	o.locks.mu.Lock()
	r := request{key, mode, tx}
	k, err := o.lock(key)
	if err != nil || k.grants(o, mode, len(k.waiters)) {
		if err == nil {
			o.take(k, r)
		}
		o.locks.mu.Unlock()
		return err
	}
	w := &waiter{request: r, owner: o, granted: make(chan struct{})}
	k.queue(w)
	if w.closesCircle() {
		o.locks.leave(w)
		o.locks.mu.Unlock()
		return sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected").
			WithHint("Sessions wait for each other's locks. Take them in the same order everywhere, and repeat the transaction.")
	}
	o.locks.mu.Unlock()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	o.locks.mu.Lock()
	defer o.locks.mu.Unlock()
	if o.waits == nil { // granted meanwhile
		return nil
	}
	o.locks.leave(w)
	return context.Cause(ctx)
}

// TryLock is Lock that does not wait; false: another holds the lock, or is to have it first.
func (o *Owner) TryLock(key Key, mode Mode, tx bool) (bool, error) {
	o.locks.mu.Lock()
	defer o.locks.mu.Unlock()
	k, err := o.lock(key)
	if err != nil {
		return false, err
	}
	if !k.grants(o, mode, len(k.waiters)) {
		o.locks.drop(key)
		return false, nil
	}
	o.take(k, request{key, mode, tx})
	return true, nil
}

// Hold is Lock for a transaction that takes the lock once, however often it asks. waited
// reports whether others had it first.
func (o *Owner) Hold(ctx context.Context, key Key, mode Mode) (waited bool, err error) {
	if o.covers(key, mode) {
		return false, nil
	}
	if granted, err := o.TryLock(key, mode, true); granted || err != nil {
		return false, err
	}
	return true, o.Lock(ctx, key, mode, true)
}

func (o *Owner) covers(key Key, mode Mode) bool {
	o.locks.mu.Lock()
	defer o.locks.mu.Unlock()
	k := o.locks.locks[key]
	return k != nil && k.holders[o].covers(mode)
}

// Unlock gives a lock of the session back; false: the session does not hold it so.
func (o *Owner) Unlock(key Key, mode Mode) bool {
	o.locks.mu.Lock()
	defer o.locks.mu.Unlock()
	k := o.locks.locks[key]
	if k == nil || k.holders[o] == nil || k.holders[o].session[mode] == 0 {
		return false
	}
	k.holders[o].session[mode]--
	o.giveBack(k, key, mode)
	return true
}

// UnlockAll gives back all locks of the session, not those of the transaction.
func (o *Owner) UnlockAll() {
	o.locks.mu.Lock()
	defer o.locks.mu.Unlock()
	for key, k := range o.locks.locks {
		h := k.holders[o]
		if h == nil {
			continue
		}
		for mode, n := range h.session {
			h.session[mode] = 0
			for range n {
				o.giveBack(k, key, Mode(mode))
			}
		}
	}
}

// Taken is how many locks the transaction has taken.
func (o *Owner) Taken() int { return len(o.tx) }

// ReleaseTo gives back the transaction's locks but for the first n.
func (o *Owner) ReleaseTo(n int) {
	if len(o.tx) <= n {
		return
	}
	o.locks.mu.Lock()
	defer o.locks.mu.Unlock()
	for _, r := range slices.Backward(o.tx[n:]) {
		o.giveBack(o.locks.locks[r.key], r.key, r.mode)
	}
	o.tx = o.tx[:n]
}

// Close gives everything back.
func (o *Owner) Close() {
	o.ReleaseTo(0)
	if o.held > 0 {
		o.UnlockAll()
	}
}

// lock is the lock of a key that the owner is about to ask for.
func (o *Owner) lock(key Key) (*lock, error) {
	k := o.locks.locks[key]
	if k == nil || k.holders[o] == nil {
		if key.isNumber() && o.held >= heldMax {
			return nil, sqlerr.New(sqlerr.OutOfMemory, "the session has locks on %d keys, which is the largest number", heldMax).
				WithHint("Give advisory locks back, or lock one key for many.")
		}
	}
	if k == nil {
		k = &lock{holders: map[*Owner]*hold{}}
		if o.locks.locks == nil {
			o.locks.locks = map[Key]*lock{}
		}
		o.locks.locks[key] = k
	}
	return k, nil
}

// grants reports whether an owner can have the lock before all but the first n who wait.
func (k *lock) grants(o *Owner, mode Mode, n int) bool {
	for other, h := range k.holders {
		if other != o && h.conflicts(mode) {
			return false
		}
	}
	return k.holders[o] != nil || !slices.ContainsFunc(k.waiters[:n], func(w *waiter) bool { return w.owner != o && conflicts(w.mode, mode) })
}

// take grants a request.
func (o *Owner) take(k *lock, r request) {
	h := k.holders[o]
	if h == nil {
		h = &hold{}
		k.holders[o] = h
		if r.key.isNumber() {
			o.held++
		}
	}
	h.all[r.mode]++
	if r.tx {
		o.tx = append(o.tx, r)
	} else {
		h.session[r.mode]++
	}
}

// giveBack takes one hold of the lock from the owner, and grants it to those who wait.
func (o *Owner) giveBack(k *lock, key Key, mode Mode) {
	h := k.holders[o]
	if h.all[mode]--; h.all == [modes]int{} {
		delete(k.holders, o)
		if key.isNumber() {
			o.held--
		}
	}
	k.wake()
	o.locks.drop(key)
}

// drop forgets a lock that nobody has or waits for.
func (l *Locks) drop(key Key) {
	if k := l.locks[key]; len(k.holders)+len(k.waiters) == 0 {
		delete(l.locks, key)
	}
}

// queue adds who waits at the end, or before the first that waits for what its owner holds.
func (k *lock) queue(w *waiter) {
	at := len(k.waiters)
	if h := k.holders[w.owner]; h != nil {
		if i := slices.IndexFunc(k.waiters, func(other *waiter) bool { return h.conflicts(other.mode) }); i >= 0 {
			at = i
		}
	}
	k.waiters = slices.Insert(k.waiters, at, w)
	w.owner.waits = w
}

// leave ends a wait without the lock.
func (l *Locks) leave(w *waiter) {
	k := l.locks[w.key]
	k.waiters = slices.DeleteFunc(k.waiters, func(other *waiter) bool { return other == w })
	w.owner.waits = nil
	k.wake()
	l.drop(w.key)
}

// wake grants the lock to those whose turn it is.
func (k *lock) wake() {
	for i := 0; i < len(k.waiters); {
		w := k.waiters[i]
		if !k.grants(w.owner, w.mode, i) {
			i++
			continue
		}
		k.waiters = slices.Delete(k.waiters, i, i+1)
		w.owner.take(k, w.request)
		w.owner.waits = nil
		close(w.granted)
	}
}

// closesCircle reports whether who waits for w would wait for itself.
func (w *waiter) closesCircle() bool {
	seen := map[*Owner]bool{}
	next := []*waiter{w}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		for _, o := range at.waitsFor() {
			switch {
			case o == w.owner:
				return true
			case !seen[o] && o.waits != nil:
				next = append(next, o.waits)
			}
			seen[o] = true
		}
	}
	return false
}

// waitsFor are the owners that must give back or get the lock first.
func (w *waiter) waitsFor() (owners []*Owner) {
	k := w.owner.locks.locks[w.key]
	for o, h := range k.holders {
		if o != w.owner && h.conflicts(w.mode) {
			owners = append(owners, o)
		}
	}
	for _, before := range k.waiters {
		if before == w {
			break
		}
		if conflicts(before.mode, w.mode) {
			owners = append(owners, before.owner)
		}
	}
	return owners
}

// Entry is a lock as pg_locks shows it.
type Entry struct {
	Key
	PID     int
	Mode    Mode
	Granted bool
}

// List are the locks that are held or waited for.
func (l *Locks) List() (list []Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, k := range l.locks {
		for o, h := range k.holders {
			for mode, n := range h.all {
				if n > 0 {
					list = append(list, Entry{key, o.pid, Mode(mode), true})
				}
			}
		}
		for _, w := range k.waiters {
			list = append(list, Entry{key, w.owner.pid, w.mode, false})
		}
	}
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Mode, b.Mode))
	})
	return list
}
