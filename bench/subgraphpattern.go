package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// dataGraph is a labelled graph that patterns are drawn from. Vertices are numbered
// from 0; neighbours are sorted.
type dataGraph struct {
	labels     []int64
	neighbours [][]int
}

// readGraph reads the tables vertex and edge.
func readGraph(ctx context.Context, db *Database) (*dataGraph, error) {
	vertices, _, err := db.query(ctx, "SELECT id, label FROM vertex ORDER BY id")
	if err != nil {
		return nil, err
	}
	g, number := &dataGraph{}, map[int64]int{}
	for r := range vertices.rows {
		number[vertices.vectors[0].I64[r]] = r
		g.labels = append(g.labels, vertices.vectors[1].I64[r])
	}
	g.neighbours = make([][]int, len(g.labels))
	edges, _, err := db.query(ctx, "SELECT src, dst FROM edge WHERE src <> dst ORDER BY src, dst")
	if err != nil {
		return nil, err
	}
	for r := range edges.rows {
		a, knownA := number[edges.vectors[0].I64[r]]
		b, knownB := number[edges.vectors[1].I64[r]]
		if !knownA || !knownB {
			return nil, fmt.Errorf("edge (%d, %d) has a vertex that is not in the table vertex", edges.vectors[0].I64[r], edges.vectors[1].I64[r])
		}
		g.neighbours[a] = append(g.neighbours[a], b)
	}
	return g, nil
}

func (g *dataGraph) adjacent(a, b int) bool {
	_, found := slices.BinarySearch(g.neighbours[a], b)
	return found
}

// denseDegree is the mean degree that tells dense patterns, which have at least
// that, from sparse ones.
const denseDegree = 3

// Kinds of patterns: sparse and dense ones have labels at all vertices, partly
// labelled ones are sparse and have them at half of their vertices.
const (
	kindSparse = "sparse"
	kindDense  = "dense"
	kindPart   = "part"
)

// pattern is a connected query graph. It occurs in the graph that it was drawn from.
type pattern struct {
	labels []int64 // per vertex; -1: any
	edges  [][2]int
}

// draw walks at random until it has seen as many different vertices as the pattern
// shall have, and takes them with the edges among them: all of them for a dense
// pattern, those of the walk and as many others as leave it sparse for others. It is
// nil where the walk got stuck or the edges are too few or too many.
func (g *dataGraph) draw(rng *rand.Rand, kind string, vertices int) *pattern {
	at := rng.IntN(len(g.labels))
	seen, walked := []int{at}, map[[2]int]bool{}
	for range 50 * vertices {
		if len(seen) == vertices || len(g.neighbours[at]) == 0 {
			break
		}
		next := g.neighbours[at][rng.IntN(len(g.neighbours[at]))]
		if !slices.Contains(seen, next) {
			walked[[2]int{slices.Index(seen, at), len(seen)}] = true
			seen = append(seen, next)
		}
		at = next
	}
	if len(seen) < vertices {
		return nil
	}
	p := &pattern{}
	for _, v := range seen {
		p.labels = append(p.labels, g.labels[v])
	}
	var other [][2]int
	for b := range seen {
		for a := range b {
			switch pair := [2]int{a, b}; {
			case walked[pair]:
				p.edges = append(p.edges, pair)
			case g.adjacent(seen[a], seen[b]):
				other = append(other, pair)
			}
		}
	}
	return p.complete(rng, kind, other)
}

// complete adds edges to a tree and drops labels, as the kind has it.
func (p *pattern) complete(rng *rand.Rand, kind string, other [][2]int) *pattern {
	vertices := len(p.labels)
	if kind == kindDense {
		if p.edges = append(p.edges, other...); 2*len(p.edges) < denseDegree*vertices {
			return nil
		}
	} else {
		rng.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		for _, e := range other {
			if 2*(len(p.edges)+1) < denseDegree*vertices {
				p.edges = append(p.edges, e)
			}
		}
	}
	slices.SortFunc(p.edges, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	if kind == kindPart {
		for _, v := range rng.Perm(vertices)[:vertices/2] {
			p.labels[v] = -1
		}
	}
	return p
}

// sql counts the pattern's homomorphisms: a table edge per edge and a table vertex
// per label.
func (p *pattern) sql() string {
	place := make([][]string, len(p.labels)) // of a vertex: the columns that are it
	var from, where []string
	for i, e := range p.edges {
		from = append(from, fmt.Sprintf("edge e%d", i))
		place[e[0]] = append(place[e[0]], fmt.Sprintf("e%d.src", i))
		place[e[1]] = append(place[e[1]], fmt.Sprintf("e%d.dst", i))
	}
	for v, columns := range place {
		for _, c := range columns[1:] {
			where = append(where, columns[0]+" = "+c)
		}
		if p.labels[v] >= 0 {
			from = append(from, fmt.Sprintf("vertex v%d", v))
			where = append(where, fmt.Sprintf("v%d.id = %s AND v%d.label = %d", v, columns[0], v, p.labels[v]))
		}
	}
	return "SELECT count(*) FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(where, " AND ")
}
