//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_16TableFunctionSetERKNS_6vectorINS_11LogicalTypeELb1ESaISC_EEERNS_9ErrorDataE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_17PragmaFunctionSetERNS_6vectorINS_5ValueELb1ESaISC_EEERNS_9ErrorDataE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder18BindScalarFunctionERNS_26ScalarFunctionCatalogEntryENS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS5_ELb1EEELb1ESaIS8_EEERNS_9ErrorDataEbNS_12optional_ptrINS_6BinderELb1EEE
// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb13ClientContext20TryGetCurrentSettingERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_5ValueE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb10LogicalGetC1EmNS_13TableFunctionENS_10unique_ptrINS_12FunctionDataESt14default_deleteIS3_ELb1EEENS_6vectorINS_11LogicalTypeELb1ESaIS8_EEENS7_INSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaISG_EEESt13unordered_mapImNS_11TableColumnESt4hashImESt8equal_toImESaISt4pairIKmSK_EEE
// #include "wall.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

var hide = sync.OnceFunc(func() { C.triremeHide(C.CString(string(namesIn(HiddenSettings())))) })

// behind calls fn on a thread with a wall. A function of ours that DuckDB calls may use
// another connection, which has its own.
func (w *Wall) behind(fn func() error) error {
	hide()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var now C.struct_wall
	if w != nil {
		var pinner runtime.Pinner
		pinner.Pin(&w.functions[0])
		defer pinner.Unpin()
		now.functions = (*C.char)(unsafe.Pointer(&w.functions[0]))
		if w.hides {
			now.hides = 1
		}
	}
	before := C.triremeWall(now)
	defer C.triremeWall(before)
	return fn()
}
