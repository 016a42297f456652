package duckbackend

import (
	"context"
	"strings"
)

// Wall is what DuckDB does not bind for some of its connections' work, in whatever a
// statement calls it: 42501. A wall may be used by many at a time.
type Wall struct {
	functions, settings []string
	names               wallNames
}

// NewWall makes a wall before functions, names in lower case. One that hides paths also
// shows NULL for the paths of databases and the HiddenSettings, and lets nobody examine
// these by current_setting.
func NewWall(functions []string, hidesPaths bool) *Wall {
	w := &Wall{functions: functions}
	if hidesPaths {
		w.settings = append(HiddenSettings(), databasePath)
	}
	w.inC()
	return w
}

// databasePath stands for the paths of databases among the names of settings.
const databasePath = "path"

// namesIn are names, each between two line feeds.
func namesIn(names []string) string { return "\n" + strings.Join(names, "\n") + "\n" }

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
