package engine

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// variable is a setting that the session keeps itself: ours, and those of
// Postgres that clients set and DuckDB does not know.
type variable struct {
	name    string // as SHOW names it
	initial string
	report  bool // clients hear of it (ParameterStatus)
	fixed   bool // cannot be set
	// check returns the value to keep; nil: any value.
	check func(value string) (string, error)
	// duck is the SQL that sets DuckDB's counterpart to a literal, %s; "" when
	// there is none.
	duck string
}

// identifierBytesMax is how long a name is in Postgres.
const identifierBytesMax = 63

// variables is the table of settings by lower-case name. The values of fixed
// ones with an empty initial value are computed in Session.value.
var variables = indexVariables([]variable{
	{name: "trireme.backend", check: checkBackend},
	{name: "trireme.last_backend", fixed: true},
	{name: "trireme.memory_limit", initial: "0", check: checkMemoryLimit},
	{name: "trireme.threads", check: checkThreads},
	{name: "trireme.registry", initial: "on", check: checkBool},
	{name: "trireme.estimator", initial: estimatorNames[0], check: oneOf(estimatorNames)},
	{name: "trireme.optimizer", initial: searchNames[0], check: oneOf(searchNames)},
	{name: "trireme.plan_cache", initial: "on", check: checkBool},
	// DuckDB's, of all sessions, and read by their planning unguarded: a change
	// while another session plans ends the process.
	{name: "disabled_optimizers", fixed: true},
	// DuckDB goes down an expression on the stack of a thread.
	{name: "max_expression_depth", fixed: true},
	// DuckDB draws it on the standard output of the process.
	{name: "enable_progress_bar", initial: "false", fixed: true},
	{name: "statement_timeout", initial: "0", check: timeoutOf("statement_timeout")},
	{name: "idle_in_transaction_session_timeout", initial: "0", check: timeoutOf("idle_in_transaction_session_timeout")},
	{name: "idle_session_timeout", initial: "0", check: timeoutOf("idle_session_timeout")},
	{name: "transaction_timeout", initial: "0", check: timeoutOf("transaction_timeout")},
	// Only advisory locks are waited for: of two transactions that change the same rows one
	// fails at once.
	{name: "lock_timeout", initial: "0", check: timeoutOf("lock_timeout")},

	{name: "server_version", fixed: true, report: true},
	{name: "server_version_num", initial: serverVersionNum, fixed: true},
	{name: "server_encoding", initial: "UTF8", fixed: true, report: true},
	{name: "integer_datetimes", initial: "on", fixed: true, report: true},
	{name: "in_hot_standby", initial: "off", fixed: true, report: true},
	{name: "is_superuser", initial: "on", fixed: true, report: true},
	{name: "session_authorization", fixed: true, report: true},
	{name: "role", initial: "none", fixed: true},
	{name: "max_connections", fixed: true},
	{name: "max_identifier_length", initial: strconv.Itoa(identifierBytesMax), fixed: true},
	{name: "max_index_keys", initial: "32", fixed: true},
	{name: "block_size", initial: "262144", fixed: true},
	{name: "lc_collate", initial: "C", fixed: true},
	{name: "lc_ctype", initial: "C", fixed: true},
	{name: "transaction_isolation", initial: "repeatable read", fixed: true},

	{name: "client_encoding", initial: "UTF8", report: true, check: checkEncoding},
	{name: "application_name", report: true, check: checkApplicationName},
	{name: "DateStyle", initial: "ISO, MDY", report: true, check: checkDateStyle},
	{name: "IntervalStyle", initial: intervalStyles[0], report: true, check: oneOf(intervalStyles)},
	{name: "standard_conforming_strings", initial: "on", report: true, check: only("on", "true", "1", "yes")},
	{name: "default_transaction_read_only", initial: "off", report: true, check: checkBool},
	{name: "password_encryption", initial: "scram-sha-256", check: only("scram-sha-256")},
	{name: "bytea_output", initial: "hex", check: only("hex")},
	{name: "TimeZone", report: true, duck: "SET TimeZone = %s", check: checkZone},
	{name: "search_path", duck: "SET search_path = %s", check: checkSearchPath},

	{name: "extra_float_digits", initial: "1", check: checkFloatDigits},
	{name: "client_min_messages", initial: "notice", check: oneOf(messageLevels)},
	{name: "log_min_messages", initial: "warning"},
	{name: "default_transaction_isolation", initial: "repeatable read", check: oneOf(isolationNames)},
	{name: "default_transaction_deferrable", initial: "off", check: checkBool},
	{name: "transaction_read_only", fixed: true},
	{name: "transaction_deferrable", fixed: true},
	{name: "client_connection_check_interval", initial: "0"},
	{name: "row_security", initial: "on"},
	{name: "synchronize_seqscans", initial: "on", check: checkBool},
	{name: "quote_all_identifiers", initial: "off", check: checkBool},
	{name: "synchronous_commit", initial: "on"},
	{name: "escape_string_warning", initial: "on"},
	{name: "check_function_bodies", initial: "on"},
	{name: "default_tablespace"},
	{name: "default_table_access_method", initial: "heap"},
	{name: "xmloption", initial: "content"},
	{name: "lc_messages", initial: "C"},
	{name: "lc_monetary", initial: "C"},
	{name: "lc_numeric", initial: "C"},
	{name: "lc_time", initial: "C"},
	{name: "jit", initial: "off"},
	{name: "geqo", initial: "off"},
	{name: "enable_seqscan", initial: "on"},
	{name: "work_mem", initial: "4MB"},
})

var (
	intervalStyles = []string{"postgres", "iso_8601"}
	isolationNames = []string{"repeatable read", "serializable", "read committed", "read uncommitted"}
	messageLevels  = []string{"notice", "debug5", "debug4", "debug3", "debug2", "debug1", "debug", "log", "info", "warning", "error"}
)

// The Postgres release whose protocol and catalog clients may expect.
const (
	serverVersion    = "15.18"
	serverVersionNum = "150018"
)

func indexVariables(list []variable) map[string]*variable {
	index := make(map[string]*variable, len(list))
	for i := range list {
		index[strings.ToLower(list[i].name)] = &list[i]
	}
	return index
}

// only accepts the spellings of the one value that works here; the first is the
// value kept.
func only(spellings ...string) func(string) (string, error) {
	return func(value string) (string, error) {
		for _, s := range spellings {
			if strings.EqualFold(s, value) {
				return spellings[0], nil
			}
		}
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "value %q is not supported", value).
			WithHint("The only supported value is %q.", spellings[0])
	}
}

// checkEncoding accepts UTF8, as Postgres by letters and digits alone.
func checkEncoding(value string) (string, error) {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(value))
	switch name {
	case "utf8", "unicode", "sqlascii":
		return "UTF8", nil
	}
	return "", sqlerr.New(sqlerr.FeatureNotSupported, "value %q is not supported", value).
		WithHint("The only supported value is %q.", "UTF8")
}

// checkApplicationName cuts the name as Postgres does: clients, logs and tables have it.
func checkApplicationName(value string) (string, error) {
	if len(value) <= identifierBytesMax {
		return value, nil
	}
	end := identifierBytesMax
	for end > 0 && !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end], nil
}

func checkBackend(value string) (string, error) {
	b, err := ParseBackend(value)
	return b.String(), err
}

// threadsMax bounds the workers of one step: each has workspaces of its own.
const threadsMax = 1024

// parseThreads reads a number of threads, at least one.
func parseThreads(value string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 1 || n > threadsMax {
		return 0, sqlerr.New(sqlerr.InvalidParameter, "invalid value for parameter \"trireme.threads\": %q", value).
			WithHint("A number from 1 to %d.", threadsMax)
	}
	return n, nil
}

func checkThreads(value string) (string, error) {
	n, err := parseThreads(value)
	return strconv.Itoa(n), err
}

func checkBool(value string) (string, error) {
	switch strings.ToLower(value) {
	case "on", "true", "yes", "1", "t", "y":
		return "on", nil
	case "off", "false", "no", "0", "f", "n":
		return "off", nil
	}
	return "", sqlerr.New(sqlerr.InvalidParameter, "value %q is not a Boolean", value)
}

// checkFloatDigits accepts what Postgres does. DOUBLEs are shown with all their digits in
// any case.
func checkFloatDigits(value string) (string, error) {
	const least, most = -15, 3
	n, err := strconv.Atoi(value)
	if err != nil {
		return "", sqlerr.New(sqlerr.InvalidParameter, "value %q is not an integer", value)
	}
	if n < least || n > most {
		return "", sqlerr.New(sqlerr.InvalidParameter, "%d is out of range: there may be %d to %d digits", n, least, most)
	}
	return strconv.Itoa(n), nil
}

// checkDateStyle accepts ISO with any order of fields, which concerns input
// only and is DuckDB's in any case.
func checkDateStyle(value string) (string, error) {
	order := "MDY"
	for _, part := range strings.Split(strings.ToUpper(value), ",") {
		switch part = strings.TrimSpace(part); part {
		case "ISO", "DEFAULT", "":
		case "MDY", "DMY", "YMD":
			order = part
		case "US", "NONEURO", "NONEUROPEAN":
			order = "MDY"
		case "EURO", "EUROPEAN":
			order = "DMY"
		default:
			return "", sqlerr.New(sqlerr.FeatureNotSupported, "DateStyle %q is not supported", value).
				WithHint("Dates are printed in ISO style.")
		}
	}
	return "ISO, " + order, nil
}

// zoneInterval is an interval as the offset of a zone.
var zoneInterval = regexp.MustCompile(`(?i)^interval\s*'([+-]?)(\d+)(?::(\d\d)(?::00)?)?(?: hours?)?'\s*(hour\s+to\s+(minute|second))?$`)

// checkZone turns an offset, a number of hours or an interval, into the name of a zone. The
// signs in these names are those of POSIX: they say what to add to get UTC.
func checkZone(value string) (string, error) {
	text := strings.TrimSpace(value)
	hours, err := strconv.ParseFloat(text, 64)
	if m := zoneInterval.FindStringSubmatch(text); m != nil {
		hours, err = strconv.ParseFloat(m[1]+m[2], 64)
		if m[3] != "" && m[3] != "00" {
			hours = math.NaN()
		}
	} else if offset, ok := strings.CutSuffix(text, ":00"); ok && strings.Trim(offset, "+-0") == "" {
		hours, err = 0, nil
	}
	switch {
	case err != nil:
		return value, nil // DuckDB knows the name or has the error
	case hours == 0:
		return "UTC", nil
	case hours != math.Trunc(hours) || hours < -12 || hours > 14:
		return "", sqlerr.New(sqlerr.InvalidParameter, "invalid value for parameter \"TimeZone\": %q", value).
			WithHint("An offset is a whole number of hours from -12 to 14; other zones have names, such as Asia/Kolkata.")
	}
	return fmt.Sprintf("Etc/GMT%+d", -int(hours)), nil
}

// emptyPath is a path of no schema of the user's, as DuckDB's: names without a schema are
// looked for in the default one, and nothing is made in any.
func emptyPath() []string { return []string{"pg_catalog", catalog.DefaultSchema} }

// checkSearchPath turns Postgres's list into DuckDB's: the entries that Postgres searches
// in any case are left out. DuckDB's default schema stands in it by DuckDB's name.
func checkSearchPath(value string) (string, error) {
	entries, err := splitNames(value)
	if err != nil {
		return "", err
	}
	var kept []string
	for _, entry := range entries {
		switch strings.ToLower(entry) {
		case "$user", "pg_catalog":
			continue
		case publicSchema:
			entry = catalog.DefaultSchema
		}
		kept = append(kept, quoteIfNeeded(entry))
	}
	if len(kept) == 0 {
		kept = emptyPath()
	}
	return strings.Join(kept, ","), nil
}

// timeoutUnits are Postgres's units of time; without one a number is milliseconds.
var timeoutUnits = []struct {
	suffix string
	unit   time.Duration
}{
	{"us", time.Microsecond},
	{"ms", time.Millisecond},
	{"min", time.Minute},
	{"s", time.Second},
	{"h", time.Hour},
	{"d", 24 * time.Hour},
	{"", time.Millisecond},
}

func parseTimeout(name, value string) (time.Duration, error) {
	text := strings.TrimSpace(value)
	for _, u := range timeoutUnits {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n >= 0 && n*float64(u.unit) <= 1<<62) {
			break
		}
		return time.Duration(n * float64(u.unit)).Round(time.Millisecond), nil
	}
	return 0, sqlerr.New(sqlerr.InvalidParameter, "invalid value for parameter %q: %q", name, value).
		WithHint("A number of milliseconds, or a number with one of the units us, ms, s, min, h, d.")
}

// timeoutOf checks the value of a variable that is a timeout.
func timeoutOf(name string) func(value string) (string, error) {
	return func(value string) (string, error) { return checkTimeout(name, value) }
}

// checkTimeout prints a timeout in the largest unit that gives a whole number.
func checkTimeout(name, value string) (string, error) {
	d, err := parseTimeout(name, value)
	if err != nil || d == 0 {
		return "0", err
	}
	ms := d.Milliseconds()
	for _, u := range []struct {
		suffix string
		ms     int64
	}{{"d", 86_400_000}, {"h", 3_600_000}, {"min", 60_000}, {"s", 1000}} {
		if ms%u.ms == 0 {
			return strconv.FormatInt(ms/u.ms, 10) + u.suffix, nil
		}
	}
	return strconv.FormatInt(ms, 10) + "ms", nil
}
