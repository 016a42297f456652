package translate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/sqlfront/lower"
)

// Translate turns a bound query into a Result, or fails with *Ineligible.
func Translate(ctx context.Context, q *sqlfront.Query, facts Facts) (*Result, error) {
	if q.Program != "" {
		return written(ctx, q, facts)
	}
	q, err := lowered(q)
	if err != nil {
		return nil, err
	}
	q = plainCalls(conditionsOnRows(q))
	whole := map[*sqlfront.Query]bool{}
	for {
		r, err := translate(ctx, q, facts, whole)
		var failed *bagFailed
		if !errors.As(err, &failed) || whole[failed.first] {
			return r, bounded(err)
		}
		whole[failed.first] = true
	}
}

// translate is one attempt; the bags that whole names by their first query are
// executed on their own.
func translate(ctx context.Context, q *sqlfront.Query, facts Facts, whole map[*sqlfront.Query]bool) (*Result, error) {
	t := newTranslator(ctx, facts, whole)
	countReaders(q, t.readers)
	b, err := t.analyze(q, 0)
	if err != nil {
		return nil, err
	}
	if err := t.emit(b, outputName); err != nil {
		return nil, err
	}
	return t.result(b)
}

func newTranslator(ctx context.Context, facts Facts, whole map[*sqlfront.Query]bool) *translator {
	return &translator{
		keys: map[*einsum.Query]string{},
		ctx:  ctx, facts: facts, names: map[string]bool{}, exprDomain: map[string]int{}, readers: map[load.Table]int{},
		whole: whole, relationNames: map[any]string{}, dicts: map[LeafRef]*LeafRef{}, neverNulls: map[tablePart]bool{}, magnitudes: map[derivedColumn]float64{},
	}
}

// lowered is the query in the dialect that translation knows.
func lowered(q *sqlfront.Query) (*sqlfront.Query, error) {
	q, err := lower.Lower(q)
	var no *lower.Unsupported
	if errors.As(err, &no) {
		return nil, refuse("%s", no.Reason)
	}
	if err != nil {
		return nil, err
	}
	return q, checkDialect(q)
}

// translator holds the state of one translation.
type translator struct {
	ctx        context.Context
	facts      Facts
	names      map[string]bool // tensor names in use
	exprDomain map[string]int  // table and expression -> domain
	parent     []int           // union-find over domains
	inputs     []*input
	queries    []*einsum.Query
	keys       map[*einsum.Query]string // of queries, once asked for
	relations  []Relation
	checks     []Check
	joined     bool
	blocks     int                // analyzed so far
	readers    map[load.Table]int // how often the statement reads each base table
	// whole are the bags, by their first query, that are executed on their own.
	whole map[*sqlfront.Query]bool
	// relationNames are the names of relations by what they are, so that a block
	// that is analyzed twice has the same ones.
	relationNames map[any]string
	// dicts are the strings that leaves of bags rank.
	dicts map[LeafRef]*LeafRef
	// neverNulls are the parts of expressions on cells, that are NULL in
	// no row of their base table.
	neverNulls map[tablePart]bool
	magnitudes map[derivedColumn]float64
}

// block is one SELECT block on its way to a program query.
type block struct {
	q       *sqlfront.Query
	sources []*source
	classes []*class
	masks   []mask
	groups  []*class // per GROUP BY expression
	name    string   // of the program query, once emitted
	outs    []*class // distinct classes of groups, in order
	leaves  []einsum.Leaf
	aggs    []Agg
	planned []*plannedAgg
	checks  []Check
	conds   []sqlfront.Expr // predicates on values of inlined derived tables
	antis   []*anti
	depth   int
	hollow  bool    // entries with n = 0 are possible
	parted  *parted // of a block that only puts its parts together
	// cellConds are the predicates among conditions that are evaluated on cells.
	cellConds map[sqlfront.Expr]bool
}

// source is one element of FROM.
type source struct {
	n        int
	alias    string
	table    load.Table // base table or relation
	inner    *block     // inlined derived table
	bag      *bag
	where    []string
	keys     []*key
	rowIndex bool
	input    *input
}

// key is one mode of a source's tensor: an expression over its columns.
type key struct {
	expr  sqlfront.Expr // over the source's columns; nil: the row index
	sql   string        // expr as text
	typ   rows.Type
	class *class
	// column is the position among the inner block's groups, for a derived table.
	column int
	// noNull: the column is known to have no NULL, so that it is loaded as where
	// an equality drops them, and by one load with that.
	noNull bool
}

// class is an index: an equivalence class of keys under the query's equalities.
type class struct {
	members []member
	parent  *class
	grouped bool
	masked  bool
	equated bool // by an equality that no NULL passes
	probed  bool // an anti join looks its values up, or a condition reads them
	row     bool // a row index
	konst   *einsum.Const
	name    string
	domain  int
}

// member is a source's key in a class; key is nil for an output of an inlined
// derived table (number out) that the block does not use.
type member struct {
	src *source
	key *key
	out int
}

type mask struct {
	op   string
	l, r *class
}

// needRelation says that a derived table cannot be inlined.
type needRelation struct{ source int }

func (e *needRelation) Error() string { return "the derived table must be executed on its own" }

// maxDepth bounds the nesting of derived tables.
const maxDepth = 32

// maxBlocks bounds how many blocks are analyzed for one statement, each counted as often as
// it is read: outer joins read their sides, and unions their parts, several times. It takes
// some 50 ms; those of the tests have less than 100.
const maxBlocks = 1000

// errBlocks ends a translation, however a part of it could be made otherwise.
var errBlocks = errors.New("too many blocks")

// bounded is the refusal of a statement that has too many blocks.
func bounded(err error) error {
	if errors.Is(err, errBlocks) {
		return refuse("joins and subqueries that become more than %d blocks", maxBlocks)
	}
	return err
}

// mayAnalyze counts a block.
func (t *translator) mayAnalyze() error {
	if t.blocks++; t.blocks > maxBlocks {
		return errBlocks
	}
	return t.ctx.Err()
}

// analyze finds sources, index classes and predicates of a block. Derived
// tables are inlined where they can be; the others become relations.
func (t *translator) analyze(q *sqlfront.Query, depth int) (*block, error) {
	if depth > maxDepth {
		return nil, refuse("derived tables nested deeper than %d", maxDepth)
	}
	if err := t.mayAnalyze(); err != nil {
		return nil, err
	}
	if inParts(q) {
		return t.analyzeParts(q, depth)
	}
	if len(q.From) == 0 {
		q = withRow(q)
	}
	asRelation := map[int]bool{}
	for cuts := 0; ; {
		saved := *t
		b, err := t.tryAnalyze(q, asRelation, depth)
		var need *needRelation
		var without *needCut
		switch {
		case errors.As(err, &need) && !asRelation[need.source]:
			asRelation[need.source] = true
		case errors.As(err, &without):
			if cuts++; cuts > maxCuts {
				return nil, refuse("more than %d parts over several tables that have no form in the notation", maxCuts)
			}
			if q, err = cut(q, without); err != nil {
				return nil, err
			}
		default:
			return b, err
		}
		// exprDomain may keep classes of the failed attempt: they only make two
		// columns share a domain, which is always allowed.
		t.inputs, t.queries, t.relations, t.checks = saved.inputs, saved.queries, saved.relations, saved.checks
	}
}

// withRow is a block without FROM as one over a row.
func withRow(q *sqlfront.Query) *sqlfront.Query {
	out := *q
	out.From = []sqlfront.Source{{
		Alias: "row", Text: `SELECT 1 AS "one"`, Columns: []rows.Column{{Name: "one", Type: rows.Type{ID: rows.Integer}}},
	}}
	return &out
}

// nests reports a source that is a block itself. What is left to DuckDB as a text
// is rows, as a table is.
func nests(f sqlfront.Source) bool { return f.Table == nil && f.Text == "" }

func (t *translator) tryAnalyze(q *sqlfront.Query, asRelation map[int]bool, depth int) (*block, error) {
	if len(q.From) > 1 {
		t.joined = true
	}
	inners := make([]*sqlfront.Query, len(q.From))
	for i, f := range q.From {
		if f.Query != nil && !asRelation[i] && inlinable(f.Query) {
			inners[i] = f.Query
		}
	}
	q, err := expose(q, inners)
	if err != nil {
		return nil, err
	}
	b := &block{q: q, depth: depth}
	for i, f := range q.From {
		s := &source{n: i, alias: f.Alias}
		b.sources = append(b.sources, s)
		t.joined = t.joined || nests(f)
		switch branches := branchesOf(f); {
		case f.Table != nil:
			s.table = f.Table.Name
		case inners[i] != nil:
		case branches != nil && !asRelation[i] && !t.whole[branches[0]]:
			s.bag = &bag{branches: branches}
			s.table = t.relationTable(branches[0])
		default:
			s.table = t.relation(f)
		}
	}
	p := &predicates{t: t, b: b, inners: inners}
	if err := p.run(); err != nil {
		return nil, err
	}
	b.hollow = len(b.conds) > 0 || len(b.antis) > 0
	for _, a := range b.antis {
		if err := t.analyzeAnti(b, a); err != nil {
			return nil, err
		}
	}
	for i, s := range b.sources {
		if s.bag != nil {
			if err := t.analyzeBag(b, s); err != nil {
				return nil, err
			}
		}
		if s.rowIndex {
			if err := p.withoutRowIndex(s); err != nil {
				return nil, err
			}
		}
		if inners[i] == nil {
			continue
		}
		inner, err := t.analyze(inners[i], depth+1)
		if err != nil {
			return nil, err
		}
		s.inner = inner
		b.hollow = b.hollow || inner.hollow
		if err := p.twins(s); err != nil {
			return nil, err
		}
	}
	for _, s := range b.sources {
		if s.bag != nil {
			t.pad(b, s)
			b.hollow = b.hollow || s.bag.hollow && !s.bag.padded
		}
	}
	return b, t.resolveClasses(b)
}

// resolveClasses names the classes, checks their types, and gives them domains.
func (t *translator) resolveClasses(b *block) error {
	b.classes = slices.DeleteFunc(b.classes, func(c *class) bool { return c.parent != nil })
	used := map[string]bool{}
	for _, c := range b.classes {
		if err := compatible(c); err != nil {
			return err
		}
		c.name = indexName(c, used)
		c.domain = -1
		for _, m := range c.members {
			d := t.memberDomain(m)
			if c.domain < 0 {
				c.domain = d
			} else {
				t.unite(c.domain, d)
			}
		}
	}
	for i := range b.masks {
		m := &b.masks[i]
		m.l, m.r = find(m.l), find(m.r)
		if !sameKeyType(m.l.members[0].key.typ, m.r.members[0].key.typ) {
			return refuse("comparison of %s and %s", m.l.members[0].key.typ, m.r.members[0].key.typ)
		}
		if typ := m.l.members[0].key.typ; m.op != "<>" && !orderedAsText(typ) {
			return refuse("order of %s", typ) // a domain orders the texts
		}
		t.unite(m.l.domain, m.r.domain)
	}
	for i, g := range b.groups {
		b.groups[i] = find(g)
		if !slices.Contains(b.outs, b.groups[i]) {
			b.outs = append(b.outs, b.groups[i])
		}
	}
	for _, s := range b.sources {
		for _, k := range s.keys {
			k.class = find(k.class)
		}
		// One order of modes whatever the query's order, so that tensors are shared.
		sort.SliceStable(s.keys, func(i, j int) bool { return s.keys[i].sql < s.keys[j].sql })
	}
	if err := t.probeDomains(b); err != nil {
		return err
	}
	return t.findNulls(b)
}

// findNulls asks of the grouped columns of tables that the statement reads more
// than once whether they have a NULL.
func (t *translator) findNulls(b *block) error {
	for _, s := range b.sources {
		if t.readers[s.table] < 2 {
			continue
		}
		for _, k := range s.keys {
			if !k.class.keepsNull() {
				continue
			}
			_, nulls, ok, err := t.facts.Count(t.ctx, s.table, k.sql, k.typ)
			if err != nil {
				return err
			}
			k.noNull = ok && nulls == 0
		}
	}
	return nil
}

// countReaders counts how often a query reads each base table.
func countReaders(q *sqlfront.Query, out map[load.Table]int) {
	q.Walk(func(q *sqlfront.Query) {
		for _, f := range q.From {
			if f.Table != nil {
				out[f.Table.Name]++
			}
		}
	})
}

func (t *translator) memberDomain(m member) int {
	if m.src.inner != nil {
		return m.src.inner.groups[m.key.column].domain
	}
	id := m.src.table.SQL() + "\x00" + m.key.sql
	d, ok := t.exprDomain[id]
	if !ok {
		d = len(t.parent)
		t.parent = append(t.parent, d)
		t.exprDomain[id] = d
	}
	return d
}

func (t *translator) findDomain(d int) int {
	for t.parent[d] != d {
		d = t.parent[d]
	}
	return d
}

func (t *translator) unite(a, b int) {
	a, b = t.findDomain(a), t.findDomain(b)
	if a != b {
		t.parent[max(a, b)] = min(a, b)
	}
}

func find(c *class) *class {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

// compatible checks that all keys of a class compare in their own type, so that
// equality of values is equality of coordinates (ARCHITECTURE section 4).
func compatible(c *class) error {
	first := c.members[0].key.typ
	for _, m := range c.members {
		if m.key.typ.Physical() == rows.PhysInterval {
			return refuse("INTERVAL key")
		}
		switch m.key.typ.ID {
		case rows.List, rows.Array, rows.Struct, rows.Other, rows.JSON, rows.SQLNull, rows.Invalid:
			return refuse("%s key", m.key.typ)
		}
		if !sameKeyType(first, m.key.typ) {
			return refuse("join of %s and %s", first, m.key.typ)
		}
	}
	return nil
}

// orderedAsText reports whether values of a type that are texts here have the order
// of the texts.
func orderedAsText(t rows.Type) bool {
	return t.ID != rows.Enum && t.ID != rows.UHugeInt && t.ID != rows.TimeTZ && t.ID != rows.Bit
}

// sameKeyType reports whether values of the two types are equal exactly when
// their representations are.
func sameKeyType(a, b rows.Type) bool {
	if a == b {
		return true
	}
	if a.IsInteger() && b.IsInteger() {
		return a.Physical() == b.Physical()
	}
	return a.ID == rows.Decimal && b.ID == rows.Decimal && a.Scale == b.Scale && a.Physical() == b.Physical()
}

// indexName names an index after the column of its first key.
func indexName(c *class, used map[string]bool) string {
	base := "x"
	switch {
	case c.row:
		base = "row"
	case c.members[0].src.inner != nil:
		base = c.members[0].src.inner.groups[c.members[0].key.column].name
	default:
		base = identifier(c.members[0].key.sql, "x")
	}
	return unique(base, used)
}

func unique(base string, used map[string]bool) string {
	name := base
	for i := 2; used[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	used[name] = true
	return name
}

// identifier returns the name inside a quoted identifier when it is a plain
// lower-case word, else fallback.
func identifier(sql, fallback string) string {
	if len(sql) < 3 || sql[0] != '"' || sql[len(sql)-1] != '"' {
		return fallback
	}
	s := []byte(sql[1 : len(sql)-1])
	for i, ch := range s {
		switch {
		case ch >= 'A' && ch <= 'Z':
			s[i] = ch + 'a' - 'A'
		case ch == '_' || ch >= 'a' && ch <= 'z' || i > 0 && ch >= '0' && ch <= '9':
		default:
			return fallback
		}
	}
	return string(s)
}
