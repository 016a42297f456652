package sqlfront

import (
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// FileFunctions are the table functions that read files, whose rows may be others each time.
var FileFunctions = map[string]bool{
	"parquet_scan": true, "read_blob": true, "read_csv": true, "read_csv_auto": true, "read_json": true, "read_json_auto": true, "read_json_objects": true,
	"read_json_objects_auto": true, "read_ndjson": true, "read_ndjson_auto": true, "read_ndjson_objects": true, "read_ndjson_objects_auto": true,
	"read_parquet": true, "read_text": true,
}

// file binds a name that is no table's but which DuckDB reads a file by.
func (b *block) file(f *tableNode, alias string) (*scopeTable, *Join) {
	columns := b.fileColumns(f.parts)
	if f.alias == "" { // DuckDB makes one of the file's name
		alias = ""
	}
	out := &scopeTable{alias: fold(alias)}
	tree := b.readSource(out, Source{Alias: "file", Text: "SELECT * FROM " + load.Quote(f.parts[0]), Memory: SessionTables, Columns: columns}, nil)
	nameColumns(out.cols, f.columns)
	return out, tree
}

// fileColumns are the columns of a file that stands in the place of a table. The definition
// of a view names none: what it reads belongs to its own session.
func (b *binder) fileColumns(parts []string) []rows.Column {
	if len(parts) > 1 || b.within != nil {
		refuse("unknown table ", parts[len(parts)-1])
	}
	d, err := b.prep.Describe(b.ctx, "SELECT * FROM "+load.Quote(parts[0]), nil)
	if err != nil {
		refuse("unknown table ", parts[0])
	}
	return d.Columns
}
