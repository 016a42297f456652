package tensor

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestBuildsWithoutCgo builds the package as a program without a C compiler would.
func TestBuildsWithoutCgo(t *testing.T) {
	cmd := exec.Command("go", "build", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestImportsNothingOfTheServer: no package of the server, SQL or DuckDB comes along.
func TestImportsNothingOfTheServer(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, p := range strings.Fields(string(out)) {
		for _, foreign := range []string{"duckdb", "pingcap", "/engine", "/sqlfront", "/translate", "/pgwire", "runtime/cgo"} {
			if strings.Contains(p, foreign) {
				t.Errorf("package tensor brings %s", p)
			}
		}
	}
}
