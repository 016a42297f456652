package cache

import (
	"container/list"
	"sync"
)

// Statements keeps what was made of the texts of statements, those used last. It is
// safe for concurrent use, and so must be what it keeps.
type Statements[V any] struct {
	mu    sync.Mutex
	known map[string]*list.Element
	order *list.List // of *keptStatement[V], most recently used first
	bytes int64
}

type keptStatement[V any] struct {
	key     string
	version uint64
	value   V
}

const (
	// statementsBytesMax bounds the cache, by estimate; it is no part of the tensor
	// cache's budget.
	statementsBytesMax = 16 << 20
	// What a statement takes in memory, bound and translated: by byte of its text, and
	// whatever it is.
	statementTextFactor = 64
	statementBytes      = 4 << 10
)

// NewStatements returns an empty cache.
func NewStatements[V any]() *Statements[V] {
	return &Statements[V]{known: map[string]*list.Element{}, order: list.New()}
}

// Get returns what is kept under a key for a version of the catalog.
func (s *Statements[V]) Get(key string, version uint64) (v V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.known[key]
	if place == nil {
		return v, false
	}
	kept := place.Value.(*keptStatement[V])
	if kept.version != version {
		return v, false
	}
	s.order.MoveToFront(place)
	return kept.value, true
}

// Keep keeps a value under a key, which had another one for other versions. Those
// used the longest ago make room.
func (s *Statements[V]) Keep(key string, version uint64, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place := s.known[key]; place != nil {
		place.Value = &keptStatement[V]{key, version, v}
		s.order.MoveToFront(place)
		return
	}
	s.known[key] = s.order.PushFront(&keptStatement[V]{key, version, v})
	s.bytes += keptBytes(key)
	for s.bytes > statementsBytesMax {
		last := s.order.Remove(s.order.Back()).(*keptStatement[V])
		delete(s.known, last.key)
		s.bytes -= keptBytes(last.key)
	}
}

// keptBytes estimates what a statement takes.
func keptBytes(key string) int64 { return statementBytes + statementTextFactor*int64(len(key)) }
