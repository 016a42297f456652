package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
)

// objects lists what a database, of which $ is the name, has beside rows.
const objects = `
SELECT concat_ws('|', 'schema', schema_name, comment) FROM duckdb_schemas() WHERE database_name = $
UNION ALL SELECT concat_ws('|', 'table', schema_name, table_name, sql, comment, estimated_size) FROM duckdb_tables() WHERE database_name = $
UNION ALL SELECT concat_ws('|', 'column', schema_name, table_name, column_name, column_default, data_type, is_nullable, comment) FROM duckdb_columns() WHERE database_name = $
UNION ALL SELECT concat_ws('|', 'constraint', schema_name, table_name, constraint_text, constraint_type, constraint_name) FROM duckdb_constraints() WHERE database_name = $
UNION ALL SELECT concat_ws('|', 'view', schema_name, view_name, sql, comment) FROM duckdb_views() WHERE database_name = $ AND NOT internal
UNION ALL SELECT concat_ws('|', 'index', schema_name, table_name, index_name, sql, comment) FROM duckdb_indexes() WHERE database_name = $
UNION ALL SELECT concat_ws('|', 'sequence', schema_name, sequence_name, start_value, min_value, max_value, increment_by, cycle, comment) FROM duckdb_sequences() WHERE database_name = $
UNION ALL SELECT concat_ws('|', 'type', schema_name, type_name, logical_type, labels, comment) FROM duckdb_types() WHERE database_name = $ AND NOT internal
UNION ALL SELECT concat_ws('|', 'function', schema_name, function_name, function_type, parameters, macro_definition, comment) FROM duckdb_functions() WHERE database_name = $ AND NOT internal`

// everything has the objects and rows of a database, a line each, and the numbers that come next.
func (s testSession) everything(database string) string {
	s.t.Helper()
	text := quoteText(database)
	all := s.texts(strings.ReplaceAll(objects, "$", text))
	for _, of := range []struct{ names, query string }{
		{`SELECT format('"{}"."{}"', schema_name, replace(table_name, '"', '""')) FROM duckdb_tables() WHERE database_name = ` + text, "SELECT concat_ws('|', count(*), bit_xor(hash(t)), min(t::TEXT)) FROM %s t"},
		{`SELECT format('"{}"."{}"', schema_name, sequence_name) FROM duckdb_sequences() WHERE database_name = ` + text, "SELECT nextval('%s')::TEXT"},
	} {
		for _, name := range s.texts(of.names) {
			all = append(all, name+": "+s.texts(fmt.Sprintf(of.query, quoteName([]string{database})+"."+name))[0])
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// texts are the rows of a query of one text, which DuckDB answers.
func (s testSession) texts(sql string) []string {
	s.t.Helper()
	list, err := textRows(s.t.Context(), s.conn, sql)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	texts := make([]string, len(list))
	for i, row := range list {
		texts[i] = row[0]
	}
	return texts
}

// What was committed is there when the file is opened after a crash, objects and rows.
func TestCommittedIsRecovered(t *testing.T) {
	if !duckbackend.ReplaysTypes {
		t.Skip("DuckDB cannot open a file whose log has types of new schemas: " + runtime.GOOS + ", or a library of its own")
	}
	dir := t.TempDir()
	e := openConfig(t, Config{Path: filepath.Join(dir, "served.db")})
	for _, c := range recovered {
		t.Run(c.name, func(t *testing.T) {
			s, other := openSession(t, e), openSession(t, e)
			s.run("ATTACH '" + filepath.Join(dir, "live.db") + "' AS live")
			s.run("USE live")
			other.run("USE live")
			defer func() {
				other.run("USE trireme")
				s.run("USE trireme")
				s.run("DETACH DATABASE IF EXISTS copied")
				s.run("DETACH live")
				for _, name := range []string{"live.db", "live.db.wal", "copied.db", "copied.db.wal"} {
					os.Remove(filepath.Join(dir, name))
				}
			}()
			for line := range strings.SplitSeq(strings.TrimSpace(c.script), "\n") {
				sql, code, fails := strings.Cut(strings.TrimSpace(line), " ! ")
				by := s
				if of, isOther := strings.CutPrefix(sql, "other: "); isOther {
					by, sql = other, of
				}
				if fails {
					by.wantError(sql, code)
				} else if _, _, err := by.try(sql); err != nil {
					t.Errorf("%s: %v", sql, err)
				}
			}
			copyCrashed(t, dir, "live.db", "copied.db")
			s.run("ATTACH '" + filepath.Join(dir, "copied.db") + "' AS copied")
			if got, want := s.everything("copied"), s.everything("live"); got != want {
				t.Errorf("recovered:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}
