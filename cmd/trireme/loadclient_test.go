package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// loadOperation is something that a client of the load test does.
type loadOperation struct {
	what string
	do   func() error
}

// codeConflict is the SQLSTATE of a writer that was not the first.
const codeConflict = "40001"

// endless is a statement that no client waits for.
const endless = "SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 3 = 1"

// operations are what a client chooses from.
func (c *loadClient) operations() []loadOperation {
	return []loadOperation{
		{"transfer", c.transfer},
		{"sum of accounts", c.sums},
		{"triangles", c.triangles},
		{"graph copied in", c.putGraph},
		{"graph dropped", c.dropGraph},
		{"graph half copied in", c.halfGraph},
		{"insert", c.insert},
		{"copy in", c.copyIn},
		{"copy out", c.copyOut},
		{"delete", c.shorten},
		{"own table", c.checkOwn},
		{"cursor", c.cursor},
		{"suspended portals", c.portals},
		{"large result", c.large},
		{"cancel", c.cancel},
		{"timeout", c.timeout},
		{"disconnect in a transaction", func() error { return c.vanish(c.inTransaction) }},
		{"disconnect in COPY FROM", func() error { return c.vanish(c.inCopy) }},
		{"disconnect in a result", func() error { return c.vanish(c.inResult) }},
		{"disconnect in a statement", func() error { return c.vanish(c.inStatement) }},
		{"disconnect in a message", func() error { return c.vanish(c.inMessage) }},
		{"disconnect before the answer", c.unanswered},
	}
}

// use chooses a backend.
func (c *loadClient) use(backend string) error {
	if c.backend == backend {
		return nil
	}
	c.backend = backend
	_, err := c.query("SET trireme.backend = '" + backend + "'")
	return err
}

// ask runs a SELECT on a backend at random; refused: a forced one declines while a
// writer is in flight.
func (c *loadClient) ask(sql string) (answer string, refused bool, err error) {
	if err := c.use([]string{"auto", "native", "decomposed", "duckdb"}[c.rng.IntN(4)]); err != nil {
		return "", false, err
	}
	out, err := c.query(sql)
	if codeOf(err) == sqlerr.FeatureNotSupported && (c.backend == "native" || c.backend == "decomposed") {
		c.note("(refused by " + c.backend + ")")
		return "", true, nil
	}
	if err != nil {
		return "", false, err
	}
	c.note("(answered under " + c.backend + ")")
	return fmt.Sprint(out), false, nil
}

// expect asks and compares.
func (c *loadClient) expect(sql, want string) error {
	got, refused, err := c.ask(sql)
	if err == nil && !refused && got != want {
		err = fmt.Errorf("%s: %s, want %s", sql, got, want)
	}
	return err
}

// tolerating turns an error of one of the SQLSTATEs into happened.
func (c *loadClient) tolerating(err error, codes ...string) (happened bool, _ error) {
	for _, code := range codes {
		if err != nil && codeOf(err) == code {
			c.note("(" + code + ")")
			return true, nil
		}
	}
	return false, err
}

// transfer moves an amount between two accounts.
func (c *loadClient) transfer() error {
	amount, from, to := c.rng.IntN(50), c.rng.IntN(loadAccounts), c.rng.IntN(loadAccounts)
	end := "COMMIT"
	if c.rng.IntN(4) == 0 {
		end = "ROLLBACK"
	}
	for _, sql := range []string{
		"BEGIN",
		fmt.Sprintf("UPDATE account SET balance = balance - %d WHERE id = %d", amount, from),
		fmt.Sprintf("UPDATE account SET balance = balance + %d WHERE id = %d", amount, to),
		end,
	} {
		_, err := c.query(sql)
		conflict, err := c.tolerating(err, codeConflict)
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		if conflict && sql != end {
			_, err = c.query("ROLLBACK")
			return err
		}
	}
	return nil
}

func (c *loadClient) sums() error {
	return c.expect(balanceSQL, fmt.Sprintf("[[%d %d]]", loadAccounts*loadBalance, loadAccounts))
}

// triangles: graphs are there as a whole or not at all.
func (c *loadClient) triangles() error {
	got, refused, err := c.ask(trianglesSQL)
	if err != nil || refused {
		return err
	}
	n, err := strconv.ParseInt(strings.Trim(got, "[]"), 10, 64)
	if err != nil || n%24 != 0 {
		return fmt.Errorf("%s triangles, no multiple of 24: %w", got, err)
	}
	return nil
}

// graphRows are the edges of a complete graph as text.
func graphRows(id int64) string {
	var b strings.Builder
	for x := range int64(4) {
		for y := range int64(4) {
			if x != y {
				fmt.Fprintf(&b, "%d\t%d\t%d\n", id*4+x, id*4+y, id)
			}
		}
	}
	return b.String()
}

func (c *loadClient) putGraph() error {
	c.graph++
	id := int64(c.number)*1_000_000 + c.graph
	tag, err := copyText(c.conn, "COPY edge FROM STDIN", graphRows(id))
	if err != nil || tag.String() != "COPY 12" {
		return fmt.Errorf("%s: %w", tag, err)
	}
	c.own = append(c.own, id)
	c.graphs.Add(1)
	return nil
}

// halfGraph copies edges and then a line that is wrong.
func (c *loadClient) halfGraph() error {
	_, err := copyText(c.conn, "COPY edge FROM STDIN", graphRows(int64(-c.number - 1))[:40]+"\nx\t1\t1\n")
	if code := codeOf(err); code != "22P02" && code != "22P04" {
		return fmt.Errorf("a COPY of a bad line ends with %w", err)
	}
	return nil
}

func (c *loadClient) dropGraph() error {
	if len(c.own) == 0 {
		return nil
	}
	_, err := c.query(fmt.Sprintf("DELETE FROM edge WHERE batch = %d", c.own[0]))
	conflict, err := c.tolerating(err, codeConflict)
	if err == nil && !conflict {
		c.own = c.own[1:]
		c.graphs.Add(-1)
	}
	return err
}

// sum is the sum of the client's own rows.
func (c *loadClient) sum() (sum int64) {
	for k := c.first + 1; k <= c.last; k++ {
		sum += loadValue(k)
	}
	return sum
}

// rowsOf writes rows of the client's own table.
func rowsOf(first, last int64, between string) string {
	var b strings.Builder
	for k := first + 1; k <= last; k++ {
		fmt.Fprintf(&b, "%d%s%d\n", k, between, loadValue(k))
	}
	return b.String()
}

func (c *loadClient) insert() error {
	to := c.last + int64(c.rng.IntN(5)) + 1
	values := strings.ReplaceAll(strings.TrimSpace(rowsOf(c.last, to, ", ")), "\n", "), (")
	if _, err := c.query("INSERT INTO " + c.table() + " VALUES (" + values + ")"); err != nil {
		return err
	}
	c.last = to
	return nil
}

// copyIn adds rows by COPY in one of its formats.
func (c *loadClient) copyIn() error {
	to := c.last + int64(c.rng.IntN(300)) + 1
	var n int64
	var err error
	switch c.rng.IntN(3) {
	case 0:
		tag, e := copyText(c.conn, "COPY "+c.table()+" FROM STDIN", rowsOf(c.last, to, "\t"))
		n, err = tag.RowsAffected(), e
	case 1:
		tag, e := copyText(c.conn, "COPY "+c.table()+" FROM STDIN (FORMAT csv, HEADER match)", "k,v\n"+rowsOf(c.last, to, ","))
		n, err = tag.RowsAffected(), e
	default:
		k := c.last
		next := func() ([]any, error) {
			if k == to {
				return nil, nil
			}
			k++
			return []any{k, loadValue(k)}, nil
		}
		n, err = c.conn.CopyFrom(context.Background(), pgx.Identifier{c.table()}, []string{"k", "v"}, pgx.CopyFromFunc(next))
	}
	if err != nil || n != to-c.last {
		return fmt.Errorf("%d rows of %d copied: %w", n, to-c.last, err)
	}
	c.last = to
	return nil
}

// copyOut reads the client's own table by COPY.
func (c *loadClient) copyOut() error {
	var out bytes.Buffer
	_, err := c.conn.PgConn().CopyTo(context.Background(), &out, "COPY (SELECT * FROM "+c.table()+" ORDER BY k) TO STDOUT")
	if want := rowsOf(c.first, c.last, "\t"); err == nil && out.String() != want {
		err = fmt.Errorf("%q, want %q", out.String(), want)
	}
	return err
}

// shorten deletes the older half of the client's rows once they are many.
func (c *loadClient) shorten() error {
	const many = 1000
	if c.last-c.first < many {
		return nil
	}
	middle := (c.first + c.last) / 2
	_, err := c.query(fmt.Sprintf("DELETE FROM %s WHERE k <= %d", c.table(), middle))
	// A connection of the client's that was cut off may not have rolled back yet.
	conflict, err := c.tolerating(err, codeConflict)
	if err == nil && !conflict {
		c.first = middle
	}
	return err
}

// checkOwn asks for the client's rows by a join.
func (c *loadClient) checkOwn() error {
	n := c.last - c.first
	want := fmt.Sprintf("[[%d %d]]", n, c.sum())
	if n == 0 {
		want = "[[0 NULL]]"
	}
	return c.expect("SELECT count(*), sum(o.v) FROM "+c.table()+" o JOIN branch b ON o.k % 4 = b.id", want)
}

// wideRows are rows of the large result as query returns them.
func wideRows(first, n int64) string {
	out := make([]string, n)
	for i := range out {
		k := first + int64(i)
		out[i] = fmt.Sprintf("[%d %d]", k, loadValue(k))
	}
	return "[" + strings.Join(out, " ") + "]"
}

// cursor reads parts of the large result.
func (c *loadClient) cursor() error {
	start := int64(c.rng.IntN(loadWide - 1000))
	for _, step := range []struct{ sql, want string }{
		{"BEGIN", "[]"},
		{fmt.Sprintf("DECLARE c CURSOR FOR SELECT k, v FROM wide WHERE k >= %d ORDER BY k", start), "[]"},
		{"FETCH 3 FROM c", wideRows(start, 3)},
		{"MOVE 500 IN c", "[]"},
		{balanceSQL, fmt.Sprintf("[[%d %d]]", loadAccounts*loadBalance, loadAccounts)},
		{"FETCH FORWARD 2 FROM c", wideRows(start+503, 2)},
		{[]string{"CLOSE c", "SELECT 1 AS x WHERE false"}[c.rng.IntN(2)], "[]"},
		{[]string{"COMMIT", "ROLLBACK"}[c.rng.IntN(2)], "[]"},
	} {
		if out, err := c.query(step.sql); err != nil || fmt.Sprint(out) != step.want {
			return fmt.Errorf("%s: %v, want %s: %w", step.sql, out, step.want, err)
		}
	}
	return nil
}

// portals reads two results in turns, some rows at a time.
func (c *loadClient) portals() error {
	pg := c.conn.PgConn()
	fe := pg.Frontend()
	fe.Send(&pgproto3.Parse{Name: "w", Query: "SELECT k, v FROM wide ORDER BY k"})
	fe.Send(&pgproto3.Bind{DestinationPortal: "a", PreparedStatement: "w"})
	fe.Send(&pgproto3.Bind{DestinationPortal: "b", PreparedStatement: "w"})
	const parts, size = 6, 7
	for i := range parts {
		fe.Send(&pgproto3.Execute{Portal: []string{"a", "b"}[i%2], MaxRows: size})
	}
	fe.Send(&pgproto3.Close{ObjectType: 'S', Name: "w"})
	fe.Send(&pgproto3.Sync{})
	if err := fe.Flush(); err != nil {
		return err
	}
	for rows, suspended := 0, 0; ; {
		msg, err := pg.ReceiveMessage(context.Background())
		if err != nil {
			return err
		}
		switch m := msg.(type) {
		case *pgproto3.DataRow:
			// Rows 0 to 6 of a, then of b, then 7 to 13 of a, ..
			k := int64(rows/size/2*size + rows%size)
			if got, want := string(m.Values[0])+"|"+string(m.Values[1]), fmt.Sprintf("%d|%d", k, loadValue(k)); got != want {
				return fmt.Errorf("row %d is %s, want %s", rows, got, want)
			}
			rows++
		case *pgproto3.PortalSuspended:
			suspended++
		case *pgproto3.ErrorResponse:
			return errors.New(m.Message)
		case *pgproto3.ReadyForQuery:
			if rows != parts*size || suspended != parts {
				return fmt.Errorf("%d rows in %d parts", rows, suspended)
			}
			return nil
		}
	}
}

// large reads all of the large result.
func (c *loadClient) large() error {
	rs, err := c.conn.Query(context.Background(), "SELECT k, v FROM wide")
	if err != nil {
		return err
	}
	defer rs.Close()
	var k, v, n, keys int64
	for rs.Next() {
		if err := rs.Scan(&k, &v); err != nil {
			return err
		}
		if v != loadValue(k) {
			return fmt.Errorf("row %d has %d", k, v)
		}
		n++
		keys += k
	}
	if rs.Err() == nil && (n != loadWide || keys != loadWide*(loadWide-1)/2) {
		return fmt.Errorf("%d rows, sum of keys %d", n, keys)
	}
	return rs.Err()
}

// cancel starts what does not end and cancels it, as often as it takes: a request
// that comes before the statement is about nothing.
func (c *loadClient) cancel() error {
	sql := []string{endless, trianglesSQL, "COPY (SELECT * FROM range(1000000000)) TO STDOUT"}[c.rng.IntN(3)]
	ended := make(chan struct{})
	stopped := make(chan error, 1)
	go func() {
		for {
			select {
			case <-ended:
				stopped <- nil
				return
			case <-time.After(time.Duration(1+c.rng.IntN(20)) * time.Millisecond):
			}
			if err := c.conn.PgConn().CancelRequest(context.Background()); err != nil {
				stopped <- err
				return
			}
		}
	}()
	var err error
	if strings.HasPrefix(sql, "COPY") {
		_, err = c.conn.PgConn().CopyTo(context.Background(), io.Discard, sql)
	} else {
		_, err = c.query(sql)
	}
	close(ended)
	if stopErr := <-stopped; stopErr != nil {
		return stopErr
	}
	struck, err := c.tolerating(err, sqlerr.QueryCanceled)
	if err == nil && !struck && sql != trianglesSQL {
		return fmt.Errorf("%s has ended", sql)
	}
	if err != nil {
		return err
	}
	// A request that came late may strike the next statement.
	for range 100 {
		if _, err = c.query("SELECT 1"); codeOf(err) != sqlerr.QueryCanceled {
			break
		}
	}
	return err
}

// timeout asks under a limit that strikes at times.
func (c *loadClient) timeout() error {
	sql := []string{endless, trianglesSQL}[c.rng.IntN(2)]
	_, err := c.query(fmt.Sprintf("SET statement_timeout = '%dms'", 1+c.rng.IntN(50)))
	if err != nil {
		return err
	}
	_, err = c.query(sql)
	if _, err = c.tolerating(err, sqlerr.QueryCanceled); err != nil {
		return err
	}
	for range 100 { // the limit holds for RESET as well
		if _, err = c.query("RESET statement_timeout"); codeOf(err) != sqlerr.QueryCanceled {
			break
		}
	}
	return err
}

// vanish cuts the connection off in the middle of something that has no effect
// then, and comes back.
func (c *loadClient) vanish(middle func() error) error {
	if err := middle(); err != nil {
		return err
	}
	if err := c.cutOff(); err != nil {
		return err
	}
	if err := c.open(); err != nil {
		return err
	}
	return c.checkOwn()
}

// socket is what is under the connection.
func (c *loadClient) socket() net.Conn { return c.conn.PgConn().Conn() }

// cutOff closes the socket without a word, at times by a reset.
func (c *loadClient) cutOff() error {
	if tcp, ok := c.socket().(*net.TCPConn); ok && c.rng.IntN(2) == 0 {
		if err := tcp.SetLinger(0); err != nil {
			return err
		}
	}
	return c.socket().Close()
}

// send sends messages and waits for nothing.
func (c *loadClient) send(messages ...pgproto3.FrontendMessage) error {
	fe := c.conn.PgConn().Frontend()
	for _, m := range messages {
		fe.Send(m)
	}
	return fe.Flush()
}

func (c *loadClient) inTransaction() error {
	if _, err := c.query("BEGIN"); err != nil {
		return err
	}
	_, err := c.query(fmt.Sprintf("INSERT INTO %s SELECT %d + i, 0 FROM range(100) r(i)", c.table(), c.last+1))
	return err
}

func (c *loadClient) inCopy() error {
	return c.send(&pgproto3.Query{String: "COPY " + c.table() + " FROM STDIN"}, &pgproto3.CopyData{Data: []byte(rowsOf(c.last, c.last+500, "\t"))})
}

// inResult reads the beginning of a result that does not end.
func (c *loadClient) inResult() error {
	if err := c.send(&pgproto3.Query{String: "SELECT i, i + 1 FROM range(1000000000) r(i)"}); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, c.socket(), int64(1+c.rng.IntN(1_000_000)))
	return err
}

func (c *loadClient) inStatement() error { return c.send(&pgproto3.Query{String: endless}) }

// inMessage sends a part of an INSERT.
func (c *loadClient) inMessage() error {
	data, err := (&pgproto3.Query{String: "INSERT INTO " + c.table() + " VALUES (-1, -1)"}).Encode(nil)
	if err != nil {
		return err
	}
	_, err = c.socket().Write(data[:1+c.rng.IntN(len(data)-1)])
	return err
}

// unanswered sends an INSERT and does not wait for the answer: it has been done as
// a whole or not at all, and what is seen once the session has gone stays.
func (c *loadClient) unanswered() error {
	pid := c.conn.PgConn().PID()
	to := c.last + 200
	values := strings.ReplaceAll(strings.TrimSpace(rowsOf(c.last, to, ", ")), "\n", "), (")
	if err := c.send(&pgproto3.Query{String: "INSERT INTO " + c.table() + " VALUES (" + values + ")"}); err != nil {
		return err
	}
	if err := errors.Join(c.cutOff(), c.open()); err != nil {
		return err
	}
	for there := "[[1]]"; there != "[[0]]"; {
		out, err := c.query(fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE pid = %d", pid))
		if err != nil {
			return err
		}
		there = fmt.Sprint(out)
	}
	out, err := c.query(fmt.Sprintf("SELECT count(*) FROM %s WHERE k > %d", c.table(), c.last))
	if err != nil {
		return err
	}
	switch fmt.Sprint(out) {
	case "[[0]]":
		c.note("(not done)")
	case fmt.Sprintf("[[%d]]", to-c.last):
		c.note("(done)")
		c.last = to
	default:
		return fmt.Errorf("%v rows of %d", out, to-c.last)
	}
	return c.checkOwn()
}
