package pgwire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/trireme-db/trireme/internal/copyfmt"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// SQLSTATEs of files.
const (
	codeUndefinedFile = "58P01"
	codeNoPrivilege   = "42501"
	codeDiskFull      = "53100"
)

const (
	copyFileBytes       = 64 << 10 // read and written at a time
	copyFilePermissions = 0o644
)

const (
	hintReadsServerFile  = "COPY FROM with a path reads a file of the server's. For a file of the client's use psql's \\copy or COPY .. FROM STDIN."
	hintWritesServerFile = "COPY TO with a path writes a file of the server's. For a file of the client's use psql's \\copy or COPY .. TO STDOUT."
)

// readFile gives the rows of a file to the statement.
func (in *copyInput) readFile(ctx context.Context, path string) (err error) {
	file, err := in.conn.srv.openCopyFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	chunk := make([]byte, copyFileBytes)
	for {
		if in.to.Running().Err() != nil {
			return in.to.Stopped()
		}
		n, err := file.Read(chunk)
		if n > 0 {
			if err := in.add(ctx, chunk[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return in.end(ctx)
		case err != nil:
			return fileError("read", path, err)
		}
	}
}

// place is where a file is in a directory that is open to SQL. What the directory's root
// opens lies in the directory, whatever links are on the way.
type place struct {
	root *os.Root
	name string // in it
}

// errNotOpen is of paths outside the directories that are open to SQL.
var errNotOpen = fmt.Errorf("it is in no directory that this server has opened: %w", fs.ErrPermission)

// place finds the open directory that has a path; it must be closed.
func (s *Server) place(path string) (place, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return place{}, err
	}
	for _, dir := range s.opt.Directories {
		if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
			root, err := os.OpenRoot(dir)
			return place{root, rel}, err
		}
	}
	return place{}, errNotOpen
}

// openCopyFile opens a file to be read. What is not a regular file might keep the session
// waiting for ever.
func (s *Server) openCopyFile(path string) (*os.File, error) {
	failed := func(err error) (*os.File, error) {
		return nil, sqlerr.From(fileError("open", path, err)).WithHint("%s", hintReadsServerFile)
	}
	at, err := s.place(path)
	if err != nil {
		return failed(err)
	}
	file, err := at.root.OpenFile(at.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err = errors.Join(err, at.root.Close()); err != nil {
		return failed(err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return failed(errors.Join(err, file.Close()))
	}
	return file, nil
}

// errNotRegular is what devices, pipes, sockets and directories give.
var errNotRegular = errors.New("it is not a regular file")

// fileError says what failed with a file, with Postgres' SQLSTATE.
func fileError(verb, path string, err error) error {
	code := sqlerr.IOError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = codeUndefinedFile
	case errors.Is(err, fs.ErrPermission):
		code = codeNoPrivilege
	case errors.Is(err, errNotRegular):
		code = sqlerr.WrongObjectType
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code = codeDiskFull
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		if err = at.Err; err.Error() == "path escapes from parent" { // os.Root has no value for it
			code, err = codeNoPrivilege, errors.New("a link leads out of the directory that this server has opened")
		}
	}
	return sqlerr.New(code, "could not %s file %q: %s", verb, path, fmt.Sprint(err))
}

// copyOutFile writes a result into a file, which appears when it is whole and takes the
// place of one that is there.
func (c *conn) copyOutFile(ctx context.Context, p *portal, plan *copyfmt.Plan) (err error) {
	w, err := newCopyWriter(plan, c.style())
	if err != nil {
		return err
	}
	to, err := c.srv.createCopyFile(plan.Path)
	if err != nil {
		return sqlerr.From(err).WithHint("%s", hintWritesServerFile)
	}
	defer func() { err = errors.Join(err, to.discard()) }()
	out, _, err := w.Header(nil)
	if err != nil {
		return err
	}
	err = p.eachRow(ctx, func(b *rows.Batch, row int) (err error) {
		if out, err = w.appendRow(out, b, row); err == nil && len(out) >= copyFileBytes {
			err, out = to.write(out), out[:0]
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := to.write(w.Trailer(out)); err != nil {
		return err
	}
	if err := to.keep(); err != nil {
		return err
	}
	return c.finish(p)
}

// copyFile is a file that is being written under another name.
type copyFile struct {
	place
	path string // what it will be called
	part string // what it is called in the place's directory
	file *os.File
	open bool
}

// createCopyFile begins a file beside path.
func (s *Server) createCopyFile(path string) (*copyFile, error) {
	at, err := s.place(path)
	if err != nil {
		return nil, fileError("open", path, err)
	}
	f := &copyFile{place: at, path: path, part: at.name + "." + rand.Text() + ".part", open: true}
	info, err := at.root.Stat(at.name)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fileError("open", path, err), at.root.Close())
	}
	if f.file, err = at.root.OpenFile(f.part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, copyFilePermissions); err != nil {
		return nil, errors.Join(fileError("create", path, err), at.root.Close())
	}
	return f, nil
}

func (f *copyFile) write(data []byte) error {
	if _, err := f.file.Write(data); err != nil {
		return fileError("write", f.path, err)
	}
	return nil
}

// keep completes the file and gives it its name.
func (f *copyFile) keep() error {
	err := errors.Join(f.file.Chmod(copyFilePermissions), f.file.Sync(), f.file.Close())
	if err == nil {
		err = f.root.Rename(f.part, f.name)
	}
	if err != nil {
		return fileError("write", f.path, err)
	}
	f.open = false
	return f.root.Close()
}

// discard removes what was not kept.
func (f *copyFile) discard() error {
	if !f.open {
		return nil
	}
	f.open = false
	closed := f.file.Close()
	if errors.Is(closed, fs.ErrClosed) {
		closed = nil
	}
	return errors.Join(closed, f.root.Remove(f.part), f.root.Close())
}
