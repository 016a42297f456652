package duckbackend

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// spill is the directory for temporary files of a database in memory. DuckDB's own choice
// is the working directory, where nobody looks for it.
type spill struct {
	path string
	held *os.File // locked as long as the process lives
}

const (
	spillPattern = "trireme-spill-*"
	// spillAge is how long a directory that nobody holds is left alone: its process may be
	// about to lock it.
	spillAge = time.Minute
)

// makeSpill makes a directory, and removes those that processes left which were killed.
func makeSpill() (*spill, error) {
	removeAbandoned()
	path, err := os.MkdirTemp("", spillPattern)
	if err != nil {
		return nil, sqlerr.New(sqlerr.IOError, "cannot make a directory for temporary files: %v", err).
			WithHint("TMPDIR names the directory for temporary files.")
	}
	held, err := os.Open(path)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IOError, errors.Join(err, os.RemoveAll(path)))
	}
	lock(held)
	return &spill{path, held}, nil
}

// removeAbandoned removes directories that nobody holds. Those of other users are theirs:
// what cannot be opened or removed stays.
func removeAbandoned() {
	paths, _ := filepath.Glob(filepath.Join(os.TempDir(), spillPattern)) // the pattern is well formed
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || time.Since(info.ModTime()) < spillAge {
			continue
		}
		if dir, err := os.Open(path); err == nil {
			if lock(dir) {
				_ = os.RemoveAll(path)
			}
			_ = dir.Close()
		}
	}
}

// remove removes the directory; a nil spill has none.
func (s *spill) remove() error {
	if s == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(s.path), s.held.Close())
}
