// Package treeprint is the one renderer of trees in EXPLAIN and golden files.
package treeprint

import "strings"

// Node is a line of text with children below it.
type Node struct {
	Text     string
	Children []*Node
}

// New makes a node.
func New(text string, children ...*Node) *Node { return &Node{Text: text, Children: children} }

// Add appends a child with the given text and returns it.
func (n *Node) Add(text string) *Node {
	c := New(text)
	n.Children = append(n.Children, c)
	return c
}

// String draws the tree, one node a line, each line ended by a newline. Text
// of several lines is indented under its node.
func (n *Node) String() string {
	var b strings.Builder
	b.WriteString(n.Text)
	b.WriteByte('\n')
	n.children(&b, "")
	return b.String()
}

func (n *Node) children(b *strings.Builder, prefix string) {
	for i, c := range n.Children {
		branch, below := " ├── ", " │   "
		if i == len(n.Children)-1 {
			branch, below = " └── ", "     "
		}
		for k, line := range strings.Split(c.Text, "\n") {
			b.WriteString(prefix)
			if k == 0 {
				b.WriteString(branch)
			} else {
				b.WriteString(below)
			}
			b.WriteString(line)
			b.WriteByte('\n')
		}
		c.children(b, prefix+below)
	}
}
