package copyfmt

import (
	"errors"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// What Postgres 15 writes for the same values.
func TestWrite(t *testing.T) {
	const null = "<null>"
	for _, c := range []struct {
		options []RawOption
		values  []string
		want    string
	}{
		{nil, []string{"a", null, ""}, "a\t\\N\t\n"},
		{nil, []string{"\b\f\n\r\t\v\\\x01", "é", "\\N"}, "\\b\\f\\n\\r\\t\\v\\\\\x01\té\t\\\\N\n"},
		{[]RawOption{raw("delimiter", "|"), raw("null", "-")}, []string{"a|b", "\t", null}, "a\\|b|\\t|-\n"},
		{[]RawOption{raw("format", "csv")}, []string{"a", null, ""}, "a,,\"\"\n"},
		{[]RawOption{raw("format", "csv")}, []string{"a,b", `say "x"`, "l\nm"}, "\"a,b\",\"say \"\"x\"\"\",\"l\nm\"\n"},
		{[]RawOption{raw("format", "csv")}, []string{" a ", "\\.", "it's"}, " a ,\\.,it's\n"},
		{[]RawOption{raw("format", "csv")}, []string{"\\."}, "\"\\.\"\n"},
		{[]RawOption{raw("format", "csv"), raw("null", "n")}, []string{"n", null}, "\"n\",n\n"},
		{[]RawOption{raw("format", "csv"), raw("escape", "\\")}, []string{`a"\`}, "\"a\\\"\\\\\"\n"},
		{[]RawOption{raw("format", "csv"), {Name: "force_quote", Star: true, Given: true}}, []string{"1", null}, "\"1\",\n"},
		{[]RawOption{raw("encoding", "latin1")}, []string{"é"}, "\xe9\n"},
	} {
		w, err := NewWriter(mustOptions(t, false, c.options...), letters[:len(c.values)])
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		for i, v := range c.values {
			out = w.BeginField(out, i)
			if v == null {
				out = w.NullField(out)
				continue
			}
			start := len(out)
			out = w.EndField(append(out, v...), start, i)
		}
		if out, err = w.EndRow(out, 0); err != nil || string(out) != c.want {
			t.Errorf("%v of %q: %q, want %q (%v)", c.options, c.values, out, c.want, err)
		}
	}
}

func TestWriteHeader(t *testing.T) {
	w, err := NewWriter(mustOptions(t, false, raw("format", "csv"), raw("header", "on")), []string{"a", "b c", "d,e", ""})
	if err != nil {
		t.Fatal(err)
	}
	if head, own, err := w.Header(nil); string(head) != "a,b c,\"d,e\",\"\"\n" || !own || err != nil {
		t.Errorf("header %q, %v", head, err)
	}
}

// TestWriteWhatAnEncodingLacks: nothing is put in the place of a character, in rows
// and in names.
func TestWriteWhatAnEncodingLacks(t *testing.T) {
	w, err := NewWriter(mustOptions(t, false, raw("encoding", "latin1"), raw("header", "on")), []string{"é"})
	if err != nil {
		t.Fatal(err)
	}
	if head, _, err := w.Header(nil); string(head) != "\xe9\n" || err != nil {
		t.Errorf("header %q, %v", head, err)
	}
	start := []byte("x")
	_, err = w.EndRow(append(start, "a☃b"...), 1)
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != "22P05" || !strings.Contains(e.Message, `byte sequence 0xe2 0x98 0x83 in encoding "UTF8" has no equivalent in encoding "LATIN1"`) {
		t.Errorf("a snowman: %v", err)
	}
	if w, err = NewWriter(mustOptions(t, false, raw("encoding", "latin1"), raw("header", "on")), []string{"☃"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Header(nil); !errors.As(err, &e) || e.Code != "22P05" {
		t.Errorf("a snowman as a name: %v", err)
	}
}
