package engine

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

const hintFiles = "Its operator can open directories: serve --allow-files DIR."

// reachesFiles reports whether DuckDB would let SQL open files.
func (s *Session) reachesFiles() bool {
	return !s.engine.cfg.Confined || len(s.engine.cfg.Directories) > 0
}

// closedFunctions write where they like, or run texts that nobody has looked at, or have
// to do with DuckDB's second parser: it reads the statements of all sessions when it is
// enabled, and goes down a text by recursion until the process has no stack left.
var closedFunctions = map[string]bool{
	"enable_logging": true, "json_execute_serialized_sql": true, "json_serialize_plan": true, "import_database": true, "copy_database": true, "add_parquet_key": true,
	"enable_peg_parser": true, "disable_peg_parser": true, "check_peg_parser": true, "sql_auto_complete": true,
}

// serverFunctions change the server, not data, or tell of its files and of what others do:
// for admins.
var serverFunctions = map[string]bool{
	"duckdb_logs": true, "duckdb_logs_parsed": true, "duckdb_log_contexts": true, "duckdb_extensions": true, "duckdb_temporary_files": true,
	"duckdb_external_file_cache": true, "duckdb_secrets": true, "which_secret": true,
	"disable_logging": true, "truncate_duckdb_logs": true, "pg_reload_conf": true,
	"force_checkpoint": true, "enable_profiling": true, "disable_profiling": true,
}

// writingFunctions have effects beyond the session.
var writingFunctions = map[string]bool{
	"nextval": true, "setval": true, "checkpoint": true, "write_log": true, "pg_cancel_backend": true, "pg_terminate_backend": true, "lo_import": true, "lo_export": true,
}

// textFunctions run a text as a statement, which must therefore be there to be
// looked at.
var textFunctions = map[string]bool{"query": true, "query_table": true}

// permitFunctions looks for calls of functions that the session may not use: in the text, and in
// the definitions that it names where no wall stands before what these call.
func (s *Session) permitFunctions(ctx context.Context, sql string, r roles.Rights) error {
	if r.Admin && !r.ReadOnly && !s.engine.cfg.Confined {
		return nil
	}
	if !seesPaths(r) {
		if err := s.permitPathsIn(sql); err != nil {
			return err
		}
		if err := permitDefined(sql); err != nil {
			return err
		}
	}
	for _, call := range sqlfront.NamedCalls(sql) {
		if err := s.permitNamed(ctx, call, r); err != nil {
			return deniedAt(err, call.Offset)
		}
	}
	return s.permitReached(ctx, sql, r)
}

// permitDefined refuses in what is kept and evaluated for others, defaults, conditions, views and macros,
// calls of functions that tell what statement they execute, or that do something with their rights.
func permitDefined(sql string) error {
	if c := sqlfront.Classify(sql); c.Kind == sqlfront.ClassExplain && c.Body != "" { // ANALYZE executes it
		if err := permitDefined(c.Body); err != nil {
			return shift(err, c.Offset)
		}
	}
	for _, d := range sqlfront.Definitions(sql) {
		if !d.Stored {
			continue
		}
		if call, ok := callForOthers(sql[d.Start:d.End]); ok {
			return deniedAt(sqlerr.New(insufficientPrivilege, "permission denied for function %s in a definition, which others will evaluate", call.Name).
				WithHint("%s", hintAdmin), d.Start+call.Offset)
		}
	}
	return nil
}

// callForOthers finds such a call; what a text calls that is run is found where the text is.
func callForOthers(sql string) (sqlfront.NamedCall, bool) {
	for _, call := range sqlfront.NamedCalls(sql) {
		if call.Name == "current_query" || writingFunctions[call.Name] && call.Name != "nextval" {
			return call, true
		}
		if textFunctions[call.Name] {
			if inner, ok := callForOthers(call.Text); ok {
				inner.Offset = call.Offset
				return inner, true
			}
		}
	}
	return sqlfront.NamedCall{}, false
}

// permitNamed refuses a call of a function that the session may not use.
func (s *Session) permitNamed(ctx context.Context, call sqlfront.NamedCall, r roles.Rights) error {
	if err := s.engine.refusal(call.Name, r); err != nil {
		return err
	}
	switch {
	case textFunctions[call.Name]:
		if !call.Literal || r.ReadOnly && call.Name == "query_table" && s.reachesFiles() {
			return sqlerr.New(insufficientPrivilege, "function %s takes only a literal here", call.Name)
		}
		return s.permitFunctions(ctx, call.Text, r)
	case s.engine.cfg.Confined && fileFunctions[call.Name]:
		return s.permitCall(ctx, call)
	}
	return nil
}

// permitCall checks the paths of a function that reads files. DuckDB itself would let
// it read those of the server's database, by any spelling of their names; that a path
// is inside an open directory can be seen of literals only.
func (s *Session) permitCall(ctx context.Context, call sqlfront.NamedCall) error {
	if call.Paths == nil {
		return sqlerr.New(insufficientPrivilege, "function %s takes only plain string literals as paths here", call.Name)
	}
	for _, path := range call.Paths {
		if err := s.engine.permitData(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

func deniedAt(err error, offset int) error {
	e := *sqlerr.From(err)
	e.Offset = offset
	return &e
}

// permitFiles refuses statements that name files outside the open directories.
func (s *Session) permitFiles(ctx context.Context, c sqlfront.Class, sql string) error {
	what := ""
	switch c.Kind {
	case sqlfront.ClassCopy:
		if !c.CopyStdio {
			what = "COPY"
		}
	case sqlfront.ClassImport: // DuckDB would run statements that nobody has looked at
		return sqlerr.From(closed("IMPORT DATABASE")).WithHint("Run the statements of its schema.sql and load.sql, with psql's \\i for example.")
	case sqlfront.ClassExport:
		what = firstWord(sql)
	case sqlfront.ClassAttach:
		what = "ATTACH"
	case sqlfront.ClassInstall, sqlfront.ClassLoad:
		return closed(firstWord(sql) + " of extensions")
	case sqlfront.ClassCreate:
		switch c.Object {
		case "secret":
			return closed("CREATE SECRET")
		case "macro", "function":
			return s.permitMacro(sql)
		}
	}
	if what == "" {
		return nil
	}
	return s.permitPath(ctx, what, c, sql)
}

// permitMacro refuses a macro whose argument may become the name of a file: who calls it
// may be somebody who reads no files.
func (s *Session) permitMacro(sql string) error {
	if !s.reachesFiles() {
		return nil
	}
	for _, call := range sqlfront.NamedCalls(sql) {
		if nameFunctions[call.Name] && call.Paths == nil {
			return sqlerr.At(insufficientPrivilege, call.Offset, "in a macro, function %s takes only a plain string literal as the name of a table here", call.Name)
		}
	}
	return nil
}

func closed(what string) error {
	return sqlerr.New(insufficientPrivilege, "%s is not available: this server keeps SQL away from files and the network", what)
}

// permitPath checks the one path of COPY, EXPORT, IMPORT and ATTACH. It must be
// a plain literal, so that what is checked is what DuckDB opens.
func (s *Session) permitPath(ctx context.Context, what string, c sqlfront.Class, sql string) error {
	path, ok := sqlfront.PathOf(c, sql)
	switch {
	case c.Kind == sqlfront.ClassCopy && c.Schema, // COPY FROM DATABASE: both are attached
		ok && c.Kind == sqlfront.ClassAttach && (path == ":memory:" || path == ""):
		return nil
	case len(s.engine.cfg.Directories) == 0:
		return sqlerr.From(closed(what + " with a file")).WithHint(hintFiles)
	case !ok:
		return sqlerr.New(insufficientPrivilege, "%s takes only a plain string literal as a path here", what)
	}
	if c.Kind == sqlfront.ClassAttach {
		return s.engine.permitOpen(path)
	}
	return s.engine.permitData(ctx, path)
}

// permitSources refuses a SELECT of a member of trireme_read_only that names a
// file, by DuckDB's own tree of it. Views may read files: whoever made them could.
func (s *Session) permitSources(ctx context.Context, sql string) error {
	var failed error
	text, err := s.engine.system.live.Rewrite(sql, s.catalogEnv(ctx, nil, &failed)) // what DuckDB gets
	if failed != nil {
		err = failed
	}
	if err != nil {
		return err
	}
	tree, err := s.SerializeSQL(ctx, text.SQL)
	if err != nil {
		return err
	}
	var root struct {
		Error      bool   `json:"error"`
		Kind       string `json:"error_type"`
		Statements any    `json:"statements"`
	}
	if err := json.Unmarshal([]byte(tree), &root); err != nil {
		return sqlerr.Wrap(sqlerr.InternalError, err)
	}
	if root.Error {
		if root.Kind == "parser" {
			return nil // DuckDB refuses it, and says why
		}
		return s.denied("run what DuckDB has no tree of, such as PIVOT without IN, where files can be opened", hintReadOnly)
	}
	return s.permitTree(ctx, root.Statements)
}

func (s *Session) permitTree(ctx context.Context, node any) error {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			if err := s.permitTree(ctx, child); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := s.permitSource(ctx, n); err != nil {
			return err
		}
		for _, child := range n {
			if err := s.permitTree(ctx, child); err != nil {
				return err
			}
		}
	}
	return nil
}

// permitSource looks at one node of the tree.
func (s *Session) permitSource(ctx context.Context, n map[string]any) error {
	text := func(key string) string { t, _ := n[key].(string); return t }
	switch text("type") {
	case "BASE_TABLE":
		schema, table := text("schema_name"), text("table_name")
		if schema == "" && !strings.ContainsAny(table, "./:\\*?[") {
			return nil
		}
		parts := []string{table}
		if schema != "" {
			parts = []string{schema, table}
		}
		if catalog := text("catalog_name"); pgcatalog.IsDatabase(catalog) {
			return nil
		} else if catalog != "" {
			parts = append([]string{catalog}, parts...)
		}
		if _, found, err := s.catalogView().Table(ctx, parts); err != nil || found || systemSchemas[strings.ToLower(schema)] && !isFileName(table) {
			return err
		}
		return s.denied("read the file \""+strings.Join(parts, ".")+"\"", hintReadOnly)
	case "FUNCTION":
		if name := strings.ToLower(text("function_name")); fileFunctions[name] || textFunctions[name] {
			return s.denied("call "+name, hintReadOnly)
		}
	case "TABLE_FUNCTION":
		function, _ := n["function"].(map[string]any)
		name, _ := function["function_name"].(string)
		if name = strings.ToLower(name); nameFunctions[name] {
			return s.denied("call "+name, hintReadOnly)
		}
	}
	return nil
}

// nameFunctions are table functions that read the table, or the file, of which they are
// given the name.
var nameFunctions = map[string]bool{"query_table": true, "histogram": true, "histogram_values": true}

// systemSchemas have tables that the catalog does not list.
var systemSchemas = map[string]bool{"information_schema": true, "pg_catalog": true, "main": true}

// isFileName reports whether the last part of a name is what files end in.
func isFileName(name string) bool {
	for _, ending := range []string{"csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "gz", "zst", "db", "duckdb"} {
		if strings.EqualFold(name, ending) {
			return true
		}
	}
	return false
}

// fileFunctions open files.
var fileFunctions = map[string]bool{
	"glob": true, "parquet_bloom_probe": true, "parquet_file_metadata": true, "parquet_full_metadata": true, "parquet_kv_metadata": true,
	"parquet_metadata": true, "parquet_scan": true, "parquet_schema": true, "read_blob": true, "read_csv": true, "read_csv_auto": true,
	"read_duckdb": true, "read_json": true, "read_json_auto": true, "read_json_objects": true, "read_json_objects_auto": true,
	"read_ndjson": true, "read_ndjson_auto": true, "read_ndjson_objects": true, "read_ndjson_objects_auto": true, "read_parquet": true, "read_text": true,
	"sniff_csv": true, "arrow_scan": true, "arrow_scan_dumb": true,
}
