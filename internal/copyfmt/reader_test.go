package copyfmt

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func raw(name, value string) RawOption { return RawOption{Name: name, Value: value, Given: true} }

func mustOptions(t testing.TB, from bool, options ...RawOption) Options {
	t.Helper()
	o, err := ParseOptions(options, from)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func target(columns ...string) Target {
	return Target{Table: "t", Columns: columns, Convert: make([]Convert, len(columns))}
}

// read feeds pieces to a reader and spells all rows, one a line, fields in
// brackets, and the error.
func read(opt Options, to Target, pieces ...string) string {
	r, err := NewReader(opt, to)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	drain := func() (err error) {
		for {
			full, err := r.Scan()
			for i := range r.Rows() {
				for _, v := range r.Batch().Cols[:len(to.Columns)] {
					if v.IsNull(i) {
						out.WriteString("<null>")
					} else {
						fmt.Fprintf(&out, "[%s]", v.Str[i])
					}
				}
				out.WriteByte('\n')
			}
			r.Reset()
			if err != nil || !full {
				return err
			}
		}
	}
	for _, piece := range pieces {
		if err = errors.Join(r.Add([]byte(piece)), drain()); err != nil {
			break
		}
	}
	if err == nil {
		r.End()
		err = drain()
	}
	if err != nil {
		e := sqlerr.From(err)
		fmt.Fprintf(&out, "%s %s (%s)\n", e.Code, e.Message, e.Context)
	}
	return out.String()
}

// readCases are inputs with what Postgres 15 makes of them.
var readCases = []struct {
	name    string
	options []RawOption
	columns int
	in      string
	want    string
}{
	{"text", nil, 2, "1\ta\n2\t\\N\n", "[1][a]\n[2]<null>\n"},
	{"no newline at the end", nil, 1, "a\nb", "[a]\n[b]\n"},
	{"end marker", nil, 1, "a\n\\.\nb\n", "[a]\n"},
	{"escapes", nil, 2, "\\b\\f\\n\\r\\t\\v\\\\\\q\ta\\\tb\n", "[\b\f\n\r\t\v\\q][a\tb]\n"},
	{"codes", nil, 3, "\\101\\x41\t\\x4\t\\60\n", "[AA][\x04][0]\n"},
	{"break behind a backslash", nil, 1, "a\\\nb\nc\n", "[a\nb]\n[c]\n"},
	{"empty", nil, 1, "\n", "[]\n"},
	{"null is not unescaped", nil, 1, "\\\\N\n", "[\\N]\n"},
	{"delimiter", []RawOption{raw("delimiter", "|"), raw("null", "nil")}, 2, "a|nil\n", "[a]<null>\n"},
	{"CRLF", nil, 2, "a\tb\r\nc\td\r\n", "[a][b]\n[c][d]\n"},
	{"CR", nil, 1, "a\rb\r", "[a]\n[b]\n"},
	{"mixed ends", nil, 1, "a\nb\r\n", "[a]\n22P04 literal carriage return found in data (COPY t, line 2)\n"},
	{"mixed ends back", nil, 1, "a\r\nb\n", "[a]\n22P04 literal newline found in data (COPY t, line 2)\n"},
	{"missing", nil, 2, "a\tb\nc\n", "[a][b]\n22P04 missing data for column \"b\" (COPY t, line 2: \"c\")\n"},
	{"extra", nil, 1, "a\tb\n", "22P04 extra data after last expected column (COPY t, line 1: \"a\tb\")\n"},
	{"bytes that are no text", nil, 1, "ok\n\xff\n", "[ok]\n22021 invalid byte sequence for encoding \"UTF8\": 0xff (COPY t, line 2)\n"},
	{"zero byte", nil, 1, "a\x00\n", "22021 invalid byte sequence for encoding \"UTF8\": 0x00 (COPY t, line 1)\n"},
	{"coded bytes that are no text", nil, 1, "\\xff\n", "22021 invalid byte sequence for encoding \"UTF8\": 0xff (COPY t, line 1: \"\\xff\")\n"},
	{"latin", []RawOption{raw("encoding", "latin1")}, 1, "\xe9\n", "[é]\n"},
	{"header", []RawOption{raw("header", "true")}, 1, "x\na\n", "[a]\n"},
	{"matching header", []RawOption{raw("header", "match")}, 2, "a\tb\n1\t2\n", "[1][2]\n"},
	{
		"other header",
		[]RawOption{raw("header", "match")},
		2, "a\tc\n",
		"22P04 column name mismatch in header line field 2: got \"c\", expected \"b\" (COPY t, line 1: \"a\tc\")\n",
	},
	{
		"short header",
		[]RawOption{raw("header", "match")},
		2, "a\n",
		"22P04 wrong number of fields in header line: got 1, expected 2 (COPY t, line 1: \"a\")\n",
	},
	{"csv", []RawOption{raw("format", "csv")}, 3, "1,,\"\"\n", "[1]<null>[]\n"},
	{"csv quotes", []RawOption{raw("format", "csv")}, 2, "\"a,\"\"b\"\"\",x\"y\"z\n", "[a,\"b\"][xyz]\n"},
	{"csv lines", []RawOption{raw("format", "csv")}, 1, "\"a\nb\"\nc\nd,e\n", "[a\nb]\n[c]\n22P04 extra data after last expected column (COPY t, line 4: \"d,e\")\n"},
	{"csv end marker", []RawOption{raw("format", "csv")}, 1, "a\n\\.\nb\n", "[a]\n"},
	{"csv marker in quotes", []RawOption{raw("format", "csv")}, 1, "\"\\.\"\n", "[\\.]\n"},
	{"csv unterminated", []RawOption{raw("format", "csv")}, 1, "a\n\"b\n", "[a]\n22P04 unterminated CSV quoted field (COPY t, line 3)\n"},
	{"csv escape", []RawOption{raw("format", "csv"), raw("escape", "\\")}, 1, "\"a\\\"b\\\\\"\n", "[a\"b\\]\n"},
	{"csv quote", []RawOption{raw("format", "csv"), raw("quote", "'")}, 1, "'it''s'\n", "[it's]\n"},
	{
		"csv force not null",
		[]RawOption{raw("format", "csv"), {Name: "force_not_null", List: []string{"b"}, Given: true}},
		2, ",\n", "<null>[]\n",
	},
	{
		"csv force null",
		[]RawOption{raw("format", "csv"), {Name: "force_null", List: []string{"b"}, Given: true}},
		2, "\"\",\"\"\n", "[]<null>\n",
	},
	{"csv CR", []RawOption{raw("format", "csv")}, 1, "a\nb\rc\n", "[a]\n22P04 unquoted carriage return found in data (COPY t, line 2)\n"},
	{"corrupt marker", nil, 1, "a\\.b\n", "22P04 end-of-copy marker corrupt (COPY t, line 1: \"a\\.b\")\n"},
	{
		"binary",
		[]RawOption{raw("format", "binary")},
		2, Signature + "\x00\x00\x00\x00\x00\x00\x00\x02xx\x00\x02\x00\x00\x00\x01a\xff\xff\xff\xff\xff\xff", "[a]<null>\n",
	},
	{"binary without trailer", []RawOption{raw("format", "binary")}, 1, Signature + "\x00\x00\x00\x00\x00\x00\x00\x00", ""},
	{"no binary", []RawOption{raw("format", "binary")}, 1, "a,b,c,d,e,f,g\n", "22P04 COPY file signature not recognized ()\n"},
	{
		"binary of another width",
		[]RawOption{raw("format", "binary")},
		1, Signature + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02", "22P04 row field count is 2, expected 1 (COPY t, line 1)\n",
	},
	{
		"binary that ends early",
		[]RawOption{raw("format", "binary")},
		1, Signature + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x05ab", "22P04 unexpected EOF in COPY data (COPY t, line 1, column a)\n",
	},
	{
		"binary with a wrong length",
		[]RawOption{raw("format", "binary")},
		1, Signature + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\xff\xff\xff\xfe", "22P04 invalid field size (COPY t, line 1, column a)\n",
	},
}

var letters = []string{"a", "b", "c"}

func TestRead(t *testing.T) {
	for _, c := range readCases {
		t.Run(c.name, func(t *testing.T) {
			opt := mustOptions(t, true, c.options...)
			if got := read(opt, target(letters[:c.columns]...), c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// Wherever the stream is cut, the rows are the same.
func TestReadCutAnywhere(t *testing.T) {
	for _, c := range readCases {
		opt := mustOptions(t, true, c.options...)
		for at := range c.in {
			if got := read(opt, target(letters[:c.columns]...), c.in[:at], c.in[at:]); got != c.want {
				t.Errorf("%s, cut at %d: got %q, want %q", c.name, at, got, c.want)
			}
		}
		if got := read(opt, target(letters[:c.columns]...), strings.Split(c.in, "")...); got != c.want {
			t.Errorf("%s, byte by byte: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Rows in many batches are all there, with their line numbers.
func TestReadManyBatches(t *testing.T) {
	var in strings.Builder
	const n = 2*BatchRows + 5
	for i := range n {
		fmt.Fprintf(&in, "%d\tx\n", i)
	}
	r, err := NewReader(mustOptions(t, true), target("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	take := func() {
		for i := range r.Rows() {
			if got := r.Batch().Cols[0].Str[i]; got != fmt.Sprint(seen) {
				t.Fatalf("row %d is %s", seen, got)
			}
			seen++
			if seen%1000 != 0 {
				continue
			}
			if want := fmt.Sprintf("COPY t, line %d, column a: \"%d\"", seen, seen-1); r.Context(i, 0) != want {
				t.Fatalf("context %s, want %s", r.Context(i, 0), want)
			}
		}
		r.Reset()
	}
	rest := in.String()
	for rest != "" {
		k := min(100_003, len(rest))
		if err := r.Add([]byte(rest[:k])); err != nil {
			t.Fatal(err)
		}
		rest = rest[k:]
		for {
			full, err := r.Scan()
			if err != nil {
				t.Fatal(err)
			}
			if !full {
				break
			}
			take()
		}
	}
	take()
	if seen != n {
		t.Errorf("%d rows of %d", seen, n)
	}
}

// A batch ends where what fields are converted to is long, however short the input.
func TestReadLongConversions(t *testing.T) {
	to := target("a")
	to.Convert[0] = func(dst, field []byte) ([]byte, error) { return make([]byte, 1<<20), nil }
	r, err := NewReader(mustOptions(t, true), to)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add([]byte(strings.Repeat("x\n", 1000))); err != nil {
		t.Fatal(err)
	}
	full, err := r.Scan()
	if err != nil || !full || r.Rows() > heldBytes>>20 {
		t.Errorf("%d rows, full: %v, %v", r.Rows(), full, err)
	}
}

// A row without end is refused before it fills the memory.
func TestReadRowWithoutEnd(t *testing.T) {
	r, err := NewReader(mustOptions(t, true, raw("format", "csv")), target("a"))
	if err != nil {
		t.Fatal(err)
	}
	r.rowBytesMax = 1 << 20
	piece := []byte("\"" + strings.Repeat("x", 1<<16-1))
	for range 1<<4 + 2 {
		if err = r.Add(piece); err != nil {
			break
		}
		if _, err = r.Scan(); err != nil {
			break
		}
		piece[0] = 'x'
	}
	if err == nil || sqlerr.From(err).Code != "54000" {
		t.Errorf("error %v", err)
	}
}

// What the writer writes the reader reads, in text and CSV with options of all kinds.
func TestWriteThenRead(t *testing.T) {
	alphabet := []string{"a", "\\", "\"", "'", ",", "\t", "\n", "\r", "|", "N", ".", "é", "\b", " ", "\v", "null"}
	random := rand.New(rand.NewSource(1))
	for range 1000 {
		var options []RawOption
		switch random.Intn(4) {
		case 0:
			options = []RawOption{raw("format", "csv")}
		case 1:
			options = []RawOption{raw("format", "csv"), raw("delimiter", "|"), raw("quote", "'"), raw("escape", "\\"), raw("null", "null")}
		case 2:
			options = []RawOption{raw("delimiter", "|"), raw("null", "~")}
		}
		opt := mustOptions(t, true, options...)
		w, err := NewWriter(opt, letters)
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		want := ""
		for range 1 + random.Intn(3) {
			start := len(out)
			for col := range letters {
				out = w.BeginField(out, col)
				if random.Intn(5) == 0 {
					out = w.NullField(out)
					want += "<null>"
					continue
				}
				at, text := len(out), ""
				for range random.Intn(5) {
					text += alphabet[random.Intn(len(alphabet))]
				}
				out = w.EndField(append(out, text...), at, col)
				want += "[" + text + "]"
			}
			want += "\n"
			if out, err = w.EndRow(out, start); err != nil {
				t.Fatal(err)
			}
		}
		if got := read(opt, target(letters...), string(out)); got != want {
			t.Fatalf("options %v: wrote %q, read %q, want %q", options, out, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range readCases {
		f.Add(c.in, uint8(len(c.options)), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in string, options, cut uint8) {
		kinds := [][]RawOption{nil, {raw("format", "csv")}, {raw("format", "binary")}, {raw("format", "csv"), raw("escape", "\\"), raw("header", "true")}}
		opt := mustOptions(t, true, kinds[int(options)%len(kinds)]...)
		at := min(int(cut), len(in))
		whole := read(opt, target("a", "b"), in)
		if cutUp := read(opt, target("a", "b"), in[:at], in[at:]); cutUp != whole {
			t.Errorf("whole %q, cut at %d %q", whole, at, cutUp)
		}
	})
}
