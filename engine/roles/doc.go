// Package roles is who may log in and what they may do: a store of roles in one
// file beside the database.
//
// In: names, passwords, changes. Out: Roles, the Rights that follow from their
// memberships, and the Verifiers by which passwords are checked.
//
// Invariants:
//
//	R1. No password is stored, only what SCRAM-SHA-256 checks it with.
//	R2. The file is replaced as a whole: after a crash it is as it was before a
//	    change or after it. Processes change it one after another, and each sees
//	    what others have changed at its next question.
//	R3. A question about a role that does not exist is answered as for one that
//	    does: Verifier never says which.
//	R4. A role that has been dropped, or a file that cannot be read, gives no right.
//
// Read store.go first, then role.go and verifier.go.
package roles
