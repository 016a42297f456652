package driver

import (
	"context"
	"database/sql/driver"
	"errors"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// connector belongs to one sql.DB and holds its share of an engine.
type connector struct {
	cfg     engine.Config
	options map[string]string // of every session

	mu     sync.Mutex
	engine *engine.Engine // nil until the first Connect
	closed bool
}

// newConnector reads "file?name=value&...".
func newConnector(name string) (*connector, error) {
	path, query := name, ""
	if i := strings.LastIndexByte(name, '?'); i >= 0 {
		path, query = name[:i], name[i+1:]
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "data source name: %v", err)
	}
	c := &connector{cfg: engine.Config{Path: path}, options: map[string]string{}}
	for key := range values {
		value := values.Get(key)
		switch key {
		case "threads":
			c.cfg.Threads, err = strconv.Atoi(value)
		case "memory_limit_bytes":
			c.cfg.MemoryLimitBytes, err = strconv.ParseInt(value, 10, 64)
		case "backend":
			c.options["trireme.backend"] = value
		default:
			c.options[key] = value
		}
		if err != nil {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "data source name: %s: %v", key, err)
		}
	}
	return c, nil
}

// Driver returns the driver.
func (c *connector) Driver() driver.Driver { return Driver{} }

// Connect opens a session, and the engine if it is the first.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	e, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	s, err := e.NewSession(ctx, engine.SessionOptions{User: Name, Database: Name, Options: c.options})
	if err != nil {
		return nil, err
	}
	return &Conn{session: s}, nil
}

func (c *connector) open(ctx context.Context) (*engine.Engine, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, driver.ErrBadConn
	}
	if c.engine != nil {
		return c.engine, nil
	}
	e, err := engines.acquire(ctx, c.cfg)
	if err != nil {
		return nil, err
	}
	c.engine = e
	return e, nil
}

// Close gives the engine back; database/sql calls it after all connections are
// closed.
func (c *connector) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	if c.engine == nil {
		return nil
	}
	return engines.release(c.engine)
}

// registry counts the users of the process's engines, because a database file
// can be opened once only (D1).
type registry struct {
	mu     sync.Mutex
	byPath map[string]*shared
}

type shared struct {
	engine *engine.Engine
	users  int
}

var engines = registry{byPath: map[string]*shared{}}

// acquire opens an engine, or returns the one that is open for the same file.
func (r *registry) acquire(ctx context.Context, cfg engine.Config) (*engine.Engine, error) {
	if cfg.Path == "" || cfg.Path == ":memory:" {
		return engine.Open(ctx, cfg)
	}
	path, err := canonical(cfg.Path)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IOError, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.byPath[path]; ok {
		s.users++
		return s.engine, nil
	}
	e, err := engine.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	r.byPath[path] = &shared{engine: e, users: 1}
	return e, nil
}

// release closes an engine that has no users left.
func (r *registry) release(e *engine.Engine) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for path, s := range r.byPath {
		if s.engine != e {
			continue
		}
		if s.users--; s.users > 0 {
			return nil
		}
		delete(r.byPath, path)
	}
	return e.Close()
}

// canonical gives one name to one file: absolute, the directory's links
// resolved, and the file's own if it exists.
func canonical(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path, nil // the engine reports the missing directory
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// closeAfter closes something because of err.
func closeAfter(err error, close func() error) error { return errors.Join(err, close()) }
