package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEinsumFiles(t *testing.T) {
	a := makeFile(t, "A.tns", "1 1 1 2.5\n1 2 3 1\n2 2 1 4\n")
	b := makeFile(t, "B.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 2\n1 2 1\n3 1 5\n2 2 9\n")
	c := makeFile(t, "C.csv", "x,y,v\n1,1,3\n2,1,4\n")
	e := makeFile(t, "E.txt.gz", "1 2\n2 3\n3 1\n")
	out := filepath.Join(t.TempDir(), "R.")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"ijk,kl->ijl", a, b}, "i,j,l,value\n1,1,1,5\n1,1,2,2.5\n1,2,1,5\n2,2,1,8\n2,2,2,4\n"},
		{[]string{"ijk,kl->ijl", a, b, "--semiring", "max_plus"}, "i,j,l,value\n1,1,1,4.5\n1,1,2,3.5\n1,2,1,6\n2,2,1,6\n2,2,2,5\n"},
		{[]string{"ij,jk->ik", b, c}, "i,k,value\n1,1,10\n2,1,36\n3,1,15\n"},
		{[]string{"ab,bc,ca->", e, e, e, "--semiring", "count"}, "value\n3\n"},
		{[]string{"from via, via to -> from to", e, e}, "from,to,value\n1,3,1\n2,1,1\n3,2,1\n"},
		{[]string{"ijk,kl->ijl", a, b, "--out", out + "tns"}, ""},
		{[]string{"ij,jk->ik", b, b, "--out", out + "mtx"}, ""},
		{[]string{"ij,jk->ik", b, c, "--out", out + "csv"}, ""},
		{[]string{"ij,jk->ik", b, c, "--out", out + "parquet"}, ""},
		{[]string{"ijk->", out + "tns"}, "value\n24.5\n"},
		{[]string{"ij->", out + "mtx"}, "value\n111\n"},
		{[]string{"ij->", out + "csv"}, "value\n61\n"},
		{[]string{"ij->", out + "parquet"}, "value\n61\n"},
	} {
		args := append([]string{"einsum", "--format", "csv"}, tt.args...)
		if got, err := trireme(t, "", args...); err != nil || got != tt.want {
			t.Errorf("%v: %v\n%s\nwant\n%s", tt.args, err, got, tt.want)
		}
	}
	if text, err := os.ReadFile(out + "mtx"); err != nil || string(text) != "%%MatrixMarket matrix coordinate real general\n3 2 5\n1 1 4\n1 2 11\n2 2 81\n3 1 10\n3 2 5\n" {
		t.Errorf("%s, %v", text, err)
	}
	if got, err := trireme(t, "", "einsum", "ijk,kl->ijl", a, b, "--explain"); err != nil || !strings.Contains(got, "PHYSICAL PLAN") {
		t.Errorf("%s, %v", got, err)
	}
}

// TestEinsumSQL: the printed SQL gives what the command gives.
func TestEinsumSQL(t *testing.T) {
	a := makeFile(t, "A.tns", "1 1 1 2.5\n1 2 3 1\n2 2 1 4\n")
	c := makeFile(t, "C.csv", "x,y,v\n1,1,3\n2,1,4\n")
	args := []string{"einsum", "ijk,kl,ml->im", a, c, c, "--format", "csv"}
	want, err := trireme(t, "", args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"--sql", "--inline"}, {"--sql", "--inline", "--flat"}, {"--sql", "--inline", "--materialized"}} {
		sql, err := trireme(t, "", append(args, flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := trireme(t, "", "query", "--format", "csv", "SELECT * FROM ("+sql+") ORDER BY ALL"); err != nil || got != want {
			t.Errorf("%v: %v\n%s\ngives\n%s\nwant\n%s", flags, err, sql, got, want)
		}
	}
	sql, err := trireme(t, "", append(args, "--sql")...)
	if err != nil || strings.Contains(sql, "VALUES") || strings.Count(sql, "SELECT") != 3 || !strings.Contains(sql, `"A" AS t1`) {
		t.Errorf("%s, %v", sql, err)
	}
}

func TestEinsumRefuses(t *testing.T) {
	a := makeFile(t, "A.tns", "1 1 1 2.5\n")
	zero := makeFile(t, "zero.csv", "x,y,v\n0,1,3\n")
	words := makeFile(t, "words.csv", "x,y,v\none,two,3\n")
	out := filepath.Join(t.TempDir(), "R.")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"ijk->iz", a}, "in no term"},
		{[]string{"ij->i", a}, "operand 1 has 3 modes"},
		{[]string{"ijk,i->i", a}, "1 operand"},
		{[]string{"ijk->i", a, "--semiring", "max"}, "no semiring"},
		{[]string{"ijk->i", "missing.tns"}, "missing.tns"},
		{[]string{"ijk->i", "missing.csv"}, "missing.csv"},
		{[]string{"ijk->i", "missing"}, "missing"},
		{[]string{"ijk->i", a, "--inline"}, "of --sql"},
		{[]string{"ijk->i", a, "--out", out + "doc"}, "does not say its format"},
		{[]string{"ijk->i", a, "--out", out + "mtx"}, "no matrix"},
		{[]string{"ijk->", a, "--out", out + "tns"}, "a scalar"},
		{[]string{"ij->ij", zero, "--out", out + "tns"}, "no integer from 1 on"},
		{[]string{"ij->ij", words, "--out", out + "mtx"}, "no integer from 1 on"},
		{[]string{"ijk->i", a, "--db", out + "db"}, "would become a table"},
	} {
		if _, err := trireme(t, "", append([]string{"einsum"}, tt.args...)...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v; want %q", tt.args, err, tt.want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); err != nil || len(left) > 1 { // the database
		t.Errorf("files are left: %v, %v", left, err)
	}
}
