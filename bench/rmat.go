package bench

import (
	"bufio"
	"io"
	"math/rand/v2"
	"strconv"
)

// The R-MAT generator of Graph500: an edge falls into a quadrant of the adjacency
// matrix with these probabilities, level by level; d is what remains.
const (
	rmatA = 0.57
	rmatB = 0.19
	rmatC = 0.19
	// rmatEdgeFactor is the number of edges drawn per vertex.
	rmatEdgeFactor = 16
	rmatSeed       = 18
)

// writeRMAT writes a CSV of edgeFactor << scale edges over 1 << scale vertices,
// header included, loops and duplicates as drawn. The same arguments give the
// same edges on every machine.
func writeRMAT(out io.Writer, scale, edgeFactor int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, uint64(scale)))
	w := bufio.NewWriter(out)
	w.WriteString("src,dst\n")
	var line []byte
	for range edgeFactor << scale {
		src, dst := rmatEdge(rng, scale)
		line = strconv.AppendUint(line[:0], src, 10)
		line = append(line, ',')
		line = strconv.AppendUint(line, dst, 10)
		w.Write(append(line, '\n'))
	}
	return w.Flush() // reports what failed above
}

// rmatEdge draws one edge.
func rmatEdge(rng *rand.Rand, scale int) (src, dst uint64) {
	for range scale {
		src, dst = src<<1, dst<<1
		switch p := rng.Float64(); {
		case p < rmatA:
		case p < rmatA+rmatB:
			dst |= 1
		case p < rmatA+rmatB+rmatC:
			src |= 1
		default:
			src, dst = src|1, dst|1
		}
	}
	return src, dst
}
