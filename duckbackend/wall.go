package duckbackend

import "context"

// Wall is what DuckDB does not bind for some of its connections' work, in whatever a
// statement calls it. A wall may be used by many at a time.
type Wall struct {
	functions, settings map[string]error
	texts               wallTexts
}

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
	w.inC()
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
