package main

import (
	"io"
	"log/slog"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// logOptions are the flags of a log.
type logOptions struct {
	format string
	level  string
}

// logger makes the log; its level can be changed later.
func (o *logOptions) logger(out io.Writer) (*slog.Logger, *slog.LevelVar, error) {
	level := &slog.LevelVar{}
	if err := setLevel(level, o.level); err != nil {
		return nil, nil, err
	}
	opt := &slog.HandlerOptions{Level: level}
	switch o.format {
	case "text":
		return slog.New(slog.NewTextHandler(out, opt)), level, nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, opt)), level, nil
	}
	return nil, nil, sqlerr.New(sqlerr.InvalidParameter, "unknown log format %q", o.format).WithHint("The formats are text and json.")
}

// notices is where a server says what is not of its log: a line of text each, or a
// warning of the log where that is for machines.
func (o *logOptions) notices(out io.Writer, log *slog.Logger) io.Writer {
	if o.format == "json" {
		return logWriter{log}
	}
	return out
}

// logWriter logs every line that is written, with one call each.
type logWriter struct{ log *slog.Logger }

// Write logs a line.
func (w logWriter) Write(line []byte) (int, error) {
	w.log.Warn(strings.TrimPrefix(strings.TrimSpace(string(line)), "warning: "))
	return len(line), nil
}

// levels are the names of --log-level.
var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

func setLevel(level *slog.LevelVar, name string) error {
	l, ok := levels[strings.ToLower(name)]
	if !ok {
		return sqlerr.New(sqlerr.InvalidParameter, "unknown log level %q", name).WithHint("The levels are debug, info, warn and error.")
	}
	level.Set(l)
	return nil
}
