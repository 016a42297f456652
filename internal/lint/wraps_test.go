package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var wrapped = regexp.MustCompile(`--wrap=(\w+)`)

// TestEachFunctionIsWrappedOnce: of two definitions in a function's place the linker takes the first, and
// says nothing.
func TestEachFunctionIsWrappedOnce(t *testing.T) {
	files, err := filepath.Glob("../../duckbackend/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	in := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range wrapped.FindAllStringSubmatch(string(text), -1) {
			if other := in[m[1]]; other != "" {
				t.Errorf("%s is wrapped in %s and in %s", m[1], other, file)
			}
			in[m[1]] = file
		}
	}
}
