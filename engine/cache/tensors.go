package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/trireme-db/trireme/internal/invariant"
)

// Tensors is the tensor cache. It is safe for concurrent use.
type Tensors struct {
	budgetBytes int64

	mu      sync.Mutex
	entries map[string]*entry
	inUse   map[*entry]struct{} // those with pins: few of many
	bytes   int64               // of all entries and their domains
	domains map[*Domain]*keptDomain
	// age is the rank of the entry last dropped: what an entry is worth now is
	// counted from there, so that one that nobody asks for ages.
	age     float64
	flights map[string]*flight
	counts  Counts
}

// Counts are what the cache has done since it was made.
type Counts struct{ Hits, Misses, Evictions uint64 }

type entry struct {
	key   string
	base  *Base
	bytes int64
	pins  int     // statements that use it
	rank  float64 // the least is dropped first
	hits  uint64
	used  time.Time // last
}

// keptDomain is a domain of tensors kept.
type keptDomain struct {
	tensors int
	bytes   int64 // counted; it may have grown since
}

// flight is a build under way. base is set, before done is closed, if what was
// built serves those that wait.
type flight struct {
	done chan struct{}
	base *Base
}

// NewTensors returns a cache of at most budgetBytes; 0: no bound.
func NewTensors(budgetBytes int64) *Tensors {
	return &Tensors{
		budgetBytes: budgetBytes,
		entries:     map[string]*entry{}, inUse: map[*entry]struct{}{},
		domains: map[*Domain]*keptDomain{}, flights: map[string]*flight{},
	}
}

// Pin is a tensor in use. Until it is released the cache does not drop the
// tensor. It is used by one goroutine.
type Pin struct {
	Base  *Base
	cache *Tensors
	entry *entry // nil: the cache does not keep the tensor
}

// Kept reports whether the tensor's memory is the cache's. Otherwise it is that
// of those who use it.
func (p *Pin) Kept() bool { return p.entry != nil }

// Pinned wraps a tensor that no cache keeps.
func Pinned(b *Base) *Pin { return &Pin{Base: b} }

// Get returns the tensor of a key, calling build when it is not there. publish
// says whether what was built may be kept; a tensor that is not kept still
// serves its own request. One for which there is no room serves those that wait
// for it as well. hit reports that this call built nothing.
func (t *Tensors) Get(ctx context.Context, key string, build func(context.Context) (b *Base, publish bool, err error)) (pin *Pin, hit bool, err error) {
	for {
		t.mu.Lock()
		if e, ok := t.entries[key]; ok {
			pin := t.pin(e)
			e.hits++
			t.counts.Hits++
			t.mu.Unlock()
			return pin, true, nil
		}
		f, busy := t.flights[key]
		if !busy {
			f = &flight{done: make(chan struct{})}
			t.flights[key] = f
			t.counts.Misses++
			t.mu.Unlock()
			pin, err := t.lead(ctx, key, f, build)
			return pin, false, err
		}
		t.mu.Unlock()
		select {
		case <-f.done: // built, failed, or handed over: look again
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
		if pin := t.landed(key, f); pin != nil {
			return pin, true, nil
		}
	}
}

// landed returns what a flight brought, nil if nothing that serves others.
func (t *Tensors) landed(key string, f *flight) *Pin {
	if f.base == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Hits++
	if e, ok := t.entries[key]; ok && e.base == f.base {
		e.hits++
		return t.pin(e)
	}
	return Pinned(f.base)
}

func (t *Tensors) lead(ctx context.Context, key string, f *flight, build func(context.Context) (*Base, bool, error)) (pin *Pin, err error) {
	var base *Base
	err = errors.New("the build did not finish") // if it panics
	publish := false
	defer func() {
		t.mu.Lock()
		delete(t.flights, key)
		if err == nil {
			pin = Pinned(base)
			if publish {
				f.base = base
				pin = t.insert(key, base)
			}
		}
		t.mu.Unlock()
		close(f.done)
	}()
	base, publish, err = build(ctx)
	return nil, err
}

// pin marks an entry as in use, and worth as much as when it was new.
func (t *Tensors) pin(e *entry) *Pin {
	e.pins++
	t.inUse[e] = struct{}{}
	e.used = time.Now()
	t.appraise(e)
	return &Pin{Base: e.base, cache: t, entry: e}
}

// appraise ranks an entry by the cost to build it again per byte (GreedyDual-Size).
func (t *Tensors) appraise(e *entry) { e.rank = t.age + e.base.CostNs/float64(max(e.bytes, 1)) }

// insert keeps a tensor if there is room beside the entries in use.
func (t *Tensors) insert(key string, b *Base) *Pin {
	e := &entry{key: key, base: b, bytes: b.Bytes()}
	if t.budgetBytes > 0 && t.bytesBeside(e) > t.budgetBytes {
		return Pinned(b)
	}
	t.entries[key] = e
	t.bytes += e.bytes
	t.keepDomains(b)
	p := t.pin(e)
	t.evict()
	return p
}

// bytesBeside is the memory of an entry and of those in use, with their domains.
func (t *Tensors) bytesBeside(e *entry) int64 {
	n := e.bytes
	domains := map[*Domain]bool{}
	add := func(b *Base) {
		for _, d := range b.domains {
			if !domains[d] {
				domains[d] = true
				n += d.Bytes()
			}
		}
	}
	add(e.base)
	for x := range t.inUse {
		n += x.bytes
		add(x.base)
	}
	return n
}

// keepDomains counts the domains of a tensor that is kept from now on.
func (t *Tensors) keepDomains(b *Base) {
	for _, d := range b.domains {
		k := t.domains[d]
		if k == nil {
			k = &keptDomain{}
			t.domains[d] = k
			d.retain()
		}
		k.tensors++
		bytes := d.Bytes()
		t.bytes += bytes - k.bytes
		k.bytes = bytes
	}
}

// dropDomains is the opposite, of a tensor that is dropped.
func (t *Tensors) dropDomains(b *Base) {
	for _, d := range b.domains {
		k := t.domains[d]
		if k.tensors--; k.tensors == 0 {
			t.bytes -= k.bytes
			delete(t.domains, d)
			d.Release()
		}
	}
}

// Keeps reports whether a domain's memory is the cache's.
func (t *Tensors) Keeps(d *Domain) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.domains[d] != nil
}

// Grow counts bytes that were added to the tensor. It reports false when they do
// not fit beside what is in use: the caller answers for them until it releases
// the tensor.
func (p *Pin) Grow(bytes int64) bool {
	if p.entry == nil {
		return bytes == 0
	}
	t := p.cache
	t.mu.Lock()
	defer t.mu.Unlock()
	p.entry.bytes += bytes
	t.bytes += bytes
	t.appraise(p.entry)
	return t.evict()
}

// Release ends the use. It may be called several times.
func (p *Pin) Release() {
	if p.entry == nil {
		return
	}
	t, e := p.cache, p.entry
	p.entry = nil
	t.mu.Lock()
	defer t.mu.Unlock()
	invariant.Check(e.pins > 0, "cache: a tensor is released twice")
	if e.pins--; e.pins == 0 {
		delete(t.inUse, e)
	}
	t.evict()
}

// evict drops entries that are not in use, the least rank first, until the
// budget holds, and reports whether it does.
func (t *Tensors) evict() bool {
	for t.budgetBytes > 0 && t.bytes > t.budgetBytes {
		var least *entry
		for _, e := range t.entries {
			if e.pins == 0 && (least == nil || e.rank < least.rank || e.rank == least.rank && e.key < least.key) {
				least = e
			}
		}
		if least == nil {
			return false
		}
		t.age = max(t.age, least.rank)
		t.bytes -= least.bytes
		delete(t.entries, least.key)
		t.counts.Evictions++
		t.dropDomains(least.base)
	}
	return true
}

// Bytes is the memory of all entries kept, and of their domains.
func (t *Tensors) Bytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

// InUse is the number of uses that have not been released.
func (t *Tensors) InUse() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for e := range t.inUse {
		n += e.pins
	}
	return n
}
