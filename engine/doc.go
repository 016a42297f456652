// Package engine is sessions: it decides what each statement is, who answers
// it, in which transaction and with which settings, and drives the stages.
//
// In: SQL text and parameters from a connection (over pgwire or engine/driver).
// Out: a Result that streams rows and knows its command tag.
//
// Invariants:
//
//	E1. A Session is used by one goroutine at a time; only Cancel may be called
//	    from others. It owns one DuckDB connection; what it shares with other
//	    sessions is in Engine.
//	E2. The transaction state is kept here, not asked of DuckDB: an error rolls
//	    DuckDB's transaction back, and the session stays in a failed one until its
//	    client ends it. Where there are savepoints, DuckDB's stays, too, and nothing
//	    reaches it but ROLLBACK, and what ROLLBACK TO does again in a transaction of
//	    DuckDB's that it begins.
//	E3. Every write is announced to catalog.Versions before DuckDB sees it and
//	    ends there after DuckDB has answered; the client hears of it last.
//	E4. At most one Result reads from the connection. When another statement
//	    starts, the rest of the open one is first read into memory.
//	E5. A forced backend answers or fails; only Auto falls back to DuckDB, and
//	    only before the first row.
//	E6. Panics end in the statement that raised them.
//	E7. What a native statement builds, works in and stores counts towards its
//	    account (memory.go), which is empty when its result has been closed.
//	E8. Who writes a table's rows and who alters the table hold locks that exclude each
//	    other until their transactions end (tablelocks.go).
//
// Read engine.go and session.go first; prepared.go for the life of a statement,
// backend.go for who answers it, transaction.go and settings.go for the state;
// redo.go and replay.go for savepoints;
// relieve.go for what becomes of a statement that outgrows its memory.
package engine
