package bench

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
)

// The graph is the same on every machine, or figures of two could not be compared.
func TestRMATIsReproducible(t *testing.T) {
	var out bytes.Buffer
	if err := writeRMAT(&out, 10, rmatEdgeFactor, rmatSeed); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1+16<<10 {
		t.Errorf("%d lines", lines)
	}
	h := fnv.New64a()
	h.Write(out.Bytes())
	if got := fmt.Sprintf("%x", h.Sum64()); got != "22940daa754833ef" {
		t.Errorf("hash %s", got)
	}
}

func TestRMATTable(t *testing.T) {
	ctx := context.Background()
	db, err := openDatabase(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := (rmatGraph{scale: 8, edgeFactor: rmatEdgeFactor}).load(ctx, db); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		"SELECT count(*) FROM edge WHERE src = dst OR src NOT BETWEEN 0 AND 255":              "0",
		"SELECT count(*) - count(DISTINCT (src, dst)) FROM edge":                              "0",
		"SELECT count(*) FROM (SELECT src, dst FROM edge EXCEPT SELECT dst, src FROM edge) e": "0",
		"SELECT count(*) > 2000 FROM edge":                                                    "1",
		"SELECT max(n) > 5 * avg(n) FROM (SELECT count(*) AS n FROM edge GROUP BY src) d":     "1", // skew
	} {
		if got, err := db.scalar(ctx, sql); err != nil || got != want {
			t.Errorf("%s: %s, want %s, error %v", sql, got, want, err)
		}
	}
}
