package sqlfront

import (
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // the parser's value nodes
)

// parserMode makes the parser read quotes and || as DuckDB does.
const parserMode = mysql.ModeANSIQuotes | mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes | mysql.ModeIgnoreSpace

// parsers are reused: making one costs far more than a parse.
var parsers = sync.Pool{New: func() any { return parser.New() }}

// parseSelect makes the syntactic tree of a statement or refuses it. What the
// parser cannot read of a statement may be left to DuckDB as text.
func parseSelect(sql string) *selectNode {
	sel, reason := tryParse(sql, nil)
	if reason != "" {
		if ordered, ok := selectFirst(sql); ok {
			sql = ordered
			sel, reason = tryParse(sql, nil)
		}
	}
	if reason == "" {
		return sel
	}
	if texts, ok := textsOf(sql); ok {
		if sel, again := tryParse(sql, texts); again == "" && sel.text == "" {
			return sel
		}
	}
	refuse(reason)
	return nil
}

// textsOf is readable for a whole statement; one that the gate cannot scan has
// none.
func textsOf(sql string) (texts []span, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, refused := p.(refusal); !refused {
				panic(p)
			}
			texts, ok = nil, false
		}
	}()
	return readable(sql)
}

func tryParse(sql string, texts []span) (sel *selectNode, reason string) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refusal:
			sel, reason = nil, p.reason
		default:
			panic(p)
		}
	}()
	return parseTexts(sql, texts), ""
}

// parseTexts makes the syntactic tree of a statement with texts in it. The
// parser's failpoint package reads GO_FAILPOINTS before main: a server should be
// started without it.
func parseTexts(sql string, texts []span) *selectNode {
	g := runGate(sql, texts)
	p := parsers.Get().(*parser.Parser)
	defer parsers.Put(p)
	p.SetSQLMode(parserMode)
	stmts, _, err := p.ParseSQL(g.text)
	if err != nil || len(stmts) != 1 {
		refuse("syntax")
	}
	c := converter{gated: g}
	switch s := stmts[0].(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		return c.query(s)
	}
	refuse("not a SELECT")
	return nil
}
