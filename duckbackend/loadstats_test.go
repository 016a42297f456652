package duckbackend

import (
	"fmt"
	"testing"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// keyedLoad reads rows of t with v under a parameter, keyed by a and b.
func keyedLoad() *load.Spec {
	return &load.Spec{
		Table: table("t"),
		Keys: []load.Key{
			{Expr: `"a"`, Type: typ(rows.Integer)},
			{RowIndex: true},
			{Expr: `"b"`, Type: typ(rows.Varchar), Null: load.KeepNull},
		},
		Where:  `("v" < $1)`,
		Params: []load.Param{{Type: typ(rows.Integer), Text: "10"}},
	}
}

func TestLoadStats(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE t(a INT, b VARCHAR, v INT);
		INSERT INTO t VALUES (1, 'x', 1), (2, 'x', 2), (9, NULL, 3), (NULL, 'y', 4), (7, 'z', 10), (2, 'y', 5)`)
	n, keys, err := c.LoadStats(ctx, keyedLoad())
	if err != nil || n != 4 || len(keys) != 2 {
		t.Fatalf("%d rows, %d keys, %v", n, len(keys), err)
	}
	if a := keys[0]; a.Distinct != 3 || a.Nulls != 0 || a.Min.String() != "1" || a.Max.String() != "9" {
		t.Errorf("a: %+v", a)
	}
	if b := keys[1]; b.Distinct != 2 || b.Nulls != 1 || b.HasRange {
		t.Errorf("b: %+v", b)
	}
}

func TestCommonValues(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE t(a INT, b VARCHAR, v INT);
		INSERT INTO t SELECT i % 3, CASE WHEN i % 2 = 0 THEN 'x''' END, i FROM range(20) r(i)`)
	for _, tt := range []struct {
		key, limit int
		want       string
	}{
		{0, 9, "[{0 4} {1 3} {2 3}]"},
		{0, 2, "[{0 4} {1 3}]"},
		{2, 9, "[{x' 5}]"}, // NULL is no value
	} {
		got, err := c.CommonValues(ctx, keyedLoad(), tt.key, tt.limit)
		if err != nil || fmt.Sprint(got) != tt.want {
			t.Errorf("key %d: %v %v, want %s", tt.key, got, err, tt.want)
		}
	}
}

func TestDeclaredKeys(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE t("a b" INT, c INT UNIQUE, d INT NOT NULL, e INT CHECK (e > 0), PRIMARY KEY (d, "a b"), UNIQUE (c, e));
		CREATE TABLE u(a INT PRIMARY KEY); CREATE TABLE w(a INT)`)
	for name, want := range map[string]string{
		"t": "[{[c] false} {[d a b] true} {[c e] false}]",
		"u": "[{[a] true}]",
		"w": "[]",
	} {
		got, err := c.DeclaredKeys(ctx, table(name))
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v %v, want %s", name, got, err, want)
		}
	}
}

// TestUnique: NULL equals NULL, and an expression that fails on a row is an error.
func TestUnique(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE t(a INT, b INT, s VARCHAR);
		INSERT INTO t VALUES (1, 1, '1'), (1, 2, '2'), (2, 2, '3'), (3, NULL, 'x'), (NULL, NULL, '5'), (NULL, 7, '6')`)
	for _, tt := range []struct {
		exprs []string
		want  bool
	}{
		{[]string{`"s"`}, true},
		{[]string{`"a"`}, false},
		{[]string{`"a"`, `"b"`}, true},
		{[]string{`"b"`}, false}, // 2 and NULL occur twice
		{[]string{`"a" IS NULL`, `"b"`}, false},
	} {
		if got, err := c.Unique(ctx, table("t"), tt.exprs); err != nil || got != tt.want {
			t.Errorf("%v: %t, %v", tt.exprs, got, err)
		}
	}
	if unique, err := c.Unique(ctx, table("t"), []string{`CAST("s" AS INTEGER)`}); unique || err == nil {
		t.Errorf("a cast that fails: %t, %v", unique, err)
	}
}
