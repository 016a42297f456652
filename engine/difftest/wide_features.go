package difftest

// WideFeatures are the features that a long enough run of the wide generator
// shows, sorted. Each occurs in at least one of a hundred statements.
var WideFeatures = []string{
	"alias_in_where", "alias_of_aggregate", "alias_of_key", "any_value", "arg_abs", "arg_case", "arg_cast", "arg_coalesce", "arg_division", "arg_extreme", "arg_function",
	"arg_greatest", "arg_nullif", "arg_overflow", "arg_product", "arg_product_plus", "arg_product_three", "arg_round",
	"arg_sum", "arg_tree", "around_aggregate", "avg", "bit", "boolean_aggregate", "call_of_boolean", "call_of_date",
	"call_of_integer", "call_of_number_text", "call_of_other", "call_of_text", "call_open", "call_rounded",
	"comma_join", "correlated", "correlated_inequality", "correlated_tree", "correlation", "count", "count_distinct", "count_star",
	"create_as", "cross_join", "cte", "cte_again", "delete_by", "derived_coalesce", "derived_constant",
	"derived_distinct", "derived_grouped", "derived_having", "derived_limit", "derived_one_row", "derived_plain",
	"derived_table", "derived_tree", "derived_values", "distinct", "empty_table", "except", "exists", "extreme", "extreme_or_else",
	"far_value", "filter", "filter_across", "from_first", "full_join", "group_across", "group_by_all", "group_call", "group_coalesce",
	"group_expression", "group_null_test", "group_tree", "grouping_sets", "having", "having_subquery", "hosted", "hosted_list",
	"in_query", "inequality_join", "inner_join", "insert_select", "intersect", "key_expression", "lateral", "left_join",
	"levels", "limit", "listed_scalar", "merged_columns", "min_max", "mixed_key_types", "mixed_union_types", "nested_join", "no_group_by",
	"not_exists", "not_in_query", "null_key", "null_measure", "null_parameter", "null_safe_join", "of_two_aggregates", "offset",
	"on_inequality", "on_left_side", "on_or", "on_right_side", "on_tree", "on_two_equalities", "order_by", "parameter",
	"predicate_across", "predicate_across_or", "predicate_across_sum", "predicate_between", "predicate_call",
	"predicate_case", "predicate_coalesce", "predicate_distinct_from", "predicate_in", "predicate_not",
	"predicate_null", "predicate_or", "predicate_pattern", "predicate_tree", "prepared", "product", "qualify", "quantified",
	"reachability", "recursion", "recursion_joined", "right_join", "row_in", "scalar_having", "scalar_in_derived",
	"scalar_in_select", "scalar_subquery", "semi_join", "statistic", "statistic_of_two", "subquery_under_or", "sum",
	"sum_distinct", "textual_step", "top_except", "top_intersect", "top_union", "top_union_all", "type_bigint", "type_blob",
	"type_boolean", "type_date", "type_decimal", "type_double", "type_float", "type_hugeint", "type_integer",
	"type_interval", "type_mood", "type_smallint", "type_time", "type_timestamp", "type_timestamptz", "type_tinyint",
	"type_ubigint", "type_uinteger", "type_usmallint", "type_utinyint", "type_uuid", "type_varchar", "union",
	"union_all", "union_null", "union_of_three", "union_tree", "update_by", "using_join", "walks", "window", "window_beside", "write",
}
