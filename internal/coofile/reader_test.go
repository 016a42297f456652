package coofile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// read returns the columns and rows of a text.
func read(text string, opt Options) (string, error) {
	r, err := NewReader("f", strings.NewReader(text), opt)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range r.Columns() {
		fmt.Fprintf(&b, "%s %s,", c.Name, c.Type)
	}
	for {
		batch, err := r.Next(context.Background())
		if err != nil {
			return "", err
		}
		if batch == nil {
			return b.String(), nil
		}
		for i := range batch.N {
			b.WriteString("|")
			for c := range batch.Cols {
				if v := &batch.Cols[c]; v.F64 != nil {
					fmt.Fprintf(&b, " %v", v.F64[i])
				} else {
					fmt.Fprintf(&b, " %v", v.I64[i])
				}
			}
		}
	}
}

const banner = "%%MatrixMarket matrix "

func TestFormats(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		opt        Options
		want       string
	}{
		{"general", banner + "coordinate real general\n% c\n\n2 3 2\n1 3 -1.5e2\n2 1 4\n", Options{Format: MatrixMarket}, "i BIGINT,j BIGINT,value DOUBLE,| 1 3 -150| 2 1 4"},
		{"integer", banner + "coordinate integer general\r\n2 3 1\r\n1 3 -7\r\n", Options{Format: MatrixMarket}, "i BIGINT,j BIGINT,value BIGINT,| 1 3 -7"},
		{"pattern symmetric", banner + "Coordinate Pattern Symmetric\n3 3 2\n2 1\n3 3", Options{Format: MatrixMarket}, "i BIGINT,j BIGINT,| 2 1| 1 2| 3 3"},
		{"skew", banner + "coordinate integer skew-symmetric\n3 3 1\n2 1 5\n", Options{Format: MatrixMarket}, "i BIGINT,j BIGINT,value BIGINT,| 2 1 5| 1 2 -5"},
		{"array", banner + "array integer general\n2 2\n1\n2\n3\n4\n", Options{Format: MatrixMarket}, "i BIGINT,j BIGINT,value BIGINT,| 1 1 1| 2 1 2| 1 2 3| 2 2 4"},
		{"symmetric array", banner + "array integer symmetric\n2 2\n1\n2\n3\n", Options{Format: MatrixMarket}, "i BIGINT,j BIGINT,value BIGINT,| 1 1 1| 2 1 2| 1 2 2| 2 2 3"},
		{"skew array", banner + "array integer skew-symmetric\n3 3\n1\n2\n3\n", Options{Format: MatrixMarket}, "i BIGINT,j BIGINT,value BIGINT,| 2 1 1| 1 2 -1| 3 1 2| 1 3 -2| 3 2 3| 2 3 -3"},
		{"empty matrix", banner + "coordinate real general\n2 3 0\n", Options{Format: MatrixMarket}, "i BIGINT,j BIGINT,value DOUBLE,"},
		{"tensor", "# c\n1 2 3 0.5\n9223372036854775807 1 1 2\n", Options{Format: FROSTT}, "i1 BIGINT,i2 BIGINT,i3 BIGINT,value DOUBLE,| 1 2 3 0.5| 9223372036854775807 1 1 2"},
		{"tensor of integers", "4 -9007199254740993\n", Options{Format: FROSTT, Integers: true}, "i1 BIGINT,value BIGINT,| 4 -9007199254740993"},
		{"edges", "# c\n0\t7\n -1 3 \n", Options{Format: SNAP}, "src BIGINT,dst BIGINT,| 0 7| -1 3"},
		{"edges of KONECT", "% sym unweighted\n% 3 2 2\n1 2\n2\t3 \n", Options{Format: SNAP}, "src BIGINT,dst BIGINT,| 1 2| 2 3"},
		{"weighted edges of KONECT", "% asym posweighted\n1 2 1 1082008561\n", Options{Format: SNAP, Integers: true}, "src BIGINT,dst BIGINT,weight BIGINT,time BIGINT,| 1 2 1 1082008561"},
		{"ratings", "6,2,4,1289241911.72836\n6,5,-10,1289241941\n", Options{Format: SNAP}, "src BIGINT,dst BIGINT,weight DOUBLE,time DOUBLE,| 6 2 4 1.28924191172836e+09| 6 5 -10 1.289241941e+09"},
		{"edges with a header", "source,\"target\",w\n0,7,1\n", Options{Format: SNAP}, "src BIGINT,dst BIGINT,weight DOUBLE,| 0 7 1"},
		{"weighted edges", "0,7,1\n1,3,2.5\n", Options{Format: SNAP}, "src BIGINT,dst BIGINT,weight DOUBLE,| 0 7 1| 1 3 2.5"},
	} {
		got, err := read(tt.text, tt.opt)
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestBadFiles(t *testing.T) {
	const coordinates = banner + "coordinate real general\n"
	for _, tt := range []struct {
		text   string
		format Format
		want   string
	}{
		{"", MatrixMarket, "f:1: a Matrix Market header is expected"},
		{"1 2 3\n", MatrixMarket, "f:1: a Matrix Market header is expected"},
		{banner + "list real general\n", MatrixMarket, `f:1: the format "list" is not known`},
		{banner + "coordinate quaternion general\n", MatrixMarket, `f:1: the field "quaternion" is not known`},
		{banner + "coordinate real odd\n", MatrixMarket, `f:1: the symmetry "odd" is not known`},
		{banner + "coordinate complex general\n1 1 0\n", MatrixMarket, "f:1: complex matrices cannot be imported"},
		{banner + "coordinate complex hermitian\n1 1 0\n", MatrixMarket, "f:1: complex matrices cannot be imported"},
		{banner + "array pattern general\n", MatrixMarket, "f:1: a pattern is neither"},
		{coordinates, MatrixMarket, "the line of sizes is missing"},
		{coordinates + "2 3\n", MatrixMarket, "f:2: the number of entries is missing"},
		{coordinates + "2 -3 1\n", MatrixMarket, "f:2: the number of columns is negative"},
		{banner + "coordinate real symmetric\n2 3 1\n", MatrixMarket, "f:2: a symmetric matrix of 2 rows and 3 columns"},
		{coordinates + "2 3 2\n1 1 1\n", MatrixMarket, "the file ends after 1 of 2 entries"},
		{coordinates + "2 3 1\n1 1 1\n2 2 2\n", MatrixMarket, "f:4: the file should end here"},
		{coordinates + "2 3 1\n0 1 1\n", MatrixMarket, "f:3: the row is 0: an index from 1 to 2 is expected"},
		{coordinates + "2 3 1\n1 4 1\n", MatrixMarket, "f:3: the column is 4: an index from 1 to 3 is expected"},
		{coordinates + "2 3 1\n1 x 1\n", MatrixMarket, `f:3: the column: an integer is expected, not "x"`},
		{coordinates + "2 3 1\n1 2\n", MatrixMarket, "f:3: the value is missing"},
		{coordinates + "2 3 1\n1 2 z\n", MatrixMarket, `f:3: the value: a number is expected, not "z"`},
		{coordinates + "2 3 1\n1 2 1e999\n", MatrixMarket, `f:3: the value: "1e999" does not fit a DOUBLE`},
		{coordinates + "2 3 1\n1 2 1 0\n", MatrixMarket, `f:3: the line should end before "0"`},
		{banner + "coordinate real symmetric\n3 3 1\n1 2 1\n", MatrixMarket, "f:3: entry (1, 2) of a symmetric matrix is above the diagonal"},
		{banner + "coordinate real skew-symmetric\n3 3 1\n2 2 1\n", MatrixMarket, "is on the diagonal"},
		{"1 2 3\n1 2\n", FROSTT, "f:2: the value is missing"},
		{"0 2 3\n", FROSTT, "f:1: index 1 is 0"},
		{"7\n", FROSTT, "f:1: an entry of 1 numbers"},
		{"# nothing\n", FROSTT, "f:2: the file has no entries"},
		{"1 2\n3\n", SNAP, "f:2: the second vertex is missing"},
		{"1 2\n3 4 5\n", SNAP, `f:2: the line should end before "5"`},
		{"1 2 3 4 5\n", SNAP, "f:1: an edge of 5 numbers"},
		{"src,dst\n", SNAP, "f:2: the file has no entries"},
		{"src,dst\na,b\n", SNAP, `f:2: the first vertex: an integer is expected, not "a"`},
		{"1 99999999999999999999\n", SNAP, "an integer of 64 bits is expected"},
		{"- 1\n", SNAP, `an integer is expected, not "-"`},
		{"1 2\n", Format("csv"), `unknown format "csv"`},
	} {
		got, err := read(tt.text, Options{Format: tt.format})
		var e *sqlerr.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%q: %q, %v, want the error %q", tt.text, got, err, tt.want)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{"a.mtx": MatrixMarket, "a.MTX.gz": MatrixMarket, "b.tns": FROSTT, "soc.txt.gz": SNAP, "x.csv": SNAP, "dir/out.zachary": SNAP, "x.json": ""} {
		if got, _ := FormatOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{"a/soc.txt.gz": "soc", "m.mtx": "m", "k/out.moreno": "moreno", "out.gz": "out", "plain": "plain"} {
		if got := NameOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
