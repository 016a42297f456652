package copyfmt

import (
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestOptionErrors(t *testing.T) {
	csv, binary := raw("format", "csv"), raw("format", "binary")
	list := func(name string) RawOption { return RawOption{Name: name, List: []string{"a"}, Given: true} }
	for _, c := range []struct {
		options []RawOption
		from    bool
		want    string
	}{
		{[]RawOption{raw("format", "xml")}, true, `22023 COPY format "xml" not recognized`},
		{[]RawOption{raw("format", "parquet")}, true, `0A000 COPY format "parquet" is only available for files`},
		{[]RawOption{csv, csv}, true, "42601 conflicting or redundant options"},
		{[]RawOption{raw("delimiter", ","), raw("delim", ",")}, true, "42601 conflicting or redundant options"},
		{[]RawOption{raw("nonsense", "1")}, true, `42601 option "nonsense" not recognized`},
		{[]RawOption{raw("freeze", "perhaps")}, true, "42601 freeze requires a Boolean value"},
		{[]RawOption{raw("header", "perhaps")}, true, `42601 header requires a Boolean value or "match"`},
		{[]RawOption{raw("header", "match")}, false, `42601 cannot use "match" with HEADER in COPY TO`},
		{[]RawOption{{Name: "delimiter"}}, true, "42601 delimiter requires a parameter"},
		{[]RawOption{raw("delimiter", "ab")}, true, "0A000 COPY delimiter must be a single one-byte character"},
		{[]RawOption{raw("delimiter", "é")}, true, "0A000 COPY delimiter must be a single one-byte character"},
		{[]RawOption{raw("delimiter", "\n")}, true, "22023 COPY delimiter cannot be newline or carriage return"},
		{[]RawOption{raw("delimiter", "a")}, true, `22023 COPY delimiter cannot be "a"`},
		{[]RawOption{raw("null", "a\n")}, true, "22023 COPY null representation cannot use newline or carriage return"},
		{[]RawOption{raw("null", "a\tb")}, true, "0A000 COPY delimiter must not appear in the NULL specification"},
		{[]RawOption{csv, raw("null", `"`)}, true, "0A000 CSV quote character must not appear in the NULL specification"},
		{[]RawOption{csv, raw("quote", ",")}, true, "22023 COPY delimiter and quote must be different"},
		{[]RawOption{csv, raw("quote", "")}, true, "0A000 COPY quote must be a single one-byte character"},
		{[]RawOption{csv, raw("escape", "ab")}, true, "0A000 COPY escape must be a single one-byte character"},
		{[]RawOption{raw("quote", "'")}, true, "0A000 COPY quote available only in CSV mode"},
		{[]RawOption{raw("escape", "'")}, true, "0A000 COPY escape available only in CSV mode"},
		{[]RawOption{list("force_quote")}, false, "0A000 COPY force quote available only in CSV mode"},
		{[]RawOption{csv, list("force_quote")}, true, "0A000 COPY force quote only available using COPY TO"},
		{[]RawOption{csv, list("force_not_null")}, false, "0A000 COPY force not null only available using COPY FROM"},
		{[]RawOption{csv, list("force_null")}, false, "0A000 COPY force null only available using COPY FROM"},
		{[]RawOption{csv, raw("force_null", "a")}, true, `22023 argument to option "force_null" must be a list of column names`},
		{[]RawOption{raw("encoding", "ebcdic")}, true, `22023 argument to option "encoding" must be a valid encoding name`},
		{[]RawOption{raw("on_error", "cry")}, true, `22023 COPY ON_ERROR "cry" not recognized`},
		{[]RawOption{raw("on_error", "ignore")}, false, "42601 COPY ON_ERROR cannot be used with COPY TO"},
		{[]RawOption{binary, raw("on_error", "ignore")}, true, "42601 only ON_ERROR STOP is allowed in BINARY mode"},
		{[]RawOption{binary, raw("delimiter", ",")}, true, "42601 cannot specify DELIMITER in BINARY mode"},
		{[]RawOption{binary, raw("null", "")}, true, "42601 cannot specify NULL in BINARY mode"},
		{[]RawOption{binary, raw("header", "true")}, true, "0A000 cannot specify HEADER in BINARY mode"},
		{[]RawOption{binary, raw("default", "d")}, true, "42601 cannot specify DEFAULT in BINARY mode"},
		{[]RawOption{raw("default", "d")}, false, "0A000 COPY DEFAULT only available using COPY FROM"},
		{[]RawOption{raw("default", `\N`)}, true, "22023 NULL specification and DEFAULT specification cannot be the same"},
		{[]RawOption{raw("log_verbosity", "loud")}, true, `22023 COPY LOG_VERBOSITY "loud" not recognized`},
	} {
		_, err := ParseOptions(c.options, c.from)
		if err == nil {
			t.Errorf("%v: no error, want %s", c.options, c.want)
			continue
		}
		if e := sqlerr.From(err); e.Code+" "+e.Message != c.want {
			t.Errorf("%v: %s %s, want %s", c.options, e.Code, e.Message, c.want)
		}
	}
}

func TestOptionsOfColumns(t *testing.T) {
	opt := mustOptions(t, false, raw("format", "csv"), RawOption{Name: "force_quote", List: []string{"B", "z"}, Given: true})
	err := opt.Check([]string{"a", "b"})
	if err == nil || err.Error() != `FORCE_QUOTE column "z" not referenced by COPY` || sqlerr.From(err).Code != "42P10" {
		t.Errorf("error %v", err)
	}
}
