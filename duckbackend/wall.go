package duckbackend

import (
	"context"
	"strings"
)

// Wall is what DuckDB does not bind for some of its connections' work, in whatever a
// statement calls it, of a database with a Guard. A wall may be used by many at a time.
type Wall struct{ functions, settings map[string]error }

// NewWall makes a wall before functions: the errors of their calls, by their names in lower
// case. With hidden, the error of looking at a setting, it also stands before the
// HiddenSettings, which current_setting does not examine, and shows NULL for them and for the
// paths of databases.
func NewWall(functions map[string]error, hidden error) *Wall {
	w := &Wall{functions: functions, settings: map[string]error{}}
	if hidden != nil {
		for _, setting := range append(HiddenSettings(), databasePath) {
			w.settings[setting] = hidden
		}
	}
	return w
}

// databasePath stands for the paths of databases among the names of settings.
const databasePath = "path"

// HiddenSettings are DuckDB's settings, in lower case, that are paths or secrets.
func HiddenSettings() []string {
	return []string{
		"temp_directory", "allowed_directories", "allowed_paths", "secret_directory", "extension_directory",
		"extension_directories", "home_directory", "file_search_path", "log_query_path", "profile_output",
		"profiling_output", "logging_storage", "http_proxy", "http_proxy_username", "http_proxy_password",
	}
}

type wallKey struct{}

// WithWall is a context for what is done behind a wall, on any connection; nil: without one.
func WithWall(ctx context.Context, w *Wall) context.Context {
	return context.WithValue(ctx, wallKey{}, w)
}

func wallOf(ctx context.Context) *Wall {
	w, _ := ctx.Value(wallKey{}).(*Wall)
	return w
}

// standBehind puts a wall up for what a connection does from now on.
func (c *Conn) standBehind(w *Wall) {
	if w == c.wall {
		return
	}
	c.db.mu.Lock()
	c.wall = w
	c.db.mu.Unlock()
}

// refusal is the error of what a wall stands before; of no wall there is none.
func (w *Wall) refusal(c Change) error {
	switch {
	case w == nil:
		return nil
	case c.Act == examines:
		return w.settings[strings.ToLower(c.Name)]
	}
	return w.functions[strings.ToLower(c.Name)]
}
