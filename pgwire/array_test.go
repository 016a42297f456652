package pgwire

import "testing"

func TestArrayParametersInText(t *testing.T) {
	const int4Array, textArray, boolArray, byteaArray = 1007, 1009, 1000, 1001
	for _, c := range []struct {
		oid        uint32
		text, want string
	}{
		{int4Array, "{}", "[]"},
		{int4Array, " { 1 , NULL, -2 } ", "['1', NULL, '-2']"},
		{int4Array, "[0:1]={1,2}", "['1', '2']"},
		{textArray, `{a,"NULL","",null,"x\"y\\z",it's, "{}" }`, `['a', 'NULL', '', NULL, 'x"y\\z', 'it\'s', '{}']`},
		{boolArray, "{t,f}", "['t', 'f']"},
		{byteaArray, `{"\\x00ff"}`, `['\\x00\\xFF']`},
	} {
		v, err := decodeParam(1, c.oid, formatText, []byte(c.text))
		if err != nil || v.Text != c.want {
			t.Errorf("%s: %q, %v, want %q", c.text, v.Text, err, c.want)
		}
	}
	for _, text := range []string{"", "1", "{", "{1", "{1,", "{1,}", "{{1}}", `{"a}`, `{"a"b}`, "{1} 2", "[1]", "{1}}"} {
		if v, err := decodeParam(1, int4Array, formatText, []byte(text)); err == nil {
			t.Errorf("%q is read as %q", text, v.Text)
		}
	}
}

func TestArrayParametersInBinary(t *testing.T) {
	const int4Array = 1007
	head := "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x17"
	one := head + "\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00\x07"
	if v, err := decodeParam(1, int4Array, formatBinary, []byte(one)); err != nil || v.Text != "['7']" {
		t.Errorf("%q, %v", v.Text, err)
	}
	none := "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x17"
	if v, err := decodeParam(1, int4Array, formatBinary, []byte(none)); err != nil || v.Text != "[]" {
		t.Errorf("%q, %v", v.Text, err)
	}
	for n := range len(one) {
		if n == 0 {
			continue
		}
		if v, err := decodeParam(1, int4Array, formatBinary, []byte(one[:n])); err == nil {
			t.Errorf("%d bytes are read as %q", n, v.Text)
		}
	}
	for _, data := range []string{
		one + "x",
		"\x00\x00\x00\x02" + one[4:],                                      // two dimensions
		one[:8] + "\x00\x00\x27\x0f" + one[12:],                           // elements of an unknown type
		head + "\x7f\xff\xff\xff\x00\x00\x00\x01",                         // more elements than bytes
		head + "\xff\xff\xff\xff\x00\x00\x00\x01",                         // fewer than none
		head + "\x00\x00\x00\x01\x00\x00\x00\x01\xff\xff\xff\xfe\x00\x00", // a size below that of NULL
	} {
		if v, err := decodeParam(1, int4Array, formatBinary, []byte(data)); err == nil {
			t.Errorf("%x is read as %q", data, v.Text)
		}
	}
}

// Labels of enumerations, whose OIDs the server's catalog gives, are sent as they are.
func TestEnumerationParams(t *testing.T) {
	const oid = 673723310
	label, err := decodeParam(1, oid, formatBinary, []byte("trireme"))
	if err != nil || label.Text != "trireme" {
		t.Errorf("%+v, %v", label, err)
	}
	array := []byte{0, 0, 0, 1, 0, 0, 0, 0, 0x28, 0x28, 0x2f, 0x2e, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 'o', 'a', 'r'}
	list, err := decodeParam(1, 1009, formatBinary, array)
	if err != nil || list.Text != "['oar']" && list.Text != "[oar]" {
		t.Errorf("%+v, %v", list, err)
	}
}
