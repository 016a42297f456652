//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb15MetaTransaction14ModifyDatabaseERNS_16AttachedDatabaseENS_24DatabaseModificationTypeE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb15DatabaseManager14AttachDatabaseERNS_13ClientContextERNS_10AttachInfoERNS_13AttachOptionsE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb15DatabaseManager14DetachDatabaseERNS_13ClientContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_15OnEntryNotFoundE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb15DatabaseManager5AlterERNS_13ClientContextERNS_9AlterInfoE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb7Catalog12CreateSchemaERNS_13ClientContextERNS_16CreateSchemaInfoE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb10CatalogSet11CreateEntryENS_18CatalogTransactionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_10unique_ptrINS_12CatalogEntryESt14default_deleteISB_ELb1EEERKNS_21LogicalDependencyListE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb10CatalogSet10AlterEntryENS_18CatalogTransactionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_9AlterInfoE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb16OpenerFileSystem19VerifyCanAccessFileERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb16OpenerFileSystem24VerifyCanAccessDirectoryERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE
// #include "guard.h"
import "C"

import (
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// guard makes DuckDB ask db before connections of c's instance change or open anything, until
// release is called.
func (c *Conn) guard(db *DB) (release func(), err error) {
	var client bindings.ClientContext
	bindings.ConnectionGetClientContext(c.handle, &client)
	defer bindings.DestroyClientContext(&client)
	by := keep(db)
	release = func() { triremeRelease(C.triremeUnguard(by)) }
	if C.triremeGuard(client.Ptr, by) == 0 {
		release()
		return nil, sqlerr.New(sqlerr.OutOfMemory, "there is no memory for a guard of the database")
	}
	return release, nil
}

// acts are those of C's.
var acts = [...]Act{C.triremeWrites: Writes, C.triremeAttaches: Attaches, C.triremeDetaches: Detaches, C.triremeCreates: Creates, C.triremeOpens: Opens, C.triremeOpensDatabase: OpensDatabase, C.triremeCalls: calls, C.triremeExamines: examines}

// objects are the types of objects in DuckDB's catalog that have names to be guarded.
var objects = map[C.int]string{
	C.table_entry: "table", C.schema_entry: "schema", C.view_entry: "view", C.type_entry: "type", C.macro_entry: "macro", C.table_macro_entry: "macro",
}

//export triremePermit
func triremePermit(by unsafe.Pointer, connection C.uint64_t, act, object C.int, database, name *C.struct_cxx_string, taken C.int) *C.char {
	err := withoutPanic(func() error {
		change := Change{Act: acts[act], Database: text(database), Object: objects[object], Name: text(name), Taken: taken != 0}
		if change.Act == Creates && change.Object == "" {
			return nil
		}
		return kept[*DB](by).permits(uint64(connection), change)
	})
	if err == nil {
		return nil
	}
	return C.CString(sqlerr.Shortened(marked(err)))
}

func text(s *C.struct_cxx_string) string { return C.GoStringN(s.text, C.int(s.bytes)) }

// contextOf is DuckDB's context of a connection.
func contextOf(client bindings.ClientContext) unsafe.Pointer { return *(*unsafe.Pointer)(client.Ptr) }
