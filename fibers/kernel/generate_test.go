package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// sameFile compares a generated file with the committed one, from the given line on.
func sameFile(t *testing.T, generated, committed string, line int) {
	t.Helper()
	var texts [2][]byte
	for i, path := range []string{generated, committed} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		texts[i] = bytes.Join(lines[min(line, len(lines)):], nil)
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Errorf("%s is not what go generate gives", committed)
	}
}

// TestGenerated regenerates the row kernels: the committed file is what the
// template gives.
func TestGenerated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.txt")
	if out, err := exec.CommandContext(t.Context(), "go", "run", "_gen/main.go", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sameFile(t, path, "zkernel_rows.go", 0)
}

// TestAssemblyGenerated regenerates the assembly. Its generator is a module of its
// own, which other machines may not have.
func TestAssemblyGenerated(t *testing.T) {
	dir := t.TempDir()
	bin, asm, stubs := filepath.Join(dir, "generate"), filepath.Join(dir, "asm.s"), filepath.Join(dir, "stubs.txt")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".")
	build.Dir = "_gen/simd"
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("the module of the generator cannot be built here: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), bin, "-out", asm, "-stubs", stubs, "-pkg", "kernel").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The first line names the command.
	sameFile(t, asm, "zdot_amd64.s", 1)
	sameFile(t, stubs, "zdot_amd64.go", 1)
}
