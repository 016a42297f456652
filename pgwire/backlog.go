package pgwire

import (
	"errors"
	"io"
	"os"

	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

const (
	// backlogBytes is how much of a backlog stays in memory if it is the only one, and of
	// one beside n others that part of it; what comes later goes to a file that nobody else
	// sees.
	backlogBytes = 8 << 20
	// backlogReadBytes is how much of the file is read at a time.
	backlogReadBytes = 256 << 10
)

// backlog keeps messages of rows that were fetched ahead of their request, first in,
// first out. With a share and nothing else it is empty, and keeps all in
// a file.
type backlog struct {
	share  *spill.Share // of its file
	memory int          // bytes that may be held
	held   []byte       // the next messages, whole ones but for the last where there is a file
	file   *os.File
	// The file's bytes from readBytes to fileBytes follow those held.
	readBytes, fileBytes int64
}

func (b *backlog) empty() bool { return len(b.held) == 0 && b.readBytes == b.fileBytes }

// add keeps a copy of messages.
func (b *backlog) add(messages []byte) error {
	if b.file == nil && len(b.held)+len(messages) <= b.memory {
		b.held = append(b.held, messages...)
		return nil
	}
	if b.file == nil {
		f, err := os.CreateTemp("", "trireme-portal-*")
		if err != nil {
			return backlogError(err)
		}
		b.file = f
		// Without a name it goes when it is closed, however the process ends.
		if err := os.Remove(f.Name()); err != nil {
			return backlogError(err)
		}
	}
	if err := b.share.Take(int64(len(messages))); err != nil {
		return err
	}
	n, err := b.file.WriteAt(messages, b.fileBytes)
	b.share.Give(int64(len(messages) - n))
	b.fileBytes += int64(n)
	if err != nil {
		return backlogError(err)
	}
	return nil
}

// next takes the next message out; it is valid until the next call.
func (b *backlog) next() ([]byte, error) {
	if err := b.fill(dataRowHead); err != nil {
		return nil, err
	}
	n := dataRowLen(b.held)
	if err := b.fill(n); err != nil {
		return nil, err
	}
	message := b.held[:n:n]
	b.held = b.held[n:]
	return message, nil
}

// fill makes sure that n bytes are held.
func (b *backlog) fill(n int) error {
	if len(b.held) >= n {
		return nil
	}
	size := min(int64(max(n, backlogReadBytes)), b.fileBytes-b.readBytes)
	buf := make([]byte, int64(len(b.held))+size)
	at := copy(buf, b.held)
	got, err := b.file.ReadAt(buf[at:], b.readBytes)
	if err != nil && (!errors.Is(err, io.EOF) || int64(got) < size) {
		return backlogError(err)
	}
	b.held, b.readBytes = buf, b.readBytes+size
	return nil
}

// close gives memory and file back; it may be called several times.
func (b *backlog) close() error {
	f, taken := b.file, b.fileBytes
	*b = backlog{share: b.share, memory: b.memory}
	if f == nil {
		return nil
	}
	b.share.Give(taken)
	if err := f.Close(); err != nil {
		return backlogError(err)
	}
	return nil
}

func backlogError(err error) error {
	e := sqlerr.Wrap(sqlerr.IOError, err)
	e.Message = "rows of a suspended portal cannot be kept: " + e.Message
	return e.WithHint("They are kept in files of the system's directory for temporary files, which TMPDIR names.")
}
