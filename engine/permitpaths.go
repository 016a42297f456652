package engine

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Where the files of a server are is for admins, as data_directory in Postgres is for
// superusers.

// pathRelations are DuckDB's functions and views whose rows have paths.
var pathRelations = map[string]bool{
	"duckdb_databases": true, "pragma_database_list": true, "duckdb_settings": true,
}

const hintPaths = "Only members of trireme_admin see where files are. SHOW DATABASES and pg_database list databases, pg_settings the settings of the session."

// permitPaths refuses statements that show paths.
func (s *Session) permitPaths(c sqlfront.Class, sql string) error {
	switch {
	case c.Kind == sqlfront.ClassShow && isHidden(c.Name):
		return s.denied("examine \""+strings.ToLower(c.Name)+"\"", hintPaths)
	case (c.Kind == sqlfront.ClassPragma || c.Kind == sqlfront.ClassCall) && c.Name == "database_list":
		return s.denied("read database_list", hintPaths)
	case c.Kind != sqlfront.ClassCreate:
		return nil
	}
	for _, call := range sqlfront.NamedCalls(sql) { // what it will be called with is not known
		if call.Name == "current_setting" && call.Paths == nil {
			return deniedAt(s.denied("define what examines any setting", hintPaths), call.Offset)
		}
	}
	return nil
}

// isHidden reports whether a setting is a path or a secret.
func isHidden(setting string) bool {
	return slices.Contains(duckbackend.HiddenSettings(), strings.ToLower(setting))
}

// permitPathsIn refuses what shows paths in a text.
func (s *Session) permitPathsIn(sql string) error {
	for name := range sqlfront.MentionsOf(sql).Names { // a string names a table, too
		if pathRelations[name] {
			return s.denied("read "+name, hintPaths)
		}
	}
	for _, call := range sqlfront.NamedCalls(sql) {
		if call.Name != "current_setting" { // DuckDB refuses a computed one
			continue
		}
		if call.Paths != nil && isHidden(call.Paths[0]) || call.Paths == nil && call.Dotted {
			return deniedAt(s.denied("examine such a setting", hintPaths), call.Offset)
		}
	}
	return nil
}

// withoutPaths is an error that names the files of databases without their directory, unless the
// session is an admin's.
func (s *Session) withoutPaths(err error) error {
	if err == nil || s.role == "" {
		return err
	}
	e, changed := *sqlerr.From(err), false
	if !strings.ContainsRune(e.Message+e.Detail+e.Hint, filepath.Separator) {
		return err
	}
	if r, rerr := s.rights(); rerr == nil && seesPaths(r) {
		return err
	}
	files, ferr := s.engine.attachedFiles(context.Background())
	if ferr != nil {
		files = []string{s.engine.cfg.Path}
	}
	var pairs []string
	for _, file := range files {
		if file != "" {
			pairs = append(pairs, absolute(file), filepath.Base(file), file, filepath.Base(file))
		}
	}
	short := strings.NewReplacer(pairs...)
	for _, text := range []*string{&e.Message, &e.Detail, &e.Hint} {
		shown := short.Replace(*text)
		*text, changed = shown, changed || shown != *text
	}
	if !changed {
		return err
	}
	return &e
}

func seesPaths(r roles.Rights) bool { return r.Admin && !r.ReadOnly }

// absolute is a path from the root, as far as the system tells.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
