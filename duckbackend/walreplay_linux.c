//go:build !duckdb_use_lib

#include "guard.h"

// When a database is attached whose log was not checkpointed, DuckDB looks through the log
// to its end before it does again what the log has. Of CREATE TYPE it forgets that it only looks: the
// schema of the type may not be there yet, and then the file cannot be opened. A type of a
// transaction that did not come to its end in the log would even stay.

// Both passes go through the reader that is made for the log; it is reset between them.
static __thread _Bool looking;

// BufferedFileReader::BufferedFileReader and BufferedFileReader::Reset
#define READER(prefix) prefix##_ZN6duckdb18BufferedFileReaderC1ERNS_10FileSystemENS_10unique_ptrINS_10FileHandleESt14default_deleteIS4_ELb1EEE
#define RESET(prefix) prefix##_ZN6duckdb18BufferedFileReader5ResetEv

void READER(__real_)(void *made, void *files, void *file);

void READER(__wrap_)(void *made, void *files, void *file) {
	looking = 1;
	READER(__real_)(made, files, file);
}

void RESET(__real_)(void *reader);

void RESET(__wrap_)(void *reader) {
	looking = 0;
	RESET(__real_)(reader);
}

// Catalog::CreateType, which returns an optional_ptr in a register. Statements call it, too, but
// not while a database is attached.
#define CREATE_TYPE(prefix) prefix##_ZN6duckdb7Catalog10CreateTypeERNS_13ClientContextERNS_14CreateTypeInfoE

void *CREATE_TYPE(__real_)(void *catalog, void *context, void *info);

void *CREATE_TYPE(__wrap_)(void *catalog, void *context, void *info) {
	return triremeAttaching() && looking ? NULL : CREATE_TYPE(__real_)(catalog, context, info);
}
