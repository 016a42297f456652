package engine

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// hiddenText stands for the statement of a session that the reader may not see.
const hiddenText = "<insufficient privilege>"

// systemTables are the tables in which the engine shows itself. Each is read
// anew by every statement.
func (e *Engine) systemTables() []duckbackend.TableFunction {
	return append(e.roleTables(),
		systemTable("pg_stat_activity", activityColumns, func(conn uint64) []activity.Info { return e.activity.Sessions() }, e.activityRow),
		systemTable("trireme_queries", queryColumns, func(conn uint64) []activity.Record { return e.visible(conn) }, queryRow),
		systemTable("trireme_cache", cacheColumns, func(conn uint64) []cache.Listed { return e.listed() }, cacheRow),
	)
}

// systemFunctions are the functions that act on sessions.
func (e *Engine) systemFunctions() []duckbackend.ScalarFunction {
	return []duckbackend.ScalarFunction{
		{Name: "pg_cancel_backend", Call: func(conn uint64, pid int64) (bool, error) {
			s, err := e.stoppable(conn, pid)
			if s == nil || err != nil {
				return false, err
			}
			s.Cancel()
			return true, nil
		}},
		{Name: "pg_terminate_backend", Call: func(conn uint64, pid int64) (bool, error) {
			s, err := e.stoppable(conn, pid)
			if s == nil || err != nil {
				return false, err
			}
			return s.Terminate(), nil
		}},
	}
}

// stoppable is the session of a process id, if the session of a connection may
// stop it; nil: there is none.
func (e *Engine) stoppable(conn uint64, pid int64) (*activity.Session, error) {
	if pid < 1 || pid > 1<<31-1 {
		return nil, nil
	}
	s, by := e.activity.Session(uint32(pid)), e.activity.OnConn(conn)
	if s == nil {
		return nil, nil
	}
	if by == nil || !by.MayStop(s) {
		return nil, sqlerr.New(insufficientPrivilege, "must be the same user, or an administrator, to stop session %d", pid)
	}
	return s, nil
}

func systemColumn(name string, id rows.TypeID) rows.Column {
	return rows.Column{Name: name, Type: rows.Type{ID: id}}
}

var activityColumns = []rows.Column{
	systemColumn("datname", rows.Varchar), systemColumn("pid", rows.Integer), systemColumn("usename", rows.Varchar), systemColumn("application_name", rows.Varchar),
	systemColumn("client_addr", rows.Varchar), systemColumn("client_port", rows.Integer), systemColumn("backend_start", rows.TimestampTZ),
	systemColumn("xact_start", rows.TimestampTZ), systemColumn("query_start", rows.TimestampTZ), systemColumn("state_change", rows.TimestampTZ),
	systemColumn("wait_event_type", rows.Varchar), systemColumn("wait_event", rows.Varchar), systemColumn("state", rows.Varchar),
	systemColumn("query_id", rows.BigInt), systemColumn("query", rows.Varchar), systemColumn("backend_type", rows.Varchar), systemColumn("backend", rows.Varchar),
}

func (e *Engine) activityRow(conn uint64, i activity.Info) []any {
	addr, port := any(nil), any(nil)
	if host, p, err := net.SplitHostPort(i.Remote); err == nil {
		addr = host
		if n, err := strconv.Atoi(p); err == nil {
			port = int64(n)
		}
	}
	text, waits := sqlfront.Redact(i.Text), any("Client")
	if by := e.activity.OnConn(conn); by == nil || !by.Sees(i.User) {
		text = hiddenText
	}
	event := any("ClientRead")
	if i.State == activity.Active {
		waits, event = nil, nil
	}
	return []any{
		i.Database, int64(i.PID), i.User, i.Application, addr, port, i.Started, i.Transaction, i.Query, i.StateChanged,
		waits, event, string(i.State), int64(i.Statement), text, "client backend", nullIfEmpty(i.Backend),
	}
}

var queryColumns = []rows.Column{
	systemColumn("query_id", rows.BigInt), systemColumn("pid", rows.Integer), systemColumn("usename", rows.Varchar), systemColumn("datname", rows.Varchar),
	systemColumn("application_name", rows.Varchar), systemColumn("kind", rows.Varchar), systemColumn("backend", rows.Varchar), systemColumn("reason", rows.Varchar),
	systemColumn("started", rows.TimestampTZ), systemColumn("total_ms", rows.Double), systemColumn("queue_ms", rows.Double), systemColumn("bind_ms", rows.Double),
	systemColumn("plan_ms", rows.Double), systemColumn("load_ms", rows.Double), systemColumn("execute_ms", rows.Double), systemColumn("send_ms", rows.Double),
	systemColumn("rows", rows.BigInt), systemColumn("sqlstate", rows.Varchar), systemColumn("query", rows.Varchar),
}

// visible are the last statements that the session of a connection may see.
func (e *Engine) visible(conn uint64) []activity.Record {
	by := e.activity.OnConn(conn)
	var out []activity.Record
	for _, r := range e.activity.Recent() {
		if by != nil && by.Sees(r.User) {
			out = append(out, r)
		}
	}
	return out
}

func queryRow(_ uint64, r activity.Record) []any {
	row := []any{
		int64(r.ID), int64(r.PID), r.User, r.Database, r.Application, r.Kind, r.Backend, nullIfEmpty(r.Reason), r.Started, inMilliseconds(r.Took),
	}
	for _, p := range activity.Phases() {
		row = append(row, inMilliseconds(r.Phase(p)))
	}
	return append(row, r.Rows, r.Code, sqlfront.Normalize(sqlfront.Redact(r.Text)))
}

var cacheColumns = []rows.Column{
	systemColumn("tensor", rows.Varchar), systemColumn("table_name", rows.Varchar), systemColumn("version", rows.BigInt), systemColumn("formats", rows.Varchar),
	systemColumn("entries", rows.BigInt), systemColumn("bytes", rows.BigInt), systemColumn("hits", rows.BigInt), systemColumn("in_use", rows.BigInt),
	systemColumn("build_ms", rows.Double), systemColumn("last_used", rows.TimestampTZ),
}

func (e *Engine) listed() []cache.Listed {
	r, ok := e.tensor.(*route)
	if !ok {
		return nil
	}
	return r.tensors.List()
}

// cacheRow has no literals: they are those of everybody's statements.
func cacheRow(_ uint64, l cache.Listed) []any {
	return []any{
		sqlfront.Normalize(l.Tensor), sqlfront.Normalize(l.Table), int64(l.Version), l.Formats, int64(l.Entries), l.Bytes, int64(l.Hits), int64(l.InUse), inMilliseconds(l.Cost), l.Used,
	}
}

// originOf describes what a load reads.
func originOf(spec *load.Spec, version uint64) cache.Origin {
	var keys, leaves []string
	for _, k := range spec.Keys {
		if k.RowIndex {
			keys = append(keys, "row")
			continue
		}
		keys = append(keys, k.Expr)
	}
	for _, l := range spec.Leaves {
		leaves = append(leaves, l.Name)
	}
	text := fmt.Sprintf("(%s) { %s }", strings.Join(keys, ", "), strings.Join(leaves, ", "))
	if spec.Where != "" {
		text += " where " + spec.Where
	}
	return cache.Origin{Table: spec.Table.SQL(), Version: version, Tensor: text}
}

func nullIfEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// systemTable makes a table function of items, each of which is a row.
func systemTable[T any](name string, columns []rows.Column, items func(conn uint64) []T, row func(conn uint64, item T) []any) duckbackend.TableFunction {
	return failingTable(name, columns, func(conn uint64) ([]T, error) { return items(conn), nil }, row)
}

// failingTable makes one of items that may not be found out.
func failingTable[T any](name string, columns []rows.Column, items func(conn uint64) ([]T, error), row func(conn uint64, item T) []any) duckbackend.TableFunction {
	return duckbackend.TableFunction{Name: name, Columns: columns, Rows: func(conn uint64) (*rows.Batch, error) {
		all, err := items(conn)
		if err != nil {
			return nil, err
		}
		b := &rows.Batch{N: len(all), Cols: make([]rows.Vector, len(columns))}
		for c := range columns {
			b.Cols[c] = newVector(columns[c].Type, len(all))
		}
		for i, item := range all {
			for c, value := range row(conn, item) {
				setValue(&b.Cols[c], i, b.N, value)
			}
		}
		return b, nil
	}}
}

// setValue sets row i of n; nil and the zero time are NULL.
func setValue(v *rows.Vector, i, n int, value any) {
	switch x := value.(type) {
	case int64:
		v.I64[i] = x
	case float64:
		v.F64[i] = x
	case string:
		v.Str[i] = x
	case time.Time:
		if x.IsZero() {
			v.SetNull(i, n)
			return
		}
		v.I64[i] = x.UnixMicro()
	default:
		v.SetNull(i, n)
	}
}

// Figures are what an engine holds and has done.
type Figures struct {
	Cache        cache.Counts
	CacheEntries int
	CacheBytes   int64
	// StatementBytes is what running statements hold beside the cache.
	StatementBytes int64
	// LimitBytes bounds DuckDB and the tensor engine together.
	LimitBytes int64
}

// Figures returns what the engine holds and has done.
func (e *Engine) Figures() Figures {
	f := Figures{LimitBytes: e.cfg.MemoryLimitBytes}
	if r, ok := e.tensor.(*route); ok {
		f.Cache, f.CacheEntries = r.tensors.Counts()
		f.CacheBytes, f.StatementBytes = r.tensors.Bytes(), r.memory.held.Load()
	}
	return f
}

// DuckMemory is the memory that DuckDB holds, and what it has written to
// temporary files.
func (e *Engine) DuckMemory(ctx context.Context) (memoryBytes, temporaryBytes int64, err error) {
	err = e.workers.lend(ctx, func(c *duckbackend.Conn) error {
		cur, err := c.Query(ctx, "SELECT sum(memory_usage_bytes)::BIGINT, sum(temporary_storage_bytes)::BIGINT FROM duckdb_memory()")
		if err != nil {
			return err
		}
		b, err := cur.Next(ctx)
		if err == nil && b != nil {
			memoryBytes, temporaryBytes = b.Cols[0].I64[0], b.Cols[1].I64[0]
		}
		if cerr := cur.Close(); err == nil {
			err = cerr
		}
		return err
	})
	return memoryBytes, temporaryBytes, err
}
