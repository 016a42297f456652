package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// permitOpen refuses a path outside the open directories, and every name of the server's own
// files. Names that DuckDB takes for something else than a path are outside. DuckDB asks it for
// whatever a client's statement opens, however that comes to its path.
func (e *Engine) permitOpen(path string) error {
	if !e.cfg.Confined {
		return nil
	}
	// The operating system takes no longer one, and ends it at a NUL.
	if len(path) > pathBytesMax || strings.IndexByte(path, 0) >= 0 || climbs(path) {
		return outside(path[:min(len(path), pathBytesMax)])
	}
	abs, err := filepath.Abs(path)
	if err != nil || strings.Contains(path, "://") || strings.HasPrefix(path, "~") || strings.HasPrefix(strings.ToLower(path), "file:") {
		return outside(path)
	}
	real := withoutLinks(abs)
	open := slices.ContainsFunc(e.cfg.Directories, func(dir string) bool { return isWithin(dir, abs) && isWithin(dir, real) })
	if !open || e.isOwn(real) {
		return outside(path)
	}
	return nil
}

const pathBytesMax = 4096

// climbs reports whether a pattern goes up from a directory that it does not name: "**" is also
// none, and a directory may be a link.
func climbs(path string) bool {
	wild := false
	for part := range strings.SplitSeq(path, "/") {
		if wild && part == ".." {
			return true
		}
		wild = wild || strings.ContainsAny(part, "*?[")
	}
	return false
}

// isOwn reports whether a path leads to a file of the server's, which may have several names;
// one that cannot be looked at may.
func (e *Engine) isOwn(path string) bool {
	file, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && file.IsDir() {
		return false
	}
	if err != nil {
		return true
	}
	names := append([]string{e.cfg.Path, e.cfg.Path + ".wal"}, e.cfg.Closed...)
	return slices.ContainsFunc(names, func(name string) bool {
		own, err := os.Stat(name)
		return err == nil && os.SameFile(own, file)
	})
}

func isWithin(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// withoutLinks is where a path leads, as far as it exists.
func withoutLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir, name := filepath.Split(path)
	if dir = filepath.Clean(dir); dir == path {
		return path
	}
	return filepath.Join(withoutLinks(dir), name)
}

func outside(path string) error {
	return sqlerr.New(insufficientPrivilege, "path %q is outside the directories that this server has opened", path).WithHint(hintFiles)
}
