package bench

import (
	"math"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// dense is a matrix with NaN where the table has no entry; vectors have one column.
type dense [][]float64

func readDense(t *testing.T, db *Database, sql string, rows, columns int) dense {
	t.Helper()
	out := make(dense, rows)
	for i := range out {
		out[i] = make([]float64, columns)
		for j := range out[i] {
			out[i][j] = math.NaN()
		}
	}
	for _, row := range texts(t, db, sql) {
		j := 0
		if len(row) == 3 {
			j = integer(t, row[1])
		}
		out[integer(t, row[0])][j] = float(t, row[len(row)-1])
	}
	return out
}

// each visits the entries of a matrix.
func (d dense) each(visit func(i, j int, a float64)) {
	for i := range d {
		for j, a := range d[i] {
			if !math.IsNaN(a) {
				visit(i, j, a)
			}
		}
	}
}

// outer is a cell of U H^T.
func outer(u, h dense, i, j int) (s float64) {
	for k := range u[i] {
		s += u[i][k] * h[j][k]
	}
	return s
}

// laTables are the matrices of the suite.
type laTables struct{ x, y, z, u, h, p, d, b, v, w, label dense }

// TestLA compares every case with loops over the matrices.
func TestLA(t *testing.T) {
	o := LAOptions{Rows: 60, Columns: 17, Rank: 3}
	s, err := LA(o)
	if err != nil {
		t.Fatal(err)
	}
	db := loaded(t, s)
	m, n := o.Rows, o.Columns
	l := &laTables{
		x: readDense(t, db, "SELECT i, j, a FROM x", m, n), y: readDense(t, db, "SELECT i, j, a FROM y", m, n),
		z: readDense(t, db, "SELECT i, j, a FROM z", m, n), u: readDense(t, db, "SELECT i, k, a FROM u", m, o.Rank),
		h: readDense(t, db, "SELECT j, k, a FROM h", n, o.Rank), p: readDense(t, db, "SELECT i, c, a FROM p", m, 5),
		d: readDense(t, db, "SELECT j, c, a FROM d", n, 5), b: readDense(t, db, "SELECT j, a FROM b", n, 1),
		v: readDense(t, db, "SELECT j, a FROM v", n, 1), w: readDense(t, db, "SELECT i, a FROM w", m, 1),
		label: readDense(t, db, "SELECT i, a FROM label", m, 1),
	}
	want := map[string]cells{}
	l.factors(want)
	l.regressions(want)
	l.products(want)
	checkShared(t, db, want)
	var single []Case // shared_input has two columns of floats
	for _, c := range s.Cases {
		if c.Name != "shared_input" {
			single = append(single, c)
		}
	}
	s.Cases = single
	checkCells(t, s, db, want)
}

// checkShared compares the case with two columns.
func checkShared(t *testing.T, db *Database, want map[string]cells) {
	t.Helper()
	row := texts(t, db, "SELECT * FROM ("+caseSQL(t, "shared_input")+") s")[0]
	if x := want["shared_input"]; !near(float(t, row[0]), x["xy"], 1e-9) || !near(float(t, row[1]), x["xz"], 1e-9) {
		t.Errorf("shared_input: %v, want %v", row, x)
	}
	delete(want, "shared_input")
}

func caseSQL(t *testing.T, name string) string {
	t.Helper()
	text, err := laFiles.ReadFile("la/" + name + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseCase(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return c.SQL
}

// factors computes the cases of factorisations.
func (l *laTables) factors(want map[string]cells) {
	loss, update, sum, log, quotient, outerLog := cells{}, cells{}, cells{}, cells{}, cells{}, cells{}
	for i := range l.u {
		for j := range l.h {
			uh, x := outer(l.u, l.h, i, j), l.x[i][j]
			stored := !math.IsNaN(x)
			if !stored {
				x = 0
			}
			loss.add((x - uh) * (x - uh))
			sum.add(uh)
			log.add(uh)
			if stored {
				log.add(-x * math.Log(uh))
				outerLog.add(x * math.Log(uh+1e-15))
			}
			for k := range l.h[j] {
				update.add((uh-x)*l.h[j][k], i, k)
				if stored {
					quotient.add(x/uh*l.h[j][k], i, k)
				}
			}
		}
	}
	want["als_loss"], want["als_update"], want["pnmf_sum"], want["pnmf_loss"], want["pnmf_update"] = loss, update, sum, log, quotient
	want["outer_log"], want["outer_log_dense"] = outerLog, outerLog
}

// times is X by a vector, and whether a row of X has entries.
func (l *laTables) times(v dense) (out []float64, has []bool) {
	out, has = make([]float64, len(l.x)), make([]bool, len(l.x))
	l.x.each(func(i, j int, a float64) { out[i], has[i] = out[i]+a*v[j][0], true })
	return out, has
}

// regressions computes the cases of regressions and classifications.
func (l *laTables) regressions(want map[string]cells) {
	mlr, glm, loss, gradient := cells{}, cells{}, cells{}, cells{}
	q, total := make([][5]float64, len(l.x)), make([]float64, len(l.x))
	l.x.each(func(i, j int, a float64) {
		for c := range q[i] {
			q[i][c] += l.p[i][c] * a * l.d[j][c]
			total[i] += l.p[i][c] * a * l.d[j][c]
		}
	})
	eta, _ := l.times(l.b)
	xv, has := l.times(l.v)
	slack := make([]float64, len(l.x))
	for i := range slack {
		slack[i] = max(1-l.label[i][0]*xv[i], 0)
		if has[i] {
			loss.add(slack[i] * slack[i] / 2)
		}
	}
	l.x.each(func(i, j int, a float64) {
		for c := range q[i] {
			mlr.add(a*(q[i][c]-l.p[i][c]*total[i]), j, c)
		}
		glm.add(a*l.w[i][0]*math.Exp(eta[i])*xv[i], j)
		gradient.add(a*l.label[i][0]*slack[i], j)
	})
	want["mlr"], want["glm"], want["svm_loss"], want["svm_gradient"] = mlr, glm, loss, gradient
}

// products computes the cases of element-wise and matrix products.
func (l *laTables) products(want map[string]cells) {
	triple, shared, chain := cells{}, cells{"xy": 0, "xz": 0}, cells{}
	xv, _ := l.times(l.v)
	l.x.each(func(i, j int, a float64) {
		chain.add(a*xv[i], j)
		y, z := l.y[i][j], l.z[i][j]
		if !math.IsNaN(y) {
			shared["xy"] += a * y
		}
		if !math.IsNaN(z) {
			shared["xz"] += a * z
		}
		if !math.IsNaN(y) && !math.IsNaN(z) {
			triple.add(a * y * z)
		}
	})
	want["triple_product"], want["shared_input"], want["xtxv"], want["xtxv_flat"] = triple, shared, chain, chain
}

func TestLAErrors(t *testing.T) {
	for _, o := range []LAOptions{{}, {Rows: 10, Columns: 10}, {Rows: 10, Columns: laRowsMax + 1, Rank: 1}, {Rows: -1, Columns: 5, Rank: 5}} {
		if _, err := LA(o); err == nil || !strings.Contains(err.Error(), "must be between 1 and") || sqlerr.From(err).Code != sqlerr.InvalidParameter {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
