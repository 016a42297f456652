package logical

import (
	"testing"

	"github.com/trireme-db/trireme/einsum"
)

func TestBefore(t *testing.T) {
	const inputs = "tensor A(0,1) { n pattern, x f64 }\ntensor B(1,2) { n pattern, y f64 }\n"
	i, j, k := einsum.Index{Name: "i", Domain: 0}, einsum.Index{Name: "j", Domain: 1}, einsum.Index{Name: "k", Domain: 2}
	for _, c := range []struct {
		text   string
		v, w   einsum.Index
		before bool
	}{
		{"R() = n: sum(i) (sum(j) A.n(i,j)) | m: max(i) (sum(j) A.x(i,j))", j, i, true},
		{"R() = n: sum(i) (sum(j) A.n(i,j)) | m: max(i) (sum(j) A.x(i,j))", i, j, false},
		{"R() = n: sum(i) (sum(j) A.n(i,j)) | m: sum(i) (sum(j) A.x(i,j))", j, i, false},
		{"R() = n: sum(i) (sum(j) A.n(i,j)) | m: sum(i) sqrt(sum(j) A.x(i,j))", j, i, true},
		{"S(i,k) = n: sum(j) A.n(i,j) * B.n(j,k) | m: max(j) A.x(i,j) * B.y(j,k)\nT(k) = n: sum(i) S.n(i,k) | s: sum(i) S.m(i,k)\nR() = n: sum(k) T.n(k) | m: max(k) T.s(k)", j, k, true},
		{"S(i) = n: sum(j) A.n(i,j)\nR() = n: sum(j,k) B.n(j,k)", j, k, false},
	} {
		p, err := einsum.Parse(inputs + c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		normal, err := Normalize(p)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := newPrecedence(normal.Queries).before(c.v, c.w); got != c.before {
			t.Errorf("%s: %s before %s: %v\n%s", c.text, c.v.Name, c.w.Name, got, normal)
		}
	}
}
