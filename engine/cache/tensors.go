package cache

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// Tensors is the tensor cache. It is safe for concurrent use.
type Tensors struct {
	budgetBytes int64

	mu      sync.Mutex
	entries map[string]*entry
	order   *list.List // most recently used first
	bytes   int64
	flights map[string]chan struct{}
}

type entry struct {
	key   string
	base  *Base
	bytes int64
	place *list.Element
}

// NewTensors returns a cache of at most budgetBytes; 0: no bound.
func NewTensors(budgetBytes int64) *Tensors {
	return &Tensors{budgetBytes: budgetBytes, entries: map[string]*entry{}, order: list.New(), flights: map[string]chan struct{}{}}
}

// Get returns the tensor of a key, calling build when it is not there. publish
// says whether what was built may be kept; a tensor that is not kept still
// serves its own request. hit reports that nothing was built.
func (t *Tensors) Get(ctx context.Context, key string, build func(context.Context) (b *Base, publish bool, err error)) (base *Base, hit bool, err error) {
	for {
		t.mu.Lock()
		if e, ok := t.entries[key]; ok {
			t.order.MoveToFront(e.place)
			t.mu.Unlock()
			return e.base, true, nil
		}
		flight, busy := t.flights[key]
		if !busy {
			flight = make(chan struct{})
			t.flights[key] = flight
			t.mu.Unlock()
			base, err := t.lead(ctx, key, flight, build)
			return base, false, err
		}
		t.mu.Unlock()
		select {
		case <-flight: // built, failed, or handed over: look again
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}

func (t *Tensors) lead(ctx context.Context, key string, flight chan struct{}, build func(context.Context) (*Base, bool, error)) (*Base, error) {
	var base *Base
	err := errors.New("the build did not finish")
	publish := false
	defer func() {
		t.mu.Lock()
		delete(t.flights, key)
		if err == nil && publish {
			t.insert(key, base)
		}
		t.mu.Unlock()
		close(flight)
	}()
	base, publish, err = build(ctx)
	return base, err
}

func (t *Tensors) insert(key string, b *Base) {
	e := &entry{key: key, base: b, bytes: b.Bytes()}
	e.place = t.order.PushFront(e)
	t.entries[key] = e
	t.bytes += e.bytes
	t.evict()
}

// Grow adds the bytes of a layout to a key's entry, if it is still kept.
func (t *Tensors) Grow(key string, bytes int64) {
	if bytes == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.entries[key]; ok {
		e.bytes += bytes
		t.bytes += bytes
		t.evict()
	}
}

// evict drops the least recently used entries until the budget holds.
func (t *Tensors) evict() {
	for t.budgetBytes > 0 && t.bytes > t.budgetBytes && t.order.Len() > 0 {
		e := t.order.Back().Value.(*entry)
		t.order.Remove(e.place)
		delete(t.entries, e.key)
		t.bytes -= e.bytes
	}
}

// Bytes is the memory of all entries kept.
func (t *Tensors) Bytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}
