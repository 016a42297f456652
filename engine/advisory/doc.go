// Package advisory is locks on numbers, to which applications give a meaning: those of
// Postgres' pg_advisory_lock and its kind. Those on tables are among them, so that a wait
// through both is seen to be circular.
//
// Each session is an Owner. A lock has a mode, and is held until it is given
// back as often as it was taken, until the transaction ends for which it was taken, or
// until the session does. Who waits is granted the lock in the order of asking, unless its
// context is done before. A wait that could never end is an error: it is looked for
// when the wait begins, since only that can close a circle.
package advisory
