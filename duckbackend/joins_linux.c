//go:build !duckdb_use_lib

#include "again.h"

#include <stddef.h>

// A join tells what it reads on its left which values it has on its right, so that no other
// rows are read. DuckDB lets that pass ORDER BY with LIMIT, where it changes which rows are
// the first: what is read there was to be looked through by values alone. Joins are made
// after what they read; one with such a limit on its left gets no filters to tell.

extern void *_ZTVN6duckdb12PhysicalTopNE[]; // ORDER BY with LIMIT; the functions begin with the third entry

// A vector of references to operators.
struct operators { void **begin, **end, **limit; };

// PhysicalOperator::GetChildren
extern struct operators _ZNK6duckdb16PhysicalOperator11GetChildrenEv(void *op);

extern void _ZdlPv(void *); // operator delete

static _Bool limits(void *op) {
	if (*(void ***)op == _ZTVN6duckdb12PhysicalTopNE + 2)
		return 1;
	struct operators children = _ZNK6duckdb16PhysicalOperator11GetChildrenEv(op);
	_Bool found = 0;
	for (void **child = children.begin; child < children.end && !found; child++)
		found = limits(*child);
	_ZdlPv(children.begin);
	return found;
}

// The constructors of joins take the filters from a pointer of their caller's.
#define FILTERS(left, filters) (*(filters) && limits(left) ? &(void *){NULL} : (filters))

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
	RANGES(__real_)(join, plan, logical, left, right, conditions, type, rows, FILTERS(left, filters));
}

void MERGE(__real_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters);

void MERGE(__wrap_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters) {
	MERGE(__real_)(join, plan, logical, left, right, conditions, type, rows, FILTERS(left, filters));
}

void LOOP(__real_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters);

void LOOP(__wrap_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type, uint64_t rows, void **filters) {
	LOOP(__real_)(join, plan, logical, left, right, conditions, type, rows, FILTERS(left, filters));
}

void HASH(__real_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type,
                   void *left_columns, void *right_columns, void *delimiting, uint64_t rows, void **filters);

void HASH(__wrap_)(void *join, void *plan, void *logical, void *left, void *right, void *conditions, uint8_t type,
                   void *left_columns, void *right_columns, void *delimiting, uint64_t rows, void **filters) {
	HASH(__real_)(join, plan, logical, left, right, conditions, type, left_columns, right_columns, delimiting, rows, FILTERS(left, filters));
}
