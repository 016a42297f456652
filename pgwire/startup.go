package pgwire

import (
	"bytes"
	"encoding/binary"
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Codes that stand where a startup packet has its protocol version.
const (
	codeCancel = 1234<<16 | 5678
	codeSSL    = 1234<<16 | 5679
	codeGSS    = 1234<<16 | 5680
)

const (
	protocolMajor    = 3
	protocolMinorMax = 2
	// Bounds of a startup packet's length, its length word included.
	startupBytesMin = 8
	startupBytesMax = 10_000
)

// Secret sizes of BackendKeyData: protocol 3.0 has room for four bytes, 3.2 for
// up to 256.
const (
	secretBytes30 = 4
	secretBytes32 = 32
)

// defaultName is the user and the database of a client that names none.
const defaultName = "trireme"

// startup is a parsed startup packet.
type startup struct {
	minor   uint32   // protocol 3.minor that is spoken
	unknown []string // protocol options (_pq_.*) that we do not know
	newer   bool     // the client asked for a newer minor version
	params  StartupParams
}

// handshake reads packets until the startup packet proper. It reports nil
// without an error when the connection was a CancelRequest.
func (c *conn) handshake() (*startup, error) {
	for requests := 0; ; {
		if direct, err := c.beginsWithTLS(requests); err != nil {
			return nil, err
		} else if direct {
			if err := c.startTLS(true); err != nil {
				return nil, err
			}
		}
		packet, err := c.readStartupPacket()
		if err != nil {
			return nil, err
		}
		switch code := binary.BigEndian.Uint32(packet); {
		case code == codeSSL, code == codeGSS:
			// Each encryption may be asked for once.
			if requests++; requests > 2 || c.tls != nil {
				return nil, fatalf(sqlerr.ProtocolViolation, "too many encryption requests")
			}
			if err := c.answerEncryption(code == codeSSL); err != nil {
				return nil, err
			}
		case code == codeCancel:
			var m pgproto3.CancelRequest
			if err := m.Decode(packet); err != nil {
				return nil, fatalf(sqlerr.ProtocolViolation, "%s", err.Error())
			}
			c.srv.cancel(m.ProcessID, m.SecretKey)
			return nil, nil
		default:
			return c.startupProper(packet)
		}
	}
}

// startupProper reads the startup packet proper, which may have to be encrypted.
// A CancelRequest may always come without: that is how libpq sends it.
func (c *conn) startupProper(packet []byte) (*startup, error) {
	st, err := parseStartup(packet, c.nc.RemoteAddr().String())
	if err == nil && c.tls == nil && c.srv.opt.TLS.Mode == TLSRequired {
		return nil, &fatalError{sqlerr.New(sqlerr.InvalidAuthorization, "the server accepts TLS connections only").
			WithHint("Connect with sslmode=require or better.")}
	}
	return st, err
}

// beginsWithTLS reports whether the client begins with a TLS handshake instead
// of asking for one.
func (c *conn) beginsWithTLS(requests int) (bool, error) {
	if requests > 0 || c.tls != nil || c.srv.opt.TLS.Mode == TLSOff {
		return false, nil
	}
	first, err := c.inbox.peek()
	if err != nil {
		return false, c.readError(err)
	}
	return first == recordHandshake, nil
}

// answerEncryption answers an SSLRequest or a GSSENCRequest; GSS is not there.
func (c *conn) answerEncryption(ssl bool) error {
	if !ssl || c.srv.opt.TLS.Mode == TLSOff {
		c.out = append(c.out, 'N')
		return c.flush()
	}
	// What came before the answer was not encrypted, and would be taken for it.
	if c.inbox.br.Buffered() > 0 {
		return fatalf(sqlerr.ProtocolViolation, "received unencrypted data after SSL request")
	}
	c.out = append(c.out, 'S')
	if err := c.flush(); err != nil {
		return err
	}
	return c.startTLS(false)
}

// readStartupPacket returns a packet without its length word; the slice has at
// least four bytes.
func (c *conn) readStartupPacket() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.inbox, head[:]); err != nil {
		return nil, c.readError(err)
	}
	n := binary.BigEndian.Uint32(head[:])
	if n < startupBytesMin || n > startupBytesMax {
		return nil, fatalf(sqlerr.ProtocolViolation, "invalid length of startup packet")
	}
	packet := make([]byte, n-4)
	if _, err := io.ReadFull(c.inbox, packet); err != nil {
		return nil, c.readError(err)
	}
	return packet, nil
}

// parseStartup reads the version and the parameters, pairs of C strings up to
// an empty name.
func parseStartup(packet []byte, remote string) (*startup, error) {
	version := binary.BigEndian.Uint32(packet)
	major, minor := version>>16, version&0xffff
	if major != protocolMajor {
		return nil, fatalf(sqlerr.FeatureNotSupported,
			"unsupported frontend protocol %d.%d: server supports 3.0 to 3.%d", major, minor, protocolMinorMax)
	}
	st := &startup{minor: min(minor, protocolMinorMax), newer: minor > protocolMinorMax}
	st.params = StartupParams{Options: map[string]string{}, Remote: remote}
	for rest := packet[4:]; ; {
		name, after, ok1 := bytes.Cut(rest, []byte{0})
		if ok1 && len(name) == 0 && len(after) == 0 {
			break
		}
		value, after, ok2 := bytes.Cut(after, []byte{0})
		if !ok1 || !ok2 || len(name) == 0 || !utf8.Valid(name) || !utf8.Valid(value) {
			return nil, fatalf(sqlerr.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
		}
		rest = after
		if err := st.add(string(name), string(value)); err != nil {
			return nil, err
		}
	}
	if st.params.User == "" {
		st.params.User = defaultName
	}
	if st.params.Database == "" {
		st.params.Database = defaultName
	}
	return st, nil
}

func (st *startup) add(name, value string) error {
	switch name = strings.ToLower(name); {
	case name == "user":
		st.params.User = value
	case name == "database":
		st.params.Database = value
	case name == "options":
		for k, v := range parseOptions(value) {
			st.params.Options[k] = v
		}
	case name == "replication":
		if v := strings.ToLower(value); v != "false" && v != "off" && v != "0" && v != "no" {
			return fatalf(sqlerr.FeatureNotSupported, "replication connections are not supported")
		}
	case strings.HasPrefix(name, "_pq_."):
		st.unknown = append(st.unknown, name)
	default:
		st.params.Options[name] = value
	}
	return nil
}

// parseOptions reads the settings of a command line such as
// "-c statement_timeout=5s --search_path=a"; a backslash keeps the next byte.
func parseOptions(line string) map[string]string {
	settings := map[string]string{}
	words := optionWords(line)
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-c" && i+1 < len(words):
			i++
			w = words[i]
		case strings.HasPrefix(w, "-c"), strings.HasPrefix(w, "--"):
			w = w[2:]
		default:
			continue
		}
		if name, value, ok := strings.Cut(w, "="); ok {
			settings[strings.ToLower(strings.ReplaceAll(name, "-", "_"))] = value
		}
	}
	return settings
}

func optionWords(line string) []string {
	var words []string
	var word []byte
	inWord := false
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case b == ' ' || b == '\t' || b == '\n':
			if inWord {
				words, word, inWord = append(words, string(word)), nil, false
			}
		case b == '\\' && i+1 < len(line):
			i++
			word, inWord = append(word, line[i]), true
		default:
			word, inWord = append(word, b), true
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words
}

// begin authenticates the client, registers the connection, opens its session and
// tells the client all it is told before the first ReadyForQuery.
func (c *conn) begin(st *startup) error {
	if st.newer || len(st.unknown) > 0 {
		c.send(&pgproto3.NegotiateProtocolVersion{
			NewestMinorProtocol: protocolMajor<<16 | st.minor, UnrecognizedOptions: st.unknown,
		})
	}
	admin, err := c.authenticate(st.params.User)
	if err != nil {
		return err
	}
	return c.open(st, admin)
}

// open registers the connection and opens its session.
func (c *conn) open(st *startup, admin bool) error {
	secretBytes := secretBytes30
	if st.minor >= 2 {
		secretBytes = secretBytes32
	}
	if err := c.srv.register(c, secretBytes, admin); err != nil {
		return err
	}
	st.params.PID = c.id
	st.params.Interrupt, st.params.Terminate, st.params.Abandon = c.interrupt, c.terminate, c.giveUp
	sess, err := c.srv.handler.Open(c.ctx, st.params)
	if err != nil {
		return &fatalError{sqlerr.From(err)}
	}
	c.sess = sess
	if s, ok := sess.(NameSharer); ok {
		s.ShareNames(protocolNames{c})
	}
	c.send(&pgproto3.AuthenticationOk{})
	c.sendParameters(c.initialParameters(st.params))
	c.send(&pgproto3.BackendKeyData{ProcessID: c.id, SecretKey: c.secret})
	c.sendNotices()
	c.inbox.limitReading(0)
	return c.ready()
}

// initialParameters are the session's, over what clients need to hear in any case.
func (c *conn) initialParameters(p StartupParams) map[string]string {
	all := map[string]string{
		"server_version":                c.srv.opt.ServerVersion,
		"server_encoding":               "UTF8",
		"client_encoding":               "UTF8",
		"DateStyle":                     "ISO, MDY",
		"IntervalStyle":                 "postgres",
		"TimeZone":                      "UTC",
		"integer_datetimes":             "on",
		"standard_conforming_strings":   "on",
		"application_name":              p.Options["application_name"],
		"is_superuser":                  "on",
		"session_authorization":         p.User,
		"default_transaction_read_only": "off",
		"in_hot_standby":                "off",
	}
	for name, value := range c.sess.Parameters() {
		all[name] = value
	}
	return all
}

// sendParameters reports settings in order of their names.
func (c *conn) sendParameters(all map[string]string) {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		c.send(&pgproto3.ParameterStatus{Name: cString(name), Value: cString(all[name])})
	}
}
