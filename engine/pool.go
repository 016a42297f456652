package engine

import (
	"context"
	"sync"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/rows"
)

// pool keeps idle DuckDB connections with default settings and one time zone, for
// loads, finishes and decomposed plans. They see committed data only.
type pool struct {
	engine *Engine
	idle   chan *duckbackend.Conn
	zone   string
	zones  *zonePools
}

// zonePools are the pools of other time zones than the engine's.
type zonePools struct {
	mu     sync.Mutex
	byZone map[string]*pool
}

// workersMax bounds the idle connections; more may be in use.
const workersMax = 8

// zonesMax bounds the zones beside the engine's that have idle connections; those
// of others are closed after use.
const zonesMax = 4

func newPool(e *Engine) *pool {
	return &pool{
		engine: e, idle: make(chan *duckbackend.Conn, workersMax), zone: e.baseline[zoneSetting],
		zones: &zonePools{byZone: map[string]*pool{}},
	}
}

// zoneSetting is DuckDB's name of the time zone's setting.
const zoneSetting = "TimeZone"

// in is the pool of a time zone; empty: the engine's.
func (p *pool) in(zone string) *pool {
	if zone == "" || zone == p.zone {
		return p
	}
	p.zones.mu.Lock()
	defer p.zones.mu.Unlock()
	if of := p.zones.byZone[zone]; of != nil {
		return of
	}
	of := &pool{engine: p.engine, zone: zone, zones: p.zones}
	if len(p.zones.byZone) < zonesMax {
		of.idle = make(chan *duckbackend.Conn, workersMax)
		p.zones.byZone[zone] = of
	}
	return of
}

// zoneSQL sets a connection's time zone, which it would have from the instance
// otherwise, where any session may change it.
func (p *pool) zoneSQL() string { return "SET " + zoneSetting + " = " + quoteText(p.zone) }

// take lends a connection until give or drop.
func (p *pool) take(ctx context.Context) (*duckbackend.Conn, error) {
	select {
	case c := <-p.idle:
		return c, nil
	default:
	}
	c, err := p.engine.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.Exec(ctx, p.zoneSQL()); err != nil {
		return nil, closeAfter(err, c.Close)
	}
	return c, nil
}

// give takes a connection back.
func (p *pool) give(c *duckbackend.Conn) {
	select {
	case p.idle <- c:
	default:
		p.drop(c)
	}
}

// drop closes a connection whose state is in doubt.
func (p *pool) drop(c *duckbackend.Conn) {
	if err := c.Close(); err != nil {
		p.engine.log.Error("closing a worker connection", "error", err)
	}
}

// lend is take and give around use; after an error the connection is closed.
func (p *pool) lend(ctx context.Context, use func(*duckbackend.Conn) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	ok := false
	defer func() { // also after a panic in use
		if ok {
			p.give(c)
		} else {
			p.drop(c)
		}
	}()
	err = use(c)
	ok = err == nil
	return err
}

// close closes the idle connections, those of other zones too.
func (p *pool) close() error {
	p.zones.mu.Lock()
	defer p.zones.mu.Unlock()
	for _, of := range p.zones.byZone {
		if err := of.closeIdle(); err != nil {
			return err
		}
	}
	return p.closeIdle()
}

func (p *pool) closeIdle() error {
	for {
		select {
		case c := <-p.idle:
			if err := c.Close(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// pooledCursor is a cursor on a pooled connection, which it gives back.
type pooledCursor struct {
	rows.Cursor
	pool    *pool
	conn    *duckbackend.Conn // nil once closed
	columns []rows.Column
	failed  bool
}

// Columns returns the statement's columns.
func (c *pooledCursor) Columns() []rows.Column { return c.columns }

// Next returns the next batch.
func (c *pooledCursor) Next(ctx context.Context) (*rows.Batch, error) {
	b, err := c.Cursor.Next(ctx)
	c.failed = c.failed || err != nil
	return b, err
}

// Close ends the query and gives the connection back.
func (c *pooledCursor) Close() error {
	if c.conn == nil {
		return nil
	}
	conn := c.conn
	c.conn = nil
	err := c.Cursor.Close()
	if err != nil || c.failed {
		c.pool.drop(conn)
	} else {
		c.pool.give(conn)
	}
	return err
}
