package cache

import (
	"iter"
	"sync"

	"github.com/trireme-db/trireme/fibers"
)

// Domains is the registry of domains by the expressions that use them. It is
// safe for concurrent use.
type Domains struct {
	mu     sync.Mutex
	byExpr map[string]*Domain
	next   uint64
}

// NewDomains returns an empty registry.
func NewDomains() *Domains { return &Domains{byExpr: map[string]*Domain{}} }

// Domain is a registered domain: it exists before its first value is known, so
// that the first load can choose its representation.
type Domain struct {
	ID   uint64
	Kind fibers.ValueKind

	exprs []string // under Domains.mu

	mu     sync.Mutex
	values *fibers.Domain
}

// Resolve returns the one domain of the given expressions (C2), each named by
// table and SQL. Without expressions the domain is the caller's alone.
func (ds *Domains) Resolve(kind fibers.ValueKind, exprs []string) *Domain {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	var best *Domain
	for _, x := range exprs {
		d := ds.byExpr[x]
		if d != nil && d.Kind == kind && (best == nil || d.len() > best.len()) {
			best = d
		}
	}
	if best == nil {
		ds.next++
		best = &Domain{ID: ds.next, Kind: kind}
	}
	for _, x := range exprs {
		old := ds.byExpr[x]
		switch {
		case old == best:
		case old == nil || old.Kind != kind:
			ds.byExpr[x] = best
			best.exprs = append(best.exprs, x)
		default:
			for _, y := range old.exprs {
				ds.byExpr[y] = best
			}
			best.exprs = append(best.exprs, old.exprs...)
			old.exprs = nil
		}
	}
	return best
}

func (d *Domain) len() int {
	if v := d.Values(); v != nil {
		return v.Len()
	}
	return 0
}

// Values returns the domain, nil before its first load.
func (d *Domain) Values() *fibers.Domain {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.values
}

// make returns the domain, making it when it is new: integers get an identity
// window where the hint allows one, else ranks in a bitmap of values where they
// are not too sparse, else a hash (KERNELS section 2).
func (d *Domain) make(hint fibers.DomainHint, values iter.Seq[[]int64]) *fibers.Domain {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.values != nil {
		return d.values
	}
	d.values = fibers.NewDomain(d.Kind, hint)
	if window := d.values.Len() > 0; d.Kind == fibers.Int64Values && hint.HasRange && !window {
		d.values = fibers.NewBitmapDomain(hint.Rows, hint.Min, hint.Max, values)
	}
	return d.values
}
