package sqlfront

import (
	"errors"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestSplit(t *testing.T) {
	cases := []struct {
		sql  string
		want []Statement
	}{
		{"", nil},
		{" -- only a comment\n ; /* and /* nested */ one */ ;", nil},
		{"select 1", []Statement{{"select 1", 0}}},
		{" select 1 ; select 2;", []Statement{{"select 1", 1}, {"select 2", 12}}},
		{"select ';' ; select 2", []Statement{{"select ';'", 0}, {"select 2", 13}}},
		{`select 'it''s;' ";" ; b`, []Statement{{`select 'it''s;' ";"`, 0}, {"b", 22}}},
		{`select E'a\';' ; b`, []Statement{{`select E'a\';'`, 0}, {"b", 17}}},
		{`select 'a\' ; b`, []Statement{{`select 'a\'`, 0}, {"b", 14}}},
		{"select $$;$$, $a$;$$;$a$ ; b", []Statement{{"select $$;$$, $a$;$$;$a$", 0}, {"b", 27}}},
		{"select $1;select a$b$;c", []Statement{{"select $1", 0}, {"select a$b$", 10}, {"c", 22}}},
		{"select 1 /* ; */ -- ;\n + 2; b", []Statement{{"select 1 /* ; */ -- ;\n + 2", 0}, {"b", 28}}},
		{"/* lead */ a /* tail */", []Statement{{"a", 11}}},
		{"select 1--;", []Statement{{"select 1", 0}}},
		{"select 1+/*;*/2;b", []Statement{{"select 1+/*;*/2", 0}, {"b", 16}}},
	}
	for _, c := range cases {
		got, err := Split(c.sql)
		if err != nil {
			t.Errorf("Split(%q): %v", c.sql, err)
			continue
		}
		if len(got) != len(c.want) {
			t.Errorf("Split(%q) = %+v, want %+v", c.sql, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("Split(%q)[%d] = %+v, want %+v", c.sql, i, got[i], c.want[i])
			}
			if c.sql[got[i].Offset:got[i].Offset+len(got[i].Text)] != got[i].Text {
				t.Errorf("Split(%q)[%d]: offset %d does not point at %q", c.sql, i, got[i].Offset, got[i].Text)
			}
		}
	}
}

func TestSplitUnterminated(t *testing.T) {
	cases := []struct {
		sql    string
		offset int
	}{
		{"select 'a", 7},
		{`select "a`, 7},
		{"select 1; select $x$ $$", 17},
		{"a /* /* */", 2},
		{`select E'a\'`, 7},
		{"select 'a''", 7},
	}
	for _, c := range cases {
		_, err := Split(c.sql)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != sqlerr.SyntaxError {
			t.Errorf("Split(%q): error %v, want %s", c.sql, err, sqlerr.SyntaxError)
			continue
		}
		if e.Offset != c.offset {
			// The offset of a prefixed string is that of its quote.
			if c.sql[e.Offset] != '\'' || e.Offset != c.offset+1 {
				t.Errorf("Split(%q): offset %d, want %d", c.sql, e.Offset, c.offset)
			}
		}
	}
}
