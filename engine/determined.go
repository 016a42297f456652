package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/grouping"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// ungrouped is a statement before columns were added to its groups, which is bound again
// when keys may have changed.
type ungrouped struct {
	sql   string
	moved int // rewritings before
}

// group adds the columns to GROUP BY that a primary key in it determines.
func (p *Prepared) group(ctx context.Context) (changed bool, err error) {
	edits, err := grouping.Determined(ctx, keyDatabase{p.session}, p.sql)
	if err != nil || len(edits) == 0 {
		return false, err
	}
	if p.ungrouped == nil {
		p.ungrouped = &ungrouped{p.sql, len(p.moved)}
	}
	return true, p.edit(ctx, edits)
}

// ungroup takes back what group has added.
func (p *Prepared) ungroup() {
	if u := p.ungrouped; u != nil {
		p.sql, p.moved, p.ungrouped = u.sql, p.moved[:u.moved], nil
		p.class = sqlfront.Classify(p.sql)
	}
}

// keyDatabase is what grouping asks of the session.
type keyDatabase struct{ *Session }

// BaseTable implements grouping.Database.
func (d keyDatabase) BaseTable(ctx context.Context, parts []string) (t grouping.Table, ok bool, err error) {
	known, ok, err := d.catalogView().Table(ctx, parts)
	if err != nil || ok && known.View {
		return grouping.Table{}, false, err
	}
	name := load.Table{Catalog: "temp", Schema: "main", Name: parts[len(parts)-1]}
	if ok {
		name = known.Name
	} else if len(parts) > 1 {
		return grouping.Table{}, false, nil
	}
	var keys []duckbackend.DeclaredKey
	err = d.access()(ctx, func(c *duckbackend.Conn) (err error) {
		keys, err = c.DeclaredKeys(ctx, name)
		return err
	})
	primary := slices.IndexFunc(keys, func(k duckbackend.DeclaredKey) bool { return k.Primary })
	if err != nil || primary < 0 && !ok {
		return grouping.Table{}, false, err
	}
	if primary >= 0 {
		t.Key = keys[primary].Columns
	}
	described, err := d.Describe(ctx, "SELECT * FROM "+name.SQL(), nil)
	if err != nil {
		return grouping.Table{}, false, err
	}
	for _, c := range described.Columns {
		t.Columns = append(t.Columns, c.Name)
	}
	return t, true, nil
}
