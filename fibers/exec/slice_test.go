package exec

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
)

// TestSlicesOfRandomSteps: the entries of a step are those of its slices, over
// any index of its result, put together.
func TestSlicesOfRandomSteps(t *testing.T) {
	kernels := map[string]int{}
	cut := 0
	for seed := range uint64(600) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 17)), floats: []float64{0, 1.5, -2, 0.25}, maxDim: 12, rows: 60, maxIdx: 3, sums: seed%2 == 0}
		p := g.problem(t)
		if len(p.step.Output.Order) == 0 {
			continue
		}
		want := p.bruteForce()
		mode := g.IntN(len(p.step.Output.Order))
		index := p.step.Output.Order[mode].Name
		for _, general := range []bool{true, false} {
			entries, parts := 0, 0
			for lo := 0; lo < p.dims[index]; parts++ {
				hi := min(p.dims[index], lo+1+g.IntN(4))
				in := p.in
				in.Slices = map[string]Slice{index: {Lo: fibers.Coord(lo), Hi: fibers.Coord(hi)}}
				got, stats, err := RunStep(context.Background(), p.step, in, Options{NoRegistry: general})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				kernels[stats.Kernel]++
				coo := got.COO()
				for e, c := range coo.Coords[mode] {
					if int(c) < lo || int(c) >= hi {
						t.Fatalf("seed %d: entry %d of slice [%d,%d) is at %d\n%s", seed, e, lo, hi, c, p.describe())
					}
				}
				entries += coo.N
				p.check(t, got, only(t, want, mode, lo, hi))
				lo = hi
			}
			if entries != len(want) {
				t.Fatalf("seed %d: %d entries in all slices, want %d\n%s", seed, entries, len(want), p.describe())
			}
			if parts > 1 && entries > 1 {
				cut++
			}
		}
	}
	if cut < 200 {
		t.Errorf("only %d results came in more than one slice", cut)
	}
	if len(kernels) < 3 {
		t.Errorf("kernels %v", kernels)
	}
}

// hall is an Account of a fixed size.
type hall struct {
	held, peak atomic.Int64
	limit      int64
}

func (h *hall) Hold(bytes int64) bool {
	held := h.held.Add(bytes)
	for peak := h.peak.Load(); held > peak && !h.peak.CompareAndSwap(peak, held); peak = h.peak.Load() {
	}
	return h.limit == 0 || held <= h.limit
}

// TestAccount: an Account is told what a step holds, and its refusal stops the
// step like a budget.
func TestAccount(t *testing.T) {
	e := complete(t, 300)
	for name, ws := range map[string]format.Workspace{"dense": format.DenseWorkspace, "hash": format.HashWorkspace} {
		step, in := pattern(e, "ijk", "ij jk", "ik", ws)
		h := &hall{}
		_, stats, err := RunStep(context.Background(), step, in, Options{Account: h})
		if err != nil || h.peak.Load() < stats.Bytes || h.held.Load() <= 0 {
			t.Fatalf("%s: peak %d, held %d, step %+v, error %v", name, h.peak.Load(), h.held.Load(), stats, err)
		}
		if _, _, err := RunStep(context.Background(), step, in, Options{Account: &hall{limit: stats.Bytes / 2}}); !errors.Is(err, ErrBudget) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// only keeps the entries of a result whose coordinate in a mode is in [lo,hi).
func only(t *testing.T, want map[string][]float64, mode, lo, hi int) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for key, row := range want {
		c, err := strconv.Atoi(strings.Fields(strings.Trim(key, "[]"))[mode])
		if err != nil {
			t.Fatal(err)
		}
		if c >= lo && c < hi {
			out[key] = row
		}
	}
	return out
}
