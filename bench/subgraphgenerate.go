package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// GenerateOptions say which query graphs Generate makes.
type GenerateOptions struct {
	// Graph is a folder with vertex.csv and edge.csv; empty: the package graph.
	Graph string
	// Seed: the same seed gives the same walks. Which of the patterns are kept also
	// hangs on Timeout.
	Seed uint64
	// Kinds are the kinds of patterns: sparse, dense, part; none: all.
	Kinds []string
	// Count is the number of patterns of each kind and number of vertices.
	Count int
	// Vertices are the numbers of vertices, from 4 to 12.
	Vertices []int
	// Timeout is for one count; a pattern that is not counted twice within it is drawn again.
	Timeout time.Duration
	Threads int
	Version string
	// Progress receives a line per set; nil: nobody asks.
	Progress io.Writer
}

// Bounds of GenerateOptions.
const (
	patternVerticesMin = 4
	patternVerticesMax = 12
	patternCountMax    = 1000
)

// walksMax is how many walks are tried for one pattern.
const walksMax = 200_000

func (o *GenerateOptions) check() error {
	switch {
	case o.Count < 1 || o.Count > patternCountMax:
		return sqlerr.New(sqlerr.InvalidParameter, "the number of queries must be between 1 and %d, not %d", patternCountMax, o.Count)
	case len(o.Vertices) == 0:
		return sqlerr.New(sqlerr.InvalidParameter, "no number of vertices is named")
	case slices.Min(o.Vertices) < patternVerticesMin || slices.Max(o.Vertices) > patternVerticesMax:
		return sqlerr.New(sqlerr.InvalidParameter, "query graphs have between %d and %d vertices, not %v", patternVerticesMin, patternVerticesMax, o.Vertices)
	case o.Timeout <= 0:
		return sqlerr.New(sqlerr.InvalidParameter, "timeout %s", o.Timeout)
	}
	all := []string{kindSparse, kindDense, kindPart}
	for _, kind := range o.Kinds {
		if !slices.Contains(all, kind) {
			return sqlerr.New(sqlerr.InvalidParameter, "there is no kind of query graph %q", kind).WithHint("The kinds are %s.", strings.Join(all, ", "))
		}
	}
	if len(o.Kinds) == 0 {
		o.Kinds = all
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	return nil
}

// Generate writes a queries.tsv: labelled query graphs drawn from a graph, each with
// its number of homomorphisms, which native and decomposed (or, where that takes too
// long, DuckDB) agree on.
func Generate(ctx context.Context, o GenerateOptions, out io.Writer) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	name, load := debianGraph, loadDebian
	if o.Graph != "" {
		name = filepath.Base(filepath.Clean(o.Graph))
		load = func(ctx context.Context, db *Database) error { return loadGraph(ctx, db, o.Graph) }
	}
	db, err := openDatabase(ctx, o.Version)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := load(ctx, db); err != nil {
		return err
	}
	g := generator{GenerateOptions: o, db: db, seen: map[string]bool{}}
	if g.graph, err = readGraph(ctx, db); err != nil {
		return err
	}
	if len(g.graph.labels) == 0 {
		return sqlerr.New(sqlerr.InvalidParameter, "graph %s has no vertex", name)
	}
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, queriesHeader)
	for _, kind := range o.Kinds {
		for _, vertices := range o.Vertices {
			if err := g.set(ctx, w, name, kind, vertices); err != nil {
				return errors.Join(err, w.Flush())
			}
		}
	}
	return w.Flush()
}

// generator is a Generate under way.
type generator struct {
	GenerateOptions
	db    *Database
	graph *dataGraph
	seen  map[string]bool // the SQL of patterns that were tried
}

// set writes the patterns of one kind and number of vertices.
func (g *generator) set(ctx context.Context, out io.Writer, name, kind string, vertices int) error {
	// A set has a source of its own, so that it stays when others are added.
	rng := rand.New(rand.NewPCG(g.Seed, uint64(vertices)<<8|uint64(kind[0])))
	for n := 1; n <= g.Count; n++ {
		sql, count, err := g.one(ctx, rng, kind, vertices)
		if err != nil {
			return err
		}
		if sql == "" {
			fmt.Fprintf(g.Progress, "%s_%s_%d: %d of %d were found in %d walks\n", name, kind, vertices, n-1, g.Count, walksMax)
			return nil
		}
		fmt.Fprintf(out, "%s_%s_%d_%d\t%s\t%s\n", name, kind, vertices, n, count, sql)
		fmt.Fprintf(g.Progress, "%s_%s_%d_%d: %s\n", name, kind, vertices, n, count)
	}
	return nil
}

// one draws patterns until it has a new one that is counted; sql is empty where
// there is none.
func (g *generator) one(ctx context.Context, rng *rand.Rand, kind string, vertices int) (sql, count string, err error) {
	for range walksMax {
		p := g.graph.draw(rng, kind, vertices)
		if p == nil {
			continue
		}
		sql := p.sql()
		if g.seen[sql] {
			continue
		}
		g.seen[sql] = true
		count, err := g.count(ctx, sql)
		if err != nil || count != "" {
			return sql, count, err
		}
	}
	return "", "", nil
}

// count is the count that two ways agree on; empty: one of them took too long, or it
// does not fit a BIGINT.
func (g *generator) count(ctx context.Context, sql string) (string, error) {
	want := ""
	for _, b := range []engine.Backend{engine.Native, engine.Decomposed, engine.DuckDB} {
		out, err := g.db.measure(ctx, Variant{Backend: b, Threads: g.Threads}, sql, g.Timeout)
		var e *sqlerr.Error
		switch {
		case errors.As(err, &e) && e.Code == sqlerr.NumericOutOfRange:
			return "", nil
		case err != nil:
			return "", fmt.Errorf("%s on %s: %w", sql, b, err)
		case out.answer == nil && b == engine.Native:
			return "", nil
		case out.answer == nil:
			continue
		}
		text, _ := out.answer.scalar()
		if want != "" && text != want {
			return "", fmt.Errorf("%s: native counts %s, %s counts %s", sql, want, b, text)
		}
		if want != "" {
			return want, nil
		}
		want = text
	}
	return "", nil
}
