package exec

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
)

// randomGraph has so many edges between n vertices, and two hubs that are joined
// with every vertex: rows of all lengths.
func randomGraph(tb testing.TB, rng *rand.Rand, n, edges int) *fibers.Tensor {
	seen := map[[2]int64]bool{}
	var src, dst []int64
	add := func(a, b int64) {
		if !seen[[2]int64{a, b}] {
			seen[[2]int64{a, b}] = true
			src, dst = append(src, a), append(dst, b)
		}
	}
	for range edges {
		add(rng.Int64N(int64(n)), rng.Int64N(int64(n)))
	}
	for v := range int64(n) {
		add(0, v)
		add(v, 1)
	}
	return graph(tb, src, dst)
}

// TestRowLoops runs counts over patterns by kernels that take rows and on the
// general path. Each form of a rowLoop is taken.
func TestRowLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 23))
	// The last graph's hubs are longer than gasUnits.
	for _, size := range [][2]int{{3, 4}, {40, 200}, {1500, 3000}, {gasUnits + 9, 1}} {
		e := randomGraph(t, rng, size[0], size[1])
		for _, c := range []struct {
			name, order, edges, out string
			ws                      format.Workspace
			kernel                  string
		}{
			{"total count", "ij", "ij", "", format.None, "count"},
			{"one entry per row", "ij", "ij", "i", format.None, "count"},
			{"total of probes", "ijk", "ij ik jk", "", format.None, "probe-count"},
			{"total per outer index", "ijk", "ij ik jk", "i", format.None, "probe-count"},
			{"entry per row of probes", "ijk", "ij ik jk", "ij", format.None, "probe-count"},
			{"slot of the row", "ijk", "ij ik jk", "j", format.DenseWorkspace, "probe-count"},
			{"hashed slot of the row", "ijk", "ij ik jk", "j", format.HashWorkspace, "probe-count"},
			{"fibers that stay meet", "ijkl", "ij ik il jk jl kl", "", format.None, "select+probe-count"},
			{"scattered counts", "ijk", "ij jk", "ik", format.DenseWorkspace, "scatter-accumulate"},
			{"scattered counts of all", "ijk", "ij jk", "k", format.DenseWorkspace, "scatter-accumulate"},
		} {
			if size[0] > gasUnits && len(c.order) > 2 && c.edges != "ij jk" {
				continue
			}
			step, in := pattern(e, c.order, c.edges, c.out, c.ws)
			fast, stats, err := RunStep(context.Background(), step, in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !stats.Rows || stats.Kernel != c.kernel {
				t.Errorf("%s: kernel %s, rows %v", c.name, stats.Kernel, stats.Rows)
			}
			general, want, err := RunStep(context.Background(), step, in, Options{NoRegistry: true})
			if err != nil {
				t.Fatal(err)
			}
			if want.Rows || stats.Cells != want.Cells {
				t.Errorf("%s: %d cells, want %d", c.name, stats.Cells, want.Cells)
			}
			sameTensor(t, &problem{step: step, dims: in.Dims}, fast, general)
		}
	}
}
