package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{key: newKey(t), file: filepath.Join(t.TempDir(), "ca.pem")}
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, a.file, "CERTIFICATE", der)
	return a
}

// issue writes name.pem and name.key into a directory.
func (a *authority) issue(t *testing.T, dir, name string, serial int64) (certFile, keyFile string) {
	t.Helper()
	key := newKey(t)
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	writePEM(t, certFile, "CERTIFICATE", der)
	writePEM(t, keyFile, "PRIVATE KEY", keyDER)
	return certFile, keyFile
}

// psqlBy runs psql with a connection string.
func psqlBy(t *testing.T, address, options, password string) (string, error) {
	t.Helper()
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql is not installed")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(psql, "-XAt", "host="+host+" port="+port+" dbname=trireme "+options, "-c", "SELECT 42")
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func TestPsqlOverTLS(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.issue(t, t.TempDir(), "server", 2)
	g := serveGuarded(t, "--tls", "required", "--tls-cert", cert, "--tls-key", key)
	for _, options := range []string{"sslmode=verify-full channel_binding=require sslrootcert=" + a.file, "sslmode=require channel_binding=disable"} {
		if out, err := psqlBy(t, g.address, "user=ann "+options, "ann-pw"); err != nil || out != "42" {
			t.Errorf("%s: %s, %v", options, out, err)
		}
	}
	for _, options := range []string{"sslmode=disable", "sslmode=verify-full sslrootcert=" + newAuthority(t).file} {
		if out, err := psqlBy(t, g.address, "user=ann "+options, "ann-pw"); err == nil {
			t.Errorf("%s: %s", options, out)
		}
	}
	if out, err := psqlBy(t, g.address, "user=ann sslmode=require", "wrong"); err == nil || !strings.Contains(out, "password authentication failed") {
		t.Errorf("%s, %v", out, err)
	}
}

func TestPsqlByCertificate(t *testing.T) {
	a := newAuthority(t)
	dir := t.TempDir()
	cert, key := a.issue(t, dir, "server", 2)
	annCert, annKey := a.issue(t, dir, "ann", 3)
	g := serveGuarded(t, "--auth", "cert", "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", a.file)
	with := " sslmode=require sslcert=" + annCert + " sslkey=" + annKey
	if out, err := psqlBy(t, g.address, "user=ann"+with, ""); err != nil || out != "42" {
		t.Errorf("%s, %v", out, err)
	}
	for _, options := range []string{"user=root" + with, "user=ann sslmode=require", "user=ann sslmode=disable"} {
		if out, err := psqlBy(t, g.address, options, ""); err == nil {
			t.Errorf("%s: %s", options, out)
		}
	}
}

// TestCertificatesAreReadAgain sends SIGHUP to this process, in which the server runs.
func TestCertificatesAreReadAgain(t *testing.T) {
	a := newAuthority(t)
	dir := t.TempDir()
	cert, key := a.issue(t, dir, "server", 2)
	g := serveGuarded(t, "--tls-cert", cert, "--tls-key", key)
	serial := func() string {
		conf, err := pgx.ParseConfig("postgres://ann:ann-pw@" + g.address + "/trireme?sslmode=require")
		if err != nil {
			t.Fatal(err)
		}
		seen := ""
		conf.TLSConfig.VerifyConnection = func(s tls.ConnectionState) error {
			seen = s.PeerCertificates[0].SerialNumber.String()
			return nil
		}
		conn, err := pgx.ConnectConfig(context.Background(), conf)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close(context.Background())
		return seen
	}
	hangUp := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	if got := serial(); got != "2" {
		t.Fatal(got)
	}
	a.issue(t, dir, "server", 7)
	hangUp()
	for deadline := time.Now().Add(20 * time.Second); serial() != "7"; {
		if time.Now().After(deadline) {
			t.Fatal("the new certificate is not in use")
		}
	}
	if err := os.WriteFile(cert, []byte("not a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	hangUp()
	if got := serial(); got != "7" { // what cannot be read leaves the old one in use
		t.Error(got)
	}
}

func TestBadFilesOfTLSAreRefused(t *testing.T) {
	a := newAuthority(t)
	dir := t.TempDir()
	cert, key := a.issue(t, dir, "server", 2)
	_, otherKey := a.issue(t, dir, "other", 3)
	open := filepath.Join(dir, "open.key")
	data, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(open, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--tls-cert", cert},
		{"--tls-key", key},
		{"--tls", "required"},
		{"--tls", "sometimes"},
		{"--tls-client-ca", a.file},
		{"--tls-cert", cert, "--tls-key", otherKey},
		{"--tls-cert", cert, "--tls-key", open},
		{"--tls-cert", cert, "--tls-key", dir + "/none"},
		{"--auth", "cert"},
		{"--auth", "cert", "--tls", "off", "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", a.file},
		{"--tls-cert", cert, "--tls-key", key, "--tls-client-ca", key},
	} {
		if _, err := trireme(t, "", append([]string{"serve", "--listen", "127.0.0.1:0", "--db", filepath.Join(dir, "x.db")}, args...)...); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}
