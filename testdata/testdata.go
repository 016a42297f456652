// Package testdata carries the data that ships inside the binary, because an
// embed directive cannot reach upwards from the package that uses it: the
// package graph of Debian 12, which the demo loads.
//
// What goes in: two gzipped CSV files with a header line. What comes out: the
// plain CSV text as a stream. The rest of this folder (corpus, clients, plans)
// is read by tests from disk and is not part of any binary.
//
// Invariants:
//
//	T1. The files hold facts of the Debian package index (main, amd64) and
//	    nothing else; the demo's answers depend on their exact content.
//	T2. DebianPackages has 63,436 data rows with the columns
//	    name,section,priority,installed_kb,source and unique names;
//	    DebianDepends has 299,335 data rows with package,dependency,kind.
package testdata

import (
	"compress/gzip"
	"embed"
	"io"
	"io/fs"

	"github.com/trireme-db/trireme/internal/invariant"
)

//go:embed debian/package.csv.gz debian/depends.csv.gz
var files embed.FS

// DebianPackages opens the CSV of packages (T2). The caller closes it.
func DebianPackages() io.ReadCloser { return open("debian/package.csv.gz") }

// DebianDepends opens the CSV of dependencies between packages (T2). The
// caller closes it.
func DebianDepends() io.ReadCloser { return open("debian/depends.csv.gz") }

// csv closes the gzip reader and the embedded file below it.
type csv struct {
	*gzip.Reader
	file fs.File
}

// Close closes both readers and returns the first error.
func (c csv) Close() error {
	err := c.Reader.Close()
	if fileErr := c.file.Close(); err == nil {
		err = fileErr
	}
	return err
}

// open panics when the file is not a gzip stream: it was compiled in, so that is a bug.
func open(name string) io.ReadCloser {
	file, err := files.Open(name)
	if err != nil {
		panic(invariant.Failed("testdata: %s: %v", name, err))
	}
	reader, err := gzip.NewReader(file)
	if err != nil {
		panic(invariant.Failed("testdata: %s: %v", name, err))
	}
	return csv{reader, file}
}
