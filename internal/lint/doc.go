// Package lint holds the project's rules about its own source as tests: who
// may import whom, which package may use which outside module, that packages
// are documented, that files stay short, that no file mentions a path of some
// machine or leaves a marker for later, and that the embedded data is whole.
//
// What goes in: the source tree, read from disk. What comes out: test failures
// that name file and rule. There is nothing to import here.
//
// Invariants:
//
//	L1. The import table of ARCHITECTURE is the map in imports_test.go; an edge
//	    that is not in it fails, and so does a package that is not in it.
//	L2. The rules on imports hold for non-test files; the rules on text hold for
//	    every text file.
//
// Style that a linter knows how to check is in .golangci.yml instead.
package lint
