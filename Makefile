# `make check` is what runs before a commit; `make ci` is what runs on the server.
GO        ?= go
TOOL      := $(GO) tool -modfile=go.tools.mod
PKG       ?= ./...
FUZZTIME  ?= 60s
BENCH     ?= .
COUNT     ?= 10

DUCKDB2   := $(GO) test -modfile=go.duckdb2.mod -tags duckdb_use_lib -timeout 20m

.PHONY: help check fmt format lint test race rewrite clients duckdb2 coverage crash load diff fuzz-sql fuzz-formats mutants slt-public fuzz bench generate ci

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

check: fmt lint ## format and lint, then all tests with the expensive checks compiled in
	$(GO) test -tags invariants -timeout 20m $(PKG)

fmt: ## fail if a file is not formatted
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted:"; echo "$$unformatted"; exit 1; fi

format: ## format all files as the linter wants them
	$(TOOL) golangci-lint fmt

lint: ## vet and golangci-lint
	$(GO) vet $(PKG)
	$(TOOL) golangci-lint run $(PKG)

test: ## the README's test command
	$(GO) test -timeout 20m $(PKG)

race: ## all tests under the race detector
	$(GO) test -race -tags invariants -timeout 40m $(PKG)

rewrite: ## write what the golden files should say; review the diff
	$(GO) test $$($(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' $(PKG) | awk '/cockroachdb\/datadriven/{print $$1}') -rewrite

clients: ## take the client libraries through their steps and write README's table of what they passed
	testdata/clients/install
	$(GO) test -count=1 ./cmd/trireme -run '^TestClientMatrix$$' -clients.rewrite

duckdb2: ## build with DuckDB 2, test the interface, the corpus and the benchmarks' small sizes: testdata/duckdb2/DIFFERENCES.md
	folder=$$(testdata/duckdb2/install) && export CGO_LDFLAGS="-L$$folder -lduckdb -Wl,-rpath,$$folder" && \
	  $(GO) build -modfile=go.duckdb2.mod -tags duckdb_use_lib -o $$folder/trireme ./cmd/trireme && $$folder/trireme version --long && \
	  $(DUCKDB2) ./duckbackend ./bench/coverage ./bench

coverage: ## run the corpus of queries on all backends and write who answered what
	$(GO) test -count=1 -timeout 20m ./bench/coverage -run TestCoverage -rewrite

crash: ## kill the server under load and look at its file: make crash ROUNDS=100 SEED=1
	$(GO) test -count=1 -timeout 2h -v -run '^TestCrash$$' ./cmd/trireme -crash.rounds $(or $(ROUNDS),100) -crash.seed $(or $(SEED),1)

load: ## 200 clients that do everything at once, their answers checked: make load FOR=2m
	$(GO) test -count=1 -timeout 2h -v -run '^TestLoad$$' ./cmd/trireme -load $(or $(FOR),2m)

diff: ## corpus and random queries on all backends against DuckDB
	$(GO) test -tags invariants -timeout 40m -count=1 ./engine/difftest/...

fuzz-sql: ## random statements of the whole fragment against DuckDB up to the first mismatch, a share with bound constants: make fuzz-sql QUERIES=1000000 SEED=7 FIRST=0 BOUND=100
	$(GO) test -c -o $${TMPDIR:-/tmp}/fuzz-sql.test ./engine
	cd engine && exec $${TMPDIR:-/tmp}/fuzz-sql.test -test.count 1 -test.timeout 0 -test.v -test.run '^TestWideQueries$$' \
	  -wide.queries $(or $(QUERIES),10000) -wide.seed $(or $(SEED),1) -wide.first $(or $(FIRST),0) -wide.bound $(or $(BOUND),0) -wide.progress 30s

fuzz-formats: ## random statements with bound constants over the wire, in its text and its binary format: make fuzz-formats QUERIES=100000 SEED=7 FIRST=0
	$(GO) test -count=1 -timeout 0 -v -run '^TestBoundFormats$$' ./cmd/trireme -formats.queries $(or $(QUERIES),10000) -formats.seed $(or $(SEED),1) \
	  -formats.first $(or $(FIRST),0) -formats.progress 30s

mutants: ## require that the differential test kills every mutant of testdata/mutants (ten minutes)
	$(GO) test -count=1 -timeout 3h -v -run '^TestMutants' ./engine/difftest -mutants

slt-public: ## run public sqllogictest files: make slt-public DIR=/path/to/test/sql WORKDIR=/path/to/duckdb DIALECT=duckdb BACKEND=auto EVERY=1
	$(GO) test -count=1 -timeout 4h -v -run '^TestPublicSuites$$' ./cmd/trireme -slt.dir '$(abspath $(DIR))' -slt.workdir '$(abspath $(or $(WORKDIR),$(DIR)))' \
	  -slt.dialect $(or $(DIALECT),duckdb) -slt.backend $(or $(BACKEND),auto) -slt.every $(or $(EVERY),1)

fuzz: ## every fuzz target for FUZZTIME
	@set -e; for pkg in $$($(GO) list $(PKG)); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

bench: ## benchmarks, summarised: make bench PKG=./fibers/kernel BENCH=Probe
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(PKG) | tee bench.out
	$(TOOL) benchstat bench.out

generate: ## regenerate generated code; fails if the committed files differ
	$(GO) generate $(PKG)
	git diff --exit-code

ci: ## exactly what the server runs
	bash .ci/run
