package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// canonical returns the arguments in the one text form that DuckDB gives a value
// of the parameter's type, so that tensors and dictionaries can look it up. A
// text that is no value of the type is DuckDB's error for it.
func (t *tensorSelect) canonical(ctx context.Context, s *Session, args []Arg) ([]Arg, error) {
	out := make([]Arg, len(args))
	for i, a := range args {
		text, err := a.Text, error(nil)
		if !a.Null {
			text, err = t.route.workers.in(s.own.zone).canonicalText(ctx, a.Text, t.desc.Params[i])
		}
		if err != nil {
			e := *sqlerr.From(err)
			e.Offset = -1
			e.Message = fmt.Sprintf("parameter $%d: %s", i+1, e.Message)
			return nil, &e
		}
		out[i] = Arg{Null: a.Null, Text: text}
	}
	return out, nil
}

// integerBits are the widths of integers.
var integerBits = map[rows.TypeID]int{rows.TinyInt: 8, rows.SmallInt: 16, rows.Integer: 32, rows.BigInt: 64}

// canonicalText is one argument's, a time read in the pool's zone.
func (p *pool) canonicalText(ctx context.Context, text string, typ rows.Type) (string, error) {
	if !utf8.ValidString(text) || typ.ID != rows.Varchar && strings.IndexByte(text, 0) >= 0 {
		return "", sqlerr.New(sqlerr.InvalidText, "invalid byte sequence for encoding UTF8")
	}
	if typ.ID == rows.Varchar || typ.ID == rows.Invalid {
		return text, nil
	}
	if bits, ok := integerBits[typ.ID]; ok {
		if v, err := strconv.ParseInt(text, 10, bits); err == nil {
			return strconv.FormatInt(v, 10), nil
		}
	}
	value := fmt.Sprintf("CAST(%s AS %s)", quoteText(text), typ)
	if !typ.IsNested() { // whose text is made where it is read
		value = "CAST(" + value + " AS VARCHAR)"
	}
	err := p.lend(ctx, func(c *duckbackend.Conn) error {
		cur, err := c.Query(ctx, "SELECT "+value)
		if err != nil {
			return err
		}
		b, err := cur.Next(ctx)
		if err == nil {
			text = b.Cols[0].Str[0]
		}
		return errors.Join(err, cur.Close())
	})
	return text, err
}
