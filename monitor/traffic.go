package monitor

import (
	"net"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// Traffic counts the bytes of connections.
type Traffic struct{ in, out atomic.Int64 }

func (t *Traffic) collector(direction string) prometheus.Collector {
	counted := &t.in
	if direction == "out" {
		counted = &t.out
	}
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "trireme_wire_bytes_total", Help: "Bytes of clients' connections.", ConstLabels: prometheus.Labels{"direction": direction},
	}, func() float64 { return float64(counted.Load()) })
}

// Listen counts the bytes of all connections that l accepts.
func (m *Metrics) Listen(l net.Listener) net.Listener { return &listener{l, m.traffic} }

type listener struct {
	net.Listener
	traffic *Traffic
}

// Accept returns the next connection, counted.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	counted := &conn{c, l.traffic}
	if half, ok := c.(halfCloser); ok {
		return &halfConn{counted, half}, nil
	}
	return counted, nil
}

// conn counts what passes through a connection.
type conn struct {
	net.Conn
	traffic *Traffic
}

// Read counts what the client sends.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.traffic.in.Add(int64(n))
	return n, err
}

// Write counts what the client is sent.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.traffic.out.Add(int64(n))
	return n, err
}

type halfCloser interface{ CloseWrite() error }

// halfConn is a connection whose sending side can be closed alone.
type halfConn struct {
	*conn
	half halfCloser
}

// CloseWrite ends the sending side.
func (c *halfConn) CloseWrite() error { return c.half.CloseWrite() }
