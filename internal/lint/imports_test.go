package lint

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/trireme-db/trireme"

// everywhere may be imported by every package.
var everywhere = []string{
	"internal/invariant", "internal/treeprint", "internal/sqlerr",
	"einsum/semiring", "einsum/format",
}

var (
	optimizerParts = []string{"optimizer", "optimizer/logical", "optimizer/network", "optimizer/physical", "optimizer/stats"}
	fibersParts    = []string{"fibers", "fibers/kernel", "fibers/exec"}
)

// mayImport is the import table: a package and what it may import besides everywhere.
var mayImport = map[string][]string{
	"internal/rows":      nil,
	"internal/copyfmt":   {"internal/rows"}, // its batches are what COPY moves
	"internal/pgtext":    {"internal/rows"},
	"internal/load":      {"internal/rows"},
	"internal/sqlerr":    nil,
	"internal/spill":     nil,
	"internal/invariant": nil,
	"internal/treeprint": nil,
	"internal/lint":      nil,
	"internal/slt":       nil,
	"internal/coofile":   {"internal/rows"},
	"einsum/semiring":    nil,
	"einsum/format":      nil,
	"einsum":             nil,
	"einsum/interp":      {"einsum"},
	"einsum/expr":        {"einsum"},
	// internal/load: a Table names what a Spec will scan; sqlfront prints the Spec's expressions.
	"sqlfront":           {"internal/rows", "internal/load", "internal/copyfmt"},
	"sqlfront/lower":     {"sqlfront", "internal/rows"},
	"translate":          {"sqlfront", "sqlfront/lower", "einsum", "internal/load", "internal/rows"},
	"optimizer/stats":    {"einsum"},
	"optimizer/logical":  {"einsum", "optimizer/stats"},
	"optimizer/physical": {"einsum", "optimizer/logical", "optimizer/stats"},
	"optimizer/network":  {"einsum", "optimizer/stats"},
	"optimizer":          {"einsum", "optimizer/logical", "optimizer/network", "optimizer/physical", "optimizer/stats"},
	"fibers":             nil,
	"fibers/kernel":      {"fibers"},
	"fibers/exec":        {"einsum", "optimizer/physical", "optimizer/stats", "fibers", "fibers/kernel"},
	"duckbackend":        {"einsum", "optimizer/logical", "internal/load", "internal/rows", "duckbackend/texts"},
	"duckbackend/texts":  nil,
	// internal/load: a sqlfront.Table is named by a load.Table.
	"engine/catalog": {"internal/rows", "internal/load", "sqlfront", "duckbackend", "engine/pgcatalog"},
	// sqlfront: the tokens of a statement, of which the names of the catalog are replaced; internal/pgtext: the elements of lists.
	"engine/pgcatalog": {"sqlfront", "internal/pgtext"},
	// sqlfront: the forms of a statement and their tokens, and what functions take.
	"engine/paramtypes": {"internal/rows", "sqlfront"},
	// internal/load: quoted names; sqlfront: the queries of a statement, and edits of it.
	"engine/grouping": {"internal/load", "sqlfront"},
	// fibers/exec: what is measured of a tensor, in the planner's terms.
	"engine/cache": concat([]string{"internal/rows", "internal/load", "einsum", "fibers", "fibers/exec", "duckbackend"}, optimizerParts),
	// sqlfront/lower: which joins are made by parts, when a statement's time is estimated.
	"engine": concat([]string{"internal/rows", "internal/load", "internal/copyfmt", "internal/pgtext", "internal/spill", "einsum", "einsum/interp", "sqlfront", "sqlfront/lower", "translate", "duckbackend", "engine/activity", "engine/advisory", "engine/catalog", "engine/notation", "engine/pgcatalog", "engine/cache", "engine/paramtypes", "engine/grouping", "engine/jsonb", "engine/roles"}, optimizerParts, fibersParts),
	// sqlfront: the tokens of a statement; einsum/expr: what an expression is in SQL;
	// einsum and translate: what a program is, and the columns that it has in SQL.
	"engine/notation": {"sqlfront", "einsum", "einsum/expr", "translate", "internal/rows"},
	// internal/rows: the types of its functions; internal/pgtext: paths as texts of arrays.
	"engine/jsonb":    {"internal/rows", "internal/pgtext"},
	"engine/roles":    nil,
	"engine/driver":   {"engine", "internal/rows", "internal/pgtext"},
	"engine/activity": nil,
	"engine/advisory": nil,
	"engine/difftest": {"internal/rows", "sqlfront"}, // sqlfront: the tokens among which constants are found
	"tensor":          concat([]string{"einsum", "einsum/expr"}, optimizerParts, fibersParts),
	"monitor":         {"engine", "engine/activity"},
	"pgwire":          {"internal/rows", "internal/copyfmt", "internal/pgtext", "internal/spill"},
	// testdata: the graph of the default query set. tensor, optimizer/network, bench/pairwise:
	// the ways to compute a network that are compared. duckbackend: DuckDB on their SQL
	// without a session around it, whose look at a thousand tables would count.
	"bench":          {"internal/rows", "engine", "bench/coverage", "bench/pairwise", "testdata", "tensor", "optimizer/network", "duckbackend"},
	"bench/coverage": nil,
	"bench/pairwise": {"optimizer/network"},
	"testdata":       nil,
	// internal/rows: the adapter from engine to pgwire.Handler has rows types in its
	// signatures. testdata: the demo's embedded graph.
	"cmd/trireme": {"engine", "engine/roles", "monitor", "pgwire", "bench", "bench/coverage", "internal/rows", "internal/spill", "internal/coofile", "einsum", "einsum/expr", "tensor", "testdata"},
}

// onlyIn lists outside modules that belong to certain packages; an empty list
// means tests only. "C" is cgo, which reaches the project through DuckDB alone.
var onlyIn = map[string][]string{
	"C":                                 {"duckbackend"}, // functions that DuckDB calls
	"github.com/duckdb":                 {"duckbackend"},
	"github.com/pingcap/tidb":           {"sqlfront"},
	"github.com/jackc/pgx":              {"pgwire", "cmd/trireme", "internal/slt", "bench"}, // the demo, the files of queries and the benchmark speak to the server over the wire
	"github.com/lib/pq":                 nil,
	"modernc.org/sqlite":                nil,
	"github.com/prometheus":             {"monitor"},
	"github.com/spf13/cobra":            {"cmd/trireme"},
	"go.yaml.in/yaml":                   {"cmd/trireme"},
	"github.com/schollz/progressbar":    {"cmd/trireme"},
	"github.com/xdg-go/scram":           {"engine/roles", "pgwire"},
	"github.com/gofrs/flock":            {"engine/roles"},
	"golang.org/x/term":                 {"cmd/trireme"},
	"github.com/cockroachdb/datadriven": nil,
}

func TestImportTable(t *testing.T) {
	for _, pkg := range packages(t) {
		allowed, known := mayImport[pkg.dir]
		if !known {
			t.Errorf("package %s is not in the import table", pkg.dir)
			continue
		}
		for _, edge := range pkg.imports(t) {
			target, inside := strings.CutPrefix(edge.path, modulePath+"/")
			if inside && !slices.Contains(allowed, target) && !slices.Contains(everywhere, target) {
				t.Errorf("%s: package %s may not import %s", edge.file, pkg.dir, target)
			}
		}
	}
}

func TestImportTableNamesNoStrangers(t *testing.T) {
	for pkg, targets := range mayImport {
		for _, target := range concat(targets, everywhere) {
			if _, known := mayImport[target]; !known {
				t.Errorf("the import table lets %s import %s, which is not in the table", pkg, target)
			}
		}
	}
}

func TestOutsideModulesStayHome(t *testing.T) {
	for _, pkg := range packages(t) {
		for _, edge := range pkg.imports(t) {
			for prefix, homes := range onlyIn {
				if (edge.path == prefix || strings.HasPrefix(edge.path, prefix+"/")) && !slices.Contains(homes, pkg.dir) {
					t.Errorf("%s: %s may be imported only by %v", edge.file, edge.path, homes)
				}
			}
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	for _, pkg := range packages(t) {
		documented := slices.ContainsFunc(pkg.files, func(f sourceFile) bool {
			return f.syntax.Doc != nil && strings.TrimSpace(f.syntax.Doc.Text()) != ""
		})
		if !documented {
			t.Errorf("package %s has no package comment", pkg.dir)
		}
	}
}

// edge is one import in one file.
type edge struct{ file, path string }

func (p *sourcePackage) imports(t *testing.T) []edge {
	t.Helper()
	var edges []edge
	for _, file := range p.files {
		for _, spec := range file.syntax.Imports {
			edges = append(edges, edge{file.name, importPath(t, spec)})
		}
	}
	return edges
}

func importPath(t *testing.T, spec *ast.ImportSpec) string {
	t.Helper()
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func concat(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
