package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
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
	open := slices.ContainsFunc(e.cfg.Directories, func(dir string) bool { return isWithin(dir, real) })
	named := slices.ContainsFunc(e.cfg.Directories, func(dir string) bool { return isWithin(dir, abs) })
	if !open || !named || e.isOwn(real) {
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
	return isOneOf(path, append([]string{e.cfg.Path, e.cfg.Path + ".wal"}, e.cfg.Closed...))
}

// isOneOf reports whether a path leads to one of some files; one that cannot be looked at may.
func isOneOf(path string, files []string) bool {
	file, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && file.IsDir() {
		return false
	}
	if err != nil {
		return true
	}
	return slices.ContainsFunc(files, func(name string) bool {
		one, err := os.Stat(name)
		return err == nil && os.SameFile(one, file)
	})
}

// permitData is permitOpen of a path that is not attached. What DuckDB keeps a database in is no
// data for anybody else: what is written over it loses its rows.
func (e *Engine) permitData(ctx context.Context, path string) error {
	if err := e.permitOpen(path); err != nil {
		return err
	}
	files, err := e.attachedFiles(ctx)
	if err != nil {
		return err
	}
	real := withoutLinks(absolute(path))
	for _, file := range files {
		file = withoutLinks(absolute(file))
		log := file + ".wal" // which may not be there yet, and has others beside it
		if real == file || strings.HasPrefix(real, log) || isOneOf(real, []string{file, log}) {
			return sqlerr.New(sqlerr.ObjectInUse, "%q is a file of a database that is attached", path).
				WithHint("DETACH the database first, or read its tables.")
		}
	}
	return nil
}

// attachedFiles are the paths of the databases that are attached, the server's own among them.
func (e *Engine) attachedFiles(ctx context.Context) (files []string, err error) {
	version, stable := e.catalog.Versions.Schema()
	if kept := e.attached.Load(); kept != nil && kept.version == version {
		return kept.files, nil
	}
	err = e.withBinder(ctx, func(conn *duckbackend.Conn) error {
		files, err = textsOf(ctx, conn, "SELECT path FROM system.main.duckdb_databases() WHERE path IS NOT NULL")
		return err
	})
	if err == nil && stable {
		e.attached.Store(&attachedFiles{version, files})
	}
	return files, err
}

// attachedFiles are those of one version of the catalog.
type attachedFiles struct {
	version uint64
	files   []string
}

func isWithin(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// withoutLinks is where a path leads, as far as it exists: a link may lead to what is not there
// yet.
func withoutLinks(path string) string {
	for range linksMax {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return real
		}
		dir, name := filepath.Split(path)
		if dir = filepath.Clean(dir); dir == path {
			return path
		}
		dir = withoutLinks(dir)
		target, err := os.Readlink(path)
		switch {
		case err != nil:
			return filepath.Join(dir, name)
		case filepath.IsAbs(target):
			path = target
		default:
			path = dir + string(filepath.Separator) + target
		}
	}
	return path // it has no end, and is opened by nobody
}

// linksMax is how many links to links are followed, as by the operating system.
const linksMax = 40

func outside(path string) error {
	return sqlerr.New(insufficientPrivilege, "path %q is outside the directories that this server has opened", path).WithHint(hintFiles)
}
