package engine

import (
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/pgcatalog"
)

// viewFunctions read the texts of views and expressions for the catalog.
func (e *Engine) viewFunctions() []duckbackend.TextFunction {
	return []duckbackend.TextFunction{
		{Name: "trireme_view_tables", Args: 2, Call: func(_ uint64, args []string) (string, bool, error) {
			names, err := e.system.live.ViewTables(args[0], args[1])
			return strings.Clone(names), err == nil, err
		}},
		{Name: "trireme_view_text", Args: 3, Call: func(_ uint64, args []string) (string, bool, error) {
			text, err := e.system.live.ViewText(args[0], args[1], strings.Split(args[2], "\n"), e.clientSchema, quoteIfNeeded)
			return strings.Clone(text), err == nil, err
		}},
		{Name: "trireme_expression_text", Args: 2, Call: func(_ uint64, args []string) (string, bool, error) {
			text, err := pgcatalog.ExpressionText(args[0], strings.Split(args[1], "\n"), e.clientSchema, quoteIfNeeded)
			return strings.Clone(text), err == nil, err
		}},
	}
}
