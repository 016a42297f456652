package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var rewriteMetadata = flag.Bool("metadata.rewrite", false, "write what statements of tools answer as the expected answers")

const metadataFolder = clientsFolder + "/metadata"

// metadataRowsMax is how many rows of an answer are kept.
const metadataRowsMax = 25

// What DBeaver, pgAdmin, Metabase and Grafana ask of the catalog is answered, and as
// before; so is what psql asks for \d and the name of a table, and to complete what
// has been typed, and what SQLAlchemy asks to reflect tables. In their texts {{name}}
// stands for the OID of a relation. Tools order rows by columns that tie (the columns of
// all keys by their positions): on one thread DuckDB answers tied rows in one order.
func TestToolsReadTheCatalog(t *testing.T) {
	at := serve(t, "--threads", "1")
	files, err := filepath.Glob(metadataFolder + "/*.sql")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn := connectMetadata(ctx, t, at)
	if _, err := conn.Exec(ctx, readMetadata(t, metadataFolder+"/schema.sql")).ReadAll(); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		if name == "schema" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			conn := connectMetadata(ctx, t, at)
			got := answers(ctx, t, conn, readMetadata(t, file))
			kept := metadataFolder + "/" + name + ".out"
			if *rewriteMetadata {
				if err := os.WriteFile(kept, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := readMetadata(t, kept); got != want {
				t.Errorf("%s\n%s", name, firstDifference(got, want))
			}
		})
	}
}

func connectMetadata(ctx context.Context, t *testing.T, at string) *pgconn.PgConn {
	t.Helper()
	conn, err := pgx.Connect(ctx, "postgres://trireme@"+at+"/trireme")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return conn.PgConn()
}

func readMetadata(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

var relationName = regexp.MustCompile(`\{\{(\w+)\}\}`)

// answers are those of the statements of a file, each asked as a simple query and by
// the extended protocol, which must agree.
func answers(ctx context.Context, t *testing.T, conn *pgconn.PgConn, file string) string {
	t.Helper()
	file = relationName.ReplaceAllStringFunc(file, func(name string) string {
		res, err := conn.Exec(ctx, "SELECT '"+strings.Trim(name, "{}")+"'::regclass::oid").ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return string(res[0].Rows[0][0])
	})
	var out strings.Builder
	for statement := range strings.SplitSeq(strings.TrimSuffix(file, ";\n"), ";\n") {
		simple, err := conn.Exec(ctx, statement).ReadAll()
		if err != nil {
			t.Errorf("%s\n%v", statement, err)
			continue
		}
		if len(simple) == 0 { // a statement of a comment alone, as in a ping, has no result
			simple = append(simple, &pgconn.Result{})
		}
		extended := conn.ExecParams(ctx, statement, nil, nil, nil, nil).Read()
		described, err := conn.Prepare(ctx, "", statement, nil)
		if err != nil {
			t.Errorf("%s\n%v", statement, err)
			continue
		}
		ordered := orders(statement)
		text := answerText(described.Fields, simple[0], ordered)
		if other := answerText(described.Fields, extended, ordered); other != text {
			t.Errorf("%s\nas a simple query\n%s\nextended\n%s", statement, text, other)
		}
		fmt.Fprintf(&out, "%s;\n----\n%s\n", statement, text)
	}
	return out.String()
}

var (
	orderBy    = regexp.MustCompile(`(?i)\border by\b`)
	stringText = regexp.MustCompile(`'[^']*'`)
)

// orders reports whether the rows of a statement have an order: that of an aggregate or
// a subquery, in parentheses, is none.
func orders(statement string) bool {
	statement = stringText.ReplaceAllString(statement, "")
	return slices.ContainsFunc(orderBy.FindAllStringIndex(statement, -1), func(at []int) bool {
		before := statement[:at[0]]
		return strings.Count(before, "(") == strings.Count(before, ")")
	})
}

func answerText(fields []pgconn.FieldDescription, res *pgconn.Result, ordered bool) string {
	if res.Err != nil {
		return res.Err.Error() + "\n"
	}
	var out strings.Builder
	var head []string
	for _, f := range fields {
		head = append(head, fmt.Sprintf("%s %d", f.Name, f.DataTypeOID))
	}
	fmt.Fprintln(&out, strings.Join(head, "|"))
	var lines []string
	for _, row := range res.Rows {
		values := make([]string, len(row))
		for c, value := range row {
			values[c] = string(value)
			if value == nil {
				values[c] = "NULL"
			}
		}
		lines = append(lines, strings.Join(values, "|")+"\n")
	}
	if !ordered { // then the order is nobody's promise
		slices.Sort(lines)
	}
	for i, line := range lines {
		if i == metadataRowsMax {
			line = "...\n"
		}
		if i <= metadataRowsMax {
			out.WriteString(line)
		}
	}
	fmt.Fprintln(&out, res.CommandTag)
	return out.String()
}

// firstDifference is where two texts part, with what comes before.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, strings.Join(a[min(i, len(a)):min(i+3, len(a))], "\n"), strings.Join(b[min(i, len(b)):min(i+3, len(b))], "\n"))
}

// OIDs mean the same in all relations of the catalog, and in descriptions of results.
func TestOIDsAgree(t *testing.T) {
	at := serve(t)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn := connectMetadata(ctx, t, at)
	query := func(sql string) [][][]byte {
		t.Helper()
		res := conn.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
		if res.Err != nil {
			t.Fatalf("%s\n%v", sql, res.Err)
		}
		return res.Rows
	}
	if _, err := conn.Exec(ctx, readMetadata(t, metadataFolder+"/schema.sql")).ReadAll(); err != nil {
		t.Fatal(err)
	}
	relations := query("SELECT c.oid::regclass::text, c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v') AND n.nspname IN ('public', 'Old Docks') ORDER BY 1")
	if len(relations) != 5 {
		t.Fatalf("%d relations: %s", len(relations), relations)
	}
	for _, r := range relations {
		var want, got []string
		for _, a := range query("SELECT attname, atttypid FROM pg_attribute WHERE attnum > 0 AND attrelid = " + string(r[1]) + " ORDER BY attnum") {
			want = append(want, fmt.Sprintf("%s %s", a[0], a[1]))
		}
		described, err := conn.Prepare(ctx, "", "SELECT * FROM "+string(r[0]), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range described.Fields {
			got = append(got, fmt.Sprintf("%s %d", f.Name, f.DataTypeOID))
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("%s: described as %v, in pg_attribute %v", r[0], got, want)
		}
	}
	for _, c := range []struct{ of, in, among string }{
		{"attrelid", "pg_attribute", "pg_class"},
		{"atttypid", "pg_attribute", "pg_type"},
		{"relnamespace", "pg_class", "pg_namespace"},
		{"relam", "pg_class", "pg_am"},
		{"indexrelid", "pg_index", "pg_class"},
		{"indrelid", "pg_index", "pg_class"},
		{"conrelid", "pg_constraint", "pg_class"},
		{"confrelid", "pg_constraint", "pg_class"},
		{"conindid", "pg_constraint", "pg_class"},
		{"connamespace", "pg_constraint", "pg_namespace"},
		{"adrelid", "pg_attrdef", "pg_class"},
		{"typnamespace", "pg_type", "pg_namespace"},
		{"typelem", "pg_type", "pg_type"},
		{"typarray", "pg_type", "pg_type"},
		{"enumtypid", "pg_enum", "pg_type"},
		{"seqrelid", "pg_sequence", "pg_class"},
		{"relowner", "pg_class", "pg_roles"},
		{"prorettype", "pg_proc", "pg_type"},
		{"pronamespace", "pg_proc", "pg_namespace"},
		{"prolang", "pg_proc", "pg_language"},
		{"refobjid", "pg_depend", "pg_class"},
	} {
		lost := query(fmt.Sprintf("SELECT DISTINCT x.%s FROM %s x WHERE x.%s <> 0 AND x.%s NOT IN (SELECT oid FROM %s)", c.of, c.in, c.of, c.of, c.among))
		if len(lost) > 0 {
			t.Errorf("%s of %s is none of %s: %s", c.of, c.in, c.among, lost)
		}
	}
	for _, name := range []string{"pg_class", "pg_type", "pg_namespace", "pg_constraint", "pg_proc", "pg_roles"} {
		if twice := query("SELECT oid FROM " + name + " GROUP BY oid HAVING count(*) > 1"); len(twice) > 0 {
			t.Errorf("%s has the same OID twice: %s", name, twice)
		}
	}
}
