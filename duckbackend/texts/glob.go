package texts

// Glob reports whether a text matches a pattern of GLOB: * stands for any bytes, ? for
// one, [a-z] for one of them, [!a-z] for one of the others, and what follows a backslash
// for itself. As in Like, only the last * is tried again.
func Glob(stop *Stop, text, pattern []byte) (bool, error) {
	count := steps{stop, askEvery}
	at, next := 0, 0
	again, from := -1, 0
	for at < len(text) {
		if err := count.take(1); err != nil {
			return false, err
		}
		if next < len(pattern) && pattern[next] == '*' {
			for next < len(pattern) && pattern[next] == '*' {
				next++
			}
			if next == len(pattern) {
				return true, nil
			}
			again, from = next, at
			continue
		}
		if bytes := globByte(pattern[next:], text[at]); bytes > 0 {
			at++
			next += bytes
			continue
		}
		if again < 0 {
			return false, nil
		}
		from++
		at, next = from, again
	}
	for next < len(pattern) && pattern[next] == '*' {
		next++
	}
	return next == len(pattern), nil
}

// globByte is how many bytes of a pattern match the byte c; 0: they do not.
func globByte(pattern []byte, c byte) int {
	switch {
	case len(pattern) == 0:
		return 0
	case pattern[0] == '?':
		return 1
	case pattern[0] == '[':
		return globBracket(pattern, c)
	case pattern[0] == '\\':
		if len(pattern) == 1 || pattern[1] != c {
			return 0
		}
		return 2
	case pattern[0] == c:
		return 1
	}
	return 0
}

// globBracket is globByte of a pattern that begins with a bracket. Bytes are compared as
// signed numbers.
func globBracket(pattern []byte, c byte) int {
	at := 1
	others := at < len(pattern) && pattern[at] == '!'
	if others {
		at++
	}
	first, found := at, false
	for at < len(pattern) {
		if pattern[at] == ']' && at > first {
			if found == others {
				return 0
			}
			return at + 1
		}
		switch {
		case at+1 == len(pattern), pattern[at+1] == '-' && at+2 == len(pattern):
			return 0 // it does not end
		case pattern[at+1] == '-':
			found = found || int8(c) >= int8(pattern[at]) && int8(c) <= int8(pattern[at+2])
			at += 3
		default:
			found = found || c == pattern[at]
			at++
		}
	}
	return 0
}
