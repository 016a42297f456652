package bench

import (
	"fmt"
	"math"
	"math/cmplx"
)

// circuit is an amplitude of a quantum circuit: layers of random gates of one qubit, and
// of controlled phases between neighbours, from all zeros to all zeros.
//
// A complex number is two real ones, at the coordinates 0 and 1 of an index of its own.
// The product of two of them is a sum over such indices with the tensor of complex
// multiplication, (a, b, ab): 1 at (0,0,0), (0,1,1) and (1,0,1), -1 at (1,1,0); so the
// whole amplitude is one product of real tensors, with an index for its two parts.
func circuit(qubits, depth int) einsumCase {
	net := newEinsumNet(uint64(qubits*100 + depth))
	c := &circuitNet{einsumNet: net, part: -1, state: make([]complex128, 1<<qubits)}
	c.state[0] = 1
	wires := make([]int32, qubits)
	for q := range wires {
		wires[q] = net.index(2)
		net.add([]int32{wires[q]}, func(at []int32) (float64, bool) { return 1, at[0] == 0 })
	}
	for layer := range depth {
		for q := range wires {
			c.turn(wires, q)
		}
		for q := layer % 2; q+1 < qubits; q += 2 {
			c.phase(wires, q)
		}
	}
	for q := range wires {
		net.add([]int32{wires[q]}, func(at []int32) (float64, bool) { return 1, at[0] == 0 })
	}
	return einsumCase{
		Name: fmt.Sprintf("circuit_%d", depth), tensors: net.tensors, output: []int32{c.part},
		About: fmt.Sprintf("an amplitude of a quantum circuit of %d qubits and %d layers, complex numbers as two real ones", qubits, depth),
		want: func() map[string]float64 {
			return map[string]float64{positions(0): real(c.state[0]), positions(1): imag(c.state[0])}
		},
	}
}

// circuitNet is a circuit under construction, with the state that its gates lead to.
type circuitNet struct {
	*einsumNet
	part  int32 // the index of the parts of the product so far; -1: none yet
	state []complex128
}

// gate adds a tensor of complex entries. It stores no zeros.
func (c *circuitNet) gate(indices []int32, value func(at []int32) complex128) {
	own := c.index(2)
	c.add(append(indices, own), func(at []int32) (float64, bool) {
		v := value(at[:len(at)-1])
		x := real(v)
		if at[len(at)-1] == 1 {
			x = imag(v)
		}
		return x, x != 0
	})
	if c.part < 0 {
		c.part = own
		return
	}
	next := c.index(2)
	c.add([]int32{c.part, own, next}, func(at []int32) (float64, bool) {
		if at[0]^at[1] != at[2] {
			return 0, false
		}
		return 1 - 2*float64(at[0]*at[1]), true
	})
	c.part = next
}

// turn is a random gate of one qubit: a rotation with phases.
func (c *circuitNet) turn(wires []int32, q int) {
	angle, p, r := c.rng.Float64()*math.Pi, c.rng.Float64()*math.Pi, c.rng.Float64()*math.Pi
	m := [2][2]complex128{
		{complex(math.Cos(angle), 0), -cmplx.Exp(complex(0, r)) * complex(math.Sin(angle), 0)},
		{cmplx.Exp(complex(0, p)) * complex(math.Sin(angle), 0), cmplx.Exp(complex(0, p+r)) * complex(math.Cos(angle), 0)},
	}
	next := c.index(2)
	c.gate([]int32{wires[q], next}, func(at []int32) complex128 { return m[at[1]][at[0]] })
	wires[q] = next
	for s := range c.state {
		if s>>q&1 == 0 {
			a, b := c.state[s], c.state[s|1<<q]
			c.state[s], c.state[s|1<<q] = m[0][0]*a+m[0][1]*b, m[1][0]*a+m[1][1]*b
		}
	}
}

// phase turns the phase where two neighbours are both 1. It is diagonal: its tensor has
// the wires as they are.
func (c *circuitNet) phase(wires []int32, q int) {
	turn := cmplx.Exp(complex(0, c.rng.Float64()*math.Pi))
	c.gate([]int32{wires[q], wires[q+1]}, func(at []int32) complex128 {
		if at[0] == 1 && at[1] == 1 {
			return turn
		}
		return 1
	})
	for s := range c.state {
		if s>>q&3 == 3 {
			c.state[s] *= turn
		}
	}
}
