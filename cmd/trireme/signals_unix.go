//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreSignals keeps a server from ending where a log that nobody reads, or a file that may
// not grow (ulimit -f), cannot be written: the write is an error.
func ignoreSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
