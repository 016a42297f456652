package cache

import (
	"fmt"
	"strings"
	"testing"
)

func TestStatementsForgetOldVersionsAndTheLongestUnused(t *testing.T) {
	s := NewStatements[int]()
	s.Keep("a", 1, 10)
	if v, ok := s.Get("a", 1); !ok || v != 10 {
		t.Errorf("kept 10, found %d, %v", v, ok)
	}
	if _, ok := s.Get("a", 2); ok {
		t.Error("found under another version")
	}
	s.Keep("a", 2, 20)
	if v, ok := s.Get("a", 2); !ok || v != 20 {
		t.Errorf("kept 20, found %d, %v", v, ok)
	}
	if _, ok := s.Get("a", 1); ok {
		t.Error("the old version is still there")
	}
	text := strings.Repeat("x", 1000)
	n := int(statementsBytesMax/keptBytes(text)) + 10
	for i := range n {
		s.Keep(fmt.Sprint(text, i), 2, i)
		if _, ok := s.Get("a", 2); !ok {
			t.Fatalf("forgotten after %d others although it is used", i)
		}
	}
	if _, ok := s.Get(fmt.Sprint(text, 0), 2); ok || s.bytes > statementsBytesMax {
		t.Errorf("%d bytes are kept, the first text %v", s.bytes, ok)
	}
	if s.order.Len() != len(s.known) {
		t.Errorf("%d in order, %d known", s.order.Len(), len(s.known))
	}
	s.Keep(strings.Repeat("y", statementsBytesMax), 2, 1)
	if s.bytes != 0 || len(s.known) != 0 {
		t.Errorf("a text beyond the bound leaves %d bytes, %d texts", s.bytes, len(s.known))
	}
}
