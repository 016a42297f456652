// Command main writes the assembly of package kernel for amd64 with AVX2. It is a
// module of its own, so that what generates is no dependency of what runs. From
// fibers/kernel: go generate.
package main

import (
	"math"

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
	dotRows()
	axpy()
	addRows()
	exp()
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

// ahead is how many rows before its turn a row is fetched: the rows of one are
// some 10 ns of work, memory is 100 ns away (BenchmarkDotRows).
const ahead = 8

// rows are the registers of one operand of dotRows.
type rows struct {
	base, at, stride reg.Register
	cur, next        reg.GPVirtual
}

// row points cur to the row with the number of index, and next to the row that
// is ahead.
func (r *rows) row(index, later reg.GPVirtual) {
	for _, to := range []struct{ ptr, index reg.GPVirtual }{{r.cur, index}, {r.next, later}} {
		MOVLQSX(Mem{Base: r.at, Index: to.index, Scale: 4}, to.ptr)
		IMULQ(r.stride, to.ptr)
		LEAQ(Mem{Base: r.base, Index: to.ptr, Scale: 8}, to.ptr)
	}
}

// dotRows is the dot product of as many pairs of rows as out has places, each in
// lanes, then the lanes pairwise, then the rest in order: as dotF64 in Go.
func dotRows() {
	TEXT("dotRowsAVX2", NOSPLIT, "func(a *float64, atA *int32, strideA int, b *float64, atB *int32, strideB int, width int, out *float64, n int)")
	Pragma("noescape")
	Doc("dotRowsAVX2 writes the dot products of n pairs of rows: row i begins at entry at[i]*stride.")
	x := &rows{Load(Param("a"), GP64()), Load(Param("atA"), GP64()), Load(Param("strideA"), GP64()), GP64(), GP64()}
	y := &rows{Load(Param("b"), GP64()), Load(Param("atB"), GP64()), Load(Param("strideB"), GP64()), GP64(), GP64()}
	width, out, n := Load(Param("width"), GP64()), Load(Param("out"), GP64()), Load(Param("n"), GP64())
	var acc, val [4]reg.VecVirtual
	for i := range acc {
		acc[i], val[i] = YMM(), YMM()
	}
	i, later, left := GP64(), GP64(), GP64()
	XORQ(i, i)
	Label("row")
	CMPQ(i, n)
	JGE(LabelRef("end"))
	// The last rows fetch the very last one again.
	LEAQ(Mem{Base: i, Disp: ahead}, later)
	CMPQ(later, n)
	CMOVQGE(n, later)
	JLT(LabelRef("inside"))
	DECQ(later)
	Label("inside")
	x.row(i, later)
	y.row(i, later)
	for k := range acc {
		VXORPD(acc[k], acc[k], acc[k])
	}
	MOVQ(width, left)
	Label("lanes")
	CMPQ(left, Imm(lanes))
	JLT(LabelRef("fold"))
	for _, ptr := range []reg.GPVirtual{x.next, y.next} {
		PREFETCHT0(Mem{Base: ptr})
		PREFETCHT0(Mem{Base: ptr, Disp: 64})
		ADDQ(Imm(8*lanes), ptr)
	}
	for k := range acc {
		VMOVUPD(Mem{Base: x.cur, Disp: 32 * k}, val[k])
	}
	for k := range acc {
		VMULPD(Mem{Base: y.cur, Disp: 32 * k}, val[k], val[k])
	}
	for k := range acc {
		VADDPD(val[k], acc[k], acc[k])
	}
	ADDQ(Imm(8*lanes), x.cur)
	ADDQ(Imm(8*lanes), y.cur)
	SUBQ(Imm(lanes), left)
	JMP(LabelRef("lanes"))
	Label("fold")
	VADDPD(acc[2], acc[0], acc[0])
	VADDPD(acc[3], acc[1], acc[1])
	VADDPD(acc[1], acc[0], acc[0])
	VEXTRACTF128(Imm(1), acc[0], val[0].AsX())
	VADDPD(val[0].AsX(), acc[0].AsX(), acc[0].AsX())
	VUNPCKHPD(acc[0].AsX(), acc[0].AsX(), val[0].AsX())
	VADDSD(val[0].AsX(), acc[0].AsX(), acc[0].AsX())
	Label("rest")
	TESTQ(left, left)
	JZ(LabelRef("store"))
	VMOVSD(Mem{Base: x.cur}, val[0].AsX())
	VMULSD(Mem{Base: y.cur}, val[0].AsX(), val[0].AsX())
	VADDSD(val[0].AsX(), acc[0].AsX(), acc[0].AsX())
	ADDQ(Imm(8), x.cur)
	ADDQ(Imm(8), y.cur)
	DECQ(left)
	JMP(LabelRef("rest"))
	Label("store")
	VMOVSD(acc[0].AsX(), Mem{Base: out, Index: i, Scale: 8})
	INCQ(i)
	JMP(LabelRef("row"))
	Label("end")
	VZEROUPPER()
	RET()
}

// axpy adds c times the first n/lanes*lanes entries of one array to those of
// another. No fused multiply-add: every product is rounded as in Go.
func axpy() {
	TEXT("axpyAVX2", NOSPLIT, "func(acc, vals *float64, c float64, blocks int)")
	Pragma("noescape")
	Doc("axpyAVX2 adds c times blocks times 16 entries of vals to those of acc.")
	acc, vals := Load(Param("acc"), GP64()), Load(Param("vals"), GP64())
	c, blocks := YMM(), GP64()
	addr, err := Param("c").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(addr.Addr, c)
	Load(Param("blocks"), blocks)
	var val [4]reg.VecVirtual
	for i := range val {
		val[i] = YMM()
	}
	Label("block")
	TESTQ(blocks, blocks)
	JZ(LabelRef("done"))
	for i := range val {
		VMULPD(Mem{Base: vals, Disp: 32 * i}, c, val[i])
	}
	for i := range val {
		VADDPD(Mem{Base: acc, Disp: 32 * i}, val[i], val[i])
	}
	for i := range val {
		VMOVUPD(val[i], Mem{Base: acc, Disp: 32 * i})
	}
	ADDQ(Imm(8*lanes), acc)
	ADDQ(Imm(8*lanes), vals)
	DECQ(blocks)
	JMP(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	RET()
}

// addRows adds multiples of rows to an array, a block of columns at a time: 16, then 4,
// then single ones. What is added up stays in registers over all rows. No fused
// multiply-add: every product is rounded as in Go.
func addRows() {
	TEXT("addRowsAVX2", NOSPLIT, "func(acc *float64, vals *float64, at *int32, stride int, coef *float64, n int, width int)")
	Pragma("noescape")
	Doc("addRowsAVX2 adds coef[i] times the row that begins at entry at[i]*stride, width entries long, to acc, for n rows.")
	acc, vals, at := Load(Param("acc"), GP64()), Load(Param("vals"), GP64()), Load(Param("at"), GP64())
	stride, coef, n := Load(Param("stride"), GP64()), Load(Param("coef"), GP64()), Load(Param("n"), GP64())
	width := Load(Param("width"), GP64())
	SHLQ(Imm(3), stride) // in bytes
	i, row, c := GP64(), GP64(), YMM()
	var sum, val [4]reg.VecVirtual
	for k := range sum {
		sum[k], val[k] = YMM(), YMM()
	}
	nextRow := func(name string) {
		Label(name)
		MOVLQSX(Mem{Base: at, Index: i, Scale: 4}, row)
		IMULQ(stride, row)
		ADDQ(vals, row)
	}
	whileRows := func(name string) {
		INCQ(i)
		CMPQ(i, n)
		JLT(LabelRef(name))
	}
	for _, block := range []struct {
		name      string
		registers int
	}{{"sixteen", 4}, {"four", 1}} {
		columns := 4 * block.registers
		Label(block.name)
		CMPQ(width, Imm(uint64(columns)))
		JLT(LabelRef("below_" + block.name))
		for k := range block.registers {
			VMOVUPD(Mem{Base: acc, Disp: 32 * k}, sum[k])
		}
		XORQ(i, i)
		nextRow("row_" + block.name)
		VBROADCASTSD(Mem{Base: coef, Index: i, Scale: 8}, c)
		for k := range block.registers {
			VMULPD(Mem{Base: row, Disp: 32 * k}, c, val[k])
		}
		for k := range block.registers {
			VADDPD(val[k], sum[k], sum[k])
		}
		whileRows("row_" + block.name)
		for k := range block.registers {
			VMOVUPD(sum[k], Mem{Base: acc, Disp: 32 * k})
		}
		ADDQ(Imm(uint64(8*columns)), acc)
		ADDQ(Imm(uint64(8*columns)), vals)
		SUBQ(Imm(uint64(columns)), width)
		JMP(LabelRef(block.name))
		Label("below_" + block.name)
	}
	Label("one")
	TESTQ(width, width)
	JZ(LabelRef("end"))
	VMOVSD(Mem{Base: acc}, sum[0].AsX())
	XORQ(i, i)
	nextRow("row_one")
	VMOVSD(Mem{Base: coef, Index: i, Scale: 8}, val[0].AsX())
	VMULSD(Mem{Base: row}, val[0].AsX(), val[0].AsX())
	VADDSD(val[0].AsX(), sum[0].AsX(), sum[0].AsX())
	whileRows("row_one")
	VMOVSD(sum[0].AsX(), Mem{Base: acc})
	ADDQ(Imm(8), acc)
	ADDQ(Imm(8), vals)
	DECQ(width)
	JMP(LabelRef("one"))
	Label("end")
	VZEROUPPER()
	RET()
}

// fourTimes is a constant in all lanes, as bits: a whole float would be written as an
// integer.
func fourTimes(name string, v float64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for lane := range 4 {
		DATA(8*lane, U64(math.Float64bits(v)))
	}
	return m
}

// exp is the exponential function of package semiring in lanes, rounded alike at every
// step. It ends at the first block with a number that is not.
func exp() {
	log2e, round := fourTimes("expLog2E", math.Log2E), fourTimes("expRound", 0x1.8p52)
	high, low := fourTimes("expLn2High", -0x1.62e42feep-1), fourTimes("expLn2Low", -0x1.a39ef35793c76p-33)
	unit, most := fourTimes("expOne", 1), fourTimes("expMost", 707)
	sign := fourTimes("expSign", math.Copysign(0, -1))
	var terms []Mem
	factorial := 6227020800.0 // of 13
	for k := 13; k >= 2; k-- {
		terms = append(terms, fourTimes("expTerm"+string(rune('a'+13-k)), 1/factorial))
		factorial /= float64(k)
	}
	TEXT("expAVX2", NOSPLIT, "func(dst, src *float64, blocks int) int")
	Pragma("noescape")
	Doc("expAVX2 writes e to the power of blocks times 4 numbers to dst, up to a block with one beyond 707, and returns how many.")
	dst, src, blocks := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("blocks"), GP64())
	i, mask := GP64(), GP32()
	XORQ(i, i)
	SHLQ(Imm(2), blocks)
	a, b, e := YMM(), YMM(), YMM()
	VMOVUPD(log2e, a)
	VMOVUPD(round, b)
	VMOVUPD(unit, e)
	Label("block")
	CMPQ(i, blocks)
	JGE(LabelRef("done"))
	x, t, n, h, r, lost, p, s := YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: src, Index: i, Scale: 8}, x)
	VMOVUPD(sign, t)
	VANDNPD(x, t, t)
	VCMPPD(Imm(2), most, t, t) // at most; not of a NaN
	VMOVMSKPD(t, mask)
	CMPL(mask, Imm(15))
	JNE(LabelRef("done"))
	VMOVAPD(x, t)
	VFMADD213PD(b, a, t) // x log2 e + round
	VSUBPD(b, t, n)
	VMOVUPD(high, h)
	VFMADD213PD(x, n, h) // x - n high
	VMULPD(low, n, lost)
	VADDPD(lost, h, r)
	VSUBPD(r, h, h)
	VADDPD(lost, h, lost)
	VMOVUPD(terms[0], p)
	for _, term := range terms[1:] {
		VFMADD213PD(term, r, p)
	}
	VMULPD(r, r, n)
	VFMADD213PD(lost, n, p) // the rest
	VADDPD(r, e, s)
	VSUBPD(s, e, h)
	VADDPD(r, h, h)
	VADDPD(p, h, h)
	VADDPD(h, s, s)
	VPSLLQ(Imm(52), t, t)
	VPADDQ(t, s, s)
	VMOVUPD(s, Mem{Base: dst, Index: i, Scale: 8})
	ADDQ(Imm(4), i)
	JMP(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	Store(i, ReturnIndex(0))
	RET()
}
