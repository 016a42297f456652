package sqlfront

import (
	"errors"
	"strings"
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
		{"select 1", []Statement{{Text: "select 1", Offset: 0, Blocks: 1}}},
		{" select 1 ; select 2;", []Statement{{Text: "select 1", Offset: 1, Blocks: 1}, {Text: "select 2", Offset: 12, Blocks: 1}}},
		{"select ';' ; select 2", []Statement{{Text: "select ';'", Offset: 0, Blocks: 1}, {Text: "select 2", Offset: 13, Blocks: 1}}},
		{`select 'it''s;' ";" ; b`, []Statement{{Text: `select 'it''s;' ";"`, Offset: 0, Blocks: 1}, {Text: "b", Offset: 22}}},
		{`select E'a\';' ; b`, []Statement{{Text: `select E'a\';'`, Offset: 0, Blocks: 1}, {Text: "b", Offset: 17}}},
		{`select 'a\' ; b`, []Statement{{Text: `select 'a\'`, Offset: 0, Blocks: 1}, {Text: "b", Offset: 14}}},
		{"select E'a'\n'\\' '; b -- '", []Statement{{Text: "select E'a'\n'\\' '", Offset: 0, Blocks: 1}, {Text: "b", Offset: 19}}},
		{"select 'a'\n'\\' '; b -- '", []Statement{{Text: "select 'a'\n'\\' '; b -- '", Offset: 0, Blocks: 1}}},
		{"select E'a' '\\' '; b -- '", []Statement{{Text: "select E'a' '\\' '; b -- '", Offset: 0, Blocks: 1}}},
		{"select $$;$$, $a$;$$;$a$ ; b", []Statement{{Text: "select $$;$$, $a$;$$;$a$", Offset: 0, Blocks: 1}, {Text: "b", Offset: 27}}},
		{"select $1;select a$b$;c", []Statement{{Text: "select $1", Offset: 0, Blocks: 1}, {Text: "select a$b$", Offset: 10, Blocks: 1}, {Text: "c", Offset: 22}}},
		{"select 1 /* ; */ -- ;\n + 2; b", []Statement{{Text: "select 1 /* ; */ -- ;\n + 2", Offset: 0, Blocks: 1}, {Text: "b", Offset: 28}}},
		{"/* lead */ a /* tail */", []Statement{{Text: "a", Offset: 11}}},
		{"select 1--;", []Statement{{Text: "select 1", Offset: 0, Blocks: 1}}},
		{"select 1+/*;*/2;b", []Statement{{Text: "select 1+/*;*/2", Offset: 0, Blocks: 1}, {Text: "b", Offset: 16}}},
		{"select ([(1)], (select 2)) from {}; (a) (b)", []Statement{{Text: "select ([(1)], (select 2)) from {}", Blocks: 2, Nesting: 3}, {Text: "(a) (b)", Offset: 36, Nesting: 1}}},
		{`select "select", 'select ((' -- select (`, []Statement{{Text: `select "select", 'select (('`, Blocks: 1}}},
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

// A text beyond its bounds is refused where it leaves them.
func TestSplitWithin(t *testing.T) {
	for _, c := range []struct {
		sql    string
		bounds Bounds
		offset int // of the error; -1: none
	}{
		{"select 1", Bounds{Tokens: 2, TokenBytes: 6}, -1},
		{"select 1 -- , 2", Bounds{Tokens: 2}, -1},
		{"select 1, 2", Bounds{Tokens: 2}, 8},
		{"select 1; select 2", Bounds{Tokens: 3}, 10},
		{"select 'abcdef'", Bounds{TokenBytes: 8}, -1},
		{"select 'abcdefg'", Bounds{TokenBytes: 8}, 7},
		{`select "abcdefg"`, Bounds{TokenBytes: 8}, 7},
		{"select $$abcde$$", Bounds{TokenBytes: 8}, 7},
	} {
		_, err := SplitWithin(c.sql, c.bounds)
		var e *sqlerr.Error
		switch {
		case c.offset < 0 && err != nil:
			t.Errorf("%q: %v", c.sql, err)
		case c.offset >= 0 && (!errors.As(err, &e) || e.Code != sqlerr.StatementTooComplex || e.Offset != c.offset):
			t.Errorf("%q: error %v, want %s at %d", c.sql, err, sqlerr.StatementTooComplex, c.offset)
		}
	}
}

// The error for what has no end shows its beginning.
func TestSplitShowsBeginning(t *testing.T) {
	_, err := Split("select '" + strings.Repeat("x", 5000))
	if err == nil || len(err.Error()) > 1200 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

func TestHasWord(t *testing.T) {
	for sql, want := range map[string]bool{"": false, "public": true, "x.PUBLIC": true, "republic": false, "publics": false, "'public.t'": true, "pub lic": false, "public1": false, "\u00e4public": true, "public\u00e4": true} {
		if got := HasWord(sql, "other", "public"); got != want {
			t.Errorf("HasWord(%q) = %v", sql, got)
		}
	}
}
