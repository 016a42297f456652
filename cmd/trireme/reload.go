package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
)

// reloadable are the flags whose values in the file take effect at SIGHUP.
var reloadable = map[string]bool{"log-level": true, "slow-query": true}

// onHangup calls reload at every SIGHUP until ctx is done.
func onHangup(ctx context.Context, reload func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case <-signals:
				reload()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// reload reads the file again. apply is given the flags that can change while the
// server runs and have; what has changed and cannot is logged. An error in the
// file leaves everything as it is.
func (c *config) reload(log *slog.Logger, apply func(name string) error) {
	if c.path == "" {
		log.Warn("nothing to reload: the server was started without --config")
		return
	}
	entries, err := c.readFile()
	if err != nil {
		log.Error("the configuration is not reloaded", "error", err)
		return
	}
	given := map[string]*fileEntry{}
	for i := range entries {
		given[entries[i].key] = &entries[i]
	}
	c.flags.VisitAll(func(f *pflag.Flag) {
		e := given[f.Name]
		if c.source[f.Name] == fromFlag || c.source[f.Name] == fromEnvironment || e == nil && c.source[f.Name] == fromDefault {
			return
		}
		c.reloadFlag(f, e, log, apply)
	})
	log.Info("configuration reloaded", "file", c.path)
}

// reloadFlag gives a flag the value of the file, or its default.
func (c *config) reloadFlag(f *pflag.Flag, e *fileEntry, log *slog.Logger, apply func(name string) error) {
	values, source := []string{f.DefValue}, fromDefault
	if e != nil {
		values, source = e.values, fromFile
	}
	if !reloadable[f.Name] {
		if len(values) != 1 || values[0] != f.Value.String() {
			log.Warn("the new value takes effect when the server is started again", "key", f.Name)
		}
		return
	}
	old := f.Value.String()
	err := setFlag(f, values)
	if err == nil && f.Value.String() != old {
		if err = apply(f.Name); err == nil {
			log.Info("changed", "key", f.Name, "from", old, "to", f.Value.String())
		}
	}
	if err != nil {
		log.Error("the value is not taken", "key", f.Name, "file", c.path, "error", err)
		_ = f.Value.Set(old) // it was accepted before
		return
	}
	c.source[f.Name] = source
}
