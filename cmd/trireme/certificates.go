package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// certificates are the files of TLS, as they were read last.
type certificates struct {
	cert, key, clientCA string
	current             atomic.Pointer[tls.Config]
}

// openCertificates reads the files; without a certificate it reads nothing.
func (o *securityOptions) openCertificates() (*certificates, error) {
	c := &certificates{cert: o.tlsCert, key: o.tlsKey, clientCA: o.tlsClientCA}
	if c.cert == "" && c.key == "" {
		if c.clientCA != "" {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "--tls-client-ca needs --tls-cert and --tls-key")
		}
		return c, nil
	}
	return c, c.read()
}

// config is what new connections use.
func (c *certificates) config() *tls.Config { return c.current.Load() }

// read reads the files; after an error the old certificates stay in use.
func (c *certificates) read() error {
	if err := checkKeyFile(c.key); err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return sqlerr.New(sqlerr.InvalidParameter, "cannot use the certificate %q with the key %q: %v", c.cert, c.key, err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if c.clientCA != "" {
		pem, err := os.ReadFile(c.clientCA)
		if err != nil {
			return sqlerr.New(sqlerr.IOError, "%v", err)
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(pem) {
			return sqlerr.New(sqlerr.InvalidParameter, "%q has no certificate", c.clientCA)
		}
		config.ClientAuth = tls.VerifyClientCertIfGiven
	}
	c.current.Store(config)
	return nil
}

// checkKeyFile refuses a private key that others can read.
func checkKeyFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return sqlerr.New(sqlerr.IOError, "the key of the certificate: %v", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o037 != 0 {
		return sqlerr.New(sqlerr.InvalidParameter, "the private key %q can be read by others (mode %04o)", path, info.Mode().Perm()).
			WithHint("chmod 600 %s", path)
	}
	return nil
}

// renew reads the files again at every SIGHUP until ctx is done.
func (c *certificates) renew(ctx context.Context, log *slog.Logger) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
			}
			if c.current.Load() == nil {
				continue
			}
			if err := c.read(); err != nil {
				log.Error("certificates were not read again; the old ones stay in use", "error", err)
			} else {
				log.Info("certificates were read again")
			}
		}
	}()
}
