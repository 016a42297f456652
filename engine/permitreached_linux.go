//go:build !duckdb_use_lib

package engine

import (
	"context"

	"github.com/trireme-db/trireme/engine/roles"
)

// permitReached has nothing to do here: walls stand before what definitions call.
func (*Session) permitReached(context.Context, string, roles.Rights) error { return nil }
