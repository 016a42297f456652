//go:build !duckdb_use_lib

#include "duckdb_linux.h"

// A subquery that reads columns of the outer row is executed once for each combination of their values,
// and its rows go to those of the outer rows that have it: the join of the two compares these
// columns with themselves, by IS NOT DISTINCT FROM. Where the subquery only compares them with its
// own (EXISTS (.. WHERE y.a <> x.a AND y.b < x.b)), DuckDB means to join by its comparisons instead. It
// cannot do so by <, and the like, and leaves the subquery as it is when it comes to one; but
// the <> before it are in the join then, which finds no row.

// by_values_alone reports whether a join has only the conditions of such columns. Lists are not
// compared, but the numbers of the outer rows.
static _Bool by_values_alone(const struct cxx_pointers *once, const struct join_conditions *all) {
	if (once->end - once->begin != all->end - all->begin)
		return 0;
	for (void **column = once->begin; column < once->end; column++)
		if (((struct expression *)*column)->value_type >= nested_types)
			return 0;
	return 1;
}

static void compare_with_themselves(const struct logical *op) {
	for (void **child = op->children.begin; child < op->children.end; child++)
		compare_with_themselves(*child);
	if (op->type != delim_join)
		return;
	const struct join_conditions *all = AT(struct join_conditions, op, join_conditions);
	if (!by_values_alone(AT(struct cxx_pointers, op, join_once), all))
		return;
	for (struct join_condition *c = all->begin; c < all->end; c++)
		if (c->comparison == not_equal || c->comparison == distinct_from)
			c->comparison = not_distinct_from;
}

// JoinOrderOptimizer::Optimize, which is next after the one that gives comparisons to joins
#define OPTIMIZE(prefix) prefix##_ZN6duckdb18JoinOrderOptimizer8OptimizeENS_10unique_ptrINS_15LogicalOperatorESt14default_deleteIS2_ELb1EEENS_12optional_ptrINS_13RelationStatsELb1EEE

struct made OPTIMIZE(__real_)(void *optimizer, struct logical **plan, void *statistics);

struct made OPTIMIZE(__wrap_)(void *optimizer, struct logical **plan, void *statistics) {
	compare_with_themselves(*plan);
	return OPTIMIZE(__real_)(optimizer, plan, statistics);
}
