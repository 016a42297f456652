package cache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Origin is what a tensor was loaded from.
type Origin struct {
	Table   string // its name in SQL
	Version uint64 // of the table
	Tensor  string // its keys and leaves, and the predicate
}

// Listed is a tensor that the cache keeps.
type Listed struct {
	Origin
	Formats string // of the layouts made, as level kinds in the order of their modes
	Entries int
	Bytes   int64
	Hits    uint64
	InUse   int
	Cost    time.Duration // of loading and building
	Used    time.Time     // last
}

// List returns the tensors kept, those of one table together.
func (t *Tensors) List() []Listed {
	t.mu.Lock()
	out := make([]Listed, 0, len(t.entries))
	bases := make([]*Base, 0, len(t.entries))
	for _, e := range t.entries {
		out = append(out, Listed{
			Origin: e.base.Origin, Entries: e.base.COO.N, Bytes: e.bytes, Hits: e.hits, InUse: e.pins,
			Cost: time.Duration(e.base.CostNs), Used: e.used,
		})
		bases = append(bases, e.base)
	}
	t.mu.Unlock()
	for i, b := range bases {
		out[i].Formats = b.layoutsText()
	}
	slices.SortFunc(out, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Tensor, b.Tensor))
	})
	return out
}

// Counts returns what the cache has done, with the number of tensors kept.
func (t *Tensors) Counts() (c Counts, entries int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts, len(t.entries)
}

// layoutsText names the layouts that have been made: "0 dense, 1 sparselist; ...".
// A layout that is being made is waited for by those who need it, not here.
func (b *Base) layoutsText() string {
	if !b.mu.TryLock() {
		return "being made"
	}
	defer b.mu.Unlock()
	texts := make([]string, len(b.layouts))
	for i, l := range b.layouts {
		levels := make([]string, len(l.order))
		for k, mode := range l.order {
			levels[k] = fmt.Sprintf("%d %s", mode, l.formats[k])
		}
		texts[i] = strings.Join(levels, ", ")
	}
	return strings.Join(texts, "; ")
}
