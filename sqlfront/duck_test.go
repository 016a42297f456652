package sqlfront

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// duck is DuckDB as oracle, catalog and preparer of the tests, independent of
// the server's own packages.
type duck struct {
	conn      *sql.Conn
	functions map[string]Function
	tables    map[string]*Table
	described int
}

// newDuck opens a database in memory and runs testdata/schema.sql.
func newDuck(t testing.TB) *duck {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	schema, err := os.ReadFile("testdata/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	d := &duck{conn: conn, functions: map[string]Function{}, tables: map[string]*Table{}}
	for _, s := range []string{"PRAGMA disable_optimizer", "SET threads = 1", string(schema)} {
		if _, err := conn.ExecContext(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	d.loadFunctions(t)
	return d
}

func (d *duck) loadFunctions(t testing.TB) {
	r, err := d.conn.QueryContext(context.Background(),
		"SELECT lower(function_name), function_type, coalesce(stability, ''), internal, array_to_string(parameters, ','), coalesce(macro_definition, '') FROM duckdb_functions() ORDER BY internal")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Next() {
		var name, kind, stability, params, body string
		var internal bool
		if err := r.Scan(&name, &kind, &stability, &internal, &params, &body); err != nil {
			t.Fatal(err)
		}
		f, seen := d.functions[name]
		if !seen {
			f.Consistent = true
		}
		f.Scalar = f.Scalar || kind == "scalar"
		f.Aggregate = f.Aggregate || kind == "aggregate"
		f.Macro = f.Macro || strings.Contains(kind, "macro")
		f.Redefined = f.Redefined || strings.Contains(kind, "macro") && !internal
		f.Consistent = f.Consistent && stability == "CONSISTENT"
		if strings.Contains(kind, "macro") && !(internal && f.Redefined) {
			m := Macro{Body: body, Table: kind == "table_macro"}
			if params != "" {
				m.Params = strings.Split(params, ",")
			}
			f.Macros = append(f.Macros, m)
		}
		d.functions[name] = f
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
}

// Function implements Catalog.
func (d *duck) Function(_ context.Context, name string) (Function, error) {
	return d.functions[fold(name)], nil
}

// Table implements Catalog: one name, or schema and name, in the catalog memory.
func (d *duck) Table(ctx context.Context, parts []string) (*Table, bool, error) {
	schema, name := "main", parts[len(parts)-1]
	if len(parts) > 1 {
		schema = parts[len(parts)-2]
	}
	if len(parts) > 2 && parts[0] != "memory" {
		return nil, false, nil
	}
	key := fold(schema + "." + name)
	if t := d.tables[key]; t != nil {
		return t, true, nil
	}
	var realName, realSchema, create string
	var view bool
	err := d.conn.QueryRowContext(ctx, `SELECT schema_name, table_name, false, sql FROM duckdb_tables() WHERE lower(schema_name || '.' || table_name) = $1
		UNION ALL SELECT schema_name, view_name, true, sql FROM duckdb_views() WHERE lower(schema_name || '.' || view_name) = $1`, key).Scan(&realSchema, &realName, &view, &create)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	desc, err := d.Describe(ctx, "SELECT * FROM "+load.Quote(realSchema)+"."+load.Quote(realName), nil)
	if err != nil {
		return nil, false, err
	}
	t := &Table{Name: load.Table{Catalog: "memory", Schema: realSchema, Name: realName}, Columns: desc.Columns, View: view}
	if view {
		t.ViewSQL, err = ViewBody(create)
	} else {
		t.Collated, err = CollatedColumns(create, desc.Columns)
	}
	if err != nil {
		return nil, false, err
	}
	d.tables[key] = t
	return t, true, nil
}

// TableIn implements Catalog.
func (d *duck) TableIn(ctx context.Context, catalog, schema string, parts []string) (*Table, bool, error) {
	if len(parts) == 1 {
		parts = []string{catalog, schema, parts[0]}
	}
	return d.Table(ctx, parts)
}

// Describe implements Preparer.
func (d *duck) Describe(_ context.Context, text string, _ []rows.Type) (Description, error) {
	d.described++
	var out Description
	err := d.conn.Raw(func(c any) error {
		prepared, err := c.(driver.Conn).Prepare(text)
		if err != nil {
			return err
		}
		s := prepared.(*duckdb.Stmt)
		defer s.Close()
		n, err := s.ColumnCount()
		if err != nil {
			return err
		}
		for i := range n {
			name, err := s.ColumnName(i)
			if err != nil {
				return err
			}
			info, err := s.ColumnTypeInfo(i)
			if err != nil {
				return err
			}
			out.Columns = append(out.Columns, rows.Column{Name: name, Type: rowsType(info)})
		}
		for i := 1; i <= s.NumInput(); i++ {
			t, err := s.ParamType(i)
			if err != nil {
				return err
			}
			out.Params = append(out.Params, rows.Type{ID: typeIDs[t]})
		}
		return nil
	})
	return out, err
}

// SerializeSQL implements TreePreparer.
func (d *duck) SerializeSQL(ctx context.Context, text string) (out string, err error) {
	err = d.conn.QueryRowContext(ctx, "SELECT json_serialize_sql($1::VARCHAR)::VARCHAR", text).Scan(&out)
	return out, err
}

// DeserializeSQL implements TreePreparer.
func (d *duck) DeserializeSQL(ctx context.Context, tree string) (out string, err error) {
	err = d.conn.QueryRowContext(ctx, "SELECT json_deserialize_sql($1::JSON)", tree).Scan(&out)
	return out, err
}

var typeIDs = map[duckdb.Type]rows.TypeID{
	duckdb.TYPE_BOOLEAN: rows.Boolean, duckdb.TYPE_TINYINT: rows.TinyInt, duckdb.TYPE_SMALLINT: rows.SmallInt,
	duckdb.TYPE_INTEGER: rows.Integer, duckdb.TYPE_BIGINT: rows.BigInt, duckdb.TYPE_HUGEINT: rows.HugeInt,
	duckdb.TYPE_UTINYINT: rows.UTinyInt, duckdb.TYPE_USMALLINT: rows.USmallInt, duckdb.TYPE_UINTEGER: rows.UInteger,
	duckdb.TYPE_UBIGINT: rows.UBigInt, duckdb.TYPE_FLOAT: rows.Float, duckdb.TYPE_DOUBLE: rows.Double,
	duckdb.TYPE_VARCHAR: rows.Varchar, duckdb.TYPE_DATE: rows.Date, duckdb.TYPE_TIMESTAMP: rows.Timestamp,
	duckdb.TYPE_INTERVAL: rows.Interval, duckdb.TYPE_TIME: rows.Time, duckdb.TYPE_BLOB: rows.Blob,
	duckdb.TYPE_TIMESTAMP_TZ: rows.TimestampTZ, duckdb.TYPE_UUID: rows.UUID,
}

func rowsType(info duckdb.TypeInfo) rows.Type {
	switch d := info.Details().(type) {
	case *duckdb.DecimalDetails:
		return rows.Type{ID: rows.Decimal, Width: d.Width, Scale: d.Scale}
	case *duckdb.EnumDetails:
		return rows.Type{ID: rows.Enum, Name: "ENUM('" + strings.Join(d.Values, "', '") + "')"}
	case nil:
		if id := typeIDs[info.InternalType()]; id != 0 {
			return rows.Type{ID: id}
		}
		return rows.Type{ID: rows.Other, Name: fmt.Sprint(info.InternalType())}
	default:
		return rows.Type{ID: rows.Struct, Name: "STRUCT(x INTEGER)"}
	}
}

// tree returns DuckDB's syntax tree of a SELECT without positions in the text.
func (d *duck) tree(text string) (string, error) {
	var raw any
	if err := d.conn.QueryRowContext(context.Background(), "SELECT CAST(json_serialize_sql("+quoteText(text)+") AS VARCHAR)").Scan(&raw); err != nil {
		return "", err
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(raw.(string)), &v); err != nil {
		return "", err
	}
	if v["error"] != false {
		return "", fmt.Errorf("%v", v["error_message"])
	}
	dropLocations(v)
	out, err := json.MarshalIndent(v, "", " ")
	return string(out), err
}

func dropLocations(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "query_location")
		delete(v, "named_param_map") // in order of occurrence; the nodes have the numbers
		// EXTRACT and the like name their function with its schema.
		if v["class"] == "FUNCTION" && v["schema"] == "main" {
			v["schema"] = ""
		}
		for _, c := range v {
			dropLocations(c)
		}
	case []any:
		for _, c := range v {
			dropLocations(c)
		}
	}
}

// analyze runs Analyze against the database.
func (d *duck) analyze(text string) (*Analysis, error) {
	return Analyze(context.Background(), text, d, d, nil)
}

// parsed runs gate, parser and converter only.
func parsed(text string) (sel *selectNode, reason string) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refusal:
			reason = p.reason
		default:
			panic(p)
		}
	}()
	return parseSelect(text), ""
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
