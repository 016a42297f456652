package logical

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// label stands for what a part of a step reads: equal labels, equal tensors.
type label int32

// part is an operand or a mask of a step: what it reads, and the step's indices
// mode by mode.
type part struct {
	label label
	args  []uint8
}

// figure is what a step counts, without names: a product of parts over n
// indices, of which some are free.
type figure struct {
	parts []part
	n     int
	free  uint64
}

// maxLabelings bounds the numberings of indices that canonical tries. With more
// symmetry than that equal figures may be taken for different, never the
// reverse.
const maxLabelings = 64

// canonical returns the indices in an order, and a code of the figure in terms of
// it, that are the same for figures equal up to the numbers of indices and the
// order of parts. Indices are coloured by where they occur until no round tells
// more apart; among those still tied each is tried in front of the others, and
// the least code counts (individualisation and refinement).
func (f *figure) canonical() (order []uint8, code string) {
	c := canonizer{f: f, tries: maxLabelings}
	colors := make([]uint64, f.n)
	for i := range colors {
		colors[i] = 1 + f.free>>i&1
	}
	c.refine(colors)
	c.search(colors)
	return c.order, string(c.best)
}

type canonizer struct {
	f     *figure
	tries int
	order []uint8
	best  []byte
}

// refine colours indices by the parts that they occur in and the colours next to
// them there, until the number of colours no longer grows.
func (c *canonizer) refine(colors []uint64) {
	next := make([]uint64, len(colors))
	for count := distinct(colors); count < len(colors); {
		copy(next, colors)
		for i := range next {
			next[i] *= 0x9E3779B97F4A7C15
		}
		for _, p := range c.f.parts {
			h := uint64(p.label) + 0x51
			if p.label&symmetric != 0 {
				h += colors[p.args[0]] + colors[p.args[1]]
			} else {
				for _, x := range p.args {
					h = mixColors(h, colors[x])
				}
			}
			for m, x := range p.args {
				if p.label&symmetric != 0 {
					m = 0
				}
				next[x] += mixColors(h, uint64(m)) // a sum: the order of parts is irrelevant
			}
		}
		copy(colors, next)
		now := distinct(colors)
		if now <= count {
			return
		}
		count = now
	}
}

func mixColors(h, x uint64) uint64 {
	h = (h ^ x) * 0xBF58476D1CE4E5B9
	return h ^ bits.RotateLeft64(h, 31)
}

func distinct(colors []uint64) int {
	n := 0
	for i, x := range colors {
		if !slices.Contains(colors[:i], x) {
			n++
		}
	}
	return n
}

// search breaks ties and keeps the least code.
func (c *canonizer) search(colors []uint64) {
	tied, found := uint64(0), false
	for i, x := range colors {
		if slices.Contains(colors[:i], x) && (!found || x < tied) {
			tied, found = x, true
		}
	}
	if !found {
		c.tries--
		c.leaf(colors)
		return
	}
	for i, x := range colors {
		if x != tied {
			continue
		}
		first := slices.Clone(colors)
		first[i] = mixColors(x, 0x1D)
		c.refine(first)
		c.search(first)
		if c.tries <= 0 {
			return
		}
	}
}

// leaf encodes the figure under the order of distinct colours.
func (c *canonizer) leaf(colors []uint64) {
	order := make([]uint8, len(colors))
	for i := range order {
		order[i] = uint8(i)
	}
	slices.SortFunc(order, func(a, b uint8) int {
		// Free indices first: they are the modes of the result.
		if d := int(c.f.free>>b&1) - int(c.f.free>>a&1); d != 0 {
			return d
		}
		if colors[a] < colors[b] {
			return -1
		}
		return 1
	})
	var name [maxBits]uint8
	for i, x := range order {
		name[x] = uint8(i)
	}
	parts := make([][]byte, len(c.f.parts))
	buf := make([]byte, 0, 8*len(parts)+8)
	for i, p := range c.f.parts {
		start := len(buf)
		buf = binary.BigEndian.AppendUint32(buf, uint32(p.label))
		buf = append(buf, uint8(len(p.args)))
		for _, x := range p.args {
			buf = append(buf, name[x])
		}
		if p.label&symmetric != 0 {
			slices.Sort(buf[start+5:])
		}
		parts[i] = buf[start:len(buf):len(buf)]
	}
	slices.SortFunc(parts, slices.Compare)
	code := []byte{uint8(len(colors)), uint8(bits.OnesCount64(c.f.free))}
	for _, p := range parts {
		code = append(code, p...)
	}
	if c.best == nil || slices.Compare(code, c.best) < 0 {
		c.best, c.order = code, order
	}
}
