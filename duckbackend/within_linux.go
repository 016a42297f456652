//go:build !duckdb_use_lib

package duckbackend

// #cgo CFLAGS: -fexceptions
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb22TemporaryMemoryManager8RegisterERNS_13ClientContextE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb12StringVector11EmptyStringERNS_6VectorEm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb12StringVector9AddStringERNS_6VectorERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb12StringVector9AddStringERNS_6VectorENS_8string_tE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb12StringVector9AddStringERNS_6VectorEPKcm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb12StringVector15AddStringOrBlobERNS_6VectorEPKcm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb8Interval3AddENS_11timestamp_tENS_10interval_tE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11ICUDateFunc3AddERNS_10TZCalendarENS_11timestamp_tENS_10interval_tE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb9hugeint_tmIERKS0_ -Wl,--wrap=_ZNK6duckdb24UnifiedVariantVectorData9GetTypeIdEmm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb10ListVector7ReserveERNS_6VectorEm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb10ListVector6AppendERNS_6VectorERKS1_mm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb6VectorC1ERKS0_RKNS_15SelectionVectorEm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb14ArenaAllocator16AllocateNewBlockEm
// #cgo LDFLAGS: -Wl,--wrap=_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb8Utf8Proc9NormalizeEPKcm -Wl,--wrap=_ZN6duckdb23utf8proc_remove_accentsEPKhl
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb6Bignum12EncodeBignumB5cxx11ERKNS_8string_tEmmbb
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb6Bignum15BignumToVarcharB5cxx11ERKNS_8bignum_tE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_fmt2v68internal12format_floatIdEEiT_iNS1_11float_specsERNS1_6bufferIcEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_fmt2v68internal12format_floatIeEEiT_iNS1_11float_specsERNS1_6bufferIcEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_fmt2v68internal14snprintf_floatIdEEiT_iNS1_11float_specsERNS1_6bufferIcEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_fmt2v68internal14snprintf_floatIeEEiT_iNS1_11float_specsERNS1_6bufferIcEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_re23RE2C1ERKNS_11StringPieceE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_re23RE2C1ERKNS_11StringPieceERKNS0_7OptionsE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_re23RE2C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_re26RegexpC1ENS_8RegexpOpENS0_10ParseFlagsE
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_re24Prog9SearchNFAERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_i
// #cgo LDFLAGS: -Wl,--wrap=_ZN10duckdb_re24Prog9SearchDFAERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_PbPNS_10SparseSetTIvEE
// #cgo LDFLAGS: -Wl,--allow-multiple-definition
import "C"
