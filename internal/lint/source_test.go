package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// root is the module's root as seen from this package's tests.
const root = "../.."

// sourcePackage is a folder with at least one non-test Go file.
type sourcePackage struct {
	dir   string // slash-separated, relative to the root
	files []sourceFile
}

// sourceFile is a non-test Go file, parsed down to its imports.
type sourceFile struct {
	name   string
	syntax *ast.File
}

// packages parses the imports of all non-test Go files, whatever their build tags.
func packages(t *testing.T) []*sourcePackage {
	t.Helper()
	byDir := map[string]*sourcePackage{}
	fset := token.NewFileSet()
	for _, name := range projectFiles(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(fset, filepath.Join(root, name), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		if byDir[dir] == nil {
			byDir[dir] = &sourcePackage{dir: dir}
		}
		byDir[dir].files = append(byDir[dir].files, sourceFile{name, syntax})
	}
	var all []*sourcePackage
	for _, pkg := range byDir {
		all = append(all, pkg)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].dir < all[j].dir })
	if len(all) == 0 {
		t.Fatal("found no package: is the root wrong?")
	}
	return all
}

// projectFiles lists the files below the root, relative to it; folders that Go
// or git treat as not part of the tree (hidden, "_", bin) are left out, but .ci is kept.
func projectFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(base, ".") && base != ".ci" && path != root
			if hidden || strings.HasPrefix(base, "_") || base == "bin" {
				return filepath.SkipDir
			}
			// A module of its own, which a client of the tests is.
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(root, path)
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
