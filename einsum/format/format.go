// Package format names how a tensor is stored and how it is read: level kinds
// and access protocols, shared by the planner and the storage.
package format

// Kind is the kind of a level: the storage of one mode.
type Kind uint8

// Level kinds.
//
// Dense holds every coordinate of its dimension (every one is present);
// SparseList holds sorted coordinates per fiber; Bytemap holds a presence byte
// per coordinate; Hash finds a coordinate without order. The others store what
// data of a certain shape does not need: RunLength and SparseRunLength one
// position per run of consecutive coordinates with equal values, of fibers that
// have all coordinates or not; Interval one run per fiber; Band one block of
// consecutive coordinates per fiber, each with a position of its own; Pinpoint at
// most one coordinate per fiber.
const (
	Dense Kind = iota
	SparseList
	Bytemap
	Hash
	RunLength
	SparseRunLength
	Interval
	Band
	Pinpoint
	// Kinds is the number of kinds.
	Kinds
)

// String returns the word used in plans.
func (k Kind) String() string {
	return [...]string{"dense", "sparse", "bytemap", "hash", "rle", "sparse-rle", "interval", "band", "pinpoint"}[k]
}

// Shared reports whether positions of the level stand for several entries with
// equal values; such a level is always the last one.
func (k Kind) Shared() bool { return k == RunLength || k == SparseRunLength || k == Interval }

// Shaped reports whether only data of a certain shape can be stored so. A tensor
// built for such a kind from other data has a sorted list instead.
func (k Kind) Shaped() bool { return k >= RunLength }

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
// appended in order. DenseWorkspace: one array per leaf over the output indices
// not bound by the prefix, row by row, with a list of touched slots.
// HashWorkspace: open addressing on the packed coordinates of those indices.
// SortWorkspace: a list of entries, each of which is written by cells that follow
// one another, sorted in the end.
const (
	None Workspace = iota
	DenseWorkspace
	HashWorkspace
	SortWorkspace
	// Workspaces is the number of workspaces.
	Workspaces
)

// String returns the word used in plans.
func (w Workspace) String() string { return [...]string{"none", "dense", "hash", "sort"}[w] }
