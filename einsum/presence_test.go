package einsum_test

import (
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
)

func TestUnlike(t *testing.T) {
	const inputs = "tensor E(0,0) { n pattern, v i64 }\ntensor A(0) { n pattern, v i64 }\n"
	for _, c := range []struct {
		query string
		want  int
	}{
		{"T(i) = n: or(j) E.n(i,j) | v: sum(k) E.v(i,k)", 0},
		{"T(i) = n: or(j) E.n(i,j) | v: sum(k) E.v(k,i)", 1},
		{"T(i) = n: or(j) and(E.n(i,j), A.n(j)) | v: sum(j) E.v(i,j) * A.v(j) | w: sum(j) E.v(i,j)", 2},
		{"T(i) = n: and(A.n(i), (or(j) E.n(i,j))) | v: sum(j) A.v(i) * E.v(i,j) | w: A.v(i) * (max(k) E.v(i,k)) * (sum(l) E.v(i,l))", 0},
		{"T() = n: or(i,j,k) and(E.n(i,j), E.n(j,k)) | v: sum(j) (sum(i) E.v(i,j)) * (sum(k) E.v(j,k))", 0},
		{"T(i) = n: or(A.n(i), (or(j) E.n(i,j))) | v: (sum(j) E.v(i,j)) + A.v(i) * 2", 0},
		{"T(i) = n: A.n(i) | v: (sum(j) E.v(i,j)) + A.v(i)", 1},
		{"T(i) = n: A.n(i) | v: if0((sum(j) E.v(i,j)), A.v(i))", 0},
		{"T(i,j) = n: and(E.n(i,j), (i < j)) | v: E.v(i,j) * (i < j) | w: E.v(i,j)", 2},
	} {
		p, err := einsum.Parse(inputs + c.query)
		if err == nil {
			err = p.Check()
		}
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if got := p.Queries[0].Unlike(); got != c.want {
			t.Errorf("%s: %d, want %d", c.query, got, c.want)
		}
	}
}

// TestUnlikeRandom: programs whose leaves have one presence by the way they are made.
func TestUnlikeRandom(t *testing.T) {
	for seed := range uint64(2000) {
		p, _ := interp.RandomProgram(rand.New(rand.NewPCG(seed, 1)), interp.RandomOptions{Wide: seed%2 == 0})
		for _, q := range p.Queries {
			if l := q.Unlike(); l != 0 {
				t.Fatalf("seed %d: leaf %s of\n%s", seed, q.Leaves[l].Name, q)
			}
		}
	}
}
