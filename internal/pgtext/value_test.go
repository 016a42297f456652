package pgtext

import (
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

func TestSpell(t *testing.T) {
	for _, c := range []struct {
		id         rows.TypeID
		text, want string // want empty: it is refused
	}{
		{rows.Boolean, "t", "t"},
		{rows.Boolean, " on", "true"},
		{rows.Boolean, "OFF", "false"},
		{rows.Boolean, "maybe", "maybe"},
		{rows.Date, "0044-03-15 BC", "0044-03-15 (BC)"},
		{rows.Timestamp, "0044-03-15 01:02:03 BC", "0044-03-15 (BC) 01:02:03"},
		{rows.TimestampTZ, "2020-01-01 00:00:00+02", "2020-01-01 00:00:00+02"},
		{rows.TimestampTZ, "2020-01-01 00:00+02", "2020-01-01 00:00:00+02"},
		{rows.TimestampTZ, "2020-01-01T9:30 -05:30", "2020-01-01T9:30:00-05:30"},
		{rows.TimestampTZ, "0044-03-15 10:00Z BC", "0044-03-15 (BC) 10:00:00Z"},
		{rows.TimestampTZ, "2020-01-01 00:00:00.5 +02", "2020-01-01 00:00:00.5+02"},
		{rows.TimestampTZ, "2020-01-01 00:00", "2020-01-01 00:00"},
		{rows.Interval, "1 year -3 days +04:05:06", "1 year -3 days 04:05:06"},
		{rows.Interval, "P1Y2M3W4DT5H6M7.5S", "1 years 2 months 3 weeks 4 days 5 hours 6 minutes 7.5 seconds"},
		{rows.Interval, " PT-.5S ", "-0.5 seconds"},
		{rows.Interval, "P1M-2DT3.H", "1 months -2 days 3 hours"},
		{rows.Interval, "1-2", "1 years 2 months"},
		{rows.Interval, "-1-2", "-1 years -2 months"},
		{rows.Interval, "P0001-02-03T04:05:06", "0001 years 02 months 03 days 04:05:06"},
		{rows.Interval, "P0001-02-03", "0001 years 02 months 03 days"},
		{rows.Interval, "P", "P"},
		{rows.Interval, "PT", "PT"},
		{rows.Interval, "P1", "P1"},
		{rows.Interval, "P1H", "P1H"},
		{rows.Interval, "PT1D", "PT1D"},
		{rows.Interval, "P1DT1ST1S", "P1DT1ST1S"},
		{rows.Interval, "P1.2.3D", "P1.2.3D"},
		{rows.Interval, "P--1D", "P--1D"},
		{rows.Interval, "PD", "PD"},
		{rows.Interval, "p1d", "p1d"},
		{rows.Blob, `\x00414g`, ""},
		{rows.Blob, `\x004`, ""},
		{rows.Blob, `\x`, " "},
		{rows.Blob, `\x004142`, `\x00\x41\x42`},
		{rows.Blob, `\xAA\xBB`, `\xAA\xBB`},
		{rows.Blob, `a\xBB`, `a\xBB`},
		{rows.Blob, `a\\xBB`, `\x61\x5C\x78\x42\x42`},
		{rows.Blob, `a\001\\`, `\x61\x01\x5C`},
		{rows.Blob, `a\9`, ""},
		{rows.Blob, `a\400`, ""},
		{rows.Blob, "abc", "abc"},
		{rows.Blob, "é", `\xC3\xA9`},
		{rows.Varchar, `\x00`, `\x00`},
	} {
		got, ok := Spell(c.id, c.text)
		want := c.want
		if want == " " {
			want = ""
		} else if want == "" && ok {
			t.Errorf("%q: read as %q", c.text, got)
			continue
		}
		if got != want {
			t.Errorf("%q: %q, want %q", c.text, got, want)
		}
		if again, _ := Spell(c.id, got); ok && again != got {
			t.Errorf("%q spelled twice is %q, once %q", c.text, again, got)
		}
	}
}

// Every byte comes back from the text that is made of it.
func TestBlobKeepsBytes(t *testing.T) {
	for b := range 256 {
		for _, raw := range []string{string([]byte{byte(b)}), string([]byte{0, byte(b), 'A', '0'})} {
			text := Blob([]byte(raw))
			if again, ok := Spell(rows.Blob, text); !ok || Blob([]byte(raw)) != again && again != text {
				t.Errorf("%q is %q, then %q", raw, text, again)
			}
		}
	}
}

func TestSpellArray(t *testing.T) {
	for _, c := range []struct {
		id         rows.TypeID
		text, want string
	}{
		{rows.Integer, "{}", "[]"},
		{rows.Integer, " {1, 2,null}", "['1', '2', NULL]"},
		{rows.Integer, "[0:1]={1,2}", "['1', '2']"},
		{rows.Varchar, `{"a\"b","c,d",'e,"NULL"}`, `['a"b', 'c,d', '\'e', 'NULL']`},
		{rows.Boolean, "{t,off}", "['t', 'false']"},
		{rows.Blob, `{"\\x0041"}`, `['\\x00\\x41']`},
		{rows.Integer, "{{1}}", ""},
		{rows.Integer, "{1,}", ""},
		{rows.Integer, `{"a": 1}`, ""},
		{rows.Integer, "[1]", ""},
	} {
		if got, ok := SpellArray(c.id, c.text); ok != (c.want != "") || got != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, got, ok, c.want)
		}
	}
}
