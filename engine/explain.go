package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// Explain prints every stage of a SELECT. Without ANALYZE nothing is loaded or
// run, and estimates are DuckDB's figures from before loading.
func (r *route) Explain(ctx context.Context, s *Session, sql string, opt ExplainOptions) (string, string, error) {
	stmt, reason, err := r.analyze(ctx, s, sql, nil)
	if stmt == nil || err != nil {
		return "", reason, err
	}
	if len(stmt.desc.Params) > 0 {
		return "", "", sqlerr.New(sqlerr.UndefinedPrepared, "EXPLAIN of a statement with parameters").
			WithHint("Write the values in place of $1, $2, ...")
	}
	chosen, err := stmt.autoQuery(s, nil).explained(ctx, opt.before)
	if err != nil {
		return "", "", err
	}
	e := &explanation{Backend: by(s).String(), why: chosen.why, planning: s.settings.planning, analyzed: opt.Analyze, width: opt.width}
	for i, c := range stmt.clocks {
		e.clocks = append(e.clocks, fmt.Sprintf("$%d is %s", i+1, c.SQL))
	}
	if opt.Analyze {
		err = chosen.overrun(ctx, func(within context.Context) error { return stmt.analyzeInto(ctx, within, s, e) })
	} else {
		err = stmt.planInto(ctx, s, e)
	}
	var no *translate.Ineligible
	if errors.As(err, &no) {
		return "", no.Reason, nil
	}
	if err != nil {
		return "", "", err
	}
	if opt.JSON {
		text, err := json.MarshalIndent(e.document(), "", "  ")
		return string(text), "", err
	}
	return e.text(), "", nil
}

// explanation is what EXPLAIN shows.
type explanation struct {
	Backend string
	// why is why auto chose it; empty for a backend that is forced.
	why      string
	planning planning
	analyzed bool
	width    int // bytes of a row of the result
	trace    trace
	clocks   []string // what parameters stand for
	rows     int64
	took     time.Duration
	// host is the statement that DuckDB runs over the rows of blocks, and around the
	// reason why it is not answered as a whole; empty for one that is.
	host, around string
}

// statements are the SQL of a decomposed program, with what makes the derived tables
// that it reads.
func (p *programTrace) statements() []duckbackend.Step {
	out := slices.Clone(p.begins)
	for _, rel := range p.result.Relations {
		sql := rel.SQL
		if rel.Query != nil && rel.Query.Program == "" {
			sql = sqlfront.PrintQuery(rel.Query)
		}
		if sql == "" { // a tensor program's rows
			continue
		}
		names := make([]string, len(rel.Columns))
		for i, c := range rel.Columns {
			names[i] = load.Quote(c.Name)
		}
		out = append(out, duckbackend.Step{Name: rel.Table.Name, SQL: fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS\nSELECT * FROM (%s) AS rows(%s)",
			load.Quote(rel.Table.Name), sql, strings.Join(names, ", "))})
	}
	return append(out, p.decomposed...)
}

// by is the backend that answers where the tensor engine does.
func by(s *Session) Backend {
	if s.settings.backend == Auto {
		return Native
	}
	return s.settings.backend
}

// planInto plans without loading.
func (t *tensorSelect) planInto(ctx context.Context, s *Session, e *explanation) error {
	snap, reason := s.engine.catalog.Versions.Snapshot(t.tables, s.tx.pin)
	if reason != "" {
		return &translate.Ineligible{Reason: reason}
	}
	if snap.Schema() != t.schema {
		return errMoved
	}
	args, err := t.timed(ctx, s, nil)
	if err != nil {
		return err
	}
	q := t.newRun(s, snap, args, by(s))
	q.trace = &e.trace
	return q.planOnly(ctx, "", t.query)
}

// planOnly makes the plans of a SELECT and of the derived tables that it runs
// on their own.
func (q *queryRun) planOnly(ctx context.Context, relation string, query *sqlfront.Query) error {
	switch u, err := translate.SplitUnion(query); {
	case err != nil:
		return err
	case u != nil:
		return q.planUnion(ctx, relation, u)
	}
	tr, err := translate.Translate(ctx, query, q)
	if err != nil {
		return err
	}
	if q.auto && relation == "" && !tr.Joined && !query.LosesNulls() {
		return &translate.Ineligible{Reason: "no join and no nested aggregate"}
	}
	return q.planProgram(ctx, relation, tr)
}

// planProgram makes the plan of a program, and those of its derived tables.
func (q *queryRun) planProgram(ctx context.Context, relation string, tr *translate.Result) error {
	for _, rel := range tr.Relations {
		if rel.Query == nil {
			continue // DuckDB's
		}
		if err := q.planOnly(ctx, rel.Table.Name, rel.Query); err != nil {
			return err
		}
	}
	p := q.trace.program(relation, tr)
	p.preload = true
	for _, l := range tr.Loads {
		p.loads = append(p.loads, loadTrace{spec: l})
	}
	if q.by == Decomposed {
		made, steps, err := q.decompose(ctx, tr)
		if err != nil {
			return err
		}
		p.decomposedInto(made, steps)
		return nil
	}
	src, program, err := q.preload(ctx, tr)
	if err != nil {
		return err
	}
	made := &planTrace{by: q.planning}
	err = made.make(ctx, tr, program, src, true)
	p.planned(made)
	return unplanned(err)
}

// analyzeInto runs the statement to its end, to its first row within.
func (t *tensorSelect) analyzeInto(ctx, within context.Context, s *Session, e *explanation) error {
	started := time.Now()
	cur, by, reason, err := t.execute(within, s, nil, &e.trace)
	if err != nil {
		return err
	}
	if cur == nil {
		return &translate.Ineligible{Reason: reason}
	}
	e.Backend = by.String()
	e.rows, err = drained(ctx, within, cur)
	e.took = time.Since(started)
	if err == nil {
		s.lastBackend = e.Backend
	}
	return err
}

// drained reads a cursor to its end and closes it: the first batch within, the others in
// ctx. It counts the rows.
func drained(ctx, within context.Context, cur rows.Cursor) (n int64, err error) {
	for b, err := cur.Next(within); b != nil || err != nil; b, err = cur.Next(ctx) {
		if err != nil {
			return n, errors.Join(err, cur.Close())
		}
		n += int64(b.N)
	}
	return n, cur.Close()
}

// text prints the stages under headings.
func (e *explanation) text() string {
	var b strings.Builder
	backend := e.Backend
	if e.host != "" {
		backend += " (block of a DuckDB statement)"
	}
	if !e.analyzed {
		backend += "  " + e.figures().String()
	}
	if reason := e.reason(); reason != "" {
		backend += "\nreason: " + reason
	}
	for _, c := range e.clocks {
		backend += "\n" + c
	}
	fmt.Fprintf(&b, "backend: %s\nplanner: estimator %s, optimizer %s\n", backend, e.planning.estimator, e.planning.search)
	for _, p := range e.trace.programs {
		if p.name != "" {
			heading(&b, "derived table "+p.name)
		}
		p.text(&b, e.analyzed)
	}
	if e.host != "" {
		heading(&b, "statement around the blocks (DuckDB)")
		b.WriteString(e.host + "\n")
	}
	if e.analyzed {
		heading(&b, "answer")
		fmt.Fprintf(&b, "%d rows in %s\n", e.rows, milliseconds(e.took))
		fmt.Fprintf(&b, "memory: at most %d bytes of %d bytes\n", e.trace.peak(), e.trace.limit())
	}
	return b.String()
}

// reason is why the statement is not answered as a whole, and why auto chose who answers.
func (e *explanation) reason() string {
	if e.around != "" && e.why != "" {
		return e.around + "; " + e.why
	}
	return e.around + e.why
}

func heading(b *strings.Builder, text string) { fmt.Fprintf(b, "\n%s\n", strings.ToUpper(text)) }

func (p *programTrace) text(b *strings.Builder, analyzed bool) {
	heading(b, "tensor program")
	for _, q := range p.result.Program.Queries {
		b.WriteString(q.String() + "\n")
	}
	heading(b, "loads")
	for _, l := range p.loads {
		b.WriteString(l.text())
	}
	if len(p.classes) > 0 {
		heading(b, "classes")
		b.WriteString(strings.Join(p.classes, "\n") + "\n")
	}
	first, title := p.plans[0], "logical plan"
	if p.preload {
		title += " (estimates from before loading)"
	}
	heading(b, title)
	b.WriteString(first.logical.String())
	if first.physical != nil {
		heading(b, "physical plan")
		b.WriteString(first.physical.String())
	}
	if len(p.decomposed) > 0 {
		heading(b, "decomposed SQL")
		fmt.Fprintf(b, "-- to run it in duckdb: ATTACH '<database file>' AS %s (READ_ONLY);\n", load.Quote(duckbackend.CatalogName))
		for _, s := range p.statements() {
			fmt.Fprintf(b, "-- %s\n%s;\n", s.Name, s.SQL)
		}
	}
	for _, a := range p.result.Answers() {
		if a.Finish.SQL != "" {
			heading(b, finishTitle(p.result, a))
			b.WriteString(a.Finish.SQL + "\n")
			if top := a.Finish.Top; top != nil {
				fmt.Fprintf(b, "-- gets the %d first rows of that order, and equal ones\n", top.Rows)
			}
		}
	}
	if !analyzed {
		return
	}
	heading(b, "execution")
	if p.handed {
		b.WriteString(handedText + "\n")
	}
	for _, t := range p.plans {
		t.text(b)
	}
	p.iterationsText(b)
}

func finishTitle(program, answer *translate.Result) string {
	if program.Arms == nil {
		return "finish (DuckDB over the result)"
	}
	return "finish of " + answer.Output + " (DuckDB over its rows)"
}

// text prints how a plan was come by, the plan itself if it is not the first,
// and its steps.
func (t *planTrace) text(b *strings.Builder) {
	if t.because != nil {
		fmt.Fprintf(b, "%s: planned again in %s, %d steps\n", t.because, milliseconds(t.took), len(t.physical.Steps))
		heading(b, "logical plan after step "+t.because.step)
		b.WriteString(t.logical.String())
		heading(b, "physical plan after step "+t.because.step)
		b.WriteString(t.physical.String())
		heading(b, "execution after step "+t.because.step)
	} else {
		fmt.Fprintf(b, "planning: %s%s\n", milliseconds(t.took), t.origin())
	}
	for i := range t.ran {
		b.WriteString(t.ran[i].text())
	}
}

// origin says where a plan is from and, of one that was made, how the time of
// planning divides; estimating is part of both.
func (t *planTrace) origin() string {
	switch {
	case t.cached:
		return ", from the plan cache"
	case t.physical == nil:
		return ""
	}
	return fmt.Sprintf(" (logical %s, physical %s)", milliseconds(t.tookLogical), milliseconds(t.took-t.tookLogical))
}

func (l *loadTrace) text() string {
	out := fmt.Sprintf("%s <- %s\n", l.spec.Name, duckbackend.ScanLine(l.spec))
	if l.done {
		state := "built"
		if l.cached {
			state = "cached"
		}
		out += fmt.Sprintf("    %d entries, %s in %s\n", l.entries, state, milliseconds(l.took))
	}
	return out
}

func (t *stepTrace) text() string {
	s := t.step
	out := fmt.Sprintf("%s: estimated %.4g entries, true %d, q-error %.2f, estimated %.4g cells, visited %d, %s, %d bytes, %d traversal(s), %d thread(s), %d morsel(s), kernel %s, workspace %s",
		s.Query.Name, s.OutNNZ, t.stats.Entries, qError(s.OutNNZ, float64(t.stats.Entries)), s.BodyNNZ, t.stats.Cells,
		milliseconds(t.took), t.stats.Bytes, t.stats.Traversals, t.stats.Threads, t.stats.Morsels, t.stats.Kernel, t.stats.Workspace)
	if t.slices > 0 {
		out += fmt.Sprintf(", in %d slices of %s", t.slices, s.Output.Order[0].Name)
	}
	if len(t.stats.Wide) > 0 {
		out += ", 128 bits for " + strings.Join(t.stats.Wide, ", ")
	}
	return out + "\n"
}

// handedText says why a statement is decomposed that began natively.
const handedText = "native outgrew its memory: handed over to decomposed"

// qError is max(estimate/actual, actual/estimate), both at least 1.
func qError(est, actual float64) float64 {
	est, actual = math.Max(1, est), math.Max(1, actual)
	return math.Max(est/actual, actual/est)
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.3f ms", inMilliseconds(d)) }

func inMilliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// document is the JSON form of an explanation.
func (e *explanation) document() map[string]any {
	doc := map[string]any{"backend": e.Backend, "estimator": e.planning.estimator, "optimizer": e.planning.search}
	var programs []map[string]any
	for _, p := range e.trace.programs {
		programs = append(programs, p.document(e.analyzed))
	}
	doc["programs"] = programs
	if !e.analyzed {
		doc["Plan"] = e.figures().document(e.Backend)
	}
	if e.host != "" {
		doc["host"] = e.host
	}
	if reason := e.reason(); reason != "" {
		doc["reason"] = reason
	}
	if e.analyzed {
		doc["rows"] = e.rows
		doc["time_ms"] = inMilliseconds(e.took)
		doc["peak_bytes"], doc["memory_limit_bytes"] = e.trace.peak(), e.trace.limit()
	}
	return doc
}

func (p *programTrace) document(analyzed bool) map[string]any {
	doc := map[string]any{"tensor_program": p.result.Program.String(), "preload": p.preload}
	if p.name != "" {
		doc["derived_table"] = p.name
	}
	if p.handed {
		doc["handed_over"] = handedText
	}
	var loads []map[string]any
	for _, l := range p.loads {
		loads = append(loads, loadDocument(l.spec, &l))
	}
	doc["loads"] = loads
	if len(p.decomposed) > 0 {
		var steps []map[string]any
		for _, s := range p.statements() {
			steps = append(steps, map[string]any{"name": s.Name, "sql": s.SQL})
		}
		doc["decomposed"] = steps
	}
	if p.result.Finish.SQL != "" {
		doc["finish"] = p.result.Finish.SQL
		if top := p.result.Finish.Top; top != nil {
			doc["finish_rows"] = top.Rows
		}
	}
	var arms []map[string]any
	for _, a := range p.result.Arms {
		arms = append(arms, map[string]any{"tensor": a.Output, "finish": a.Finish.SQL})
	}
	if arms != nil {
		doc["arms"] = arms
	}
	p.plans[0].document(doc, analyzed)
	var again []map[string]any
	for _, t := range p.plans[1:] {
		again = append(again, t.document(t.because.document(), analyzed))
	}
	if again != nil {
		doc["planned_again"] = again
	}
	if iterations := p.iterationDocuments(); iterations != nil {
		doc["iterations"] = iterations
	}
	return doc
}

// document adds a plan and its steps to doc.
func (t *planTrace) document(doc map[string]any, analyzed bool) map[string]any {
	doc["logical_plan"] = t.logical.String()
	if t.physical != nil {
		doc["physical_plan"] = t.physical.String()
	}
	if !analyzed {
		return doc
	}
	doc["planning_ms"], doc["plan_cached"] = inMilliseconds(t.took), t.cached
	if t.tookLogical > 0 {
		doc["planning_logical_ms"] = inMilliseconds(t.tookLogical)
	}
	if t.physical == nil {
		return doc
	}
	var steps []map[string]any
	for i := range t.ran {
		steps = append(steps, t.ran[i].document())
	}
	doc["steps"] = steps
	return doc
}

func loadDocument(spec *load.Spec, l *loadTrace) map[string]any {
	doc := map[string]any{"tensor": spec.Name, "sql": duckbackend.ScanSQL(spec)}
	if l.done {
		doc["entries"], doc["cached"], doc["time_ms"] = l.entries, l.cached, inMilliseconds(l.took)
	}
	return doc
}

func (t *stepTrace) document() map[string]any {
	s := t.step
	return map[string]any{
		"name": s.Query.Name, "estimated_nnz": s.OutNNZ, "nnz": t.stats.Entries,
		"q_error": qError(s.OutNNZ, float64(t.stats.Entries)), "time_ms": inMilliseconds(t.took),
		"bytes": t.stats.Bytes, "traversals": t.stats.Traversals, "estimated_cells": s.BodyNNZ, "cells": t.stats.Cells,
		"threads": t.stats.Threads, "morsels": t.stats.Morsels, "kernel": t.stats.Kernel, "workspace": t.stats.Workspace, "wide": t.stats.Wide, "slices": t.slices,
	}
}
