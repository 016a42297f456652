package pgwire

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

var randomTalks = flag.Int("pgwire.talks", 20_000, "number of random sequences of messages that a connection gets")

// slowTalk is longer than any sequence takes, on any machine.
const slowTalk = 20 * time.Second

// talker says messages at random.
type talker struct{ *rand.Rand }

func pick[T any](r talker, of ...T) T { return of[r.IntN(len(of))] }

func (r talker) name() string { return pick(r, "", "a", "b", "a name that nobody has given", "\xff") }

func (r talker) query() string {
	return pick(
		r, "", ";", "rows 3", "rows 5000", "rows 1; count 2 INSERT 0", "echo int8", "echo text bool", "run SET", "begin", "commit", "rollback",
		"begin; rows 2; error 42601 3 wrong; rows 1", "error 22012 0 zero", "errorafter 3", "errorafter 3000", "wait", "waitafter 2", "panic", "notice n",
		"set a b", "trace", "unterminated '", "values none", "\x80", "echo numeric date",
	)
}

func (r talker) bytes() []byte {
	switch r.IntN(4) {
	case 0:
		return nil
	case 1:
		return []byte(pick(r, "1", "t", "2020-01-01", "-7.50", "", "\\N", "1\tx\n"))
	}
	b := make([]byte, r.IntN(12))
	for i := range b {
		b[i] = pick(r, 0, 0, 1, byte(r.IntN(256)))
	}
	return b
}

func (r talker) formats() []int16 {
	return pick(r, nil, nil, []int16{0}, []int16{1}, []int16{0, 1}, []int16{1, 1, 1}, []int16{7}, []int16{-1})
}

func (r talker) message() pgproto3.FrontendMessage {
	switch r.IntN(16) {
	case 0, 1:
		return &pgproto3.Query{String: r.query()}
	case 2, 3:
		return &pgproto3.Parse{Name: r.name(), Query: r.query(), ParameterOIDs: pick(r, nil, nil, []uint32{20}, []uint32{25, 16}, []uint32{0, 0, 4294967295})}
	case 4, 5:
		var parameters [][]byte
		for range r.IntN(4) {
			parameters = append(parameters, r.bytes())
		}
		return &pgproto3.Bind{
			DestinationPortal: r.name(), PreparedStatement: r.name(), ParameterFormatCodes: r.formats(), ResultFormatCodes: r.formats(), Parameters: parameters,
		}
	case 6:
		return &pgproto3.Describe{ObjectType: pick[byte](r, 'S', 'P', 'P', 'S', 'x', 0), Name: r.name()}
	case 7, 8, 9:
		return &pgproto3.Execute{Portal: r.name(), MaxRows: pick[uint32](r, 0, 1, 3, 3000, 1<<31, 1<<32-1)}
	case 10:
		return &pgproto3.Close{ObjectType: pick[byte](r, 'S', 'P', 'P', 'S', 'x'), Name: r.name()}
	case 11:
		return &pgproto3.Flush{}
	case 12, 13:
		return &pgproto3.Sync{}
	case 14:
		return pick[pgproto3.FrontendMessage](r, &pgproto3.CopyData{Data: r.bytes()}, &pgproto3.CopyDone{}, &pgproto3.CopyFail{Message: "no"}, &pgproto3.FunctionCall{Function: 7})
	default:
		return pick[pgproto3.FrontendMessage](r, &pgproto3.Terminate{}, &pgproto3.PasswordMessage{Password: "p"}, &pgproto3.Sync{})
	}
}

// talk is a sequence of messages, whole or with wrong bytes.
func (r talker) talk(t *testing.T) []byte {
	var data []byte
	for range 1 + r.IntN(12) {
		var err error
		if data, err = r.message().Encode(data); err != nil {
			t.Fatal(err)
		}
	}
	if r.IntN(2) == 0 {
		return data
	}
	for range r.IntN(4) {
		i := r.IntN(len(data))
		switch j := min(len(data), i+r.IntN(9)); r.IntN(4) {
		case 0:
			data[i] = pick(r, 0, 1, 0xff, 'Q', 'P', 'B', 'D', 'E', 'S', 'C', 'd', 'X', byte(r.IntN(256)))
		case 1:
			data = append(data[:i], data[j:]...)
		case 2:
			data = append(data[:j:j], data[i:]...)
		default:
			data = data[:i]
		}
		if len(data) == 0 {
			break
		}
	}
	return data
}

// TestRandomTalks sends messages that make sense one by one, in any order, and some
// that do not. It is FuzzReceive with knowledge of messages, and faster. A million:
// go test ./pgwire -run TestRandomTalks -pgwire.talks 1000000.
func TestRandomTalks(t *testing.T) {
	n := newNeverMind(t)
	r := talker{rand.New(rand.NewPCG(3, uint64(*randomTalks)))}
	for range *randomTalks {
		data := r.talk(t)
		began := time.Now()
		n.receive(t, r.IntN(50) != 0, data)
		if took := time.Since(began); took > slowTalk {
			t.Fatalf("%q takes %s", data, took)
		}
		if t.Failed() {
			return
		}
	}
}
