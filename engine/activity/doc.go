// Package activity knows what sessions are doing and what they did last: who is
// connected, which statement runs and since when, and the last statements with
// where their time went.
//
// In: what engine notes while statements run. Out: copies, for tables that SQL
// reads, logs and metrics.
//
// Invariants:
//
//	A1. Everything handed out is a copy; nothing that is read here keeps a
//	    statement waiting.
//	A2. A Record is complete when it is observed, once per statement.
//	A3. Texts are kept in memory only, as the client sent them but for those whose
//	    secrets could not be told from what is kept; who shows one shows it redacted.
//
// Read registry.go first, then statement.go.
package activity
