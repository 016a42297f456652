package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// SmallOptions are the options of SmallSuites.
type SmallOptions struct {
	// DataDir is where the Epinions graph may be; without it its cases are left out.
	DataDir string
	// Names chooses suites; none: all.
	Names []string
}

// smallSuites makes the version of every suite that is part of a run of all; their
// sizes are such that each takes about a minute on two cores.
var smallSuites = []struct {
	name string
	make func(SmallOptions) (*Suite, error)
}{
	{"subgraph", func(SmallOptions) (*Suite, error) { return SubgraphSmall() }},
	{"finch", func(o SmallOptions) (*Suite, error) {
		f := FinchSmall()
		f.DataDir = o.DataDir
		return Finch(f)
	}},
	{"bfs", func(o SmallOptions) (*Suite, error) { return BFS(o.traversal()) }},
	{"paths", func(o SmallOptions) (*Suite, error) { return Paths(o.traversal()) }},
	{"graph500", func(SmallOptions) (*Suite, error) { return Graph500(Graph500Small()) }},
	{"mljoin", func(SmallOptions) (*Suite, error) { return MLJoin(MLJoinSmall()) }},
	{"la", func(SmallOptions) (*Suite, error) { return LA(LASmall()) }},
}

func (o SmallOptions) traversal() TraversalOptions {
	t := TraversalSmall()
	t.DataDir = o.DataDir
	return t
}

// SmallSuites makes the suites of a run of all. missing says what is left out for
// want of data.
func SmallSuites(o SmallOptions) (_ []*Suite, missing []string, err error) {
	if _, err := findCSV(o.DataDir, "edge"); err != nil {
		missing = append(missing, fmt.Sprintf("cases over the Epinions graph: %v", err))
		o.DataDir = ""
	}
	var names []string
	for _, s := range smallSuites {
		names = append(names, s.name)
	}
	for _, name := range o.Names {
		if !slices.Contains(names, name) {
			return nil, nil, sqlerr.New(sqlerr.InvalidParameter, "unknown suite %q", name).WithHint("The suites of a run of all are %s.", strings.Join(names, ", "))
		}
	}
	var out []*Suite
	for _, s := range smallSuites {
		if len(o.Names) > 0 && !slices.Contains(o.Names, s.name) {
			continue
		}
		suite, err := s.make(o)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, suite)
	}
	return out, missing, nil
}
