package sqlfront

import (
	"flag"
	"math/rand"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

var mutatedTexts = flag.Int("sqlfront.texts", 5_000, "number of mutated texts that all readers of text get")

// slowText is longer than any text of the test takes, on any machine.
const slowText = 10 * time.Second

// scramble changes bytes of a text: pieces are lost, doubled, replaced and cut off.
func scramble(r *rand.Rand, text string) string {
	const odd = "'\"$?;()[]{}.,:-/*\\\x00\xff\n e_0@#~|&!%^<>=`U"
	b := []byte(text)
	for range r.Intn(4) {
		if len(b) == 0 {
			break
		}
		i := r.Intn(len(b))
		j := min(len(b), i+1+r.Intn(8))
		switch r.Intn(5) {
		case 0:
			b = append(b[:i], b[j:]...)
		case 1:
			b[i] = odd[r.Intn(len(odd))]
		case 2:
			b = append(b[:i], append([]byte{odd[r.Intn(len(odd))]}, b[i:]...)...)
		case 3:
			b = append(b[:j], append([]byte(string(b[i:j])), b[j:]...)...)
		case 4:
			b = b[:i]
		}
	}
	return string(b)
}

// copySeeds are COPY statements with options of both syntaxes.
var copySeeds = []string{
	`copy t (a, b) from stdin (format csv, null E'\t', force_null (a), header match, delimiter ';') where a > 1`,
	`copy (select ')', (1) from t /* ) */) to stdout csv header quote as '"' escape '\' force quote *`,
	`copy s."T" from stdin with delimiter as '|' null as '' encoding 'latin1'`,
	`copy t from 'file.csv' (format parquet, compression 'zstd')`, `copy binary t to stdout`,
}

// definitionSeeds are statements with definitions, without their first words.
var definitionSeeds = []string{
	`table s.t (a int default 1 not null, b numeric generated always as (a + 1) stored, check (a > b), constraint c check (b in (1, 2)))`,
	`or replace view v (a, b) as select 1, 2 from t`, `unique index i on t using btree (a, lower(b) desc, (a || b)) where a > 1`,
	`t alter column a set data type text using a::text, add column if not exists c jsonb default '{}' check (c <> '1'), alter b set default 3`,
	`t (a) from stdin with (format csv) where a = '\x00'`, `macro m(a, b := 1) as a + b, (a) as a`,
}

// TestMutatedTexts gives texts that are statements no longer to all that reads text:
// FuzzText and the others by tokens instead of bytes, and faster. A million:
// go test ./sqlfront -run TestMutatedTexts -v -sqlfront.texts 1000000.
func TestMutatedTexts(t *testing.T) {
	texts := append(corpus(t, "accept"), corpus(t, "reject")...)
	texts = append(append(append(texts, fuzzCutSeeds...), copySeeds...), definitionSeeds...)
	cut := make([][]string, len(texts))
	for i, text := range texts {
		cut[i] = lenientTokens(text)
	}
	r := rand.New(rand.NewSource(int64(*mutatedTexts)))
	accepted := 0
	for range *mutatedTexts {
		a, b := cut[r.Intn(len(cut))], cut[r.Intn(len(cut))]
		text := scramble(r, strings.Join(mutate(r, a, b), " "))
		began := time.Now()
		if readAll(t, text) {
			accepted++
		}
		if took := time.Since(began); took > slowText {
			t.Fatalf("%q takes %s", text, took)
		}
	}
	t.Logf("%d of %d are statements that tensors may answer", accepted, *mutatedTexts)
	if accepted < *mutatedTexts/100 {
		t.Errorf("only %d of %d are still statements", accepted, *mutatedTexts)
	}
}

// lenientTokens are the tokens of a text up to what is none.
func lenientTokens(text string) (out []string) {
	l := lexer{src: text}
	for {
		tok, err := l.next()
		if err != nil || tok.kind == tokEOF {
			return out
		}
		out = append(out, text[tok.start:tok.end])
	}
}

// readAll reports whether a text is a statement that is printed.
func readAll(t *testing.T, text string) bool {
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("%q: panic: %v\n%s", text, v, debug.Stack())
		}
	}()
	checkCut(t, text)
	for _, sql := range []string{text, "copy " + text} {
		if c, err := ParseCopy(sql); err == nil && c != nil && c.Table == nil && c.Query == "" {
			t.Errorf("ParseCopy(%q) copies nothing", sql)
		}
	}
	Redact(text)
	Normalize(text)
	Forms(text)
	HasNamedParams(text)
	ParamCount(text)
	LookupOf(text)
	for _, sql := range []string{text, "create " + text, "alter table " + text, "copy " + text} {
		for _, d := range Definitions(sql) {
			if q := d.Query(sql); !strings.Contains(q, sql[d.Start:d.End]) {
				t.Errorf("Definitions(%q) has %q", sql, q)
			}
		}
	}
	return checkText(t, text)
}
