//go:build !duckdb_use_lib

#include "again.h"
#include "duckdb_linux.h"

// A join tells what it reads on its left which values it has on its right, so that no other
// rows are read. DuckDB lets that pass LIMIT and DISTINCT ON, where it changes which rows are
// there: what is read below them was to be looked through by values alone. A join with one of
// them between it and what it reads gets no filters to tell.

// by_values: whether leaving out rows by their values below an operator is the same as leaving them
// out of what it returns. A group has the values by which it is left out in all of its rows.
static _Bool by_values(const struct logical *op) {
	switch ((enum operator_type)op->type) {
	case projection: case filter: case aggregate: case unnest: case order_by:
	case comparison_join: case cross_product:
	case set_union: case set_except: case set_intersect:
		return 1;
	case distinct:
		return !op->distinct_on;
	}
	return op->children.begin == op->children.end; // what is read
}

static _Bool all_by_values(const struct logical *op) {
	if (!by_values(op))
		return 0;
	_Bool sets = op->type == set_union || op->type == set_except || op->type == set_intersect;
	for (void **child = op->children.begin; child < op->children.end; child++) {
		if (!all_by_values(*child))
			return 0;
		if (!sets)
			break; // a join passes its filters on to its left
	}
	return 1;
}

// The constructors of joins take the filters from a pointer of their caller's.
#define FILTERS(logical, filters) (*(filters) && !all_by_values(*((struct logical *)(logical))->children.begin) ? &(void *){NULL} : (filters))

#define RANGES_UNFILTERED(prefix) prefix##_ZN6duckdb14PhysicalIEJoinC1ERNS_12PhysicalPlanERNS_21LogicalComparisonJoinERNS_16PhysicalOperatorES6_NS_6vectorINS_13JoinConditionELb1ESaIS8_EEENS_8JoinTypeEm
#define RANGES(prefix) prefix##_ZN6duckdb14PhysicalIEJoinC1ERNS_12PhysicalPlanERNS_21LogicalComparisonJoinERNS_16PhysicalOperatorES6_NS_6vectorINS_13JoinConditionELb1ESaIS8_EEENS_8JoinTypeEmNS_10unique_ptrINS_22JoinFilterPushdownInfoESt14default_deleteISD_ELb1EEE
#define MERGE(prefix) prefix##_ZN6duckdb26PhysicalPiecewiseMergeJoinC1ERNS_12PhysicalPlanERNS_21LogicalComparisonJoinERNS_16PhysicalOperatorES6_NS_6vectorINS_13JoinConditionELb1ESaIS8_EEENS_8JoinTypeEmNS_10unique_ptrINS_22JoinFilterPushdownInfoESt14default_deleteISD_ELb1EEE
#define LOOP(prefix) prefix##_ZN6duckdb22PhysicalNestedLoopJoinC1ERNS_12PhysicalPlanERNS_21LogicalComparisonJoinERNS_16PhysicalOperatorES6_NS_6vectorINS_13JoinConditionELb1ESaIS8_EEENS_8JoinTypeEmNS_10unique_ptrINS_22JoinFilterPushdownInfoESt14default_deleteISD_ELb1EEE
#define HASH(prefix) prefix##_ZN6duckdb16PhysicalHashJoinC1ERNS_12PhysicalPlanERNS_15LogicalOperatorERNS_16PhysicalOperatorES6_NS_6vectorINS_13JoinConditionELb1ESaIS8_EEENS_8JoinTypeERKNS7_ImLb1ESaImEEESF_NS7_INS_11LogicalTypeELb1ESaISG_EEEmNS_10unique_ptrINS_22JoinFilterPushdownInfoESt14default_deleteISK_ELb1EEE

// The join by two ranges takes its conditions out of the plan when it is executed: a second
// execution would read conditions that are not there.
void RANGES_UNFILTERED(__real_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows);

void RANGES_UNFILTERED(__wrap_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows) {
	triremeUsedUp();
	RANGES_UNFILTERED(__real_)(join, plan, logical, left, right, conditions, type, rows);
}

void RANGES(__real_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters);

void RANGES(__wrap_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters) {
	triremeUsedUp();
	RANGES(__real_)(join, plan, logical, left, right, conditions, type, rows, FILTERS(logical, filters));
}

void MERGE(__real_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters);

void MERGE(__wrap_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters) {
	MERGE(__real_)(join, plan, logical, left, right, conditions, type, rows, FILTERS(logical, filters));
}

void LOOP(__real_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters);

void LOOP(__wrap_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters) {
	LOOP(__real_)(join, plan, logical, left, right, conditions, type, rows, FILTERS(logical, filters));
}

void HASH(__real_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type,
                   void *left_columns, void *right_columns, void *delimiting, uint64_t rows, void **filters);

void HASH(__wrap_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type,
                   void *left_columns, void *right_columns, void *delimiting, uint64_t rows, void **filters) {
	HASH(__real_)(join, plan, logical, left, right, conditions, type, left_columns, right_columns, delimiting, rows, FILTERS(logical, filters));
}
