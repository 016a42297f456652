package duckbackend

import (
	"context"
	"strings"
)

// Wall is what DuckDB does not bind for some of its connections' work, in whatever a
// statement calls it: 42501. A wall may be used by many at a time.
type Wall struct {
	functions []byte // each between two line feeds, in lower case; then a zero byte
	hides     bool
}

// NewWall makes a wall before functions, names in lower case. One that hides paths also
// shows NULL for the paths of databases and the HiddenSettings, and lets nobody examine
// these by current_setting.
func NewWall(functions []string, hidesPaths bool) *Wall {
	return &Wall{functions: append(namesIn(functions), 0), hides: hidesPaths}
}

// namesIn are texts, each between two line feeds.
func namesIn(texts []string) []byte { return []byte("\n" + strings.Join(texts, "\n") + "\n") }

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
