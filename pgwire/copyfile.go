package pgwire

import (
	"context"
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
	codeWrongObject   = "42809"
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
	file, err := openCopyFile(path)
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

// openCopyFile opens a file to be read. What is no regular file might keep the session
// waiting for ever.
func openCopyFile(path string) (*os.File, error) {
	if err := checkRegular(path); err != nil {
		return nil, sqlerr.From(fileError("open", path, err)).WithHint("%s", hintReadsServerFile)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, sqlerr.From(fileError("open", path, err)).WithHint("%s", hintReadsServerFile)
	}
	return file, nil
}

// errNotRegular is what devices, pipes, sockets and directories give.
var errNotRegular = errors.New("it is not a regular file")

// checkRegular refuses what is no regular file.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return errNotRegular
	}
	return err
}

// fileError says what failed with a file, with Postgres' SQLSTATE.
func fileError(verb, path string, err error) error {
	code := sqlerr.IOError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = codeUndefinedFile
	case errors.Is(err, fs.ErrPermission):
		code = codeNoPrivilege
	case errors.Is(err, errNotRegular):
		code = codeWrongObject
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code = codeDiskFull
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
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
	to, err := createCopyFile(plan.Path)
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
	path string // what it will be called
	file *os.File
	open bool
}

// createCopyFile begins a file beside path.
func createCopyFile(path string) (*copyFile, error) {
	if err := checkRegular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fileError("open", path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return nil, fileError("create", path, err)
	}
	return &copyFile{path: path, file: file, open: true}, nil
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
		err = os.Rename(f.file.Name(), f.path)
	}
	if err != nil {
		return fileError("write", f.path, err)
	}
	f.open = false
	return nil
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
	return errors.Join(closed, os.Remove(f.file.Name()))
}
