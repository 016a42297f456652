//go:build !duckdb_use_lib

#include "duckdb_linux.h"

// An ASOF join of few rows on its left is planned as a loop over them. That plan asks tables for
// the number of their rows once more, after what tells it has been given away to their scans:
// what is read through a null pointer ends the process. DuckDB's optimizer writes the numbers into
// the plan, from which they are read then. Where it has not, they are written here.

typedef uint64_t estimate(struct logical *op, void *context);

// count_rows does so in all of a plan, from what is read upwards.
static void count_rows(struct logical *op, void *context) {
	for (void **child = op->children.begin; child < op->children.end; child++)
		count_rows(*child, context);
	if (op->has_rows)
		return;
	op->rows = ((estimate *)op->functions[estimate_rows])(op, context);
	op->has_rows = 1;
}

static void count_below_joins(struct logical *op, void *context) {
	if (op->type == asof_join) {
		count_rows(op, context);
		return;
	}
	for (void **child = op->children.begin; child < op->children.end; child++)
		count_below_joins(*child, context);
}

// PhysicalPlanGenerator::Plan
#define PLAN(prefix) prefix##_ZN6duckdb21PhysicalPlanGenerator4PlanENS_10unique_ptrINS_15LogicalOperatorESt14default_deleteIS2_ELb1EEE

struct made PLAN(__real_)(void *generator, struct logical **plan);

struct made PLAN(__wrap_)(void *generator, struct logical **plan) {
	count_below_joins(*plan, *AT(void *, generator, generator_context));
	return PLAN(__real_)(generator, plan);
}
