//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb10StringUtil16SimilarityRatingERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb10StringUtil15TopNJaroWinklerERKNS_6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaIS7_EEERKS7_md
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb10StringUtil22CandidatesErrorMessageERKNS_6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaIS7_EEERKS7_SD_m
import "C"
