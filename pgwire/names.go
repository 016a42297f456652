package pgwire

import "maps"

// protocolNames shows a session the statements that its client has named.
type protocolNames struct{ c *conn }

// Text is that of the statement with the name; the unnamed one has none.
func (n protocolNames) Text(name string) (sql string, ok bool) {
	s := n.c.stmts[name]
	if name == "" || s == nil {
		return "", false
	}
	return s.text, true
}

// Drop forgets a statement; a portal over it goes on.
func (n protocolNames) Drop(name string) { n.c.dropStatement(name) }

// DropAll forgets all but the unnamed statement.
func (n protocolNames) DropAll() {
	for name := range maps.Clone(n.c.stmts) {
		if name != "" {
			n.c.dropStatement(name)
		}
	}
}
