package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

const subgraphTimeout = 60 * time.Second

// Subgraph is the suite of pattern counts over labelled graphs. A graph is a
// folder with vertex.csv (id,label), edge.csv (src,dst, every edge in both
// directions) and queries.tsv (name, count, sql; the count of each is known).
func Subgraph(dirs []string) (*Suite, error) {
	s := &Suite{Name: "subgraph", Timeout: subgraphTimeout, Brief: true}
	seen := map[string]bool{}
	for _, dir := range dirs {
		name := filepath.Base(filepath.Clean(dir))
		if seen[name] {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "two graphs are named %q", name)
		}
		seen[name] = true
		cases, err := readQueries(filepath.Join(dir, "queries.tsv"), name)
		if err != nil {
			return nil, err
		}
		s.Cases = append(s.Cases, cases...)
		s.Data = append(s.Data, Dataset{Name: name, Load: func(ctx context.Context, db *Database) error { return loadGraph(ctx, db, dir) }})
	}
	if len(s.Cases) == 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "no graph is named").
			WithHint("Give a folder with vertex.csv, edge.csv and queries.tsv: --graph DIR.")
	}
	return s, nil
}

// readQueries reads the file of queries of a graph.
func readQueries(path, data string) (_ []Case, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IOError, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var cases []Case
	seen := map[string]bool{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for line := 1; in.Scan(); line++ {
		if line == 1 {
			if in.Text() != "name\tcount\tsql" {
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
