package main

import (
	"strings"
	"testing"
)

func TestTensorProgram(t *testing.T) {
	edges := makeFile(t, "E.txt", "1 2\n2 1\n2 3\n3 2\n1 3\n3 1\n3 4\n4 3\n")
	weights := makeFile(t, "W.csv", "i,j,w\n0,1,2.5\n1,2,4\n0,2,9\n")
	triangles := `tensor E(0,0) { n pattern }
		D(i) = n: or(j) E.n(i,j) | d: sum(j) E.n(i,j)
		T() = n: or(i,j,k) and(E.n(i,j), E.n(j,k), E.n(k,i)) | v: sum(i,j,k) E.n(i,j) * E.n(j,k) * E.n(k,i)`
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{triangles, "E=" + edges}, "v\n6\n"},
		{[]string{triangles, "E=" + edges, "--outputs", "D"}, "i,d\n1,2\n2,2\n3,3\n4,1\nv\n6\n"},
		// Distances: an edge, or the best of two; then the greatest of each source's.
		{[]string{`tensor W(0,0) { n pattern, w f64 }
			P(i,j) = n: or(k) and(W.n(i,k), W.n(k,j)) | w: min(k) plus(W.w(i,k), W.w(k,j))
			S(i,j) = n: or(W.n(i,j), P.n(i,j)) | w: min(W.w(i,j), P.w(i,j))
			F(i) = n: or(j) S.n(i,j) | w: max(j) S.w(i,j)`, "W=" + weights, "--outputs", "S"}, "i,j,w\n0,1,2.5\n0,2,6.5\n1,2,4\ni,w\n0,6.5\n1,4\n"},
		// Nested aggregates and functions.
		{[]string{`tensor W(0,0) { n pattern, w f64 }
			N(i) = n: or(j) W.n(i,j) | r: sqrt(sum(j) W.w(i,j) * W.w(i,j)) | m: (sum(j) W.w(i,j)) - (min(l) W.w(i,l))`, "W=" + weights}, "i,r,m\n0,9.340770846134703,9\n1,4,0\n"},
		{[]string{`tensor W(0,0) { n pattern, w f64 } R(j) = n: W.n(0,j)`, "W=" + weights}, "j,n\n1,1\n2,1\n"},
	} {
		args := append([]string{"tensor", "--format", "csv"}, tt.args...)
		if got, err := trireme(t, "", args...); err != nil || got != tt.want {
			t.Errorf("%v: %v\n%s\nwant\n%s", tt.args, err, got, tt.want)
		}
	}
	if got, err := trireme(t, triangles, "tensor", "-", "E="+edges, "--explain"); err != nil || !strings.Contains(got, "PHYSICAL PLAN") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestTensorRefuses(t *testing.T) {
	weights := makeFile(t, "W.csv", "i,j,w\n0,1,2.5\n")
	words := makeFile(t, "words.csv", "i,j,w\na,b,2.5\n")
	program := "tensor W(0,0) { n pattern, w f64 } R(i) = n: or(j) W.n(i,j)"
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"tensor W(0,0) { n pattern } R(i) = ", "W=" + weights}, "line 1"},
		{[]string{program}, "W has no file"},
		{[]string{program, "W"}, "not NAME=FILE"},
		{[]string{program, "V=" + weights}, "declares no tensor V"},
		{[]string{program, "W=" + words}, "no integer"},
		{[]string{"tensor W(0) { n pattern, w f64 } R(i) = n: W.n(i)", "W=" + weights}, "3 columns"},
		{[]string{"tensor W(0,0) { n pattern, w i64 } R(i) = n: or(j) W.n(i,j)", "W=" + weights}, "no integer"},
		{[]string{program, "W=" + weights, "--outputs", "Q"}, "no query Q"},
		{[]string{"tensor W(0,0) { n pattern, w f64 } R(i) = n: or(j) W.n(i,k)", "W=" + weights}, "occurs in no access"},
	} {
		if _, err := trireme(t, "", append([]string{"tensor"}, tt.args...)...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v; want %q", tt.args, err, tt.want)
		}
	}
}
