//go:build !invariants

package invariant

// Enabled says whether expensive checks run.
const Enabled = false
