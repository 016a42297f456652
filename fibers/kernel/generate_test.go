package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated regenerates the row kernels: the committed file is what the
// template gives.
func TestGenerated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.txt")
	if out, err := exec.CommandContext(t.Context(), "go", "run", "_gen/main.go", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("zkernel_rows.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("zkernel_rows.go is not what go generate gives")
	}
}
