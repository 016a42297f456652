package pgwire

import (
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// The bytes are those that Postgres sends.
func TestCatalogTypesAreSentAsPostgresDoes(t *testing.T) {
	for _, tc := range []struct {
		typ                      rows.TypeID
		value, text, binary, bad string
	}{
		{rows.Name, "ship", "ship", "ship", ""},
		{rows.Char, "r", "r", "r", ""},
		{rows.Char, "", "", "\x00", ""},
		{
			rows.Int2Vector, "[5, 4]", "5 4",
			"\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x15\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x02\x00\x05\x00\x00\x00\x02\x00\x04", "",
		},
		{rows.OIDVector, "[]", "", "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x1a\x00\x00\x00\x00\x00\x00\x00\x00", ""},
		{rows.RegClass, "16384", "16384", "\x00\x00\x40\x00", ""},
		{rows.RegProc, "-", "-", "\x00\x00\x00\x00", ""},
		{rows.RegClass, "ship", "ship", "", `"ship", the name of an object, has no binary format`},
	} {
		v := vecS(tc.typ, tc.value)
		text, err := textAppender(v.Type, textStyle{})(nil, v, 0)
		if string(text) != tc.text || err != nil {
			t.Errorf("%v %s: text %q, %v", tc.typ, tc.value, text, err)
		}
		got, err := binaryAppender(v.Type)(nil, v, 0)
		switch {
		case tc.bad != "":
			if err == nil || err.Error() != tc.bad {
				t.Errorf("%v %s: %v", tc.typ, tc.value, err)
			}
		case string(got) != tc.binary || err != nil:
			t.Errorf("%v %s: binary %q, %v", tc.typ, tc.value, got, err)
		}
	}
}
