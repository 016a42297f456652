package exec

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// randomOutput has the coordinates below dim that keep admits, in chunks of
// random sizes, with a leaf of every type.
func randomOutput(rng *rand.Rand, dim int, keep func(k int) bool) *output {
	m := &meter{}
	o := &output{env: &env{ctx: context.Background(), meter: m}, dims: []int{dim}, names: []string{"p", "i", "w", "f"}}
	o.accs = []accumulator{
		patternAcc{}, &valueAcc[int64]{typ: semiring.I64}, &valueAcc[semiring.Int128]{typ: semiring.I128}, &valueAcc[float64]{typ: semiring.F64},
	}
	var c *outChunk
	for k := range dim {
		if !keep(k) {
			continue
		}
		if c == nil || c.n == c.cap {
			c = &outChunk{cap: 1 + rng.IntN(9), coords: make([][]fibers.Coord, 1)}
			for l, a := range o.accs {
				c.leaves = append(c.leaves, fibers.NewLeaf(o.names[l], a.elem(), 0))
			}
			o.chunks = append(o.chunks, c)
			m.hold(int64(c.cap) * o.entryBytes())
		}
		c.coords[0] = append(c.coords[0], fibers.Coord(k))
		c.leaves[1].I64 = append(c.leaves[1].I64, rng.Int64())
		c.leaves[2].I128 = append(c.leaves[2].I128, semiring.Int128{Hi: rng.Int64(), Lo: rng.Uint64()})
		c.leaves[3].F64 = append(c.leaves[3].F64, rng.Float64())
		c.n++
		o.n++
	}
	return o
}

// TestFlat compares the tensors of one mode that are made straight from chunks
// with those that COO.Tensor makes of the same entries.
func TestFlat(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 4))
	keeps := map[string]func(k int) bool{
		"all":   func(int) bool { return true },
		"none":  func(int) bool { return false },
		"some":  func(int) bool { return rng.IntN(3) == 0 },
		"most":  func(int) bool { return rng.IntN(50) > 0 },
		"first": func(k int) bool { return k < 10 },
	}
	for name, keep := range keeps {
		for _, kind := range []format.Kind{format.Dense, format.Bytemap, format.SparseList} {
			for range 20 {
				o := randomOutput(rng, rng.IntN(100), keep)
				entries := *o
				entries.chunks = append([]*outChunk(nil), o.chunks...)
				coo, err := entries.join(ctx)
				if err != nil {
					t.Fatal(err)
				}
				want, err := coo.Tensor(ctx, []int{0}, []format.Kind{kind})
				if err != nil {
					t.Fatal(err)
				}
				o.env.meter = &meter{}
				for _, c := range o.chunks {
					o.env.meter.hold(int64(c.cap) * o.entryBytes())
				}
				if _, ok := flatKind([]format.Kind{kind}); !ok {
					t.Fatalf("kind %v is not laid out from chunks", kind)
				}
				if kind != format.SparseList {
					samePlaced(t, name, rng, o, kind, want)
				}
				got, err := o.flat(ctx, kind)
				if err != nil {
					t.Fatal(err)
				}
				sameLayout(t, name, got, want)
				if held := o.env.meter.bytes.Load(); held < got.Bytes()-8 || held > got.Bytes() {
					t.Errorf("%s %v: %d bytes accounted for, the tensor has %d", name, kind, held, got.Bytes())
				}
			}
		}
	}
}

// samePlaced compares what chunks give that are written to their places, in any
// order.
func samePlaced(t *testing.T, name string, rng *rand.Rand, o *output, kind format.Kind, want *fibers.Tensor) {
	t.Helper()
	w := &worker{entries: &nest{env: &env{meter: &meter{}}, sink: &sink{group: 1}}}
	out := *o
	out.env, out.chunks, out.n = w.entries.env, nil, 0
	w.entries.sink.out = &out
	b := &binder{step: &physical.Step{Output: physical.Output{Formats: []format.Kind{kind}}}}
	c := &crew{binder: b, entries: b, workers: []*worker{w}}
	c.place([]morsel{{to: []fibers.Coord{3}}, {from: []fibers.Coord{3}}})
	for _, i := range rng.Perm(len(o.chunks)) {
		out.placed.take(o.chunks[i])
	}
	out.n = o.n
	got, err := out.tensor(context.Background(), []format.Kind{kind})
	if err != nil {
		t.Fatal(err)
	}
	sameLayout(t, name+", placed", got, want)
	if held := out.env.meter.bytes.Load(); held < got.Bytes()-8 || held > got.Bytes() {
		t.Errorf("%s %v: %d bytes accounted for, the tensor has %d", name, kind, held, got.Bytes())
	}
}

func sameLayout(t *testing.T, name string, got, want *fibers.Tensor) {
	t.Helper()
	got, want = withoutEmpty(got), withoutEmpty(want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n%+v, want\n%+v", name, got, want)
	}
}

// withoutEmpty makes empty columns nil: who reads them cannot tell.
func withoutEmpty(t *fibers.Tensor) *fibers.Tensor {
	out := *t
	out.Leaves = append([]fibers.Leaf(nil), t.Leaves...)
	for l := range out.Leaves {
		leaf := &out.Leaves[l]
		leaf.I64, leaf.I128, leaf.F64 = orNil(leaf.I64), orNil(leaf.I128), orNil(leaf.F64)
	}
	switch level := t.Levels[0].(type) {
	case *fibers.SparseListLevel:
		out.Levels = []fibers.Level{&fibers.SparseListLevel{Ptr: level.Ptr, Idx: orNil(level.Idx)}}
	case *fibers.BytemapLevel:
		same := *level
		same.Idx, same.Present = orNil(level.Idx), orNil(level.Present)
		out.Levels = []fibers.Level{&same}
	}
	return &out
}

func orNil[T any](v []T) []T {
	if len(v) == 0 {
		return nil
	}
	return v
}
