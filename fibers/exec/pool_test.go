package exec

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
)

// limited is an account that refuses more than a number of bytes.
type limited struct {
	held  atomic.Int64
	limit int64
}

func (l *limited) Hold(bytes int64) bool { return l.held.Add(bytes) <= l.limit }

// TestPool runs a step of several chunks again and again on one pool: answers
// stay, the second run has its chunks from the first, and what the account
// refuses is not kept.
func TestPool(t *testing.T) {
	e := completeGraph(t, 300)
	step, in := pattern(e, "ijk", "ij ik jk", "ij", format.None)
	for _, c := range []struct {
		name  string
		limit int64
		kept  bool
	}{{"room", 1 << 40, true}, {"no room", 1000, false}} {
		t.Run(c.name, func(t *testing.T) {
			account := &limited{limit: c.limit}
			pool := NewPool(account)
			var first []int64
			for run := range 4 {
				got, _, err := RunStep(t.Context(), step, in, Options{Pool: pool, Threads: 1 + run%2, Morsels: 3 * (run / 2)})
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = slices.Clone(got.Leaves[0].I64)
				} else if !slices.Equal(first, got.Leaves[0].I64) {
					t.Errorf("run %d has another answer", run)
				}
				if kept := pool.Bytes() > 0; kept != c.kept {
					t.Errorf("run %d: %d bytes kept", run, pool.Bytes())
				}
				if held := account.held.Load(); held != pool.Bytes() {
					t.Errorf("run %d: the account holds %d bytes, the pool %d", run, held, pool.Bytes())
				}
			}
			pool.Drop()
			if account.held.Load() != 0 {
				t.Errorf("%d bytes are held after all was dropped", account.held.Load())
			}
		})
	}
}
