package sqlfront

import (
	"context"
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"testing"
)

// fill puts random rows with NULLs and duplicates into every table.
func (d *duck) fill(t testing.TB, rowsPerTable int) {
	ctx := context.Background()
	if _, err := d.conn.ExecContext(ctx, "SELECT setseed(0.25)"); err != nil {
		t.Fatal(err)
	}
	r, err := d.conn.QueryContext(ctx, `SELECT schema_name || '."' || table_name || '"', string_agg(CASE
		WHEN data_type IN ('INTEGER', 'BIGINT', 'SMALLINT', 'TINYINT', 'HUGEINT', 'UINTEGER') THEN 'CASE WHEN random() < 0.15 THEN NULL ELSE (random() * 4)::INTEGER END'
		WHEN data_type = 'VARCHAR' THEN 'CASE WHEN random() < 0.15 THEN NULL ELSE chr(97 + (random() * 3)::INTEGER) END'
		WHEN data_type = 'DATE' THEN 'DATE ''1995-01-01'' + (random() * 900)::INTEGER'
		WHEN data_type = 'DOUBLE' OR data_type = 'FLOAT' OR data_type LIKE 'DECIMAL%' THEN 'CASE WHEN random() < 0.15 THEN NULL ELSE (random() * 8)::INTEGER * 0.25 END'
		WHEN data_type = 'BOOLEAN' THEN 'random() < 0.5'
		ELSE 'NULL' END, ', ' ORDER BY column_index)
		FROM duckdb_columns() WHERE NOT internal AND table_name IN (SELECT table_name FROM duckdb_tables() WHERE NOT contains(sql, 'GENERATED')) GROUP BY 1 ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	var inserts []string
	for r.Next() {
		var table, values string
		if err := r.Scan(&table, &values); err != nil {
			t.Fatal(err)
		}
		inserts = append(inserts, fmt.Sprintf("INSERT INTO %s SELECT %s FROM range(%d)", table, values, rowsPerTable))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range inserts {
		if _, err := d.conn.ExecContext(ctx, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// result runs a query and returns its rows as text, sorted unless ordered.
func (d *duck) result(text string, ordered bool) ([]string, error) {
	r, err := d.conn.QueryContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cols, err := r.Columns()
	if err != nil {
		return nil, err
	}
	out := []string{strings.Join(cols, "|")}
	for r.Next() {
		vals, ptrs := make([]any, len(cols)), make([]any, len(cols))
		for i := range vals {
			ptrs[i] = &vals[i]
		}
		if err := r.Scan(ptrs...); err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprint(vals...))
	}
	if !ordered {
		sort.Strings(out[1:])
	}
	return out, r.Err()
}

// sameMeaning compares the rows of a statement without parameters and of its bound
// query, printed.
func sameMeaning(t testing.TB, d *duck, text string, a *Analysis) bool {
	t.Helper()
	q := a.Query
	// With one thread ties come out alike, since the plans are.
	ordered := len(q.OrderBy) > 0
	want, wantErr := d.result(text, ordered)
	printed := PrintQuery(q)
	for i, c := range a.Clocks {
		printed = strings.ReplaceAll(printed, fmt.Sprintf("$%d", i+1), c.SQL)
	}
	got, gotErr := d.result(printed, ordered)
	if (wantErr == nil) != (gotErr == nil) {
		t.Errorf("%s\nprinted %s\n got error %v\nwant error %v", text, printed, gotErr, wantErr)
		return false
	}
	if q.Limit != nil || q.Offset != nil { // which rows is DuckDB's choice
		got, want = []string{fmt.Sprint(len(got))}, []string{fmt.Sprint(len(want))}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nprinted %s\n got %q\nwant %q", text, printed, got, want)
		return false
	}
	return true
}

func TestBoundMeaning(t *testing.T) {
	d := newDuck(t)
	d.fill(t, 12)
	for _, text := range corpus(t, "accept") {
		if strings.ContainsAny(text, "$?") {
			continue
		}
		a, err := d.analyze(text)
		if err != nil || a.Query == nil {
			continue // TestAcceptedBind reports it
		}
		sameMeaning(t, d, text, a)
	}
}

// names is what mutations of names choose from: tables, columns and aliases
// that collide.
var names = strings.Fields("a b c e v t u x y n l src dst id label w name s key dec e.src a.src b.dst q.n v.id x.x s2.e edge main.e 1 2 count(*) sum(w) max(a.src)")

// TestMutatedMeaning changes names in accepted statements at random; what DuckDB
// and we still accept must mean the same.
func TestMutatedMeaning(t *testing.T) {
	d := newDuck(t)
	d.fill(t, 7)
	texts := corpus(t, "accept")
	r := rand.New(rand.NewSource(2))
	compared, wrong := 0, 0
	for range *mutations / 10 {
		text := texts[r.Intn(len(texts))]
		if strings.ContainsAny(text, "$?") {
			continue
		}
		toks := tokens(t, text)
		for range 1 + r.Intn(3) {
			i := r.Intn(len(toks))
			if toks[i] == "AS" || isPlainName(toks[i]) && !structural[fold(toks[i])] {
				toks[i] = names[r.Intn(len(names))]
			}
		}
		text = strings.Join(toks, " ")
		a, err := d.analyze(text)
		if err != nil {
			continue // DuckDB's error
		}
		if a.Query == nil {
			if strings.HasPrefix(a.Reason, "type of") {
				t.Errorf("%s\n%s", text, a.Reason)
			}
			continue
		}
		compared++
		if !sameMeaning(t, d, text, a) {
			wrong++
		}
		if wrong == 10 {
			break
		}
	}
	t.Logf("%d compared of %d", compared, *mutations/10)
	if compared < *mutations/40 {
		t.Errorf("only %d of %d mutations were compared", compared, *mutations/10)
	}
}
