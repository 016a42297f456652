package pgwire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/xdg-go/scram"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// AuthMethod is how clients prove who they are.
type AuthMethod uint8

// The methods: believe everybody, check a password by SCRAM-SHA-256, ask for a
// client certificate whose common name is the user.
const (
	AuthTrust AuthMethod = iota
	AuthSCRAM
	AuthCertificate
)

// Auth says how clients prove who they are, and who may come in. The zero value
// believes everybody.
type Auth struct {
	Method AuthMethod
	// Verifier returns what a user's password is checked with. Of a user that does
	// not exist it is one that no password fits. AuthSCRAM needs it.
	Verifier func(user string) (Verifier, error)
	// Admit says whether a user whose name is proven may log in, with an error if
	// not, and whether reserved connections are for them; nil: everybody may.
	Admit func(user string) (admin bool, err error)
	// FailuresMax is how many times authentication may fail from one address within
	// FailurePause before further attempts are refused; 0: without bound.
	FailuresMax int
}

// Verifier is what SCRAM-SHA-256 checks a password with.
type Verifier struct {
	Salt                 []byte
	Iterations           int
	StoredKey, ServerKey []byte
}

// Names of the mechanisms.
const (
	mechanismPlain = "SCRAM-SHA-256"
	mechanismPlus  = "SCRAM-SHA-256-PLUS" // bound to the TLS connection
)

// authBytesMax bounds messages of clients that have not been authenticated.
const authBytesMax = 4096

// authenticate makes sure that the client is who it says it is.
func (c *conn) authenticate(user string) (admin bool, err error) {
	auth := &c.srv.opt.Auth
	if auth.Method != AuthTrust {
		if err := c.admitProven(user); err != nil {
			return false, err
		}
	}
	if auth.Admit == nil {
		return false, nil
	}
	if admin, err = auth.Admit(user); err != nil {
		return false, &fatalError{sqlerr.From(err)}
	}
	return admin, nil
}

// admitProven lets a client in that proves its name, unless too many from its address
// have failed to.
func (c *conn) admitProven(user string) error {
	address, limit := c.nc.RemoteAddr(), c.srv.opt.Auth.FailuresMax
	err := errTooManyFailures()
	if c.srv.failures.allowed(address, limit) {
		var check func() error
		if check, err = c.proof(user); err == nil {
			err = c.srv.failures.attempt(address, limit, check)
		} else if !isBroken(err) {
			c.srv.failures.add(address)
		}
		if err != nil && !isBroken(err) {
			c.srv.opt.Logger.Warn("authentication failed", "remote", address, "user", user, "error", err)
		}
	}
	return err
}

func errTooManyFailures() error {
	return &fatalError{sqlerr.New(sqlerr.InvalidAuthorization, "too many failed authentications from this address").
		WithHint("Try again in a minute.")}
}

func isBroken(err error) bool {
	var broken *brokenError
	return errors.As(err, &broken)
}

// proof takes the client's proof, and returns what checks it. That reads nothing, so that
// nobody waits for a client meanwhile.
func (c *conn) proof(user string) (check func() error, err error) {
	if c.srv.opt.Auth.Method == AuthCertificate {
		return func() error { return c.checkCertificate(user) }, nil
	}
	c.be.SetMaxBodyLen(authBytesMax)
	defer c.be.SetMaxBodyLen(c.srv.opt.MaxMessageBytes)
	return c.passwordProof(user)
}

// checkCertificate compares the name in the client's certificate, which TLS has
// verified.
func (c *conn) checkCertificate(user string) error {
	if c.tls == nil {
		return &fatalError{sqlerr.New(sqlerr.InvalidAuthorization, "connection requires a client certificate").
			WithHint("Connect by TLS (sslmode=require or better) with sslcert and sslkey.")}
	}
	chains := c.tls.ConnectionState().VerifiedChains
	if len(chains) == 0 {
		return &fatalError{sqlerr.New(sqlerr.InvalidAuthorization, "connection requires a valid client certificate").
			WithHint("Give the client a certificate of the server's --tls-client-ca, by sslcert and sslkey.")}
	}
	if name := chains[0][0].Subject.CommonName; name == "" || name != user {
		return fatalf(sqlerr.InvalidAuthorization, "certificate authentication failed for user \"%s\"", user)
	}
	return nil
}

// errPassword is the same for a wrong password and a user that does not exist.
func errPassword(user string) error {
	return fatalf("28P01", "password authentication failed for user \"%s\"", user)
}

// passwordProof holds the SCRAM conversation.
func (c *conn) passwordProof(user string) (check func() error, err error) {
	v, err := c.srv.opt.Auth.Verifier(user)
	if err != nil {
		return nil, &fatalError{sqlerr.From(err)}
	}
	binding := c.channelBinding()
	mechanisms := []string{mechanismPlain}
	if binding.IsSupported() {
		mechanisms = []string{mechanismPlus, mechanismPlain}
	}
	c.send(&pgproto3.AuthenticationSASL{AuthMechanisms: mechanisms})
	first, err := c.saslFirst(mechanisms)
	if err != nil {
		return nil, err
	}
	talk, err := newConversation(v, binding)
	if err != nil {
		return nil, &fatalError{sqlerr.From(err)}
	}
	answer, err := talk.Step(first)
	if err != nil {
		return nil, fatalf(sqlerr.ProtocolViolation, "malformed SCRAM message, or channel binding that the server does not offer")
	}
	c.send(&pgproto3.AuthenticationSASLContinue{Data: []byte(answer)})
	final, err := c.saslNext(pgproto3.AuthTypeSASLContinue)
	if err != nil {
		return nil, err
	}
	response, ok := final.(*pgproto3.SASLResponse)
	if !ok {
		return nil, fatalf(sqlerr.ProtocolViolation, "expected SASL response")
	}
	return func() error { return c.checkPassword(user, talk, string(response.Data)) }, nil
}

// checkPassword checks the last message of the SCRAM conversation.
func (c *conn) checkPassword(user string, talk *scram.ServerConversation, proof string) error {
	answer, err := talk.Step(proof)
	if err != nil || !talk.Valid() {
		if answer == scram.ErrChannelBindingsDontMatch {
			return fatalf(sqlerr.InvalidAuthorization, "SCRAM channel binding check failed")
		}
		return errPassword(user)
	}
	c.send(&pgproto3.AuthenticationSASLFinal{Data: []byte(answer)})
	return c.be.SetAuthType(pgproto3.AuthTypeOk)
}

func newConversation(v Verifier, binding scram.ChannelBinding) (*scram.ServerConversation, error) {
	// The name in the conversation says nothing: as in Postgres, that of the startup
	// packet counts.
	server, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) {
		return scram.StoredCredentials{
			KeyFactors: scram.KeyFactors{Salt: string(v.Salt), Iters: v.Iterations},
			StoredKey:  v.StoredKey, ServerKey: v.ServerKey,
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return server.NewConversationWithChannelBinding(binding), nil
}

// saslFirst reads the client's choice of a mechanism and its first message.
func (c *conn) saslFirst(mechanisms []string) (string, error) {
	msg, err := c.saslNext(pgproto3.AuthTypeSASL)
	if err != nil {
		return "", err
	}
	initial, ok := msg.(*pgproto3.SASLInitialResponse)
	if !ok {
		return "", fatalf(sqlerr.ProtocolViolation, "expected SASL response")
	}
	offered := false
	for _, m := range mechanisms {
		offered = offered || m == initial.AuthMechanism
	}
	if !offered {
		return "", fatalf(sqlerr.ProtocolViolation, "client selected an invalid SASL authentication mechanism")
	}
	// The mechanism and the header must speak of the same: whether it is bound.
	if bound := strings.HasPrefix(string(initial.Data), "p="); bound != (initial.AuthMechanism == mechanismPlus) {
		return "", fatalf(sqlerr.ProtocolViolation, "malformed SCRAM message: channel binding disagrees with the mechanism")
	}
	return string(initial.Data), nil
}

// saslNext sends what is to be sent and reads the answer to a request of the
// given type.
func (c *conn) saslNext(authType uint32) (pgproto3.FrontendMessage, error) {
	if err := c.flush(); err != nil {
		return nil, err
	}
	if err := c.be.SetAuthType(authType); err != nil {
		return nil, &fatalError{sqlerr.From(err)}
	}
	return c.receive()
}

// channelBinding is the server's end of this TLS connection; none without TLS,
// or where the standard has no hash for the certificate's signature.
func (c *conn) channelBinding() scram.ChannelBinding {
	if c.tls == nil {
		return scram.ChannelBinding{}
	}
	b, err := scram.NewTLSServerEndpointBinding(&tls.ConnectionState{PeerCertificates: []*x509.Certificate{c.serverCert}})
	if err != nil {
		return scram.ChannelBinding{}
	}
	return b
}
