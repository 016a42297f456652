package pgwire

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TLSMode says whether connections are encrypted.
type TLSMode uint8

// The modes: never, if the client asks for it, always.
const (
	TLSOff TLSMode = iota
	TLSAllow
	TLSRequired
)

// TLS says whether and how connections are encrypted.
type TLS struct {
	Mode TLSMode
	// Config is asked for every connection, so that certificates can be renewed. It
	// has one certificate. Unless TLS is off it must be set.
	Config func() *tls.Config
}

// alpn is the name of the protocol in a TLS handshake, which clients that begin
// with one must give.
const alpn = "postgresql"

// recordHandshake is the first byte of a TLS handshake.
const recordHandshake = 0x16

// startTLS makes the connection a TLS one. direct: the client has begun without
// an SSLRequest.
func (c *conn) startTLS(direct bool) error {
	config := c.srv.opt.TLS.Config().Clone()
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	config.NextProtos = []string{alpn}
	config.SessionTicketsDisabled = true // every connection shows its certificate
	secure := tls.Server(&peeked{Conn: c.nc, br: c.inbox.br}, config)
	ctx, cancel := context.WithTimeout(c.ctx, c.srv.opt.StartupTimeout)
	defer cancel()
	if err := secure.HandshakeContext(ctx); err != nil {
		return &brokenError{err}
	}
	leaf, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	if err != nil {
		return &brokenError{err}
	}
	c.tls, c.serverCert = secure, leaf
	c.inbox.secure(secure)
	if direct && secure.ConnectionState().NegotiatedProtocol != alpn {
		return fatalf(sqlerr.ProtocolViolation, "received direct TLS connection request without ALPN protocol negotiation extension")
	}
	return nil
}

// peeked is a connection of which some bytes have been read ahead.
type peeked struct {
	net.Conn
	br *bufio.Reader
}

// Read reads what was read ahead first.
func (p *peeked) Read(b []byte) (int, error) { return p.br.Read(b) }

// write sends bytes, encrypted where the connection is.
func (c *conn) write(b []byte) (int, error) {
	if c.tls != nil {
		return c.tls.Write(b)
	}
	return c.nc.Write(b)
}

// hangUpTLS says that nothing more follows.
func (c *conn) hangUpTLS() {
	if c.tls != nil {
		c.srv.closeSocket(c.tls)
	}
}
