package cache

import (
	"iter"
	"sync"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Domains is the registry of domains by the expressions that use them. It is
// safe for concurrent use. A domain that neither a statement nor a tensor kept
// uses is forgotten, and its dictionary with it.
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

	of    *Domains
	exprs []string // under of.mu
	uses  int      // under of.mu

	mu     sync.Mutex
	values *fibers.Domain
}

// Resolve returns the one domain of the given expressions (C2), each named by
// table and SQL. Without expressions the domain is the caller's alone. The
// caller releases it.
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
		best = &Domain{ID: ds.next, Kind: kind, of: ds}
	}
	best.uses++
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

// retain adds a use of a domain that is in use.
func (d *Domain) retain() {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	invariant.Check(d.uses > 0, "cache: a domain is used that was forgotten")
	d.uses++
}

// Release ends a use. After the last one, columns that meet anew get a new domain.
func (d *Domain) Release() {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	invariant.Check(d.uses > 0, "cache: a domain is released twice")
	if d.uses--; d.uses > 0 {
		return
	}
	for _, x := range d.exprs {
		if d.of.byExpr[x] == d {
			delete(d.of.byExpr, x)
		}
	}
	d.exprs = nil
}

// Bytes is the memory of the dictionary.
func (d *Domain) Bytes() int64 {
	if v := d.Values(); v != nil {
		return v.Bytes()
	}
	return 0
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
// are not too sparse, else a hash (KERNELS section 2). Without values, which are to come
// one by one, there is no bitmap.
func (d *Domain) make(hint fibers.DomainHint, values iter.Seq[[]int64]) *fibers.Domain {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.values != nil {
		return d.values
	}
	d.values = fibers.NewDomain(d.Kind, hint)
	if window := d.values.Len() > 0; d.Kind == fibers.Int64Values && hint.HasRange && !window && values != nil {
		d.values = fibers.NewBitmapDomain(hint.Rows, hint.Min, hint.Max, values)
	}
	return d.values
}
