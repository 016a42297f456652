package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// patterns are the counts of the cases of graph500, by enumeration.
func patterns(edges, labels [][]int64) map[string]string {
	n := len(labels)
	label, adjacent := make([]int64, n), make([][]bool, n)
	for _, l := range labels {
		label[l[0]], adjacent[l[0]] = l[1], make([]bool, n)
	}
	for _, e := range edges {
		adjacent[e[0]][e[1]] = true
	}
	neighbours := make([][]int, n)
	for v := range adjacent {
		for u, ok := range adjacent[v] {
			if ok {
				neighbours[v] = append(neighbours[v], u)
			}
		}
	}
	count := map[string]int{}
	var perVertex []string
	for a := range n {
		tails, twos := 0, 0
		for _, t := range neighbours[a] {
			if label[a] == 1 && label[t] == 2 {
				tails++
			}
			for _, u := range neighbours[t] {
				if label[u] == 3 {
					twos++
				}
			}
		}
		triangles := 0
		for _, b := range neighbours[a] {
			for _, c := range neighbours[b] {
				count["paths_of_three"] += len(neighbours[c])
				for _, d := range neighbours[c] {
					count["paths_of_four"] += len(neighbours[d])
					if adjacent[d][a] {
						count["squares"]++
					}
				}
				if !adjacent[a][c] {
					continue
				}
				triangles++
				if a < b && b < c {
					count["triangles_ordered"]++
					for d := c + 1; d < n; d++ {
						if adjacent[a][d] && adjacent[b][d] && adjacent[c][d] {
							count["cliques_of_four"]++
						}
					}
				}
			}
		}
		count["triangles"] += triangles
		count["labelled_tail"] += triangles * tails
		count["labelled_tail_of_two"] += triangles * twos
		if triangles > 0 {
			perVertex = append(perVertex, fmt.Sprint(a, " ", triangles))
		}
	}
	slices.Sort(perVertex)
	want := map[string]string{"triangles_per_vertex": strings.Join(perVertex, "\n")}
	for name, n := range count {
		want[name] = fmt.Sprint(n)
	}
	return want
}

func TestGraph500(t *testing.T) {
	s, err := Graph500(Graph500Options{Scale: 6, EdgeFactor: 4})
	if err != nil {
		t.Fatal(err)
	}
	db := opened(t, s, "rmat")
	want := patterns(db.numbers(t, "SELECT src, dst FROM edge"), db.numbers(t, "SELECT id, label FROM vertex"))
	for name, text := range want {
		if text == "0" || text == "" {
			t.Errorf("%s counts nothing", name)
		}
	}
	checkCases(t, s, "rmat", want)
}

func TestBadGraphOptions(t *testing.T) {
	for _, c := range []struct {
		suite func() (*Suite, error)
		want  string
	}{
		{func() (*Suite, error) { return Graph500(Graph500Options{Scale: 0, EdgeFactor: 1}) }, "between 1 and 22, not 0"},
		{func() (*Suite, error) { return Graph500(Graph500Options{Scale: 3, EdgeFactor: 1000}) }, "between 1 and 256, not 1000"},
		{func() (*Suite, error) { return BFS(TraversalOptions{Scale: 3, Side: 1}) }, "between 2 and 1000, not 1"},
		{func() (*Suite, error) { return Paths(TraversalOptions{Scale: 33, Side: 3}) }, "between 1 and 22, not 33"},
		{func() (*Suite, error) { return Finch(FinchOptions{Scale: 3, Dimension: 5}) }, "between 10 and 20000, not 5"},
	} {
		if _, err := c.suite(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
