// Command main writes the assembly of package kernel for amd64 with AVX2. It is a
// module of its own, so that what generates is no dependency of what runs. From
// fibers/kernel: go generate.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of partial sums of a dot product: four registers of four.
const lanes = 16

func main() {
	ConstraintExpr("amd64")
	ConstraintExpr("!checked")
	dot()
	Generate()
}

// dot adds up the products of the first n/lanes*lanes entries in as many lanes:
// lane l takes the entries l, l+16, l+32 and so on. No fused multiply-add: every
// product is rounded as in Go.
func dot() {
	TEXT("dotLanesAVX2", NOSPLIT, "func(a, b *float64, blocks int, sums *[16]float64)")
	Pragma("noescape")
	Doc("dotLanesAVX2 adds the products of blocks times 16 entries up in 16 lanes.")
	a, b := Load(Param("a"), GP64()), Load(Param("b"), GP64())
	blocks, sums := Load(Param("blocks"), GP64()), Load(Param("sums"), GP64())
	var acc, val [4]reg.VecVirtual
	for i := range acc {
		acc[i], val[i] = YMM(), YMM()
		VXORPD(acc[i], acc[i], acc[i])
	}
	Label("block")
	TESTQ(blocks, blocks)
	JZ(LabelRef("done"))
	for i := range acc {
		VMOVUPD(Mem{Base: a, Disp: 32 * i}, val[i])
	}
	for i := range acc {
		VMULPD(Mem{Base: b, Disp: 32 * i}, val[i], val[i])
	}
	for i := range acc {
		VADDPD(val[i], acc[i], acc[i])
	}
	ADDQ(Imm(8*lanes), a)
	ADDQ(Imm(8*lanes), b)
	DECQ(blocks)
	JMP(LabelRef("block"))
	Label("done")
	for i := range acc {
		VMOVUPD(acc[i], Mem{Base: sums, Disp: 32 * i})
	}
	VZEROUPPER()
	RET()
}
