package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Block is a SELECT inside a statement that could be executed on its own: it
// reads nothing of what stands around it but common table expressions. Whether
// it means anything alone is seen when it is analyzed.
type Block struct {
	// SQL is the block as a statement, with the common table expressions that it
	// reads in front.
	SQL string
	// Start and End are the bytes of the statement that the block's rows replace.
	Start, End int
	// Inner are blocks within it, those of the body before those of WITH.
	Inner []*Block
	// cte is the folded name of the common table expression whose body it is.
	cte string
	// over is the rest of a SELECT whose groups the block computes.
	over *windowed
}

// Cutting is a statement with the blocks in it.
type Cutting struct {
	sql string
	// Start and End are the SELECT of which the statement's rows or columns are;
	// empty where there is none (UPDATE, DELETE).
	Start, End int
	// Blocks are the outermost candidates.
	Blocks []*Block
}

// Cut finds the blocks of a statement; nil when there is none. Within a SELECT
// that is not a candidate itself (top), those inside it. aggregate says which
// names, in lower case, are aggregate functions.
func Cut(sql string, c Class, aggregate func(string) bool) *Cutting {
	k, ok := newCutter(sql, aggregate)
	if !ok || len(k.toks) == 0 {
		return nil
	}
	lo, hi := k.body(c)
	out := &Cutting{sql: sql}
	switch {
	case lo < hi:
		out.Start, out.End = k.toks[lo].start, k.toks[hi-1].end
		whole := k.query(lo, hi, cteSight{})
		out.Blocks = []*Block{whole}
		if c.Kind == ClassSelect {
			out.Blocks = whole.Inner
		}
	case c.Kind == ClassUpdate || c.Kind == ClassDelete:
		out.Blocks = k.nested(0, len(k.toks), cteSight{})
	}
	if out.Blocks = k.worthwhile(out.Blocks); len(out.Blocks) == 0 {
		return nil
	}
	return out
}

// Body is the text of the statement's SELECT with blocks replaced; empty without
// one.
func (c *Cutting) Body(taken []Taken) string {
	if c.Start == c.End {
		return ""
	}
	whole, place := c.Replace(taken)
	end := len(whole) - (len(c.sql) - c.End)
	_ = place
	return whole[c.Start:end]
}

// Taken is a block whose rows are a relation with columns BlockColumn(0..).
type Taken struct {
	*Block
	Relation string        // as SQL
	Columns  []rows.Column // of the block
	Whole    []rows.Column // of the SELECT around, where the block is of groups (Around)
}

// BlockColumn is the name of the n-th column of a block's relation: one that no
// text has.
func BlockColumn(n int) string { return "trireme block " + string(rune('A'+n/1000)) + decimal(n%1000) }

func decimal(n int) string {
	digits := []byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)}
	return string(digits)
}
