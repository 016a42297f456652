package pgcatalog

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/sqlfront"
)

var mutatedTexts = flag.Int("pgcatalog.texts", 20_000, "number of mutated texts that are rewritten")

// slowText is longer than any text of the test takes, on any machine.
const slowText = 10 * time.Second

// pieces are what statements about the catalog are made of.
var pieces = strings.Fields(`SELECT FROM WHERE JOIN ON AS IN IS NOT LIKE ILIKE AND CASE WHEN END WITH RECURSIVE UNION ORDER BY LIMIT ( ) [ ] { } , . ; : ? ::
	~ !~ ~* !~* = <> < + || OPERATOR(pg_catalog.~) COLLATE pg_catalog.default pg_catalog . pg_class information_schema.tables "pg_catalog"."pg_type" trireme
	CAST( ::regclass ::regtype ::oid ::pg_catalog.regclass ::name ::text ::"char" ::regproc ::text[] '{a,b}' 'pg_class' E'x' $1 1 -1 x.y indkey[ i.indkey indkey[0]
	current_user session_user version() current_database() current_setting( 'work_mem' ::int / // 100 set_config( pg_get_userbyid( pg_backend_pid() generate_series(1,2) s unnest(
	pg_roles pg_settings pg_stat_activity pg_temp. a.tableoid DISTINCT GROUP VALUES ANY( array[ interval '1' day lateral only`)

// mutated is a statement made of pieces, or of one that was.
func mutated(r *rand.Rand, seeds [][]string) string {
	toks := append([]string{}, seeds[r.IntN(len(seeds))]...)
	for range r.IntN(5) {
		if len(toks) == 0 {
			break
		}
		i := r.IntN(len(toks))
		switch r.IntN(5) {
		case 0:
			toks = append(toks[:i], toks[i+1:]...)
		case 1:
			toks[i] = pieces[r.IntN(len(pieces))]
		case 2, 3:
			toks = append(toks[:i], append([]string{pieces[r.IntN(len(pieces))]}, toks[i:]...)...)
		default:
			other := seeds[r.IntN(len(seeds))]
			j := r.IntN(len(other))
			toks = append(toks[:i], append(append([]string{}, other[j:min(len(other), j+5)]...), toks[i:]...)...)
		}
	}
	return strings.Join(toks, []string{" ", "", " "}[r.IntN(3)])
}

// TestMutatedTexts is FuzzRewrite by tokens instead of bytes, and faster. A million:
// go test ./engine/pgcatalog -run TestMutatedTexts -pgcatalog.texts 1000000.
func TestMutatedTexts(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	seeds := [][]string{pieces}
	for _, sql := range fuzzSeeds {
		seeds = append(seeds, append(strings.Fields("SELECT a , b FROM pg_catalog . pg_class c WHERE"), cut(sql)...))
	}
	r := rand.New(rand.NewPCG(5, uint64(*mutatedTexts)))
	env := testEnv()
	for range *mutatedTexts {
		sql := mutated(r, seeds)
		began := time.Now()
		checkRewrite(t, c, env, sql)
		if took := time.Since(began); took > slowText {
			t.Fatalf("%q takes %s", sql, took)
		}
	}
}

// cut is a text in tokens, up to what is none.
func cut(sql string) (out []string) {
	tokens, err := sqlfront.Tokens(sql)
	if err != nil {
		return strings.Fields(sql)
	}
	for _, t := range tokens {
		out = append(out, sql[t.Start:t.End])
	}
	return out
}
