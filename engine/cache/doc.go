// Package cache keeps what is expensive to make again: domains, tensors in the
// layouts that plans asked for, column statistics, plans, and what was made of texts.
//
// In: rows of a load (rows.Cursor) with the domains of its keys; programs with
// the statistics of their tensors. Out: fibertrees; plans.
//
// Invariants:
//
//	C1. A key names what is meant: table, version, expressions, predicate, bound
//	    values, domains. A stale tensor is unreachable, never invalidated.
//	C2. Columns that a query equates or compares share one Domain. When two
//	    domains meet, the larger one stays; tensors of the other are built again.
//	C3. Concurrent requests for one tensor build it once. A builder that is
//	    cancelled hands over to one that waits.
//	C4. The bytes of all entries stay below the budget, but for layouts that are
//	    added to entries in use. An entry in use is never dropped; of the others
//	    the one that is cheapest to build again per byte goes first, its worth
//	    counted from when it was last used. What finds no room is not kept.
//	C5. A plan is used for programs of its template only: equal but for
//	    constants, the same ones equal among themselves.
//
// Read domains.go, build.go, tensors.go, plans.go, statements.go.
package cache
