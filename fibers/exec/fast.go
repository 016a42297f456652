package exec

// fastLoop returns the innermost loop as a specialised one, and its name in
// StepStats; nil where the registry has none.
func (b *binder) fastLoop(l *loop, s *sink) (func(*env), string) { return nil, "" }
