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

// parseSelect makes the syntactic tree of a statement or refuses it. The
// parser's failpoint package reads GO_FAILPOINTS before main: a server should
// be started without it.
func parseSelect(sql string) *selectNode {
	g := runGate(sql)
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
