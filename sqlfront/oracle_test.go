package sqlfront

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines returns the statements of a file, one a line; lines that begin with --
// are comments.
func lines(t testing.TB, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range strings.Split(string(text), "\n") {
		if l != "" && !strings.HasPrefix(l, "--") {
			out = append(out, l)
		}
	}
	return out
}

func corpus(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/%s: %v", dir, err)
	}
	var out []string
	for _, f := range files {
		out = append(out, lines(t, f)...)
	}
	return out
}

// sameTree reports through t a statement whose printed tree is not DuckDB's
// tree of the original.
func sameTree(t testing.TB, d *duck, text string, sel *selectNode) bool {
	t.Helper()
	want, err := d.tree(numbered(text))
	if err != nil {
		t.Errorf("%s\nDuckDB: %v", text, err)
		return false
	}
	printed := printSelect(sel)
	got, err := d.tree(printed)
	if err != nil {
		t.Errorf("%s\nprinted %s\nDuckDB: %v", text, printed, err)
		return false
	}
	if got != want {
		g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		i := 0
		for i < len(g) && i < len(w) && g[i] == w[i] {
			i++
		}
		t.Errorf("%s\nprinted %s\ntrees differ at line %d:\n got %s\nwant %s", text, printed, i,
			strings.Join(g[i:min(i+4, len(g))], ""), strings.Join(w[i:min(i+4, len(w))], ""))
	}
	return got == want
}

// numbered numbers the lone ? of a text, which DuckDB's tree does as well.
func numbered(text string) string {
	if !strings.Contains(text, "?") || strings.Contains(text, "'") {
		return text
	}
	n := 0
	var b strings.Builder
	for _, c := range text {
		b.WriteRune(c)
		if c == '?' {
			n++
			fmt.Fprint(&b, n)
		}
	}
	return strings.ReplaceAll(b.String(), "?", "$")
}

func TestAcceptedTreesAreDuckDBs(t *testing.T) {
	d := newDuck(t)
	for _, text := range corpus(t, "accept") {
		sel, reason := parsed(text)
		if reason != "" {
			t.Errorf("%s\nrefused: %s", text, reason)
			continue
		}
		sameTree(t, d, text, sel)
	}
}

func TestAcceptedBind(t *testing.T) {
	d := newDuck(t)
	for _, text := range corpus(t, "accept") {
		a, err := d.analyze(text)
		switch {
		case err != nil:
			t.Errorf("%s\nerror: %v", text, err)
		case a.Query == nil:
			t.Errorf("%s\nrefused: %s", text, a.Reason)
		}
	}
}
