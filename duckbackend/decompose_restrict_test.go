package duckbackend

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// labels is a load of labelled vertices over the columns of an edge table.
func labels() *load.Spec {
	return &load.Spec{
		Name: "V", Table: table("edge"),
		Keys:   []load.Key{{Expr: `"src"`, Type: typ(rows.Integer)}, {Expr: `"w"`, Type: typ(rows.Integer)}},
		Leaves: []load.Leaf{{Name: "n", Moment: load.Rows}},
	}
}

const labelled = "tensor E(0,0) { n i64 }\ntensor V(0,1) { n i64 }\n"

// TestDecomposeRestrictedText fixes how a labelled pattern reads: constants are
// conditions of loads, equal restrictions are made once, and the step that has a
// cycle of four is joined in the order written.
func TestDecomposeRestrictedText(t *testing.T) {
	plan := parsePlan(t, labelled+"R() = n: sum(i,j,k,l) E.n(i,j)*E.n(j,k)*E.n(k,l)*E.n(l,i)*V.n(i,7)*V.n(k,7)")
	steps, err := Decompose(plan, []*load.Spec{edge(load.DropNull), labels()})
	if err != nil {
		t.Fatal(err)
	}
	const want = `-- E
CREATE TEMP TABLE "E" AS
SELECT "src" AS k0,
  "dst" AS k1,
  CAST(count(*) AS HUGEINT) AS "n"
FROM "trireme"."main"."edge"
WHERE ("src") IS NOT NULL AND ("dst") IS NOT NULL
GROUP BY 1, 2;
-- V
CREATE TEMP TABLE "V" AS
SELECT "src" AS k0,
  CAST(count(*) AS HUGEINT) AS "n"
FROM "trireme"."main"."edge"
WHERE ("src") IS NOT NULL AND ("w") IS NOT NULL AND ("w") = (7)
GROUP BY 1;
-- E_2
CREATE TEMP TABLE "E_2" AS
SELECT a.*
FROM "E" AS a
SEMI JOIN "V" AS b1 ON b1.k0 = a.k0;
-- E_3
CREATE TEMP TABLE "E_3" AS
SELECT a.*
FROM "E" AS a
SEMI JOIN "V" AS b1 ON b1.k0 = a.k1
SEMI JOIN "E_2" AS b2 ON b2.k1 = a.k0;
-- setting
PRAGMA disable_optimizer;
-- R
SELECT coalesce(sum((a1."n" * a2."n" * a3."n" * a4."n" * a5."n" * a6."n")), 0) AS "n"
FROM "E_2" AS a1
JOIN "V" AS a5 ON a5.k0 = a1.k0
JOIN "E_3" AS a2 ON a2.k0 = a1.k1
JOIN "V" AS a6 ON a6.k0 = a2.k1
JOIN "E_2" AS a3 ON a3.k0 = a2.k1
JOIN "E_3" AS a4 ON a4.k1 = a1.k0 AND a4.k0 = a3.k1
HAVING count(*) > 0;
`
	if got := printSteps(steps); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestDecomposeMeasures: where operands are restricted and joins ordered, and
// where neither may or need be.
func TestDecomposeMeasures(t *testing.T) {
	for _, tc := range []struct {
		name, plan          string
		restricted, ordered bool
	}{
		{"two operands", "R() = n: sum(i,j) E.n(i,j)*V.n(j,7)", false, false},
		{"labels around one operand", "R() = n: sum(i,j) E.n(i,j)*V.n(i,6)*V.n(j,7)", false, false},
		{"labelled path", "R() = n: sum(i,j,k) E.n(i,j)*E.n(j,k)*V.n(k,7)", true, false},
		{"path without labels", "R() = n: sum(i,j,k,l) E.n(i,j)*E.n(j,k)*E.n(k,l)", false, false},
		{"constant end", "R() = n: sum(j,k,l) E.n(1,j)*E.n(j,k)*E.n(k,l)", true, false},
		{"triangle", "R() = n: sum(i,j,k) E.n(i,j)*E.n(j,k)*E.n(k,i)", false, false},
		{"cycle of four", "R() = n: sum(i,j,k,l) E.n(i,j)*E.n(j,k)*E.n(k,l)*E.n(l,i)", false, true},
		{"triangle with a tail", "R() = n: sum(i,j,k,l) E.n(i,j)*E.n(j,k)*E.n(k,i)*E.n(l,i)", false, true},
		{"step over a label", "T(i,j) = n: E.n(i,j)*V.n(i,7)\nR() = n: sum(i,j,k) T.n(i,j)*E.n(j,k)*E.n(k,i)", true, false},
		{"step over no label", "T(i,j) = n: sum(k) E.n(i,k)*E.n(k,j)\nR() = n: sum(i,j,k) T.n(i,j)*E.n(j,k)*E.n(k,i)", false, false},
		{
			// To restrict an operand that may be absent, or others by it, would lose i.
			"operand that may be absent", "R() = n: sum(i,j,k) E.n(i,j)*E.n(j,k)*if0(V.n(k,7),1)", false, false,
		},
	} {
		steps, err := Decompose(parsePlan(t, labelled+tc.plan), []*load.Spec{edge(load.DropNull), labels()})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		text := printSteps(steps)
		if got := strings.Contains(text, "SEMI JOIN"); got != tc.restricted {
			t.Errorf("%s: restricted %v\n%s", tc.name, got, text)
		}
		if got := strings.Contains(text, "PRAGMA disable_optimizer"); got != tc.ordered {
			t.Errorf("%s: ordered %v\n%s", tc.name, got, text)
		}
	}
}

// randomPattern makes a program that joins edges of few indices, some at
// constants, with labels, comparisons, an operand that may be absent and a step
// that others read.
func randomPattern(rng *rand.Rand) string {
	const names = "ijkl"
	n := 3 + rng.IntN(2)
	index := func() string { return names[rng.IntN(n):][:1] }
	used := map[string]bool{}
	var factors []string
	access := func(tensor string) {
		x, y := index(), index()
		if rng.IntN(8) == 0 {
			y = fmt.Sprint(rng.IntN(4))
		} else {
			used[y] = true
		}
		used[x] = true
		factors = append(factors, fmt.Sprintf("%s.%s(%s,%s)", tensor, []string{"n", "s"}[rng.IntN(2)], x, y))
	}
	for range 4 + rng.IntN(3) {
		access([]string{"E", "E", "T"}[rng.IntN(3)])
	}
	for range rng.IntN(3) {
		x := index()
		used[x] = true
		factors = append(factors, fmt.Sprintf("V.n(%s,%d)", x, rng.IntN(3)))
	}
	var idxs []string
	for _, x := range strings.Split(names, "") {
		if used[x] {
			idxs = append(idxs, x)
		}
	}
	if len(idxs) > 1 && rng.IntN(3) == 0 {
		factors = append(factors, "("+idxs[0]+"<"+idxs[1]+")")
	}
	if rng.IntN(4) == 0 {
		factors = append(factors, "if0(V.n("+idxs[0]+",1),2)")
	}
	body := strings.Join(factors, "*")
	free := rng.IntN(min(2, len(idxs)))
	reduce := strings.Join(idxs[free:], ",")
	return fmt.Sprintf("tensor E(0,0) { n i64, s i64 }\ntensor V(0,1) { n i64 }\n"+
		"T(i,j) = n: E.n(i,j)*V.n(j,1) | s: E.s(i,j)*V.n(j,1)\n"+
		"R(%s) = n: sum(%s) %s | m: max(%s) %s", strings.Join(idxs[:free], ","), reduce, body, reduce, body)
}

// randomGraph makes data of an input of randomPattern; NULL is a vertex.
func randomGraph(rng *rand.Rand, leaves ...string) *interp.Tensor {
	out := &interp.Tensor{Leaves: leaves}
	for x := range int64(5) {
		for y := range int64(4) {
			if rng.IntN(2) == 0 {
				continue
			}
			e := interp.Entry{Coord: []interp.Value{interp.Int(x), interp.Int(y)}}
			if x == 4 {
				e.Coord[0] = interp.Null()
			}
			if y == 3 && len(leaves) > 1 {
				e.Coord[1] = interp.Null()
			}
			for l := range leaves {
				e.Leaves = append(e.Leaves, interp.NumInt(1+int64(l)*int64(rng.IntN(7)-4)))
			}
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

// storeGraph stores a tensor whose keys are all integers; storeTensor makes text of
// those of the second domain.
func storeGraph(t *testing.T, c *Conn, in *einsum.Input, data *interp.Tensor) *load.Spec {
	spec := storeTensor(t, c, in, data)
	for m := range spec.Keys {
		spec.Keys[m].Expr = "CAST(" + spec.Keys[m].Expr + " AS BIGINT)"
		spec.Keys[m].Type = typ(rows.BigInt)
	}
	return spec
}

// TestDecomposeRandomPatterns holds restricted and ordered joins against the
// meaning of their programs.
func TestDecomposeRandomPatterns(t *testing.T) {
	programs := uint64(150)
	if testing.Short() {
		programs = 30
	}
	db := openMemory(t)
	c := openConn(t, db)
	ran, restricted, ordered, nonEmpty := 0, 0, 0, 0
	for seed := range programs {
		rng := rand.New(rand.NewPCG(seed, 17))
		p, err := einsum.Parse(randomPattern(rng))
		if err != nil {
			t.Fatal(err)
		}
		data := map[string]*interp.Tensor{"E": randomGraph(rng, "n", "s"), "V": randomGraph(rng, "n")}
		var loads []*load.Spec
		for _, in := range p.Inputs {
			loads = append(loads, storeGraph(t, c, in, data[in.Name]))
		}
		plan := logical.FromProgram(p)
		steps, err := Decompose(plan, loads)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, plan)
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect := entriesText(want["R"])
		for _, conn := range []*Conn{c, nil}[:1+seed%2] {
			cur, err := db.RunDecomposed(ctx, conn, Run{Steps: steps})
			var got string
			if err == nil {
				got, err = drainErr(cur)
			}
			if lines := sortedLines(got); err != nil || !slices.Equal(lines, expect) {
				t.Fatalf("seed %d: got\n%s\nerror %v, want\n%s\n%s\n%s", seed, got, err, strings.Join(expect, "\n"), plan, printSteps(steps))
			}
		}
		ran++
		text := printSteps(steps)
		restricted += min(1, strings.Count(text, "SEMI JOIN"))
		ordered += min(1, strings.Count(text, "PRAGMA disable"))
		nonEmpty += min(1, len(expect))
	}
	t.Logf("%d programs: %d restricted, %d in order, %d not empty", ran, restricted, ordered, nonEmpty)
	if restricted < ran/2 || ordered < ran/6 || nonEmpty < ran/3 {
		t.Error("too few programs prove anything")
	}
}

// TestRunDecomposedSettings: a connection of the caller's keeps its optimizer,
// whose work EXPLAIN shows, and steps that set it are no tables.
func TestRunDecomposedSettings(t *testing.T) {
	db := openMemory(t)
	c := openConn(t, db)
	const folded = "EXPLAIN SELECT 1 AS a WHERE 1 = 2"
	before := query(t, c, folded)
	run := Run{Steps: []Step{
		{Name: "T", SQL: "CREATE TEMP TABLE T AS SELECT 1 AS a"},
		{Name: "setting", SQL: "PRAGMA disable_optimizer", Setting: true},
		{Name: "R", SQL: folded},
	}}
	for _, tc := range []struct {
		conn *Conn
		same bool
	}{{c, true}, {nil, false}} {
		cur, err := db.RunDecomposed(ctx, tc.conn, run)
		if got := drain(t, cur, err); (got == before) != tc.same {
			t.Errorf("own connection %v: plan\n%s", tc.conn == nil, got)
		}
	}
	if after := query(t, c, folded); after != before {
		t.Errorf("the connection's plan was\n%s\nand is\n%s", before, after)
	}
	if got := temporaryTables(t, c); got != "0\n" {
		t.Errorf("%s temporary tables left", got)
	}
}
