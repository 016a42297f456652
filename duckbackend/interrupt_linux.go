//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18ExpressionExecutor7ExecuteEPNS_9DataChunkERS1_
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18ExpressionExecutor7ExecuteERKNS_10ExpressionEPNS_15ExpressionStateEPKNS_15SelectionVectorEmRNS_6VectorE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18ExpressionExecutor14EvaluateScalarERNS_13ClientContextERKNS_10ExpressionEb
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18ExpressionExecutor17TryEvaluateScalarERNS_13ClientContextERKNS_10ExpressionERNS_5ValueE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18ExpressionIterator17EnumerateChildrenERNS_10ExpressionERKSt8functionIFvS2_EE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18ExpressionIterator17EnumerateChildrenERNS_10ExpressionERKSt8functionIFvRNS_10unique_ptrIS1_St14default_deleteIS1_ELb1EEEEE
// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb10Expression10IsVolatileEv
// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb10Expression12IsConsistentEv
// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb10Expression10IsFoldableEv
// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb10Expression20PropagatesNullValuesEv
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb6Binder18GenerateTableIndexEv
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb15LogicalOperator20ResolveOperatorTypesEv
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb22LogicalOperatorVisitor21VisitOperatorChildrenERNS_15LogicalOperatorE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb22LogicalOperatorVisitor24VisitOperatorExpressionsERNS_15LogicalOperatorE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11LogicalJoin18GetTableReferencesERNS_15LogicalOperatorERSt13unordered_setImSt4hashImESt8equal_toImESaImEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb14FilterCombiner9AddFilterENS_10unique_ptrINS_10ExpressionESt14default_deleteIS2_ELb1EEE
import "C"
