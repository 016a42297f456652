// Package format names how a tensor is stored and how it is read: level kinds
// and access protocols, shared by the planner and the storage.
package format

// Kind is the kind of a level: the storage of one mode.
type Kind uint8

// Level kinds. Dense holds every coordinate of its dimension (every one is
// present); SparseList holds sorted coordinates per fiber; Bytemap holds a
// presence byte per coordinate; Hash finds a coordinate without order.
const (
	Dense Kind = iota
	SparseList
	Bytemap
	Hash
)

// String returns the word used in plans.
func (k Kind) String() string { return [...]string{"dense", "sparse", "bytemap", "hash"}[k] }

// Protocol is how a loop reads one level of one operand.
type Protocol uint8

// Protocols. Walk iterates stored entries and leads the loop; Gallop skips
// ahead by search in a sorted level; Lookup is random access (a sparse list
// read by lookup is marked in a workspace once or searched).
const (
	Walk Protocol = iota
	Gallop
	Lookup
)

// String returns the word used in plans.
func (p Protocol) String() string { return [...]string{"walk", "gallop", "lookup"}[p] }

// Workspace is where a step's output entries are gathered when the output is
// not a prefix of the loop order.
type Workspace uint8

// Workspaces. None: the output is a prefix of the loop order and entries are
// appended in order. DenseWorkspace: one array per leaf over the last output
// index with a list of touched coordinates. HashWorkspace: open addressing on
// the packed coordinates of the output indices not bound by the prefix.
const (
	None Workspace = iota
	DenseWorkspace
	HashWorkspace
)

// String returns the word used in plans.
func (w Workspace) String() string { return [...]string{"none", "dense", "hash"}[w] }
