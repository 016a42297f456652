package roles

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Store is the roles of one server. It is safe for concurrent use, by several
// processes too.
type Store struct {
	path string // empty: in memory

	mu   sync.Mutex
	read os.FileInfo // of the file that doc was read from; nil: there was none
	doc  *document
}

// document is what the file holds.
type document struct {
	Format int `json:"format"`
	// MockSecret makes the salts of roles that do not exist (R3).
	MockSecret []byte  `json:"mock_secret"`
	Roles      []*Role `json:"roles"`
}

const (
	format          = 1
	mockSecretBytes = 32
	fileBytesMax    = 64 << 20
)

// Open opens the roles of a file, which need not exist yet; an empty path keeps
// them in memory.
func Open(path string) (*Store, error) {
	s := &Store{path: path, doc: newDocument()}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s, s.refresh()
}

func newDocument() *document {
	d := &document{Format: format, MockSecret: make([]byte, mockSecretBytes)}
	rand.Read(d.MockSecret) // never fails
	return d
}

// Path is the file, empty for a store in memory.
func (s *Store) Path() string { return s.path }

// refresh reads the file again if it is another one than was read (R2).
func (s *Store) refresh() error {
	if s.path == "" {
		return nil
	}
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if s.read != nil { // it was there: whoever took it away took the rights away
			s.read, s.doc = nil, newDocument()
		}
		return nil
	case err != nil:
		return sqlerr.New(sqlerr.IOError, "cannot read the roles: %v", err)
	case s.read != nil && os.SameFile(info, s.read) && info.ModTime().Equal(s.read.ModTime()) && info.Size() == s.read.Size():
		return nil
	}
	doc, err := readDocument(s.path, info)
	if err != nil {
		return err
	}
	s.read, s.doc = info, doc
	return nil
}

func readDocument(path string, info os.FileInfo) (*document, error) {
	if info.Size() > fileBytesMax {
		return nil, sqlerr.New(sqlerr.DataCorrupted, "the file of roles %q is larger than %d bytes", path, fileBytesMax)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, sqlerr.New(sqlerr.IOError, "cannot read the roles: %v", err)
	}
	doc := &document{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, sqlerr.New(sqlerr.DataCorrupted, "%q is not a file of roles: %v", path, err)
	}
	if doc.Format != format || len(doc.MockSecret) < mockSecretBytes {
		return nil, sqlerr.New(sqlerr.DataCorrupted, "%q is not a file of roles of this version", path)
	}
	return doc, nil
}

// change applies a change to what is in the file now, and writes it.
func (s *Store) change(apply func(d *document) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path != "" {
		lock := flock.New(s.path + ".lock")
		if err := lock.Lock(); err != nil {
			return sqlerr.New(sqlerr.IOError, "cannot change the roles: %v", err)
		}
		defer func() { _ = lock.Unlock() }() // closing the file unlocks it in any case
	}
	if err := s.refresh(); err != nil {
		return err
	}
	changed := s.doc.clone()
	if err := apply(changed); err != nil {
		return err
	}
	if err := keepsAdmins(s.doc, changed, time.Now()); err != nil {
		return err
	}
	if err := s.write(changed); err != nil {
		return sqlerr.New(sqlerr.IOError, "cannot write the roles: %v", err)
	}
	s.doc = changed
	return nil
}

func (d *document) clone() *document {
	c := *d
	c.Roles = make([]*Role, len(d.Roles))
	for i, r := range d.Roles {
		c.Roles[i] = r.clone()
	}
	return &c
}

// write replaces the file (R2): only its owner may read it.
func (s *Store) write(d *document) (err error) {
	if s.path == "" {
		return nil
	}
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".new*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	info, err := os.Stat(f.Name())
	if err != nil {
		return err
	}
	if err = os.Rename(f.Name(), s.path); err != nil {
		return err
	}
	s.read = info
	return syncDirectory(filepath.Dir(s.path))
}

// syncDirectory makes a rename durable.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (d *document) find(name string) *Role {
	for _, r := range d.Roles {
		if r.Name == name {
			return r
		}
	}
	return nil
}

func (d *document) exists(name string) bool {
	return slices.Contains(builtin, name) || d.find(name) != nil
}

// All returns all roles in order of their names, those that exist from the
// start too.
func (s *Store) All() ([]Role, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	all := make([]Role, 0, len(s.doc.Roles)+len(builtin))
	for _, name := range builtin {
		all = append(all, Role{Name: name})
	}
	for _, r := range s.doc.Roles {
		all = append(all, *r.clone())
	}
	slices.SortFunc(all, func(a, b Role) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Get returns a role that was created.
func (s *Store) Get(name string) (role Role, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return Role{}, false, err
	}
	if r := s.doc.find(name); r != nil {
		return *r.clone(), true, nil
	}
	return Role{}, false, nil
}

// Verifier returns what the password of a role is checked with. Of a role that
// does not exist, has no password or whose password has expired it is one that
// no password fits (R3).
func (s *Store) Verifier(name string, now time.Time) (Verifier, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return Verifier{}, err
	}
	mock := mockVerifier(s.doc.MockSecret, name)
	r := s.doc.find(name)
	if r == nil {
		return mock, nil
	}
	v, err := ParseVerifier(r.Verifier)
	if err != nil {
		return mock, nil // no password, or none that can be right
	}
	if r.ValidUntil != nil && now.After(*r.ValidUntil) {
		mock.Salt, mock.Iterations = v.Salt, v.Iterations // as before it expired
		return mock, nil
	}
	return v, nil
}

// Rights returns what a role may do; an error if it does not exist (R4).
func (s *Store) Rights(name string) (Rights, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return Rights{}, err
	}
	if s.doc.find(name) == nil {
		return Rights{}, sqlerr.New(sqlerr.InvalidAuthorization, "role %q does not exist any more", name)
	}
	return Rights{Admin: s.doc.reaches(name, Admin), ReadOnly: s.doc.reaches(name, ReadOnly)}, nil
}

// reaches reports whether a role is a member of another, directly or through
// others.
func (d *document) reaches(from, to string) bool {
	seen := map[string]bool{from: true} // a file written by hand may have cycles
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			return true
		}
		if r := d.find(queue[0]); r != nil {
			for _, next := range r.MemberOf {
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return false
}
