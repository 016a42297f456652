package engine

import (
	"context"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// fixedMax is the number of entries that planning walks for one access with
// constants: some microseconds, kept with the tensor.
const fixedMax = 4096

// fixed describes what constants leave of a small tensor by walking its entries:
// exact also for several constants, and for a set of coordinates, such as the
// vertices of a label, with their degrees in the largest tensor over the same
// domain. Only the estimator "best" asks for it: the others show what they know
// without. ok is false where it would cost too much.
func (n *nativeRun) fixed(a *einsum.Access, base *cache.Base) (out stats.TensorStats, ok bool) {
	if n.planning.estimator != "best" {
		return out, false
	}
	l := n.bases[a.Tensor]
	key := cache.Fixed{Mode: -1}
	var constants, rest []int
	var values []fibers.Coord
	var least []int32
	for m, arg := range a.Args {
		if arg.Const == nil {
			rest = append(rest, m)
			continue
		}
		c, found := n.coordinate(n.inputDomain(l, m), arg.Const)
		if !found {
			return stats.TensorStats{}, false
		}
		entries, ok := base.Entries(m, c)
		if !ok {
			return stats.TensorStats{}, false
		}
		if key.Mode < 0 || len(entries) < len(least) {
			least, key.Mode, key.Coord = entries, m, c
		}
		constants, values = append(constants, m), append(values, c)
	}
	if len(least) > fixedMax {
		return stats.TensorStats{}, false
	}
	partnerMode := -1
	if len(rest) == 1 {
		key.Partner, partnerMode = n.partner(a.Tensor, rest[0])
	}
	find := func() stats.TensorStats {
		part := base.COO.Pick(having(base.COO, least, constants, values), rest)
		return n.describe(l, part, rest, key.Partner, partnerMode)
	}
	if len(constants) > 1 {
		return find(), true
	}
	return base.Answer(key, find), true
}

// having keeps the entries with all the given coordinates.
func having(coo *fibers.COO, entries []int32, modes []int, values []fibers.Coord) []int32 {
	out := make([]int32, 0, len(entries))
	for _, e := range entries {
		all := true
		for i, m := range modes {
			all = all && coo.Coords[m][e] == values[i]
		}
		if all {
			out = append(out, e)
		}
	}
	return out
}

// describe measures a part of an input over the modes of rest.
func (n *nativeRun) describe(l *loaded, part *fibers.COO, rest []int, partner *cache.Base, mode int) stats.TensorStats {
	if len(rest) == 1 {
		out := stats.TensorStats{
			NNZ: float64(part.N), Dims: []float64{float64(part.Dims[0])}, Distinct: []float64{float64(part.N)}, Exact: true,
		}
		if partner != nil {
			out.Degrees = degreesIn(part.Coords[0], partner, mode)
		}
		return out
	}
	domains := make([]int, len(rest))
	for i, m := range rest {
		domains[i] = n.domainOf(l, m)
	}
	s, err := part.Statistics(context.Background(), domains)
	invariant.Check(err == nil, "engine: statistics that nobody cancels failed: %v", err)
	return exec.Statistics(s)
}

// domainOf is the number of the domain of an input's mode.
func (n *nativeRun) domainOf(l *loaded, mode int) int { return l.decl.Domains[mode] }

// partner is the largest input with several modes, one of which is over the
// domain of an input's mode and has its coordinates classified; nil if none. It
// may be the input itself: the neighbours of a vertex have more neighbours than
// vertices have.
func (n *nativeRun) partner(tensor string, mode int) (*cache.Base, int) {
	domain := n.domains[n.domainOf(n.bases[tensor], mode)]
	var best *cache.Base
	at := -1
	for i, in := range n.tr.Program.Inputs {
		b := n.bases[in.Name].base
		if len(in.Domains) < 2 || best != nil && b.COO.N <= best.COO.N {
			continue
		}
		for m := range in.Domains {
			if n.domains[n.tr.Program.Inputs[i].Domains[m]] == domain && b.Statistics.Modes[m].Classes >= 0 {
				best, at = b, m
				break
			}
		}
	}
	return best, at
}

// neighbours describes what one constant leaves of a tensor with two modes that
// is too large to be walked: entries as many as are counted, at coordinates met
// as often as their degrees say (the Chung-Lu model). Nil where the degrees of
// the other mode are not known.
func neighbours(base *cache.Base, rest int, entries float64) *stats.Degrees {
	if base.Statistics.Modes[rest].Classes < 0 || base.COO.N == 0 {
		return nil
	}
	mode := &base.Figures(exec.Statistics).Degrees.Modes[rest]
	classes := mode.Classes
	count := make([]float64, len(classes.Count))
	for b, n := range classes.Count {
		count[b] = min(n, entries*n*classes.Degree[mode.Row][b]/float64(base.COO.N))
	}
	return partOf(classes, entries, count)
}

// partOf describes a set of coordinates by how many it has of each class.
func partOf(classes *stats.Classes, entries float64, count []float64) *stats.Degrees {
	return stats.NewDegrees(entries, []stats.ModeDegrees{{
		Max: 1, Squares: entries, Cubes: entries, Fourths: entries, Classes: classes, Part: classes.Part(count),
	}}, nil, nil)
}

// degreesIn finds the classes of a set of coordinates in a mode of a tensor.
func degreesIn(coords []fibers.Coord, partner *cache.Base, mode int) *stats.Degrees {
	of := partner.Statistics.Classes[partner.Statistics.Modes[mode].Classes].Of
	classes := partner.Figures(exec.Statistics).Degrees.Modes[mode].Classes
	count := make([]float64, len(classes.Count))
	for _, c := range coords {
		if int(c) < len(of) && of[c] > 0 {
			count[of[c]-1]++
		}
	}
	return partOf(classes, float64(len(coords)), count)
}
