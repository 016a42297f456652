package cache

import (
	"context"
	"maps"

	"github.com/trireme-db/trireme/fibers"
)

// Membership makes a tensor of coordinates and their classes, whose one leaf is
// named leaf. Its Classes are those; where they are nil, for want of few enough, it
// is empty.
func Membership(ctx context.Context, c *fibers.Classes, leaf string, domains []*Domain) (*Base, error) {
	if c == nil {
		return describe(ctx, (&fibers.Classes{}).Membership(leaf), domains)
	}
	b, err := describe(ctx, c.Membership(leaf), domains)
	if err == nil {
		b.Classes = c
	}
	return b, err
}

// ClassSizes makes a tensor of classes and how many members they have.
func ClassSizes(ctx context.Context, c *fibers.Classes, leaf string, domain *Domain) (*Base, error) {
	return describe(ctx, c.Sizes(leaf), []*Domain{domain})
}

// ByClass is the tensor with classes in place of the coordinates of a mode; domains
// are those of its modes.
func (b *Base) ByClass(ctx context.Context, mode int, c *fibers.Classes, domains []*Domain) (*Base, error) {
	out, err := describe(ctx, b.COO.ByClass(mode, c), domains)
	if err == nil {
		out.Dicts = maps.Clone(b.Dicts)
	}
	return out, err
}
