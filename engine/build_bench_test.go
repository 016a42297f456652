package engine

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/trireme-db/trireme/testdata"
)

// BenchmarkDebianBuild is a statement that has to build a tensor with keys of
// strings: which packages depend on which.
func BenchmarkDebianBuild(b *testing.B) {
	path := filepath.Join(b.TempDir(), "depends.csv")
	from := testdata.DebianDepends()
	text, err := io.ReadAll(from)
	if err := errors.Join(err, from.Close(), os.WriteFile(path, text, 0o600)); err != nil {
		b.Fatal(err)
	}
	e, s := benchEngine(b, "CREATE TABLE depends AS SELECT package, dependency FROM read_csv("+quoteText(path)+")",
		"SET trireme.backend = 'native'")
	const rows = 299_335
	b.Run("graph=debian", func(b *testing.B) {
		for b.Loop() {
			e.tensor = newRoute(e) // caches are empty again
			_, _, err := s.try("SELECT count(*) FROM depends a, depends b WHERE a.package = b.package AND a.dependency = b.dependency")
			if err != nil || s.LastBackend() != "native" {
				b.Fatalf("answered by %s, error %v", s.LastBackend(), err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
	})
}
