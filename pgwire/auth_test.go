package pgwire

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/xdg-go/scram"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

const rightPassword = "open sesame"

// guarded are the options of a server with one user, ann.
func guarded(t *testing.T) Options {
	t.Helper()
	client, err := scram.SHA256.NewClient("", rightPassword, "")
	if err != nil {
		t.Fatal(err)
	}
	keys := func(salt string) Verifier {
		k, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: salt, Iters: 4096})
		if err != nil {
			t.Error(err)
		}
		return Verifier{Salt: []byte(salt), Iterations: 4096, StoredKey: k.StoredKey, ServerKey: k.ServerKey}
	}
	return Options{Auth: Auth{
		Method: AuthSCRAM,
		Verifier: func(user string) (Verifier, error) {
			v := keys("0123456789abcdef")
			if user != "ann" && user != "admin" {
				v.StoredKey = bytes.Repeat([]byte{1}, 32)
			}
			return v, nil
		},
		Admit: func(user string) (bool, error) {
			if user == "late" {
				return false, sqlerr.New(sqlerr.InvalidAuthorization, "not permitted to log in")
			}
			return user == "admin", nil
		},
	}}
}

// selfSigned makes a certificate for 127.0.0.1.
func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ann"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func withTLS(t *testing.T, opt Options, mode TLSMode) (Options, *x509.Certificate) {
	t.Helper()
	cert := selfSigned(t)
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	config := &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven}
	opt.TLS = TLS{Mode: mode, Config: func() *tls.Config { return config }}
	return opt, leaf
}

func (ts *testServer) reach(t *testing.T) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", ts.addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	return nc
}

func packet(code uint32, rest string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(rest)))
	return append(binary.BigEndian.AppendUint32(b, code), rest...)
}

// dialTLS asks for TLS as libpq does.
func (ts *testServer) dialTLS(t *testing.T, config *tls.Config) *tls.Conn {
	t.Helper()
	nc := ts.reach(t)
	write(t, nc, packet(codeSSL, ""))
	answer := make([]byte, 1)
	if _, err := nc.Read(answer); err != nil || answer[0] != 'S' {
		t.Fatalf("SSLRequest is answered with %q, %v", answer, err)
	}
	return tls.Client(nc, config)
}

func insecure() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

// login holds a SCRAM conversation, and returns the mechanisms offered and the
// server's error.
func login(t *testing.T, nc net.Conn, user, mechanism string, talk *scram.ClientConversation) (mechanisms []string, refused *pgproto3.ErrorResponse) {
	t.Helper()
	write(t, nc, packet(protocolMajor<<16, "user\x00"+user+"\x00\x00"))
	fe := pgproto3.NewFrontend(nc, nc)
	for {
		msg, err := fe.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := msg.(type) {
		case *pgproto3.AuthenticationSASL:
			mechanisms = append(mechanisms, m.AuthMechanisms...)
			first, err := talk.Step("")
			if err != nil {
				t.Fatal(err)
			}
			fe.Send(&pgproto3.SASLInitialResponse{AuthMechanism: mechanism, Data: []byte(first)})
		case *pgproto3.AuthenticationSASLContinue:
			next, err := talk.Step(string(m.Data))
			if err != nil {
				t.Fatal(err)
			}
			fe.Send(&pgproto3.SASLResponse{Data: []byte(next)})
		case *pgproto3.AuthenticationSASLFinal:
			if _, err := talk.Step(string(m.Data)); err != nil || !talk.Valid() {
				t.Fatalf("the server has not proven that it knows the password: %v", err)
			}
		case *pgproto3.ErrorResponse:
			return mechanisms, m
		case *pgproto3.ReadyForQuery:
			return mechanisms, nil
		}
		if err := fe.Flush(); err != nil {
			t.Fatal(err)
		}
	}
}

func scramClient(t *testing.T, password string) *scram.Client {
	t.Helper()
	c, err := scram.SHA256.NewClient("", password, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func wantRefusal(t *testing.T, e *pgproto3.ErrorResponse, code string) {
	t.Helper()
	if e == nil || e.Code != code || e.Severity != severityFatal {
		t.Errorf("refused with %+v, want FATAL %s", e, code)
	}
}

func TestPasswordIsChecked(t *testing.T) {
	ts := startServer(t, guarded(t))
	plain := func(user, password string) *pgproto3.ErrorResponse {
		mechanisms, e := login(t, ts.reach(t), user, mechanismPlain, scramClient(t, password).NewConversation())
		if strings.Join(mechanisms, " ") != mechanismPlain {
			t.Errorf("without TLS the server offers %v", mechanisms)
		}
		return e
	}
	if e := plain("ann", rightPassword); e != nil {
		t.Errorf("the right password: %+v", e)
	}
	wrong, unknown := plain("ann", "guess"), plain("bob", rightPassword)
	wantRefusal(t, wrong, "28P01")
	wantRefusal(t, unknown, "28P01")
	if strings.ReplaceAll(wrong.Message, "ann", "bob") != unknown.Message || wrong.Hint != unknown.Hint {
		t.Errorf("a wrong password and an unknown user differ: %q, %q", wrong.Message, unknown.Message)
	}
	if n := ts.fake.sessions.Load(); n > 1 {
		t.Errorf("%d sessions were opened", n)
	}
}

func TestNobodyComesInWithoutAPassword(t *testing.T) {
	ts := startServer(t, guarded(t))
	start := packet(protocolMajor<<16, "user\x00ann\x00\x00")
	for name, sent := range map[string][]byte{
		"a query instead":       frame('Q', "SELECT 1\x00"),
		"a password in clear":   frame('p', rightPassword+"\x00"),
		"an unknown mechanism":  frame('p', "MD5\x00\x00\x00\x00\x00"),
		"the bound one":         frame('p', mechanismPlus+"\x00\x00\x00\x00\x05p=x,,"),
		"too long a message":    append([]byte{'p', 0, 0xff, 0xff, 0xff}, make([]byte, 100)...),
		"a malformed message":   frame('p', mechanismPlain+"\x00\x00\x00\x00\x03abc"),
		"no length of the data": frame('p', mechanismPlain+"\x00"),
	} {
		nc := ts.reach(t)
		write(t, nc, append(append([]byte{}, start...), sent...))
		if got := answers(t, nc); !strings.Contains(got, "ErrorResponse") || strings.Contains(got, "ReadyForQuery") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if n := ts.fake.sessions.Load(); n != 0 {
		t.Errorf("%d sessions were opened", n)
	}
}

func TestChannelBinding(t *testing.T) {
	opt, leaf := withTLS(t, guarded(t), TLSAllow)
	ts := startServer(t, opt)
	bind := func(cert *x509.Certificate) scram.ChannelBinding {
		b, err := scram.NewTLSServerEndpointBinding(&tls.ConnectionState{PeerCertificates: []*x509.Certificate{cert}})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	other, err := x509.ParseCertificate(selfSigned(t).Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	client := scramClient(t, rightPassword)
	mechanisms, e := login(t, ts.dialTLS(t, insecure()), "ann", mechanismPlus, client.NewConversationWithChannelBinding(bind(leaf)))
	if e != nil || strings.Join(mechanisms, " ") != mechanismPlus+" "+mechanismPlain {
		t.Errorf("the server's own certificate: %v, %+v", mechanisms, e)
	}
	_, e = login(t, ts.dialTLS(t, insecure()), "ann", mechanismPlus, client.NewConversationWithChannelBinding(bind(other)))
	wantRefusal(t, e, "28000") // somebody stands between
	_, e = login(t, ts.dialTLS(t, insecure()), "ann", mechanismPlain, client.NewConversationAdvertisingChannelBinding())
	wantRefusal(t, e, "08P01") // somebody has taken the bound mechanism out of the offer
	_, e = login(t, ts.dialTLS(t, insecure()), "ann", mechanismPlain, client.NewConversation())
	if e != nil {
		t.Errorf("a client without channel binding: %+v", e)
	}
}

func TestFailuresOfAnAddressAreBounded(t *testing.T) {
	opt := guarded(t)
	opt.Auth.FailuresMax = 2
	ts := startServer(t, opt)
	for range opt.Auth.FailuresMax {
		_, e := login(t, ts.reach(t), "ann", mechanismPlain, scramClient(t, "guess").NewConversation())
		wantRefusal(t, e, "28P01")
	}
	_, e := login(t, ts.reach(t), "ann", mechanismPlain, scramClient(t, rightPassword).NewConversation())
	wantRefusal(t, e, "28000")
	for _, f := range ts.failures.by { // as if the pause had passed
		f.last = f.last.Add(-2 * FailurePause)
	}
	if _, e = login(t, ts.reach(t), "ann", mechanismPlain, scramClient(t, rightPassword).NewConversation()); e != nil {
		t.Errorf("after the pause: %+v", e)
	}
}

func TestFailuresKeepBoundedMemory(t *testing.T) {
	var f failures
	for i := range failuresKeptMax + 100 {
		f.add(&net.TCPAddr{IP: net.IPv4(10, byte(i>>16), byte(i>>8), byte(i)), Port: 1})
	}
	if len(f.by) > failuresKeptMax {
		t.Errorf("%d addresses", len(f.by))
	}
	a, b := &net.TCPAddr{IP: net.ParseIP("2001:db8::1")}, &net.TCPAddr{IP: net.ParseIP("2001:db8::2")}
	if f.add(a); f.allowed(b, 1) {
		t.Error("a neighbour in one IPv6 network is another client")
	}
}

func TestSomeConnectionsAreReserved(t *testing.T) {
	opt := guarded(t)
	opt.MaxConnections, opt.ReservedConnections = 2, 1
	ts := startServer(t, opt)
	in := func(user string) *pgproto3.ErrorResponse {
		_, e := login(t, ts.reach(t), user, mechanismPlain, scramClient(t, rightPassword).NewConversation())
		return e
	}
	if e := in("ann"); e != nil {
		t.Fatal(e)
	}
	wantRefusal(t, in("ann"), "53300")
	if e := in("admin"); e != nil {
		t.Errorf("an admin: %+v", e)
	}
	wantRefusal(t, in("admin"), "53300")
}

func TestAuthenticationTakesBoundedTime(t *testing.T) {
	opt := guarded(t)
	opt.StartupTimeout = 50 * time.Millisecond
	ts := startServer(t, opt)
	nc := ts.reach(t)
	write(t, nc, packet(protocolMajor<<16, "user\x00ann\x00\x00"))
	if got := answers(t, nc); !strings.Contains(got, "startup timed out") {
		t.Error(got)
	}
}

func TestTLSCanBeRequired(t *testing.T) {
	opt, _ := withTLS(t, Options{}, TLSRequired)
	ts := startServer(t, opt)
	nc := ts.reach(t)
	write(t, nc, packet(protocolMajor<<16, "user\x00ann\x00\x00"))
	if got := answers(t, nc); !strings.Contains(got, "28000") || !strings.Contains(got, "TLS connections only") {
		t.Error(got)
	}
	if _, e := login(t, ts.dialTLS(t, insecure()), "ann", "", nil); e != nil {
		t.Errorf("by TLS: %+v", e)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	opt, _ := withTLS(t, Options{}, TLSAllow)
	ts := startServer(t, opt)
	config := insecure()
	config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	if err := ts.dialTLS(t, config).Handshake(); err == nil {
		t.Error("TLS 1.1 is accepted")
	}
}

func TestBytesBeforeTheHandshakeAreRefused(t *testing.T) {
	opt, _ := withTLS(t, Options{}, TLSAllow)
	ts := startServer(t, opt)
	nc := ts.reach(t)
	write(t, nc, append(packet(codeSSL, ""), packet(protocolMajor<<16, "user\x00evil\x00\x00")...))
	if got := answers(t, nc); !strings.Contains(got, "unencrypted data") {
		t.Error(got)
	}
}

func TestDirectTLSNeedsItsName(t *testing.T) {
	opt, _ := withTLS(t, Options{}, TLSRequired)
	ts := startServer(t, opt)
	named := insecure()
	named.NextProtos = []string{alpn}
	if _, e := login(t, tls.Client(ts.reach(t), named), "ann", "", nil); e != nil {
		t.Errorf("with its name: %+v", e)
	}
	nc := tls.Client(ts.reach(t), insecure())
	if err := nc.Handshake(); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, nc); !strings.Contains(got, "ALPN") {
		t.Error(got)
	}
}

func TestClientCertificates(t *testing.T) {
	opt, leaf := withTLS(t, Options{Auth: Auth{Method: AuthCertificate}}, TLSRequired)
	cert := opt.TLS.Config().Certificates[0] // of ann, and its own authority
	ts := startServer(t, opt)
	with := func(c ...tls.Certificate) *tls.Config {
		config := insecure()
		config.Certificates = c
		return config
	}
	if leaf.Subject.CommonName != "ann" {
		t.Fatal(leaf.Subject)
	}
	if _, e := login(t, ts.dialTLS(t, with(cert)), "ann", "", nil); e != nil {
		t.Errorf("ann: %+v", e)
	}
	_, e := login(t, ts.dialTLS(t, with(cert)), "admin", "", nil)
	wantRefusal(t, e, "28000")
	_, e = login(t, ts.dialTLS(t, with()), "ann", "", nil)
	wantRefusal(t, e, "28000")
	// One that the server's authority has not signed ends in the handshake.
	nc := ts.dialTLS(t, &tls.Config{InsecureSkipVerify: true, GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		c := selfSigned(t)
		return &c, nil
	}})
	err := nc.Handshake()
	if err == nil {
		_, err = nc.Read(make([]byte, 1))
	}
	if err == nil || errors.Is(err, net.ErrClosed) {
		t.Errorf("a stranger's certificate: %v", err)
	}
}

func TestWhoMayNotLogInIsToldAfterThePassword(t *testing.T) {
	opt := guarded(t)
	check := opt.Auth.Verifier
	opt.Auth.Verifier = func(user string) (Verifier, error) { return check(strings.Replace(user, "late", "ann", 1)) }
	ts := startServer(t, opt)
	_, e := login(t, ts.reach(t), "late", mechanismPlain, scramClient(t, "guess").NewConversation())
	wantRefusal(t, e, "28P01")
	_, e = login(t, ts.reach(t), "late", mechanismPlain, scramClient(t, rightPassword).NewConversation())
	wantRefusal(t, e, "28000")
}
