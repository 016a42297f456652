package sqlfront

import (
	"flag"
	"math/rand"
	"strings"
	"testing"
)

var mutations = flag.Int("sqlfront.mutations", 20_000, "number of mutated statements to compare with DuckDB's trees")

// vocabulary is what mutations insert: everything that the gate treats on its
// own, and operators of all levels.
var vocabulary = strings.Fields(`( ) , . * + - / % || = <> < <= > >= != AND OR NOT IS NULL IN BETWEEN LIKE ILIKE CASE WHEN THEN ELSE END
	JOIN CROSS NATURAL INNER ON USING AS DISTINCT GROUP BY ORDER LIMIT OFFSET HAVING WITH SELECT FROM WHERE ASC DESC NULLS FIRST LAST
	TRUE FALSE 1 2.5 'x' $1 ? "q" ::INTEGER ::text CAST( count(*) sum( coalesce( extract( date interval DAY src a b e v t
	FULL LEFT SEMI isnull notnull collate at time zone filter over key rank mod xor div regexp rlike sounds binary
	// ** ^ && -> ->> @a # ! !! ~ & | << >> := => : [ ] { } ; e'x' $$x$$ 1_000 0x1F 1e5 .5 5. -- /* */ ilike escape glob
	similar any all some exists values table only lateral unnest( row( tablesample qualify window union except straight_join
	rollup for update into outfile procedure partition force index ignore use div div lock share mode high_priority sql_cache
	current_date current_user user interval timestamp time year date_add( now( if( ifnull( trim( substring( position( left( mod(`)

func tokens(t testing.TB, text string) []string {
	l := lexer{src: text}
	var out []string
	for {
		tok, err := l.next()
		if err != nil {
			t.Fatal(err)
		}
		if tok.kind == tokEOF {
			return out
		}
		out = append(out, text[tok.start:tok.end])
	}
}

func mutate(r *rand.Rand, toks, other []string) []string {
	out := append([]string{}, toks...)
	for range 1 + r.Intn(3) {
		if len(out) == 0 {
			break
		}
		i := r.Intn(len(out))
		switch r.Intn(6) {
		case 0:
			out = append(out[:i], out[i+1:]...)
		case 1:
			out[i] = vocabulary[r.Intn(len(vocabulary))]
		case 2, 3:
			out = append(out[:i], append([]string{vocabulary[r.Intn(len(vocabulary))]}, out[i:]...)...)
		case 4:
			j := r.Intn(len(out))
			out[i], out[j] = out[j], out[i]
		case 5: // a piece of another statement
			j := r.Intn(len(other))
			k := min(len(other), j+1+r.Intn(6))
			out = append(out[:i], append(append([]string{}, other[j:k]...), out[i:]...)...)
		}
	}
	return out
}

// TestMutatedTrees changes accepted statements at random. What is still
// accepted, and is SQL to DuckDB, must have DuckDB's tree.
func TestMutatedTrees(t *testing.T) {
	d := newDuck(t)
	texts := corpus(t, "accept")
	r := rand.New(rand.NewSource(1))
	accepted, compared, wrong := 0, 0, 0
	for range *mutations {
		a := tokens(t, texts[r.Intn(len(texts))])
		b := tokens(t, texts[r.Intn(len(texts))])
		text := strings.Join(mutate(r, a, b), " ")
		if stmts, err := Split(text); err != nil || len(stmts) != 1 {
			continue
		}
		sel, reason := parsed(text)
		if reason != "" {
			continue
		}
		accepted++
		if _, err := d.tree(numbered(text)); err != nil {
			continue // DuckDB's error is the answer
		}
		compared++
		if !sameTree(t, d, text, sel) {
			wrong++
		}
		if wrong == 10 {
			break
		}
	}
	t.Logf("%d accepted, %d of them SQL to DuckDB, of %d", accepted, compared, *mutations)
	if compared < *mutations/200 {
		t.Errorf("only %d of %d mutations were compared", compared, *mutations)
	}
}
