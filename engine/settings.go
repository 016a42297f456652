package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for machines without the zones' files

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// settings are the variables of a session. backend, statementTimeout, registry,
// memoryLimitBytes, threads and planning are the parsed forms of their values.
type settings struct {
	values           map[string]string // by lower-case name, of all variables that have been set
	initial          map[string]string // where it is not the same for all sessions
	began            map[string]string // the SET of each setting of DuckDB's alone that the session began with
	beganDuck        map[string]string // of all settings of DuckDB that the session had for itself then
	reported         map[string]string // what the client was last told
	backend          Backend
	statementTimeout time.Duration
	// idle, idleInTransaction and transaction are timeouts, too; 0: none.
	idle, idleInTransaction, transaction time.Duration
	registry                             bool
	memoryLimitBytes                     int64 // of a statement; 0: the engine's
	threads                              int   // of a tensor kernel
	planning                             planning
}

func newSettings(e *Engine, user string) settings {
	version := serverVersion
	if e.cfg.Version != "" {
		version += " (Trireme " + e.cfg.Version + ")"
	}
	st := settings{
		values: map[string]string{},
		began:  map[string]string{}, beganDuck: e.ownSettings,
		initial: map[string]string{
			"trireme.backend":       e.cfg.Backend.String(),
			"trireme.threads":       strconv.Itoa(e.cfg.kernelThreads()),
			"server_version":        version,
			"session_authorization": user,
			"max_connections":       strconv.Itoa(e.cfg.MaxConnections),
			"timezone":              e.baseline["TimeZone"],
			"search_path":           "main",
			"max_expression_depth":  e.baseline["max_expression_depth"],
		},
	}
	st.parse()
	return st
}

// get is the present value of a variable that exists.
func (st *settings) get(name string) string {
	if v, ok := st.values[name]; ok {
		return v
	}
	return st.fallback(name)
}

// fallback is the value to which RESET returns.
func (st *settings) fallback(name string) string {
	if v, ok := st.initial[name]; ok {
		return v
	}
	if v, ok := variables[name]; ok {
		return v.initial
	}
	return ""
}

func (st *settings) copyValues() map[string]string { return maps.Clone(st.values) }

// settingBytesMax is how many bytes the names and values of a session's settings may have.
const settingBytesMax = 1 << 20

// mayKeep is the error for a value that would make the settings too large, or what the transaction
// keeps of those before it.
func (s *Session) mayKeep(name, value string) error {
	bytesOf := func(several ...map[string]string) (bytes int) {
		for _, kept := range several {
			for n, v := range kept {
				if n != name {
					bytes += len(n) + len(v)
				}
			}
		}
		return bytes + len(name) + len(value)
	}
	if bytesOf(s.settings.values, s.settings.initial) <= settingBytesMax && bytesOf(s.tx.before, s.tx.local) <= settingBytesMax {
		return nil
	}
	return sqlerr.New(sqlerr.ProgramLimit, "the settings of a session may have %d KiB", settingBytesMax>>10).
		WithHint("RESET those that are not needed, or keep the value in a table.")
}

// parse brings the parsed forms up to date with the values, which were checked.
func (st *settings) parse() {
	st.backend, _ = ParseBackend(st.get("trireme.backend"))
	st.statementTimeout = st.timeout("statement_timeout")
	st.idle = st.timeout("idle_session_timeout")
	st.idleInTransaction = st.timeout("idle_in_transaction_session_timeout")
	st.transaction = st.timeout("transaction_timeout")
	st.memoryLimitBytes, _ = ParseBytes(st.get("trireme.memory_limit"))
	st.registry = st.get("trireme.registry") == "on"
	st.threads, _ = parseThreads(st.get("trireme.threads"))
	st.planning = planning{estimator: st.get("trireme.estimator"), search: st.get("trireme.optimizer"), uncached: st.get("trireme.plan_cache") == "off"}
}

// timeout is the value of a variable that is a timeout, which was checked.
func (st *settings) timeout(name string) time.Duration {
	d, _ := parseTimeout(name, st.get(name))
	return d
}

// Parameters returns the values that clients are told of and that have changed
// since the last call; the first call returns all.
func (s *Session) Parameters() map[string]string {
	changed := map[string]string{}
	if s.settings.reported == nil {
		s.settings.reported = map[string]string{}
	}
	for key, v := range variables {
		if !v.report {
			continue
		}
		value := s.settings.get(key)
		if told, ok := s.settings.reported[key]; !ok || told != value {
			s.settings.reported[key] = value
			changed[v.name] = value
		}
	}
	return changed
}

// show is the value of a variable as SHOW gives it.
func (s *Session) show(name string) string {
	switch name {
	case "trireme.last_backend":
		return s.LastBackend()
	case "transaction_read_only":
		return onOff(s.currentModes().readOnly)
	case "transaction_deferrable":
		return onOff(s.currentModes().deferrable)
	case "search_path":
		return s.shownPath()
	default:
		return s.settings.get(name)
	}
}

// startWith applies the settings of a connection's start: RESET returns to them.
func (s *Session) startWith(ctx context.Context, options map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if name == "options" {
			if err := s.startWithCommandLine(ctx, options[name]); err != nil {
				return err
			}
			continue
		}
		if err := s.startSetting(ctx, strings.ToLower(name), options[name]); err != nil {
			return err
		}
	}
	return nil
}

// startAsRole applies the settings of ALTER ROLE. One that cannot be set any more is
// a warning: nobody is kept from connecting, and so from changing it.
func (s *Session) startAsRole(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	role, _, err := s.engine.cfg.Roles.Get(name)
	if err != nil {
		return err
	}
	for _, setting := range slices.Sorted(maps.Keys(role.Settings)) {
		if err := s.startSetting(ctx, setting, role.Settings[setting]); err != nil {
			e := sqlerr.From(err)
			s.warn("the role's setting "+setting+" is left out: "+e.Message, e.Code)
		}
	}
	return nil
}

func (s *Session) startSetting(ctx context.Context, name, value string) error {
	if effect, ok := settingEffects[name]; ok && variables[name] == nil && (effect == meaningEffect || effect == orderEffect) && s.isDuckSetting(name) {
		return s.startDuckSetting(ctx, name, value)
	}
	if err := s.set(ctx, name, value); err != nil {
		return err
	}
	s.settings.initial[name] = s.settings.get(name)
	delete(s.settings.values, name)
	return nil
}

// startDuckSetting applies a setting of DuckDB's alone that changes what statements mean.
func (s *Session) startDuckSetting(ctx context.Context, name, value string) error {
	text := "SET SESSION " + name + " = " + quoteText(value)
	p, err := s.prepare(ctx, text, nil) // which permits it
	if err == nil {
		err = errors.Join(s.conn.Exec(ctx, text), p.Close())
	}
	if err != nil {
		return withoutPlace(err)
	}
	s.settings.began[name] = text
	if err := s.readOwn(ctx); err != nil {
		return err
	}
	s.settings.beganDuck = s.own.duck
	return nil
}

// startWithCommandLine reads "-c name=value --name=value"; a backslash takes
// the next character as it is.
func (s *Session) startWithCommandLine(ctx context.Context, text string) error {
	words := commandWords(text)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "-c" && i+1 < len(words):
			i++
			word = words[i]
		case strings.HasPrefix(word, "-c"):
			word = word[2:]
		case strings.HasPrefix(word, "--"):
			word = word[2:]
		default:
			return sqlerr.New(sqlerr.InvalidParameter, "unknown start option %q", word)
		}
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return sqlerr.New(sqlerr.InvalidParameter, "start option %q has no value", word)
		}
		if err := s.startSetting(ctx, strings.ToLower(strings.ReplaceAll(name, "-", "_")), value); err != nil {
			return err
		}
	}
	return nil
}

func commandWords(text string) []string {
	var words []string
	var word strings.Builder
	escaped, inWord := false, false
	for _, r := range text {
		switch {
		case !escaped && r == '\\':
			escaped, inWord = true, true
			continue
		case !escaped && r == ' ':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
		escaped = false
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// set changes a variable; name is in lower case. Names with a dot that are not
// ours are kept, as Postgres keeps them.
func (s *Session) set(ctx context.Context, name, value string) error {
	name, value = strings.Clone(name), strings.Clone(value) // they may be parts of a long text
	v, known := variables[name]
	switch {
	case !known && strings.Contains(name, ".") && !strings.HasPrefix(name, "trireme."):
		if err := s.mayKeep(name, value); err != nil {
			return err
		}
		s.settings.values[name] = value
		return nil
	case !known:
		return unknownSetting(name)
	case v.fixed:
		return errFixed(name)
	}
	if v.check != nil {
		checked, err := v.check(value)
		if err != nil {
			return err
		}
		value = checked
	}
	if err := s.mayKeep(name, value); err != nil {
		return err
	}
	if v.duck != "" {
		return s.setDuck(ctx, v, value)
	}
	s.settings.values[name] = value
	s.settings.parse()
	s.generation++
	return nil
}

// setDuck changes a variable whose counterpart DuckDB has; DuckDB's spelling of
// the value is kept.
func (s *Session) setDuck(ctx context.Context, v *variable, value string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	if v.name == "search_path" {
		return s.setPath(ctx, value)
	}
	return s.setDuckValue(ctx, v, value)
}

func (s *Session) setDuckValue(ctx context.Context, v *variable, value string) error {
	if err := s.conn.Exec(ctx, fmt.Sprintf(v.duck, quoteText(value))); err != nil {
		e := *sqlerr.From(err)
		e.Offset = -1
		if e.Code != sqlerr.QueryCanceled {
			e.Code = sqlerr.InvalidParameter
		}
		return &e
	}
	return s.readOwn(ctx)
}

func unknownSetting(name string) error {
	return sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// restoreSettings returns the named variables to earlier values; a name that is
// missing from before and set now is reset.
func (s *Session) restoreSettings(ctx context.Context, before map[string]string) error {
	for name, v := range variables {
		old, had := before[name]
		if had && v.duck != "" && old != s.settings.get(name) {
			if err := s.setDuck(ctx, v, old); err != nil {
				return err
			}
		}
	}
	for name, old := range before {
		s.settings.values[name] = old
	}
	s.settings.parse()
	return nil
}

// returnDuck gives settings that DuckDB alone has for the session the values that they had;
// those that it did not have are the server's again.
func (s *Session) returnDuck(ctx context.Context, before map[string]string) error {
	if s.own.epoch != s.engine.settingsEpoch.Load() {
		if err := s.readOwn(ctx); err != nil {
			return err
		}
	}
	if maps.Equal(before, s.own.duck) {
		return nil
	}
	names := maps.Clone(s.own.duck)
	maps.Copy(names, before)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		old, had := before[name]
		now, has := s.own.duck[name]
		if had == has && old == now || variables[strings.ToLower(name)] != nil || settingEffects[name] == pathEffect {
			continue
		}
		text := "RESET SESSION " + name
		if had {
			text = "SET SESSION " + name + " = " + quoteText(old)
		}
		if err := s.conn.Exec(ctx, text); err != nil {
			return withoutPlace(err)
		}
	}
	return s.readOwn(ctx)
}

// reset returns a variable to its value at the start of the session.
func (s *Session) reset(ctx context.Context, name string) error {
	if v, ok := variables[name]; ok && v.duck != "" {
		if err := s.setDuck(ctx, v, s.settings.fallback(name)); err != nil {
			return err
		}
	}
	delete(s.settings.values, name)
	s.settings.parse()
	s.generation++
	return nil
}

// refreshOwn reads DuckDB's settings again if another session may have changed
// global ones, and looks for schemas of the search path that were not there. In a failed
// transaction DuckDB answers nothing: the first statement after it does that.
func (s *Session) refreshOwn(ctx context.Context) error {
	if s.tx.status == TxFailed {
		return nil
	}
	if s.own.wished != "" {
		if err := s.awaitPath(ctx); err != nil {
			return err
		}
	}
	if s.own.epoch == s.engine.settingsEpoch.Load() {
		return nil
	}
	if err := s.detachOpen(ctx); err != nil {
		return err
	}
	return s.readOwn(ctx)
}

// readOwn reads DuckDB's settings of the session's connection.
func (s *Session) readOwn(ctx context.Context) error {
	epoch := s.engine.settingsEpoch.Load()
	now, own, err := readDuckSettings(ctx, s.conn)
	if err != nil {
		return err
	}
	path, err := parsePath(now["search_path"])
	if err != nil {
		return err
	}
	s.own.path, s.own.epoch, s.own.duck = path, epoch, own
	s.own.immediate = now["immediate_transaction_mode"] == "true"
	s.own.difference = compareSettings(s.engine.baseline, now)
	s.keepDuckValue("timezone", now["TimeZone"])
	s.keepPath(now["search_path"])
	s.generation++
	return nil
}

// Zone is the session's time zone, in which texts show times with a zone; UTC where its
// name is one that only DuckDB knows.
func (s *Session) Zone() *time.Location {
	if name := s.settings.get("timezone"); s.zone == nil || s.zoneName != name {
		zone, err := time.LoadLocation(name)
		if err != nil || name == "Etc/UTC" { // what machines are set to
			zone = time.UTC
		}
		s.zone, s.zoneName = zone, name
	}
	return s.zone
}

// IntervalStyle is how texts show intervals.
func (s *Session) IntervalStyle() string { return s.settings.get("intervalstyle") }

func (s *Session) keepDuckValue(name, value string) {
	if value == s.settings.fallback(name) {
		delete(s.settings.values, name)
		return
	}
	s.settings.values[name] = value
}

// readDuckSettings reads all settings of a connection by name, and those of them that it has
// for itself. The full name of the function is looked for nowhere else, which would take a
// transaction's snapshot. No wall hides any.
func readDuckSettings(ctx context.Context, conn *duckbackend.Conn) (values, own map[string]string, err error) {
	ctx = duckbackend.WithWall(ctx, nil)
	cursor, err := conn.Query(ctx, "SELECT name, coalesce(value, ''), scope FROM system.main.duckdb_settings()")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if cerr := cursor.Close(); err == nil {
			err = cerr
		}
	}()
	values, own = map[string]string{}, map[string]string{}
	for {
		b, err := cursor.Next(ctx)
		if err != nil || b == nil {
			return values, own, err
		}
		for i := range b.N {
			name := b.Cols[0].Str[i]
			values[name] = b.Cols[1].Str[i]
			if b.Cols[2].Str[i] == "LOCAL" {
				own[name] = values[name]
			}
		}
	}
}

// afterEffects is what a statement changes in the session once DuckDB has run
// it; nil for most.
func (s *Session) afterEffects(c sqlfront.Class) func(context.Context) error {
	switch c.Kind {
	case sqlfront.ClassSet, sqlfront.ClassReset:
		if s.keepsAlone(c) || c.Modes != nil {
			return nil
		}
		if c.Scope == "variable" {
			return func(ctx context.Context) error { return s.variableSet(ctx, c.Name) }
		}
		return s.afterSetting
	case sqlfront.ClassUse:
		return func(ctx context.Context) error {
			s.own.wished = ""
			return s.afterSetting(ctx)
		}
	case sqlfront.ClassPragma, sqlfront.ClassCall,
		sqlfront.ClassLoad, sqlfront.ClassInstall, sqlfront.ClassImport, sqlfront.ClassOther:
		if c.Scope == "variable" {
			return s.ownObjects
		}
		return s.afterSetting
	case sqlfront.ClassCreate:
		if c.Temp || len(c.Target) > 1 && strings.EqualFold(c.Target[0], "temp") {
			return s.ownObjects
		}
		return s.nextGeneration
	case sqlfront.ClassDrop, sqlfront.ClassAlter, sqlfront.ClassAttach, sqlfront.ClassDetach, sqlfront.ClassComment:
		return s.nextGeneration
	case sqlfront.ClassExplain:
		return s.afterEffects(sqlfront.Classify(c.Body))
	}
	return nil
}

// keepsAlone reports whether a SET or RESET is of a variable that the session
// keeps and DuckDB does not know. DuckDB's settings are then what they were:
// reading them takes milliseconds, and all sessions would.
func (s *Session) keepsAlone(c sqlfront.Class) bool {
	name := strings.ToLower(c.Name)
	v, known := variables[name]
	return c.Scope != "variable" && c.Scope != "global" && s.isOwn(name) && (!known || v.duck == "")
}

func (s *Session) ownObjects(ctx context.Context) error {
	s.own.objects = true
	return s.nextGeneration(ctx)
}

// variableBytesMax is how many bytes the values of SET VARIABLE may take: DuckDB keeps them beside all
// memory that it counts. variableBytes is about what they take: the bytes of their texts, and for each
// value in a list, a structure or a map, which has a comma or a bracket there, what DuckDB's Value is.
const (
	variableBytesMax = 16 << 20
	variableBytes    = `SELECT sum(strlen(value) + strlen(type) + CASE WHEN type SIMILAR TO '.*\].*|STRUCT.*|MAP.*|UNION.*|VARIANT.*'
		THEN 128 * (strlen(value) - strlen(translate(value, ',[{', ''))) ELSE 0 END)::BIGINT FROM duckdb_variables()`
)

// variableSet follows a SET VARIABLE, which is taken back where the session has too much.
func (s *Session) variableSet(ctx context.Context, name string) error {
	if err := s.ownObjects(ctx); err != nil || s.tx.status == TxFailed {
		return err
	}
	bytes, err := oneNumber(duckbackend.WithWall(ctx, nil), s.conn, variableBytes)
	if err != nil || bytes <= variableBytesMax {
		return err
	}
	if err := s.conn.Exec(ctx, "RESET VARIABLE "+load.Quote(name)); err != nil {
		return err
	}
	return sqlerr.New(sqlerr.ProgramLimit, "the values of SET VARIABLE may have %d MiB in a session", variableBytesMax>>20).
		WithHint("RESET VARIABLE those that are not needed, or keep the value in a table.")
}

func (s *Session) nextGeneration(context.Context) error {
	s.generation++
	return nil
}

// afterSetting follows a statement that may have changed DuckDB's settings, for
// this session or for all.
func (s *Session) afterSetting(ctx context.Context) error {
	if s.tx.status == TxFailed {
		s.own.meaning = "unknown" // read when the transaction has ended
		s.own.epoch = 0
		return nil
	}
	s.engine.settingsEpoch.Add(1)
	return errors.Join(s.engine.readGlobals(ctx), s.readOwn(ctx))
}

// quoteText returns a SQL string literal.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

var (
	_ sqlfront.Preparer = (*Session)(nil)
	_ rows.Cursor       = (*Result)(nil)
)
