package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// groupedText stands for the statement around a recursion whose rows are not handed to
// DuckDB (recursionAnswer).
const groupedText = "none: the rows are grouped in memory"

// hostText is the explanation of a SELECT of which blocks are answered on tensors;
// empty when there are none. reason is why it is not answered as a whole.
func (e *explain) hostText(ctx context.Context, reason string) (string, error) {
	s := e.session
	h, _, err := s.prepareHosted(ctx, &Prepared{session: s, sql: e.body, class: sqlfront.Classify(e.body)}, reason)
	if h == nil || err != nil {
		return "", err
	}
	chosen, err := h.autoQuery(nil).explained(ctx, e.opt.before)
	if err != nil {
		return "", errors.Join(err, h.close())
	}
	x := &explanation{why: chosen.why, planning: s.settings.planning, analyzed: e.opt.Analyze, width: e.opt.width, around: reason}
	if len(h.params()) > 0 {
		err = sqlerr.New(sqlerr.UndefinedPrepared, "EXPLAIN of a statement with parameters").
			WithHint("Write the values in place of $1, $2, ...")
	} else if e.opt.Analyze {
		err = chosen.overrun(ctx, func(within context.Context) (err error) {
			reason, err = h.analyzeInto(ctx, within, x)
			return err
		})
	} else {
		reason, err = h.planInto(ctx, x)
	}
	if err == nil && reason != "" && reason != h.reason && s.settings.backend == Auto && h.recurs() {
		err = &errDecided{why: reason} // of the recursion, not of the statement around it
	}
	if err = errors.Join(err, h.close()); err != nil || reason != "" {
		return "", err
	}
	if e.opt.JSON {
		text, err := json.MarshalIndent(x.document(), "", "  ")
		return string(text), err
	}
	return x.text(), nil
}

// planInto plans the blocks without loading; reason is why there is none.
func (h *hosted) planInto(ctx context.Context, x *explanation) (reason string, err error) {
	snap, reason := h.session.engine.catalog.Versions.Snapshot(h.tables, h.session.tx.pin)
	if reason != "" {
		return reason, nil
	}
	if snap.Schema() != h.schema {
		return "", errMoved
	}
	a := &hosting{hosted: h, by: by(h.session), snap: snap, read: len(h.tables), trace: &x.trace, reason: h.reason}
	if err := a.plan(ctx, h.cut.Blocks); err != nil || len(a.taken) == 0 {
		return a.reason, err
	}
	x.Backend, x.trace.account = a.by.String(), nil
	if x.host, _ = h.cut.Replace(a.taken); h.blocks[a.taken[0].Block].answer != nil {
		x.host = groupedText
	}
	return "", nil
}

// plan is take without execution.
func (a *hosting) plan(ctx context.Context, blocks []*sqlfront.Block) error {
	for _, b := range blocks {
		if !a.cut.Reads(b, a.taken) {
			continue
		}
		got, err := a.block(ctx, b)
		if err == nil && got != nil {
			err = a.planBlock(ctx, got)
		}
		var no *translate.Ineligible
		if errors.As(err, &no) {
			a.reason, got, err = no.Reason, nil, nil
		}
		if err == nil && got != nil {
			a.taken = append(a.taken, got.taken(b, len(a.taken)))
		}
		if err == nil {
			err = a.plan(ctx, b.Within(got != nil))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// planBlock plans a block, of a recursion the rows to begin with and the step.
func (a *hosting) planBlock(ctx context.Context, got *hostedBlock) error {
	r := got.recursion
	if r == nil {
		return a.newRun(got.sel).planOnly(ctx, "", got.sel.query)
	}
	if r.base.query != nil {
		if err := a.newRun(r.base).planOnly(ctx, "of the rows to begin with", r.base.query); err != nil {
			return err
		}
	}
	programs := a.trace.count()
	err := a.newRun(r.step).planOnly(ctx, "of a step", r.step.query)
	a.trace.begin(programs, r)
	return err
}

// begins makes the tables in memory that a first step reads: the rows to begin with.
func (r *recursion) begins() (out []duckbackend.Step) {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = load.Quote(c.Name)
	}
	list, base, times := strings.Join(names, ", "), r.base.sql, ""
	if q := r.base.query; q != nil {
		if base = sqlfront.PrintQuery(q); len(r.base.desc.Columns) > len(names) {
			const occurs = `"trireme times"`
			names, times = append(names, occurs), ", range("+occurs+")"
		}
	}
	for _, m := range []sqlfront.InMemory{sqlfront.WorkingTable, sqlfront.RecurringTable} {
		if r.step.query.Memory()&m != 0 {
			sql := fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS\nSELECT %s FROM (%s) AS rows(%s)%s", load.Quote(m.Name()), list, base, strings.Join(names, ", "), times)
			out = append(out, duckbackend.Step{Name: "the rows to begin with; then those that the step before has found, until there are none", SQL: sql})
		}
	}
	return out
}

// analyzeInto runs the statement to its end, its blocks within; reason is why no block was
// taken.
func (h *hosted) analyzeInto(ctx, within context.Context, x *explanation) (reason string, err error) {
	started := time.Now()
	out, reason, err := h.hosted(ctx, within, nil, &x.trace)
	if err != nil || reason != "" {
		return reason, err
	}
	x.Backend, x.host = h.session.lastBackend, groupedText
	if host, ok := out.cursor.(*hostCursor); ok {
		x.host = host.sql
	}
	x.rows, err = drained(ctx, ctx, out.cursor)
	x.took = time.Since(started)
	return "", err
}
