package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/pgwire"
)

// printer prints a result in one format.
type printer func(ctx context.Context, cur rows.Cursor, out io.Writer) error

// nullText stands for NULL in tables; CSV has an empty field without quotes, JSON null.
const nullText = "NULL"

// eachRow calls row with the texts of every row; null[i] says that column i is NULL.
func eachRow(ctx context.Context, cur rows.Cursor, row func(b *rows.Batch, i int) error) error {
	for {
		b, err := cur.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		for i := range b.N {
			if err := row(b, i); err != nil {
				return err
			}
		}
	}
}

func textOf(v *rows.Vector, i int, null string) (string, error) {
	if v.IsNull(i) {
		return null, nil
	}
	text, err := pgwire.AppendText(nil, v, i)
	return string(text), err
}

func textRow(b *rows.Batch, i int, null string) ([]string, error) {
	cells := make([]string, len(b.Cols))
	for c := range b.Cols {
		text, err := textOf(&b.Cols[c], i, null)
		if err != nil {
			return nil, err
		}
		cells[c] = text
	}
	return cells, nil
}

// printTable keeps all rows to know the widths of columns.
func printTable(ctx context.Context, cur rows.Cursor, out io.Writer) error {
	cols := cur.Columns()
	header := make([]string, len(cols))
	for i, c := range cols {
		header[i] = printable(c.Name)
	}
	table := [][]string{header}
	err := eachRow(ctx, cur, func(b *rows.Batch, i int) error {
		cells, err := textRow(b, i, nullText)
		for c := range cells {
			cells[c] = printable(cells[c])
		}
		table = append(table, cells)
		return err
	})
	if err != nil {
		return err
	}
	widths := make([]int, len(cols))
	for _, cells := range table {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	w := bufio.NewWriter(out)
	for n, cells := range table {
		fmt.Fprintln(w, tableLine(cells, widths, cols, n == 0))
		if n == 0 {
			fmt.Fprintln(w, tableRule(widths))
		}
	}
	unit := "rows"
	if len(table) == 2 {
		unit = "row"
	}
	fmt.Fprintf(w, "(%d %s)\n", len(table)-1, unit)
	return w.Flush()
}

// printable escapes the control characters of a text, which would move the cells of a table
// or tell the terminal something.
func printable(text string) string {
	if strings.IndexFunc(text, unicode.IsControl) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func tableLine(cells []string, widths []int, cols []rows.Column, header bool) string {
	parts := make([]string, len(cells))
	for i, cell := range cells {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if !header && (cols[i].Type.IsExact() || cols[i].Type.IsFloat()) {
			parts[i] = pad + cell
		} else {
			parts[i] = cell + pad
		}
	}
	return strings.TrimRight(" "+strings.Join(parts, " | "), " ")
}

func tableRule(widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("-", w+2)
	}
	return strings.Join(parts, "+")
}

func printCSV(ctx context.Context, cur rows.Cursor, out io.Writer) error {
	w := bufio.NewWriter(out)
	cols := cur.Columns()
	header := make([]string, len(cols))
	for i, c := range cols {
		header[i] = csvField(c.Name)
	}
	writeCSV(w, header)
	err := eachRow(ctx, cur, func(b *rows.Batch, i int) error {
		cells, err := textRow(b, i, "")
		for c := range cells {
			if !b.Cols[c].IsNull(i) {
				cells[c] = csvField(cells[c])
			}
		}
		writeCSV(w, cells)
		return err
	})
	if err != nil {
		return err
	}
	return w.Flush() // reports what failed above
}

func writeCSV(w *bufio.Writer, cells []string) {
	w.WriteString(strings.Join(cells, ","))
	w.WriteByte('\n')
}

// csvField is a text in quotes where they are needed: an empty one without them is NULL.
func csvField(text string) string {
	if text != "" && !strings.ContainsAny(text, "\",\r\n") && strings.TrimSpace(text) == text && text != `\.` {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// printJSON prints an array with one object per row. Exact numbers are printed
// with all their digits; NaN and the infinities, which JSON lacks, as strings; lists, structs and
// maps as arrays and objects.
func printJSON(ctx context.Context, cur rows.Cursor, out io.Writer) error {
	w := bufio.NewWriter(out)
	w.WriteByte('[')
	first := true
	cols := cur.Columns()
	err := eachRow(ctx, cur, func(b *rows.Batch, i int) error {
		if !first {
			w.WriteByte(',')
		}
		first = false
		w.WriteString("\n  {")
		for c := range b.Cols {
			if c > 0 {
				w.WriteString(", ")
			}
			value, err := jsonValue(&b.Cols[c], i)
			if err != nil {
				return err
			}
			name, err := marshal(cols[c].Name)
			if err != nil {
				return err
			}
			w.Write(name)
			w.WriteString(": ")
			w.Write(value)
		}
		w.WriteByte('}')
		return nil
	})
	if err != nil {
		return err
	}
	w.WriteString("\n]\n")
	return w.Flush() // reports what failed above
}

func jsonValue(v *rows.Vector, i int) ([]byte, error) {
	if v.IsNull(i) {
		return []byte("null"), nil
	}
	text, err := pgwire.AppendText(nil, v, i)
	if err != nil {
		return nil, err
	}
	t := v.Type
	if nestedTypes[t.ID] {
		if value, ok := nestedJSON(t.Name, v.Str[i]); ok {
			return value, nil
		}
	}
	switch {
	case t.ID == rows.Boolean:
		return marshal(v.I64[i] != 0)
	case t.IsExact():
		return text, nil
	case t.IsFloat() && !math.IsNaN(v.F64[i]) && !math.IsInf(v.F64[i], 0):
		return text, nil
	case t.ID == rows.JSON:
		if json.Valid(text) {
			return text, nil
		}
	}
	return marshal(string(text))
}

// marshal is json.Marshal without escaping for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
