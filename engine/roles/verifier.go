package roles

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/scram"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Verifier is what SCRAM-SHA-256 checks a password with.
type Verifier struct {
	Salt                 []byte
	Iterations           int
	StoredKey, ServerKey []byte
}

const (
	mechanism     = "SCRAM-SHA-256"
	iterations    = 4096 // as in Postgres; clients pay for them
	iterationsMax = 10_000_000
	saltBytes     = 16
	// passwordBytesMax bounds what is hashed.
	passwordBytesMax = 1024
)

// NewVerifier makes the text of a Verifier for a password. A text that is one
// already is returned as it is, as Postgres does: that is how clients change a
// password without sending it.
func NewVerifier(password string) (string, error) {
	if strings.HasPrefix(password, mechanism+"$") {
		if _, err := ParseVerifier(password); err == nil {
			return password, nil
		}
	}
	switch {
	case password == "":
		return "", sqlerr.New(sqlerr.InvalidParameter, "the password is empty")
	case len(password) > passwordBytesMax:
		return "", sqlerr.New(sqlerr.InvalidParameter, "the password is longer than %d bytes", passwordBytesMax)
	case isMD5(password):
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "passwords hashed by MD5 are not supported").
			WithHint("Give the password itself, or a SCRAM-SHA-256 verifier.")
	}
	client, err := scram.SHA256.NewClient("", password, "")
	if err != nil { // not a text that SASLprep takes: as it is, as Postgres does
		if client, err = scram.SHA256.NewClientUnprepped("", password, ""); err != nil {
			return "", err
		}
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt) // never fails
	keys, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: iterations})
	if err != nil {
		return "", err
	}
	return Verifier{Salt: salt, Iterations: iterations, StoredKey: keys.StoredKey, ServerKey: keys.ServerKey}.String(), nil
}

func isMD5(text string) bool {
	rest, ok := strings.CutPrefix(text, "md5")
	return ok && len(rest) == 32 && strings.Trim(rest, "0123456789abcdef") == ""
}

// String is the text form of Postgres.
func (v Verifier) String() string {
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s$%d:%s$%s:%s", mechanism, v.Iterations, b64(v.Salt), b64(v.StoredKey), b64(v.ServerKey))
}

// ParseVerifier reads the text form.
func ParseVerifier(text string) (Verifier, error) {
	bad := sqlerr.New(sqlerr.InvalidParameter, "invalid SCRAM-SHA-256 verifier") // never with the text
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == '$' || r == ':' })
	if len(fields) != 5 || fields[0] != mechanism {
		return Verifier{}, bad
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil || n < 1 || n > iterationsMax {
		return Verifier{}, bad
	}
	v := Verifier{Iterations: n}
	for i, to := range []*[]byte{&v.Salt, &v.StoredKey, &v.ServerKey} {
		b, err := base64.StdEncoding.DecodeString(fields[2+i])
		if err != nil || len(b) == 0 || i > 0 && len(b) != sha256.Size {
			return Verifier{}, bad
		}
		*to = b
	}
	if v.String() != text {
		return Verifier{}, bad
	}
	return v, nil
}

// mockVerifier is a Verifier that no password fits. It is always the same for a
// name, as that of a role would be.
func mockVerifier(secret []byte, name string) Verifier {
	part := func(what string, n int) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(what + "\x00" + name))
		return h.Sum(nil)[:n]
	}
	return Verifier{
		Salt: part("salt", saltBytes), Iterations: iterations,
		StoredKey: part("stored", sha256.Size), ServerKey: part("server", sha256.Size),
	}
}
