package engine

import (
	"slices"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// insertion is a text of ours within a statement: bytes bytes at offset at; below zero:
// so many are gone.
type insertion struct{ at, bytes int }

// place moves an error's position back to where it is in the client's text.
func (p *Prepared) place(err error) error {
	if err == nil || len(p.moved) == 0 {
		return err
	}
	e := *sqlerr.From(err)
	if e.Offset < 0 {
		return err
	}
	for _, layer := range slices.Backward(p.moved) {
		at := e.Offset
		for _, in := range layer {
			if e.Offset > in.at {
				at -= min(in.bytes, e.Offset-in.at)
			}
		}
		e.Offset = at
	}
	return &e
}
