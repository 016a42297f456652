package bench

import (
	"bufio"
	"context"
	_ "embed" // queries.tsv
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

const subgraphTimeout = 60 * time.Second

// queriesHeader is the first line of a queries.tsv.
const queriesHeader = "name\tcount\tsql"

//go:embed subgraph/queries.tsv
var debianQueries string

// Subgraph is the suite of pattern counts over labelled graphs. A graph is a
// folder with vertex.csv (id,label), edge.csv (src,dst, every edge in both
// directions) and queries.tsv (name, count, sql; the count of each is known). No
// folder: the packages of Debian 12, with queries that Generate has made.
func Subgraph(dirs []string) (*Suite, error) {
	s := newSubgraph()
	if len(dirs) == 0 {
		cases, err := readQueries(strings.NewReader(debianQueries), "queries.tsv", debianGraph)
		s.Cases, s.Data = cases, []Dataset{{Name: debianGraph, Load: loadDebian}}
		return s, err
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		name := filepath.Base(filepath.Clean(dir))
		if seen[name] {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "two graphs are named %q", name)
		}
		seen[name] = true
		cases, err := readQueriesFile(filepath.Join(dir, "queries.tsv"), name)
		if err != nil {
			return nil, err
		}
		s.Cases = append(s.Cases, cases...)
		s.Data = append(s.Data, Dataset{Name: name, Load: func(ctx context.Context, db *Database) error { return loadGraph(ctx, db, dir) }})
	}
	return s, nil
}

// SubgraphQueries is the suite over one graph, dir (empty: that of Debian), with the
// queries of a file that Generate has written.
func SubgraphQueries(dir, path string) (*Suite, error) {
	s, name, load := newSubgraph(), debianGraph, loadDebian
	if dir != "" {
		name = filepath.Base(filepath.Clean(dir))
		load = func(ctx context.Context, db *Database) error { return loadGraph(ctx, db, dir) }
	}
	cases, err := readQueriesFile(path, name)
	s.Cases, s.Data = cases, []Dataset{{Name: name, Load: load}}
	return s, err
}

// subgraphSmallStep is how many cases of the package graph there are for each that
// SubgraphSmall keeps, subgraphSmallTimeout how long an execution may take there.
const (
	subgraphSmallStep    = 3
	subgraphSmallTimeout = 3 * time.Second
)

// SubgraphSmall is a part of the suite over the package graph, for a run of all
// suites.
func SubgraphSmall() (*Suite, error) {
	s, err := Subgraph(nil)
	if err != nil {
		return nil, err
	}
	s.Timeout = subgraphSmallTimeout
	kept := s.Cases[:0]
	for i := 0; i < len(s.Cases); i += subgraphSmallStep {
		c := s.Cases[i]
		c.Timeout = subgraphSmallTimeout
		kept = append(kept, c)
	}
	s.Cases = kept
	return s, nil
}

// subgraphTarget is how many times faster than DuckDB the median pattern is meant to be.
const subgraphTarget = 20

func newSubgraph() *Suite {
	return &Suite{
		Name: "subgraph", About: "Counts of labelled patterns in graphs, sparse and dense ones (Galley, section 8.2).", Timeout: subgraphTimeout, Target: subgraphTarget, Brief: true,
	}
}

// readQueriesFile reads the file of queries of a graph.
func readQueriesFile(path, data string) (_ []Case, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IOError, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return readQueries(f, path, data)
}

// readQueries reads queries; path is for errors.
func readQueries(r io.Reader, path, data string) ([]Case, error) {
	var cases []Case
	seen := map[string]bool{}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for line := 1; in.Scan(); line++ {
		if line == 1 {
			if in.Text() != queriesHeader {
				return nil, badQueries(path, line, "the header is not name, count, sql, with tabs between them")
			}
			continue
		}
		fields := strings.Split(in.Text(), "\t")
		if len(fields) != 3 {
			return nil, badQueries(path, line, fmt.Sprintf("%d fields, want name, count and sql, with tabs between them", len(fields)))
		}
		name, count, sql := fields[0], fields[1], fields[2]
		if _, err := strconv.ParseInt(count, 10, 64); err != nil {
			return nil, badQueries(path, line, fmt.Sprintf("%q is not a count", count))
		}
		if name == "" || sql == "" || seen[name] {
			return nil, badQueries(path, line, fmt.Sprintf("query %q has no name, no SQL or the name of another", name))
		}
		seen[name] = true
		cases = append(cases, Case{Name: name, Data: data, SQL: sql, Want: count})
	}
	if err := in.Err(); err != nil {
		return nil, sqlerr.Wrap(sqlerr.IOError, err)
	}
	if len(cases) == 0 {
		return nil, badQueries(path, 1, "there is no query")
	}
	return cases, nil
}

func badQueries(path string, line int, why string) error {
	return sqlerr.New(sqlerr.InvalidParameter, "%s, line %d: %s", path, line, why)
}

func loadGraph(ctx context.Context, db *Database, dir string) error {
	edges, err := findCSV(dir, "edge")
	if err != nil {
		return err
	}
	vertices, err := findCSV(dir, "vertex")
	if err != nil {
		return err
	}
	sql := fmt.Sprintf(`CREATE TABLE vertex AS SELECT id, label FROM read_csv(%s, header = true, auto_detect = false,
		columns = {'id': 'BIGINT', 'label': 'BIGINT'}) r`, quoteText(vertices))
	if err := db.Exec(ctx, sql); err != nil {
		return malformed(vertices, "id,label", err)
	}
	return loadEdges(ctx, db, edges, "")
}
