package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/testdata"
)

// debianGraph is the name of the graph that is measured where no other is named:
// the packages of Debian 12. A package is a vertex, by its place in the order of
// names; its label is the place of its section in the order of sections; an edge
// joins a package and one that it depends on, in both directions.
const debianGraph = "debian"

// loadDebian makes the tables vertex and edge of the package graph.
func loadDebian(ctx context.Context, db *Database) (err error) {
	dir, err := os.MkdirTemp("", "trireme-debian-*")
	if err != nil {
		return sqlerr.Wrap(sqlerr.IOError, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := writeDebian(dir); err != nil {
		return sqlerr.Wrap(sqlerr.IOError, err)
	}
	return loadGraph(ctx, db, dir)
}

// writeDebian writes vertex.csv and edge.csv.
func writeDebian(dir string) error {
	packages, err := readAll(testdata.DebianPackages())
	if err != nil {
		return err
	}
	depends, err := readAll(testdata.DebianDepends())
	if err != nil {
		return err
	}
	slices.SortFunc(packages, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	var sections []string
	for _, p := range packages {
		sections = append(sections, p[1])
	}
	slices.Sort(sections)
	sections = slices.Compact(sections)
	vertices, number := []string{"id,label"}, map[string]int{}
	for id, p := range packages {
		label, _ := slices.BinarySearch(sections, p[1])
		number[p[0]] = id
		vertices = append(vertices, fmt.Sprintf("%d,%d", id, label))
	}
	joined := map[[2]int]bool{}
	for _, d := range depends {
		if a, b := number[d[0]], number[d[1]]; d[2] == "depends" && a != b {
			joined[[2]int{a, b}], joined[[2]int{b, a}] = true, true
		}
	}
	pairs := make([][2]int, 0, len(joined))
	for pair := range joined {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	edges := []string{"src,dst"}
	for _, p := range pairs {
		edges = append(edges, fmt.Sprintf("%d,%d", p[0], p[1]))
	}
	return errors.Join(writeLines(filepath.Join(dir, "vertex.csv"), vertices), writeLines(filepath.Join(dir, "edge.csv"), edges))
}

// readAll reads a CSV without its header.
func readAll(in io.ReadCloser) ([][]string, error) {
	records, err := csv.NewReader(in).ReadAll()
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	return records[1:], nil
}

func writeLines(path string, lines []string) error {
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}
