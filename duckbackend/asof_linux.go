//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb21PhysicalPlanGenerator4PlanENS_10unique_ptrINS_15LogicalOperatorESt14default_deleteIS2_ELb1EEE
import "C"
