//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_16TableFunctionSetERKNS_6vectorINS_11LogicalTypeELb1ESaISC_EEERNS_9ErrorDataE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_17PragmaFunctionSetERNS_6vectorINS_5ValueELb1ESaISC_EEERNS_9ErrorDataE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder18BindScalarFunctionERNS_26ScalarFunctionCatalogEntryENS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS5_ELb1EEELb1ESaIS8_EEERNS_9ErrorDataEbNS_12optional_ptrINS_6BinderELb1EEE
// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb13ClientContext20TryGetCurrentSettingERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_5ValueE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb13TableFunctionC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_6vectorINS_11LogicalTypeELb1ESaIS8_EEEPFvRNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkEEPFNS_10unique_ptrINS_12FunctionDataESt14default_deleteISM_ELb1EEESE_RNS_22TableFunctionBindInputERSA_RNS7_IS6_Lb1ESaIS6_EEEEPFNSL_INS_24GlobalTableFunctionStateESN_ISY_ELb1EEESE_RNS_22TableFunctionInitInputEEPFNSL_INS_23LocalTableFunctionStateESN_IS15_ELb1EEERNS_16ExecutionContextES12_PSY_E
// #include <stdlib.h>
// #include "wall.h"
import "C"

import (
	"runtime"
	"strings"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// wallTexts are what a wall stands before as C has it.
type wallTexts struct{ functions, settings *C.char }

func (w *Wall) inC() {
	w.texts = wallTexts{C.CString(entries(w.functions)), C.CString(entries(w.settings))}
	runtime.AddCleanup(w, func(texts wallTexts) {
		C.free(unsafe.Pointer(texts.functions))
		C.free(unsafe.Pointer(texts.settings))
	}, w.texts)
}

func entries(refusals map[string]error) string {
	var b strings.Builder
	for name, err := range refusals {
		b.WriteString("\x01" + name + "\x02" + shortened(marked(err)))
	}
	return b.String() + "\x01"
}

// wallFor puts a wall up for what a connection does from now on.
func (c *Conn) wallFor(w *Wall) {
	if w == c.wall {
		return
	}
	texts := wallTexts{}
	if w != nil {
		texts = w.texts
	}
	C.triremeWall(c.context, texts.functions, texts.settings)
	c.wall = w // which keeps the texts
}

// contextOf is DuckDB's context of a connection.
func contextOf(client bindings.ClientContext) unsafe.Pointer { return *(*unsafe.Pointer)(client.Ptr) }
