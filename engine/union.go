package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// answerUnion answers the arms of a union one by one on the run's snapshot, before
// the first row is delivered. What they have in common is loaded once.
func (q *queryRun) answerUnion(ctx context.Context, relation string, u *translate.Union) (cur rows.Cursor, err error) {
	if u.Sets != nil {
		return q.answerSets(ctx, relation, u)
	}
	if err := q.unionJoins(ctx, relation, u); err != nil {
		return nil, err
	}
	all := &unionCursor{columns: u.Columns}
	for i, arm := range u.Arms {
		cur, err := q.answer(ctx, armName(relation, i), arm)
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		all.arms = append(all.arms, cur)
	}
	return q.finish(ctx, &translate.Result{Finish: u.Finish}, all)
}

// answerSets answers grouping sets, which are one program.
func (q *queryRun) answerSets(ctx context.Context, relation string, u *translate.Union) (rows.Cursor, error) {
	tr, err := q.translateSets(ctx, relation, u)
	if err != nil {
		return nil, err
	}
	answers, err := q.execute(ctx, relation, tr)
	if err != nil {
		return nil, err
	}
	all := &unionCursor{columns: u.Columns}
	for i, a := range tr.Arms {
		cur, err := q.finish(ctx, a, answers[i])
		if err != nil { // its own answer is closed
			return nil, errors.Join(err, all.Close(), closeAll(answers[i+1:]))
		}
		all.arms = append(all.arms, cur)
	}
	return q.finish(ctx, &translate.Result{Finish: u.Finish}, all)
}

// translateSets is the program of grouping sets; auto leaves to DuckDB those that
// neither join nor nest.
func (q *queryRun) translateSets(ctx context.Context, relation string, u *translate.Union) (*translate.Result, error) {
	tr, err := translate.TranslateSets(ctx, u, q)
	if err == nil && q.auto && relation == "" && !tr.Joined {
		err = &translate.Ineligible{Reason: "no join and no nested aggregate"}
	}
	return tr, err
}

// armName names an arm as a relation is named.
func armName(relation string, n int) string {
	if relation != "" {
		relation += " "
	}
	return relation + fmt.Sprintf("arm %d", n+1)
}

// unionJoins is auto's rule for a union: one of its arms joins or nests.
func (q *queryRun) unionJoins(ctx context.Context, relation string, u *translate.Union) error {
	if !q.auto || relation != "" {
		return nil
	}
	for _, arm := range u.Arms {
		joins, err := q.joins(ctx, arm)
		if joins || err != nil {
			return err
		}
	}
	return &translate.Ineligible{Reason: "no join and no nested aggregate"}
}

func (q *queryRun) joins(ctx context.Context, query *sqlfront.Query) (bool, error) {
	u, err := translate.SplitUnion(query)
	if err != nil {
		return false, err
	}
	switch {
	case u == nil:
		tr, err := translate.Translate(ctx, query, q)
		return err == nil && tr.Joined, err
	case u.Sets != nil:
		tr, err := translate.TranslateSets(ctx, u, q)
		return err == nil && tr.Joined, err
	}
	for _, arm := range u.Arms {
		if joins, err := q.joins(ctx, arm); joins || err != nil {
			return joins, err
		}
	}
	return false, nil
}

// planUnion makes the plans of the arms of a union, for EXPLAIN.
func (q *queryRun) planUnion(ctx context.Context, relation string, u *translate.Union) error {
	if u.Sets != nil {
		tr, err := q.translateSets(ctx, relation, u)
		if err != nil {
			return err
		}
		return q.planProgram(ctx, relation, tr)
	}
	if err := q.unionJoins(ctx, relation, u); err != nil {
		return err
	}
	for i, arm := range u.Arms {
		if err := q.planOnly(ctx, armName(relation, i), arm); err != nil {
			return err
		}
	}
	return nil
}

// unionCursor is the rows of one cursor after the other.
type unionCursor struct {
	arms    []rows.Cursor
	columns []rows.Column
	closed  error // of arms that are closed already
}

// Columns returns k0, k1, ..
func (c *unionCursor) Columns() []rows.Column { return c.columns }

// Next returns rows of the first arm that has some left.
func (c *unionCursor) Next(ctx context.Context) (*rows.Batch, error) {
	for len(c.arms) > 0 {
		b, err := c.arms[0].Next(ctx)
		if b != nil || err != nil {
			return b, err
		}
		c.closed = errors.Join(c.closed, c.arms[0].Close())
		c.arms = c.arms[1:]
	}
	return nil, c.closed
}

// Close closes the arms that are left.
func (c *unionCursor) Close() error {
	for _, a := range c.arms {
		c.closed = errors.Join(c.closed, a.Close())
	}
	c.arms = nil
	return c.closed
}
