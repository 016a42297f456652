package pgwire

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// FailurePause is how long failed authentications are remembered.
const FailurePause = time.Minute

// failuresKeptMax bounds the addresses that are remembered.
const failuresKeptMax = 10_000

// failures counts failed authentications by address.
type failures struct {
	mu sync.Mutex
	by map[netip.Prefix]*failure
}

type failure struct {
	count int
	last  time.Time
}

// origin is the address that is counted: of IPv6 the network, which one client
// usually has for itself.
func origin(addr net.Addr) netip.Prefix {
	ap, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.Prefix{} // no address: one count for all of these
	}
	ip, bits := ap.Addr().Unmap(), 32
	if ip.Is6() {
		bits = 64
	}
	prefix, err := ip.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return prefix
}

// allowed reports whether another attempt may be made from an address.
func (f *failures) allowed(addr net.Addr, limit int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mayTry(addr, limit)
}

// mayTry is allowed with mu held.
func (f *failures) mayTry(addr net.Addr, limit int) bool {
	at := f.by[origin(addr)]
	return limit <= 0 || at == nil || at.count < limit || time.Since(at.last) > FailurePause
}

// attempt makes an attempt by check, if another one may be made from an address, and
// notes its failure: one after the other, so that no more are made than may fail.
func (f *failures) attempt(addr net.Addr, limit int, check func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.mayTry(addr, limit) {
		return errTooManyFailures()
	}
	err := check()
	if err != nil {
		f.note(addr)
	}
	return err
}

// add notes that an attempt has failed.
func (f *failures) add(addr net.Addr) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note(addr)
}

// note is add with mu held.
func (f *failures) note(addr net.Addr) {
	now, key := time.Now(), origin(addr)
	if f.by == nil {
		f.by = map[netip.Prefix]*failure{}
	}
	at := f.by[key]
	if at == nil || now.Sub(at.last) > FailurePause {
		f.makeRoom(now)
		at = &failure{}
		f.by[key] = at
	}
	at.count++
	at.last = now
}

// makeRoom forgets what is old, and something if nothing is.
func (f *failures) makeRoom(now time.Time) {
	if len(f.by) < failuresKeptMax {
		return
	}
	for key, at := range f.by {
		if now.Sub(at.last) > FailurePause {
			delete(f.by, key)
		}
	}
	for key := range f.by {
		if len(f.by) < failuresKeptMax {
			return
		}
		delete(f.by, key)
	}
}
