package copyfmt

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// encodings are Postgres's names, without punctuation and in upper case; nil: UTF-8.
var encodings = map[string]encoding.Encoding{
	"UTF8": nil, "UNICODE": nil, "SQLASCII": nil,
	"LATIN1": charmap.ISO8859_1, "ISO88591": charmap.ISO8859_1,
	"LATIN2": charmap.ISO8859_2, "ISO88592": charmap.ISO8859_2,
	"LATIN9": charmap.ISO8859_15, "ISO885915": charmap.ISO8859_15,
	"WIN1250": charmap.Windows1250, "WIN1251": charmap.Windows1251, "WIN1252": charmap.Windows1252,
	"WIN1253": charmap.Windows1253, "WIN1254": charmap.Windows1254, "WIN1257": charmap.Windows1257,
	"KOI8R": charmap.KOI8R, "KOI8": charmap.KOI8R,
}

// encodingOf finds an encoding by its name; nil for UTF-8 and "".
func encodingOf(name string) (encoding.Encoding, error) {
	if name == "" {
		return nil, nil
	}
	key := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToUpper(name))
	e, known := encodings[key]
	if !known {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "argument to option \"encoding\" must be a valid encoding name").
			WithHint("Known are UTF8, LATIN1, LATIN2, LATIN9, WIN1250 to WIN1254, WIN1257 and KOI8R.")
	}
	return e, nil
}
