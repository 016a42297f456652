package engine

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// A number is bound with the type that has all its digits.
func TestFitted(t *testing.T) {
	number := rows.Type{ID: rows.Decimal, Width: 4, Scale: 1}
	list := rows.Type{ID: rows.List, Name: "DECIMAL(4,1)[]"}
	for _, c := range []struct {
		of         rows.Type
		text, want string // an error, where it starts with an !
	}{
		{number, "1.50", "DECIMAL(4,2)"},
		{number, "12E-3", "DECIMAL(4,3) 0.012"},
		{number, "100E-2", "DECIMAL(4,2) 1.00"},
		{number, "-123.4e-2", "DECIMAL(4,3) -1.234"},
		{number, " 99.99E-1", "DECIMAL(4,3) 9.999"},
		{number, "1.5e3", "DECIMAL(4,0) 1500"},
		{number, "0.001e4", "DECIMAL(4,0) 10"},
		{number, "1000e-40", "DECIMAL(38,37) 0." + strings.Repeat("0", 36) + "1000"},
		{number, "0e-99999", "DECIMAL(4,0) 0"},
		{number, "1e131068", "!" + sqlerr.NumericOutOfRange},
		{number, "1e-98", "!" + sqlerr.NumericOutOfRange},
		{list, "['12E-3', NULL]", "DECIMAL(4,3)[] ['0.012', NULL]"},
		{number, "99999999999999999999999999999999999999", "DECIMAL(38,0)"},
		{number, "-170141183460469231731687303715884105728", "HUGEINT"},
		{number, "170141183460469231731687303715884105727", "HUGEINT"},
		{number, "170141183460469231731687303715884105728", "UHUGEINT"},
		{number, "340282366920938463463374607431768211455", "UHUGEINT"},
		{number, "340282366920938463463374607431768211456", "!" + sqlerr.NumericOutOfRange},
		{number, "-170141183460469231731687303715884105729", "!" + sqlerr.NumericOutOfRange},
		{number, "170141183460469231731687303715884105727.5", "!" + sqlerr.NumericOutOfRange},
		{list, "[1, 170141183460469231731687303715884105727]", "HUGEINT[]"},
		{list, "[0.5, 170141183460469231731687303715884105727]", "!" + sqlerr.NumericOutOfRange},
		{rows.Type{ID: rows.Integer}, "0.25", "!" + sqlerr.InvalidText},
		{rows.Type{ID: rows.SmallInt}, "32768", "!" + sqlerr.NumericOutOfRange},
	} {
		typ, err := fitted(c.of, Arg{Text: c.text})
		got := typ.String()
		if text := spelledFor(typ, Arg{Text: c.text}); text != c.text {
			got += " " + text
		}
		if err != nil {
			got = "!" + sqlerr.From(err).Code
		}
		if got != c.want {
			t.Errorf("%s as %s: %s, want %s", c.text, c.of, got, c.want)
		}
	}
}
